"""Run times and instances of a numeric problem, for a choice per dataset."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.model.build import build
from froude.provision.model.instance import Instance, Path, TaskNeed
from tests.support.provision.clusters import photoshare


def _task(
    name: str, rate: float, *paths: Path, floors: tuple[tuple[int, tuple[float, ...]], ...] = ()
) -> TaskNeed:
    return TaskNeed(name, 0, rate, (0.0,), 0, (0.0,), paths, floors)


def _with(*tasks: TaskNeed) -> Instance:
    built = build(photoshare())
    assert isinstance(built, Instance)
    return replace(built, tasks=tasks)


def test_the_longest_path_counts() -> None:
    """Compute, storage by the choice, and the run time of tasks that are called."""
    child = _task("child", 1, Path(0.5))
    parent = _task("parent", 4, Path(0.1, ((0, (1.0, 2.0)),), ((0, 2.0),)), Path(2.0))
    instance = _with(child, parent)
    assert instance.run_times([0, 0, 0]) == pytest.approx((0.5, 2.1))
    assert instance.run_times([1, 0, 0]) == pytest.approx((0.5, 3.1))
    assert instance.parallelism([1, 0, 0]) == pytest.approx((0.5, 12.4))


def test_loops_settle() -> None:
    """A task that half calls itself takes twice as long."""
    assert _with(_task("t", 1, Path(1.0, (), ((0, 0.5),)))).run_times([0, 0, 0]) == pytest.approx((2.0,))


def test_floors_hold() -> None:
    """Local units ask for instances whatever the rate."""
    task = _task("t", 1, Path(0.5), floors=((0, (7.0, 3.0)),))
    assert _with(task).parallelism([0, 0, 0]) == (7.0,)
    assert _with(task).parallelism([1, 0, 0]) == (3.0,)
