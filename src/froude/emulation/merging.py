"""The figures of several players as those of one: what each counted adds up.

Counts and histograms add up exactly, and a second's percentiles are those of all its latencies, which each player keeps
for that (`Tally.samples`). While a play runs, its status has the percentiles of the player with the largest instead.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import repeat
from statistics import fmean

from froude.emulation.engine import PlayOutcome, Status
from froude.emulation.run.bottleneck import Load, busiest_half
from froude.emulation.run.tally import IntervalRow, Served, Tally, summary_ms

_LATE_S = 0.25
"""A player closes its seconds at most this late, as a rule."""
_NEAR_S = 0.5
"""Players look at their loads about once a second, each at times of its own."""


def merged_outcome(outcomes: Sequence[PlayOutcome]) -> PlayOutcome:
    """The outcome of a play that several players played.

    Args:
        outcomes: of each, at least one; the first player's comes first.
    """
    first, tally = outcomes[0], Tally()
    for each in outcomes:
        tally.merge(each.tally)
    steady = [each.tally.steady_from_s for each in outcomes]
    tally.rows = _seconds(
        (row, latencies)
        for each in outcomes
        for row, latencies in zip(each.tally.rows, each.tally.samples or repeat(()), strict=False)
    )
    tally.steady_from_s = None if None in steady else max(filter(None, steady), default=0.0)
    failed = sorted((each for each in outcomes if each.failure is not None), key=lambda each: each.elapsed_s)
    cores = {each.machine: each.cores for each in outcomes}
    there = Counter(each.machine for each in outcomes)
    weights = [each.cores / there[each.machine] / sum(cores.values()) for each in outcomes]
    return PlayOutcome(
        tally,
        first.begun_at_s,
        max(each.elapsed_s for each in outcomes),
        sum(each.cpu_s for each in outcomes),
        _merged_loads([each.load for each in outcomes], weights),
        failed[0].failure if failed else None,
        any(each.interrupted for each in outcomes),
        first.begun_s,
        list(dict.fromkeys(remark for each in outcomes for remark in each.remarks)),
        sum(cores.values()),
        len(outcomes),
    )


def merged_load(loads: Sequence[Load], weights: Sequence[float] = ()) -> Load:
    """The players at one moment.

    Args:
        loads: of each, at least one.
        weights: of each, its part of the cores of all machines; by default all are on one machine.
    """
    seen = [
        (each.machine_share, weight)
        for each, weight in zip(loads, weights or repeat(1.0), strict=False)
        if each.machine_share is not None
    ]
    return loads[0]._replace(
        cpu_share=sum(each.cpu_share for each in loads),
        rss_bytes=sum(each.rss_bytes for each in loads),
        nodes=sum(each.nodes for each in loads),
        in_flight=sum(each.in_flight for each in loads),
        machine_share=fmean(*zip(*seen, strict=True)) if seen else None,
        busiest_share=max(each.cpu_share for each in loads) if len(loads) > 1 else None,
    )


def _merged_loads(series: Sequence[Sequence[Load]], weights: Sequence[float]) -> list[Load]:
    """The load of all players at each time of the first one's; the busiest is one player, that of the busiest half."""
    times = [[each.time_s for each in loads] for loads in series]
    halves = [busiest_half([each.cpu_share for each in loads]) or 0.0 for loads in series]
    busiest = halves.index(max(halves))
    merged = []
    for load in series[0]:
        places = [bisect_right(each, load.time_s + _NEAR_S) - 1 for each in times[1:]]
        seen = {0: load}
        seen |= {player: series[player][place] for player, place in enumerate(places, 1) if place >= 0}
        one = merged_load(list(seen.values()), [weights[player] for player in seen])
        if len(series) > 1:
            one = one._replace(busiest_share=seen[busiest].cpu_share if busiest in seen else 0.0)
        merged.append(one)
    return merged


def merged_status(statuses: Sequence[Status]) -> Status:
    """What goes on in all players; each may have reported up to a second ago.

    Args:
        statuses: of each, at least one; the first player's comes first.
    """
    if len(statuses) == 1:
        return statuses[0]
    counts: dict[str, tuple[int, int]] = {}
    errors: Counter[tuple[str, str]] = Counter()
    served: dict[str, Served] = {}
    failed: Counter[str] = Counter()
    for status in statuses:
        failed.update(status.failed)
        errors.update(status.errors_by_kind)
        for method, (sent, answered) in status.counts.items():
            before = counts.get(method, (0, 0))
            counts[method] = (before[0] + sent, before[1] + answered)
        for method, theirs in status.served.items():
            served[method] = served.get(method, Served()) + theirs
    slowest = max(statuses, key=lambda status: status.p99_ms)
    # Each player's last second is one row a method, though some are a second ahead of the others.
    last_s = max((row.time_s for status in statuses for row in status.rows), default=0.0)
    rows = [row._replace(time_s=last_s) for status in statuses for row in status.rows]
    overall = [status.overall for status in statuses if status.overall is not None]
    return Status(
        merged_load([status.load for status in statuses]),
        any(status.ramping for status in statuses),
        sum(status.calls_per_s for status in statuses),
        slowest.p99_ms,
        slowest.slowest,
        sum(status.errors for status in statuses),
        counts,
        errors,
        _seconds((row, ()) for row in rows),
        max((status.lateness for status in statuses), key=lambda each: max(each.values(), default=0.0)),
        served,
        failed,
        next(iter(_seconds((row._replace(time_s=last_s), ()) for row in overall)), None),
    )


def _seconds(rows: Iterable[tuple[IntervalRow, Sequence[float]]]) -> list[IntervalRow]:
    """The time series of all players: one row a method and second, in order of time.

    Args:
        rows: of each player, with their latencies where these are known.
    """
    seconds: dict[tuple[int, str], list[tuple[IntervalRow, Sequence[float]]]] = {}
    for row, latencies in rows:
        second = math.ceil(row.time_s - _LATE_S)
        seconds.setdefault((second, row.method), []).append((row, latencies))
    ends: dict[int, float] = {}
    for (second, _), parts in seconds.items():
        ends[second] = max(ends.get(second, 0.0), *(row.time_s for row, _ in parts))
    return sorted(_second(ends[second], method, parts) for (second, method), parts in seconds.items())


def _second(time_s: float, method: str, parts: Sequence[tuple[IntervalRow, Sequence[float]]]) -> IntervalRow:
    """One method in one second, whose calls several players made."""
    rows = [row for row, _ in parts]
    quantiles_ms = summary_ms([latency for _, latencies in parts for latency in latencies])
    if not any(quantiles_ms):
        slowest = max(rows, key=lambda row: row.p99_ms)
        quantiles_ms = (slowest.p50_ms, slowest.p90_ms, slowest.p99_ms, slowest.max_ms)
    sent, answered = sum(row.sent for row in rows), sum(row.answered for row in rows)
    return IntervalRow(time_s, method, sent, answered, sum(row.errors for row in rows), *quantiles_ms)
