"""Calls of real time, distinguished from calls of logical time by their timing (PatternMiner III.B.2)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from froude.base.units import Quantity
from froude.mining.canonical import Logical, Token
from froude.mining.counts import fit_count
from froude.mining.knowledge import BATCHES, REAL_TIME, REPORTS

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


@dataclass(frozen=True, slots=True)
class Period:
    """How regularly a call is made."""

    every_s: float
    jitter_s: float


def find_periodic(
    sequences: Sequence[Sequence[Logical]], scales: Sequence[Mapping[str, Quantity]] = ()
) -> dict[Token, Period]:
    """The real-time calls of one role, from the sequences of all its senders in all runs.

    A call is of real time when its gaps are regular and its place among the sender's other calls is not, or
    when it is listed as such (`knowledge.REAL_TIME`), so that a run too short to show a period does not hide
    it. A batch (`knowledge.BATCHES`) carries what happened, and is of logical time however regularly that did.
    So is a call of which there are as many as the Scale says, however long that takes: a loop with a pause.

    Args:
        sequences: of the senders.
        scales: of each sender's run, where the number of calls is to be held against it.
    """
    gaps: dict[Token, list[float]] = defaultdict(list)
    around: dict[Token, _Around] = defaultdict(_Around)
    for sequence in sequences:
        _collect(sequence, gaps, around)
    periods = {}
    for token in sorted(around):
        period = _period(gaps[token])
        if token[1] in REPORTS and token[2]:
            continue
        if token[1] in REAL_TIME:
            periods[token] = period or Period(1.0, 0.0)
        elif token[1] in BATCHES or period is None:
            continue
        elif (
            _regular(gaps[token], period)
            and around[token].restless
            and not _follows(token, sequences, scales)
        ):
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
    sequence: Sequence[Logical], gaps: Mapping[Token, list[float]], around: Mapping[Token, _Around]
) -> None:
    latest: dict[Token, float] = {}
    for at, call in enumerate(sequence):
        if call.token in latest:
            gaps[call.token].append(call.start_s - latest[call.token])
        latest[call.token] = call.start_s
        place = around[call.token]
        place.total += 1
        if at:
            before = sequence[at - 1].token
            place.alone += before == call.token
            place.before.update([before] if before != call.token else [])
        if at + 1 < len(sequence) and sequence[at + 1].token != call.token:
            place.after[sequence[at + 1].token] += 1


def _period(gaps: Sequence[float]) -> Period | None:
    if not gaps:
        return None
    middle = median(gaps)
    return Period(round(middle, 3), round(median(abs(gap - middle) for gap in gaps), 4))


def _regular(gaps: Sequence[float], period: Period) -> bool:
    steady = period.every_s >= _SHORTEST_S and period.jitter_s <= _REGULAR * period.every_s
    return steady and len(gaps) >= _GAPS_NEEDED
