"""When nodes start (PatternMiner III.B.4): with the play, or after nodes of another type."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean, median
from typing import NamedTuple

from froude.mining.shape.structure import MinedType
from froude.workload.types import Finding, Moment, StartRule, Workload

_BESIDE_S = 0.1
"""A node that starts no later than this after another's first answer starts beside it, and not because of it."""
_EARLY_S = 0.05
"""A node may seem to start this much before what it waits for: they use different connections."""
_CLEARLY = 0.5
"""Of two explanations of starts, the one that leaves less than this share of the other's deviations is right."""
_PAIRS_NEEDED = 3
"""Starts after another one that show a constant spacing: fewer are as far apart by chance."""
_SAME_S = 1e-6
"""Deviations nearer to each other are the same: times are kept to a microsecond."""
_RUNS_FOR_SOME = 3
"""Runs in which as many nodes had ended when others began: fewer say nothing of how many are waited for."""
_NODES_FOR_SOME = 3
"""Nodes of each run that may be waited for: of two, the first is the fork and the second the join."""
_WIDEST_SHARE = 0.2
"""A share of nodes is known no worse than that."""


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
            succession = _in_turn_with(mined.name, others) or succession
        begins = [min((begin for begin, _, _ in starts[run]), default=None) for run in range(runs)]
        options: list[tuple[float, bool, bool, str, Moment, bool]] = []
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
            rule = replace(
                succession, after=name, moment=moment, every=every, delay_s=round(max(0.0, delay), 3)
            )
        else:
            first = min((begin for begin in begins if begin is not None), default=0.0)
            rule = replace(succession, delay_s=round(first, 3))
        ending = {
            each.name: spans[each.name] for each in types if each is not mined and not each.role.endless
        }
        rule = _after_some(rule, begins, ending, spans)
        choice = _choice(mined, rule, spans)
        rules[mined.name] = rule if choice is None else choice.written
    return rules


class _Choice(NamedTuple):
    """Nodes that each may have waited for the one of its own number, or all for all nodes of the other type."""

    written: StartRule
    """The clearer; of two as clear the pair where both types had equally many nodes at sizes that differ."""
    other: StartRule | None
    """The one that explains the starts as well; None where it does not."""


def _choice(
    mined: MinedType, rule: StartRule, spans: Mapping[str, Sequence[Sequence[Span]]]
) -> _Choice | None:
    """Whether nodes that all began after all nodes of another type had ended waited for all, or each for its own.

    `(put && mv) &` for each client looks like a barrier where every `mv` takes a second to start: only where one `put`
    takes longer than another one and its `mv` together can it be seen for certain.

    Returns:
        The choice; None where there is none: the types have not equally many nodes, or some began earlier.
    """
    if (
        rule.after is None
        or rule.moment is not Moment.FINISHED
        or rule.nth
        or rule.share
        or mined.role.endless
    ):
        return None
    starts, theirs = spans[mined.name], spans[rule.after]
    sizes = [len(nodes) for nodes in starts]
    if sizes != [len(nodes) for nodes in theirs] or max(sizes) < 2 or _overlap(starts, theirs):
        return None
    pauses_s = _pauses(starts, theirs, 0)
    in_turn = all(later[0] > earlier[2] for earlier, later in _successive(theirs))
    if pauses_s is None or in_turn:
        return None
    ran = [(mine, each) for mine, each in zip(starts, theirs, strict=True) if mine]
    gaps_s = [later[0] - earlier[0] for earlier, later in _successive(starts)]
    # Behind a barrier processes start one after the other, as those of the other type did before it.
    delays_s = [
        begin - max(end for _, _, end in each) - number * median(gaps_s)
        for mine, each in ran
        for number, (begin, _, _) in enumerate(sorted(mine))
    ]
    first_s = [min(mine)[0] - min(end for _, _, end in each) for mine, each in ran]
    all_s = [min(mine)[0] - max(end for _, _, end in each) for mine, each in ran]
    pair = StartRule(
        rule.after,
        every=False,
        delay_s=round(max(0.0, median(first_s)), 3),
        pause_s=round(median(pauses_s), 3),
        follows=rule.after,
    )
    barrier = replace(
        _succession(starts, endless=False), after=rule.after, delay_s=round(max(0.0, median(all_s)), 3)
    )
    if _is_clearer(pauses_s, delays_s):
        return _Choice(pair, None)
    if _is_clearer(delays_s, pauses_s):
        return _Choice(barrier, None)
    return _Choice(pair, barrier) if len(set(sizes)) > 1 else _Choice(barrier, pair)


def rival_starts(
    types: Sequence[MinedType], rules: Mapping[str, StartRule], runs: int
) -> dict[str, StartRule]:
    """Rules that explain the starts of a type's nodes as well as the one that is written.

    Args:
        types: as for `start_rules`.

    Returns:
        By type; most types have none.
    """
    spans = {mined.name: _spans(mined, runs) for mined in types}
    choices = {mined.name: _choice(mined, rules[mined.name], spans) for mined in types}
    return {name: choice.other for name, choice in choices.items() if choice is not None and choice.other}


