"""Who kept a play from going faster: the player, the target, other work on the machine, none, or nobody can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

from froude.hadoop.rpc.target import daemon_name

CPU = "process.cpu_seconds"
"""CPU time that the target's process used so far."""
CALL_QUEUE = "RpcActivity.CallQueueLength"
"""Calls that wait for a handler of the target."""
MASTER = "RM"
"""How the names of a ResourceManager's numbers begin."""
RESOURCEMANAGER = "resourcemanager"
PREFIX = {RESOURCEMANAGER: MASTER}
"""How the names of a daemon's numbers begin; a NameNode's have none."""
_BUSY = 0.85
"""Share of a core, or of all the machine's for a target, above which one counts as busy."""
_LAG_MS = 25.0
"""A player whose own timers fire later than this is behind."""
_FULL, _OTHERS = 0.9, 0.3
"""Share of a machine's CPU time from which it is full, and cores that others use from which it is theirs, too."""
_IDLE, _CROWDED = 0.5, 0.6
"""Share of its core below which a player is not late by its own work, and share of a machine's from which others make
it wait: on two cores of which one is always taken, every second turn."""
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
    in_flight: int
    machine_share: float | None = None
    """Of all cores together, by whomever, since the moment before; None where nobody looked."""
    busiest_share: float | None = None
    """Of one core, by the busiest of several player processes; None where there is one."""


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
    player_share: float | None = None
    """Of one core, by the busiest player in its busiest half of the steady phase; None where it was not sampled."""
    target_share: float | None = None
    """The same of the busiest target, of one core; None where no CPU time was seen."""
    daemon: str = ""
    """The target that was the limit, such as `namenode`; empty where none was."""
    unseen: str = ""
    """Targets whose CPU time was not seen, in words."""

    def __str__(self) -> str:
        return f"{self.by.value}: {self.reason}"


def judge(
    lag_ms: float,
    load: Sequence[Load],
    metrics: Sequence[Measured],
    cores: int,
    *,
    here: bool = True,
    daemons: Sequence[str] = (),
    target_cores: int | None = None,
) -> Bottleneck:
    """Tell from lateness, CPU and waiting calls who was the limit.

    Args:
        metrics: the target over time; `CPU` and `CALL_QUEUE` are looked at.
        cores: how many both shared.
        daemons: who was called; by default all that was sampled.
        target_cores: those that the target has, where they are fewer.
    """
    several = any(each.busiest_share is not None for each in load)
    who = "the busiest player" if several else "the player"
    observed = busiest_half(
        [each.cpu_share if each.busiest_share is None else each.busiest_share for each in load]
    )
    player = observed or 0.0
    own = "was not seen" if observed is None else f"used {observed:.0%} of its own core"
    sampled = {name for sample in metrics for name in sample.values}
    found = [each for each in ("", RESOURCEMANAGER) if PREFIX.get(each, "") + CPU in sampled]
    daemons = daemons or found or [""]
    shares = {each: busiest_half(_shares(metrics, PREFIX.get(each, "") + CPU)) for each in daemons}
    known = {each: share for each, share in shares.items() if share is not None}
    queues = {
        each: busiest_half(_values(metrics, PREFIX.get(each, "") + CALL_QUEUE)) or 0.0 for each in daemons
    }
    busiest, fullest = (max(of, key=lambda each: of[each], default="") for of in (known, queues))
    unseen = " and ".join(f"the {daemon_name(each)}" for each in daemons if each not in known)
    uses = [f"the {daemon_name(each)} used {share:.0%} of a core" for each, share in known.items()]
    were = "were" if " and " in unseen else "was"
    seen = ", ".join([*uses, *([f"{unseen} {were} not seen"] if unseen else [])])
    machine = busiest_half([each.machine_share for each in load if each.machine_share is not None]) or 0.0
    players = busiest_half([each.cpu_share for each in load]) or 0.0
    others = machine * cores - players - (sum(known.values()) if here else 0.0)
    limit = ""
    late = lag_ms > _LAG_MS
    crowded = machine >= _FULL or (late and player < _IDLE and machine >= _CROWDED)
    if player < _BUSY and crowded and others >= _OTHERS:
        by = LimitedBy.MACHINE
        whose = "this machine's" if here else "the players'"
        reason = f"other work used {others:.1f} of {whose} {cores} cores; {seen}"
        reason += f", {who} {player:.0%}; its timers fired up to {lag_ms:.1f} ms late" * late
    elif player >= _BUSY or late:
        by = LimitedBy.PLAYER
        reason = (
            f"{who} used {player:.0%} of its core and its timers fired up to {lag_ms:.1f} ms late: "
            "latencies include its own delay"
        )
    elif known.get(busiest, 0.0) >= _BUSY * max(1, min(target_cores or cores, cores - 1)):
        by, limit, reason = LimitedBy.TARGET, busiest, f"{seen}, {who} {player:.0%}"
    elif queues[fullest] >= _QUEUED:
        by, limit = LimitedBy.TARGET, fullest
        reason = f"{queues[fullest]:,.0f} calls waited for a handler of the {daemon_name(fullest)}; {seen}"
    elif here and not unseen and min(machine * cores, players + sum(known.values())) >= _FULL * cores:
        # None has a core to itself, and together they have all: whoever used more left too little to the other.
        by, limit = (LimitedBy.TARGET, busiest) if sum(known.values()) >= players else (LimitedBy.PLAYER, "")
        reason = (
            f"all {cores} cores were in use, {players:.1f} of them by {'players' if several else who}; {seen}"
        )
    else:
        by = LimitedBy.UNKNOWN if unseen else LimitedBy.NEITHER
        reason = f"{seen}, {who} {own}"
        reason += f"; name the web address of {unseen}, so that its CPU is seen" * bool(unseen)
    return Bottleneck(by, reason, observed, known.get(busiest), limit, unseen)


def _values(metrics: Sequence[Measured], name: str) -> list[float]:
    return [each.values[name] for each in metrics if name in each.values]


def _shares(metrics: Sequence[Measured], name: str) -> list[float]:
    """The shares of a core that a daemon used, from sample to sample."""
    seen = [(sample.time_s, sample.values[name]) for sample in metrics if name in sample.values]
    return [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(seen) if b[0] > a[0]]


def busiest_half(values: Sequence[float]) -> float | None:
    """The highest mean of any half of the run: a busy second is no bottleneck, a busy half is. None of nothing.

    Of a run of few samples the half is three of them, or all there are.
    """
    if not values:
        return None
    half = min(len(values), max(_LEAST_SAMPLES, (len(values) + 1) // 2))
    return max(sum(values[at : at + half]) / half for at in range(len(values) - half + 1))
