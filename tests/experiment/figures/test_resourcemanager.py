"""The ResourceManager's inside stands beside the NameNode's, where one was watched."""

from __future__ import annotations

from froude.emulation.run.bottleneck import Measured
from froude.experiment.figures.namenode import namenode_section
from froude.experiment.figures.resourcemanager import resourcemanager_sections
from froude.experiment.figures.run import run_sections
from froude.render import Chart, Table, Text
from tests.support.experiment.main_jobs import a_run, a_run_of_yarn

METRICS = [
    Measured(
        float(t),
        {
            "process.cpu_seconds": t / 4,
            "RMprocess.cpu_seconds": t / 2,
            "RMprocess.rss_bytes": 1e6,
            "RMQueueMetrics.AppsRunning": float(t),
            "RMQueues.root.default.AllocatedMB": float(t),
            "RMQueueMetrics.AggregateNodeLocalContainersAllocated": 30.0 * t * t,
            "RMCapacitySchedulerMetrics.AllocateNumOps": float(t),
            "RMCapacitySchedulerMetrics.AllocateAvgTime": 2e6 + t,
            "RMRpcActivityForPort8030.CallQueueLength": float(t),
        },
    )
    for t in range(3)
]


def test_what_moved_is_drawn_in_base_units() -> None:
    """Containers a second, the scheduler's times in seconds; what stood still is named."""
    (section,) = resourcemanager_sections(a_run(metrics=METRICS))
    charts = {block.title: block for block in section.blocks if isinstance(block, Chart)}
    (queue,) = charts["Memory of queues"].series
    assert (queue.name, list(queue.ys)) == ("root.default", [0.0, 1 << 20, 2 << 20])
    assert list(charts["Containers given"].series[0].ys) == [30.0, 90.0]
    assert [round(value, 6) for value in charts["How long the scheduler takes"].series[0].ys] == [
        0.002,
        0.002,
    ]
    assert [line.name for line in charts["Calls waiting in the ResourceManager's queues"].series] == [
        "application masters"
    ]
    (text,) = [block.markdown for block in section.blocks if isinstance(block, Text)]
    assert text == "Did not change: the ResourceManager's memory (1e+06)."


def test_processors_stand_in_one_chart() -> None:
    """And its numbers are not among the NameNode's others."""
    section = namenode_section(a_run(metrics=METRICS))
    (cpu,) = [b for b in section.blocks if isinstance(b, Chart) and b.title == "Processor"]
    assert [(line.name, list(line.ys)) for line in cpu.series] == [
        ("NameNode", [0.25, 0.25]),
        ("ResourceManager", [0.5, 0.5]),
    ]
    assert not [block for block in section.blocks if isinstance(block, Table)]


def test_a_run_without_one_has_no_such_section() -> None:
    """As those against a NameNode alone."""
    plain = [Measured(each.time_s, {"process.cpu_seconds": each.time_s}) for each in METRICS]
    assert resourcemanager_sections(a_run(metrics=plain)) == ()
    titles = [section.title for section in run_sections(a_run(metrics=METRICS))]
    assert "The ResourceManager" in titles
    assert "The ResourceManager" not in [section.title for section in run_sections(a_run(metrics=plain))]


def test_a_resourcemanager_alone_has_the_processor_in_its_own_section() -> None:
    """There is no section of a NameNode."""
    run = a_run_of_yarn(namenode=False)
    titles = [section.title for section in run_sections(run)]
    assert "The ResourceManager" in titles
    assert "The NameNode" not in titles
    (section,) = resourcemanager_sections(run)
    (cpu,) = [b for b in section.blocks if isinstance(b, Chart) and b.title == "Processor"]
    assert [line.name for line in cpu.series] == ["ResourceManager"]
