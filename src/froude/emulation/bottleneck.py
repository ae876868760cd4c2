"""Who kept a play from going faster: the player, the target, other work on the machine, none, or nobody can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

CPU = "process.cpu_seconds"
"""CPU time that the target's process used so far."""
CALL_QUEUE = "RpcActivity.CallQueueLength"
"""Calls that wait for a handler of the target."""
MASTER = "RM"
"""How the names of a ResourceManager's numbers begin, where one is a target beside a NameNode."""
_BUSY = 0.85
"""Share of a core, or of all the machine's for a target, above which one counts as busy."""
_LAG_MS = 25.0
"""A player whose own timers fire later than this is behind."""
_FULL, _OTHERS = 0.9, 0.3
"""Share of a machine's CPU time from which it is full, and cores that others use from which it is theirs, too."""
_QUEUED = 100.0
"""Calls waiting for a handler over half of a play, from which a target is behind: what ten handlers, the least that a
NameNode has, are given each ten times over."""
_LEAST_SAMPLES = 3
"""Samples, of a second each, below which a mean says nothing: a compiler or a garbage collector of the JVM fills one
second of an idle target."""


class Load(NamedTuple):
    """The player at one moment."""

    time_s: float
    """Since the play began."""
    cpu_share: float
    """Of one core, since the moment before."""
    rss_bytes: int
    nodes: int
    """Nodes that have begun."""
    in_flight: int
    """Calls without an answer yet."""
    machine_share: float | None = None
    """Of all cores together, by whomever, since the moment before; None where nobody looked."""


class Measured(NamedTuple):
    """The target's numbers at one moment."""

    time_s: float
    """Since the play began."""
    values: Mapping[str, float]
    """By name, such as `FSNamesystemState.NumLiveDataNodes`."""


class LimitedBy(Enum):
    """Who kept a play from going faster."""

    PLAYER = "player"
    TARGET = "target"
    MACHINE = "machine"
    """Other work on the machine, which left too little to both."""
    NEITHER = "neither"
    UNKNOWN = "unknown"
    """Not the player; of the target nothing was seen."""


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """What limited a run, and how one can tell."""

    by: LimitedBy
    reason: str
    """One sentence."""
    player_share: float | None = None
    """Of one core, in the player's busiest half of the steady phase; None where it was not sampled."""
    target_share: float | None = None
    """The same of the target, of one core; None where its CPU time was not seen."""

    def __str__(self) -> str:
        return f"{self.by.value}: {self.reason}"


def judge(
    lag_ms: float, load: Sequence[Load], metrics: Sequence[Measured], cores: int, *, here: bool = True
) -> Bottleneck:
    """Tell from lateness, CPU and waiting calls who was the limit.

    Args:
        lag_ms: how late the player's own timers fired.
        load: the player over time.
        metrics: the target over time; `CPU` and `CALL_QUEUE` are looked at.
        cores: how many both shared.
        here: whether the target runs on the player's machine.
    """
    observed = _busiest([each.cpu_share for each in load])
    player, own = observed or 0.0, "was not seen"
    if observed is not None:
        own = f"used {observed:.0%} of its own core"
    shares = [
        share for name in (CPU, MASTER + CPU) if (share := _busiest(_shares(metrics, name))) is not None
    ]
    target = max(shares, default=None)  # the busiest of several
    queued = _busiest([each.values[CALL_QUEUE] for each in metrics if CALL_QUEUE in each.values])
    seen = "was not seen" if target is None else f"used {target:.0%} of a core"
    machine = _busiest([each.machine_share for each in load if each.machine_share is not None]) or 0.0
    others = machine * cores - player - ((target or 0.0) if here else 0.0)
    if player < _BUSY and machine >= _FULL and others >= _OTHERS:
        by = LimitedBy.MACHINE
        reason = f"other work used {others:.1f} of this machine's {cores} cores; the target {seen}"
    elif player >= _BUSY or lag_ms > _LAG_MS:
        by = LimitedBy.PLAYER
        reason = (
            f"the player used {player:.0%} of its core and its timers fired up to {lag_ms:.1f} ms late: "
            "latencies include its own delay"
        )
    elif target is not None and target >= _BUSY * max(1, cores - 1):
        by, reason = LimitedBy.TARGET, f"the target {seen}, the player {player:.0%}"
    elif queued is not None and queued >= _QUEUED:
        by, reason = LimitedBy.TARGET, f"{queued:,.0f} calls waited for a handler of the target, which {seen}"
    else:
        by = LimitedBy.UNKNOWN if target is None else LimitedBy.NEITHER
        reason = f"the target {seen}, the player {own}"
        reason += "; name the target's web address, so that its CPU is seen" if target is None else ""
    return Bottleneck(by, reason, observed, target)


def _shares(metrics: Sequence[Measured], name: str) -> list[float]:
    """The shares of a core that a daemon used, from sample to sample."""
    seen = [(sample.time_s, sample.values[name]) for sample in metrics if name in sample.values]
    return [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(seen) if b[0] > a[0]]


def _busiest(values: Sequence[float]) -> float | None:
    """The highest mean of any half of the run: a busy second is no bottleneck, a busy half is. None of nothing.

    Of a run of few samples the half is three of them, or all there are.
    """
    if not values:
        return None
    half = min(len(values), max(_LEAST_SAMPLES, (len(values) + 1) // 2))
    return max(sum(values[at : at + half]) / half for at in range(len(values) - half + 1))
