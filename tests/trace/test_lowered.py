"""Periods lowered for a recording."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.trace.lowered import LoweredInterval, lowered_intervals

RENEW = LoweredInterval("renewLease", 30, 2)


def test_a_note_says_what_was_lowered() -> None:
    """And reading gives it back, other notes passed over."""
    assert RENEW.note == ("interval.renewLease", "configured 30 s, recorded 2 s")
    assert lowered_intervals(dict([RENEW.note, ("job", "wordcount")])) == {"renewLease": RENEW}


@pytest.mark.parametrize("text", ["", "2 s", "configured 0 s, recorded 2 s", "configured e s, recorded 2 s"])
def test_a_note_that_says_something_else_is_refused(text: str) -> None:
    """With the form that it must have."""
    with pytest.raises(InputError, match="configured N s, recorded N s"):
        lowered_intervals({"interval.renewLease": text})


@pytest.mark.parametrize("values", [("", 1, 1), ("renewLease", 0, 1), ("renewLease", 1, float("inf"))])
def test_a_period_is_above_zero(values: tuple[str, float, float]) -> None:
    """And belongs to a method."""
    with pytest.raises(ValueError, match="above zero"):
        LoweredInterval(*values)


@given(st.integers(1, 9), st.floats(-0.2, 0.2))
def test_lateness_does_not_grow_with_the_period(periods: int, late_s: float) -> None:
    """Whatever the number of periods that a gap spans."""
    assert RENEW.rescaled(2 * periods + late_s) == pytest.approx(30 * periods + late_s)
