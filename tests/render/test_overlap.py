"""Lines that lie on one another."""

from __future__ import annotations

import pytest

from froude.render import Axis, Chart, Series, ValueKind
from froude.render.overlap import covers
from froude.render.prepare import prepare
from froude.render.vegalite import panel_spec

TIMES = [0.0, 1.0, 2.0, 3.0]


def _chart(*ys: list[float], dashed: bool = False, log: bool = False) -> Chart:
    series = tuple(
        Series(f"s{number}", TIMES, values, dashed=dashed and number > 0) for number, values in enumerate(ys)
    )
    return Chart("t", Axis("time", ValueKind.DURATION), Axis("y", ValueKind.DURATION, log=log), series)


def _covered(chart: Chart) -> list[int]:
    shown = prepare(chart)
    return covers(shown.panels[0], shown.y_range, log=chart.y.log)


def test_a_line_under_another_is_wider() -> None:
    """By as much for each that covers it; the last one is never covered."""
    chart = _chart([5.0] * 4, [5.0, 5.0, 9.0, 9.0], [5.0] * 4)
    assert _covered(chart) == [2, 1, 0]
    shown = prepare(chart)
    (line,) = (
        layer
        for layer in panel_spec(chart, shown, shown.panels[0])["layer"]
        if layer["mark"]["type"] == "line"
    )
    assert line["encoding"]["strokeWidth"]["scale"]["range"] == [8, 5, 2]


def test_lines_apart_are_as_usual() -> None:
    """Also those that cross once."""
    assert _covered(_chart([1.0, 2.0, 3.0, 9.0], [4.0, 3.0, 3.0, 1.0])) == [0, 0]


def test_a_dashed_line_covers_none() -> None:
    """What is below shows between its dashes."""
    assert _covered(_chart([5.0] * 4, [5.0] * 4, dashed=True)) == [0, 0]


@pytest.mark.parametrize(("log", "covered"), [(True, [0, 0]), (False, [1, 0])])
def test_what_is_near_is_seen_on_the_axis(log: bool, covered: list[int]) -> None:
    """1 ms and 10 ms are far apart on a logarithmic axis that ends at 10 s, and one line on another."""
    assert _covered(_chart([0.001] * 3 + [10.0], [0.01] * 3 + [10.0], log=log)) == covered
