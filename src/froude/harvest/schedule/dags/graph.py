"""A job as a graph of stages, and the most containers it can use at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from graphlib import CycleError, TopologicalSorter

from froude.base.errors import InputError


@dataclass(frozen=True, slots=True)
class Stage:
    """Tasks that may all run at once, as soon as the stages before them are done."""

    name: str
    tasks: int
    task_s: float
    """How long one of them runs, mean."""
    parents: tuple[int, ...] = ()
    """Numbers of the stages before it, in the job."""


@dataclass(frozen=True, slots=True)
class JobGraph:
    """A job: its stages, of which none waits for itself."""

    name: str
    stages: tuple[Stage, ...]
    submitted_s: float | None = None
    """When it was submitted, seconds since 1970, or since a trace began; None where that is not known."""
    duration_s: float | None = None
    """How long it ran; None where that is not known."""

    @property
    def work_s(self) -> float:
        """Container-seconds of all its tasks."""
        return sum(stage.tasks * stage.task_s for stage in self.stages)

    def order(self) -> list[int]:
        """Numbers of its stages, each after those before it.

        Raises:
            InputError: stages wait for each other in a circle, or for one that is not there.
        """
        missing = [p for stage in self.stages for p in stage.parents if not 0 <= p < len(self.stages)]
        if missing:
            raise InputError("waits for a stage that is not there", place=self.name, found=missing[0])
        try:
            return list(TopologicalSorter({n: s.parents for n, s in enumerate(self.stages)}).static_order())
        except CycleError as error:
            raise InputError(
                "has stages that wait for each other", place=self.name, found=error.args[1]
            ) from error


class Concurrency(Enum):
    """How the most concurrent containers of a job are counted."""

    LEVELS = "levels"
    """The largest sum of tasks of stages at one distance from the start (the paper's breadth-first search)."""
    RUNNABLE = "runnable"
    """The most tasks that run at one time where nothing is scarce: stages of unequal length overlap."""


def concurrency(job: JobGraph, how: Concurrency = Concurrency.LEVELS) -> int:
    """The most containers a job uses at once: its request in Algorithm 1.

    Args:
        how: stages of unequal length make either of the two the larger.

    Returns:
        Tasks; linear in stages and edges.

    Raises:
        InputError: its stages wait for each other in a circle.

    Source: section 4.3 of the paper, Algorithm 1, line 6.
    """
    return _levels(job) if how is Concurrency.LEVELS else _runnable(job)


def _levels(job: JobGraph) -> int:
    level: dict[int, int] = {}
    tasks: dict[int, int] = {}
    for number in job.order():
        stage = job.stages[number]
        level[number] = 1 + max((level[parent] for parent in stage.parents), default=-1)
        tasks[level[number]] = tasks.get(level[number], 0) + stage.tasks
    return max(tasks.values(), default=0)


def _runnable(job: JobGraph) -> int:
    end: dict[int, float] = {}
    changes: list[tuple[float, int]] = []
    for number in job.order():
        stage = job.stages[number]
        start = max((end[parent] for parent in stage.parents), default=0.0)
        end[number] = start + stage.task_s
        if stage.tasks and stage.task_s > 0:
            changes += [(start, stage.tasks), (end[number], -stage.tasks)]
    most = running = 0
    for _, change in sorted(changes):  # at one time, what ends comes before what begins
        running += change
        most = max(most, running)
    return most


def critical_s(job: JobGraph) -> float:
    """How long a job takes where nothing is scarce: the longest way through its stages, seconds."""
    end: dict[int, float] = {}
    for number in job.order():
        stage = job.stages[number]
        end[number] = max((end[parent] for parent in stage.parents), default=0.0) + stage.task_s
    return max(end.values(), default=0.0)


def checked(jobs: Sequence[JobGraph], file: str) -> list[JobGraph]:
    """Jobs of which every graph is one, those without a task left out.

    Raises:
        InputError: a graph is none, or there is no job with a task.
    """
    for job in jobs:
        try:
            job.order()
        except InputError as error:
            raise InputError(error.message, file=file, place=job.name, found=error.found) from error
    kept = [job for job in jobs if any(stage.tasks for stage in job.stages)]
    if not kept:
        raise InputError("holds no job that ran a task", file=file)
    return kept
