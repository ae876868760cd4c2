"""K best architectures and forced choices."""

from __future__ import annotations

import math

import pytest

from froude.provision.check.checker import check
from froude.provision.model.build import build
from froude.provision.model.instance import Instance
from froude.provision.search.optimise import solve
from froude.provision.search.optimise.alternatives import forced, k_best
from tests.provision.problems import random_problem
from tests.provision.search.optimise.examples import built, small
from tests.provision.search.optimise.reference import assignments


def test_k_best_are_those_of_enumeration() -> None:
    """Solving every architecture alone gives the same costs in the same order."""
    problem = small(2)
    instance = built(problem)
    alone = []
    for choices in assignments(instance):
        plan = solve(instance, gap=1e-4, allowed=[(c,) for c in choices])
        if math.isfinite(plan.upper):
            alone.append(plan.upper)
    best = k_best(instance, 4, gap=1e-4)
    assert [plan.upper for plan in best] == pytest.approx(sorted(alone)[:4], rel=1e-3)
    assert len({tuple(sorted(plan.choices.items())) for plan in best}) == 4
    assert all(check(problem, plan).sound for plan in best)


def test_k_best_ends_when_there_are_no_more() -> None:
    """Asking for more than there are gives all that can be built."""
    instance = built(small(3))
    assert len(k_best(instance, 100)) <= len(list(assignments(instance)))


def test_a_forced_choice_is_held() -> None:
    """Its plan has that choice, and is no cheaper."""
    instance = built(small(4))
    label = instance.datasets[0].choices[-1].label
    plan = forced(instance, "d0", len(instance.datasets[0].choices) - 1)
    assert " + ".join(plan.choices["d0"]) == label
    assert plan.upper >= solve(instance).lower
    with pytest.raises(ValueError, match="no choice 99"):
        forced(instance, "d0", 99)


def test_numbers_of_local_units_are_one_architecture() -> None:
    """Choices with one name and several counts beside a task never come twice."""
    for seed in range(12):
        problem = random_problem(seed)
        instance = build(problem)
        if not isinstance(instance, Instance) or all(
            dataset.local_to is None for dataset in instance.datasets
        ):
            continue
        plans = [
            tuple(sorted(plan.choices.items())) for plan in k_best(instance, 4, gap=1e-3, time_limit_s=5)
        ]
        assert len(plans) == len(set(plans))
