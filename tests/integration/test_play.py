"""Plays against a real NameNode."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from froude.base.errors import GuardError
from froude.emulation.population import Connections
from froude.emulation.programs.fleet import FleetSettings
from froude.emulation.run import Run
from froude.experiment.play import play
from froude.hadoop.distribution import Hadoop
from froude.hadoop.namenode import NameNode
from froude.trace.files import read_trace
from froude.workload.types import StartRule
from tests.emulation.plans import plan

pytestmark = pytest.mark.integration


@pytest.fixture
def fresh(hadoop: Hadoop) -> Iterator[NameNode]:
    """A NameNode that nobody else talks to: its counts are compared."""
    with hadoop.namenode(heap="512 MB", fast=True) as running:
        yield running


def test_datanodes_and_clients_play_without_an_error(fresh: NameNode, tmp_path: Path) -> None:
    """200 emulated DataNodes go live, clients write files on them, and the NameNode counted what was sent."""
    run = play(plan(datanodes=200, clients=6, files=3), fresh, record="full", folder=tmp_path / "run")
    assert run.failure is None
    assert run.errors == {}
    assert run.differences == []
    assert fresh.live_datanodes() == 200
    assert run.counts["create"] == (18, 18)
    state = fresh.jmx("Hadoop:service=NameNode,name=FSNamesystem")[0]
    assert state["BlocksTotal"] == 6 * 2 * 2
    assert state["CorruptBlocks"] == 0
    back = Run.read(tmp_path / "run")
    assert back.counts == run.counts
    assert back.latency("create") == run.latency("create")
    trace = read_trace(tmp_path / "run" / "trace")
    assert len(trace.calls) == sum(sent for sent, _ in run.counts.values())
    stranger = f"hdfs://{fresh.host}:{fresh.port}"
    with pytest.raises(GuardError, match="not started by Froude"):
        play(plan(), stranger)
    with pytest.raises(GuardError, match="never played against"):
        play(plan(source_ids=(fresh.cluster_id,)), fresh)


def test_each_node_can_have_a_connection_and_an_address(fresh: NameNode) -> None:
    """As in a real cluster: the NameNode sees as many addresses as DataNodes; the target's death is stated."""
    made = plan(datanodes=40, clients=5, files=1)
    own = Connections(pool=0, user="root")
    run = play(
        made, fresh, record="summary", connections=own, fleet=FleetSettings(per_address=1), check_counts=False
    )
    assert run.failure is None
    assert run.errors == {}
    nodes = json.loads(fresh.jmx("Hadoop:service=NameNode,name=NameNodeInfo")[0]["LiveNodes"])
    assert len({node["xferaddr"].split(":")[0] for node in nodes.values()}) == 40
    killing = threading.Timer(1.0, lambda: os.kill(fresh.pid, signal.SIGKILL))
    killing.start()
    dead = play(plan(datanodes=40, clients=0), fresh, record="summary", duration=20, connections=own)
    assert dead.failure is not None
    assert f"{fresh.host}:{fresh.port}" in dead.failure
    assert dead.counts["registerDatanode"] == (40, 40)


def test_a_stopped_namenode_shows_from_intended_time(fresh: NameNode) -> None:
    """SIGSTOP for five seconds is seen in the percentiles of calls that were meant to go out meanwhile."""

    def stop() -> None:
        time.sleep(1.5)
        os.kill(fresh.pid, signal.SIGSTOP)
        time.sleep(5)
        os.kill(fresh.pid, signal.SIGCONT)

    pause = threading.Thread(target=stop)
    pause.start()
    paced = plan(datanodes=5, clients=120, files=1, start=StartRule(spacing_s=0.05))
    try:
        run = play(paced, fresh, record="summary", check_counts=False)
    finally:
        pause.join()
    assert run.failure is None
    assert run.latency("create").max_ms > 2_000
    assert run.latency("create").p90_ms > 500
