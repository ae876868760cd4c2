"""The figures of several players as those of one: what each counted adds up.

Counts and histograms add up exactly. A second's percentiles are kept as numbers, not as histograms: those of all are
the players' own, weighted by the calls that each measured. Like the true ones they are between the least and the
largest; the players' nodes are alike, so all three are close to each other. The maximum is exact.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence

from froude.emulation.engine import PlayOutcome, Status
from froude.emulation.run.bottleneck import Load
from froude.emulation.run.tally import Tally, merged_rows

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
    tally.steady_from_s = None if None in steady else max(filter(None, steady), default=0.0)
    failed = sorted((each for each in outcomes if each.failure is not None), key=lambda each: each.elapsed_s)
    return PlayOutcome(
        tally,
        first.begun_at_s,
        max(each.elapsed_s for each in outcomes),
        sum(each.cpu_s for each in outcomes),
        [merged_load(loads) for loads in _together([each.load for each in outcomes])],
        failed[0].failure if failed else None,
        any(each.interrupted for each in outcomes),
        first.begun_s,
        first.remarks,
        first.cores,
        len(outcomes),
    )


def merged_load(loads: Sequence[Load]) -> Load:
    """The players at one moment.

    Args:
        loads: of each, at least one.
    """
    return loads[0]._replace(
        cpu_share=sum(each.cpu_share for each in loads),
        rss_bytes=sum(each.rss_bytes for each in loads),
        nodes=sum(each.nodes for each in loads),
        in_flight=sum(each.in_flight for each in loads),
        busiest_share=max(each.cpu_share for each in loads) if len(loads) > 1 else None,
    )


def _together(series: Sequence[Sequence[Load]]) -> Iterable[list[Load]]:
    """For each load of the first player those of all at about the same time."""
    times = [[each.time_s for each in loads] for loads in series]
    for load in series[0]:
        places = [bisect_right(each, load.time_s + _NEAR_S) - 1 for each in times[1:]]
        others = [loads[place] for loads, place in zip(series[1:], places, strict=True) if place >= 0]
        yield [load, *others]


def merged_status(statuses: Sequence[Status]) -> Status:
    """What goes on in all players; each may have reported up to a second ago.

    Args:
        statuses: of each, at least one; the first player's comes first.
    """
    if len(statuses) == 1:
        return statuses[0]
    counts: dict[str, tuple[int, int]] = {}
    errors: Counter[tuple[str, str]] = Counter()
    for status in statuses:
        errors.update(status.errors_by_kind)
        for method, (sent, answered) in status.counts.items():
            before = counts.get(method, (0, 0))
            counts[method] = (before[0] + sent, before[1] + answered)
    slowest = max(statuses, key=lambda status: status.p99_ms)
    return Status(
        merged_load([status.load for status in statuses]),
        any(status.ramping for status in statuses),
        sum(status.calls_per_s for status in statuses),
        slowest.p99_ms,
        slowest.slowest,
        sum(status.errors for status in statuses),
        counts,
        errors,
        merged_rows([row for status in statuses for row in status.rows]),
        max((status.lateness for status in statuses), key=lambda each: max(each.values(), default=0.0)),
    )
