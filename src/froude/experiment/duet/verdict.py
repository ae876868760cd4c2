"""What a duet's slices say of the candidate, at each of five looks. Pure.

Slices that are close in time depend on each other, so that the mean of a batch of them is one value, and the pairs of
batches are compared by a t-test: four batches more at each look. Where neighbouring batches still depend on each other,
the standard error is larger by what a series with such a correlation asks for. To it comes what two JVMs of one and the
same program differ by (`PAIR_ERROR`), of which the slices of one duet show nothing.

A look is made at the level of O'Brien and Fleming's bound for it, so that the chance of a false difference at any look
is at most the level asked for. Service time, CPU time for a call and throughput have an equal share of that level, and
errors a tenth. Service time is a mean over methods of what was answered: calls that are not answered are seen in the
throughput of a load that is kept up, and in the seconds in which a target was silent.

Source: Law and Kelton, "Confidence Intervals for Steady-State Simulations" (Operations Research 32, 1984), for batch
means; `base.statistics.obrien_fleming`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from froude.base.statistics import Shift, Tested, obrien_fleming, shift_of
from froude.experiment.compare.compare import Outcome, Row, change_text, row_of, share_error
from froude.experiment.compare.measures import CPU_PER_CALL, Measure, Sort
from froude.experiment.duet.slices import Batch, Slice, batches_of

LOOKS, BATCHES = 5, 4
"""Looks at most, and batches that come with each."""
SERVICE_TIME = "service time"
_SERVICE = Measure(SERVICE_TIME, "mean over methods of the time of an answer", "s", Sort.LATENCY)
_CPU = Measure(CPU_PER_CALL, "CPU time of the target for a call", "s", Sort.COST)
_THROUGHPUT = Measure("throughput", "answered calls in a second", "calls/s", Sort.THROUGHPUT)
_ERRORS = Measure("errors", "share of the calls that failed", "share", Sort.ERRORS)
_RATIOS = 3
"""Measures that are compared by their ratio, and share the rest of the level."""
_MOST_LAG = 0.9
"""Correlation of neighbouring batches above which it is not believed."""
_ERRORS_SHARE = 0.1
"""Of the level, for errors."""
PAIR_ERROR = 0.01
"""Standard deviation of the logarithm by which two JVMs of one and the same program differ."""
SILENT_S = 10.0
"""A target that answers nothing for so long, while the other does, is worse."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was known at one look."""

    number: int
    """From 1."""
    outcome: Outcome
    rows: tuple[Row, ...]
    """Service time, CPU time for a call, throughput, errors; those that are known."""
    silent_s: tuple[float, float] = (0.0, 0.0)
    """Seconds in which baseline or candidate answered nothing, though the other did."""

    @property
    def clear(self) -> bool:
        """Whether nothing more has to be measured."""
        return self.outcome is not Outcome.OPEN

    @property
    def text(self) -> str:
        """The changes and their intervals, in a few words."""
        changes = (
            f"{row.measure} {change_text(row.change, row.sort)} "
            f"({change_text(row.low, row.sort)} to {change_text(row.high, row.sort)})"
            for row in self.rows
            if row.sort is not Sort.ERRORS
        )
        return f"look {self.number} of {LOOKS}: {', '.join(changes) or 'nothing to compare'}"


def look_at(slices: Sequence[Slice], number: int, *, margin: float, level: float) -> Look:
    """Compare both arms by all slices so far.

    Args:
        slices: since both were measured; none for a look that comes before any was whole.
        number: of the look, 1 to `LOOKS`.
        margin: share by which a candidate may differ and still count as the same, above 0.
        level: chance of a false difference in any measure at any look, 0 to 1.
    """
    batches = batches_of(slices, BATCHES * number) if len(slices) >= BATCHES * number else []
    if not batches:
        return Look(number, Outcome.OPEN, ())
    tested_at = _level(level * (1 - _ERRORS_SHARE) / _RATIOS, number)
    measured = (
        (_SERVICE, [each.service_s for each in batches]),
        (_CPU, [each.cpu_s for each in batches]),
        (_THROUGHPUT, [each.calls_per_s for each in batches]),
    )
    rows = [
        row for measure, pairs in measured if (row := ratio(measure, pairs, tested_at, margin)) is not None
    ]
    rows.append(_errors(batches, _level(level * _ERRORS_SHARE, number)))
    silent_s = Batch(tuple(slices)).silent_s
    return Look(number, _outcome(rows, silent_s), tuple(rows), silent_s)


