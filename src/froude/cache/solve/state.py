"""What a solver knows: hypervisors with their SSDs, VMs with their curves and load, applications with their runs.

It is what a monitor measured in its last window, or what a person writes into a file to ask "what if".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from froude.base.units import MIB
from froude.cache.curves import LARGEST, MissRatioCurve
from froude.documents.forms import FieldError, Form, Number, Seconds, Size
from froude.documents.model import Flag, Model

MOST = 1e12
"""Of any rate or count: beyond it stands a typing error."""
_RATE = Number(0, MOST)
_BYTES, _SOME_BYTES = Size(zero=True, most_bytes=LARGEST), Size(most_bytes=LARGEST)
_POINTS = 1000
"""Steps of a curve that is only known by its working set."""


@dataclass(frozen=True)
class CurveForm(Form):
    """A miss-ratio curve in its JSON form."""

    allowed = "sizes_bytes, miss_ratio and accesses of a miss-ratio curve"

    def read(self, value: Any) -> MissRatioCurve:
        """Checked point by point."""
        return value if isinstance(value, MissRatioCurve) else MissRatioCurve.of_plain(value)

    def write(self, value: Any) -> dict[str, Any]:
        """Its JSON form."""
        return value.plain()  # type: ignore[no-any-return]


class Hypervisor(Model):
    """A machine whose VMs share an SSD."""

    name: str
    """As VMs name it."""
    space_bytes: Annotated[int, _BYTES]
    """Of its SSD that caches may take."""
    iops: Annotated[float | None, _RATE] = None
    """That its SSD serves; without it they are not split."""
    writes_bytes_per_day: Annotated[int | None, _BYTES] = None
    """What may be written to the SSD in a day so that it lasts; without it, it is not counted."""

    def check(self) -> None:
        """A name to be called by."""
        _check_name(self.name)


class Bounds(Model):
    """What the user allows plans to give a VM."""

    floor_bytes: Annotated[int, _BYTES] = 0
    """The least that a plan may give it."""
    ceiling_bytes: Annotated[int | None, _BYTES] = None
    """The most."""
    floor_iops: Annotated[float, _RATE] = 0.0
    """The least that a plan may leave it."""
    ceiling_iops: Annotated[float | None, _RATE] = None
    """The most."""

    def check(self) -> None:
        """A floor below its ceiling."""
        for unit, floor, ceiling in (
            ("", self.floor_bytes, self.ceiling_bytes),
            ("_iops", self.floor_iops, self.ceiling_iops),
        ):
            if ceiling is not None and floor > ceiling:
                raise FieldError(
                    "is above the ceiling", names=(f"floor{unit}",), found=floor, allowed=f"at most {ceiling}"
                )


class Vm(Bounds):
    """A virtual machine, as it was in the last window."""

    name: str
    """As plans name it."""
    hypervisor: str
    """Where it runs."""
    application: str = ""
    """Whose part it is; empty for one on its own."""
    master: Flag = False
    """Whether it is its application's master: for the reader; how much it counts says `importance`."""
    importance: Annotated[float, Number(0, 1e6)] = 1.0
    """How much one of its misses counts beside another's."""
    reads_per_s: Annotated[float, _RATE] = 0.0
    """Chunks read a second: what a cache can spare the disk."""
    curve: Annotated[MissRatioCurve | None, CurveForm()] = None
    """What a cache of each size would miss of them."""
    working_set_bytes: Annotated[int | None, _BYTES] = None
    """Bytes that it reads again and again; read off the curve where there is one, the curve's stand-in where there is
    none."""
    chunk_bytes: Annotated[int, _SOME_BYTES] = 64 * 1024
    """Of its cache: what one miss writes to the SSD."""
    writes_bytes_per_s: Annotated[int, _BYTES] = 0
    """That it writes through its cache."""
    iops: Annotated[float, _RATE] = 0.0
    """All operations that it wants a second: reads and writes, hits and misses."""
    disk_bytes_per_s: Annotated[int, _BYTES] = 0
    """Of all these."""
    network_bytes_per_s: Annotated[int, _BYTES] = 0
    """Exchanged with the other VMs of its application."""
    cpu_s: Annotated[float, _RATE] = 0.0
    """Processor time in the window."""
    io_s: Annotated[float, _RATE] = 0.0
    """Time that it waited for its disk in the window."""
    size_bytes: Annotated[int, _BYTES] = 0
    """Of its cache now."""

    def check(self) -> None:
        """A name to be called by."""
        Bounds.check(self)
        _check_name(self.name)

    @property
    def misses(self) -> MissRatioCurve:
        """Its curve, or the straight line of its working set, or that of which nothing is known."""
        if self.curve is not None:
            return self.curve
        return _straight(self.working_set_bytes) if self.working_set_bytes else _UNKNOWN

    @property
    def working_set(self) -> int:
        """Bytes that it reads again and again."""
        return self.misses.working_set_bytes() if self.working_set_bytes is None else self.working_set_bytes


