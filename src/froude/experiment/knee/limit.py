"""What the cores of a target would allow, next to the load that it kept, and what kept it from more. Pure.

At low load a call takes more CPU time, for what is awake then does little; and while the JVM compiles, much of a second
is its compiler's. So the limit is computed from the play with the least CPU time of a call, of those that were measured
warm with the target at work. For a ResourceManager the same is computed of a container, and of each of its threads that
has to do all of some work alone, which has one core however many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from froude.emulation.run.core_time import ALLOCATOR, CALLS, IDLE, LOCK, PLAYER, QUEUE, SCHEDULER, SYNC
from froude.emulation.run.summary import RunSummary
from froude.emulation.settings import Mode
from froude.emulation.steadiness import QUIET
from froude.experiment.knee.words import rate_of, rate_text

REACHED = 0.6
"""Share of the computed limit from which nothing is looked for that keeps a load from more."""
_AT_WORK = 0.4
"""Share of a core that a target uses from which the CPU time of a call is not mostly that of being awake."""
FULL = 0.85
"""Share of its own core from which a player, or a thread, has none left."""
_MATTERS = 0.1
"""Share of its time from which a wait explains cores that are idle."""
_DEAREST = 3
_HEARTBEATS = {"nodeHeartbeat", "allocate"}
"""What NodeManagers and application masters call without end, which is shown of a container however little it takes."""
_WAITS = {
    LOCK: "handlers waited for it for {:.0%} of their time",
    QUEUE: "calls waited for a handler for {:.0%} of their time there",
    SYNC: "it was under way for {:.0%} of the time",
    SCHEDULER: "it worked on heartbeats of nodes, or waited for its lock, for {:.0%} of the time",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """What kept a load from more."""

    name: str
    """`lock`, `queue`, `edit log sync`, `collector`, `compiler`, `player`, `other work`; of a ResourceManager also
    `scheduler` and `event dispatcher`; `unknown` for idle cores."""
    share: float
    """Of the time that `text` names."""
    text: str


@dataclass(frozen=True, slots=True)
class ComputedLimit:
    """What the cores of a target would allow in a second, with nothing else on them: calls, or containers."""

    calls_per_s: float | None
    """Of a NameNode; null for a ResourceManager."""
    cores: int
    cpu_us: float
    """CPU time of a call of the mixture that was kept, or of a container, without compiler and collector, µs."""
    methods: dict[str, float]
    """The same by method, of a container also by single threads; empty where it is not known."""
    base: str
    """The play that it is computed from, in words."""
    reached: float
    """Share of it that the kept load is."""
    cause: Cause | None
    """What kept it from more; None from `REACHED` on, and where the time of the cores was not seen."""
    containers_per_s: float | None = None
    thread: str = ""
    """The single thread of a ResourceManager that allows the fewest containers; empty where they were not seen."""
    thread_per_s: float | None = None
    """How many it allows in a second, with a core to itself."""


def computed_limit(kept: Sequence[RunSummary], runs: Sequence[RunSummary]) -> ComputedLimit | None:
    """The limit by the mixture of the load that was kept; None without a base."""
    bases = [run for run in runs if _is_base(run)]
    if not kept or not bases:
        return None
    base = max(bases, key=_limit_of)
    median = sorted(kept, key=rate_of)[len(kept) // 2]
    methods = {row.method: row.cpu_us for row in base.methods if row.cpu_us is not None}
    cpu_us = _mixture_us(median, methods) or base.target_cpu_us or 0.0
    granted = base.containers_per_s
    if granted:
        cpu_us, methods = base.target_cores / _limit_of(base) * 1e6, _of_container(base, granted, methods)
    limit = base.target_cores / cpu_us * 1e6
    # the one that goes round all nodes does so whether or not a container is asked for
    allowed = {name: rate_of(base) / share for name, share in base.thread_time.items() if name != ALLOCATOR}
    thread = min(allowed, key=lambda name: allowed[name], default="")
    reached = rate_of(median) / min(limit, allowed.get(thread, limit))
    load = ", ".join(f"{name}={value}" for name, value in base.scale.items())
    return ComputedLimit(
        None if granted else limit,
        base.target_cores,
        cpu_us,
        methods,
        f"{rate_text([base])} ({load})",
        reached,
        None if reached >= REACHED else cause_of(median),
        limit if granted else None,
        thread,
        allowed.get(thread),
    )


def _limit_of(run: RunSummary) -> float:
    """The computed limit by a play alone, in what its load is counted in."""
    return (run.computed_limit or 0.0) * rate_of(run) / run.calls_per_s if run.calls_per_s else 0.0


def _of_container(run: RunSummary, granted: float, methods: dict[str, float]) -> dict[str, float]:
    """CPU time of a container by method, of its handlers, and by single threads, microseconds.

    Args:
        granted: containers in a second.
    """
    calls = {
        row.method: row.answered / run.steady_s / granted for row in run.methods if row.method in methods
    }
    threads = {name: 1e6 * share / granted for name, share in run.thread_time.items()}
    return threads | {name: methods[name] * count for name, count in calls.items()}


def _mixture_us(run: RunSummary, methods: dict[str, float]) -> float | None:
    """CPU time of a call of a play's mixture; None where that of one of its methods is not known."""
    calls = {row.method: row.answered for row in run.methods if row.answered}
    if not calls or not calls.keys() <= methods.keys():
        return None
    return sum(methods[name] * count for name, count in calls.items()) / sum(calls.values())


