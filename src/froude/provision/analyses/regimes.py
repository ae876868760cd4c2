"""Ranges of the SLA over which one architecture is the best, and the roadmap that changes it the fewest times.

Regimes are found between the points of a sweep by halving; one that begins and ends between two points with the
same best is not seen, so more points find more. The roadmap is a dynamic program over points and architectures:
fewest changes first, then the least cost summed over the points. Its architectures are those of the regimes.

Source: scc Table 2 (regimes); the roadmap is ours (spec 3.2, 5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise

from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.base.progress import Progress, Silent, counting
from froude.base.summary import counted
from froude.provision.analyses.choose import affordable
from froude.provision.analyses.vary import EQUAL, Line, stays_best
from froude.provision.search.architecture import (
    Architecture,
    architecture_of,
    architectures,
    held_cost,
)
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan, Status


@dataclass(frozen=True, slots=True)
class Best:
    """The optimum at one factor."""

    factor: float
    plan: ProvisionPlan

    @property
    def architecture(self) -> Architecture | None:
        """Of the plan; None without a cluster."""
        return architecture_of(self.plan)


@dataclass(frozen=True, slots=True)
class Regime:
    """A range of the SLA factor over which one architecture is the best."""

    architecture: Architecture | None
    """None: no cluster meets the SLA."""
    first: Best
    """At the lowest factor at which it was found to be the best."""
    last: Best
    """At the highest; the next regime's `first` lies within the tolerance above it."""
    proved: bool
    """Whether all solves that it rests on closed their gap."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the roadmap: one architecture over a range of factors."""

    architecture: Architecture
    first: float
    """The factor from which it is used."""
    last: float
    until: float
    """Highest factor found at which it is still within the tolerance of the roadmap: the change may wait till there."""
    worst: float
    """Largest extra cost over the optimum at the points of the stage, relative."""
    cost: tuple[float, ...]
    """Dollars at each of its points."""


@dataclass(frozen=True, slots=True)
class Roadmap:
    """The regimes, and the fewest changes that stay near the optimum."""

    points: tuple[Best, ...]
    """The sweep, ascending; only factors with a cluster are part of the stages."""
    regimes: tuple[Regime, ...]
    stages: tuple[Stage, ...]
    within: float
    """Relative extra cost that the roadmap may have."""
    tolerance: float
    """Relative width of a regime's boundary."""
    candidates: int
    """Architectures that the roadmap chose from."""


