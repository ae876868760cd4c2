"""A prediction counted as PatternMiner counts (Tables IV and VI), and how far intervals came out.

The paper counts each argument once for the representative iteration and node, whatever the number of calls. Here a
position is one leaf path of one call template; it is found where most of its values in a run that was never mined
were predicted. Arguments of calls that belong to no template are positions of their own, which are not found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from froude.base.units import Quantity
from froude.mining.events import Recording
from froude.mining.matching import Matched, match
from froude.mining.placement import Placement
from froude.mining.prediction import LeafOutcome, Score
from froude.workload.types import CallTemplate, Workload
from froude.workload.walk import templates


@dataclass(frozen=True, slots=True)
class Position:
    """One argument of the representative call of a template."""

    service: str
    """The service that is called."""
    template: str
    """Id of the call template; the method of a call that belongs to none."""
    path: str
    outcome: LeafOutcome
    """What became of most of its values."""


@dataclass(frozen=True, slots=True)
class Site:
    """The interval before the calls of one template, from the start of the call before to its own."""

    service: str
    template: str
    periodic: bool
    predicted_s: float
    seen_s: float
    """Median of the run."""

    def within(self, share: float) -> bool:
        """Whether the median lies within a share of what was predicted.

        Args:
            share: of the predicted interval.
        """
        return abs(self.seen_s - self.predicted_s) <= share * self.predicted_s


def positions(workload: Workload, recording: Recording) -> tuple[Position, ...]:
    """The arguments of a run, one count a position.

    Args:
        workload: mined from other runs.
        recording: the run.
    """
    calls = {call.id: call for node in workload.node_types for call in templates(node)}
    score = Score(match(workload, recording).placement, recording.scale, calls)
    seen: dict[tuple[str, str, str], list[LeafOutcome]] = defaultdict(list)
    for event in recording.events:
        for path in event.request:
            leaf = (event.order, path)
            template, canonical = score.rule_of.get(leaf, (event.method, path))
            outcome = score.outcomes.get(leaf, LeafOutcome.UNEXPECTED)
            seen[event.target.service, template, canonical].append(outcome)
    return tuple(Position(*place, _most(outcomes)) for place, outcomes in seen.items())


def _most(outcomes: list[LeafOutcome]) -> LeafOutcome:
    """The commonest outcome of those that are, or are not, predicted: whichever are more."""
    found = [outcome for outcome in outcomes if outcome.predicted]
    chosen = found if 2 * len(found) > len(outcomes) else [o for o in outcomes if not o.predicted]
    return max(chosen, key=lambda outcome: (chosen.count(outcome), outcome.value))


def intervals(workload: Workload, recording: Recording) -> tuple[Site, ...]:
    """The intervals of a run by call site, beside what the workload says.

    Args:
        workload: mined from other runs.
        recording: the run.
    """
    matched = match(workload, recording)
    calls = {call.id: call for node in workload.node_types for call in templates(node)}
    return (*_steps(matched, calls, recording.scale), *_beats(workload, matched.placement))


def _steps(matched: Matched, calls: Mapping[str, CallTemplate], scale: Mapping[str, Quantity]) -> list[Site]:
    seen: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for mined in matched.types:
        for before, after in pairwise(mined.occurrences):
            service = calls[before.template].timing.service
            if before.sender is not after.sender or service is None:
                continue
            predicted_s = service.at(scale) + calls[after.template].timing.think.at(scale)
            seen[after.template].append((predicted_s, after.call.start_s - before.call.start_s))
    return [
        Site(
            calls[template].service,
            template,
            False,
            median(predicted_s for predicted_s, _ in listed),
            median(seen_s for _, seen_s in listed),
        )
        for template, listed in seen.items()
    ]


def _beats(workload: Workload, placement: Placement) -> list[Site]:
    sites = []
    for node in workload.node_types:
        for periodic in node.periodic:
            gaps = [
                after.call.start_s - before.call.start_s
                for before, after in pairwise(placement.periodic.get(periodic.call.id, ()))
                if before.sender is after.sender
            ]
            if gaps:
                sites.append(
                    Site(periodic.call.service, periodic.call.id, True, periodic.every_s, median(gaps))
                )
    return sites
