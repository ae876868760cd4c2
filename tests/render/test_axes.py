"""Ticks stand at round numbers that enclose the values, and say them in one readable unit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.render import Axis, ValueKind
from froude.render.axes import axis_title, log_ticks, placed, scale_and_ticks, time_ticks, written_expr

LATENCY = Axis("latency", ValueKind.DURATION, log=True)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.9e-3, 70e-3, [0.5e-3, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1]),
        (1e-3, 2.3, [1e-3, 0.01, 0.1, 1.0, 10.0]),
        (2.0, 20.0, [2.0, 5.0, 10.0, 20.0]),
        (3.0, 3.0, [2.0, 5.0]),
        (1e-9, 1e3, [1e-9, 1e-7, 1e-5, 1e-3, 0.1, 10.0, 1000.0]),
    ],
)
def test_ticks_of_a_log_axis(low: float, high: float, ticks: list[float]) -> None:
    """1, 2 and 5 of every decade where they fit, else decades."""
    assert log_ticks(low, high) == pytest.approx(ticks)


@given(st.floats(1e-9, 1e12), st.floats(1.0, 1e9))
def test_ticks_of_a_log_axis_enclose_its_values(low: float, times: float) -> None:
    """Two to eight, rising, the first at or below the lowest value and the last at or above the highest."""
    ticks = log_ticks(low, low * times)
    assert 2 <= len(ticks) <= 8
    assert ticks == sorted(set(ticks))
    assert ticks[0] <= low * (1 + 1e-6)
    assert ticks[-1] >= low * times * (1 - 1e-6)
    assert all(f"{tick:e}"[0] in "125" for tick in ticks)


@given(st.integers(0, 10**7), st.integers(120, 10**7))
def test_ticks_of_a_long_time_lie_within_it(low: int, length: int) -> None:
    """Whole half minutes, few enough to be written side by side."""
    ticks = time_ticks(low, low + length)
    assert 1 <= len(ticks) <= 7
    assert all(low <= tick <= low + length and tick % 30 == 0 for tick in ticks)


def test_a_long_axis_is_read_in_minutes() -> None:
    """Not in hundreds of seconds."""
    scale, ticks = scale_and_ticks(Axis("time", ValueKind.DURATION), (0.0, 1300.0), enclose=False, count=5)
    assert ticks["values"] == [0, 300, 600, 900, 1200]
    assert ticks["labelExpr"].endswith("min'")
    assert scale["domain"] == [0.0, 1300.0]


def test_a_log_axis_ends_at_its_ticks() -> None:
    """So that no line begins between two numbers; but a time axis ends where the data do."""
    scale, ticks = scale_and_ticks(LATENCY, (0.9e-3, 70e-3), enclose=True, count=5)
    assert scale["domain"] == [ticks["values"][0], ticks["values"][-1]]
    assert not scale["nice"]
    scale, _ = scale_and_ticks(LATENCY, (0.9e-3, 70e-3), enclose=False, count=5)
    assert scale["domain"] == [0.9e-3, 70e-3]
    scale, ticks = scale_and_ticks(LATENCY, None, enclose=True, count=5)
    assert "domain" not in scale
    assert "values" not in ticks
    assert ticks["tickCount"] == 5


def test_every_nine_of_a_percentile_has_the_same_room() -> None:
    """As HdrHistogram draws it; the median has a tick of its own."""
    axis = Axis("percentile", ValueKind.PERCENTILE)
    assert [placed(axis, share) for share in (0.0, 0.5, 0.9, 0.99)] == pytest.approx([1, 2, 10, 100])
    scale, ticks = scale_and_ticks(axis, (0.0, 0.9999), enclose=False, count=5)
    assert scale["type"] == "log"
    assert ticks["values"][:4] == [1.0, 2.0, 10.0, 100.0]
    assert placed(LATENCY, 0.5) == 0.5


def test_titles_name_units_that_ticks_do_not_carry() -> None:
    """And that the scale is logarithmic."""
    assert axis_title(Axis("throughput", unit="calls/s")) == "throughput, calls/s"
    assert axis_title(LATENCY) == "latency, log scale"


def test_values_are_written_with_the_unit_of_their_axis() -> None:
    """A share in percent, a number with the unit that its axis names."""
    assert written_expr(Axis("share", ValueKind.SHARE), "v").startswith("format(v*100")
    assert "calls" in written_expr(Axis("n", unit="calls"), "v")
    assert "calls" not in written_expr(Axis("n", unit="calls"), "v", unit=False)


@pytest.mark.parametrize(
    ("low", "high", "least"),
    [(100.0, 101.0, 1.0), (1.0, 2.0, 0.01), (10.0, 40.0, 0.1), (2000.0, 2001.0, 1.0)],
)
def test_neighbouring_ticks_have_labels_of_their_own(low: float, high: float, least: float) -> None:
    """A label has three digits: ticks are no nearer than it can show."""
    _, ticks = scale_and_ticks(Axis("load", unit="clients"), (low, high), enclose=False, count=6)
    assert ticks["tickMinStep"] == pytest.approx(least)
