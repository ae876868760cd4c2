"""Calls of real time, told from calls of logical time by their timing (PatternMiner III.B.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from froude.mining.canonical import Logical, Token
from froude.mining.knowledge import REAL_TIME

_SHORTEST_S = 0.2
"""Below this, regular gaps are just a fast loop."""
_REGULAR = 0.05
"""Largest median deviation of the gaps, as a share of their median."""
_GAPS_NEEDED = 6
"""Gaps, over all senders of a role and all runs, before a period is believed."""


@dataclass(frozen=True, slots=True)
class Period:
    """How regularly a call is made."""

    every_s: float
    jitter_s: float


def find_periodic(sequences: Iterable[Sequence[Logical]]) -> dict[Token, Period]:
    """The real-time calls of one role, from the sequences of all its senders in all runs.

    A call is of real time when its gaps are regular and its place among the sender's other calls is not, or
    when it is listed as such (`knowledge.REAL_TIME`), so that a run too short to show a period does not hide
    it.
    """
    gaps: dict[Token, list[float]] = defaultdict(list)
    neighbours: dict[Token, set[tuple[Token | None, Token | None]]] = defaultdict(set)
    tokens: set[Token] = set()
    for sequence in sequences:
        _collect(sequence, gaps, neighbours)
        tokens.update(call.token for call in sequence)
    found = {}
    for token in sorted(tokens):
        period = _period(gaps[token])
        listed = token[1] in REAL_TIME
        if period is None or not (listed or _looks_real(gaps[token], period, neighbours[token], token)):
            if not listed:
                continue
            period = period or Period(1.0, 0.0)
        found[token] = period
    return found


def _collect(
    sequence: Sequence[Logical],
    gaps: Mapping[Token, list[float]],
    neighbours: Mapping[Token, set[tuple[Token | None, Token | None]]],
) -> None:
    latest: dict[Token, float] = {}
    for at, call in enumerate(sequence):
        if call.token in latest:
            gaps[call.token].append(call.start_s - latest[call.token])
        latest[call.token] = call.start_s
        before = sequence[at - 1].token if at else None
        after = sequence[at + 1].token if at + 1 < len(sequence) else None
        neighbours[call.token].add((before, after))


def _period(gaps: Sequence[float]) -> Period | None:
    if not gaps:
        return None
    middle = median(gaps)
    return Period(round(middle, 3), round(median(abs(gap - middle) for gap in gaps), 4))


def _looks_real(
    gaps: Sequence[float], period: Period, around: set[tuple[Token | None, Token | None]], token: Token
) -> bool:
    regular = period.every_s >= _SHORTEST_S and period.jitter_s <= _REGULAR * period.every_s
    # A loop with a pause in it is regular too, but the same calls always stand beside it.
    strangers = {pair for pair in around if None not in pair and pair != (token, token)}
    return regular and len(gaps) >= _GAPS_NEEDED and (len(strangers) > 1 or around >= {(token, token)})