def _is_base(run: RunSummary) -> bool:
    """Whether the CPU time of a call in a play can be reckoned with: warm, steady, and the target at work."""
    steady = run.mode != Mode.ONCE.value and run.ramp_s is not None and run.containers_per_s != 0
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
    single = max(run.thread_time, key=lambda each: run.thread_time[each], default="")
    if single and run.thread_time[single] >= FULL:
        share = run.thread_time[single]
        return Cause(single, share, f"it is one thread, which used {share:.0%} of a core")
    name = max(others, key=lambda each: others[each])
    if name != IDLE:
        return Cause(name, others[name], f"it used {others[name]:.0%} of the time of these cores")
    player = run.player_cpu_share or 0.0
    if player >= FULL:
        return Cause(PLAYER, player, f"it used {player:.0%} of a core of its own")
    wait = max(run.waits, key=lambda each: run.waits[each], default="")
    if wait and run.waits[wait] >= _MATTERS:
        return Cause(wait, run.waits[wait], _WAITS[wait].format(run.waits[wait]))
    return Cause("unknown", others[IDLE], f"the cores were idle for {others[IDLE]:.0%} of their time")


def limit_text(limit: ComputedLimit | None, cores: int | None = None, *, obstacle: str = "") -> str:
    """The computed limit in words, with its base, the share that was reached, and the cause below `REACHED`.

    Args:
        limit: None where there is no base for it.
        cores: of another machine, for which it is scaled; None for none.
        obstacle: why none is computed of such loads, which is stated where `cores` asks for one; empty where one is.
    """
    if limit is None and not obstacle:
        known = "not known: no play was steady with a quiet JIT compiler and the target at work"
        return f"What the cores would allow is {known}; a longer `--warm-up` gives the compiler more time."
    if limit is None:
        return f"What {cores} cores would allow is not known: {obstacle}." * (cores is not None)
    rate, unit = limit.containers_per_s or limit.calls_per_s or 0.0, "calls/s"
    what, one = f"answer {rate:,.0f} calls/s of this mixture", "call"
    if limit.containers_per_s is not None:
        unit, what, one = "containers/s", f"grant {rate:,.0f} containers/s of this load", "container"
    ordered = sorted(limit.methods.items(), key=lambda each: -each[1])
    dearest = [each for at, each in enumerate(ordered) if at < _DEAREST or each[0] in _HEARTBEATS]
    methods = f"; most for {', '.join(f'{name} ({us:,.0f})' for name, us in dearest)}" if dearest else ""
    text = (
        f"Computed limit: {limit.cores} cores with nothing else on them would {what}, at the {limit.cpu_us:,.0f} µs of "
        f"CPU of a {one} without JIT compiler and garbage collector{methods}, as measured at {limit.base}"
    )
    single = rate if limit.thread_per_s is None else limit.thread_per_s
    if single < rate:
        text += f", but its {limit.thread}, which is one thread, {single:,.0f} {unit}"
    text += f"; the load that was kept is {limit.reached:.0%} of that."
    if limit.cause is not None:
        text += f" What kept it from more: {limit.cause.name} ({limit.cause.text})."
    if cores is not None:
        bound = rate * cores / limit.cores
        why = "as if no lock, disk or network were in the way"
        if limit.thread_per_s is not None and limit.thread_per_s < bound:
            bound, why = limit.thread_per_s, f"since its {limit.thread} is one thread, which uses one core"
        text += f" Upper bound on {cores} cores: {bound:,.0f} {unit}, {why}."
    return text
