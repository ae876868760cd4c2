"""What runs refuses what cannot be, and its parts are found by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from froude.provision.types import (
    Application,
    Compute,
    Dataset,
    Dependency,
    Io,
    Op,
    Persistence,
    Task,
)

DATA = Dataset("d", 8, Persistence.ANY, remote=True)
LOCAL = replace(DATA, remote=False)
READ = Io(Op.READ, "d", 1, 1)
WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "size": (lambda: replace(DATA, size=-1), "size must be 0 or above"),
    "cache": (lambda: replace(DATA, cache_size=9), r"cache_size must lie in \(0, size=8\], got 9"),
    "no cache": (lambda: replace(DATA, cache_size=0), "cache_size must lie"),
    "hit ratio": (lambda: replace(DATA, hit_ratio=1.1), "hit_ratio must lie"),
    "host time": (lambda: replace(DATA, host_time=-1), "host_time must be 0"),
    "no copy": (lambda: replace(DATA, replication=0), "must be 1 or more"),
    "no data": (lambda: replace(DATA, erasure=(0, 3)), "must be 1 or more"),
    "no parity": (lambda: replace(DATA, erasure=(6, 0)), "must be 1 or more"),
    "both": (lambda: replace(DATA, replication=2, erasure=(6, 3)), "exclude each other"),
    "local copies": (lambda: replace(LOCAL, replication=2), "belong to remote datasets"),
    "local fragments": (lambda: replace(LOCAL, erasure=(6, 3)), "belong to remote datasets"),
    "local hosts": (lambda: replace(LOCAL, host_time=1), "belong to remote datasets"),
    "probability": (lambda: replace(READ, probability=1.5), r"probability must lie in \[0, 1\]"),
    "records": (lambda: replace(READ, num_records=-1), "num_records must be 0"),
    "record": (lambda: replace(READ, record_size=-1), "record_size must be 0"),
    "amplification": (lambda: replace(READ, amplification=0), "amplification must be above 0"),
    "time": (lambda: Compute(-1), "time must be 0"),
    "time on a type": (lambda: Compute(1, times=(("fast", -1),)), "time must be 0"),
    "chance to compute": (lambda: Compute(1, probability=-1), "probability must lie"),
    "calls": (lambda: Dependency("t", -1), "num_invocations must be 0"),
    "bytes": (lambda: Dependency("t", bytes=-1), "bytes must be 0"),
    "chance to call": (lambda: Dependency("t", probability=2), "probability must lie"),
    "memory": (lambda: Task("t", "p", -1), "memory must be 0"),
    "host cores": (lambda: Application((), (), -1), "host_cores must be 0"),
    "host memory": (lambda: Application((), (), 0, -1), "host_memory must be 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    """Each by its name, with what was given."""
    build, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        build()


def test_the_edges_of_what_may_be() -> None:
    """A cache of everything, one fragment of each, one local copy."""
    replace(DATA, cache_size=8)
    replace(DATA, erasure=(1, 1))
    replace(LOCAL, replication=1)


def test_a_core_type_may_have_a_time_of_its_own() -> None:
    """All others have the common one."""
    compute = Compute(3, times=(("fast", 1.0), ("slow", 9.0)))
    assert [compute.on(cpu) for cpu in ("fast", "slow", "core")] == [1, 9, 3]


def test_names_are_found() -> None:
    """By name, or not at all; phases in the order of the tasks, each once."""
    tasks = tuple(Task(name, phase, 0) for name, phase in (("a", "map"), ("b", "reduce"), ("c", "map")))
    application = Application((DATA,), tasks)
    assert application.dataset("d") == DATA
    assert application.task("b") == tasks[1]
    assert application.phases == ("map", "reduce")
    for look in (application.dataset, application.task):
        with pytest.raises(KeyError):
            look("x")