def roadmap(
    problem: Problem,
    factors: Sequence[float],
    limits: SolveLimits,
    *,
    allowance: float = 0.01,
    tolerance: float = 0.01,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Roadmap:
    """Regimes over the factors, and the roadmap.

    Args:
        problem: the inputs; the SLA is scaled as a whole.
        factors: of the sweep, ascending, above 0.
        allowance: extra cost that the roadmap may have at any point, relative to the best cluster found there.
        tolerance: relative width at which a boundary is known well enough.
        workers: see `froude.base.parallel`; points go apart.
    """
    shown = progress or Silent()
    study = _Study(Line(problem, limits), allowance, tolerance)
    with shown.task(f"compiling {counted(len(factors), 'load')}", len(factors)) as task:
        points = parallel_map(
            study.best,
            factors,
            workers,
            counting(task, lambda best: f"load x{best.factor:.3g}: {best.plan.in_brief}"),
        )
    with shown.task("where the architecture changes", len(points) - 1) as task:
        gaps = parallel_map(study.between, list(pairwise(points)), workers, counting(task))
    bests = list(points[:1])
    for inner, point in zip(gaps, points[1:], strict=True):
        bests += [*inner, point]
    every = architectures(best.plan for best in bests)
    with shown.task(f"prices of {counted(len(every), 'architecture')} at each load", len(points)) as task:
        table = parallel_map(partial(study.priced, every), points, workers, counting(task))
    candidates = len({architecture for row in table for architecture in row})
    stages = tuple(study.stages(points, table))
    return Roadmap(tuple(points), _regimes(bests), stages, allowance, tolerance, candidates)


_Row = Mapping[Architecture, float]


@dataclass(frozen=True, slots=True)
class _Study:
    """What every solve of a roadmap shares; pickles, so that its methods go to workers."""

    line: Line
    """Over the multiples of the SLA."""
    allowance: float
    tolerance: float

    @property
    def _look(self) -> SolveLimits:
        """For candidates, whose cost counts and whose proof does not."""
        limits = self.line.limits
        return replace(limits, gap=max(limits.gap, self.allowance / 4))

    def best(self, factor: float) -> Best:
        return Best(factor, self.line.cheapest(factor))

    def between(self, pair: tuple[Best, Best]) -> list[Best]:
        """What is the best at factors between two points: both sides of every boundary seen."""
        low, high = pair
        if low.architecture == high.architecture or high.factor <= low.factor * (1 + self.tolerance):
            return []
        here = self._kept((low.factor * high.factor) ** 0.5, low, high)
        return [*self.between((low, here)), here, *self.between((here, high))]

    def _kept(self, factor: float, low: Best, high: Best) -> Best:
        """The best at a factor; where it costs the same, what is the best at one of the neighbours."""
        there, limits = self.line.at(factor), self.line.limits
        here = None
        for neighbour in (low, high):
            if neighbour.architecture is not None:
                here = stays_best(there, neighbour.architecture, limits)
                if here.stays:
                    break
        if here is None:
            return self.best(factor)
        if here.plan.status is Status.UNDECIDED:
            # no time for all choices: those of a neighbour alone are found sooner
            held = (held_cost(there, a, limits) for a in (low.architecture, high.architecture) if a)
            known = next((plan for plan in held if plan.found), here.plan)
            return Best(factor, replace(known, status=here.plan.status, lower=here.plan.lower))
        return Best(factor, here.plan)

    def priced(self, candidates: Sequence[Architecture], point: Best) -> dict[Architecture, float]:
        """What each candidate within the allowance costs at a point; {} where there is no cluster."""
        if point.architecture is None:
            return {}
        there, costs = self.line.at(point.factor), {point.architecture: point.plan.upper}
        most = point.plan.upper * (1 + self.allowance)
        for architecture in candidates:
            plan = None if architecture in costs else affordable(there, architecture.only, self._look, most)
            if plan is not None:
                costs[architecture] = plan.upper
        return {architecture: cost for architecture, cost in costs.items() if cost <= most * (1 + EQUAL)}

    def stages(self, points: Sequence[Best], table: Sequence[_Row]) -> Iterator[Stage]:
        """The stages of the cheapest path with the fewest changes."""
        used = [number for number, row in enumerate(table) if row]
        path = fewest_changes([table[number] for number in used])
        start = 0
        for held, run in groupby(path):
            part = used[start : start + len(list(run))]
            start += len(part)
            costs = tuple(table[number][held] for number in part)
            worst = max(cost / points[n].plan.upper - 1 for cost, n in zip(costs, part, strict=True))
            first, last = points[part[0]].factor, points[part[-1]].factor
            beyond = points[used[start]].factor if start < len(used) else last
            until = self._until(held, last, beyond)
            yield Stage(held, first, last, until, max(0.0, worst), costs)

    def _until(self, held: Architecture, low: float, high: float) -> float:
        """How far beyond its last point an architecture is still within the allowance, by halving."""
        while high > low * (1 + self.tolerance):
            middle = (low * high) ** 0.5
            best, own = self.line.cheapest(middle), self.line.cheapest(middle, held.only)
            if own.found and own.upper <= best.upper * (1 + self.allowance):
                low = middle
            else:
                high = middle
        return low


def _regimes(bests: Sequence[Best]) -> tuple[Regime, ...]:
    regimes: list[Regime] = []
    for best in bests:
        sure = best.plan.status in {Status.PROVED, Status.INFEASIBLE}
        if regimes and regimes[-1].architecture == best.architecture:
            regimes[-1] = Regime(best.architecture, regimes[-1].first, best, regimes[-1].proved and sure)
        else:
            regimes.append(Regime(best.architecture, best, best, sure))
    return tuple(regimes)


def fewest_changes(table: Sequence[_Row]) -> list[Architecture]:
    """One allowed architecture per point: the fewest changes, then the least cost over all points.

    Args:
        table: per point, the cost of every architecture that is allowed there; none is empty.

    Complexity: points * architectures, since a change costs the same whatever is changed.
    """
    if not table:
        return []
    score = {architecture: (0, cost) for architecture, cost in table[0].items()}
    back: list[dict[Architecture, Architecture]] = []
    for row in table[1:]:
        best = min(score, key=lambda architecture: (score[architecture], architecture))
        changed = (score[best][0] + 1, score[best][1])
        step, came = {}, {}
        for architecture, cost in row.items():
            stay = score.get(architecture)
            moved = stay is None or changed < stay
            changes, spent = changed if stay is None or moved else stay
            step[architecture], came[architecture] = (changes, spent + cost), best if moved else architecture
        score = step
        back.append(came)
    path = [min(score, key=lambda architecture: (score[architecture], architecture))]
    for came in reversed(back):
        path.append(came[path[-1]])
    return path[::-1]
