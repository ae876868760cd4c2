"""At which price the optimum changes, exactly: cost over a price is made of straight lines, so lines are crossed.

A fixed cluster costs more by its number of pieces for each dollar of their price. The least cost over any set of
clusters is thus concave and made of straight pieces, and two such curves cross where two clusters cost the same:
found by crossing the lines of the clusters at both ends, again and again, until the crossing lies on both curves.

Source: Eisner and Severance (1976), "Mathematical techniques for efficient record segmentation"; the paper's
Table 3 (b) asks the question. The price drops, its energy stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.base.progress import Progress, Silent, counting
from froude.base.summary import counted
from froude.provision.analyses.inputs import Input, find_input
from froude.provision.analyses.vary import Line
from froude.provision.search.architecture import (
    Architecture,
    Names,
    architecture_of,
    choices_of,
    cost_at,
)
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan

_SAME = 1e-7
"""Relative; costs nearer than that are the same."""
_ROUNDS = 40
_SPAN = 10.0


@dataclass(frozen=True, slots=True)
class Crossing:
    """A price at which two ways cost the same."""

    price: float
    pieces: tuple[float, float]
    """Pieces bought at that price, of the way held and of the other one."""
    exact: bool
    """Whether two lines cross there that both lie on their curves, and all bounds met."""
    next: Architecture | None
    """Of the other way."""


@dataclass(frozen=True, slots=True)
class PriceRange:
    """Between which prices the architecture of the optimum stays."""

    input: Input
    low: Crossing | None
    """None: it stays down to a price of 0."""
    high: Crossing | None
    """None: it stays up to ten times the price."""


@dataclass(frozen=True, slots=True)
class Drop:
    """How far a unit's price must fall before a dataset lies on it."""

    unit: str
    dataset: str
    crossing: Crossing | None
    """None: not even for nothing."""
    drop: float | None
    """Share of the price, in [0, 1]."""
    why: str = ""
    """Of None: what it would cost more if the unit were free, or why there is no such cluster."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What the optimum's prices decide."""

    plan: ProvisionPlan
    ranges: tuple[PriceRange, ...]
    drops: tuple[Drop, ...]


_Way = Callable[[float], ProvisionPlan]
"""The cheapest cluster of some set, at a price."""


def price_sensitivity(
    problem: Problem, limits: SolveLimits, *, workers: Workers = 1, progress: Progress | None = None
) -> Sensitivity:
    """Ranges of every price, and the drop of every unit's price that moves each dataset onto it.

    Args:
        limits: of each solve; around 10 a price and 10 a pair of unit and dataset.
    """
    shown = progress or Silent()
    plan = compile_plan(problem, limits)
    held = architecture_of(plan)
    if held is None:
        return Sensitivity(plan, (), ())
    prices = [find_input(problem, path) for path in _price_paths(problem)]
    with shown.task(f"ranges of {counted(len(prices), 'price')}", len(prices)) as task:
        ranges = parallel_map(partial(price_range, problem, held, limits), prices, workers, counting(task))
    choices = choices_of(problem, plan)
    pairs = [
        (unit.name, dataset, choices[dataset])
        for unit in problem.catalog.units
        for dataset, names in held.choices
        if unit.name not in names and unit.price > 0
    ]
    with shown.task("prices at which datasets move", len(pairs)) as task:
        drops = parallel_map(partial(_drop, problem, limits), pairs, workers, counting(task))
    return Sensitivity(plan, tuple(ranges), tuple(drops))


def _price_paths(problem: Problem) -> list[str]:
    catalog = problem.catalog
    units = [f"unit.{unit.name}.price" for unit in catalog.units if unit.price > 0]
    cpus = [f"cpu.{cpu.name}.price" for cpu in catalog.cpus if cpu.price > 0]
    return units + cpus + [f"server.{server.name}.price" for server in catalog.servers if server.price > 0]


def price_range(problem: Problem, held: Architecture, limits: SolveLimits, price: Input) -> PriceRange:
    """Both ends of the range of a price over which an architecture that is the best stays it.

    Args:
        price: the one to move; its value is today's.
    """
    line = Line(problem, limits, price)
    own = partial(line.cheapest, only=held.only)
    find = partial(crossing, problem, price, own, line.cheapest, good=price.value)
    return PriceRange(price, find(bad=0.0), find(bad=price.value * _SPAN))


