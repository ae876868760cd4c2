"""Stops of the target's JVM as charts and a table."""

from __future__ import annotations

from froude.experiment.figures.namenode import namenode_section
from froude.experiment.figures.stops import OTHERS, stop_blocks
from froude.hadoop.metrics.gc_log import GcLog, HeapChange, Pause
from froude.render import Chart, Table
from tests.support.experiment.figures.namenode import METRICS, charts
from tests.support.experiment.main_jobs import a_run

LOG = GcLog(
    [
        Pause(0.5, "Young (Normal) (G1 Evacuation Pause)", 0.01, True, 2e-6),
        Pause(0.6, "ICBufferFull", 0.001, False, 1e-6),
        Pause(0.7, "Young (Mixed) (G1 Evacuation Pause)", 0.03, True, 5e-6),
        Pause(0.8, "Young (Normal) (G1 Evacuation Pause)", 0.02),
    ],
    [HeapChange(0.5, 90, 30), HeapChange(0.7, 95, 40)],
    "G1",
)


def test_each_stop_is_a_point() -> None:
    """Of a colour for its kind, without the cause; what was not for the collector is one more."""
    run = a_run(gc=LOG)
    stops, heap, _ = stop_blocks(run)
    assert isinstance(stops, Chart)
    assert isinstance(heap, Chart)
    assert [(line.name, line.xs, line.ys) for line in stops.series] == [
        ("Young", [0.5, 0.7, 0.8], [0.01, 0.03, 0.02]),
        (OTHERS, [0.6], [0.001]),
    ]
    assert [(line.name, line.ys) for line in heap.series] == [("before", [90, 95]), ("after", [30, 40])]


def test_why_it_stopped() -> None:
    """Each kind with its cause, the longest in all first; of the steady phase."""
    *_, table = stop_blocks(a_run(gc=LOG))
    assert isinstance(table, Table)
    assert table.caption == "Why the JVM stopped (G1)"
    assert [row[:4] for row in table.rows] == [
        ("Young (Normal) (G1 Evacuation Pause)", "collection", 2, 0.03),
        ("Young (Mixed) (G1 Evacuation Pause)", "collection", 1, 0.03),
        ("ICBufferFull", "something else", 1, 0.001),
    ]
    assert [row[-1] for row in table.rows] == [2e-6, 5e-6, 1e-6]
    run = a_run(gc=LOG)
    run.tally.steady_from_s = 0.75
    *_, table = stop_blocks(run)
    assert isinstance(table, Table)
    assert [row[2] for row in table.rows] == [1]


def test_they_stand_with_the_namenodes_own_metrics() -> None:
    """In place of means of a second."""
    titles = charts(namenode_section(a_run(metrics=METRICS, gc=LOG)))
    assert {"Stops of the JVM", "Heap before and after each collection"} < set(titles)
    assert not list(stop_blocks(a_run()))
    assert [type(block) for block in stop_blocks(a_run(gc=GcLog()))] == [Table]
