"""Caps by libvirt: `virsh blkdeviotune` on one disk of a running domain.

The program is used rather than the library: that has no wheel, and is built against the libvirt that is there. Of the
caps of both directions together, one that is 0 is none; bursts (`*_max`) are left as they are.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass

from froude.base.errors import MissingError, TargetError
from froude.cache.monitor.limits import Limits

_TIMEOUT_S = 30.0
_LARGEST = 1 << 20
_TOTAL = {"iops": "total_iops_sec", "bytes_per_s": "total_bytes_sec"}
_FIELD = re.compile(r"^(?:\S+ )?(\w+)\s*:?\s+(\d+)\s*$", re.MULTILINE)
"""`total_iops_sec : 50` of one command, `vda rd_req 89` of another."""


@dataclass(frozen=True, slots=True)
class LibvirtDisk:
    """One disk of a domain."""

    domain: str
    target: str
    """The disk's target, such as `vda`."""
    uri: str = "qemu:///system"
    name: str = "libvirt"
    controls: frozenset[str] = frozenset(_TOTAL)

    def apply(self, limits: Limits) -> None:
        """Cap reads and writes of the disk together.

        Raises:
            MissingError: no virsh.
            TargetError: no such domain or disk, or libvirt refuses.
        """
        words = [
            word
            for resource, field in _TOTAL.items()
            for word in (f"--{field.replace('_', '-')}", str(getattr(limits, resource) or 0))
        ]
        self._said("blkdeviotune", self.domain, self.target, *words, "--live")

    def read_back(self) -> Limits:
        """What libvirt says is in force.

        Raises:
            MissingError: no virsh.
            TargetError: no such domain or disk, or no answer.
        """
        told = self._fields("blkdeviotune", self.domain, self.target)
        return Limits(**{resource: told.get(field) or None for resource, field in _TOTAL.items()})

    def counters(self) -> tuple[float, float]:
        """Requests and bytes of the disk so far, reads and writes.

        Raises:
            MissingError: no virsh.
            TargetError: no such domain or disk, or no answer.
        """
        told = self._fields("domblkstat", self.domain, self.target)
        try:
            return float(told["rd_req"] + told["wr_req"]), float(told["rd_bytes"] + told["wr_bytes"])
        except KeyError as error:
            raise TargetError("does not count its requests", file=self.domain, place=self.target) from error

    def _fields(self, *words: str) -> dict[str, int]:
        return {name: int(value) for name, value in _FIELD.findall(self._said(*words))}

    def _said(self, *words: str) -> str:
        program = shutil.which("virsh")
        if program is None:
            raise MissingError("virsh is not here", remedy="Install libvirt-clients")
        try:
            done = subprocess.run(
                [program, "--connect", self.uri, "--quiet", *words],
                capture_output=True, text=True, errors="replace", timeout=_TIMEOUT_S, check=False,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise TargetError(f"does not answer in {_TIMEOUT_S:g} s", file=self.uri) from error
        if done.returncode != 0:
            said = done.stderr[:_LARGEST].strip().removeprefix("error: ") or "nothing"
            raise TargetError("refuses", file=self.uri, place=self.domain, found=said)
        return done.stdout[:_LARGEST]