_UNKNOWN = MissRatioCurve.unknown()


@lru_cache(maxsize=4096)
def _straight(working_set_bytes: int) -> MissRatioCurve:
    return MissRatioCurve.linear(working_set_bytes, points=_POINTS)


class JobRun(Model):
    """A job of an application that has ended."""

    time_s: Annotated[float, Seconds()]
    """From its start to its end."""
    reads: Mapping[str, Annotated[float, _RATE]] = {}
    """Chunks that its VMs read, by VM."""
    misses: Mapping[str, Annotated[float, _RATE]] = {}
    """Those of them that no cache held, by VM."""


class Application(Model):
    """VMs that work on the same jobs."""

    name: str
    """As VMs name it."""
    weight: Annotated[float, Number(0, 1e6)] = 1.0
    """How much a second of its jobs counts beside another's."""
    runs: tuple[JobRun, ...] = ()
    """Jobs of it that have ended: with them, what a miss costs is fitted."""


class State(Model):
    """All that a plan is made from."""

    window_s: Annotated[float, Seconds()] = 60.0
    """What the VMs' figures were measured over."""
    horizon_s: Annotated[float, Seconds()] = 600.0
    """How long the load is expected to stay as it is: what a move must pay for itself in."""
    miss_s: Annotated[float, Seconds()] = 0.01
    """What a read of the disk behind the caches takes."""
    hit_s: Annotated[float, Seconds(zero=True)] = 0.001
    """What a read of the SSD takes."""
    granule_bytes: Annotated[int, _SOME_BYTES] = MIB
    """Sizes of caches are multiples of it."""
    hypervisors: tuple[Hypervisor, ...]
    """Each with its SSD."""
    vms: tuple[Vm, ...]
    """On them."""
    applications: tuple[Application, ...] = ()
    """Those of which more is known than their VMs."""

    def check(self) -> None:
        """Each name once, and each VM on a hypervisor that there is."""
        for part, listed in (
            ("hypervisors", [each.name for each in self.hypervisors]),
            ("vms", [each.name for each in self.vms]),
            ("applications", [each.name for each in self.applications]),
        ):
            twice = [name for name, times in Counter(listed).items() if times > 1]
            if twice:
                raise FieldError("has a name twice", names=(part,), found=twice[0])
        known = {each.name for each in self.hypervisors}
        for number, vm in enumerate(self.vms):
            if vm.hypervisor not in known:
                names = ("vms", f"[{number}]", "hypervisor")
                raise FieldError(
                    "is none of the hypervisors", names=names, found=vm.hypervisor, allowed=known
                )

    def on(self, hypervisor: Hypervisor) -> tuple[Vm, ...]:
        """The VMs of a hypervisor, in the order of all."""
        return tuple(vm for vm in self.vms if vm.hypervisor == hypervisor.name)

    def of(self, application: str) -> tuple[Vm, ...]:
        """The VMs of an application, in the order of all.

        Args:
            application: its name; not empty.
        """
        return tuple(vm for vm in self.vms if vm.application == application)

    def scaled(self, factor: float) -> State:
        """The same with SSDs of another size: what-if.

        Args:
            factor: of their space, 0 or more.
        """
        larger = [each.replaced(space_bytes=int(each.space_bytes * factor)) for each in self.hypervisors]
        return self.replaced(hypervisors=tuple(larger))


def _check_name(name: str) -> None:
    if not name or len(name) > 200 or not name.isprintable():
        raise FieldError(
            "is no name", names=("name",), found=repr(name)[:80], allowed="1 to 200 printable characters"
        )


DAY_S = 86400.0


def written(vm: Vm, size_bytes: float) -> float:
    """Bytes a second that a VM writes to the SSD: chunks that are filled, and what it writes through its cache.

    Args:
        size_bytes: of its cache; without one nothing is written.
    """
    if size_bytes <= 0:
        return 0.0
    return vm.reads_per_s * vm.misses.at(size_bytes) * vm.chunk_bytes + vm.writes_bytes_per_s
