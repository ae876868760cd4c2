"""What simulations of a datacenter are told, each field declared once: for Python, the command line, and its checks."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import Field

from froude.base.units import seconds_text
from froude.documents.forms import FieldError, Number, Seconds
from froude.documents.model import Flag, Model

DAY_S = 86_400.0
_SHORTEST_GAP_S = 3.0
"""Of a heartbeat, in which all jobs that came are seen together."""
_Share = Number(0.001, 1)


class Throttle(Enum):
    """Whose repairs the limit of so many blocks an hour holds back."""

    SOURCE = "source"
    """Each server that survivors are copied from: a wiped server's blocks come back from all over the cluster."""
    LOST = "lost"
    """Each server that was wiped: its blocks come back one after the other, however many sources there are."""


class Scaling(Enum):
    """How utilisation is raised or lowered."""

    LINEAR = "linear"
    """Times a factor, at most 1: variation over time grows with it."""
    ROOT = "root"
    """To the power of 1 / factor: low values rise more than high ones, so variation shrinks."""


class DurabilitySetting(Model):
    """A year of reimages; the defaults are the paper's (harvesting paper, section 6)."""

    blocks: Annotated[int, Number(1, 100_000_000, whole=True)] = 4_000_000
    """Placed at the start."""
    replicas: Annotated[int, Number(1, 512, whole=True)] = 3
    """Of each block."""
    fill: Annotated[float, _Share] = 0.5
    """Share of the space that the blocks would take: it sets how much space servers have."""
    days: Annotated[float, Number(0.001, 3660)] = 365.0
    """The last ones of the record of reimages."""
    detection_s: Annotated[float, Seconds(zero=True)] = 600.0
    """From a wipe until the file system has noticed: about HDFS's 10.5 minutes until a node is dead."""
    throttle_per_hour: Annotated[float, Number(0.1, 36_000)] = 30.0
    """Blocks an hour that a server repairs; a tick is the time of one, 2 minutes."""
    throttle: Throttle = Throttle.SOURCE
    """source: of each server that is copied from; lost: of each that was wiped."""

    def check(self) -> None:
        """Refuse more replicas than can be numbered.

        Raises:
            FieldError: there are.
        """
        if self.blocks * self.replicas >= 1 << 31:
            raise FieldError(
                "are too many replicas", names=("blocks",), allowed="at most 2,147,483,647 replicas"
            )

    @property
    def tick_s(self) -> float:
        """Length of a step, seconds."""
        return 3600.0 / self.throttle_per_hour

    @property
    def ticks(self) -> int:
        """How many steps are simulated."""
        return round(self.days * DAY_S / self.tick_s)

    def capacity(self, servers: int) -> int:
        """Replicas that each of so many servers takes."""
        return max(1, round(self.blocks * self.replicas / self.fill / servers))


class AvailabilitySetting(Model):
    """Accesses to blocks while primary tenants use their servers."""

    means: Annotated[tuple[Annotated[float, Number(0.001, 0.999)], ...], Field(min_length=1)] = (
        0.3,
        0.4,
        0.5,
        0.6,
        0.66,
        0.75,
    )
    """Mean utilisation of all servers to scale to; 0.3 to 0.75 by default."""
    scaling: Scaling = Scaling.LINEAR
    """How the series are brought there: times a factor, or to a power (root), where low values rise most."""
    blocks: Annotated[int, Number(1, 20_000_000, whole=True)] = 1_000_000
    """Placed at the start."""
    replicas: Annotated[int, Number(1, 512, whole=True)] = 3
    """Of each block."""
    fill: Annotated[float, _Share] = 0.5
    """Share of the space that the blocks take."""
    moments: Annotated[int, Number(1, 1_000_000, whole=True)] = 100
    """At which every block is accessed, drawn from all slots."""
    busy: Annotated[float, Number(0, 1)] = 0.66
    """Utilisation above which a server denies accesses: 1 less the reserve."""


class SchedulingSetting(Model):
    """Batch jobs next to primary tenants; defaults are the paper's."""

    days: Annotated[float, Number(0.1, 366)] = 31.0
    """The last ones of the history."""
    reserve_cores: Annotated[int, Number(0, 1024, whole=True)] = 4
    """Of each server, never given to containers."""
    mean_gap_s: Annotated[float, Seconds(most_s=1e6)] = 300.0
    """Mean time between two jobs; they come at random (Poisson)."""
    batch_share: Annotated[float, Number(1e-4, 1)] = 0.21
    """Of all cores, that the jobs would use if none were killed; it scales tasks and durations."""
    fill: Flag = False
    """Whether gaps of the simulated days are filled by the tenant's usual values, up to 20 % of its samples."""

    def check(self) -> None:
        """Refuse jobs that come faster than they are seen.

        Raises:
            FieldError: they do.
        """
        if self.mean_gap_s < _SHORTEST_GAP_S:
            found, allowed = seconds_text(self.mean_gap_s), f"{seconds_text(_SHORTEST_GAP_S)} or more"
            raise FieldError("is out of range", names=("mean_gap",), found=found, allowed=allowed)
