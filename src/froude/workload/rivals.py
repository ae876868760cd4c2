"""Formulas that the recordings cannot tell apart: where they part, and the run that would decide.

A line and a number of pieces, a product and a square: through three sizes several may go. As long as they come to
about the same at the Scale that is asked for, it does not matter which is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.workload.scale import Count, Scale

APART = 0.05
"""Two formulas are at odds where they differ by more than this share of the larger."""
_STEPS = 16
"""Values of a variable that are tried as the size of a further run, up to twice its largest recorded one."""


def at_odds(formulas: Sequence[Count], scale: Mapping[str, Quantity]) -> bool:
    """Whether formulas come to numbers of things at a Scale that differ by more than `APART`.

    Args:
        formulas: of one number; one that cannot be worked out there is at odds with any other.
    """
    numbers = [number_at(formula, scale) for formula in formulas]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return len(formulas) > 1
    return bool(known) and max(known) - min(known) > APART * max(known)


def deciding_run(formulas: Sequence[Count], recorded: Sequence[Mapping[str, Quantity]]) -> Scale | None:
    """The smallest run at which formulas come to different numbers, one variable of a recorded run changed.

    Args:
        formulas: of one number, which are the same at all that was recorded.

    Returns:
        The run that tells most pairs of them apart, of these the smallest; None where none of those tried does.
    """
    names = sorted({name for formula in formulas for name in formula.variables})
    largest = {name: max((run[name].value for run in recorded if name in run), default=0.0) for name in names}

    def weight(run: Mapping[str, Quantity]) -> tuple[int, float, float]:
        sizes = [run[name].value / largest[name] for name in names if largest[name]]
        alike = sum(number_at(one, run) == number_at(other, run) for one, other in combinations(formulas, 2))
        return alike, max(sizes), sum(sizes)

    runs: list[Mapping[str, Quantity]] = [
        run for run in _runs(recorded, names, largest) if weight(run)[0] < _pairs(len(formulas))
    ]
    smallest: Mapping[str, Quantity] | None = min(runs, key=weight, default=None)
    return None if smallest is None else Scale(dict(smallest))


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


def _runs(
    recorded: Sequence[Mapping[str, Quantity]], names: Sequence[str], largest: Mapping[str, float]
) -> Iterator[Mapping[str, Quantity]]:
    for run in recorded:
        for name in names:
            if name not in run or not largest[name]:
                continue
            for value in _values(largest[name]):
                if value != run[name].value:
                    yield {**run, name: Quantity(value, run[name].unit)}


def _values(largest: float) -> list[float]:
    """Whole values up to twice the largest, evenly."""
    step = max(1.0, 2 * largest / _STEPS)
    return sorted({float(round(step * number)) for number in range(1, _STEPS + 1)} - {0.0})


def number_at(formula: Count, scale: Mapping[str, Quantity]) -> int | None:
    """A number of things at a Scale; None where it cannot be worked out, as what is shared out among none.

    Args:
        formula: of the number.
    """
    try:
        return formula.whole_at(scale)
    except InputError:
        return None
