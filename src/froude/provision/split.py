"""How a batch job's time is split between its two phases, as a decision with a bound.

A longer phase asks for less, so a cluster for shares (s, 1 - s) is sought over s. For an interval [a, b] of s, no
split in it costs less than a job that had b of the time for the first phase and 1 - a for the second, which is
compiled as a bound; a split inside is compiled as an answer. Intervals are halved, the least bound first, until
the best answer is within the gap of the least bound.

This needs costs that never rise when a phase is given more time. That holds for every part of the model except
operations that are parallel over a remote dataset, whose time depends on a number of units that follows the load;
for such a job the split must be given.

Source: spec, batch and phases; the paper leaves it open.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from froude.base.clock import Clock, RealClock
from froude.base.errors import InputError
from froude.provision.instance import Instance
from froude.provision.model import build
from froude.provision.plan import Plan, Status
from froude.provision.types import Batch, Io, Problem, Sla, Target

_NARROWEST = 1e-4
"""Of an interval: below, a split is not worth telling from its neighbour."""
_HAIR = 1e-9
_MOST_INTERVALS = 400


@dataclass(frozen=True, slots=True, order=True)
class _Interval:
    lower: float
    start: float
    end: float


def undecided(problem: Problem) -> tuple[str, str] | None:
    """The two phases whose split is open, or None when there is nothing to decide.

    Raises:
        InputError: more than two phases without a split, or operations whose time rises with a phase's share.
    """
    batch = problem.sla.batch
    if batch is None or batch.split:
        return None
    phases = list(dict.fromkeys(problem.application.task(t.task).phase for t in batch.targets))
    if len(phases) < 2:
        return None
    parallel = [
        op.dataset
        for task in problem.application.tasks
        for op in task.operations
        if isinstance(op, Io) and op.parallel and problem.application.dataset(op.dataset).remote
    ]
    if len(phases) > 2 or parallel:
        why = f"dataset {parallel[0]} has parallel operations" if parallel else f"{len(phases)} phases"
        raise InputError(
            "the split of the time must be given",
            place="batch",
            found=why,
            allowed="an element split per phase",
        )
    return phases[0], phases[1]


def settled(problem: Problem, plan: Plan) -> Problem:
    """The problem with the split that a plan decided; the same where there was nothing to decide."""
    batch = problem.sla.batch
    if batch is None or batch.split or not plan.split:
        return problem
    return _with_split(problem, batch, plan.split)


def best_split(
    problem: Problem,
    phases: tuple[str, str],
    solve: Callable[[Problem, float], Plan],
    *,
    gap: float,
    time_limit_s: float,
    clock: Clock | None = None,
) -> Plan:
    """The cheapest plan over all splits, with a bound over all splits.

    Args:
        problem: with a batch job of two phases and no split.
        phases: the two.
        solve: compiles a problem within seconds given; its plans carry bounds.
        gap: relative gap at which it stops.
        time_limit_s: seconds for all.
        clock: where time comes from.
    """
    search = _Search(problem, phases, solve, clock or RealClock(), time_limit_s)
    return search.run(gap)


class _Search:
    """Halves intervals of the first phase's share."""

    def __init__(
        self,
        problem: Problem,
        phases: tuple[str, str],
        solve: Callable[[Problem, float], Plan],
        clock: Clock,
        time_limit_s: float,
    ) -> None:
        assert problem.sla.batch is not None
        self.problem = problem
        self.batch = problem.sla.batch
        self.phases = phases
        self.solve = solve
        self.clock = clock.now
        self.begin = clock.now()
        self.end = self.begin + time_limit_s
        self.best = Plan(Status.UNDECIDED)
        self.refused: Plan | None = None
        self.final = math.inf
        """Least bound of the intervals that were not halved further."""

    def run(self, gap: float) -> Plan:
        open_: list[_Interval] = []
        self._push(open_, 0.0, 1.0, 0.0)
        for _ in range(_MOST_INTERVALS):
            if not open_ or self._closed(open_, gap) or self.clock() > self.end:
                break
            one = heapq.heappop(open_)
            middle = (one.start + one.end) / 2
            self._answer(middle)
            for start, end in ((one.start, middle), (middle, one.end)):
                if end - start < _NARROWEST:
                    self.final = min(self.final, one.lower)
                else:
                    self._push(open_, start, end, one.lower)
        return self._plan(open_, gap)

    def _closed(self, open_: list[_Interval], gap: float) -> bool:
        lower = min(self.final, open_[0].lower)
        return math.isfinite(self.best.upper) and self.best.upper - lower <= gap * self.best.upper

    def _push(self, open_: list[_Interval], start: float, end: float, known: float) -> None:
        """An interval with its bound; one where nothing is feasible is dropped."""
        plan = self._bound(start, end)
        if plan.status is Status.INFEASIBLE:
            self.refused = plan
        elif plan.lower < self.best.upper:
            heapq.heappush(open_, _Interval(max(known, plan.lower), start, end))
        else:
            self.final = min(self.final, plan.lower)

    def _bound(self, start: float, end: float) -> Plan:
        """A plan whose lower bound holds for every split in the interval."""
        generous = self._at_shares(end, 1 - start)
        here = build(generous)
        if isinstance(here, Instance):
            # A cache must read faster than what it caches, which hangs on the mix of records: where the mix
            # of a split in the interval could allow other caches, nothing is known of it.
            inside = (max(start, _HAIR), min(end, 1 - _HAIR))
            edges = (build(self._at_shares(s, 1 - s)) for s in inside)
            remote = _remote_labels(here)
            if any(isinstance(edge, Instance) and _remote_labels(edge) != remote for edge in edges):
                return Plan(Status.UNDECIDED)
        return self.solve(generous, max(0.1, self.end - self.clock()))

    def _answer(self, share: float) -> None:
        split = dict(zip(self.phases, (share, 1 - share), strict=True))
        plan = self.solve(_with_split(self.problem, self.batch, split), max(0.1, self.end - self.clock()))
        if plan.groups and plan.upper < self.best.upper:
            self.best = replace(plan, split=split)

    def _at_shares(self, first: float, second: float) -> Problem:
        """Rates of a job whose phases have these shares, which may add up to more than all."""
        shares = dict(zip(self.phases, (first, second), strict=True))
        phase = {task.name: task.phase for task in self.problem.application.tasks}
        targets = [
            Target(t.task, t.executions / (self.batch.time * shares[phase[t.task]]))
            for t in self.batch.targets
        ]
        return replace(self.problem, sla=Sla((*self.problem.sla.targets, *targets)))

    def _plan(self, open_: list[_Interval], gap: float) -> Plan:
        seconds = self.clock() - self.begin
        lower = min([self.final, self.best.upper, *(one.lower for one in open_)])
        if not self.best.groups:
            nothing_left = self.refused is not None and not open_ and not math.isfinite(self.final)
            return replace(self.refused if nothing_left and self.refused else self.best, seconds=seconds)
        closed = self.best.upper - lower <= gap * self.best.upper
        status = Status.PROVED if closed else Status.GAP
        shares = ", ".join(f"{phase} {share:.1%}" for phase, share in self.best.split.items())
        notes = (*self.best.notes, f"split of the time: {shares}")
        return replace(self.best, status=status, lower=lower, seconds=seconds, notes=notes)


def _remote_labels(instance: Instance) -> list[list[str]]:
    return [[choice.label for choice in d.choices] for d in instance.datasets if d.local_to is None]


def _with_split(problem: Problem, batch: Batch, split: dict[str, float]) -> Problem:
    return replace(problem, sla=replace(problem.sla, batch=replace(batch, split=split)))
