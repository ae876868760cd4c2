"""Prices in another unit of money are the same problem."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.search.optimise.money import in_money, money_unit
from froude.provision.search.optimise.solving import solve
from tests.support.provision.search.optimise.hand import hand


def test_a_server_costs_about_a_thousand() -> None:
    """Whatever it costs in dollars."""
    for dearer in (1.0, 1e-9, 1e9):
        instance = in_money(hand(), 1 / dearer)
        inside = in_money(instance, money_unit(instance))
        assert 700 < max(server.cost for server in inside.servers) < 1500
    free = replace(
        hand(), units=(), servers=tuple(replace(s, cost=0.0, core_cost=0.0) for s in hand().servers)
    )
    assert money_unit(free) == 1.0


@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40])
def test_the_same_cluster_in_any_money(unit: float) -> None:
    """Between the same bounds, in that money."""
    plain, other = solve(hand(), gap=1e-4), solve(in_money(hand(), unit), gap=1e-4)
    assert other.groups == plain.groups
    assert (other.lower * unit, other.upper * unit) == pytest.approx((plain.lower, plain.upper))
