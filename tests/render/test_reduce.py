"""Thinned series keep what a reader looks for."""

import math

from hypothesis import given
from hypothesis import strategies as st

from froude.render.reduce import reduce_series


def test_short_series_is_whole() -> None:
    """Nothing is thinned that fits; values that are not finite become gaps."""
    assert reduce_series([0, 1, 2], [1.0, math.nan, None]) == ([0, 1, 2], [1.0, None, None])


@given(st.lists(st.floats(-1e9, 1e9), min_size=50, max_size=400), st.integers(4, 40))
def test_extremes_and_ends_survive(ys: list[float], limit: int) -> None:
    """First, last, lowest and highest value are kept, places ascend, and the size is bounded."""
    xs = [float(i) for i in range(len(ys))]
    kept_xs, kept_ys = reduce_series(xs, ys, limit)
    assert kept_xs[0] == xs[0]
    assert kept_xs[-1] == xs[-1]
    assert min(kept_ys) == min(ys)  # type: ignore[type-var]
    assert max(kept_ys) == max(ys)  # type: ignore[type-var]
    assert kept_xs == sorted(set(kept_xs))
    assert len(kept_xs) <= limit + 2
    assert all(ys[int(x)] == y for x, y in zip(kept_xs, kept_ys, strict=True))


def test_gap_in_the_middle_survives() -> None:
    """A hole in the measurements stays a hole."""
    ys = [1.0] * 4000 + [math.nan] * 500 + [2.0] * 5500
    xs = [float(i) for i in range(10_000)]
    kept_xs, kept_ys = reduce_series(xs, ys, 100)
    holes = [x for x, y in zip(kept_xs, kept_ys, strict=True) if y is None]
    assert holes
    assert all(4000 <= x < 4500 for x in holes)