def _after_some(
    rule: StartRule,
    begins: Sequence[float | None],
    ending: Mapping[str, Sequence[Sequence[Span]]],
    spans: Mapping[str, Sequence[Sequence[Span]]],
) -> StartRule:
    """A rule that waits for some nodes of a type, where their ends explain the starts clearly better.

    In every run as many had ended, or as large a share of them, whatever their number; and the delays since then
    differ by far less than those of the rule at hand.

    Args:
        begins: when the first node began in each run.
        ending: spans of the nodes of every type that may be waited for, by run.
    """
    known = [(run, begin) for run, begin in enumerate(begins) if begin is not None]
    if len(known) < max(_RUNS_FOR_SOME, len(begins)):
        return rule
    seen_s = [begin - _awaited_s(rule, spans, run) for run, begin in known]
    found, least_s = rule, _deviation(seen_s)
    for name, theirs in ending.items():
        ends = [sorted(end for _, _, end in nodes) for nodes in theirs]
        for option in _options(name, begins, ends):
            delays_s = [begin - ends[run][option.needed(len(ends[run])) - 1] for run, begin in known]
            off_s = _deviation(delays_s)
            if _is_clearer(delays_s, seen_s) and (found is rule or off_s < least_s):
                least_s = off_s
                found = replace(
                    rule,
                    after=name,
                    moment=Moment.FINISHED,
                    every=False,
                    nth=option.nth,
                    share=option.share,
                    delay_s=round(max(0.0, median(delays_s)), 3),
                )
    return found


def _options(
    name: str, begins: Sequence[float | None], ends: Sequence[Sequence[float]]
) -> Iterator[StartRule]:
    """The number and the share of nodes of a type that had ended, where all runs say the same.

    Args:
        begins: when the first node began in each run.
        ends: of the nodes of that type by run, rising.
    """
    sizes = [len(listed) for listed in ends]
    if min(sizes) < _NODES_FOR_SOME or len(set(sizes)) < _RUNS_FOR_SOME - 1:
        return
    over = [
        sum(end <= begin + _EARLY_S for end in listed)
        for begin, listed in zip(begins, ends, strict=True)
        if begin is not None
    ]
    if not all(1 < number < size for number, size in zip(over, sizes, strict=True)):
        return  # none, the first or all of them had: there are rules for that
    if len(set(over)) == 1:
        yield StartRule(name, every=False, nth=over[0])
    low = max((number - 1) / size for number, size in zip(over, sizes, strict=True))
    high = min(number / size for number, size in zip(over, sizes, strict=True))
    if len(set(over)) > 1 and 0 < high - low <= _WIDEST_SHARE:
        yield StartRule(name, every=False, share=_simplest(low, high))


def _simplest(low: float, high: float) -> float:
    """The share of fewest digits above one bound and up to another."""
    for digits in range(1, 4):
        share = round(math.floor(high * 10.0**digits + 1e-9) / 10.0**digits, digits)
        if low < share <= high:
            return share
    return high


def _awaited_s(rule: StartRule, spans: Mapping[str, Sequence[Sequence[Span]]], run: int) -> float:
    """When what a rule waits for came in a run; 0 where it waits for nothing, or for what the run did not have."""
    nodes = spans[rule.after][run] if rule.after is not None else ()
    moments = sorted(span[2] if rule.moment is Moment.FINISHED else span[1] for span in nodes)
    return moments[rule.needed(len(moments)) - 1] if moments else 0.0


class Delay(NamedTuple):
    """When the first node of a type started."""

    node_type: str
    after: str | None
    """The type that it waits for; None for the beginning."""
    predicted_s: float
    """After that moment, seconds."""
    seen_s: float | None
    """In a run; None where it began before the moment."""


