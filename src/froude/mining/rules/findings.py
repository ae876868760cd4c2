"""What is said of a workload beside its pattern: what the recordings do not tell, and what fits none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from froude.mining.history.placement import Placement
from froude.mining.read.events import Recording
from froude.mining.read.senders import is_timely
from froude.mining.shape.structure import MinedType
from froude.workload.types import Finding


def found(recordings: Sequence[Recording], types: Sequence[MinedType]) -> list[Finding]:
    """Of the recordings: their Scales, calls that are left out, lowered intervals, types that one run had."""
    return [*_of_scales(recordings), *_left_out(recordings), *_lowered(recordings), *_lone(types, recordings)]


def _of_scales(recordings: Sequence[Recording]) -> list[Finding]:
    scales = [recording.scale for recording in recordings]
    findings = []
    for name in sorted({name for scale in scales for name in scale}):
        having = [scale[name] for scale in scales if name in scale]
        seen = set(having)
        if len(having) < len(scales):
            what = f"{name} is in the Scale of {len(having)} of {len(scales)} recordings: no formula can depend on it"
            findings.append(Finding(f"{what}; is it misspelled, or left out of the others?", fatal=True))
        elif len(seen) == 1:
            what = f"{name} was {next(iter(seen))} in every run: nothing can be said of it at another value"
            findings.append(Finding(what, fatal=True, variable=name))
        elif len(seen) == 2:
            what = f"{name} took only two values: any count is a straight line through them"
            findings.append(Finding(what, fatal=False, variable=name))
    return findings


def _left_out(recordings: Sequence[Recording]) -> list[Finding]:
    unknown, timely = Counter[str](), Counter[str]()
    for recording in recordings:
        unknown.update(recording.unknown)
        timely.update(event.method for event in recording.events if is_timely(event))
    return [
        Finding(f"{calls.total()} calls left out, {why}: {', '.join(sorted(calls))}", fatal=False)
        for calls, why in (
            (unknown, "whose methods the schema does not know"),
            (timely, "on which time alone decides"),
        )
        if calls
    ]


def _lowered(recordings: Sequence[Recording]) -> list[Finding]:
    """Intervals that were set for the recordings; what was found of them is scaled back."""
    real_s = {
        method: lowered.configured_s
        for recording in recordings
        for method, lowered in recording.lowered.items()
    }
    return [
        Finding(
            f"the interval of {method} was lowered for recordings; what was found is scaled back to {every_s:g} s",
            fatal=False,
        )
        for method, every_s in sorted(real_s.items())
    ]


def _lone(types: Sequence[MinedType], recordings: Sequence[Recording]) -> list[Finding]:
    """Types that only one of several runs had: what looks constant there was never held against another size."""
    if len(recordings) == 1:
        what = "was one node of one run: nothing says which of its calls it always makes, and in which order"
        return [
            Finding(f"node type {mined.name!r} {what}", fatal=False, node_type=mined.name)
            for mined in types
            if len(mined.senders) == 1
        ]
    if len({str(recording.scale) for recording in recordings}) < 2:
        return []
    return [
        Finding(f"node type {mined.name!r} was seen in one run alone", fatal=True, node_type=mined.name)
        for mined in types
        if len({sender.run for sender in mined.senders}) == 1
    ]


def lost(placement: Placement) -> list[Finding]:
    """Of effects without a cause."""
    return [
        Finding(
            f"node type {name!r}: the causes of {number} effects follow no pattern",
            fatal=False,
            node_type=name,
        )
        for name, number in sorted(placement.lost.items())
    ]
