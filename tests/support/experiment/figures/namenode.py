"""Metrics of a NameNode, with and without a contended lock."""

from __future__ import annotations

from froude.emulation.run.bottleneck import Measured
from froude.render import Chart, Section

LOCK = "FSNamesystem.FSNWriteLockCreateNanos"
METRICS = [
    Measured(
        float(t),
        {
            "process.cpu_seconds": 1.0 + t / 2,
            "RpcActivity.CallQueueLength": 0.0,
            "RpcActivity.RpcQueueTimeNumOps": 10.0 * t,
            "RpcActivity.RpcQueueTimeAvgTime": float(t),
            "RpcActivity.ReceivedBytes": 1000.0 * t,
            "RpcActivity.RpcSlowCalls": 3.0,
            f"{LOCK}NumOps": 10.0 * t,
            f"{LOCK}AvgTime": 2e6,
            "JvmMetrics.MemHeapUsedM": 20.0 + t,
        },
    )
    for t in range(4)
]


def charts(section: Section) -> dict[str, Chart]:
    """By title."""
    return {block.title: block for block in section.blocks if isinstance(block, Chart)}
