"""Caps by QEMU itself: `block_set_io_throttle` on one disk of a virtual machine, over its monitor socket.

A disk that was given by `-blockdev` and `-device id=X` is known to that command by the path of its device in QEMU's
object tree, `/machine/peripheral/X/virtio-backend`; `X` alone has no block backend. Both are looked up here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from froude.base.errors import TargetError
from froude.cache.backends.qmp import execute
from froude.cache.monitor.limits import Limits

_APART = ("bps_rd", "bps_wr", "iops_rd", "iops_wr")
"""Caps of reads and writes apart; none, since QEMU caps both together."""


@dataclass(frozen=True, slots=True)
class QemuDisk:
    """One disk of a running QEMU."""

    socket: Path
    """Of its monitor (`-qmp unix:PATH,server=on,wait=off`)."""
    device: str
    """Its `id`, as on the command line, or its path in the object tree."""
    name: str = "qmp"
    controls: frozenset[str] = frozenset({"iops", "bytes_per_s"})

    def apply(self, limits: Limits) -> None:
        """See `Backend`: caps reads and writes of the disk together."""
        caps = {
            "id": self._found("query-block")["qdev"],
            "iops": limits.iops or 0,
            "bps": limits.bytes_per_s or 0,
        }
        execute(self.socket, [("block_set_io_throttle", caps | dict.fromkeys(_APART, 0))])

    def read_back(self) -> Limits:
        """See `Backend`: what QEMU says is in force."""
        inserted = self._found("query-block").get("inserted") or {}
        return Limits(
            iops=int(inserted.get("iops", 0)) or None, bytes_per_s=int(inserted.get("bps", 0)) or None
        )

    def counters(self) -> tuple[float, float]:
        """Requests and bytes of the disk so far, reads and writes.

        Raises:
            TargetError: no such disk, or no answer.
        """
        stats = self._found("query-blockstats").get("stats") or {}
        requests = stats.get("rd_operations", 0) + stats.get("wr_operations", 0)
        return float(requests), float(stats.get("rd_bytes", 0) + stats.get("wr_bytes", 0))

    def _found(self, query: str) -> Mapping[str, Any]:
        """The disk's entry of an answer.

        Raises:
            TargetError: there is none, or it has no device that could be capped.
        """
        (listed,) = execute(self.socket, [(query, {})])
        for each in listed:
            names = (each.get("device"), each.get("qdev"), (each.get("inserted") or {}).get("node-name"))
            if self.device in names or str(each.get("qdev")).startswith(
                f"/machine/peripheral/{self.device}/"
            ):
                return {"qdev": self.device, **each}
        known = ", ".join(str(each.get("qdev") or each.get("device")) for each in listed)
        raise TargetError("has no such disk", file=self.socket, found=self.device, allowed=known)
