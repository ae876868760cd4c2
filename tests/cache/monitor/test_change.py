"""Whether a rate has changed."""

from __future__ import annotations

import random

import pytest

from froude.cache.monitor.change import Changes


def _first(rates: list[float]) -> int | None:
    changes = Changes()
    return next((number for number, rate in enumerate(rates) if changes.add(rate)), None)


@pytest.mark.parametrize("factor", [5.0, 0.2])
def test_a_leap_is_seen_at_once(factor: float) -> None:
    """Up or down by five."""
    assert _first([200.0] * 10 + [200.0 * factor] * 3) == 10


@pytest.mark.parametrize("factor", [2.0, 0.5])
def test_a_step_is_seen_soon(factor: float) -> None:
    """Twice or half as much, within a few samples."""
    found = _first([200.0] * 10 + [200.0 * factor] * 10)
    assert found is not None
    assert 11 <= found <= 14


def test_noise_is_none() -> None:
    """Ten thousand rates that scatter by a tenth."""
    numbers = random.Random(1)
    assert _first([numbers.gauss(500, 50) for _ in range(10_000)]) is None


def test_a_slow_drift_is_followed() -> None:
    """A load that grows by a hundredth a sample is not news."""
    assert _first([100 * 1.01**number for number in range(300)]) is None


def test_idling() -> None:
    """Below one request per second a factor means nothing; from idle to busy is a change."""
    assert _first([0.0, 0.2] * 50) is None
    assert _first([0.0] * 10 + [50.0]) == 10
