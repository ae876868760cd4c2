"""A knee in words: what broke, who was the limit, and what keeps an answer from being read for more than it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.base.summary import counted
from froude.emulation.run.run import TARGET
from froude.emulation.run.summary import RunSummary
from froude.emulation.run.verdict import measured_text
from froude.hadoop.release.jvm import slowing_flags
from froude.hadoop.rpc.target import daemon_name

_LIMITED = {
    "player": "the player was the limit, not the {}",
    "target": "the {} was the limit",
    "machine": "the machine was busy with other work",
    "neither": "neither {} nor player was busy",
    "unknown": "how busy the {} was is not known",
}
_LEAST_FACTOR = 4.0
"""How much more must have been raised before one can say that the calls in a second did not follow."""
_HARDLY = 2.0


def median_rate(runs: Sequence[RunSummary]) -> float:
    """Answered calls in a second, the median of plays of one load.

    Args:
        runs: one at least.
    """
    rates = sorted(run.calls_per_s for run in runs)
    return rates[len(rates) // 2]


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


def growth_text(raised: Sequence[str], factor: float, first: float, last: float, *, faster: bool) -> str:
    """That the calls in a second grew much less than what was raised; empty where they followed.

    Such plays are more heartbeats, or longer, and not more work in a second.

    Args:
        factor: how many times it was, from the smallest load that was kept to the largest.
        first: calls in a second at the smallest.
        last: the same at the largest.
        faster: whether the pace of the recording was raised itself, so that nothing is left to propose.
    """
    if factor < _LEAST_FACTOR or last >= first * factor / 2:
        return ""
    grew = "hardly grew" if last < _HARDLY * first else "grew much less than what was raised"
    remedy = "" if faster else "; `--raise speed` makes the same clients faster"
    return (
        f"The load {grew}: {first:,.0f} to {last:,.0f} calls/s while {' and '.join(raised)} grew "
        f"{factor:,.0f} times. These plays measure more heartbeats, or longer plays, rather than more load{remedy}."
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
