"""When a sustained load is steady, by its rates and its target's compiler."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.run.bottleneck import CPU, Measured
from froude.emulation.steadiness import compiler_share, is_steady, settled, thread_share
from froude.hadoop.metrics.threads import COMPILER


def samples(shares: list[float]) -> list[Measured]:
    """A core in use each second, a share of it by the compiler."""
    compiled = [sum(shares[:at]) for at in range(len(shares) + 1)]
    return [Measured(float(at), {CPU: float(at), COMPILER: total}) for at, total in enumerate(compiled)]


def test_a_rising_series_has_not_settled() -> None:
    """Nor has one that is shorter than ten seconds; a level one with noise has."""
    level = [1000.0, 1040, 980, 1010, 990, 1020, 1005, 995, 1015, 985]
    assert settled(level)
    assert not settled(level[:9])
    assert not settled([100.0 * second for second in range(20)])
    assert settled([0.0, 200, 600, *level, *level])


@given(st.integers(10, 60), st.floats(1, 1e6))
def test_equal_rates_have_settled(seconds: int, rate: float) -> None:
    """Whatever they are."""
    assert settled([rate] * seconds)


@given(st.lists(st.floats(0, 1e6), max_size=60))
def test_any_rates_give_an_answer(rates: list[float]) -> None:
    """Never before ten seconds."""
    assert not settled(rates) or len(rates) >= 10


@pytest.mark.parametrize(
    ("shares", "steady"), [([0.5] * 20 + [0.02] * 10, True), ([0.02] * 20 + [0.2] * 5, False)]
)
def test_a_busy_compiler_is_not_steady(shares: list[float], steady: bool) -> None:
    """The last ten seconds count."""
    assert is_steady([1000.0] * 20, samples(shares)) is steady


def test_the_busiest_compiler_of_several_targets_counts() -> None:
    """A ResourceManager's beside a NameNode's, whichever is busier."""
    quiet, busy = samples([0.02] * 12), samples([0.4] * 12)
    both = [
        Measured(one.time_s, {**one.values, **{f"RM{name}": value for name, value in other.values.items()}})
        for one, other in zip(quiet, busy, strict=True)
    ]
    assert compiler_share(both) == pytest.approx(0.4)
    assert not is_steady([1000.0] * 20, both)
    assert compiler_share([]) is None


def test_what_was_not_seen_does_not_decide() -> None:
    """A target on another machine shows no threads."""
    assert thread_share([Measured(0.0, {CPU: 1.0}), Measured(9.0, {CPU: 2.0})]) is None
    assert thread_share(samples([0.5])) == 0.5
    assert thread_share(samples([0.1, 0.3]), last_s=1.0) == pytest.approx(0.3)
    assert is_steady([1000.0] * 20, [])