def start_delays(workload: Workload, types: Sequence[MinedType]) -> tuple[Delay, ...]:
    """When nodes start by a workload, and when they did in a run.

    Args:
        types: of one run, as `matching.match` reads it by that workload.
    """
    spans = {mined.name: _spans(mined, 1) for mined in types}
    delays = []
    for mined in types:
        rule = workload.node_type(mined.name).start
        begins = [min((begin for begin, _, _ in spans[mined.name][0]), default=None)]
        if begins[0] is None:
            continue
        if rule.after is None:
            seen_s: float | None = begins[0]
        else:
            delay_s = begins[0] - _awaited_s(rule, spans, 0)
            seen_s = None if delay_s < -_EARLY_S or not spans[rule.after][0] else delay_s
        delays.append(Delay(mined.name, rule.after, rule.delay_s, seen_s))
    return tuple(delays)


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

    In turn where in no run a node began before the one before had ended, unless they clearly began at a constant
    spacing: what waits for an end begins later where work took longer. Beside each other where in every run with
    several of them all were at work at one moment: what then lies between their starts is the start of their
    processes. Neither, as with tasks that wait for a free place, keeps the time between starts and nothing more.

    Args:
        endless: the nodes do not end, so that being at work together says nothing.
    """
    several = [sorted(spans) for spans in starts if len(spans) > 1]
    pairs = _successive(starts)
    if not pairs:
        return StartRule()
    pauses_s = [later[0] - earlier[2] for earlier, later in pairs]
    spacings_s = [later[0] - earlier[0] for earlier, later in pairs]
    spacing_s = round(median(spacings_s), 3)
    if not endless and min(pauses_s) > 0:
        if _is_clearer(spacings_s, pauses_s):
            return StartRule(spacing_s=spacing_s)
        return StartRule(pause_s=round(median(pauses_s), 3))
    if endless or any(spans[-1][0] >= min(end for _, _, end in spans) for spans in several):
        return StartRule(spacing_s=spacing_s)
    return StartRule(
        spacing_s=spacing_s, within_s=round(max(spans[-1][0] - spans[0][0] for spans in several), 3)
    )


def _is_clearer(explained_s: Sequence[float], others_s: Sequence[float]) -> bool:
    """Whether durations are so much more alike than others that they, and not those, are the cause."""
    off_s = _deviation(explained_s)
    return len(explained_s) >= _PAIRS_NEEDED and off_s + _SAME_S < _CLEARLY * _deviation(others_s)


def _deviation(seconds: Sequence[float]) -> float:
    """Mean absolute deviation from the median."""
    middle_s = median(seconds)
    return fmean(abs(each - middle_s) for each in seconds)


def undecided_starts(
    types: Sequence[MinedType], rules: Mapping[str, StartRule], runs: int
) -> tuple[Finding, ...]:
    """Types whose start was decided on thin evidence.

    Their nodes are said to wait for the one before, where a constant spacing explains their starts as well; or for
    some nodes of another type, which a few runs agree on.

    Where all worked as long, or few were seen, the recordings cannot tell the two apart; a larger run is of another
    length by each.

    Args:
        types: as for `start_rules`.
    """
    findings = []
    for mined in types:
        rule = rules[mined.name]
        if rule.nth is not None or rule.share is not None:
            some = f"number {rule.nth}" if rule.share is None else f"{rule.share:.0%}"
            what = (
                f"nodes of {mined.name} start {rule.delay_s:g} s after {some} of {rule.after} have finished, as in all "
                f"{runs} recordings; so few may agree by chance"
            )
            findings.append(Finding(what, fatal=False, node_type=mined.name))
        pairs = _successive(_spans(mined, runs))
        if rule.pause_s is None or not pairs:
            continue
        spacings_s = [later[0] - earlier[0] for earlier, later in pairs]
        pauses_s = [later[0] - earlier[2] for earlier, later in pairs]
        # That they begin after nodes of another type, each after its own, says more than their distances.
        if not _is_clearer(spacings_s, pauses_s) if rule.follows else _is_clearer(pauses_s, spacings_s):
            continue
        what = (
            f"nodes of {mined.name} start {rule.pause_s:g} s after the one before has ended, or every "
            f"{round(median(spacings_s), 3):g} s: the recordings show no difference; the former is written"
        )
        findings.append(Finding(what, fatal=False, node_type=mined.name))
    return tuple(findings)


def _in_turn_with(name: str, spans: Mapping[str, Sequence[Sequence[Span]]]) -> StartRule | None:
    """Whose nodes were over right before these began, each before its own: as the commands of a script are.

    Args:
        spans: of the nodes of all types whose nodes end, in every run, by number.

    Returns:
        What is said of the succession; None where no other type's nodes were nearer than the one before of their own.
        Where some of these were at work together, as of scripts side by side, each only can have waited for the node
        of its own number; and did where that was not when all such nodes had ended.
    """
    starts, options = spans[name], []
    pairs = _successive(starts)
    if not pairs:
        return None
    alone = all(later[0] > earlier[2] for earlier, later in pairs)
    for other, theirs in spans.items():
        for offset in ((-1,) if other == name else (0, -1, 1)) if alone else (0,) * (other != name):
            pauses_s = _pauses(starts, theirs, offset)
            if pauses_s and (alone or _overlap(starts, theirs)):
                options.append((median(pauses_s), other == name, other, offset))
    pause_s, own, other, offset = min(options, default=(0.0, True, "", 0))
    return None if own else StartRule(pause_s=round(pause_s, 3), follows=other, offset=offset)


def _successive(starts: Sequence[Sequence[Span]]) -> list[tuple[Span, Span]]:
    """Each node's span and the next one's, of all runs."""
    return [pair for spans in starts for pair in pairwise(sorted(spans))]


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
