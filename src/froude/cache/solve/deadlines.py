"""The split that ends jobs soonest: a deadline for each application, and the smallest caches that meet it.

A job that ends with its slowest VM gains nothing by a cache for another one. So the unknowns are not sizes but limits:
how many misses each application's VMs may have at most. A limit says, through the inverse of each curve, the smallest
size of each of its VMs; that is exact on curves of any shape. What all limits leave of an SSD goes to the VMs of other
applications, by the dynamic program, whose table holds the best split of every remainder at once. So a set of limits
costs a look into a table, and all sets are compared where they are few, else improved one or two at a time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from froude.cache.solve.choices import Ints
from froude.cache.solve.completion import Completion
from froude.cache.solve.exact import Table, table
from froude.cache.solve.max_min import Floats
from froude.cache.solve.sites import Site
from froude.cache.solve.state import Vm, written

_MOST_SETS = 1 << 18
"""Sets of limits compared at once."""
_MOST_PAIRED = 12
"""Applications improved two at a time; more than these one at a time."""
_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Goal:
    """An application whose jobs end with their slowest VM."""

    name: str
    model: Completion
    weight: float


@dataclass(frozen=True, slots=True)
class _Limits:
    """Limits of an application from the loosest on, and what they need: the rows that none other surpasses."""

    times: Floats
    """Weighed time of its jobs at each limit, falling; shape (k,)."""
    costs: Floats
    """The same with what its VMs write to the SSDs."""
    needs: Ints
    """Steps of each site; shape (k, sites)."""
    by_vm: Mapping[str, Ints]
    """Steps of each VM; shape (k,)."""


@dataclass(frozen=True, slots=True)
class Met:
    """The best limits, and the sizes that they lead to."""

    steps: Mapping[str, int]
    """By VM, above its floor."""
    needed: Mapping[str, int]
    """Those of VMs with a deadline that it takes; the rest is what was left over."""
    exact: bool
    """Whether every set of limits was compared."""
    cost: float
    """Weighed seconds of all applications."""
    times: Mapping[str, float] = field(default_factory=dict)
    """Of a job of each goal."""


def meet(on: Sequence[Site], goals: Sequence[Goal], other: Mapping[str, float]) -> Met:
    """The best limits.

    Args:
        goals: applications with a deadline; VMs named in their models belong to one each.
        other: of each other VM what it costs, in the goals' weighed seconds, that it misses every read.
    """
    members = {vm for goal in goals for vm in goal.model.reads}
    rest = [_rest(site, members, other) for site in on]
    limits = [_limits(on, goal) for goal in goals]
    board = _Board(limits, [each.values for each in rest], np.array([site.steps for site in on]))
    chosen, exact = _best(board)
    needed = {
        vm: int(steps[at])
        for limit, at in zip(limits, chosen, strict=True)
        for vm, steps in limit.by_vm.items()
    }
    found: dict[str, int] = dict(needed)
    for site, others in zip(on, rest, strict=True):
        mine = [vm for vm in site.vms if vm.name in members]
        left = site.steps - sum(needed[vm.name] for vm in mine)
        split = others.split(left)
        found |= dict(zip((vm.name for vm in site.vms if vm.name not in members), split, strict=True))
        left -= sum(split)
        spare = table(
            [site.choices(vm, vm.importance * vm.reads_per_s, needed[vm.name]) for vm in mine], left
        )
        for vm, more in zip(mine, spare.split(left), strict=True):
            found[vm.name] += more
    times = {
        goal.name: float(limit.times[at]) / goal.weight
        for goal, limit, at in zip(goals, limits, chosen, strict=True)
        if goal.weight
    }
    return Met(found, needed, exact, board.cost(chosen), times)


def _rest(site: Site, members: set[str], other: Mapping[str, float]) -> Table:
    """Best splits among the VMs without a deadline."""
    return table([site.choices(vm, other[vm.name]) for vm in site.vms if vm.name not in members], site.steps)


def _limits(on: Sequence[Site], goal: Goal) -> _Limits:
    """Every limit that makes a difference, with its needs."""
    members = [
        (number, site, vm, goal.model.reads[vm.name])
        for number, site in enumerate(on)
        for vm in site.vms
        if vm.name in goal.model.reads
    ]
    misses = {vm.name: _reachable(site, vm, reads) for _, site, vm, reads in members}
    levels = np.unique(np.concatenate([each[1] for each in misses.values()]))[::-1] if misses else np.zeros(1)
    # a limit below what one VM can reach is met by none, and one above what all have at their floors is no limit
    least = max((each[1][-1] for each in misses.values()), default=0.0)
    loosest = max((each[1][0] for each in misses.values()), default=0.0)
    levels = levels[(levels >= least) & (levels <= loosest)]
    by_vm = {}
    for name, (units, counts) in misses.items():
        at = len(counts) - np.searchsorted(counts[::-1], levels, side="right")
        by_vm[name] = units[np.minimum(at, len(units) - 1)]
    needs = np.zeros((len(levels), len(on)), np.int64)
    for number, _, vm, _ in members:
        needs[:, number] += by_vm[vm.name]
    fits = (needs <= np.array([site.steps for site in on])).all(axis=1)
    times = goal.weight * (goal.model.fixed_s + goal.model.miss_s * levels)
    costs = times + sum(_writing(site, vm, by_vm[vm.name]) for _, site, vm, _ in members)
    by_vm = {name: units[fits] for name, units in by_vm.items()}
    return _Limits(times[fits], costs[fits], needs[fits], by_vm)


def _writing(site: Site, vm: Vm, units: Ints) -> Floats:
    """What a VM's writes to the SSD cost with so many steps."""
    if not site.price:
        return np.zeros(len(units))
    sizes = vm.floor_bytes + units * site.step_bytes
    return site.price * np.array([written(vm, size) for size in sizes.tolist()])


