"""Core-seconds out of utilisation."""

from __future__ import annotations

import numpy as np
import pytest

from froude.harvest.telemetry.series import Telemetry

STEADY = Telemetry({"a": (np.arange(0.0, 600.0, 60.0), np.full(10, 0.5))})


@pytest.mark.parametrize(
    ("window", "core_seconds", "covered"),
    [
        ((0, 600), 1200.0, 600.0),
        ((30, 90), 120.0, 60.0),
        ((570, 900), 60.0, 30.0),
        ((1000, 2000), 0.0, 0.0),
    ],
)
def test_samples_hold_until_the_next(
    window: tuple[float, float], core_seconds: float, covered: float
) -> None:
    """The last one for a step; outside nothing is known."""
    assert STEADY.core_seconds(4, [window]) == pytest.approx((core_seconds, covered))


def test_a_gap_is_not_filled() -> None:
    """A sample holds for three steps at most."""
    times = np.array([0.0, 10.0, 20.0, 1000.0, 1010.0])
    spent, covered = Telemetry({"a": (times, np.ones(5))}).core_seconds(1, [(0, 2000)])
    assert (spent, covered) == (70.0, 70.0)


def test_machines_add_up() -> None:
    """Their shares are averaged, their time is not."""
    both = Telemetry({"a": STEADY.series["a"], "b": (np.array([0.0]), np.array([1.0]))})
    assert both.core_seconds(2, [(0, 60)])[0] == pytest.approx(60 + 120)
    mean, *ends = both.overall()
    assert mean == pytest.approx(6 / 11)
    assert ends == [0.0, 540.0]
