"""The paths of a task: chains of operations that one execution cannot be shorter than, per choice.

Operations that block follow each other; each other one starts after those before it and only holds the end
back. What depends on a choice is a row of seconds per choice of that dataset, or per core type of the task.

Source: scc 3.3 and 4.2; spec: task run time; core types are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add

from froude.provision.model.choices import Beside, Stored, stored_seconds
from froude.provision.model.frame import Frame
from froude.provision.model.instance import Path
from froude.provision.types import Compute, Dependency, Io, Operation, Task

Ways = list[Stored] | list[Beside]


class Paths:
    """Makes the paths of tasks, each operation timed once per choice."""

    def __init__(self, frame: Frame, ways: Sequence[Ways], cpu_at: dict[str, int]) -> None:
        """Prepare.

        Args:
            cpu_at: index of the choice of core type, for each task that has one.
        """
        self._ways = ways
        self._cpu_at = cpu_at
        application = frame.problem.application
        self._cpus = [cpu.name for cpu in frame.problem.catalog.cpus]
        self._datasets = {d.name: (number, d.profile) for number, d in enumerate(application.datasets)}
        self._tasks = {task.name: number for number, task in enumerate(application.tasks)}

    def of(self, task: Task) -> tuple[Path, ...]:
        """The blocking operations in a row, and for each other one: what precedes it, and it."""
        timed = [(op, self._timed(op)) for op in task.operations]
        blocking: list[tuple[Operation, list[float]]] = []
        paths = []
        for step in timed:
            if step[0].blocking:
                blocking.append(step)
            else:
                paths.append(self._path(task, [*blocking, step]))
        return (self._path(task, blocking), *paths)

    def _timed(self, op: Operation) -> list[float]:
        """Seconds of an operation per choice; none for a call."""
        if isinstance(op, Compute):
            return [op.probability * op.on(cpu) for cpu in self._cpus]
        if isinstance(op, Dependency):
            return []
        at, profile = self._datasets[op.dataset]
        return io_seconds(self._ways[at], op, profile)

    def _path(self, task: Task, timed: Sequence[tuple[Operation, list[float]]]) -> Path:
        computing = [0.0] * len(self._cpus)
        io: dict[int, list[float]] = {}
        calls: dict[int, float] = {}
        for op, times in timed:
            if isinstance(op, Compute):
                computing = list(map(add, computing, times))
            elif isinstance(op, Io):
                at = self._datasets[op.dataset][0]
                io[at] = list(map(add, io[at], times)) if at in io else times
            else:
                child = self._tasks[op.task]
                times_called = 1.0 if op.parallel and op.num_invocations else op.num_invocations
                calls[child] = calls.get(child, 0.0) + op.probability * times_called
        constant = computing[0]
        if task.name in self._cpu_at:
            constant = 0.0
            if any(computing):
                io[self._cpu_at[task.name]] = computing
        return Path(constant, tuple((at, tuple(times)) for at, times in io.items()), tuple(calls.items()))


def io_seconds(ways: Ways, io: Io, profile: str | None) -> list[float]:
    """Expected time of an operation on a dataset, per way to keep it.

    Args:
        ways: to keep the operation's dataset, all remote or all beside its task.
        profile: of the dataset, if it names one.

    Returns:
        Seconds per way, in their order.
    """
    if ways and isinstance(ways[0], Stored):
        return stored_seconds([way for way in ways if isinstance(way, Stored)], io, profile)
    return [way.seconds(io, profile) for way in ways if isinstance(way, Beside)]


def compute_seconds(operations: Sequence[Operation], cpu: str) -> float:
    """Core seconds of operations on a core type, whether they block or not.

    Args:
        operations: of a task; those that do not compute count nothing.
        cpu: name of the core type.
    """
    return sum(op.probability * op.on(cpu) for op in operations if isinstance(op, Compute))
