"""Clocks never go back."""

import pytest

from froude.base.clock import RealClock, ShiftedClock
from testbed.virtual_clock import VirtualClock


def test_virtual_clock_moves_only_when_told() -> None:
    """It stands still, moves forward, and refuses to go back."""
    clock = VirtualClock(5.0)
    assert clock.now() == clock.now() == 5.0
    clock.advance_to(6.5)
    assert clock.wall() - clock.now() == pytest.approx(1_700_000_000.0)
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance_to(6.0)


def test_real_clock_goes_on() -> None:
    """Monotonic time does not decrease."""
    clock = RealClock()
    assert clock.now() <= clock.now()
    assert clock.wall() > 1.7e9


def test_a_shifted_clock_shows_another_machines_time() -> None:
    """Its own, and what the other one is ahead."""
    assert 99 < ShiftedClock(100.0).now() - RealClock().now() < 101
