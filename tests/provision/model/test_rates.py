"""Rates over the graph of calls."""

from __future__ import annotations

import pytest

from froude.provision.check.executions import rates_of
from froude.provision.model.rates import RunawayError, gain, phase_seconds, task_rates
from froude.provision.types import (
    Application,
    Batch,
    BatchTarget,
    Catalog,
    Cpu,
    Dependency,
    Operation,
    Problem,
    RateTarget,
    Sla,
    Task,
)


def _task(name: str, *calls: Operation, phase: str = "p") -> Task:
    return Task(name, phase, 0, calls)


def test_calls_multiply() -> None:
    """Probability times invocations, over every path."""
    tasks = (
        _task("a", Dependency("b", 2), Dependency("c", 1, probability=0.5)),
        _task("b", Dependency("c", 3)),
        _task("c"),
    )
    rates = task_rates(Application((), tasks), Sla((RateTarget("a", 10), RateTarget("c", 1))))
    assert rates == {"a": pytest.approx(10), "b": pytest.approx(20), "c": pytest.approx(66)}


def test_a_loop_settles() -> None:
    """Half of the calls call again: a geometric series; the checker's waves find the same."""
    application = Application((), (_task("a", Dependency("a", 1, probability=0.5)),))
    sla = Sla((RateTarget("a", 10),))
    assert task_rates(application, sla)["a"] == pytest.approx(20)
    assert rates_of(Problem(Catalog((), (Cpu(1),), ()), application, sla))["a"] == pytest.approx(20)


def test_a_loop_that_runs_away() -> None:
    """A gain of one or more has no rate."""
    application = Application((), (_task("a", Dependency("b")), _task("b", Dependency("a"))))
    assert gain(application) == pytest.approx(1)
    with pytest.raises(RunawayError):
        task_rates(application, Sla((RateTarget("a", 1),)))


def test_a_batch_job_has_the_time_of_its_phase() -> None:
    """Executions over the phase's share; a single phase has all."""
    application = Application((), (_task("m", phase="map"), _task("r", phase="reduce")))
    batch = Batch(100, (BatchTarget("m", 50), BatchTarget("r", 30)), {"map": 0.25, "reduce": 0.75})
    assert phase_seconds(application, batch) == {"map": 25, "reduce": 75}
    assert task_rates(application, Sla(batch=batch)) == {"m": pytest.approx(2), "r": pytest.approx(0.4)}
    alone = Batch(100, (BatchTarget("m", 50),))
    assert task_rates(application, Sla(batch=alone))["m"] == pytest.approx(0.5)
