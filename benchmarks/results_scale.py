"""Measures everything that docs/results/scale shows: `make results-scale`.

A group is one number of emulated nodes, and is measured alone by
`python -m benchmarks.results_scale --only dn-100000`.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.results import Row, Topic, at_most, near
from froude.base.units import Quantity
from froude.emulation.run.run import Run
from froude.emulation.run.summary import summarise
from froude.emulation.settings import Mode, Record
from froude.experiment.play.execution import Execution
from froude.experiment.runners import PlayRunner, SweepRunner
from froude.experiment.scenario.options import PlanLoad, Target
from froude.experiment.scenario.scenario import PlayScenario, SweepScenario, read_scenario
from froude.experiment.scenario.shipped import FOLDER
from froude.hadoop.fsimage.heap import PUBLISHED, PUBLISHED_BLOCKS, shipped_law

_STEADY_S = 300.0
"""For how long all nodes are there."""
_DATANODES = {10_000: (500, "2 GB"), 30_000: (500, "3 GB"), 60_000: (500, "4 GB"), 100_000: (500, "6 GB")}
"""How many: those that begin in a second, and the NameNode's heap."""
_NODEMANAGERS = {2_000: "2 GB", 25_000: "4 GB"}
_FINDINGS: dict[str, dict[str, tuple[object, ...]]] = {
    "heartbeat-burst": {
        "load.at.datanodes": (1000,), "load.at.mappers": (40,), "load.duration": ("45 s",), "target.heap": ("1 GB",),
    },
    "startup-containers": {"load.at.apps": (1, 10), "load.at.tasks": (20,)},
    "containers-per-node": {"load.at.apps": (10,), "load.at.tasks": (20,)},
    "placement-time": {"nodes.datanodes.count": (20, 500)},
}  # fmt: skip
"""Fields of shipped scenarios by which they are small enough for a machine of two cores."""
_ROUNDS = 2
TOPIC = Topic(
    "scale",
    "Many emulated nodes, measured",
    "Every figure is measured by `make results-scale` on the machine named below, player and daemon on the same cores; "
    "`--only GROUP` measures one number of nodes. The load average before a play is among its conditions: other work on "
    "the machine makes calls late.",
)


def _played(scenario: PlayScenario) -> tuple[Run, str]:
    """A play, and what it ran beside."""
    load = f"load average {os.getloadavg()[0]:.1f} before"
    with tempfile.TemporaryDirectory(prefix="froude-scale-") as folder:
        return PlayRunner.of(scenario).run(Execution(Path(folder) / "run")), load


def datanodes(count: int) -> list[Row]:
    """So many DataNodes at 3 s, for five minutes once all are there."""
    ramp, heap = _DATANODES[count]
    scenario = read_scenario(FOLDER / "datanodes.yaml").scenario
    assert isinstance(scenario, PlayScenario)
    duration_s = count / ramp + _STEADY_S
    load = scenario.load.replaced(at={"datanodes": Quantity(count)}, ramp=float(ramp), duration_s=duration_s)
    run, busy = _played(scenario.replaced(load=load, target=Target(heap=heap)))
    lost = run.datanodes_lost
    rows = [
        Row("DataNodes held for stale or dead", lost, "nodes", "<= 0", lost == 0.0 and run.failure is None),
        Row("heartbeats", round(summarise(run).calls_per_s), "1/s", f">= {0.99 * count / 3:,.0f}"),
    ]
    rows[1] = replace(rows[1], met=float(rows[1].value or 0) >= 0.99 * count / 3)
    return _with(busy, f"{count:,} DataNodes", [*rows, *_costs(run)])


def nodemanagers(count: int) -> list[Row]:
    """So many NodeManagers at 1 s, with applications that follow each other."""
    at = {"nodes": Quantity(count), "apps": Quantity(10), "tasks": Quantity(20)}
    duration_s = count / 500 + _STEADY_S
    load = PlanLoad(
        workload=FOLDER / "containers-workload.yaml",
        at=at,
        mode=Mode.POPULATION,
        duration_s=duration_s,
        ramp=500.0,
    )
    target = Target(resourcemanager_heap=_NODEMANAGERS[count])
    run, busy = _played(PlayScenario(load=load, target=target, record=Record.SUMMARY))
    summary = summarise(run)
    lost = run.nodemanagers_lost
    rows = [
        Row("NodeManagers lost", lost, "nodes", "<= 0", lost == 0.0 and run.failure is None),
        Row("containers granted", round(summary.containers_per_s or 0.0, 1), "1/s"),
        Row("time until a container is granted, p99", round(summary.allocation_p99_ms or 0.0), "ms"),
        Row("most containers that waited", round(summary.containers_pending_max or 0), "containers"),
    ]
    return _with(busy, f"{count:,} NodeManagers", [*rows, *_costs(run)])


