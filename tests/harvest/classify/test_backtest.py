"""One period against the next."""

from __future__ import annotations

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.harvest.classify.backtest import backtest, stability
from tests.support.harvest.datacenters import drawn, made

DAY = 0.4 + 0.2 * np.cos(2 * np.pi * np.arange(48) / 24)


def test_what_comes_again_is_told_exactly() -> None:
    """A day that repeats: its profile has no error, its mean has the day's deviation."""
    found = backtest(made(np.array([np.tile(DAY, 2), np.full(96, 0.3)])), Seeds(1))
    assert len(found) == 1
    errors = {forecast.name: forecast.rmse for forecast in found[0].forecasts}
    assert errors["tenant's own profile"] == pytest.approx(0, abs=1e-6)
    assert errors["tenant's mean"] == pytest.approx(DAY.std() / np.sqrt(2), rel=1e-5)
    assert found[0].pattern_kept == 1
    assert found[0].average_error == pytest.approx(0, abs=1e-6)


def test_weekdays_go_on_from_one_period_to_the_next() -> None:
    """A month ends in the middle of a week, and the week that repeats is told exactly all the same."""
    level = np.repeat([0.6, 0.5, 0.4, 0.3, 0.7, 0.2, 0.1], 24)
    found = backtest(made(np.resize(level, (1, 60 * 24))), Seeds(1))
    errors = {forecast.name: forecast.rmse for forecast in found[0].forecasts}
    assert (found[0].first_day, errors["tenant's own profile"]) == (30, pytest.approx(0, abs=1e-6))


def test_a_change_shows() -> None:
    """A level that rises is above its peak all the time; a tenant with more servers counts more."""
    rows = np.array([np.repeat([0.2, 0.5], 48), np.full(96, 0.3)])
    found = backtest(made(rows), Seeds(1))[0]
    assert found.peak_exceeded == pytest.approx(0.5)
    assert found.average_error == pytest.approx(0.15, rel=1e-5)


@pytest.mark.parametrize(("days", "period"), [(4, 2), (13, 2), (14, 7), (59, 7), (60, 30)])
def test_the_longest_period_that_fits_twice(days: int, period: int) -> None:
    """Months where there are months."""
    assert backtest(made(np.zeros((1, 24 * days))), Seeds(1))[0].days == period


def test_too_short_a_history() -> None:
    """Is refused with its length."""
    with pytest.raises(InputError, match="found 3 days, periods of 2"):
        backtest(made(np.zeros((1, 72))), Seeds(1))
    with pytest.raises(InputError, match=r"found 8 days.*5"):
        backtest(drawn(), Seeds(1), days=5)


def test_from_day_to_day() -> None:
    """What repeats stays in its class; a history of one window tells nothing."""
    rows = np.array([np.tile(DAY, 2), np.tile(DAY, 2), np.full(96, 0.3), np.full(96, 0.6)])
    found = stability(made(rows), Seeds(1), days=3)
    assert found is not None
    assert (found.pattern_kept, found.rand) == (1, 1)
    assert stability(made(rows), Seeds(1), days=4) is None


def test_each_figure_has_its_own_base() -> None:
    """A tenant that was never measured counts in none; one whose pattern is not known, in what was measured alone."""
    rows = np.array([np.tile(DAY, 2), np.full(96, 0.3), np.full(96, np.nan), np.full(96, 0.5)])
    rows[3, 5:15] = np.nan
    found = backtest(made(rows), Seeds(1))[0]
    assert (found.servers, found.with_pattern, found.measured, found.forecast) == (4, 2, 3, 2)
    assert found.pattern_kept == 1
    assert found.average_error == pytest.approx(0, abs=1e-6)


def test_what_one_class_or_one_each_cannot_show() -> None:
    """All tenants in one class, or each in one of its own: no other grouping was possible, so that none agrees."""
    alike = stability(made(np.full((3, 96), 0.3)), Seeds(1), days=3)
    rows = np.stack([np.tile(DAY, 2) * share for share in (0.5, 1, 1.5)])
    alone = stability(made(rows), Seeds(1), days=3)
    assert alike is not None
    assert alone is not None
    assert (alike.pattern_kept, alike.rand, alone.pattern_kept, alone.rand) == (1, None, 1, None)
