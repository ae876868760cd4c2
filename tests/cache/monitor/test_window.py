"""Rates out of counters."""

from __future__ import annotations

import random

import pytest

from froude.cache.monitor.window import Changes, Sample, Window


def _fed(window: Window, rates: list[float], *, every_s: float = 10.0, instance: str = "1") -> list[bool]:
    total, changes = 0.0, [window.add(Sample(instance, 0.0, {"reads": 0.0}))]
    for number, rate in enumerate(rates, 1):
        total += rate * every_s
        changes.append(window.add(Sample(instance, number * every_s, {"reads": total})))
    return changes


def test_a_steady_rate() -> None:
    """It is what it is, whatever the weights."""
    window = Window(60)
    _fed(window, [5.0] * 10)
    assert window.rates()["reads"] == pytest.approx(5.0)
    assert window.covered_s == pytest.approx(70, abs=10)


def test_one_sample_tells_no_rate() -> None:
    """Nothing is known before the second."""
    window = Window(60)
    window.add(Sample("1", 3.0, {"reads": 1e6}))
    assert window.rates() == {}


def test_what_is_newer_weighs_more() -> None:
    """After as long of one as of the other, the newer prevails; what is before the window is gone."""
    window = Window(60)
    _fed(window, [0.0] * 3 + [10.0] * 3)
    assert 5.0 < window.rates()["reads"] < 10.0
    _fed_more = [window.add(Sample("1", 60.0 + 10 * n, {"reads": 300.0 + 100 * n})) for n in range(1, 8)]
    assert not any(_fed_more)
    assert window.rates()["reads"] == pytest.approx(10.0)


def test_counters_that_begin_anew() -> None:
    """Another instance is no growth, and no fall."""
    window = Window(60)
    _fed(window, [5.0] * 3)
    window.add(Sample("2", 31.0, {"reads": 0.0}))
    window.add(Sample("2", 41.0, {"reads": 50.0}))
    assert window.rates()["reads"] == pytest.approx(5.0)


def test_the_same_moment_twice() -> None:
    """A report that comes again is passed over."""
    window = Window(60)
    _fed(window, [5.0] * 3)
    assert not window.add(Sample("1", 30.0, {"reads": 99999.0}))
    window.add(Sample("1", 40.0, {"reads": 200.0}))
    assert window.rates()["reads"] == pytest.approx(5.0)


def test_a_change_is_seen_and_the_past_forgotten() -> None:
    """A load that is ten times as high is the rate at once, not a window later."""
    window = Window(600, watched=("reads",))
    changes = _fed(window, [100.0] * 5 + [1000.0])
    assert changes == [False] * 6 + [True]
    assert window.rates()["reads"] == pytest.approx(1000.0)


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
