"""The Universal Scalability Law, fitted to a curve."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.experiment.knee.scalability import Scalability, fit, scalability_text

LOADS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)


@given(st.floats(0.1, 1e5), st.floats(0, 0.9), st.floats(0, 0.1))
def test_a_curve_of_the_law_gives_its_parameters(rate: float, sigma: float, kappa: float) -> None:
    """Whatever they are; with no load that departs."""
    law = Scalability(rate, sigma, kappa, (), 32.0)
    found = fit({load: law.at(load) for load in LOADS})
    assert found is not None
    assert (found.rate, found.sigma, found.kappa) == pytest.approx((rate, sigma, kappa), rel=1e-4, abs=1e-6)
    assert found.departs == ()


def test_too_few_loads_give_no_fit() -> None:
    """Its three parameters fit four loads well whatever they are; nothing was answered at a load of no rate."""
    law = Scalability(100.0, 0.1, 0.01, (), 32.0)
    rates = {load: law.at(load) for load in LOADS}
    assert fit(dict(list(rates.items())[:4])) is None
    assert fit({**dict(list(rates.items())[:4]), 64.0: 0.0}) is None
    assert fit(dict(list(rates.items())[:5])) is not None
    assert scalability_text(None, "clients") == ""


def test_no_parameter_is_below_zero() -> None:
    """A rate that rises faster than the load is no contention below zero: the curve departs from the law."""
    found = fit({load: load**1.5 for load in LOADS})
    assert found is not None
    assert (found.sigma, found.kappa, found.peak) == (0.0, 0.0, None)
    assert 32.0 in found.departs
    assert not found.holds


def test_where_it_departs_is_named() -> None:
    """The load whose rate is far below what the others let expect."""
    law = Scalability(100.0, 0.05, 0.001, (), 32.0)
    loads = [float(number) for number in range(1, 40, 2)]
    found = fit({load: law.at(load) * (0.6 if load == 39 else 1.0) for load in loads})
    assert found is not None
    assert found.departs[-1] == 39.0
    text = scalability_text(Scalability(100.0, 0.05, 0.001, (39.0,), 39.0), "clients")
    assert text == (
        "Universal Scalability fit: sigma 0.05 (contention), kappa 0.001 (coherency), no highest rate within these "
        "loads; measured rates depart from it by more than 10 % at clients=39."
    )
    assert scalability_text(law, "clients").endswith(
        "; it is within 10 % of all loads, as may be other parameters."
    )


@pytest.mark.parametrize(
    ("sigma", "kappa", "peak"),
    [
        (0.1, 0.9 / 8**2, 8.0),
        (0.1, 0.9 / 30**2, None),
        (0.1, 0.9 / 64**2, None),
        (1.2, 0.1, None),
        (0.1, 0.0, None),
    ],
)
def test_a_highest_rate_that_was_not_passed_is_not_named(
    sigma: float, kappa: float, peak: float | None
) -> None:
    """It would follow from noise; nor is there one where the rate falls from the first load on."""
    found = Scalability(100.0, sigma, kappa, (), 32.0).peak
    assert found == (None if peak is None else pytest.approx(peak))


def test_a_law_that_fits_few_loads_does_not_hold() -> None:
    """Rates up and down follow no such law."""
    found = fit({1.0: 100.0, 2.0: 50.0, 4.0: 900.0, 8.0: 200.0, 16.0: 3000.0, 32.0: 100.0})
    assert found is not None
    assert not found.holds
    assert scalability_text(found, "clients").startswith("The Universal Scalability Law does not fit")


def test_rates_that_do_not_rise_have_no_fit() -> None:
    """The rate at a load of one does not follow from them."""
    rates = {100.0: 4000.0, 200.0: 3950.0, 400.0: 3900.0, 800.0: 3850.0, 1600.0: 3800.0}
    assert fit(rates) is None
