"""What an agent is told by a file: who it is, where it listens, what it watches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar

from froude.base.errors import InputError
from froude.cache.monitor.limits import MOST, Limits
from froude.documents.forms import FieldError, Number, Place, Seconds, Size, Text
from froude.documents.lineage import open_document, read_kind
from froude.documents.migrate import Migrations
from froude.documents.model import Example, Flag, Model
from froude.hadoop.rpc.target import parse_address
from froude.rest.serving import Tls, may_listen

MIGRATIONS = Migrations("cache-agent", 1)
_LISTEN = Text(
    lambda text: parse_address(text, place="listen", free_port=True), "HOST:PORT, port 0 for a free one"
)
_RATE = Number(1, MOST, whole=True)


class Serving(Model):
    """How something serves REST."""

    listen: Annotated[str, _LISTEN] = "127.0.0.1:0"
    """Address and port; port 0 for a free one, which is shown."""
    token: Place
    """File with the secret that every caller must send; its owner only may read it."""
    tls: Tls | None = None
    """Without it what is sent can be read and changed on the way: on loopback, or within a tunnel."""

    def check(self) -> None:
        """Refuse to send a secret in the clear over a network."""
        try:
            may_listen(self.listen, self.tls)
        except InputError as error:
            raise FieldError(
                error.message, names=("listen",), found=error.found, allowed=error.allowed
            ) from error


class Ssd(Model):
    """What there is to split."""

    space_bytes: Annotated[int, Size(), Example("640 MB", active=True)]
    """That caches may take."""
    iops: Annotated[int | None, _RATE, Example(20_000)] = None
    """Requests per second that it serves; without it they are not split."""

    def limits(self) -> Limits:
        """As limits."""
        return Limits(self.space_bytes, self.iops)


class Qmp(Model):
    """A disk of a running QEMU."""

    socket: Place
    """Of its monitor: `-qmp unix:PATH,server=on,wait=off`."""
    device: str
    """The `id` of the disk's device."""


class Libvirt(Model):
    """A disk of a domain of libvirt."""

    domain: str
    """Its name or UUID."""
    target: str
    """The disk's target: `vda`."""
    uri: str = "qemu:///system"
    """Of libvirt."""


class Throttling(Model):
    """A throttle group of QEMU's storage daemon, or of QEMU."""

    socket: Place
    """Of its monitor."""
    group: str
    """The `id` of the object."""


class Group(Model):
    """A control group of the kernel."""

    name: str
    """Below the controller's root: `machine/vm1`."""
    device: Place
    """The block device that is capped, or a file on it."""
    scratch: Place | None = None
    """A folder on that device for a small file that a probe reads; without it caps are not measured."""


class HypervisorVm(Model):
    """One VM: its cache, and what limits it. Of several, each resource is limited by the first that is found to hold."""

    cache: Place | None = None
    """Control socket of `froude cache disk`: its cache, and limits."""
    qmp: Qmp | None = None
    """Limits by QEMU."""
    libvirt: Libvirt | None = None
    """Limits by libvirt."""
    throttle_group: Throttling | None = None
    """Limits by a throttle group."""
    cgroup: Group | None = None
    """Limits by the kernel."""

    def check(self) -> None:
        """Something must be known of it."""
        if not any((self.cache, self.qmp, self.libvirt, self.throttle_group, self.cgroup)):
            raise FieldError(
                "has nothing to limit it by", allowed="cache, qmp, libvirt, throttle_group, cgroup"
            )


class HypervisorAgent(Serving):
    """The agent beside VMs: their caches and limits."""

    kind: ClassVar[str] = "hypervisor"
    name: Annotated[str, Example("h1", active=True)]
    """As the controller calls it."""
    ssd: Ssd
    """What its VMs share."""
    vms: Annotated[
        Mapping[str, HypervisorVm], Example({"vm1": {"cache": "/run/vm1.sock.control"}}, active=True)
    ] = {}
    """By name."""
    probe: Flag = True
    """Whether every back-end is measured at the start: some seconds of a load, and of a cap, for each VM."""
    curve_every_s: Annotated[float, Seconds(most_s=3600)] = 5.0
    """From one look at a miss-ratio curve to the next."""
    curve_window_s: Annotated[float, Seconds(most_s=86400)] = 300.0
    """How far back curves look; what is older weighs less."""


class VmAgent(Serving):
    """The agent on a VM: its processes, and who they talk to."""

    kind: ClassVar[str] = "vm"
    name: Annotated[str, Example("vm1", active=True)]
    """As its hypervisor's agent calls it."""
    every_s: Annotated[float, Seconds(most_s=60)] = 2.0
    """From one look at connections to the next: one that begins and ends in between is not seen."""
    addresses: Annotated[tuple[str, ...], Example(["10.0.0.5"])] = ()
    """By which other VMs know this one; without them all of its own."""
    resourcemanager: Annotated[str | None, Text(), Example("127.0.0.1:8088")] = None
    """Web address of a ResourceManager, whose jobs this agent tells of."""
    history: Annotated[str | None, Text(), Example("127.0.0.1:19888")] = None
    """Web address of a JobHistoryServer."""


AgentConfig = HypervisorAgent | VmAgent
KINDS: dict[str, type[HypervisorAgent] | type[VmAgent]] = {
    each.kind: each for each in (HypervisorAgent, VmAgent)
}


def read_agent(path: Path) -> AgentConfig:
    """An agent's file, with paths as seen from here.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    return read_kind(KINDS, open_document(path, MIGRATIONS).root.fields, path)
