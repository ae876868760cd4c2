"""A real job on two DataNodes and two NodeManagers: who called whom from where, and that nothing is left."""

from __future__ import annotations

import re
from pathlib import Path

import psutil
import pytest

from froude.experiment.session import Hadoop
from froude.hadoop.yarn_cluster import YarnCluster
from tests.conftest import Gone

pytestmark = pytest.mark.integration

_TASK = re.compile(r"ip=/(\S+)\t.*callerContext=mr_(?:attempt|appmaster)_")


def test_a_job_runs_on_nodes_of_their_own(hadoop: Hadoop, tmp_path: Path, gone: Gone) -> None:
    """Its maps are spread over both nodes, its reduce fetches from both, and each master sees the nodes' addresses."""
    (tmp_path / "in").mkdir()
    for number in range(4):
        (tmp_path / "in" / f"words-{number}").write_text("to be or not to be\n" * 100)
    before = set(psutil.Process().children(recursive=True))
    with YarnCluster(hadoop, datanodes=2, nodemanagers=2, fast=True) as cluster:
        cluster.wait_live()
        cluster.hdfs.shell("-put", str(tmp_path / "in"), "/in")
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
