"""Alike lanes of a pattern as one: ten clients that do the same need no ten columns, and no arrows between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from froude.render import ArrowKind, PatternArrow, PatternCall, PatternLane, PatternLoop, PatternStep

_LEAST = 3
"""Lanes that are worth joining: two stand well side by side."""
_MOST_CAUSES = 6
"""Arrows to one call that an eye can follow to their beginnings."""


def merged_lanes(lanes: Sequence[PatternLane]) -> tuple[tuple[PatternLane, ...], dict[str, str]]:
    """Join lanes whose nodes make the same calls in the same loops.

    Args:
        lanes: in the order of the picture.

    Returns:
        The lanes left, and by the name or id of what is joined what stands for it.
    """
    groups: dict[object, list[PatternLane]] = {}
    for lane in lanes:
        groups.setdefault(_shape(lane), []).append(lane)
    alias: dict[str, str] = {}
    merged = []
    for group in groups.values():
        if len(group) < _LEAST:
            merged += group
            continue
        joined = _joined(group)
        merged.append(joined)
        for lane in group:
            alias[lane.name] = joined.name
            alias |= {call.id: kept.id for call, kept in zip(lane.calls(), joined.calls(), strict=True)}
    order = {lane.name: at for at, lane in enumerate(lanes)}
    first = {alias[lane.name]: order[lane.name] for lane in reversed(lanes) if lane.name in alias}
    merged.sort(key=lambda lane: first.get(lane.name, order.get(lane.name, 0)))
    return tuple(merged), alias


def merged_arrows(arrows: Sequence[PatternArrow], alias: Mapping[str, str]) -> tuple[PatternArrow, ...]:
    """Arrows between what is drawn: each once, none from a lane to itself.

    Args:
        arrows: between names and ids, drawn or not.
        alias: what stands for those that are not drawn.
    """
    labels: dict[tuple[str, str, ArrowKind], list[str]] = {}
    for arrow in arrows:
        ends = (alias.get(arrow.source, arrow.source), alias.get(arrow.target, arrow.target), arrow.kind)
        if ends[0] != ends[1]:
            labels.setdefault(ends, [])
            if arrow.label and arrow.label not in labels[ends]:
                labels[ends].append(arrow.label)
    return tuple(PatternArrow(*ends, "; ".join(texts)) for ends, texts in labels.items())


def from_lanes(arrows: Sequence[PatternArrow], lanes: Sequence[PatternLane]) -> tuple[PatternArrow, ...]:
    """Arrows to a call that very many cause, from the lanes of these: dozens side by side cannot be followed.

    Args:
        arrows: between what is drawn.
    """
    owner = {call.id: lane.name for lane in lanes for call in lane.calls()}
    causes = Counter(arrow.target for arrow in arrows if arrow.kind is ArrowKind.CAUSE)
    kept: list[PatternArrow] = []
    calls: Counter[tuple[str, str]] = Counter()
    for arrow in arrows:
        if arrow.kind is not ArrowKind.CAUSE or causes[arrow.target] <= _MOST_CAUSES:
            kept.append(arrow)
        else:
            calls[owner.get(arrow.source, arrow.source), arrow.target] += 1
    kept += [
        PatternArrow(source, target, ArrowKind.CAUSE, f"{number} of its calls" if number > 1 else "")
        for (source, target), number in calls.items()
        if source != owner[target]
    ]
    return tuple(kept)


def _joined(group: Sequence[PatternLane]) -> PatternLane:
    first, last, number = group[0], group[-1], len(group)
    names = {lane.name for lane in group}
    starts = list(dict.fromkeys(lane.start for lane in group))
    outside = [start for start in starts if not any(name in start.split() for name in names)]
    start = outside[0] if outside else first.start
    if len(outside) < len(starts):
        start = f"{start}, then one after another" if start else "one after another"
    count = str(number) if first.count in {"", "1"} else f"{number} types, {first.count} each"
    return replace(first, name=f"{first.name} … {last.name}", count=count, start=start)


def _shape(lane: PatternLane) -> object:
    return (
        lane.count,
        tuple(_step(step) for step in lane.steps),
        tuple((call.name, call.count) for call in lane.effects),
        tuple((each.call.name, each.every) for each in lane.periodic),
    )


def _step(step: PatternStep) -> object:
    if isinstance(step, PatternLoop):
        return (step.times, step.value, tuple(_step(inner) for inner in step.steps))
    assert isinstance(step, PatternCall)
    return (step.name, step.count)
