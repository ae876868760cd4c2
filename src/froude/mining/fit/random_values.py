"""Named generators for what is random by nature: by the leaf's name, or for the numbers within a text."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from statistics import fmean, pstdev

from froude.mining.read.elements import leaf_name
from froude.mining.read.knowledge import GAUGES, SIZES
from froude.workload.generators import recognise
from froude.workload.types import Generated, Scalar

FEWEST = 2
"""Values before a generator is made of them: one says nothing of how another may be."""


def gauge(path: str, present: Sequence[Scalar]) -> Generated | None:
    """A reading of a machine's load, between the least and the most that was seen; None for other leaves."""
    numbers = [v for v in present if isinstance(v, int | float) and not isinstance(v, bool)]
    if leaf_name(path) not in GAUGES or not numbers or len(numbers) < len(present):
        return None
    return Generated("gauge", {"low": min(numbers), "high": max(numbers)})


def by_name(path: str, present: Sequence[Scalar]) -> Generated | None:
    """A size or a port, which no rule explains; None for other leaves, and where too few were seen.

    Sizes are drawn from a log-normal distribution: files that a program writes of a run differ by factors.
    """
    numbers = [value for value in present if type(value) is int and value > 0]
    if len(numbers) < max(FEWEST, len(present)):
        return None
    name = leaf_name(path)
    if name in SIZES:
        logs = [log(number) for number in numbers]
        return Generated("size", {"median": round(exp(fmean(logs))), "spread": round(pstdev(logs), 4)})
    return Generated("port") if name.lower().endswith("port") and max(numbers) < 1 << 16 else None


def of_digits(column: Sequence[str]) -> Generated | None:
    """What makes the numbers that stand at one place of a text; None where too few were seen.

    Args:
        column: digits, as they are written in each text.
    """
    if len(column) < FEWEST or not all(digits.isdecimal() for digits in column):
        return None
    numbers = [int(digits) for digits in column]
    times = recognise(numbers)
    if times is not None and times.generator == "epoch-ms":
        return times
    width = len(column[0]) if len({len(digits) for digits in column}) == 1 and column[0][0] == "0" else 0
    return Generated(
        "number", {"low": min(numbers), "high": max(numbers)} | ({"width": width} if width else {})
    )
