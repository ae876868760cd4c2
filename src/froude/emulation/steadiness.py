"""When a sustained load is steady: the target's compiler is quiet, and the calls in a second have settled. Pure.

A JVM that was started a moment ago interprets its code and compiles what runs often: handlers take three times as long
then, and half of its CPU time is the compiler's. What is measured meanwhile is the compiler.

Source: K. P. White, "An Effective Truncation Heuristic for Bias Reduction in Simulation Output" (1997), for MSER; the
share of compilers is ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from froude.emulation.run.bottleneck import CPU, PREFIX, Measured
from froude.hadoop.metrics.threads import COMPILER

WINDOW_S = 10.0
"""Over which the compiler is looked at, and the least time of a load before it can count as steady."""
QUIET = 0.05
"""Share of the target's CPU time below which its compiler is quiet."""
_HARDLY = 0.02
"""Standard error of the mean, as a share of it, below which it does not matter where a series is cut."""
_BATCH = 2
"""Intervals whose mean is one value: calls in neighbouring seconds depend on each other."""


def settled(rates: Sequence[float]) -> bool:
    """Whether a series has left its beginning behind: MSER would cut off less than its first half, or it hardly moves.

    Args:
        rates: calls in each second, since all daemons of the load have begun.
    """
    if len(rates) < WINDOW_S:
        return False
    means = [sum(rates[at : at + _BATCH]) / _BATCH for at in range(0, len(rates) - _BATCH + 1, _BATCH)]
    half = len(means) // 2
    if _error(means) <= (_HARDLY * sum(means) / len(means)) ** 2:
        return True
    return min(range(half + 1), key=lambda cut: _error(means[cut:])) < half


def _error(values: Sequence[float]) -> float:
    """The squared standard error of a mean, as MSER has it."""
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / len(values) ** 2


def compiler_share(metrics: Sequence[Measured], *, last_s: float | None = None) -> float | None:
    """The share of CPU time that the JIT compiler of a target used; of several targets the largest.

    Args:
        last_s: as of `thread_share`.
    """
    shares = (thread_share(metrics, last_s=last_s, prefix=prefix) for prefix in ("", *PREFIX.values()))
    return max((share for share in shares if share is not None), default=None)


def thread_share(
    metrics: Sequence[Measured], threads: str = COMPILER, *, last_s: float | None = None, prefix: str = ""
) -> float | None:
    """The share of a target's CPU time that some of its threads used; None where that was not sampled over any time.

    Args:
        threads: `COMPILER` or `COLLECTOR`.
        last_s: over how many seconds before the last sample; None for all.
        prefix: how the names of the target's numbers begin.
    """
    names = prefix + CPU, prefix + threads
    seen = [each for each in metrics if all(name in each.values for name in names)]
    if last_s is not None and seen:
        seen = [each for each in seen if each.time_s >= seen[-1].time_s - last_s]
    if len(seen) < 2:
        return None
    used, theirs = (seen[-1].values[name] - seen[0].values[name] for name in names)
    return min(1.0, max(0.0, theirs / used)) if used > 0 else 0.0


def is_steady(rates: Sequence[float], metrics: Sequence[Measured]) -> bool:
    """Whether a load may be measured from now on.

    Args:
        rates: as of `settled`.
        metrics: the target over time; where nothing was seen of its compiler, the load alone decides.
    """
    share = compiler_share(metrics, last_s=WINDOW_S)
    return (share is None or share < QUIET) and settled(rates)
