"""Values that are derived from one earlier value: a part of its text, or a number that is always as much larger.

These are the derived flows of PatternMiner (section III.B.3). They are looked for last, where nothing simpler gives
a value, and as all rules they count only if they hold at every call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from froude.mining.effects.rare_values import is_distinctive
from froude.mining.history.timeline import Source, Timeline
from froude.mining.rules.candidates import flows_from, is_chosen, ranked
from froude.mining.rules.evidence import Column
from froude.mining.rules.texts import BOUNDS, Holds
from froude.workload.rules import Special
from froude.workload.types import Flow, Scalar, TextPart

_FEWEST_CALLS = 4
"""Calls at which a derived value must have been seen before it is no accident."""
_FEWEST_NUMBERS = 3
"""Different values that a number must have had."""
_SHORTEST = 3
"""Characters of a part before meeting it counts."""


def derived(column: Column, timeline: Timeline, holds: Holds) -> Flow | None:
    """The likeliest derived flow that holds at all calls of a template, from its own node's last calls.

    Args:
        timeline: every placed call of all runs.
        holds: whether a rule gives the recorded value at every call.

    Returns:
        None where there is none, or where too few calls or too few different values were seen.
    """
    at = column.shows
    if at is None or len(column.values) < _FEWEST_CALLS:
        return None
    value = column.values[at]
    distinct = set(column.values)
    if isinstance(value, Special) or not _tells(value, len(distinct)):
        return None
    taker = column.occurrences[at]
    tried = [
        replace(flow, part=made.part, plus=made.plus)
        for source, seen in timeline.latest(taker)
        for made in _derivations(source, seen, value)
        for flow in flows_from(source, taker.template)
    ]
    for flow in ranked(tried, column.path, taker.template):
        if not is_chosen(flow, value) and holds(flow, column):
            return flow
    return None


def _tells(value: Scalar, distinct: int) -> bool:
    if isinstance(value, str):
        return len(value) >= _SHORTEST and distinct > 1
    return type(value) is int and is_distinctive(value) and distinct >= _FEWEST_NUMBERS


def _derivations(source: Source, seen: Scalar, value: Scalar) -> Iterator[Flow]:
    """How a value may come from another one, as flows of which only the part and the number count."""
    template, _, side, path = source
    if isinstance(value, str) and isinstance(seen, str):
        if value not in seen:
            return
        for separator in BOUNDS:
            parts = seen.split(separator)
            if len(parts) > 1 and value in parts:
                yield Flow(template, side, path, part=TextPart(separator, parts.index(value)))
    elif type(value) is int and type(seen) is int and is_distinctive(seen) and seen != value:
        yield Flow(template, side, path, plus=value - seen)
