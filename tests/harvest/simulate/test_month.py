"""The month that is simulated, and what was known before."""

from __future__ import annotations

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.harvest.simulate.month import month_of
from froude.harvest.simulate.settings import SchedulingSetting
from tests.support.harvest.datacenters import made
from tests.support.harvest.simulate.months import SETTING

ROWS = np.tile(np.linspace(0.1, 0.5, 96), (2, 1))


def test_classes_are_of_the_days_before() -> None:
    """Where there are none, they are of the same days, and that is said."""
    found = month_of(made(ROWS), SETTING, Seeds(1))
    assert not found.foresight
    assert found.datacenter.utilisation == pytest.approx(ROWS[:, 48:], rel=1e-5)
    assert found.classes.classes[0].average == pytest.approx(ROWS[0, :48].mean(), rel=1e-5)
    assert month_of(made(ROWS[:, :60]), SETTING, Seeds(1)).foresight


def test_too_short_a_history_and_one_with_gaps() -> None:
    """Are refused: nothing is made up."""
    with pytest.raises(InputError, match=r"too short to simulate; found 1\.0 days; allowed: 2 days"):
        month_of(made(ROWS[:, :24]), SETTING, Seeds(1))
    gone = ROWS.copy()
    gone[1, 60] = np.nan
    with pytest.raises(InputError, match=r"only --fill fills; found 2\.1% of the simulated samples of t1"):
        month_of(made(gone), SETTING, Seeds(1))


def test_gaps_are_filled_on_demand_and_counted() -> None:
    """By the tenant's own day; above a fifth of a tenant's samples, or without any at that hour, they are refused."""
    setting, gone = SETTING.replaced(fill=True), ROWS.copy()
    gone[1, 60:66] = np.nan
    found = month_of(made(gone), setting, Seeds(1))
    assert (found.filled, found.filled_tenants) == (6, 1)
    usual = np.nanmean(gone[1].reshape(-1, 24), axis=0)
    assert found.datacenter.utilisation[1, 12:18] == pytest.approx(usual[12:18], rel=1e-5)
    assert found.datacenter.utilisation[0] == pytest.approx(ROWS[0, 48:], rel=1e-5)
    gone[1, 60:70] = np.nan
    with pytest.raises(
        InputError, match=r"more gaps than may be filled; found 20\.8% .* t1; allowed: at most 20%"
    ):
        month_of(made(gone), setting, Seeds(1))
    with pytest.raises(InputError, match="more gaps than may be filled"):
        month_of(made(gone), SETTING, Seeds(1))
    gone[1] = ROWS[1]
    gone[1, 4::24] = np.nan
    with pytest.raises(InputError, match=r"no sample of an hour of the day.*t1"):
        month_of(made(gone), setting, Seeds(1))


@pytest.mark.parametrize("wrong", [{"days": 0}, {"mean_gap_s": 0}, {"batch_share": 0}, {"reserve_cores": -1}])
def test_a_setting_that_cannot_be(wrong: dict) -> None:
    """Nothing to simulate, or less than no reserve."""
    with pytest.raises(InputError, match=f"{next(iter(wrong)).removesuffix('_s')}: is "):
        SchedulingSetting(**wrong)
