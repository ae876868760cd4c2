"""For how long servers are paid."""

from __future__ import annotations

import pytest

from froude.provision.prices.layouts import Tariff
from froude.provision.prices.request import HOURS_PER_YEAR, Wanted


@pytest.mark.parametrize(
    ("tariff", "years", "paid"),
    [
        (Tariff.ON_DEMAND, 1.5, 1.5),
        (Tariff.SPOT, 0.1, 0.1),
        (Tariff.RESERVED_1Y, 1.0, 1.0),
        (Tariff.RESERVED_1Y, 1.5, 2.0),
        (Tariff.RESERVED_3Y, 3.1, 6.0),
    ],
)
def test_reserved_servers_are_paid_for_whole_terms(tariff: Tariff, years: float, paid: float) -> None:
    """Others by the hour."""
    wanted = Wanted("2026-07", years * HOURS_PER_YEAR, tariff=tariff)
    assert wanted.paid_hours == pytest.approx(paid * HOURS_PER_YEAR)
