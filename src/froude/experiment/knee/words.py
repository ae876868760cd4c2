"""A knee in words: what broke, who was the limit, and what keeps an answer from being read for more than it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.base.summary import counted
from froude.base.units import seconds_text
from froude.emulation.run.run import TARGET
from froude.emulation.run.summary import RunSummary
from froude.emulation.run.verdict import measured_text
from froude.emulation.settings import Mode
from froude.emulation.steadiness import QUIET
from froude.experiment.knee.pinning import PINNED
from froude.hadoop.release.jvm import slowing_flags
from froude.hadoop.rpc.target import daemon_name

_LIMITED = {
    "player": "the player was the limit, not the {}",
    "target": "the {} was the limit",
    "machine": "the machine was busy with other work",
    "neither": "neither {} nor player was busy",
    "unknown": "how busy the {} was is not known",
}
OTHERS = 0.3
"""Cores that other work uses from which a machine is not ours alone."""
_ROOM = 0.95
"""Share of the NodeManagers' memory from which a container may have to wait for the end of another one."""


def rate_of(run: RunSummary) -> float:
    """What a load is in a second: containers that were granted, or, where none were asked for, answered calls."""
    return run.calls_per_s if run.containers_per_s is None else run.containers_per_s


def unit_of(run: RunSummary) -> str:
    """What `rate_of` counts."""
    return "calls/s" if run.containers_per_s is None else "containers/s"


def slowest_of(run: RunSummary) -> tuple[str, float | None]:
    """What a curve is read by, in words, and its 99th percentile, milliseconds; None where nothing was measured."""
    if run.containers_per_s is None:
        return "p99", run.p99_ms
    return "p99 of allocation", run.allocation_p99_ms


