"""The split of a batch job's time as a decision."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("highspy")

from froude.base.errors import InputError
from froude.provision.checker import check
from froude.provision.compile import Effort, compile_plan
from froude.provision.inputs.read import read_problem
from froude.provision.plan import Plan, Status
from froude.provision.split import best_split, settled, undecided
from froude.provision.types import (
    Application,
    Batch,
    BatchTarget,
    Compute,
    Dataset,
    Io,
    Op,
    Persistence,
    Problem,
    Sla,
    Task,
)
from tests.provision.clusters import photoshare


def _job(work: tuple[float, float], *, parallel: bool = False) -> Problem:
    """A job that reads a dataset in one phase and writes another in the next."""
    read = Io(Op.READ, "a", 1, 10e6, parallel=parallel)
    tasks = (
        Task("first", "p", 1e9, (read, Compute(work[0]))),
        Task("second", "q", 1e9, (Io(Op.WRITE, "b", 1, 10e6, blocking=False), Compute(work[1]))),
    )
    datasets = tuple(Dataset(name, 50e9, Persistence.REQUIRED, remote=True) for name in "ab")
    batch = Batch(1000.0, (BatchTarget("first", 1000), BatchTarget("second", 1000)))
    return Problem(photoshare().catalog, Application(datasets, tasks), Sla((), batch))


def _at(problem: Problem, share: float) -> Problem:
    assert problem.sla.batch is not None
    batch = replace(problem.sla.batch, split={"p": share, "q": 1 - share})
    return replace(problem, sla=Sla((), batch))


@pytest.mark.parametrize("work", [(0.5, 0.5), (0.1, 2.0), (1.5, 0.05)])
def test_no_split_of_a_grid_is_cheaper(work: tuple[float, float]) -> None:
    """The bound holds for every split tried, and the plan is within the gap of the cheapest of them."""
    problem = _job(work)
    plan = compile_plan(problem, Effort(0.05, 60.0))
    assert plan.status is Status.PROVED
    assert sum(plan.split.values()) == pytest.approx(1)
    grid = [compile_plan(_at(problem, n / 10), Effort(0.02, 20.0)) for n in range(1, 10)]
    costs = [one.upper for one in grid if one.groups]
    assert costs
    assert min(costs) >= plan.lower - 0.01
    assert plan.upper <= min(costs) / (1 - 0.05) + 0.01


def test_the_checker_uses_the_plans_split() -> None:
    """Sound for its own split; refused for one that leaves a phase less, or gives away more than there is."""
    problem = _job((0.1, 2.0))
    plan = compile_plan(problem, Effort(0.05, 60.0))
    assert check(problem, plan).sound
    assert undecided(settled(problem, plan)) is None
    other = replace(plan, split={"p": 0.99, "q": 0.01})
    assert not check(problem, other).sound
    for wrong in ({"p": 0.9, "q": 0.9}, {"p": 0.5}, {"p": 1.0, "q": 0.0}):
        rules = {v.rule for v in check(problem, replace(plan, split=wrong)).violations}
        assert rules == {"split of the time"}


def test_a_better_split_than_the_examples_guess() -> None:
    """Deciding costs no more than the split that the example gives."""
    given = read_problem(["terasort"])
    assert given.sla.batch is not None
    opened = replace(given, sla=Sla((), replace(given.sla.batch, split={})))
    assert compile_plan(opened, Effort(0.02, 60.0)).upper <= compile_plan(given).upper


def test_what_must_be_given() -> None:
    """Parallel operations on a remote dataset, and three phases."""
    with pytest.raises(InputError, match="dataset a has parallel operations"):
        compile_plan(_job((0.5, 0.5), parallel=True))
    problem = _job((0.5, 0.5))
    third = Task("third", "r", 1e9, (Compute(1.0),))
    application = replace(problem.application, tasks=(*problem.application.tasks, third))
    assert problem.sla.batch is not None
    batch = replace(problem.sla.batch, targets=(*problem.sla.batch.targets, BatchTarget("third", 1)))
    with pytest.raises(InputError, match="3 phases"):
        undecided(replace(problem, application=application, sla=Sla((), batch)))
    assert undecided(photoshare()) is None


def test_nothing_feasible_is_a_conflict() -> None:
    """When all the time for each phase is not enough, no split is."""
    problem = _job((5.0, 0.5))
    server = replace(problem.catalog.servers[0], max_count=1)
    problem = replace(problem, catalog=replace(problem.catalog, servers=(server,)))
    plan = compile_plan(problem, Effort(0.02, 20.0))
    assert plan.status is Status.INFEASIBLE
    assert plan.conflict


def test_without_time_nothing_is_claimed() -> None:
    """A search that may not begin has no plan and no bound above zero."""

    class Late:
        """Each look at the clock is an hour later."""

        def __init__(self) -> None:
            self._now = 0.0

        def now(self) -> float:
            self._now += 3600
            return self._now

    plan = best_split(
        _job((0.5, 0.5)), ("p", "q"), lambda *_: Plan(Status.UNDECIDED), gap=0.1, time_limit_s=1, clock=Late()
    )
    assert plan.status is Status.UNDECIDED
    assert plan.lower == 0
