"""Architectures by ascending cost, on costs that are made up."""

from __future__ import annotations

import itertools
import random

import pytest

from froude.provision.search.ranking import Open, ranked
from froude.provision.types.plan import Group, ProvisionPlan, Status


@pytest.mark.parametrize("seed", range(5))
def test_all_come_once_and_in_order(seed: int) -> None:
    """As enumeration and sorting give them."""
    dice = random.Random(seed)
    every: Open = {name: [(f"{name}{at}",) for at in range(3)] for name in "abc"}
    cost = {names: dice.randrange(9) for names in itertools.product(*every.values())}

    def solve(part: Open) -> ProvisionPlan:
        names = min(itertools.product(*part.values()), key=lambda names: cost[names])
        choices = dict(zip(every, names, strict=True))
        return ProvisionPlan(Status.PROVED, (Group("s", 1),), choices, upper=cost[names])

    plans = list(ranked(solve(every), every, solve))
    assert [plan.upper for plan in plans] == sorted(cost.values())
    assert len({tuple(plan.choices.items()) for plan in plans}) == len(cost)


def test_what_is_not_worth_having_is_left_out() -> None:
    """Parts without a cluster end there; without a first one nothing comes."""
    every: Open = {"d": [("a",), ("b",)]}
    first = ProvisionPlan(Status.PROVED, (Group("s", 1),), {"d": ("a",)}, upper=1.0)
    assert list(ranked(first, every, lambda part: None)) == [first]
    assert not list(ranked(ProvisionPlan(Status.INFEASIBLE), every, lambda part: first))