def _drop(problem: Problem, limits: SolveLimits, pair: tuple[str, str, Sequence[Names]]) -> Drop:
    unit, dataset, choices = pair
    price = find_input(problem, f"unit.{unit}.price")
    with_it = [names for names in choices if unit in names]
    without = [names for names in choices if unit not in names]
    if not with_it:
        return Drop(unit, dataset, None, None, "it may not hold the dataset")
    line = Line(problem, limits, price)
    on, off = (partial(line.cheapest, only={dataset: open_}) for open_ in (with_it, without))
    nothing = on(0.0)
    if not nothing.found:
        return Drop(unit, dataset, None, None, "no cluster: " + "; ".join(map(str, nothing.conflict)))
    crossed = crossing(problem, price, on, off, good=0.0, bad=price.value)
    if crossed is None:
        return Drop(unit, dataset, Crossing(price.value, (0.0, 0.0), True, None), 0.0)
    if crossed.price <= 0:
        more = nothing.upper - off(0.0).upper
        return Drop(unit, dataset, None, None, f"${more:,.2f} dearer even if it cost nothing")
    return Drop(unit, dataset, crossed, 1 - crossed.price / price.value)


def crossing(
    problem: Problem, price: Input, held: _Way, other: _Way, *, good: float, bad: float
) -> Crossing | None:
    """The price between two at which one way ceases to be as cheap as another.

    Args:
        held: cheapest at `good`, or as cheap.
        bad: another; where `held` is as cheap at it too, there is no crossing. Where it is dearer at `good`
            already, the crossing is `good` itself.

    Returns:
        None: `held` is as cheap at `bad`.
    """
    try:
        far_held, far = held(bad), other(bad)
    except ValueError:  # a price that a discount on it does not allow
        return None
    if not _dearer(far_held, far):
        return None
    near_held, near = held(good), other(good)
    if _dearer(near_held, near):
        return Crossing(good, _pieces(problem, price, near_held, near), True, architecture_of(near))
    at, exact = good, False
    for _ in range(_ROUNDS):
        at = _meet(problem, price, (good, near_held), (bad, far))
        at = at if min(good, bad) < at < max(good, bad) else (good + bad) / 2
        here_held, here = held(at), other(at)
        there = price.set(problem, at)
        exact = _still(there, near_held, here_held) and _still(there, far, here)
        if exact or abs(good - bad) <= _SAME * abs(bad):
            break
        if _dearer(here_held, here):
            bad, far = at, here
        else:
            good, near_held = at, here_held
    sure = exact and all(plan.gap <= _SAME for plan in (near_held, far))
    return Crossing(at, _pieces(problem, price, near_held, far), sure, architecture_of(far))


def _dearer(plan: ProvisionPlan, other: ProvisionPlan) -> bool:
    return plan.upper > other.upper * (1 + _SAME)


def _line(problem: Problem, price: Input, plan: ProvisionPlan) -> tuple[float, float]:
    """(cost at a price of 0, pieces) of a fixed cluster; linear, so two points tell it."""
    low, high = price.value, price.value + 1.0
    at_low, at_high = (cost_at(price.set(problem, at), plan) for at in (low, high))
    return at_low - low * (at_high - at_low), at_high - at_low


def _meet(
    problem: Problem, price: Input, first: tuple[float, ProvisionPlan], second: tuple[float, ProvisionPlan]
) -> float:
    """Where the lines of two clusters cross; between the prices they were found at where they do not."""
    (base_a, slope_a), (base_b, slope_b) = (_line(problem, price, plan) for _, plan in (first, second))
    if abs(slope_a - slope_b) < _SAME:
        return (first[0] + second[0]) / 2
    return (base_b - base_a) / (slope_a - slope_b)


def _still(problem: Problem, elsewhere: ProvisionPlan, here: ProvisionPlan) -> bool:
    """Whether a cluster found at another price is as cheap as the cheapest here."""
    return cost_at(problem, elsewhere) <= here.upper * (1 + _SAME)


def _pieces(problem: Problem, price: Input, left: ProvisionPlan, right: ProvisionPlan) -> tuple[float, float]:
    first, second = (_line(problem, price, plan)[1] if plan.found else 0.0 for plan in (left, right))
    return first, second
