"""Paths of tasks, with seconds per choice and per core type."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.model.build import build
from froude.provision.model.instance import Instance
from froude.provision.model.paths import compute_seconds
from froude.provision.types import Compute, Cpu, Dependency, Problem, RateTarget, Scope, Task
from tests.support.provision.small import BOX, DATA, READ, WRITE, small

TYPES = (Cpu(85, name="old"), Cpu(150, name="new"))
BOXES = (replace(BOX, cpu="old"), replace(BOX, name="fast", cpu="new"))
PATH = (
    Compute(0.5, times=(("new", 0.2),)),
    READ,
    replace(WRITE, blocking=False),
    Compute(0.1, blocking=False),
)


def _built(problem: Problem) -> Instance:
    built = build(problem)
    assert isinstance(built, Instance)
    return built


def test_operations_that_do_not_block_end_their_own_paths() -> None:
    """0.5 + 0.11 s in a row, then either 0.22 s of writing or 0.1 s of computing beside each other."""
    instance = _built(small(task=Task("serve", "p", 1.0, PATH)))
    blocking, written, computed = instance.tasks[0].paths
    assert (blocking.constant_s, written.constant_s, computed.constant_s) == pytest.approx((0.5, 0.5, 0.6))
    assert instance.run_times([0]) == pytest.approx((0.83,))


def test_core_types_have_their_own_seconds() -> None:
    """0.5 s on old cores and 0.2 s on new ones; nothing of it is constant. 10 a second: 6 or 3 cores."""
    instance = _built(small(task=Task("serve", "p", 1.0, PATH), cpus=TYPES, servers=BOXES))
    core_type = instance.datasets[1]
    assert (core_type.name, core_type.cpu_of) == ("core type of serve", 0)
    assert [choice.names for choice in core_type.choices] == [("old",), ("new",)]
    blocking = instance.tasks[0].paths[0]
    assert blocking.constant_s == 0
    assert dict(blocking.io_s)[1] == pytest.approx((0.5, 0.2))
    assert instance.run_times([0, 0]) == pytest.approx((0.83,))
    assert instance.run_times([0, 1]) == pytest.approx((0.53,))
    assert instance.tasks[0].cores == pytest.approx((6.0, 3.0))
    assert [server.cpu for server in instance.servers] == [0, 1]


def test_a_task_that_never_runs_needs_no_core_type() -> None:
    """Its path is that of the first."""
    problem = small(cpus=TYPES, servers=BOXES)
    tasks = (*problem.application.tasks, Task("never", "p", 1.0, (Compute(0.5, times=(("old", 0.3),)),)))
    instance = _built(replace(problem, application=replace(problem.application, tasks=tasks)))
    assert [d.name for d in instance.datasets] == ["data", "core type of serve"]
    assert instance.tasks[1].paths[0].constant_s == pytest.approx(0.3)


def test_a_task_that_only_holds_data_has_a_core_type() -> None:
    """Its instances stand on some server, although they never run."""
    beside = replace(DATA, remote=False, local_to="serve", scope=Scope.PARTITIONED)
    idle = small(data=beside, cpus=TYPES, servers=BOXES, target=RateTarget("serve", 0.0))
    assert [d.cpu_of for d in _built(idle).datasets] == [None, 0]


def test_calls_count_the_run_time_of_the_called() -> None:
    """Twice in a row, once when they are side by side, and half of that with a probability of a half."""
    called = Task("child", "p", 1.0, (Compute(0.1),))
    for parallel, times in ((False, 1.0), (True, 0.5)):
        call = Dependency("child", 2, parallel=parallel, probability=0.5)
        problem = small(task=Task("serve", "p", 1.0, (call,)))
        application = replace(problem.application, tasks=(*problem.application.tasks, called))
        instance = _built(replace(problem, application=application))
        assert instance.tasks[0].paths[0].calls == ((1, times),)


@given(st.floats(0.01, 10.0))
def test_one_core_type_is_as_none(seconds: float) -> None:
    """A catalog with one named type and a path with its time is the same as one without types."""
    named = Task("serve", "p", 1.0, (Compute(99.0, times=(("only", seconds),)), READ))
    plain = Task("serve", "p", 1.0, (Compute(seconds), READ))
    first = _built(small(task=named, cpus=(Cpu(85, name="only"),)))
    second = _built(small(task=plain))
    assert first.tasks == second.tasks
    assert first.datasets == second.datasets


def test_core_seconds_count_what_does_not_block() -> None:
    """And each by its probability."""
    operations = (Compute(0.5, blocking=False, probability=0.5), Compute(1.0, times=(("new", 0.1),)), READ)
    assert compute_seconds(operations, "old") == pytest.approx(1.25)
    assert compute_seconds(operations, "new") == pytest.approx(0.35)
