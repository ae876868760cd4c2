"""A ResourceManager alone, without starting one: what it is, and what its web server tells."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.errors import TargetError
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.resourcemanager import SERVICES, ResourceManager, Web, sample
from froude.hadoop.metrics import jmx as metrics


def test_one_that_was_not_started(hadoop: Hadoop) -> None:
    """It has no process; and ending it is harmless."""
    master = ResourceManager(hadoop)
    assert master.hadoop.version == hadoop.version
    assert set(SERVICES) == {"resourcemanager", "resourcemanager-tracker", "resourcemanager-scheduler"}
    assert {master.address(service)[1] for service in SERVICES} == set(SERVICES.values())
    with pytest.raises(TargetError, match="was not started"):
        _ = master.daemon
    master.stop()


def test_its_numbers_stand_beside_a_namenodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names begin with RM, ports are kept apart, the fullest queue counts, times are milliseconds, texts no numbers."""

    def jmx(_: tuple[str, int], query: str, **_options: object) -> list[dict[str, Any]]:
        if "Memory" in query:
            return [{"HeapMemoryUsage": {"used": 5, "committed": 6}}]
        if "Port" in query:
            name = "Hadoop:service=ResourceManager,name=RpcActivityForPort"
            ports = ((8030, 2), (8031, 3))
            more = {"tag": "x", "on": True, "RpcQueueTimeAvgTime": 5000.0, "OverallAllocateAvgTime": 7.0}
            return [{"name": f"{name}{port}", "CallQueueLength": n, **more} for port, n in ports]
        if "OperatingSystem" in query:
            return [{"ProcessCpuTime": 2_500_000_000}]
        if "Compilation" in query:
            return [{"TotalCompilationTime": 700}]
        if "QueueMetrics" in query:
            name = "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root"
            below = ("", ",q1=day", ",q1=day,user=hdfs", ",q1=day,q2=low")
            values = (
                {"AppsRunning": 3},
                {"AllocatedMB": 8, "AppsRunning": 1},
                {"AllocatedMB": 9},
                {"AllocatedMB": 7},
            )
            return [{"name": name + end, **value} for end, value in zip(below, values, strict=True)]
        return []

    monkeypatch.setattr(metrics, "jmx", jmx)
    monkeypatch.setattr(metrics, "_rpc_times_per_ms", lambda _: 1000.0)
    values = sample(("127.0.0.1", 8088))
    assert Web(("127.0.0.1", 8088)).sample() == {
        **values,
        "RMprocess.cpu_seconds": 2.5,
        "RMprocess.compiler_seconds": 0.7,
    }
    assert values == {
        "RMQueueMetrics.AppsRunning": 3.0,
        "RMQueues.root.day.AllocatedMB": 8.0,
        "RMQueues.root.day.low.AllocatedMB": 7.0,
        "RMRpcActivityForPort8030.CallQueueLength": 2.0,
        "RMRpcActivityForPort8031.CallQueueLength": 3.0,
        "RMRpcActivityForPort8030.RpcQueueTimeAvgTime": 5.0,
        "RMRpcActivityForPort8031.RpcQueueTimeAvgTime": 5.0,
        "RMRpcActivity.CallQueueLength": 3.0,
        "RMprocess.heap_used_bytes": 5.0,
        "RMprocess.heap_committed_bytes": 6.0,
    }


def test_daemons_are_watched_together() -> None:
    """Their numbers in one, the counts of the first; one that is older makes all so old."""

    class Daemon:
        def __init__(self, name: str, cache_s: float) -> None:
            self.name, self.cache_s = name, cache_s

        def rpc_counts(self) -> dict[str, int]:
            return {self.name: 1}

        def sample(self) -> dict[str, float]:
            return {f"{self.name}.x": 1.0}

    both = metrics.Together([Daemon("a", 1.0), Daemon("b", 10.0)])
    assert (both.cache_s, both.rpc_counts()) == (10.0, {"a": 1})
    assert both.sample() == {"a.x": 1.0, "b.x": 1.0}
