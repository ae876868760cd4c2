"""The split of one SSD whose cost is the least: a dynamic program over VMs and steps, exact on curves of any shape.

Curves of LRU have cliffs (a loop over a file hits nothing until all of it fits), so that no rule which gives the next
step to who gains most from it finds the best split. This one compares all, in the number of VMs times steps times
choices: some milliseconds a VM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from froude.cache.solve.choices import Choices, Ints
from froude.cache.solve.max_min import Floats


@dataclass(frozen=True, slots=True)
class Table:
    """The best splits of every number of steps up to all."""

    values: Floats
    """Least cost by steps that there are, shape (steps + 1,)."""
    picks: tuple[Ints, ...]
    """By VM: the number of its choice, by steps left for it and those before it."""
    choices: tuple[Choices, ...]

    def split(self, steps: int) -> list[int]:
        """Steps of each VM in a best split.

        Args:
            steps: that there are, 0 to those of the table.
        """
        found = []
        for pick, each in zip(reversed(self.picks), reversed(self.choices), strict=True):
            units = int(each.units[pick[steps]])
            found.append(units)
            steps -= units
        return found[::-1]


def table(each: Sequence[Choices], steps: int) -> Table:
    """Best splits of an SSD.

    Args:
        each: choices of every VM; costs add up.
    """
    values = np.zeros(steps + 1)
    picks = []
    for choice in each:
        fits = choice.units <= steps
        units, costs = choice.units[fits], choice.costs[fits]
        # row k: what the VMs before cost with `units[k]` steps fewer
        before = np.concatenate([np.full(steps, np.inf), values])
        totals = sliding_window_view(before, steps + 1)[steps - units] + costs[:, None]
        pick = totals.argmin(axis=0)
        values = totals.min(axis=0)
        picks.append(pick)
    return Table(values, tuple(picks), tuple(each))