def _reachable(site: Site, vm: Vm, reads: float) -> tuple[Ints, Floats]:
    """Steps worth having, and the misses of a job at each, falling."""
    found = replace(site, price=0.0).choices(vm, reads)
    keep = np.append(True, found.costs[1:] < found.costs[:-1])
    return found.units[keep], found.costs[keep]


@dataclass(frozen=True, slots=True)
class _Board:
    """All that a set of limits is judged by."""

    limits: Sequence[_Limits]
    rest: Sequence[Floats]
    """Of each site: the cost of the other VMs by steps left for them."""
    steps: Ints

    def cost(self, chosen: Sequence[int]) -> float:
        """Of one set: numbers of the limits, by application."""
        used = self._used(chosen, ())
        left = self.steps - used
        if (left < 0).any():
            return math.inf
        own = sum(float(limit.costs[at]) for limit, at in zip(self.limits, chosen, strict=True))
        return own + sum(float(values[n]) for values, n in zip(self.rest, left, strict=True))

    def best(self, chosen: Sequence[int], varied: Sequence[int], rows: Sequence[Ints]) -> list[int]:
        """The best set in which some applications have others of their limits.

        Args:
            varied: numbers of the applications whose limits are compared.
            rows: of each of these, numbers of the limits to compare.
        """
        shape = tuple(len(row) for row in rows)
        along = [tuple(-1 if axis == own else 1 for axis in range(len(rows))) for own in range(len(rows))]
        picked = [(self.limits[number], row, to) for number, row, to in zip(varied, rows, along, strict=True)]
        total = np.zeros(shape)
        for limit, row, to in picked:
            total = total + limit.costs[row].reshape(to)
        for site, left in enumerate(self.steps - self._used(chosen, varied)):
            here = np.full(shape, left)
            for limit, row, to in picked:
                here = here - limit.needs[row, site].reshape(to)
            total = total + np.where(here >= 0, self.rest[site][np.maximum(here, 0)], np.inf)
        at = np.unravel_index(int(total.argmin()), shape)
        found = list(chosen)
        for number, row, place in zip(varied, rows, at, strict=True):
            found[number] = int(row[place])
        return found

    def _used(self, chosen: Sequence[int], without: Sequence[int]) -> Ints:
        used = np.zeros(len(self.steps), np.int64)
        for number, (limit, at) in enumerate(zip(self.limits, chosen, strict=True)):
            if number not in without:
                used += limit.needs[at]
        return used


def _best(board: _Board) -> tuple[list[int], bool]:
    """The best set of limits, and whether all were compared."""
    count = len(board.limits)
    loosest = [0] * count
    if not count:
        return [], True
    everything = [np.arange(len(limit.costs)) for limit in board.limits]
    if math.prod(map(len, everything)) <= _MOST_SETS:
        return board.best(loosest, range(count), everything), True
    coarse = max(2, int(_MOST_SETS ** (1 / min(count, 3))))
    starts = []
    if count <= 3:
        rows = [_spread(limit.times, coarse) for limit in board.limits]
        starts.append(board.best(loosest, range(count), rows))
    starts += [loosest, [len(limit.costs) // 2 for limit in board.limits]]
    found = [_improved(board, start) for start in starts if math.isfinite(board.cost(start))]
    return min(found, key=board.cost), False


def _improved(board: _Board, chosen: list[int]) -> list[int]:
    """A set that no change of one or two of its limits betters."""
    count = len(board.limits)
    together = 2 if 2 <= count <= _MOST_PAIRED else 1
    most = int(_MOST_SETS ** (1 / together))
    for _ in range(_ROUNDS):
        before = board.cost(chosen)
        for varied in itertools.combinations(range(count), together):
            rows = [_around(len(board.limits[number].costs), chosen[number], most) for number in varied]
            chosen = board.best(chosen, varied, rows)
        if board.cost(chosen) >= before:
            break
    return chosen


def _spread(times: Floats, most: int) -> Ints:
    """Numbers of limits, evenly spread over their times, the ends among them."""
    levels = np.linspace(times[0], times[-1], most)
    return np.unique(
        np.minimum(len(times) - np.searchsorted(times[::-1], levels, side="right"), len(times) - 1)
    )


def _around(count: int, at: int, most: int) -> Ints:
    """Numbers of limits near one, and the loosest, which always fits."""
    first = max(0, min(at - most // 2, count - most))
    return np.union1d(np.arange(first, min(count, first + most)), [0])
