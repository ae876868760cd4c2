"""The project's own cached disk: space, requests and bandwidth, over its control socket; and what it counts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import InputError, TargetError
from froude.cache.curves import MissRatioCurve
from froude.cache.disk.client import DiskClient
from froude.cache.disk.status import DiskStatus
from froude.cache.disk.status import Limits as DiskLimits
from froude.cache.monitor.limits import RESOURCES, Limits

_PATIENCE_S = 2.0
"""How long a disk may take to tell of itself: others wait for the agent's report."""


@dataclass(frozen=True, slots=True)
class OwnDisk:
    """A disk that `froude cache disk` serves."""

    socket: Path
    name: str = "own"
    controls: frozenset[str] = frozenset(RESOURCES)

    def apply(self, limits: Limits) -> None:
        """Resize the cache and set both caps; a smaller one has given its space back when this returns.

        Raises:
            MissingError: nobody serves there.
            TargetError: the disk refuses, or does not answer.
        """
        with DiskClient(self.socket) as disk:
            if limits.cache_bytes is not None:
                disk.resize(limits.cache_bytes)
            disk.limit(DiskLimits(limits.iops, limits.bytes_per_s))

    def read_back(self) -> Limits:
        """What the disk says is in force.

        Raises:
            MissingError: nobody serves there.
            TargetError: it does not answer, or no status.
        """
        return _limits(self.status())

    def status(self) -> DiskStatus:
        """Its counters.

        Raises:
            MissingError: nobody serves there.
            TargetError: it does not answer, or no status.
        """
        with DiskClient(self.socket, timeout_s=_PATIENCE_S) as disk:
            return disk.stat()

    def counters(self) -> tuple[float, float]:
        """Requests and bytes so far, reads and writes.

        Raises:
            TargetError: it does not answer, or no status.
        """
        now = self.status()
        return float(now.reads + now.writes), float(now.read_bytes + now.write_bytes)

    def piece(self) -> MissRatioCurve | None:
        """The curve of the reads since it was last asked for; None where there were none.

        Raises:
            TargetError: it does not answer, or what is no curve.
        """
        with DiskClient(self.socket, timeout_s=_PATIENCE_S) as disk:
            plain = disk.curve(forget=True).get("curve")
        try:
            return None if plain is None else MissRatioCurve.of_plain(plain)
        except InputError:
            return None


def _limits(status: DiskStatus) -> Limits:
    iops, rate = status.iops_limit, status.bytes_per_s_limit
    try:
        return Limits(
            status.cache_bytes, None if iops is None else round(iops), None if rate is None else round(rate)
        )
    except (OverflowError, ValueError, InputError) as error:
        raise TargetError("says what no limit is", place="stat", found=f"{iops}, {rate}") from error
