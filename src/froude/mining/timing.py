"""When calls are made and nodes start (PatternMiner III.B.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from froude.base.units import Quantity
from froude.mining.structure import MinedType, Occurrence
from froude.workload.scale import Count
from froude.workload.types import Moment, StartRule, Timing

_GROWS = 0.9
"""Share of the spread between runs that a line must explain before an interval is said to grow."""
_BESIDE_S = 0.1
"""A node that starts no later than this after another's first answer starts beside it, and not because of it."""
_EARLY_S = 0.05
"""A node may seem to start this much before what it waits for: they use different connections."""


Seconds = Sequence[tuple[int, float]]
"""Run and duration, one a call."""


def timings(
    occurrences: Iterable[Occurrence],
    scales: Sequence[Mapping[str, Quantity]],
    until_s: Mapping[int, float] | None = None,
) -> dict[str, Timing]:
    """Think and service time by template: from a sender's previous answer to a call, and from that to its answer.

    Args:
        occurrences: the steps of all nodes and runs.
        scales: of each run.
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
    pause, spread_s = _fitted(think, scales) if think else (Count(), 0.0)
    return Timing(pause, spread_s, _fitted(service, scales)[0] if service else None)


def _fitted(seconds: Seconds, scales: Sequence[Mapping[str, Quantity]]) -> tuple[Count, float]:
    """Durations as a line over the Scale, or their median; and their median absolute deviation from it, seconds."""
    runs = sorted({run for run, _ in seconds})
    middles = {run: median(duration for of, duration in seconds if of == run) for run in runs}
    within = median(abs(duration - middles[run]) for run, duration in seconds)
    line = _line([(scales[run], middle) for run, middle in middles.items()], within)
    if line is not None:
        return line, round(within, 6)
    middle = median(duration for _, duration in seconds)
    return Count(round(middle, 6)), round(median(abs(duration - middle) for _, duration in seconds), 6)


def _line(points: Sequence[tuple[Mapping[str, Quantity], float]], spread: float) -> Count | None:
    """A line over the one variable that explains the differences between runs, if they exceed the noise."""
    values = [value for _, value in points]
    if len(points) < 4 or max(values) - min(values) <= 4 * spread:
        return None
    mean = sum(values) / len(values)
    best: tuple[float, Count] | None = None
    for name in sorted(set.intersection(*(set(scale) for scale, _ in points))):
        xs = [scale[name].value for scale, _ in points]
        centre = sum(xs) / len(xs)
        wide = sum((x - centre) ** 2 for x in xs)
        if not wide:
            continue
        slope = sum((x - centre) * (y - mean) for x, y in zip(xs, values, strict=True)) / wide
        rest = sum((y - mean - slope * (x - centre)) ** 2 for x, y in zip(xs, values, strict=True))
        explained = 1 - rest / sum((y - mean) ** 2 for y in values)
        if explained >= _GROWS and (best is None or explained > best[0]):
            best = (explained, Count(round(mean - slope * centre, 6), {name: slope}))
    return best[1] if best else None


def start_rules(types: Sequence[MinedType], runs: int) -> dict[str, StartRule]:
    """What the nodes of each type wait for: of what was over in every run before they began, the latest.

    Args:
        types: the node types with what they did.
        runs: how many runs there are; the types' instances name them from 0.

    Returns:
        The rule of each type, by its name.
    """
    spans = {mined.name: _spans(mined, runs) for mined in types}
    rules = {}
    for mined in types:
        starts = spans[mined.name]
        succession = _succession(starts, endless=mined.role.endless)
        if not mined.role.endless:
            others = {other.name: spans[other.name] for other in types if not other.role.endless}
            succession = _in_turn_with(mined.name, others, alone=succession.in_turn) or succession
        begins = [min((begin for begin, _, _ in starts[run]), default=None) for run in range(runs)]
        options = []
        for other in types:
            if other is mined:
                continue
            for moment, every in ((Moment.FINISHED, True), (Moment.STARTED, True), (Moment.FINISHED, False)):
                delay = _delay(begins, spans[other.name], moment, every)
                endless = moment is Moment.FINISHED and other.role.endless
                # Two that begin side by side seem to wait for each other's first answer, in whichever order they came.
                beside = moment is Moment.STARTED and not other.role.emulated and (delay or 0.0) < _BESIDE_S
                single = not every and all(len(mined) <= 1 for mined in spans[other.name])
                if delay is not None and not endless and not single and not beside:
                    options.append((delay, moment is Moment.STARTED, not every, other.name, moment, every))
        if options:
            delay, _, _, name, moment, every = min(options)
            rules[mined.name] = replace(
                succession, after=name, moment=moment, every=every, delay_s=round(max(0.0, delay), 3)
            )
        else:
            first = min((begin for begin in begins if begin is not None), default=0.0)
            rules[mined.name] = replace(succession, delay_s=round(first, 3))
    return rules


Span = tuple[float, float, float]
"""First call, end of the start-up calls, last answer of the logical sequence; seconds."""


def _spans(mined: MinedType, runs: int) -> list[list[Span]]:
    spans: list[list[Span]] = [[] for _ in range(runs)]
    for sender in mined.senders:
        own = sender.own or sender.calls
        beat = sender.periodic[0].order if sender.periodic else None
        # A program of its own has started with its first beat; a scripted node, when played, with its first answer.
        before = [call for call in own if beat is None or call.order < beat] if mined.role.emulated else []
        before = before or own[:1]
        begin = sender.calls[0].start_s
        spans[sender.run].append((begin, before[-1].event.end_s, max(call.event.end_s for call in own)))
    return spans


def _delay(
    begins: Sequence[float | None], other: Sequence[Sequence[Span]], moment: Moment, every: bool
) -> float | None:
    """Median time from the moment to the start, or None if a start came before it in some run."""
    delays = []
    for begin, spans in zip(begins, other, strict=True):
        if begin is None:
            continue
        if not spans:
            return None
        moments = [span[2] if moment is Moment.FINISHED else span[1] for span in spans]
        delays.append(begin - (max(moments) if every else min(moments)))
    if not delays or min(delays) < -_EARLY_S:
        return None
    return median(delays)


def _succession(starts: Sequence[Sequence[Span]], *, endless: bool) -> StartRule:
    """How one node's start follows another's.

    In turn where in no run a node began before the one before had ended. Beside each other where in every run with
    several of them all were at work at one moment: what then lies between their starts is the start of their
    processes. Neither, as with tasks that wait for a free place, keeps the time between starts and nothing more.

    Args:
        starts: the spans of every run.
        endless: the nodes do not end, so that being at work together says nothing.
    """
    several = [sorted(spans) for spans in starts if len(spans) > 1]
    pairs = [pair for spans in several for pair in pairwise(spans)]
    if not pairs:
        return StartRule()
    if not endless and all(later[0] > earlier[2] for earlier, later in pairs):
        return StartRule(pause_s=round(median(later[0] - earlier[2] for earlier, later in pairs), 3))
    spacing_s = round(median(later[0] - earlier[0] for earlier, later in pairs), 3)
    if endless or any(spans[-1][0] >= min(end for _, _, end in spans) for spans in several):
        return StartRule(spacing_s=spacing_s)
    return StartRule(
        spacing_s=spacing_s, within_s=round(max(spans[-1][0] - spans[0][0] for spans in several), 3)
    )


def _in_turn_with(
    name: str, spans: Mapping[str, Sequence[Sequence[Span]]], *, alone: bool
) -> StartRule | None:
    """Whose nodes were over right before these began, each before its own: as the commands of a script are.

    Args:
        name: the type's.
        spans: of the nodes of all types whose nodes end, in every run, by number.
        alone: whether no two of these were at work together. Where some were, as of scripts side by side, each only
            can have waited for the node of its own number; and did where that was not when all such nodes had ended.

    Returns:
        What is said of the succession; None where no other type's nodes were nearer than the one before of their own.
    """
    starts, options = spans[name], []
    if max(map(len, starts)) < 2:
        return None
    for other, theirs in spans.items():
        for offset in ((-1,) if other == name else (0, -1, 1)) if alone else (0,) * (other != name):
            pauses_s = _pauses(starts, theirs, offset)
            if pauses_s and (alone or _overlap(starts, theirs)):
                options.append((median(pauses_s), other == name, other, offset))
    pause_s, own, other, offset = min(options, default=(0.0, True, "", 0))
    return None if own else StartRule(pause_s=round(pause_s, 3), follows=other, offset=offset)


def _overlap(starts: Sequence[Sequence[Span]], others: Sequence[Sequence[Span]]) -> bool:
    """Whether in some run a node began while nodes of the other type were still at work."""
    return any(
        mine and theirs and min(span[0] for span in mine) < max(span[2] for span in theirs)
        for mine, theirs in zip(starts, others, strict=True)
    )


def _pauses(
    starts: Sequence[Sequence[Span]], others: Sequence[Sequence[Span]], offset: int
) -> list[float] | None:
    """Seconds from the end of each node's counterpart to its start; None where one began before, or more lack one."""
    pauses_s: list[float] = []
    if len({len(mine) - len(theirs) for mine, theirs in zip(starts, others, strict=True)}) > 1:
        return None  # not one of them for each: which belongs to which is not said by their numbers
    for mine, theirs in zip(starts, others, strict=True):
        numbers = [number for number in range(len(mine)) if 0 <= number + offset < len(theirs)]
        if len(mine) - len(numbers) > max(0, -offset):
            return None
        pauses_s += [mine[number][0] - theirs[number + offset][2] for number in numbers]
    return pauses_s if all(pause_s > 0 for pause_s in pauses_s) else None
