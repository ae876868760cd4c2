"""Small statistics against what is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.stats import fit_line, quantile


@given(
    st.integers(-100, 100),
    st.integers(-100, 100),
    st.lists(st.integers(0, 1000), min_size=1, max_size=9, unique=True),
)
def test_finds_the_line_it_was_given(intercept: int, slope: int, xs: list[int]) -> None:
    """Points on a line give no residual and the line's values back."""
    line = fit_line(xs, [intercept + slope * x for x in xs])
    assert line.residual == pytest.approx(0, abs=1e-6)
    assert line.at(xs[0]) == pytest.approx(intercept + slope * xs[0], abs=1e-6)


def test_quantiles() -> None:
    """Type 7, as numpy's default."""
    assert quantile([1, 2, 3, 4], 0.5) == 2.5
    assert quantile([5], 0.99) == 5
    with pytest.raises(ValueError, match="need values"):
        quantile([], 0.5)
