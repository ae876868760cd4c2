"""Where the time of a target's cores went, and what its calls waited for."""

from __future__ import annotations

import pytest

from froude.emulation.run.bottleneck import CPU, Load, Measured
from froude.emulation.run.core_time import (
    call_queue_ms,
    core_shares,
    cpu_per_call_s,
    method_cpu_us,
    thread_shares,
    waits,
)
from froude.emulation.run.run import Run
from froude.emulation.run.summary import summarise
from froude.hadoop.metrics.threads import COLLECTOR, COMPILER, DISPATCHER, HANDLERS, SCHEDULER
from tests.support.experiment.main_jobs import a_run, a_run_of_yarn

PER_S = {
    CPU: 0.8,
    COMPILER: 0.08,
    COLLECTOR: 0.16,
    HANDLERS: 0.4,
    "RpcActivity.RpcQueueTimeNumOps": 1000.0,
    "RpcActivity.RpcLockWaitTimeNumOps": 1000.0,
    "RpcActivity.RpcProcessingTimeNumOps": 1000.0,
    "RpcActivity.RpcResponseTimeNumOps": 1000.0,
    "RpcDetailedActivity.CreateNumOps": 250.0,
    "RpcDetailedActivity.GetFileInfoNumOps": 750.0,
    "RpcDetailedActivity.MkdirsNumOps": 0.0,
    "RpcDetailedActivity.DeferredCreateNumOps": 9.0,
    "NameNodeActivity.SyncsNumOps": 100.0,
}
"""Counters, and how much each rises in a second."""
MEANS = {
    "RpcActivity.RpcQueueTimeAvgTime": 0.8,
    "RpcActivity.RpcLockWaitTimeAvgTime": 0.1,
    "RpcActivity.RpcProcessingTimeAvgTime": 1.0,
    "RpcActivity.RpcResponseTimeAvgTime": 0.2,
    "RpcDetailedActivity.CreateAvgTime": 2.5,
    "RpcDetailedActivity.GetFileInfoAvgTime": 0.5,
    "NameNodeActivity.SyncsAvgTime": 3.0,
}
"""Mean times, milliseconds."""


def watched(**means: float) -> Run:
    """Ten seconds on two cores: the player used half of one, and other work a fifth of one."""
    changed = {f"RpcActivity.Rpc{name}AvgTime": value for name, value in means.items()}
    metrics = [
        Measured(100.0 + s, {**{name: 5 + s * rise for name, rise in PER_S.items()}, **MEANS, **changed})
        for s in range(11)
    ]
    load = [Load(100.0 + s, 0.5, 1, 1, 0, 0.75) for s in range(11)]
    return a_run(metrics=metrics, load=load, cores=2)


def test_the_time_of_the_cores_is_divided() -> None:
    """Between calls, compiler, collector, player, other work and nothing; whole together."""
    shares = core_shares(watched())
    assert shares == pytest.approx(
        {"calls": 0.28, "compiler": 0.04, "collector": 0.08, "player": 0.25, "other work": 0.1, "idle": 0.25}
    )


def test_a_player_on_other_cores_takes_none_of_the_targets() -> None:
    """What it uses is not of the time of the target's cores; other work counts with its share of all cores."""
    run = watched()
    run.environment = {"cores of the target": "1"}
    shares = core_shares(run)
    assert shares.keys() == {"calls", "compiler", "collector", "other work", "idle"}
    assert (shares["other work"], shares["idle"]) == pytest.approx((0.1, 0.1))


def test_what_was_not_sampled_has_no_shares() -> None:
    """Neither of threads that were not seen, nor of several daemons."""
    metrics = [Measured(float(s), {CPU: 1.0 * s}) for s in range(4)]
    for run in (a_run(), a_run(metrics=metrics), a_run_of_yarn()):
        assert (core_shares(run), waits(run), call_queue_ms(run), method_cpu_us(run)) == ({}, {}, None, {})
        assert thread_shares(run) == {}
    assert cpu_per_call_s(a_run(), "namenode") is None


