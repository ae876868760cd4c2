"""Two designs of a duet and the error of what each finds: both arms under load together, or in turns. Pure.

Together, each slice is of both arms. In turns each slice is of one arm, in the order A B B A A B B A, and neighbouring
slices of A and B are a pair. A pair's value is the logarithm of candidate over baseline.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from statistics import fmean, stdev
from typing import NamedTuple

from froude.experiment.duet.slices import LEAST_CALLS

_ORDER = (0, 1, 1, 0)
_MOST_LAG = 0.9
"""Correlation of neighbouring pairs above which it is not believed, as in a duet."""


class Design(Enum):
    """Which arms are under load in a slice."""

    TOGETHER = "together"
    TURNS = "turns"

    def arms(self, slice_number: int) -> tuple[int, ...]:
        """Those under load in a slice; 0 is the baseline.

        Args:
            slice_number: from 0.
        """
        return (0, 1) if self is Design.TOGETHER else (_ORDER[slice_number % len(_ORDER)],)

    def pairs(self, slices: int) -> list[tuple[int, int]]:
        """Numbers of the slices of baseline and candidate, pair by pair.

        Args:
            slices: how many there are; a last one without a neighbour is left out.
        """
        if self is Design.TOGETHER:
            return [(number, number) for number in range(slices)]
        neighbours = [(number, number + 1) for number in range(0, slices - 1, 2)]
        return [(a, b) if self.arms(a) == (0,) else (b, a) for a, b in neighbours]

    def intervals(self, arm: int, borders_s: Sequence[float]) -> list[tuple[float, float]]:
        """When an arm is under load; slices in a row are one interval.

        Args:
            arm: 0 or 1.
            borders_s: begin of each slice, and the end of the last.
        """
        found: list[tuple[float, float]] = []
        for number, (from_s, to_s) in enumerate(pairwise(borders_s)):
            if arm in self.arms(number):
                begin_s = found.pop()[0] if found and found[-1][1] == from_s else from_s
                found.append((begin_s, to_s))
        return found


class Call(NamedTuple):
    """One call that was answered; times are on the clock of the slices."""

    begun_s: float
    ended_s: float
    method: str


class Used(NamedTuple):
    """CPU seconds that a target has used up to a moment."""

    time_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Part:
    """What was measured of one arm in one slice."""

    service_log: dict[str, float]
    """By method, the mean of the logarithms of its answers' seconds; of methods that were answered often enough."""
    cpu_s: float
    """For a call; 0 where there was none."""
    calls: int


def part_of(calls: Sequence[Call], from_s: float, to_s: float, used: tuple[Used, Used]) -> Part:
    """One arm in one slice.

    Args:
        calls: of the arm. Service times are of those that begin and end in the slice; CPU time is divided by those that
            end between its two samples.
        from_s: begin of the slice.
        to_s: its end.
        used: samples near both.
    """
    logs: dict[str, list[float]] = {}
    for call in calls:
        if from_s <= call.begun_s and call.ended_s <= to_s:
            logs.setdefault(call.method, []).append(math.log(call.ended_s - call.begun_s))
    ended = sum(used[0].time_s <= call.ended_s < used[1].time_s for call in calls)
    return Part(
        {method: fmean(each) for method, each in logs.items() if len(each) >= LEAST_CALLS},
        (used[1].cpu_s - used[0].cpu_s) / ended if ended else 0.0,
        ended,
    )


def service_ratio(first: Part, second: Part) -> float | None:
    """Logarithm of candidate over baseline, a mean over methods; None where they share no method."""
    both = first.service_log.keys() & second.service_log.keys()
    return fmean(second.service_log[each] - first.service_log[each] for each in both) if both else None


def cpu_ratio(first: Part, second: Part) -> float | None:
    """Logarithm of candidate over baseline; None where either is not known."""
    known = min(first.cpu_s, second.cpu_s) > 0
    return math.log(second.cpu_s / first.cpu_s) if known else None


def standard_error(values: Sequence[float]) -> float:
    """Of a mean; larger where neighbours depend on each other, as a first-order autoregressive series asks for.

    Args:
        values: of pairs, in their order; two at least.
    """
    mean = fmean(values)
    apart = [each - mean for each in values]
    total = sum(each**2 for each in apart)
    lag = sum(a * b for a, b in pairwise(apart)) / total if total else 0.0
    lag = min(_MOST_LAG, max(0.0, lag + 1 / len(values)))
    return stdev(values) / math.sqrt(len(values)) * math.sqrt((1 + lag) / (1 - lag))


def designs(blocks: int) -> Iterator[Design]:
    """The design of each block, so that what drifts is shared by both: together, turns, turns, together."""
    both = (Design.TOGETHER, Design.TURNS)
    yield from (both[_ORDER[number % len(_ORDER)]] for number in range(blocks))
