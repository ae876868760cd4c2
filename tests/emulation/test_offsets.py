"""How far the clocks of two machines are apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.offsets import Offset, OffsetOf
from froude.emulation.sharing import Pong

DELAYS = st.floats(0.0, 0.5)


@given(st.floats(-1e4, 1e4), st.lists(st.tuples(DELAYS, DELAYS), min_size=1, max_size=30))
def test_the_true_offset_is_within_the_error(offset_s: float, trips: list[tuple[float, float]]) -> None:
    """However a ping and its answer are delayed, each by itself."""
    offset = OffsetOf()
    for number, (there_s, back_s) in enumerate(trips):
        offset.hear(Pong(number, number + there_s - offset_s), number + there_s + back_s)
    assert abs(offset.now.offset_s - offset_s) <= offset.now.error_s + 1e-9
    assert offset.now.error_s <= min(map(sum, trips[-16:])) / 2 + 1e-9


def test_clocks_that_drift_apart_are_seen_to() -> None:
    """The error of times shown by an old offset has the drift in it, and what is not known of it."""
    offset = OffsetOf()
    offset.hear(Pong(0.0, 5.001), 0.002)
    offset.used = offset.now
    assert offset.used == Offset(0.001, -5.0)
    assert offset.error_s == 0.001
    for second in range(1, 17):
        offset.hear(Pong(second, second + 5.011), second + 0.002)
    assert offset.answers == 16
    assert offset.error_s == pytest.approx(0.011)
