"""A mined job of YARN, played on a real NameNode and a real ResourceManager by emulated nodes alone."""

from __future__ import annotations

import json
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from froude.base.locks import in_turn
from froude.cli.run_text import run_text
from froude.emulation.run.run import Run
from froude.emulation.settings import NodemanagerSettings
from froude.experiment.figures.head import run_head
from froude.experiment.figures.latency import by_method
from froude.experiment.figures.run import run_sections
from froude.experiment.knee.answer import Status
from froude.experiment.knee.knee import knee
from froude.experiment.play.play import play
from froude.experiment.scenario.options import (
    KneeOptions,
    KneeSearch,
    Load,
    Nodes,
    PlayOptions,
    Running,
)
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.resourcemanager import ResourceManager
from froude.trace.files import read_trace
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.scale import Scale
from froude.workload.types import Recorded, StartRule, Workload
from tests.conftest import Gone
from tests.support.emulation.yarn_plans import applications_alone

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def usual_port(shared: Path) -> Iterator[None]:
    """One at a time: of two plays at once only one has the port by which a ResourceManager knows its nodes again."""
    with in_turn(shared / "usual-port.lock"):
        yield


def asked(master: ResourceManager, what: str) -> Any:
    """What the ResourceManager's web server says."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open("http://{}:{}/ws/v1/cluster/{}".format(*master.http, what), timeout=10) as answer:
        return json.load(answer)


def test_mapreduce_on_emulated_nodes(hadoop: Hadoop, mined: Workload, tmp_path: Path, gone: Gone) -> None:
    """Recorded on 2 and 3 nodes, played on 5: TeraGen, TeraSort and WordCount succeed, with the containers predicted.

    The ResourceManager itself starts the application masters on emulated NodeManagers; maps find their input on the
    node that they run on; nothing is left out, and nothing fails.
    """
    before = set(psutil.Process().children(recursive=True))
    plan = extrapolate(mined, Scale.of(nodes=5))
    options = PlayOptions(
        load=Load(speed=5.0, duration_s=500, players=2),
        nodes=Nodes(nodemanagers=NodemanagerSettings(heartbeat_s=0.1)),
        record="full",  # type: ignore[arg-type]
    )
    with NameNode(hadoop, fast=True) as namenode, ResourceManager(hadoop, fast=True) as master:
        targets = {"namenode": namenode, "resourcemanager": master}
        run = play(plan, targets, options, folder=tmp_path / "run")
        apps = asked(master, "apps")["apps"]["app"]
        metrics = asked(master, "metrics")["clusterMetrics"]
        _check_another_tracker(plan, master)
        left = [each for each in psutil.Process().children(recursive=True) if each not in before]
    assert gone(left)
    notes = run.tally.notes
    _check_each_daemon(run)
    assert (run.failure, run.interrupted, dict(run.left_out)) == (None, False, {}), notes
    assert sorted((app["name"], app["state"], app["finalStatus"]) for app in apps) == [
        ("TeraGen", "FINISHED", "SUCCEEDED"),
        ("TeraSort", "FINISHED", "SUCCEEDED"),
        ("word count", "FINISHED", "SUCCEEDED"),
    ]
    assert (metrics["activeNodes"], metrics["appsCompleted"]) == (5, 3)
    tasks = sum(plan.counts[name] for name in ("map", "map-2", "map-3", "reduce", "reduce-2"))
    assert tasks == 21
    assert notes["call to an emulated node, not sent: startContainers"] == tasks
    assert notes["called by another process: startContainers"] == 3
    assert not list(run.tally.failures)
    assert not [note for note in notes if note.startswith("argument unresolved")]
    last = run.metrics[-1].values
    given, given_back = (
        last[f"RMQueueMetrics.AggregateContainers{what}"] for what in ("Allocated", "Released")
    )
    assert tasks + 3 <= given
    # All have ended or went back; the last master's own may end after the play.
    assert given - given_back in {0, 1}
    assert last["RMQueueMetrics.AggregateNodeLocalContainersAllocated"] > 0
    _check(read_trace(tmp_path / "run" / "trace"))


def _check_each_daemon(run: Run) -> None:
    """Title, terminal and table name both, the ResourceManager first, which has most calls; each has its own CPU."""
    assert (run.daemons, run.bottleneck.unseen) == (("resourcemanager", "namenode"), "")
    manager, namenode = run.parts.values()
    assert f": ResourceManager {manager.rate_text}; NameNode {namenode.rate_text}" in run_head(run).title
    lines = [line.partition(":")[0] for line in run_text(run).splitlines()]
    assert [line for line in lines if line in {"ResourceManager", "NameNode"}] == [
        "ResourceManager",
        "NameNode",
    ]
    rows = {row[:2]: row[3] for row in by_method(run).rows}
    for name, part in (("ResourceManager", manager), ("NameNode", namenode)):
        assert rows[name, "all"] == sum(answered for _, answered in part.counts.values())
        assert {method for daemon, method in rows if daemon == name} == {"all", *part.counts}
        assert part.bottleneck.target_share is not None
    assert manager.bottleneck.target_share != namenode.bottleneck.target_share
    assert {"nodeHeartbeat", "create"} <= {*manager.counts, *namenode.counts}
    assert not {*manager.counts} & {"create", "sendHeartbeat"}


def _check_another_tracker(plan: Plan, master: ResourceManager) -> None:
    """A tracker that is not the one of the ResourceManager that was named: one node registers, and the play ends."""
    host, port = master.address("resourcemanager-tracker")
    named = Running(address=f"{host}:{port}", id="1700000000000")
    before = asked(master, "metrics")["clusterMetrics"]["totalNodes"]
    run = play(plan, {"resourcemanager-tracker": named}, PlayOptions(load=Load(duration_s=60)))
    assert run.failure is not None
    assert f"found {master.id}; allowed: 1700000000000" in run.failure
    assert run.tally.whole.counts == {"registerNodeManager": (1, 0)}
    # On the port of the play before it is a node of that; on another one, where that was taken, a new one.
    assert asked(master, "metrics")["clusterMetrics"]["totalNodes"] - before in {0, 1}


def test_nodemanagers_of_a_second_play_are_those_of_the_first(hadoop: Hadoop, mined: Workload) -> None:
    """On a ResourceManager alone: five nodes are five nodes, however often they are played; nothing names a NameNode."""
    planned = extrapolate(mined, Scale.of(nodes=5))
    nodemanagers = tuple(
        replace(each, effects=(), start=StartRule())
        for each in planned.workload.node_types
        if each.program == "nodemanager"
    )
    alone = replace(planned, workload=replace(planned.workload, node_types=nodemanagers))
    options = PlayOptions(load=Load(duration_s=4), check_counts=False)
    with ResourceManager(hadoop, fast=True) as master:
        for seed in (0, 1):
            run = play(alone, {"resourcemanager": master}, options.replaced(seed=seed))
            assert (run.failure, run.errors, run.daemons) == (None, {}, ("resourcemanager",))
            assert asked(master, "metrics")["clusterMetrics"]["activeNodes"] == 5
    assert run.bottleneck.target_share is not None
    assert run.environment["Hadoop"] == hadoop.version
    assert " against a ResourceManager: p99 " in run_head(run).title
    assert "NameNode" not in f"{run.verdict} {run_text(run)} {run_head(run)} {run_sections(run)}"


def test_how_far_a_resourcemanager_scales(hadoop: Hadoop) -> None:
    """Applications that follow each other on one ResourceManager, on which none of an earlier play goes on."""
    played = applications_alone(nodes=3, apps=2, tasks=2)
    smaller = Scale.of(nodes=3, jobs=1, maps=2)
    workload = replace(played.workload, recorded=Recorded((smaller, played.scale), ("1",)))
    with ResourceManager(hadoop, fast=True) as master:
        found = knee(
            workload,
            lambda: nullcontext({"resourcemanager": master}),
            KneeOptions(
                load=Load(measure_s=4.0),
                knee=KneeSearch(raise_=("jobs", "maps"), most=1.5),
                limits=("p99 < 30 s", "allocation_p99 < 30 s"),
                repeats=1,
                warm_up_s=4,
            ),
        )
        states = Counter(app["state"] for app in asked(master, "apps")["apps"]["app"])
    assert (found.status, [play.run.scale["jobs"] for play in found.plays]) == (Status.OPEN, ["2", "3"])
    assert found.answer.startswith("At least ")
    assert " containers/s (nodes=3, jobs=3, maps=6): no limit broke" in found.answer
    for play_ in found.plays:
        run = play_.run
        assert (run.mode, run.calls_failed, run.failure, run.target) == (
            "population",
            0,
            None,
            found.plays[0].run.target,
        )
        assert run.allocation_p99_ms is not None
        assert (run.containers_per_s or 0.0) > 0
        assert run.compiler_share is not None
        assert run.scheduler_node_update_ms is not None
        # In four seconds with two applications a thread may use less than a tick of the system's clock.
        assert run.thread_time.keys() <= {"scheduler", "event dispatcher", "asynchronous scheduler"}
        assert run.core_time["calls"] > 0
    assert "nodemanagers_lost < 1" in found.limits
    # A play kills what an earlier one left unfinished, so that only the three of the last one may go on.
    assert states["FINISHED"] > 0
    assert states["ACCEPTED"] + states["RUNNING"] <= 3


def _check(trace: Any) -> None:
    """What the Trace of the play holds: calls to four servers, and no secret."""
    services = {call.target.service for call in trace.calls}
    assert services == {
        "namenode",
        "resourcemanager",
        "resourcemanager-tracker",
        "resourcemanager-scheduler",
    }
    finished = [call for call in trace.calls if call.method == "finishApplicationMaster"]
    assert {trace.request(call).final_application_status for call in finished} == {1}
    given = [
        container
        for call in trace.calls
        if call.method == "allocate"
        for container in trace.response(call).allocated_containers
    ]
    assert len({container.id.SerializeToString() for container in given}) >= 21
