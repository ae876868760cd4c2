"""When calls are made, and how long their answers take (PatternMiner III.B.4); `starts` says when nodes begin.

Durations are fitted against the Scale: a line where they grow with it, else a median; and their distribution about
that. The paper fits lines by least squares. Recorded times have long tails, and few of them are there: so the line is
that of Theil and Sen, through the median of all slopes, and only where the rank correlation of Kendall says that there
is one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from froude.base.units import Quantity
from froude.mining.shape.structure import Occurrence
from froude.workload.scale import Count
from froude.workload.timing import LEVELS
from froude.workload.types import Timing

Seconds = Sequence[tuple[int, float]]
"""Run and duration, one a call."""
BELIEVED = 4
"""Up to this multiple of the largest recorded size a growth is believed: beyond it the duration stays as it is there."""
_CHANCE = 0.001
"""How likely a growth may be to have come about by chance: that of hundreds of calls is looked at."""
_RISES = 2.0
"""Median deviations from the line that durations must have grown by, between the smallest and the largest size: that is
the interquartile range within a size."""
_RISES_BY, _RISES_BY_S = 0.25, 0.001
"""Share of the smallest size's duration, and seconds, that they must have grown by, too: less is no concern."""
_SIZES_NEEDED = 3
"""Different sizes of a variable: a line goes through any two."""
_MOST = 64
"""Durations of one run that are looked at, evenly out of all in order: the slopes are those of all pairs."""
_FEWEST = {7: 14, 5: 10}
"""Durations that as many quantiles need: those of one client in each of three runs bear out no distribution."""
_SAME = 1e-6
"""Quantiles nearer to each other are none."""


def timings(
    occurrences: Iterable[Occurrence],
    scales: Sequence[Mapping[str, Quantity]],
    until_s: Mapping[int, float] | None = None,
) -> dict[str, Timing]:
    """Think and service time by template: from a sender's previous answer to a call, and from that to its answer.

    Args:
        occurrences: the steps of all nodes and runs.
        until_s: when calls that waited for other nodes could go on, by identity of the occurrence.
    """
    by_sender: dict[int, list[Occurrence]] = defaultdict(list)
    service: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for occurrence in occurrences:
        by_sender[id(occurrence.sender)].append(occurrence)
        call = occurrence.call
        if call.event.answered:
            service[occurrence.template].append((occurrence.run, call.event.end_s - call.start_s))
    think: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for listed in by_sender.values():
        listed.sort(key=lambda occurrence: occurrence.call.order)
        for before, after in pairwise(listed):
            free_s = max(before.call.event.end_s, (until_s or {}).get(id(after), 0.0))
            pause_s = max(0.0, after.call.start_s - free_s)
            think[after.template].append((after.run, pause_s))
    return {
        template: _timing(think[template], service[template], scales) for template in {**think, **service}
    }


def _timing(think: Seconds, service: Seconds, scales: Sequence[Mapping[str, Quantity]]) -> Timing:
    pause = fit_durations(think, scales) if think else Durations(Count(), ())
    if not service:
        return Timing(*pause)
    return Timing(*pause, *fit_durations(service, scales))


class Durations(NamedTuple):
    """What was found."""

    middle: Count
    """Their median, seconds."""
    quantiles_s: tuple[float, ...]
    """Of the distribution, as at the largest recorded size (`workload.timing.LEVELS`)."""


def fit_durations(seconds: Seconds, scales: Sequence[Mapping[str, Quantity]]) -> Durations:
    """Durations as a function of the Scale.

    Args:
        seconds: of every call, at least one.

    Source:
        Theil (1950), Sen (1968); Kendall (1938).
    """
    seconds = _thinned(seconds)
    line = _line(seconds, scales)
    if line is None:
        middle_s = round(median(duration for _, duration in seconds), 6)
        return Durations(Count(middle_s), _quantiles([s for _, s in seconds], middle_s))
    largest = max(scales, key=line.at)
    top_s = line.at(largest)
    moved = [duration * top_s / line.at(scales[run]) for run, duration in seconds]
    return Durations(line, _quantiles(moved, round(top_s, 6)))


def _thinned(seconds: Seconds) -> Seconds:
    by_run: dict[int, list[float]] = defaultdict(list)
    for run, duration in seconds:
        by_run[run].append(duration)
    return [(run, duration) for run, listed in sorted(by_run.items()) for duration in _evenly(listed)]


def _evenly(durations: Sequence[float]) -> Sequence[float]:
    if len(durations) <= _MOST:
        return durations
    shares = (np.arange(_MOST) + 0.5) / _MOST
    return [float(each) for each in np.quantile(durations, shares)]


def _quantiles(durations: Sequence[float], middle_s: float) -> tuple[float, ...]:
    """As many as the durations bear out, the median exactly; none where all are alike."""
    number = next((number for number, fewest in _FEWEST.items() if len(durations) >= fewest), 0)
    if not number:
        return ()
    low, high = LEVELS[number][: number // 2], LEVELS[number][number // 2 + 1 :]
    below = [min(middle_s, max(0.0, float(each))) for each in np.quantile(durations, low)]
    above = [max(middle_s, float(each)) for each in np.quantile(durations, high)]
    quantiles_s = (
        *(min(middle_s, _digits(each)) for each in below),
        middle_s,
        *(max(middle_s, _digits(each)) for each in above),
    )
    return () if quantiles_s[-1] - quantiles_s[0] <= _SAME else quantiles_s


def _digits(seconds: float) -> float:
    """Three digits, down to a microsecond: what so few durations say no better."""
    return float(f"{round(seconds, 6):.3g}")


def _line(seconds: Seconds, scales: Sequence[Mapping[str, Quantity]]) -> Count | None:
    """The line over the variable by which durations grow; None where they do not, or may by chance."""
    runs = sorted({run for run, _ in seconds})
    durations = np.array([duration for _, duration in seconds])
    options: list[tuple[float, str, Count]] = []
    for name in sorted(set.intersection(*(set(scales[run]) for run in runs))):
        sizes = np.array([scales[run][name].value for run, _ in seconds])
        if len(set(sizes)) < _SIZES_NEEDED:
            continue
        from scipy.stats import kendalltau, theilslopes  # slow to load, and only needed here

        tau, chance = kendalltau(sizes, durations)
        if not (tau > 0 and chance < _CHANCE):
            continue
        slope = float(theilslopes(durations, sizes).slope)
        start_s = float(np.median(durations - slope * sizes))
        off_s = float(np.median(np.abs(durations - slope * sizes - start_s)))
        low, high = float(sizes.min()), float(sizes.max())
        low_s, rise_s = start_s + slope * low, slope * (high - low)
        if low_s > 0 and rise_s > max(_RISES * off_s, _RISES_BY * low_s, _RISES_BY_S):
            cap_s = start_s + slope * BELIEVED * high
            options.append((off_s, name, Count(round(start_s, 6), {name: slope}, round(cap_s, 6))))
    return min(options)[2] if options else None
