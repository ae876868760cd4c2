"""Figures 1 to 6, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.harvest.classify.characterise import characterise, monthly_rates
from froude.harvest.telemetry.datacenter import Reimages
from froude.harvest.telemetry.generate import MONTH_S
from tests.support.harvest.datacenters import drawn, made

DAY = 0.4 + 0.2 * np.cos(2 * np.pi * np.arange(48) / 24)
ROWS = np.array([DAY, np.full(48, 0.3), np.full(48, 0.6)])


def test_shares_by_tenant_and_by_server() -> None:
    """One of three tenants is periodic, and owns two of six servers."""
    found = characterise(made(ROWS, servers=2))
    assert found.tenant_shares == pytest.approx((1 / 3, 2 / 3, 0))
    assert found.server_shares == pytest.approx((1 / 3, 2 / 3, 0))
    assert [example.tenant for example in found.examples] == ["t0", "t1"]
    assert found.months == 0


def test_reimages_by_month() -> None:
    """Two months; tenant 0 is wiped most in the first, and tenant 2 in the second."""
    month = [(0.0, 0), (0.1, 0), (0.2, 2), (1.1, 4), (1.2, 4), (1.9, 5)]
    wiped = Reimages(
        np.array([server for _, server in month], np.int32), np.array([at * MONTH_S for at, _ in month])
    )
    datacenter = replace(made(ROWS, servers=2), reimages=wiped)
    assert monthly_rates(datacenter).tolist() == [[1.0, 0.5, 0.0], [0.0, 0.0, 1.5]]
    found = characterise(datacenter)
    assert found.months == 2
    assert found.moves.tolist() == [0, 1, 1] or found.moves.tolist() == [1, 1, 1]
    assert found.server_reimages.tolist() == [0, 0, 0.5, 0.5, 1, 1]
    assert found.tenant_reimages == pytest.approx([0.25, 0.5, 0.75])


@pytest.mark.parametrize(
    ("days", "months"), [((29, 60), 1), ((0, 10), 0), ((0.2, 89.5), 3), ((2, 61), 2), ((15, 100), 2)]
)
def test_a_month_that_was_not_recorded_whole_is_none(days: tuple[float, float], months: int) -> None:
    """However the record lies to multiples of thirty days: its reimages would be divided by too much."""
    wiped = Reimages(np.array([0, 1], np.int32), np.array(days) * 86400)
    assert characterise(replace(made(ROWS, servers=2), reimages=wiped)).months == months


def test_a_generated_one_has_its_months() -> None:
    """Three before and three after; nobody moves more often than there are transitions."""
    found = characterise(drawn())
    assert found.months == 6
    assert found.moves.max() <= 5
    assert sum(found.server_shares) == pytest.approx(1)
