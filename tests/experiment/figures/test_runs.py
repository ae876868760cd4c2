"""Runs beside one another: a row and a point for each."""

from __future__ import annotations

from dataclasses import replace

from froude.experiment.figures.runs import runs_section
from froude.render import Chart, Table
from tests.support.experiment.main_jobs import a_run


def test_runs_in_their_order_and_points_by_their_load() -> None:
    """The table as given, the chart from the lowest load on."""
    section = runs_section(
        [("fast", replace(a_run(), elapsed_s=1.0)), ("slow", replace(a_run(), elapsed_s=3.0))]
    )
    table, chart = section.blocks
    assert isinstance(table, Table)
    assert isinstance(chart, Chart)
    assert [(row[0], row[2], row[5], row[6]) for row in table.rows] == [
        ("fast", 3.0, 1, "unknown"),
        ("slow", 1.0, 1, "unknown"),
    ]
    p99, p50 = chart.series
    assert (list(p99.xs), list(p50.xs)) == ([1.0, 3.0], [1.0, 3.0])
    assert list(p99.ys) == [0.003, 0.003]