def median_rate(runs: Sequence[RunSummary]) -> float:
    """Answered calls, or containers, in a second, the median of plays of one load.

    Args:
        runs: one at least.
    """
    rates = sorted(map(rate_of, runs))
    return rates[len(rates) // 2]


def rate_text(runs: Sequence[RunSummary]) -> str:
    """The same with its unit."""
    return f"{median_rate(runs):,.0f} {unit_of(runs[-1])}"


def broke(run: RunSummary) -> bool:
    """Whether a play failed, or did not keep a limit."""
    return run.failure is not None or any(not result.held for result in run.limits)


def broken_text(runs: Sequence[RunSummary]) -> str:
    """What broke at a load, in how many of its plays, and who was the limit then.

    Args:
        runs: the plays of that load, in the order in which they were played.
    """
    broken = [run for run in runs if broke(run)]
    if not broken:
        return "a limit broke"
    last, times = broken[-1], f"in {len(broken)} of {counted(len(runs), 'play')}"
    if last.failure is not None:
        return f"the {last.environment.get(TARGET, 'NameNode')} failed {times} ({last.failure})"
    results = [result for result in last.limits if not result.held]
    what = " and ".join(
        f"{result.limit} broke ({measured_text(result.value, result.unit)})"
        if result.value is not None
        else f"nothing was measured for {result.limit}"
        for result in results
    )
    one = last.bottleneck_daemon
    who = daemon_name(one) if one else last.environment.get(TARGET, "NameNode")
    return f"{what} {times}, and {_LIMITED[last.bottleneck].format(who)}"


def masked_text(run: RunSummary, others: float) -> str:
    """Who hid the target, and the way out.

    Args:
        others: cores that other work used right before or after the play.
    """
    if run.bottleneck == "player":
        return "the player was the limit; let more processes play (`--players`), or search on a machine with more cores"
    if run.bottleneck != "machine" and others < OTHERS:
        return "nothing was measured; play for longer (`--measure`)"
    cores = f"{others:.1f} of this machine's cores" if others >= OTHERS else "this machine"
    return f"other work used {cores}; stop that work, or search on another machine"


def play_text(run: RunSummary, outcome: str, others: float = 0.0) -> str:
    """One play in a line: its rate, p99, who was the limit, and the way out where that was the machine.

    Args:
        others: cores that other work used right before or after the play.
    """
    name, p99_ms = slowest_of(run)
    nothing = "no call answered" if run.containers_per_s is None else "no container granted"
    p99 = nothing if p99_ms is None else f"{name} {seconds_text(p99_ms / 1e3)}"
    broken = "".join(f" ({result.limit})" for result in run.limits if not result.held)
    machine = others >= OTHERS or run.bottleneck == "machine"
    way_out = f" ({masked_text(run, others)})" if machine and run.bottleneck != "player" else ""
    return f"{rate_text([run])}, {p99}, {outcome}{broken}, limited by {run.bottleneck}{way_out}"


def bounds_text(bounds: Mapping[str, tuple[RunSummary, str]]) -> str:
    """Up to which rate p99 stayed below some bounds; empty where it stayed below none.

    Args:
        bounds: a play and its load, by bound.
    """
    at: dict[str, list[str]] = {}
    for bound, (run, load) in bounds.items():
        at.setdefault(f"{rate_text([run])} ({load})", []).append(bound)
    parts = [f"below {_listed(below)} up to {where}" for where, below in at.items()]
    names = {slowest_of(run)[0] for run, _ in bounds.values()}
    return f"Of the loads that were played, {names.pop()} stayed {', '.join(parts)}." if parts else ""


def scheduling_text(kept: Sequence[RunSummary]) -> str:
    """What a ResourceManager had to do at a load, and its scheduler's own figures; empty where none was called.

    Args:
        kept: the plays of the largest load that was kept.
    """
    if not kept or kept[-1].node_heartbeats_per_s is None:
        return ""
    run = kept[-1]
    counts = (
        ("applications ran", run.applications_running, ",.0f"),
        ("applications/s began", run.applications_per_s, ",.1f"),
    )
    took = (("a placement", run.scheduler_allocate_ms), ("a heartbeat", run.scheduler_node_update_ms))
    waited = (("of its events", run.scheduler_events_max), ("containers", run.containers_pending_max))
    figures = [
        f"{run.node_heartbeats_per_s:,.0f} node heartbeats/s came",
        *(f"{number:{form}} {what}" for what, number, form in counts if number is not None),
        *(f"{what} took the scheduler {seconds_text(ms / 1e3)}" for what, ms in took if ms is not None),
        *(f"at most {number:,.0f} {what} waited" for what, number in waited if number is not None),
    ]
    return f"At the load that was kept, {_listed(figures)}."


def full_text(broke: Sequence[RunSummary]) -> str:
    """That containers waited for each other at the load that was not kept; empty where NodeManagers had room.

    Args:
        broke: the plays of the smallest load that was not kept.
    """
    share = max((run.memory_allocated_share or 0.0 for run in broke), default=0.0)
    if share < _ROOM:
        return ""
    return (
        f"Where limits broke, {share:.0%} of the NodeManagers' memory was allocated: containers waited for those before "
        "them to end, not for the ResourceManager. Give NodeManagers more memory, or search with more of them (`--at`)."
    )


def _listed(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def once_text(reason: str) -> str:
    """That clients are played once at each load, and why; empty where further ones keep the load up.

    Args:
        reason: why they do not, with the way out; empty where they do.
    """
    if not reason:
        return ""
    return f"Clients are played once at each load, on a target started for each play: {reason}."


def others_first_text(others: float, cores: int) -> str:
    """That other work is on the machine before the first play; empty where it is not."""
    if others < OTHERS:
        return ""
    return (
        f"Other work uses {others:.1f} of {cores} cores: where a limit breaks, the answer will be "
        "'at least' or 'not known'; stop that work, or search on another machine."
    )


def others_text(others: Sequence[float]) -> str:
    """That other work was on the machine; empty where it was not.

    Args:
        others: cores that it used, of each play.
    """
    if not others or max(others) < OTHERS:
        return ""
    when = "between the plays" if len(others) > 1 else "before or after the play"
    return (
        f"Other work used up to {max(others):.1f} of this machine's cores {when}: stop it, or search on another "
        "machine, to see further."
    )


def compiling_text(runs: Sequence[RunSummary]) -> str:
    """That a load was measured while the target's JVM still compiled; empty where it did not, or was not seen.

    Args:
        runs: the plays of the largest load that was kept, or of the smallest where none was.
    """
    share = max((run.compiler_share or 0.0 for run in runs if run.mode != Mode.ONCE.value), default=0.0)
    if share < QUIET:
        return ""
    most = (
        "" if all(run.collector_share is not None for run in runs) else "up to "
    )  # by how long it ran, not its CPU
    return (
        f"The JVM was still compiling there: {most}{share:.0%} of the target's CPU time was its compiler's."
    )


def quick_start_text(environment: Mapping[str, str]) -> str:
    """That the target's JVM had flags for a quick start, which slow it down at full load; empty where it had none.

    Args:
        environment: what was measured on, with the JVM's flags.
    """
    flags = slowing_flags(
        " ".join(text for name, text in environment.items() if name.startswith("JVM flags"))
    )
    if not flags:
        return ""
    return (
        f"This {environment.get(TARGET, 'NameNode')}'s JVM had flags for a quick start ({' '.join(flags)}): it never "
        "reaches the full speed of one in production."
    )


def placed_text(environment: Mapping[str, str]) -> str:
    """Where target and player were, and with which processors and collector the target's JVM ran."""
    flags = environment.get("JVM flags", "").split()
    ours = [flag for flag in flags if flag.startswith("-XX:ActiveProcessorCount=") or flag.endswith("GC")]
    return f"Pinned apart: {environment.get(PINNED, 'not known')}. Target: {' '.join(ours) or 'not known'}."
