"""Caps by a throttle group of QEMU's storage daemon, or of QEMU itself, changed while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import TargetError
from froude.cache.backends.qmp import execute
from froude.cache.monitor.limits import Limits

_TOTAL = {"iops": "iops-total", "bytes_per_s": "bps-total"}


@dataclass(frozen=True, slots=True)
class ThrottleGroup:
    """An object `throttle-group` that a disk's `throttle` node belongs to."""

    socket: Path
    """Of the monitor (`--chardev socket,… --monitor …`)."""
    group: str
    """Its `id`."""
    name: str = "throttle-group"
    controls: frozenset[str] = frozenset(_TOTAL)

    def apply(self, limits: Limits) -> None:
        """See `Backend`: caps reads and writes of the group's disks together."""
        value = {word: getattr(limits, resource) or 0 for resource, word in _TOTAL.items()}
        execute(self.socket, [("qom-set", {"path": self._path, "property": "limits", "value": value})])

    def read_back(self) -> Limits:
        """See `Backend`."""
        (found,) = execute(self.socket, [("qom-get", {"path": self._path, "property": "limits"})])
        if not isinstance(found, dict):
            raise TargetError("answers no limits", file=self.socket, place=self.group, found=found)
        return Limits(**{resource: int(found.get(word, 0)) or None for resource, word in _TOTAL.items()})

    @property
    def _path(self) -> str:
        return f"/objects/{self.group}"
