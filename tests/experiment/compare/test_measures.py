"""What a run has a value of, and what not."""

from __future__ import annotations

import pytest

from froude.emulation.run.bottleneck import CPU, Measured
from froude.experiment.compare.measures import Sort, measures_of
from froude.hadoop.metrics.gc_log import GcLog, HeapChange, Pause
from tests.support.experiment.comparisons import METHODS, run
from tests.support.experiment.main_jobs import a_run_of_yarn


def test_every_method_has_its_latencies() -> None:
    """Those of the run's pacing decide, the others explain; throughput and errors are of all calls."""
    for pacing, other in (("closed", "response"), ("scheduled", "service")):
        measures = list(measures_of([run(1, pacing=pacing)]))
        deciding = [each.name for each in measures if each.decides]
        wanted = [f"{which}({method})" for method in sorted(METHODS) for which in ("mean", "p50", "p99")]
        assert deciding == ["mean", "p50", "p99", *wanted, "throughput", "errors", "CPU per call"]
        assert f"{other} mean" in [each.name for each in measures if each.sort is Sort.RESOURCE]


def test_values_are_those_of_the_run() -> None:
    """As the run itself says them; the mean is of all calls."""
    given = run(1, spread=0.0)
    value = {each.name: each.of(given) for each in measures_of([given])}
    latency = given.latency()
    assert value["p99"] == pytest.approx(latency.p99_ms / 1e3)
    assert value["throughput"] == given.throughput()
    mean = (
        sum(m * sum(2.718281828 ** ((at - 300) / 300) for at in range(600)) / 600 for m in METHODS.values())
        / 2
    )
    assert value["mean"] == pytest.approx(mean, rel=2e-3)
    assert value["CPU per call"] == pytest.approx(0.2 / given.throughput())
    assert value["GC"] is None


def test_what_the_namenode_tells() -> None:
    """Rates and means over the steady phase, as the page of a run draws them."""
    metrics = [
        Measured(
            float(s),
            {
                CPU: 0.1 * s,
                "JvmMetrics.GcTimeMillis": 20.0 * s,
                "RpcActivity.RpcQueueTimeNumOps": 10.0 * s,
                "RpcActivity.RpcQueueTimeAvgTime": 3.0,
            },
        )
        for s in range(5)
    ]
    given = run(1, metrics=metrics)
    value = {each.name: each.of(given) for each in measures_of([given])}
    assert value["GC"] == pytest.approx(0.02)
    assert value["call queue"] == pytest.approx(0.003)
    assert value["lock wait"] is None
    assert value["GC pauses"] is None


def test_what_the_log_of_the_garbage_collector_tells() -> None:
    """Of collections alone; of a log without one there is nothing to compare."""
    pauses = [Pause(1.0, "Young", 0.1), Pause(2.0, "Full", 0.3), Pause(3.0, "ICBufferFull", 5.0, False)]
    given = run(1, gc=GcLog(pauses, [HeapChange(1.0, 9, 4), HeapChange(2.0, 9, 2)]))
    value = {each.name: each.of(given) for each in measures_of([given])}
    assert (value["GC pauses"], value["longest GC pause"], value["heap after GC"]) == (
        pytest.approx(0.04),
        0.3,
        3,
    )
    quiet = run(1, gc=GcLog(pauses[2:]))
    value = {each.name: each.of(quiet) for each in measures_of([quiet])}
    assert (value["GC pauses"], value["longest GC pause"], value["heap after GC"]) == (None, None, None)


@pytest.mark.parametrize("lock", ["FSNamesystem.FSN", "FSNamesystem.FS"])
def test_the_lock_of_the_namespace(lock: str) -> None:
    """The one of all, or that of folders and files."""
    stem = f"{lock}WriteLockOverallNanos"
    metrics = [
        Measured(
            float(s),
            {f"{stem}NumOps": 100.0 * s, f"{stem}AvgTime": 2e6 + s, "FSNamesystem.LockQueueLength": s},
        )
        for s in range(5)
    ]
    given = run(1, metrics=metrics)
    value = {each.name: each.of(given) for each in measures_of([given])}
    assert value["write lock"] == pytest.approx(0.2, rel=1e-3)
    assert (value["read lock"], value["lock queue"]) == (None, 2.0)


def test_cpu_for_a_call_is_each_daemons_own() -> None:
    """Of calls that it answered, not of those of the other one."""
    values = {measure.name: measure.of(a_run_of_yarn()) for measure in measures_of([a_run_of_yarn()])}
    assert values["CPU per call"] == pytest.approx(0.1 / 1)
    assert values["CPU per call of the ResourceManager"] == pytest.approx(0.6 / 10)
