"""Latency by method, at every percentile, over time and against the load."""

from __future__ import annotations

import pytest

from froude.emulation.run.run import Run
from froude.emulation.run.tally import Tally
from froude.experiment.figures.latency import (
    against_load,
    by_method,
    coloured_methods,
    distribution,
    latency_section,
    throughput,
)
from froude.render import Chart
from tests.support.experiment.main_jobs import a_run, a_run_of_yarn

METHODS = ("create", "delete")


def _run(calls: int = 1000, seconds: int = 3) -> Run:
    """Calls of 1 to `calls` ms in each second, and half as many of another method."""
    tally = Tally()
    for second in range(1, seconds + 1):
        for method, number in (("create", calls), ("delete", calls // 2)):
            series = tally.of(method)
            series.sent += number
            series.answered += number
            series.intended += [i / 1e3 for i in range(1, number + 1)]
            series.actual += [i / 2e3 for i in range(1, number + 1)]
        tally.close_interval(float(second))
    return Run(tally, "127.0.0.1:1", "CID-1", 0.0, float(seconds), pacing="scheduled")


def test_every_percentile() -> None:
    """From the fastest call on, as far as one call lies beyond; service time is the dashed one."""
    chart = distribution(_run(), METHODS)
    everything, service, create, delete = chart.series
    assert [line.name for line in chart.series][2:] == ["create", "delete"]
    values = dict(zip(create.xs, create.ys, strict=True))
    assert values[0.5] == pytest.approx(0.5, rel=1e-3)
    assert values[0.99] == pytest.approx(0.99, rel=1e-3)
    assert max(create.xs) <= 1 - 1 / 3000 < 0.9998
    assert max(delete.xs) < max(everything.xs)
    assert service.dashed
    assert service.ys[-1] == pytest.approx((everything.ys[-1] or 0) / 2, rel=1e-2)


def test_latency_against_load() -> None:
    """A point for each interval, by the answered calls of all methods."""
    chart = against_load(_run(seconds=2), METHODS)
    assert [(line.name, list(line.xs)) for line in chart.series] == [
        ("create", [1500, 1500]),
        ("delete", [1500, 1500]),
    ]
    assert against_load(_run(seconds=1), METHODS).series == (), "one point is no relation"


def test_the_most_frequent_method_is_first_and_others_are_last() -> None:
    """In the table, and in the areas."""
    run = _run()
    for number in range(8):
        run.tally.of(f"rare{number}").answered += 1
    assert by_method(run).rows[0][0] == "create"
    names = [series.name for series in throughput(run, [row[0] for row in by_method(run).rows]).series]  # type: ignore[misc]
    assert names[0] == "create"
    rows = throughput(run, ["create"]).series
    assert [series.name for series in rows] == ["create", "others"]
    assert list(rows[1].ys) == [500, 500, 500]


def test_a_run_in_which_nothing_happened_has_no_empty_chart_of_percentiles() -> None:
    """Charts that would have no line are left out."""
    empty = Run(Tally(), "127.0.0.1:1", "CID-1", 0.0, 0.0)
    titles = [block.title for block in latency_section(empty).blocks if isinstance(block, Chart)]
    assert titles == ["Latency over time, from when calls were due", "Answered calls"]


def test_charts_over_time_show_where_the_ramp_ends() -> None:
    """So that nobody takes it for the load."""
    run = a_run()
    run.tally.steady_from_s = 1.5
    charts = [block for block in latency_section(run).blocks if isinstance(block, Chart)]
    assert [mark.at for chart in charts for mark in chart.marks] == [1.5, 1.5]


def test_a_method_has_one_colour_on_a_page() -> None:
    """In every chart, and of every run, whichever methods are frequent in it; all calls and others have their own."""
    one, other = _run(), _run()
    one.tally.of("delete").sent += 9000
    methods = coloured_methods([one, other])
    assert methods == ("delete", "create")
    for run in (one, other):
        section = latency_section(run, methods)
        charts = [block for block in section.blocks if isinstance(block, Chart)]
        colours: dict[str, set[int | None]] = {}
        for series in (each for chart in charts for each in chart.series if not each.panel):
            colours.setdefault(series.name, set()).add(series.colour)
        assert colours["delete"] == {0}
        assert colours["create"] == {1}
        assert colours["all calls"] == {5}
    assert [each.colour for each in throughput(one, ("delete",)).series] == [0, 6]


def test_methods_stand_with_their_daemon() -> None:
    """Of several daemons each has a row for all its calls, and its methods below."""
    table = by_method(a_run_of_yarn())
    assert [column.title for column in table.columns][:4] == ["Daemon", "Method", "Sent", "Answered"]
    assert [row[:5] for row in table.rows] == [
        ("ResourceManager", "all", 40, 40, 0),
        ("ResourceManager", "nodeHeartbeat", 40, 40, 0),
        ("NameNode", "all", 4, 4, 1),
        ("NameNode", "create", 4, 4, 1),
    ]
    assert [row[6] for row in table.rows] == pytest.approx([0.002, 0.002, 0.05, 0.05], rel=0.01)
    assert by_method(a_run_of_yarn(namenode=False)).columns[0].title == "Method"
