"""A real job on two DataNodes and two NodeManagers, recorded: who called whom from where, and that nothing is left."""

from __future__ import annotations

import re
from pathlib import Path

import psutil
import pytest

from froude.documents.store import Workspace
from froude.experiment.record.record import record
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.cluster import NodePlace
from froude.hadoop.cluster.yarn_cluster import YarnCluster
from froude.trace.files import read_trace
from froude.trace.roles import seen
from froude.trace.types import Trace
from tests.conftest import Gone

pytestmark = [pytest.mark.integration, pytest.mark.long]

_TASK = re.compile(r"ip=/(\S+)\t.*callerContext=mr_(?:attempt|appmaster)_")


def test_a_job_runs_on_nodes_of_their_own(hadoop: Hadoop, tmp_path: Path, gone: Gone) -> None:
    """Its maps are spread over both nodes, its reduce fetches from both, and each master sees the nodes' addresses.

    The recording sees every call, also of connections that a token has opened, and keeps no token. The first DataNode
    has a disk of its own.
    """
    (tmp_path / "in").mkdir()
    for number in range(4):
        (tmp_path / "in" / f"words-{number}").write_text("to be or not to be\n" * 100)
    before = set(psutil.Process().children(recursive=True))
    disk = tmp_path / "disk"
    with (
        YarnCluster(hadoop, datanodes=2, nodemanagers=2, fast=True, places=[NodePlace(disk)]) as cluster,
        record(cluster, Workspace(tmp_path / "w")) as recording,
    ):
        cluster.shell("-put", str(tmp_path / "in"), "/in")
        job = cluster.run_job("examples", "wordcount", "/in", "/out", timeout_s=120)
        assert job.exit_code == 0, job.log
        assert len(job.applications) == 1
        assert "be\t800" in cluster.hdfs.shell("-cat", "/out/part-r-00000")

        nodes = set(cluster.node_addresses)
        assert cluster.hdfs.namenode.audit_log is not None
        audit = cluster.hdfs.namenode.audit_log.read_text()
        assert set(_TASK.findall(audit)) == nodes
        log = (cluster.hdfs.folder / "resourcemanager" / "resourcemanager.log").read_text()
        assert set(re.findall(r"NodeManager from node (\S+?)\(", log)) == nodes
        masters = re.findall(r"IP=(\S+)\tOPERATION=Register App Master", log)
        assert len(masters) == 1
        assert set(masters) <= nodes
        left = [each for each in psutil.Process().children(recursive=True) if each not in before]
        folder = cluster.hdfs.folder
    assert gone(left)
    assert not folder.exists()
    assert list(disk.rglob("blk_*"))  # the first DataNode's, which outlive the cluster
    _check(read_trace(recording.trace), nodes, job.applications[0])


def _check(trace: Trace, nodes: set[str], application: str) -> None:
    """What the Trace of the job must hold."""
    assert (trace.meta.loss.total, seen(trace)["application master"], seen(trace)["NodeManager"]) == (0, 1, 2)
    callers: dict[str, set[str]] = {}
    for call in trace.calls:
        callers.setdefault(call.target.service, set()).add(call.peer)
    assert callers["resourcemanager-tracker"] == nodes
    assert callers["resourcemanager-scheduler"] < nodes
    assert set(callers) == {
        "namenode",
        "nodemanager",
        "resourcemanager",
        "resourcemanager-scheduler",
        "resourcemanager-tracker",
    }
    started = [call for call in trace.calls if call.method == "startContainers"]
    assert {call.target.host for call in started} <= nodes
    master = {call.target.id for call in trace.calls if call.target.service.startswith("resourcemanager")}
    assert {each.partition("@")[0] for each in master} == {application.split("_")[1]}
    # A token that the scheduler gave to the application master is the one with which it starts a container.
    given = {
        bytes(container.container_token.password)
        for call in trace.calls
        if call.method == "allocate"
        for container in trace.response(call).allocated_containers  # type: ignore[attr-defined]
    }
    used = {
        bytes(each.container_token.password)
        for call in started
        for each in trace.request(call).start_container_request  # type: ignore[attr-defined]
    }
    # One that it does not need is given back; the ResourceManager starts the application master itself.
    assert len(used - given) == 1
    assert used & given
