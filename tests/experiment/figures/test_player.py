"""What the player did and how late it was stands beside what it measured."""

from __future__ import annotations

from froude.emulation.run.bottleneck import Load
from froude.experiment.figures.player import player_section
from froude.render import Chart, Table
from tests.support.experiment.main_jobs import a_run


def test_its_load_is_drawn_and_what_stood_still_is_not() -> None:
    """Memory that never changed needs no chart."""
    run = a_run(load=[Load(0.5, 0.1, 1 << 20, 2, 3), Load(1.5, 0.1, 1 << 20, 5, 1)])
    charts = [block for block in player_section(run).blocks if isinstance(block, Chart)]
    assert [(chart.title, list(chart.series[0].ys)) for chart in charts] == [
        ("Calls in flight", [3, 1]),
        ("Emulated nodes that have begun", [2, 5]),
    ]


def test_timers_and_calls_are_late_for_different_reasons() -> None:
    """A row each, in seconds; what never happened has none."""
    run = a_run()
    run.tally.lag.add([0.001, 0.002])
    run.tally.lateness.add([0.5])
    (table,) = player_section(run).blocks
    assert isinstance(table, Table)
    assert [(row[0], row[3]) for row in table.rows] == [("its timers fired", 0.002), ("calls were sent", 0.5)]
    (table,) = player_section(a_run()).blocks
    assert isinstance(table, Table)
    assert table.rows == []
