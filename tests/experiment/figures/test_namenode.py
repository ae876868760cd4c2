"""The NameNode's inside is drawn from its own metrics; what did not move is named, not drawn."""

from __future__ import annotations

from froude.emulation.run.bottleneck import Load, Measured
from froude.experiment.figures.namenode import namenode_section
from froude.render import Table, Text
from tests.support.experiment.figures.namenode import METRICS, charts
from tests.support.experiment.main_jobs import a_run


def test_what_moved_is_drawn_in_base_units() -> None:
    """CPU as a share of the time, queue time in seconds, heap in bytes."""
    shown = charts(namenode_section(a_run(metrics=METRICS, load=[Load(1.0, 0.25, 1 << 20, 3, 0)])))
    cpu, player = shown["Processor"].series
    assert list(cpu.ys) == [0.5, 0.5, 0.5]
    assert (player.name, list(player.ys)) == ("player", [0.25])
    assert list(shown["Where a call's time goes"].series[0].ys) == [0.001, 0.002, 0.003]
    assert list(shown["Memory"].series[0].ys) == [(20 + t) * 2**20 for t in range(4)]


def test_charts_of_one_run_stand_in_line() -> None:
    """All from its begin to its end, whenever their first value is."""
    shown = charts(namenode_section(a_run(metrics=METRICS)))
    assert {chart.x.extent for chart in shown.values()} == {(0.0, 2.0)}


def test_what_did_not_move_is_named() -> None:
    """With its value, in one line; a metric that is not there at all is not spoken of."""
    section = namenode_section(a_run(metrics=METRICS))
    (text,) = [block.markdown for block in section.blocks if isinstance(block, Text)]
    assert text == "Did not change: calls waiting in the queue (0 calls)."
    assert "Calls waiting in the queue" not in charts(section)
    assert "Threads" not in charts(section)


def test_who_held_the_lock() -> None:
    """Thirty creates of 2 ms each; the operations' sum of all is no row."""
    tables = {b.caption: b for b in namenode_section(a_run(metrics=METRICS)).blocks if isinstance(b, Table)}
    assert tables["Who held the namespace lock"].rows == [("Create", "write", 30, 0.002, 0.06)]


def test_other_metrics_that_changed() -> None:
    """What only rises has a rate; what has a chart, what stood still, and calls by method, have no row."""
    counted = [
        Measured(each.time_s, {**each.values, "RpcDetailedActivity.CreateNumOps": each.time_s})
        for each in METRICS
    ]
    tables = {b.caption: b for b in namenode_section(a_run(metrics=counted)).blocks if isinstance(b, Table)}
    assert tables["Other metrics that changed"].rows == [
        ("RpcActivity.ReceivedBytes", 0, 3000, 0, 3000, 1000)
    ]


def test_stale_samples_are_spoken_of() -> None:
    """A NameNode that renews its numbers every ten seconds is no NameNode that stood still."""
    twice = [Measured(t + half, sample.values) for t, sample in enumerate(METRICS) for half in (0.0, 0.5)]
    intro = namenode_section(a_run(metrics=twice)).intro
    assert "Up to 4 of 8 samples repeated the one before" in intro
    assert "repeated" not in namenode_section(a_run(metrics=METRICS)).intro


def test_without_metrics_it_says_so() -> None:
    """Unknown is not zero."""
    section = namenode_section(a_run())
    assert "unknown" in section.intro
    assert section.blocks == ()
