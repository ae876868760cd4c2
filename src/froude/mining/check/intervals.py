"""How far the intervals of a run came out as a workload says, site by site (PatternMiner IV.B.3).

A site is a call template: a step, whatever the node and the iteration, or a periodic call. See `trace.intervals` for
which of them can be compared at all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import numpy as np

from froude.base.units import Quantity
from froude.mining.check.matching import Matched, match
from froude.mining.read.events import Recording
from froude.mining.shape.structure import Occurrence
from froude.trace.intervals import (
    RESOLUTION_S,
    Agreement,
    Observed,
    Statistic,
    agree,
    agreement,
    observed,
)
from froude.workload.types import CallTemplate, Periodic, Workload
from froude.workload.walk import templates

_SHARES = np.linspace(0.025, 0.975, 20)
"""Shares at which two distributions are added up."""


@dataclass(frozen=True, slots=True)
class Site:
    """The interval before the calls of one template, from the start of the call before to its own."""

    service: str
    template: str
    method: str
    periodic: bool
    predicted: Observed
    """As many as in the run."""
    seen: Observed

    def within(self, statistic: Statistic) -> bool:
        """Whether the run and the prediction agree."""
        return agree(self.predicted.at(statistic), self.seen.at(statistic))


@dataclass(frozen=True, slots=True)
class Validated:
    """The sites of a run, those of them at which another run of its size agrees with it, and what came out."""

    agreement: Agreement
    """Of the two runs."""
    within: int
    """Of the sites at which they agree, those that were predicted within `trace.intervals.WITHIN`."""


def intervals(workload: Workload, recording: Recording) -> tuple[Site, ...]:
    """The intervals of a run by call site, beside what the workload says."""
    matched = match(workload, recording)
    calls = {call.id: call for node in workload.node_types for call in templates(node)}
    return (*_steps(matched, calls, recording), *_beats(workload, matched, recording))


def validated(sites: Sequence[Site], other: Sequence[Site], statistic: Statistic) -> Validated:
    """How many sites were predicted, among those at which two real runs of one size agree.

    Args:
        sites: of the run that is held against the prediction.
        other: of another run at the same Scale.
    """
    agreed = agreement(_seen(sites), _seen(other), statistic)
    inside = sum(site.within(statistic) for site in sites if site.template in agreed.agreeing)
    return Validated(agreed, inside)


def slower(sites: Sequence[Site]) -> float | None:
    """How many times as long as predicted the intervals of a run's steps are, in the middle; None without any.

    Where processes share a machine's cores it says by how much they contend for them beyond what was predicted. Sites
    below the resolution are passed over.
    """
    factors = [
        site.seen.median_s / site.predicted.median_s
        for site in sites
        if not site.periodic and min(site.seen.median_s, site.predicted.median_s) >= RESOLUTION_S
    ]
    return median(factors) if factors else None


def _seen(sites: Sequence[Site]) -> dict[str, Observed]:
    return {site.template: site.seen for site in sites}


def _steps(matched: Matched, calls: Mapping[str, CallTemplate], recording: Recording) -> list[Site]:
    seen_s: dict[str, list[float]] = defaultdict(list)
    before_it: dict[str, Counter[str]] = defaultdict(Counter)
    for mined in matched.types:
        by_sender: dict[int, list[Occurrence]] = defaultdict(list)
        for occurrence in mined.occurrences:
            by_sender[id(occurrence.sender)].append(occurrence)
        for listed in by_sender.values():
            # Threads make calls side by side: what counts is the call that was made before.
            listed.sort(key=lambda occurrence: occurrence.call.order)
            for before, after in pairwise(listed):
                if calls[before.template].timing.service is not None:
                    seen_s[after.template].append(after.call.start_s - before.call.start_s)
                    before_it[after.template][before.template] += 1
    return [
        Site(
            calls[template].service,
            template,
            calls[template].method,
            periodic=False,
            predicted=_predicted(before_it[template], calls[template], calls, recording.scale),
            seen=observed(listed_s),
        )
        for template, listed_s in seen_s.items()
    ]


def _predicted(
    before: Counter[str],
    after: CallTemplate,
    calls: Mapping[str, CallTemplate],
    scale: Mapping[str, Quantity],
) -> Observed:
    """The answers to the calls before, as often as they are before it, and the think time, each drawn by itself."""
    think_s = [after.timing.think_s(scale, share) for share in _SHARES]
    sums_s, weights = [], []
    for template, number in before.items():
        answers_s = [calls[template].timing.service_s(scale, share) for share in _SHARES]
        sums_s.append(np.add.outer(answers_s, think_s).ravel())
        weights.append(np.full(sums_s[-1].size, float(number)))
    values_s, shares = np.concatenate(sums_s), np.concatenate(weights)
    order = np.argsort(values_s, kind="stable")
    reached = np.cumsum(shares[order]) / shares.sum()
    median_s, p90_s = (float(values_s[order][np.searchsorted(reached, at)]) for at in (0.5, 0.9))
    return Observed(before.total(), median_s, p90_s)


def _beats(workload: Workload, matched: Matched, recording: Recording) -> list[Site]:
    sites = []
    for node in workload.node_types:
        for periodic in node.periodic:
            lowered = recording.lowered.get(periodic.call.method)
            gaps_s = [
                after.call.start_s - before.call.start_s
                for before, after in pairwise(matched.placement.periodic.get(periodic.call.id, ()))
                if before.sender is after.sender
            ]
            if gaps_s:
                sites.append(
                    Site(
                        periodic.call.service,
                        periodic.call.id,
                        periodic.call.method,
                        periodic=True,
                        predicted=_beat(periodic, len(gaps_s)),
                        seen=observed([lowered.rescaled(gap_s) if lowered else gap_s for gap_s in gaps_s]),
                    )
                )
    return sites


def _beat(periodic: Periodic, number: int) -> Observed:
    """As it is played: evenly about the period, as far as the jitter to either side."""
    return Observed(number, periodic.every_s, periodic.every_s + 0.8 * periodic.jitter_s)
