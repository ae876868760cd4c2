"""A prediction counted as PatternMiner counts (Tables IV and VI).

The paper counts each argument once for the representative iteration and node, whatever the number of calls. Here a
position is one leaf path of one call template; it is found where most of its values in a run that was never mined
were predicted. Arguments of calls that belong to no template are positions of their own, which are not found.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from froude.mining.check.matching import match
from froude.mining.check.prediction import LeafOutcome, Score
from froude.mining.read.canonical import decided_by_time
from froude.mining.read.events import Recording
from froude.mining.read.reports import on_the_way
from froude.workload.types import Workload
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
    """What became of most of its values, each at its moment."""
    by_rule: LeafOutcome
    """What became of most, whenever they came: when a report changes or a container is asked for, intervals say."""


def positions(workload: Workload, recording: Recording) -> tuple[Position, ...]:
    """The arguments of a run, one count a position.

    Args:
        workload: mined from other runs.
    """
    calls = {call.id: call for node in workload.node_types for call in templates(node)}
    score = Score(match(workload, recording).placement, recording.scale, calls)
    early = on_the_way(recording.events, score.outcomes)
    seen: dict[tuple[str, str, str], list[tuple[LeafOutcome, LeafOutcome]]] = defaultdict(list)
    for event in recording.events:
        for path in event.request:
            leaf = (event.order, path)
            if leaf in early or (leaf not in score.outcomes and decided_by_time(event, path)):
                continue  # tells early of what its own call tells, whose positions these are
            template, canonical = score.rule_of.get(leaf, (event.method, path))
            outcome = score.outcomes.get(leaf, LeafOutcome.UNEXPECTED)
            by_rule = score.by_rule.get(leaf, outcome)
            seen[event.target.service, template, canonical].append((outcome, by_rule))
    return tuple(
        Position(*place, _most([o for o, _ in outcomes]), _most([by_rule for _, by_rule in outcomes]))
        for place, outcomes in seen.items()
    )


def _most(outcomes: list[LeafOutcome]) -> LeafOutcome:
    """The commonest outcome of those that are, or are not, predicted: whichever are more."""
    found = [outcome for outcome in outcomes if outcome.predicted]
    chosen = found if 2 * len(found) > len(outcomes) else [o for o in outcomes if not o.predicted]
    return max(chosen, key=lambda outcome: (chosen.count(outcome), outcome.value))