def _costs(run: Run) -> list[Row]:
    """Lateness, and what the play took of the machine."""
    summary, first, last = summarise(run), run.load[0], run.load[-1]
    rows = [
        at_most("lateness of calls, p99", (summary.lateness_p99_ms or 0.0) / 1e3, "s", 1.0),
        Row("CPU of the player", round(100 * (summary.player_cpu_share or 0.0), 1), "% of a core"),
        Row("CPU of the daemon", round(100 * (summary.target_cpu_share or 0.0), 1), "% of a core"),
        Row("memory of the player", round(last.rss_bytes / 1e6), "MB"),
    ]
    if last.nodes > first.nodes:
        each = (last.rss_bytes - first.rss_bytes) / (last.nodes - first.nodes)
        rows.append(at_most("memory of the player for each node", round(each), "bytes", 3000))
    names = ("process.rss_bytes", "RMprocess.rss_bytes")
    resident = [m.values[name] for m in run.metrics for name in names if name in m.values]
    if resident:
        rows.append(Row("memory of the daemon", round(max(resident) / 1e6), "MB"))
    return rows


def _with(busy: str, nodes: str, rows: list[Row]) -> list[Row]:
    return [replace(row, conditions=f"{nodes}; {busy}") for row in rows]


def heap() -> list[Row]:
    """The law of the heap, and what it predicts for clusters of which figures were published."""
    law = shipped_law()
    names = ("an empty namespace, without hash tables", "a file or folder", "a block")
    measured = f"{len(law.points)} points, references of 8 bytes, {law.measured['heap']} of heap, {law.measured['date']}"
    rows = [
        Row(f"heap of {name}", round(each), "bytes", conditions=measured)
        for name, each in zip(names, law.coefficients, strict=True)
    ]
    for each in PUBLISHED:
        need = law.need(each.objects, PUBLISHED_BLOCKS)
        low, high = (f"{end / 1e9:.0f}" for end in need.interval_bytes)
        conditions = (
            f"{PUBLISHED_BLOCKS} blocks for each file or folder; interval {low} to {high} GB, "
            f"{need.times_measured:.0f} times the largest measured; published is {each.what} ({each.source})"
        )
        title = f"heap of {each.name}, {each.objects / 1e9:g} billion objects"
        rows.append(near(title, need.used_bytes / 1e9, "GB", each.memory_bytes / 1e9, 0.15, conditions))
    return rows


def findings() -> list[Row]:
    """What PatternMiner found, looked for at a small size."""
    rows = []
    for name, smaller in _FINDINGS.items():
        sweep = read_scenario(FOLDER / f"{name}.yaml").scenario
        assert isinstance(sweep, SweepScenario)
        sweep = sweep.replaced(repeats=_ROUNDS, vary={**sweep.vary, **smaller})
        load = f"load average {os.getloadavg()[0]:.1f} before"
        with tempfile.TemporaryDirectory(prefix="froude-scale-") as folder:
            found = SweepRunner.of(sweep).run(Execution(Path(folder) / "sweep")).found
        assert found is not None
        conditions = f"{found.text} {_ROUNDS} rounds; {load}"
        rows.append(Row(found.claim, found.shown.value.lower(), "", conditions=conditions))
    return rows


for _count in _DATANODES:
    TOPIC.group(f"dn-{_count}", f"{_count:,} DataNodes at 3 s, five minutes")(partial(datanodes, _count))
for _count in _NODEMANAGERS:
    TOPIC.group(f"nm-{_count}", f"{_count:,} NodeManagers at 1 s, five minutes")(
        partial(nodemanagers, _count)
    )
TOPIC.group("findings", "What PatternMiner found, at a small size")(findings)
TOPIC.group("heap", "The heap of a NameNode, and of the published giants")(heap)

if __name__ == "__main__":
    TOPIC.main()
