"""What the cores of a target would allow, next to the load that it kept, and what kept it from more. Pure.

At low load a call takes more CPU time, for what is awake then does little; and while the JVM compiles, much of a second
is its compiler's. So the limit is computed from the play with the least CPU time of a call, of those that were measured
warm with the target at work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from froude.emulation.run.core_time import CALLS, IDLE, LOCK, PLAYER, QUEUE, SYNC
from froude.emulation.run.summary import RunSummary
from froude.emulation.steadiness import QUIET
from froude.emulation.sustained import Mode

REACHED = 0.6
"""Share of the computed limit from which nothing is looked for that keeps a load from more."""
_AT_WORK = 0.4
"""Share of a core that a target uses from which the CPU time of a call is not mostly that of being awake."""
_FULL = 0.85
"""Share of its own core from which a player has none left."""
_MATTERS = 0.1
"""Share of its time from which a wait explains cores that are idle."""
_DEAREST = 3
_WAITS = {
    LOCK: "handlers waited for it for {:.0%} of their time",
    QUEUE: "calls waited for a handler for {:.0%} of their time there",
    SYNC: "it was under way for {:.0%} of the time",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """What kept a load from more."""

    name: str
    """`lock`, `queue`, `edit log sync`, `collector`, `compiler`, `player`, `other work`; `unknown` for idle cores."""
    share: float
    """Of the time that `text` names."""
    text: str


@dataclass(frozen=True, slots=True)
class ComputedLimit:
    """Calls in a second that the cores of a target would allow, with nothing else on them."""

    calls_per_s: float
    cores: int
    cpu_us: float
    """CPU time of a call of the mixture that was kept, microseconds, without compiler and collector."""
    methods: dict[str, float]
    """The same by method; empty where it is not known."""
    base: str
    """The play that it is computed from, in words."""
    reached: float
    """Share of it that the kept load is."""
    cause: Cause | None
    """What kept it from more; None from `REACHED` on, and where the time of the cores was not seen."""


def computed_limit(kept: Sequence[RunSummary], runs: Sequence[RunSummary]) -> ComputedLimit | None:
    """The limit by the mixture of the load that was kept; None without a base.

    Args:
        kept: the plays of that load.
        runs: all plays of the search.
    """
    bases = [run for run in runs if _is_base(run)]
    if not kept or not bases:
        return None
    base = max(bases, key=lambda run: run.computed_limit or 0.0)
    median = sorted(kept, key=lambda run: run.calls_per_s)[len(kept) // 2]
    methods = {row.method: row.cpu_us for row in base.methods if row.cpu_us is not None}
    cpu_us = _mixture_us(median, methods) or base.target_cpu_us or 0.0
    limit = base.target_cores / cpu_us * 1e6
    reached = median.calls_per_s / limit
    load = ", ".join(f"{name}={value}" for name, value in base.scale.items())
    cause = None if reached >= REACHED else cause_of(median)
    where = f"{base.calls_per_s:,.0f} calls/s ({load})"
    return ComputedLimit(limit, base.target_cores, cpu_us, methods, where, reached, cause)


def _mixture_us(run: RunSummary, methods: dict[str, float]) -> float | None:
    """CPU time of a call of a play's mixture; None where that of one of its methods is not known."""
    calls = {row.method: row.answered for row in run.methods if row.answered}
    if not calls or not calls.keys() <= methods.keys():
        return None
    return sum(methods[name] * count for name, count in calls.items()) / sum(calls.values())


def _is_base(run: RunSummary) -> bool:
    """Whether the CPU time of a call in a play can be reckoned with: warm, steady, and the target at work."""
    steady = run.mode != Mode.ONCE.value and run.ramp_s is not None
    quiet = run.compiler_share is not None and run.compiler_share < QUIET
    return steady and quiet and (run.target_cpu_share or 0.0) >= _AT_WORK and bool(run.computed_limit)


def cause_of(run: RunSummary) -> Cause | None:
    """What kept a play from the computed limit: what used most of the other time of the cores, or made them idle.

    Args:
        run: whose `core_time` and `waits` are looked at.
    """
    others = {name: share for name, share in run.core_time.items() if name != CALLS}
    if not others:
        return None
    name = max(others, key=lambda each: others[each])
    if name != IDLE:
        return Cause(name, others[name], f"it used {others[name]:.0%} of the time of these cores")
    player = run.player_cpu_share or 0.0
    if player >= _FULL:
        return Cause(PLAYER, player, f"it used {player:.0%} of a core of its own")
    wait = max(run.waits, key=lambda each: run.waits[each], default="")
    if wait and run.waits[wait] >= _MATTERS:
        return Cause(wait, run.waits[wait], _WAITS[wait].format(run.waits[wait]))
    return Cause("unknown", others[IDLE], f"the cores were idle for {others[IDLE]:.0%} of their time")


def limit_text(limit: ComputedLimit | None, cores: int | None = None, *, sustained: bool = True) -> str:
    """The computed limit in words, with its base, the share that was reached, and the cause below `REACHED`.

    Args:
        limit: None where there is no base for it, which is stated of a load that was kept up.
        cores: of another machine, for which it is scaled; None for none.
        sustained: whether loads were kept up.
    """
    if limit is None and sustained:
        known = "not known: no play was steady with a quiet JIT compiler and the target at work"
        return f"What the cores would allow is {known}."
    if limit is None:
        why = "no limit is computed for a ResourceManager, nor for clients that are played once"
        return f"What {cores} cores would allow is not known: {why}." * (cores is not None)
    dearest = sorted(limit.methods.items(), key=lambda each: -each[1])[:_DEAREST]
    methods = f"; most for {', '.join(f'{name} ({us:,.0f})' for name, us in dearest)}" if dearest else ""
    text = (
        f"Computed limit: {limit.cores} cores with nothing else on them would answer {limit.calls_per_s:,.0f} calls/s "
        f"of this mixture, at the {limit.cpu_us:,.0f} µs of CPU of a call without JIT compiler and garbage collector"
        f"{methods}, as measured at {limit.base}; the load that was kept is {limit.reached:.0%} of that."
    )
    if limit.cause is not None:
        text += f" What kept it from more: {limit.cause.name} ({limit.cause.text})."
    if cores is not None:
        bound = limit.calls_per_s * cores / limit.cores
        text += f" Upper bound on {cores} cores: {bound:,.0f} calls/s, as if no lock, disk or network were in the way."
    return text
