"""Caps by the kernel's control groups: `blkio.throttle` of version 1, `io.max` of version 2.

Both count reads and writes apart, so that a mixed load may reach twice a cap of both. Version 1 charges a buffered
write to whoever writes it back, which is the kernel, outside the group: such writes evade the cap (`buffered`). Weights
are no caps, and the kernel takes them whether or not the device's scheduler heeds them (`ignored_weights`).

Source: Documentation/admin-guide/cgroup-v1/blkio-controller.rst and cgroup-v2.rst of Linux.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import MissingError, TargetError
from froude.cache.monitor.limits import Limits

ROOT = Path("/sys/fs/cgroup")
_V1 = {
    "iops": ("blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"),
    "bytes_per_s": ("blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device"),
}
_V2 = {"iops": ("riops", "wiops"), "bytes_per_s": ("rbps", "wbps")}
_WEIGHTS = ("blkio.bfq.weight", "blkio.weight", "io.bfq.weight", "io.weight")
_HEEDS_WEIGHTS = "bfq"
_CONTROLS = frozenset({"iops", "bytes_per_s"})


@dataclass(frozen=True, slots=True)
class CgroupV1:
    """`blkio.throttle` of a group, for one device."""

    folder: Path
    device: str
    """`major:minor`."""
    name: str = "cgroup-v1"
    controls: frozenset[str] = _CONTROLS

    def apply(self, limits: Limits) -> None:
        """See `Backend`: caps reads and writes of the group on the device."""
        for resource, files in _V1.items():
            value = getattr(limits, resource) or 0  # 0 lifts a cap
            for file in files:
                _write(self.folder / file, f"{self.device} {value}")

    def read_back(self) -> Limits:
        """See `Backend`: the larger of the caps of reads and of writes; none where either has none."""
        found = {}
        for resource, files in _V1.items():
            rows = [_rows(self.folder / file, self.device) for file in files]
            found[resource] = _both([_number(row[0][0]) if row else None for row in rows])
        return Limits(**found)

    def counters(self) -> tuple[float, float]:
        """Requests and bytes of the group on the device, since it was made.

        Raises:
            TargetError: they cannot be read.
        """
        requests, size = (
            sum(int(row[1]) for row in _rows(self.folder / file, self.device) if row[0] in {"Read", "Write"})
            for file in ("blkio.throttle.io_serviced", "blkio.throttle.io_service_bytes")
        )
        return float(requests), float(size)


@dataclass(frozen=True, slots=True)
class CgroupV2:
    """`io.max` of a group, for one device."""

    folder: Path
    device: str
    """`major:minor`."""
    name: str = "cgroup-v2"
    controls: frozenset[str] = _CONTROLS

    def apply(self, limits: Limits) -> None:
        """See `Backend`: caps reads and writes of the group on the device."""
        words = [
            f"{key}={getattr(limits, resource) or 'max'}" for resource, keys in _V2.items() for key in keys
        ]
        _write(self.folder / "io.max", " ".join([self.device, *words]))

    def read_back(self) -> Limits:
        """See `Backend`: the larger of the caps of reads and of writes; none where either has none."""
        caps = self._words("io.max")
        return Limits(
            **{name: _both([_number(caps.get(key, "max")) for key in keys]) for name, keys in _V2.items()}
        )

    def counters(self) -> tuple[float, float]:
        """As of version 1.

        Raises:
            TargetError: they cannot be read.
        """
        counts = self._words("io.stat")
        requests, size = (
            sum(float(counts.get(key, 0)) for key in keys)
            for keys in (("rios", "wios"), ("rbytes", "wbytes"))
        )
        return requests, size

    def _words(self, file: str) -> dict[str, str]:
        """What a file tells of the device: `name=value`, all on its line."""
        rows = _rows(self.folder / file, self.device)
        return dict(word.split("=", 1) for row in rows for word in row)


Cgroup = CgroupV1 | CgroupV2


def cgroup_at(group: str, device: str, *, root: Path = ROOT) -> Cgroup:
    """The group of that name, in whichever version this machine throttles by.

    Args:
        group: its name below the controller's root, such as `machine/vm1`.
        device: `major:minor`.

    Raises:
        MissingError: no such group, or neither version throttles it.
    """
    v1 = root / "blkio" / group
    if (v1 / _V1["iops"][0]).exists():
        return CgroupV1(v1, device)
    for v2 in (root / group, root / "unified" / group):
        if (v2 / "io.max").exists():
            return CgroupV2(v2, device)
    raise MissingError(
        "has no control group that limits its I/O",
        file=group,
        allowed=f"{v1} with blkio.throttle, or {root / group} with io.max",
        remedy="Enable the io controller (cgroup.subtree_control), or name another group",
    )


def ignored_weights(group: Path, device: str, *, root: Path = Path("/")) -> str | None:
    """What to say of a weight that somebody has set on a group and that has no effect on a device; None if none.

    Args:
        root: in place of `/` for /sys, for tests.
    """
    scheduler = scheduler_of(device, root=root)
    for name in _WEIGHTS:
        try:
            text = (group / name).read_text()
        except OSError:
            continue
        weight = text.split()[-1] if text.split() else ""
        if weight not in {"", "100"} and scheduler != _HEEDS_WEIGHTS:
            return f"{name} {weight} has no effect: the scheduler of {device} is {scheduler}, which heeds no weights"
    return None


def scheduler_of(device: str, *, root: Path = Path("/")) -> str:
    """The I/O scheduler of a device, such as `none` or `bfq`; empty where /sys does not say.

    Args:
        root: in place of `/`, for tests.
    """
    folder = root / "sys/dev/block" / device
    whole = folder if (folder / "queue").exists() else folder.resolve().parent  # a partition's disk
    try:
        words = (whole / "queue/scheduler").read_text().split()
    except OSError:
        return ""
    return next((word.strip("[]") for word in words if word.startswith("[")), words[0] if words else "")


def device_of(path: Path) -> str:
    """`major:minor` of a block device, or of the one that a file's file system lies on.

    Args:
        path: of a device or a file.

    Raises:
        MissingError: it is not there.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise MissingError(f"cannot be looked at ({error.strerror})", file=path) from error
    number = status.st_rdev or status.st_dev
    return f"{os.major(number)}:{os.minor(number)}"


def _both(caps: list[int | None]) -> int | None:
    known = [cap for cap in caps if cap is not None]
    return max(known) if len(known) == len(caps) else None


def _number(text: str) -> int | None:
    """A cap; 0 is none of version 1, which version 2 does not take."""
    return int(text) or None if text.isdecimal() else None


def _rows(file: Path, device: str) -> list[list[str]]:
    """What stands behind a device on its lines."""
    try:
        lines = file.read_text().splitlines()
    except OSError as error:
        raise TargetError(f"cannot be read ({error.strerror})", file=file) from error
    return [row[1:] for row in map(str.split, lines) if row[:1] == [device] and row[1:]]


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text)
    except OSError as error:
        remedy = "Run the agent as root" if error.errno in {errno.EACCES, errno.EPERM} else None
        raise TargetError(f"is refused ({error.strerror})", file=file, found=text, remedy=remedy) from error
