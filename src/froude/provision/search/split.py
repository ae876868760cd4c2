"""How a batch job's time is split between its phases, as a decision with a bound.

A longer phase asks for less, so a cluster is sought over shares that add up to one. For a box of shares (from, to
per phase), no split in it costs less than a job of which every phase had its largest share, though they add up to
more than all the time; a split inside is compiled as an answer. Boxes are halved along their widest side, the least
bound first, until the best answer is within the gap of the least bound.

This needs costs that never rise when a phase is given more time. What rises is taken as it is where it is least:

* an operation that is parallel over a remote dataset takes longer on fewer units, whose number follows the load:
  in the bound it takes the time that it has when every phase has its smallest share in the box;
* waits under a latency depend on the number of units: in the bound there are none, and no latency to keep;
* equal traffic (uniform placement) comes in whole units: in the bound traffic is spread at will.

Source: spec, batch and phases; the paper leaves it open.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from froude.base.clock import Clock
from froude.provision.model.build import build
from froude.provision.model.instance import DatasetNeed, Instance, Path
from froude.provision.search.frontier import Adapt, Frontier
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Batch, Io, Placement, Problem, RateTarget, Sla
from froude.provision.types.plan import ProvisionPlan, Status

_NARROWEST = 1e-4
"""Of a side: below, a split is not worth telling from its neighbour."""
_HAIR = 1e-9
_MOST_BOXES = 4000

Solve = Callable[[Problem, Adapt, float, float], ProvisionPlan]
"""Compiles a problem, its instance changed, to a relative gap within seconds; its plans carry bounds."""


@dataclass(frozen=True, slots=True)
class _Box:
    """Shares of the phases, from and to."""

    lows: tuple[float, ...]
    highs: tuple[float, ...]

    def tightened(self) -> _Box | None:
        """The box without what cannot add up to one; None when nothing is left."""
        left, over = 1 - sum(self.lows), sum(self.highs) - 1
        highs = tuple(min(high, low + left) for low, high in zip(self.lows, self.highs, strict=True))
        lows = tuple(max(low, high - over) for low, high in zip(self.lows, self.highs, strict=True))
        return _Box(lows, highs) if left > _HAIR and over > -_HAIR else None

    @property
    def middle(self) -> tuple[float, ...]:
        """A split inside, on the line between the corners."""
        low, high = sum(self.lows), sum(self.highs)
        at = (1 - low) / (high - low)
        return tuple(a + at * (b - a) for a, b in zip(self.lows, self.highs, strict=True))

    @property
    def width(self) -> float:
        return max(b - a for a, b in zip(self.lows, self.highs, strict=True))

    def halves(self) -> Iterator[_Box]:
        """Both halves along the widest side, as far as splits are in them."""
        widths = [b - a for a, b in zip(self.lows, self.highs, strict=True)]
        side = widths.index(max(widths))
        middle = (self.lows[side] + self.highs[side]) / 2
        for half in (
            _Box(self.lows, _with(self.highs, side, middle)),
            _Box(_with(self.lows, side, middle), self.highs),
        ):
            tight = half.tightened()
            if tight is not None:
                yield tight


def undecided(problem: Problem) -> tuple[str, ...] | None:
    """The phases whose split is open, two or more, or None when there is nothing to decide."""
    batch = problem.sla.batch
    if batch is None or batch.split:
        return None
    phases = tuple(dict.fromkeys(problem.application.task(t.task).phase for t in batch.targets))
    return phases if len(phases) > 1 else None


def decided(problem: Problem, plan: ProvisionPlan) -> Problem:
    """The problem with the split that a plan decided; the same where there was nothing to decide."""
    batch = problem.sla.batch
    if batch is None or batch.split or not plan.split:
        return problem
    return _with_split(problem, batch, plan.split)


def best_split(
    problem: Problem,
    phases: tuple[str, ...],
    solve: Solve,
    limits: SolveLimits,
    clock: Clock | None = None,
) -> ProvisionPlan:
    """The cheapest plan over all splits, with a bound over all splits.

    The number of boxes grows with the inverse of the gap, to the power of the number of phases less one.

    Args:
        problem: with a batch job of two phases or more and no split.
        phases: those, as `undecided` gives them.
    """
    frontier: Frontier[_Box] = Frontier(limits, most=_MOST_BOXES, clock=clock)
    return _Search(problem, phases, solve, frontier).run(limits.gap)


class _Search:
    """Halves boxes of shares."""

    def __init__(
        self, problem: Problem, phases: tuple[str, ...], solve: Solve, frontier: Frontier[_Box]
    ) -> None:
        assert problem.sla.batch is not None
        self.problem = problem
        self.batch = problem.sla.batch
        self.phases = phases
        self.solve = solve
        self.frontier = frontier
        self.parallel = _parallel_anywhere(problem)

    def run(self, gap: float) -> ProvisionPlan:
        whole = len(self.phases)
        self._push(_Box((0.0,) * whole, (1.0,) * whole), 0.0, gap / 2)
        while (popped := self.frontier.pop()) is not None:
            box, known = popped
            self._answer(box.middle, gap / 2)
            if box.width < 2 * _NARROWEST:
                self.frontier.give_up(known)
                continue
            for half in box.halves():
                self._push(half, known, gap / 2)
        shares = ", ".join(f"{phase} {share:.1%}" for phase, share in self.frontier.best.split.items())
        return self.frontier.result(f"split of the time: {shares}")

    def _push(self, box: _Box, known: float, gap: float) -> None:
        """A box with its bound; one where nothing is feasible is dropped."""
        plan = self._bound(box, gap)
        if plan.status is Status.INFEASIBLE:
            self.frontier.refuse(plan)
        else:
            self.frontier.push(box, max(known, plan.lower))

    def _bound(self, box: _Box, gap: float) -> ProvisionPlan:
        """A plan whose lower bound holds for every split in the box."""
        generous = self._at_shares(box.highs)
        here = build(generous)
        adapt: Adapt = _spread_at_will
        if isinstance(here, Instance):
            # A cache must read faster than what it caches, which hangs on the mix of records: where the mix
            # of a split in the box could allow other caches, nothing is known of it. The difference of
            # reading times is linear in the rates, so its sign at all corners is its sign inside.
            corners = [build(self._at_shares(shares)) for shares in self._corners(box)]
            remote = _remote_labels(here)
            if any(isinstance(corner, Instance) and _remote_labels(corner) != remote for corner in corners):
                return ProvisionPlan(Status.UNDECIDED)
            if self.parallel:
                if not isinstance(corners[0], Instance):
                    return ProvisionPlan(Status.UNDECIDED)
                adapt = _Quick(corners[0])
        return self.solve(generous, adapt, gap, self.frontier.seconds)

    def _corners(self, box: _Box) -> Iterator[tuple[float, ...]]:
        """Of a box, the one with all the smallest shares first."""
        sides = [(max(a, _HAIR), max(b, _HAIR)) for a, b in zip(box.lows, box.highs, strict=True)]
        return itertools.product(*sides)

    def _answer(self, shares: tuple[float, ...], gap: float) -> None:
        split = dict(zip(self.phases, shares, strict=True))
        there = _with_split(self.problem, self.batch, split)
        plan = self.solve(there, as_it_is, gap, self.frontier.seconds)
        self.frontier.offer(replace(plan, split=split))

    def _at_shares(self, shares: tuple[float, ...]) -> Problem:
        """Rates of a job whose phases have these shares, which may add up to more than all; no latency."""
        share = dict(zip(self.phases, shares, strict=True))
        phase = {task.name: task.phase for task in self.problem.application.tasks}
        fixed = [RateTarget(t.task, t.rate) for t in self.problem.sla.targets]
        targets = [
            RateTarget(t.task, t.executions / (self.batch.time * share[phase[t.task]]))
            for t in self.batch.targets
        ]
        return replace(self.problem, sla=Sla((*fixed, *targets)))


@dataclass(frozen=True, slots=True)
class _Quick:
    """Operations on remote datasets take the times of another instance, which has more units of each copy."""

    other: Instance

    def __call__(self, instance: Instance) -> Instance:
        there = {dataset.name: dataset for dataset in self.other.datasets}
        at = [_matching(dataset, there[dataset.name]) for dataset in instance.datasets]
        tasks = []
        for task, other in zip(instance.tasks, self.other.tasks, strict=True):
            paths = (self._path(*pair, at) for pair in zip(task.paths, other.paths, strict=True))
            tasks.append(replace(task, paths=tuple(paths)))
        return _spread_at_will(replace(instance, tasks=tuple(tasks)))

    @staticmethod
    def _path(path: Path, other: Path, at: list[list[int] | None]) -> Path:
        times = dict(other.io_s)
        taken = []
        for dataset, own in path.io_s:
            where = at[dataset]
            quick = own if where is None else tuple(times[dataset][there] for there in where)
            taken.append((dataset, tuple(map(min, own, quick))))
        return replace(path, io_s=tuple(taken))


def _matching(dataset: DatasetNeed, other: DatasetNeed) -> list[int] | None:
    """Where a remote dataset's choices stand in another instance; local ones have units of their own."""
    if dataset.local_to is not None or dataset.cpu_of is not None:
        return None
    labels = [choice.label for choice in other.choices]
    return [labels.index(choice.label) for choice in dataset.choices]


def as_it_is(instance: Instance) -> Instance:
    """No change."""
    return instance


def _spread_at_will(instance: Instance) -> Instance:
    """Without the whole equal parts of uniform placement, which a smaller load may fill worse."""
    return replace(instance, placement=Placement.WEIGHTED)


def _parallel_anywhere(problem: Problem) -> bool:
    application = problem.application
    return any(
        isinstance(op, Io) and op.parallel and application.dataset(op.dataset).remote
        for task in application.tasks
        for op in task.operations
    )


def _remote_labels(instance: Instance) -> list[list[str]]:
    remote = (d for d in instance.datasets if d.local_to is None and d.cpu_of is None)
    return [[choice.label for choice in d.choices] for d in remote]


def _with_split(problem: Problem, batch: Batch, split: dict[str, float]) -> Problem:
    return replace(problem, sla=replace(problem.sla, batch=replace(batch, split=split)))


def _with(values: tuple[float, ...], at: int, value: float) -> tuple[float, ...]:
    return (*values[:at], value, *values[at + 1 :])
