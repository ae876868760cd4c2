"""Numbers of loops that follow from the round of a loop around them: from the fourth round on, every fourth time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from froude.base.units import Quantity
from froude.mining.counts import LARGEST_GROUP, fit_count
from froude.workload.scale import Count

FEWEST_ROUNDS = 6
"""Different rounds that must have been seen before a number may follow from them: fewer would fit by chance."""
_FEWEST_AFTER = 3
"""Rounds with a call after those that were without, before it is said to begin there."""
_FEWEST_GROUPS = 2
"""Whole groups of rounds that must have been seen before they are believed."""


def fit_rounds(points: Sequence[tuple[Mapping[str, int], int]]) -> Count | None:
    """A loop's number from the round of one of the loops around it, the innermost that decides it.

    Args:
        points: rounds of the loops around it by their ids, outermost first, and how often it ran then.

    Returns:
        The number, which holds the id of that loop; None where none fits every point.
    """
    for loop in reversed(list(points[0][0]) if points else []):
        by_round: dict[int, int] = {}
        decided = all(by_round.setdefault(rounds[loop], times) == times for rounds, times in points)
        if not decided or len(by_round) < FEWEST_ROUNDS or len(set(by_round.values())) < 2:
            continue
        for count in _counts(loop, by_round):
            if all(count.whole_at({loop: Quantity(float(n))}) == times for n, times in by_round.items()):
                return count
    return None


def _counts(loop: str, by_round: Mapping[int, int]) -> Iterator[Count]:
    """What may be right, simplest first."""
    without = [number for number, times in by_round.items() if not times]
    after = [number for number, times in by_round.items() if times]
    if without and len(after) >= _FEWEST_AFTER and max(without) < min(after):
        times = by_round[after[0]]
        yield Count(float(-times * (min(after) - 1)), {loop: float(times)}, float(times))
    if after and len(without) >= _FEWEST_AFTER and max(after) < min(without):
        times = by_round[after[0]]
        yield Count(float(times * (max(after) + 1)), {loop: float(-times)}, float(times))
    yield from _in_turn(loop, by_round)
    line = fit_count([({loop: Quantity(float(n))}, float(times)) for n, times in by_round.items()])
    if line.count is not None and line.sure:
        yield line.count


def _in_turn(loop: str, by_round: Mapping[int, int]) -> Iterator[Count]:
    """Two numbers that take turns: at some rounds of every group, which lie side by side, it is the other one.

    From `(L1+3)//4 - L1//4` follows 1 in the last three of every four rounds, 0 in the first.
    """
    for size in range(2, min(LARGEST_GROUP, (max(by_round) + 1) // _FEWEST_GROUPS) + 1):
        table = {number % size: times for number, times in by_round.items()}
        if len(table) < size or len(set(table.values())) != 2:
            continue
        usual = table[0]
        others = [place for place in range(size) if table[place] != usual]
        if others != list(range(others[0], others[-1] + 1)):
            continue
        more = float(table[others[0]] - usual)
        if size == 2:
            yield Count(float(usual), {f"{loop}%2": more})
            continue
        begun, ended = size - others[0], size - 1 - others[-1]
        yield Count(float(usual), {_moved(loop, begun, size): more, _moved(loop, ended, size): -more})


def _moved(loop: str, plus: int, size: int) -> str:
    return f"({loop}+{plus})//{size}" if plus else f"{loop}//{size}"
