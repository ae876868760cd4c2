"""What an agent sees of a real HDFS: roles, who talks to whom, and that it is one application."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.cache.agents.config import VmAgent
from froude.cache.agents.vm import VmWatch
from froude.cache.monitor.view import Monitor, View
from froude.hadoop.cluster.cluster import Cluster
from testbed.polling import until

pytestmark = pytest.mark.integration


def test_a_real_cluster_is_one_application(cluster: Cluster, tmp_path: Path) -> None:
    """NameNode and DataNodes have addresses of their own, as VMs have; heartbeats tell who is the master."""
    vms = {"master": cluster.namenode.address[0]}
    vms |= {f"worker{number}": address for number, address in enumerate(cluster.node_addresses)}
    watches = {vm: VmWatch(VmAgent(name=vm, token=tmp_path / "t", addresses=(at,))) for vm, at in vms.items()}
    monitor = Monitor(window_s=1000, stale_s=1000)
    views: list[View] = []

    def seen() -> bool:
        for watch in watches.values():
            watch.look()
            report = watch.report()
            monitor.guest(report, report.uptime_s)
        views.append(monitor.view(0.0))
        return any(set(each.vms) == set(vms) for each in views[-1].applications)

    until(seen, "a cluster")
    (application,) = views[-1].applications
    assert application.master == "master"
    assert {"NameNode", "DataNode"} <= {each.role for each in watches["master"].report().processes}
