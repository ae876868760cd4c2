"""One real NameNode and two DataNodes: they come up, keep files, restart, and never outlive Froude."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from froude.base.errors import TargetError
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.cluster import Cluster
from froude.hadoop.metrics import jmx as metrics
from tests.conftest import Gone

pytestmark = pytest.mark.integration


def test_a_file_goes_in_and_is_listed(cluster: Cluster, tmp_path: Path) -> None:
    """Hadoop's own shell writes through the real pipeline; the audit log names the call and its caller."""
    local = tmp_path / "three-blocks"
    local.write_bytes(os.urandom(3 << 20))
    cluster.shell("-put", str(local), "/three-blocks")
    assert "/three-blocks" in cluster.shell("-ls", "/")
    assert cluster.namenode.audit_log is not None
    audit = cluster.namenode.audit_log.read_text()
    assert "cmd=create\tsrc=/three-blocks._COPYING_" in audit
    assert "callerContext=CLI" in audit


def test_every_node_has_its_own_address_and_the_same_ports(cluster: Cluster) -> None:
    """The NameNode sees as many hosts as there are DataNodes."""
    nodes = json.loads(cluster.namenode.jmx("Hadoop:service=NameNode,name=NameNodeInfo")[0]["LiveNodes"])
    seen = [each["xferaddr"].split(":") for each in nodes.values()]
    assert sorted(host for host, _ in seen) == cluster.node_addresses
    assert len({port for _, port in seen}) == 1


def test_the_shell_says_what_hadoop_said(cluster: Cluster) -> None:
    """A failing command is one error with the shell's own words."""
    with pytest.raises(TargetError, match="No such file or directory"):
        cluster.shell("-cat", "/nowhere")


def test_counts_and_samples_come_from_jmx(cluster: Cluster) -> None:
    """The counts by method settle on what was sent, and a sample has CPU, memory and the namespace."""
    cluster.shell("-mkdir", "/counted")
    counts = metrics.settled_counts(
        cluster.namenode.rpc_counts, sleep=time.sleep, expect={"mkdirs": 1, "registerDatanode": 2}
    )
    assert counts["mkdirs"] == 1
    sample = cluster.namenode.sample()
    assert sample["process.cpu_seconds"] > 0
    assert sample["FSNamesystemState.NumLiveDataNodes"] == 2


def test_restart_keeps_data_and_identity(cluster: Cluster) -> None:
    """After a restart the same NameNode answers at the same address, and the DataNodes come back to it."""
    before = (cluster.namenode.cluster_id, cluster.namenode.uri, cluster.namenode.pid)
    cluster.shell("-mkdir", "/kept")
    cluster.namenode.restart()
    cluster.wait_live()
    after = (cluster.namenode.cluster_id, cluster.namenode.uri, cluster.namenode.pid)
    assert after[:2] == before[:2]
    assert after[2] != before[2]
    assert "/kept" in cluster.shell("-ls", "/")


def test_a_bad_setting_shows_the_daemons_own_error(hadoop: Hadoop, tmp_path: Path) -> None:
    """A NameNode that cannot start says why, in its own words, and leaves nothing behind."""
    conf = {"dfs.namenode.fs-limits.max-directory-items": "0"}
    broken = hadoop.namenode(fast=True, conf=conf, folder=tmp_path)
    with pytest.raises(TargetError, match=r"dfs\.namenode\.fs-limits\.max-directory-items"), broken:
        pass


def test_kill_of_froude_leaves_no_orphan(hadoop: Hadoop, gone: Gone) -> None:
    """After kill -9 of the process that started them, NameNode and DataNode are gone at once."""
    script = (
        "import sys, time\n"
        "from froude.experiment.session import Hadoop\n"
        "with Hadoop.find().cluster(datanodes=1, replication=1, fast=True) as cluster:\n"
        "    cluster.start_datanodes()\n"
        "    print(cluster.namenode.pid, cluster.datanodes[0].pid, cluster.folder, flush=True)\n"
        "    time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    *pids, folder = parent.stdout.readline().split()
    daemons = [psutil.Process(int(pid)) for pid in pids]
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    shutil.rmtree(folder)
    assert gone(daemons)