def test_cpu_time_of_a_call_is_without_compiler_and_collector() -> None:
    """Over the steady phase; a collector whose threads were not seen is among the calls."""
    run = watched()
    assert cpu_per_call_s(run, "namenode") == pytest.approx(0.8 * 0.7 / run.throughput())
    seen = a_run(metrics=[Measured(2.0 * s, {CPU: 1.0 * s, COMPILER: 0.25 * s}) for s in range(4)])
    assert cpu_per_call_s(seen, "namenode") == pytest.approx(0.5 * 0.75 / seen.throughput())


def test_waits_are_shares_of_the_time_that_each_is_about() -> None:
    """The lock of the handlers' time, the queue of a call's, syncs of all."""
    assert waits(watched()) == pytest.approx({"lock": 0.1, "queue": 0.4, "edit log sync": 0.3})
    assert call_queue_ms(watched()) == pytest.approx(0.8)


def test_a_method_costs_its_part_of_the_handlers_and_of_all_others() -> None:
    """Handlers' CPU by processing time, what is left by calls; whole together, without compiler and collector."""
    costs = method_cpu_us(watched())
    assert costs == pytest.approx({"create": 1160.0, "getFileInfo": 360.0})
    assert 250 * costs["create"] + 750 * costs["getFileInfo"] == pytest.approx(1e6 * 0.8 * 0.7)


def test_times_that_are_mostly_waits_for_a_lock_are_no_base() -> None:
    """Where handlers waited for half of their time, it does not show what a method costs."""
    assert method_cpu_us(watched(LockWaitTime=0.5)) == {}


RM_PER_S = {
    CPU: 0.8,
    COMPILER: 0.08,
    COLLECTOR: 0.16,
    HANDLERS: 0.3,
    SCHEDULER: 0.2,
    DISPATCHER: 0.1,
    "RpcActivityForPort8030.RpcQueueTimeNumOps": 10.0,
    "RpcActivityForPort8030.RpcProcessingTimeNumOps": 10.0,
    "RpcActivityForPort8031.RpcQueueTimeNumOps": 100.0,
    "RpcActivityForPort8031.RpcProcessingTimeNumOps": 100.0,
    "RpcDetailedActivityForPort8030.AllocateNumOps": 10.0,
    "RpcDetailedActivityForPort8031.NodeHeartbeatNumOps": 100.0,
    "CapacitySchedulerMetrics.NodeUpdateNumOps": 100.0,
}
RM_MEANS = {
    "RpcActivityForPort8030.RpcQueueTimeAvgTime": 2.0,
    "RpcActivityForPort8030.RpcProcessingTimeAvgTime": 2.0,
    "RpcActivityForPort8031.RpcQueueTimeAvgTime": 0.1,
    "RpcActivityForPort8031.RpcProcessingTimeAvgTime": 0.1,
    "RpcDetailedActivityForPort8030.AllocateAvgTime": 2.0,
    "RpcDetailedActivityForPort8031.NodeHeartbeatAvgTime": 0.1,
    "CapacitySchedulerMetrics.NodeUpdateAvgTime": 4e6,
}


def test_of_a_resourcemanager_handlers_and_single_threads_are_apart() -> None:
    """All its servers count together; what its other threads use is of no method."""
    metrics = [
        Measured(
            float(s),
            {f"RM{name}": value for name, value in RM_MEANS.items()}
            | {f"RM{name}": s * rise for name, rise in RM_PER_S.items()},
        )
        for s in range(5)
    ]
    run = a_run_of_yarn(namenode=False, metrics=metrics)
    assert core_shares(run) == pytest.approx(
        {"calls": 0.28, "compiler": 0.04, "collector": 0.08, "idle": 0.6}
    )
    assert waits(run) == pytest.approx({"queue": 0.5, "scheduler": 0.4})
    assert thread_shares(run) == pytest.approx({"scheduler": 0.2, "event dispatcher": 0.1})
    assert method_cpu_us(run) == pytest.approx({"allocate": 20_000.0, "nodeHeartbeat": 1000.0})
    summary = summarise(run)
    assert summary.thread_time == thread_shares(run)
    assert (summary.collector_share, summary.target_cpu_us) == pytest.approx((0.2, 56_000.0))


def test_a_summary_has_them() -> None:
    """In the names of its fields."""
    run = watched()
    summary = summarise(run)
    assert (summary.core_time, summary.waits, summary.call_queue_ms) == (
        core_shares(run),
        waits(run),
        call_queue_ms(run),
    )
