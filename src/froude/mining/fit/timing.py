"""When calls are made, and how long their answers take (PatternMiner III.B.4); `starts` says when nodes begin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from froude.base.units import Quantity
from froude.mining.fit.durations import Durations, Seconds, fit_durations
from froude.mining.shape.structure import Occurrence
from froude.workload.scale import Count
from froude.workload.types import Timing


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
