"""The split of a batch job's time as a decision."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

pytest.importorskip("highspy")

from froude.provision.check.checker import check
from froude.provision.inputs.read import read_problem
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.search.split import _Box, best_split, decided, undecided
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
from froude.provision.types.plan import ProvisionPlan, Status
from testbed.virtual_clock import VirtualClock
from tests.support.provision.clusters import photoshare


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
    plan = compile_plan(problem, SolveLimits(0.05, 60.0))
    assert plan.status is Status.PROVED
    assert sum(plan.split.values()) == pytest.approx(1)
    grid = [compile_plan(_at(problem, n / 10), SolveLimits(0.02, 20.0)) for n in range(1, 10)]
    costs = [plan.upper for plan in grid if plan.groups]
    assert costs
    assert min(costs) >= plan.lower - 0.01
    assert plan.upper <= min(costs) / (1 - 0.05) + 0.01


def test_the_checker_uses_the_plans_split() -> None:
    """Sound for its own split; refused for one that leaves a phase less, or gives away more than there is."""
    problem = _job((0.1, 2.0))
    plan = compile_plan(problem, SolveLimits(0.05, 60.0))
    assert check(problem, plan).sound
    assert undecided(decided(problem, plan)) is None
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
    assert compile_plan(opened, SolveLimits(0.02, 60.0)).upper <= compile_plan(given).upper


def _three(work: tuple[float, float, float], *, parallel: bool = False) -> Problem:
    """The same with a third phase that reads what the second wrote."""
    problem = _job(work[:2], parallel=parallel)
    read = Io(Op.READ, "b", 1, 10e6)
    third = Task("third", "r", 1e9, (read, Compute(work[2])))
    application = replace(problem.application, tasks=(*problem.application.tasks, third))
    assert problem.sla.batch is not None
    targets = (*problem.sla.batch.targets, BatchTarget("third", 1000))
    sla = Sla((), replace(problem.sla.batch, targets=targets))
    return replace(problem, application=application, sla=sla)


def _costs(problem: Problem, splits: list[dict[str, float]]) -> list[float]:
    batch = problem.sla.batch
    assert batch is not None
    fixed = [replace(problem, sla=Sla((), replace(batch, split=split))) for split in splits]
    return [
        plan.upper
        for plan in (compile_plan(problem, SolveLimits(0.05, 2.0)) for problem in fixed)
        if plan.groups
    ]


@pytest.mark.parametrize("work", [(0.5, 0.5, 0.5), (0.1, 2.0, 0.3)])
def test_three_phases(work: tuple[float, float, float]) -> None:
    """The bound holds for every split of a grid over the simplex."""
    problem = _three(work)
    plan = compile_plan(problem, SolveLimits(0.15, 20.0))
    assert plan.status is Status.PROVED
    assert plan.split.keys() == {"p", "q", "r"}
    assert sum(plan.split.values()) == pytest.approx(1)
    splits = [{"p": p / 6, "q": q / 6, "r": (6 - p - q) / 6} for p in range(1, 5) for q in range(1, 6 - p)]
    costs = _costs(problem, splits)
    assert costs
    assert min(costs) >= plan.lower - 0.01
    assert plan.upper <= min(costs) / (1 - 0.15) + 0.01


@pytest.mark.parametrize(("work", "records"), [((0.5, 0.5), 8), ((0.05, 0.5), 40), ((0.01, 0.1), 100)])
def test_parallel_operations(work: tuple[float, float], records: int) -> None:
    """Run times of parallel operations fall with the load; the bound holds over the grid all the same."""
    problem = _job(work)
    first = problem.application.tasks[0]
    many = Io(Op.READ, "a", records, 1e6, parallel=True)
    tasks = (replace(first, operations=(many, *first.operations[1:])), *problem.application.tasks[1:])
    problem = replace(problem, application=replace(problem.application, tasks=tasks))
    plan = compile_plan(problem, SolveLimits(0.1, 20.0))
    assert plan.status is Status.PROVED
    costs = _costs(problem, [{"p": n / 10, "q": 1 - n / 10} for n in (2, 5, 8)])
    assert min(costs) >= plan.lower - 0.01
    assert plan.upper <= min(costs) / (1 - 0.1) + 0.01


def test_boxes_cover_the_simplex() -> None:
    """Every split in a box is in one of its halves, and halves leave out only what cannot add up to one."""
    dice = random.Random(5)
    boxes = [_Box((0.0,) * 4, (1.0,) * 4)]
    for _ in range(60):
        box = boxes.pop(dice.randrange(len(boxes)))
        boxes.extend(box.halves())
        assert sum(box.middle) == pytest.approx(1)
    for _ in range(200):
        cuts = sorted(dice.random() for _ in range(3))
        split = tuple(b - a for a, b in itertools.pairwise((0.0, *cuts, 1.0)))
        assert any(
            all(a - 1e-9 <= s <= b + 1e-9 for a, s, b in zip(box.lows, split, box.highs, strict=True))
            for box in boxes
        )


def test_what_is_open() -> None:
    """Two phases and more without a split; nothing else."""
    assert undecided(_three((1, 1, 1))) == ("p", "q", "r")
    assert undecided(_at(_job((1, 1)), 0.5)) is None
    assert undecided(photoshare()) is None


def test_nothing_feasible_is_a_conflict() -> None:
    """When all the time for each phase is not enough, no split is."""
    problem = _job((5.0, 0.5))
    server = replace(problem.catalog.servers[0], max_count=1)
    problem = replace(problem, catalog=replace(problem.catalog, servers=(server,)))
    plan = compile_plan(problem, SolveLimits(0.02, 20.0))
    assert plan.status is Status.INFEASIBLE
    assert plan.conflict


def test_without_time_nothing_is_claimed() -> None:
    """A search that may not begin has no plan and no bound above zero."""

    class Late(VirtualClock):
        """Each look at the clock is an hour later."""

        def now(self) -> float:
            self.advance_to(super().now() + 3600)
            return super().now()

    plan = best_split(
        _job((0.5, 0.5)),
        ("p", "q"),
        lambda *_: ProvisionPlan(Status.UNDECIDED),
        SolveLimits(0.1, 1),
        clock=Late(),
    )
    assert plan.status is Status.UNDECIDED
    assert plan.lower == 0
