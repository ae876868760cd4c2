"""What must be sustained refuses what cannot be, and scales as a whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.types import Batch, BatchTarget, Growth, RateTarget, Sla

WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "target": (lambda: RateTarget("t", -1), "rate must be 0 or above"),
    "latency": (lambda: RateTarget("t", 1, 0.0), "latency must be above 0"),
    "quantile": (lambda: RateTarget("t", 1, 1, 1.0), r"quantile must lie in \(0, 1\), got 1"),
    "no quantile": (lambda: RateTarget("t", 1, 1, 0.0), "quantile must lie"),
    "quantile of nothing": (
        lambda: RateTarget("t", 1, None, 0.5),
        "quantile is of a latency, and there is none",
    ),
    "executions": (lambda: BatchTarget("t", -1), "executions must be 0"),
    "time": (lambda: Batch(0, ()), "time must be above 0"),
    "no share": (lambda: Batch(1, (), {"a": 0.0}), "split must be above 0"),
    "split": (lambda: Batch(1, (), {"a": 0.6, "b": 0.6}), "split must add up to at most 1, got 1.2"),
    "load": (lambda: Growth(load=-1), "load must be 0"),
    "data": (lambda: Growth(data=-1), "data must be 0"),
    "lead time": (lambda: Growth(lead_time=-1), "lead_time must be 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    """Each by its name, with what was given."""
    build, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        build()


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=20))
def test_rounding_is_forgiven(parts: list[float]) -> None:
    """Parts of a whole add up to it but for their last digits."""
    whole = sum(parts)
    Batch(1, (), {str(n): part / whole for n, part in enumerate(parts)})


def test_an_sla_scales_as_a_whole() -> None:
    """Rates and jobs by the same factor; times, splits, latencies and growth stay."""
    batch = Batch(10, (BatchTarget("t", 6),), {"p": 1.0})
    growth = Growth(0.4)
    sla = Sla((RateTarget("t", 2, 0.1, 0.9),), batch, growth)
    twice = sla.scaled(2)
    assert twice == Sla(
        (RateTarget("t", 4, 0.1, 0.9),), Batch(10, (BatchTarget("t", 12),), {"p": 1.0}), growth
    )
    assert sla.targets[0].rate == 2
    assert Sla((RateTarget("t", 2),)).scaled(0) == Sla((RateTarget("t", 0),))