def explained(batches: Sequence[Batch], level: float, margin: float) -> Iterator[Row]:
    """Service time of each method, which decides nothing."""
    for name in methods_of(batches):
        measure = Measure(f"service time({name})", f"time of an answer of {name}", "s", Sort.RESOURCE)
        row = ratio(measure, [each.method_s(name) for each in batches], level, margin)
        if row is not None:
            yield row


def methods_of(batches: Sequence[Batch]) -> list[str]:
    """The methods whose service time is known in any slice."""
    return sorted({name for batch in batches for each in batch.slices for name in each.service_s})


def _level(level: float, number: int) -> float:
    return obrien_fleming(LOOKS, level)[number - 1]


def ratio(
    measure: Measure, pairs: Sequence[tuple[float, float] | None], level: float, margin: float
) -> Row | None:
    """A measure that is compared by its ratio; None where not every batch has it.

    Args:
        pairs: of baseline and candidate, by batch.
    """
    known = [pair for pair in pairs if pair is not None and min(pair) > 0]
    if len(known) < max(2, len(pairs)):
        return None
    values = tuple(pair[0] for pair in known), tuple(pair[1] for pair in known)
    logs = [[math.log(value) for value in arm] for arm in values]
    shift = _widened(shift_of(logs[0], logs[1], paired=True), [b - a for a, b in zip(*logs, strict=True)])
    return row_of(measure, values, shift, Tested(level, shift.p <= level), margin=margin, paired=True)


def _widened(shift: Shift, apart: Sequence[float]) -> Shift:
    """A shift with what batches that depend on each other, and two JVMs, add to its error.

    Args:
        apart: the differences of the batches, in their order.
    """
    moved = [each - shift.mean for each in apart]
    total = sum(each**2 for each in moved)
    lag = sum(a * b for a, b in pairwise(moved)) / total if total else 0.0
    lag = min(_MOST_LAG, max(0.0, lag + 1 / len(apart)))  # an estimate from so few is too small by about 1/n
    error = math.hypot(shift.error * math.sqrt((1 + lag) / (1 - lag)), PAIR_ERROR)
    return replace(shift, error=error)


def _errors(batches: Sequence[Batch], level: float) -> Row:
    shares = [batch.error_shares for batch in batches]
    values = tuple(pair[0] for pair in shares), tuple(pair[1] for pair in shares)
    every = [each for batch in batches for each in batch.slices]
    errors, calls = (
        [sum(getattr(each, name)[arm] for each in every) for arm in (0, 1)] for name in ("errors", "calls")
    )
    least = share_error([(errors[arm], errors[arm] + calls[arm]) for arm in (0, 1)])
    shift = shift_of(values[0], values[1], paired=True, least_error=least)
    tested = Tested(level, shift.p <= level)
    return row_of(_ERRORS, values, shift, tested, margin=0.0, paired=True)


def _outcome(rows: Sequence[Row], silent_s: tuple[float, float]) -> Outcome:
    """Worse where any measure is; else better or the same where every ratio is known, and one of them."""
    if any(row.outcome is Outcome.WORSE for row in rows) or silent_s[1] >= SILENT_S > silent_s[0]:
        return Outcome.WORSE
    ratios = [row.outcome for row in rows if row.sort is not Sort.ERRORS]
    if len(ratios) < _RATIOS or Outcome.OPEN in ratios or silent_s[0] >= SILENT_S:
        return Outcome.OPEN
    return Outcome.BETTER if Outcome.BETTER in ratios else Outcome.SAME
