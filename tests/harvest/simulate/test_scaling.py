"""Utilisation at another mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.harvest.simulate.scaling import factor_for, scaled
from froude.harvest.simulate.settings import Scaling

SERIES = np.array([[0.1, 0.5], [0.25, np.nan]], np.float32)


def test_linear_scaling_stops_at_all_of_a_server() -> None:
    """Three times; what was not measured stays so."""
    assert scaled(SERIES, Scaling.LINEAR, 3).tolist() == pytest.approx(
        [pytest.approx([0.3, 1.0]), pytest.approx([0.75, np.nan], nan_ok=True)]
    )


def test_root_scaling_raises_low_values_most() -> None:
    """The square root."""
    assert scaled(SERIES[:, :1], Scaling.ROOT, 2).ravel() == pytest.approx([0.1**0.5, 0.5])


def test_the_mean_is_over_servers_that_were_measured() -> None:
    """One server of the first tenant in two slots, three of the second in one: their mean needs no factor."""
    assert factor_for(SERIES, [1, 3], Scaling.LINEAR, (0.1 + 0.5 + 3 * 0.25) / 5) == pytest.approx(
        1, rel=1e-3
    )


@given(st.sampled_from(Scaling), st.floats(0.05, 0.95), st.integers(0, 99))
def test_the_factor_brings_the_mean_to_the_wanted_one(scaling: Scaling, mean: float, seed: int) -> None:
    """For any series above 0."""
    draw = np.random.default_rng(seed)
    series = draw.uniform(0.01, 1, (4, 50)).astype(np.float32)
    servers = draw.integers(1, 9, 4)
    factor = factor_for(series, servers, scaling, mean)
    reached = np.average(scaled(series, scaling, factor).mean(axis=1), weights=servers)
    assert reached == pytest.approx(mean, abs=2e-4)


def test_a_mean_that_idle_tenants_rule_out_is_refused() -> None:
    """Half of the samples are 0: no factor brings the mean above a half."""
    idle = np.array([[0.0, 0.5]], np.float32)
    with pytest.raises(InputError, match=r"cannot be the mean utilisation; found 0.6; allowed: .* to 0.5"):
        factor_for(idle, [1], Scaling.LINEAR, 0.6)


def test_series_without_a_sample_are_refused() -> None:
    """There is no mean of nothing."""
    with pytest.raises(InputError, match="no measured utilisation"):
        factor_for(np.full((1, 2), np.nan, np.float32), [1], Scaling.LINEAR, 0.5)
