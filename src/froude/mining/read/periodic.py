"""Calls of real time, distinguished from calls of logical time by their timing (PatternMiner III.B.2)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from froude.base.units import Quantity
from froude.mining.counts import fit_count
from froude.mining.read.canonical import Logical, Token
from froude.mining.read.knowledge import BATCHES, REAL_TIME, REPORTS
from froude.trace.lowered import LoweredInterval

_SHORTEST_S = 0.2
"""Below this, regular gaps are just a fast loop."""
_REGULAR = 0.05
"""Largest median deviation of the gaps, as a share of their median."""
_SCALES_NEEDED = 3
"""Different Scales that must show a number of calls: a line goes through any two."""
_LONGER = 1.2
"""Times the shortest that the longest sender must have been there, before a number that stays says anything."""
_GAPS_NEEDED = 6
"""Gaps, over all senders of a role and all runs, before a period is believed."""
_STEADIER = 0.8
"""Times the deviation of the periods that pauses may deviate by at most, before the pause is what is regular."""


class _Gap(NamedTuple):
    """From one call to the next."""

    whole_s: float
    answer_s: float
    """Of it, until the first was answered."""


@dataclass(frozen=True, slots=True)
class Period:
    """How regularly a call is made."""

    every_s: float
    """Median time from one call to the next."""
    jitter_s: float
    """Median absolute deviation of the period, or of the pause where there is one."""
    pause_s: float | None = None
    """Median time from an answer to the next call, where that is what is regular; None for a fixed rate."""


def find_periodic(
    sequences: Sequence[Sequence[Logical]],
    scales: Sequence[Mapping[str, Quantity]] = (),
    lowered: Sequence[Mapping[str, LoweredInterval]] = (),
) -> dict[Token, Period]:
    """The real-time calls of one role, from the sequences of all its senders in all runs.

    A call is of real time when its gaps are regular and its place among the sender's other calls is not, or
    when it is listed as such (`knowledge.REAL_TIME`), so that a run too short to show a period does not hide
    it. A batch (`knowledge.BATCHES`) carries what happened, and is of logical time however regularly that did.
    So is a call of which there are as many as the Scale says, however long that takes: a loop with a pause.

    Args:
        scales: of each sender's run, where the number of calls is to be held against it.
        lowered: of each sender's run the periods lowered for it, by method; what is found is the configured one.
    """
    gaps: dict[Token, list[_Gap]] = defaultdict(list)
    around: dict[Token, _Around] = defaultdict(_Around)
    for number, sequence in enumerate(sequences):
        _collect(sequence, gaps, around, lowered[number] if lowered else {})
    periods = {}
    for token in sorted(around):
        period = _period(gaps[token])
        if token[1] in REPORTS and token[2]:
            continue
        if token[1] in REAL_TIME:
            periods[token] = period or Period(1.0, 0.0)
        elif token[1] in BATCHES or period is None:
            continue
        elif _regular(gaps[token]) and around[token].restless and not _follows(token, sequences, scales):
            periods[token] = period
    return periods


def _follows(
    token: Token, sequences: Sequence[Sequence[Logical]], scales: Sequence[Mapping[str, Quantity]]
) -> bool:
    """Whether a sender's number of such calls follows from the Scale, and not from how long it was there."""
    points = [
        (scale, float(sum(call.token == token for call in sequence)))
        for scale, sequence in zip(scales, sequences, strict=False)
    ]
    lasting = [sequence[-1].start_s - sequence[0].start_s for sequence in sequences if sequence]
    if len({str(sorted(scale.items())) for scale, _ in points}) < _SCALES_NEEDED:
        return False
    fit = fit_count(points)
    if fit.count is None or not fit.sure:
        return False
    return bool(fit.count.slopes) or max(lasting) > _LONGER * min(lasting)


@dataclass(slots=True)
class _Around:
    """What stands beside the occurrences of a call."""

    before: Counter[Token] = field(default_factory=Counter)
    after: Counter[Token] = field(default_factory=Counter)
    alone: int = 0
    """Occurrences right after another of the same."""
    total: int = 0

    @property
    def restless(self) -> bool:
        """Whether it has no fixed place: a loop with a pause in it is regular too, but its neighbours stay."""
        return 2 * self.alone >= self.total or (len(self.before) > 1 and len(self.after) > 1)


def _collect(
    sequence: Sequence[Logical],
    gaps: Mapping[Token, list[_Gap]],
    around: Mapping[Token, _Around],
    lowered: Mapping[str, LoweredInterval],
) -> None:
    latest: dict[Token, Logical] = {}
    for at, call in enumerate(sequence):
        if call.token in latest:
            before = latest[call.token]
            gap_s, period = call.start_s - before.start_s, lowered.get(call.token[1])
            answer_s = before.event.end_s - before.start_s
            gaps[call.token].append(_Gap(gap_s if period is None else period.rescaled(gap_s), answer_s))
        latest[call.token] = call
        place = around[call.token]
        place.total += 1
        if at:
            neighbour = sequence[at - 1].token
            place.alone += neighbour == call.token
            place.before.update([neighbour] if neighbour != call.token else [])
        if at + 1 < len(sequence) and sequence[at + 1].token != call.token:
            place.after[sequence[at + 1].token] += 1


def _period(gaps: Sequence[_Gap]) -> Period | None:
    """The period, or the pause after an answer, whichever varies less: by enough that it is no accident."""
    if not gaps:
        return None
    every_s, jitter_s = _middle([gap.whole_s for gap in gaps])
    pause_s, varies_s = _middle([gap.whole_s - gap.answer_s for gap in gaps])
    if pause_s >= _SHORTEST_S and varies_s < _STEADIER * jitter_s and len(gaps) >= _GAPS_NEEDED:
        return Period(round(every_s, 3), round(varies_s, 4), round(pause_s, 3))
    return Period(round(every_s, 3), round(jitter_s, 4))


def _middle(seconds: Sequence[float]) -> tuple[float, float]:
    """Median and median absolute deviation."""
    middle = median(seconds)
    return middle, median(abs(each - middle) for each in seconds)


def _regular(gaps: Sequence[_Gap]) -> bool:
    every_s, jitter_s = _middle([gap.whole_s for gap in gaps])
    return every_s >= _SHORTEST_S and jitter_s <= _REGULAR * every_s and len(gaps) >= _GAPS_NEEDED
