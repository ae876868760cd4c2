"""Token buckets on a clock of the test."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.cache.disk.limiter import Limiter
from froude.cache.disk.status import Limits


def served(limiter: Limiter, seconds: float, size: int) -> int:
    """Requests that go in so much time, each as soon as it may."""
    now, count = 0.0, 0
    while True:
        wait = limiter.wait_s(size, now)
        now += wait
        if now >= seconds:
            return count
        count += wait == 0


@pytest.mark.parametrize(
    ("limits", "size", "a_second"),
    [
        (Limits(iops=60), 4096, 60),
        (Limits(iops=1.5), 4096, 1.5),
        (Limits(bytes_per_s=1e6), 4096, 1e6 / 4096),
        (Limits(bytes_per_s=1e6), 1 << 20, 1e6 / (1 << 20)),  # one request is more than the bucket holds
        (Limits(iops=100, bytes_per_s=1e9), 4096, 100),
        (Limits(iops=1e6, bytes_per_s=4096 * 50), 4096, 50),
    ],
)
def test_as_much_as_the_limits_allow(limits: Limits, size: int, a_second: float) -> None:
    """Over a hundred seconds, but for what a full bucket lets through at first."""
    assert served(Limiter(limits, 0.0), 100.0, size) == pytest.approx(100 * a_second, rel=0.012, abs=2)


def test_nothing_is_limited_without_limits() -> None:
    """And it says so."""
    limiter = Limiter(Limits(), 0.0)
    assert limiter.free
    assert all(limiter.wait_s(1 << 30, 0.0) == 0 for _ in range(1000))


def test_a_pause_is_not_made_up_for() -> None:
    """At most a tenth of a second's worth goes at once."""
    limiter = Limiter(Limits(iops=100), 0.0)
    assert sum(limiter.wait_s(1, 1000.0) == 0 for _ in range(50)) == 10


@given(
    st.floats(1, 1e6),
    st.floats(1, 1e10),
    st.lists(st.tuples(st.integers(1, 32 << 20), st.floats(0, 10)), min_size=1),
)
def test_who_waits_as_long_as_told_goes(
    iops: float, bandwidth: float, requests: list[tuple[int, float]]
) -> None:
    """At the latest at the third try, for rounding; so nothing waits for ever."""
    limiter, now = Limiter(Limits(iops, bandwidth), 0.0), 0.0
    for size, pause in requests:
        now += pause
        for _ in range(3):
            wait = limiter.wait_s(size, now)
            if wait == 0:
                break
            now += wait
        assert wait == 0
