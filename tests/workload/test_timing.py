"""Times by their distribution and the Scale."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.workload.scale import Count, Scale
from froude.workload.timing import LEVELS, Timing, value_at

SCALE = Scale.of(n=4)
quantiles = st.sampled_from(sorted(LEVELS)).flatmap(
    lambda size: st.lists(st.floats(0.001, 100), min_size=size, max_size=size).map(lambda s: tuple(sorted(s)))
)


def test_times_follow_the_scale_and_are_never_below_zero() -> None:
    """A line over the scale may fall below zero beyond what was recorded."""
    growing, falling = Count(1, {"n": 0.5}), Count(1, {"n": -0.5})
    assert Timing(growing).think_s(SCALE) == 3
    assert Timing(falling).think_s(SCALE) == 0
    assert Timing(service=growing).service_s(SCALE) == 3
    assert Timing(service=falling).service_s(SCALE) == 0
    assert Timing(growing).service_s(SCALE) == 0


@given(quantiles, st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_is_no_shorter_time(times_s: tuple[float, ...], one: float, other: float) -> None:
    """And the quantiles themselves stand at their levels."""
    assert value_at(times_s, min(one, other)) <= value_at(times_s, max(one, other)) * (1 + 1e-12)
    assert [value_at(times_s, level) for level in LEVELS[len(times_s)]] == pytest.approx(list(times_s))


def test_all_quantiles_move_with_the_median() -> None:
    """Recorded at three nodes with 2 s in the middle; at six nodes the middle is 4 s."""
    timing = Timing(Count(0, {"n": 2 / 3}), (1.0, 2.0, 5.0))
    assert [timing.think_s(Scale.of(n=6), share) for share in (0.0, 0.5, 1.0)] == pytest.approx([2, 4, 10])


def test_the_mean_of_a_long_tail_lies_above_its_median() -> None:
    """By the area below the lines that join the quantiles; without quantiles it is the median."""
    assert Timing(Count(1), (0.0, 1.0, 4.0), Count(2)).mean_s(SCALE) == pytest.approx(1.5 + 2)
    assert Timing(Count(0), (0.0, 0.0, 4.0)).mean_s(SCALE) == 0
