"""When rounds count as settled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.measure.steady_state import Rule, drift, excursion, is_steady

POSITIVE = "positive mean"


_RULE = Rule()
_VALUES = st.floats(1e-3, 1e6)


def test_too_few_rounds_are_never_settled() -> None:
    """The window must be full, however equal its rounds."""
    assert not is_steady([100.0] * 4, _RULE)
    assert is_steady([100.0] * 5, _RULE)


def test_only_the_window_counts() -> None:
    """What an SSD did while it had free blocks does not hold it back once it is steady."""
    assert is_steady([900, 700, 300, 100, 101, 99, 100, 100], _RULE)
    assert not is_steady([900, 700, 300, 100, 101, 99, 100], _RULE)


@pytest.mark.parametrize(
    ("values", "steady"),
    [
        ([90, 110, 100, 90, 110], True),
        ([89, 111, 100, 89, 111], False),
        ([96, 98, 100, 102, 104], True),
        ([94, 97, 100, 103, 106], False),
        ([106, 103, 100, 97, 94], False),
    ],
)
def test_both_limits_hold(values: list[float], steady: bool) -> None:
    """Rounds may differ by a fifth of their mean, and rise or fall by a tenth along the best line."""
    assert is_steady(values, _RULE) is steady


def test_the_line_is_that_of_least_squares() -> None:
    """A straight line drifts by exactly its ends; one high round in the middle does not tilt it."""
    assert drift([95, 97.5, 100, 102.5, 105]) == pytest.approx(0.10)
    assert drift([100, 100, 130, 100, 100]) == pytest.approx(0)
    assert excursion([90, 100, 110]) == pytest.approx(0.2)


@given(st.lists(_VALUES, min_size=5, max_size=12), st.floats(1e-3, 1e3))
def test_units_and_direction_do_not_matter(values: list[float], factor: float) -> None:
    """Drift and excursion are shares: the same in any unit, and for time run backwards."""
    scaled = [factor * value for value in values]
    assert excursion(scaled) == pytest.approx(excursion(values))
    assert drift(scaled) == pytest.approx(drift(values), abs=1e-9)
    assert drift(values[::-1]) == pytest.approx(drift(values), abs=1e-9)


def test_nothing_and_standstill_are_refused() -> None:
    """A mean that is not positive is a mistake of the caller."""
    with pytest.raises(ValueError, match=POSITIVE):
        excursion([])
    with pytest.raises(ValueError, match=POSITIVE):
        drift([0.0, 0.0])
    with pytest.raises(ValueError, match="window must be"):
        Rule(window=1)
