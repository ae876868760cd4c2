"""Model, optimiser and checker against each other on random small problems that use every feature.

FROUDE_SEEDS multiplies the number of problems for a longer run.
"""

from __future__ import annotations

import pytest

pytest.importorskip("highspy")

from froude.provision.check.bill import bill
from froude.provision.check.checker import check
from froude.provision.check.demand import Demand
from froude.provision.check.evaluate import evaluate, meets
from froude.provision.check.executions import grown
from froude.provision.model.build import build
from froude.provision.model.instance import Instance
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types.plan import Status
from testbed.problems import featured_problem, random_problem
from tests.support.seeds import SEEDS


@pytest.mark.parametrize("seed", range(30))
def test_plans_pass_the_check_and_meet_the_sla(seed: int) -> None:
    """No plan is unsound, and the evaluation, which spreads load anew, finds the SLA met."""
    problem = random_problem(seed)
    plan = compile_plan(problem, SolveLimits(0.05, 10.0))
    assert plan.status in {Status.PROVED, Status.GAP, Status.INFEASIBLE}
    if plan.groups:
        assert evaluate(problem, plan).fraction >= 1 - 1e-6
    else:
        assert plan.conflict


@pytest.mark.parametrize("seed", range(7 * SEEDS))
def test_every_feature_together(seed: int) -> None:
    """With a handful of features the plan passes the check, meets the SLA, and is what its bill adds up to."""
    problem = featured_problem(seed)
    plan = compile_plan(problem, SolveLimits(0.5, 2.0))
    assert plan.found or plan.conflict or plan.status is Status.UNDECIDED
    if plan.found:
        assert check(problem, plan).sound
        assert meets(grown(problem), plan)
        assert sum(line.total for line in bill(problem, plan)) == pytest.approx(plan.upper, abs=0.005)


@pytest.mark.parametrize("seed", range(30, 60))
def test_model_and_checker_agree(seed: int) -> None:
    """Two separate computations of needs and run times give the same numbers for the plan's choices."""
    problem = random_problem(seed)
    instance = build(problem)
    plan = compile_plan(problem, SolveLimits(0.1, 10.0))
    if not isinstance(instance, Instance) or not plan.groups:
        return
    demand = Demand(problem, plan)
    at = []
    for dataset in instance.datasets:
        units = plan.choices[dataset.name]
        label = " + ".join(units)
        if dataset.local_to is not None:
            label = f"{demand.beside(dataset.name)} x {units[0]}"
        labels = [choice.label for choice in dataset.choices]
        if label not in labels:
            return  # without load there are no instances, so nothing stands beside them
        at.append(labels.index(label))
    for task, time in zip(instance.tasks, instance.run_times(at), strict=True):
        assert demand.run_times[task.name] == pytest.approx(time, rel=1e-9, abs=1e-15)
        assert demand.rates[task.name] == pytest.approx(task.rate, rel=1e-9, abs=1e-12)
    for dataset, choice in zip(instance.datasets, at, strict=True):
        for number, copy in enumerate(dataset.choices[choice].copies):
            assert demand.need(dataset.name, cache=bool(number)) == pytest.approx(copy.need, rel=1e-9)
