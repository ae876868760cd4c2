"""Jobs of a simulation: fifty-two made-up ones, and any jobs as arrays for the compiled loop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from froude.base.seeds import Seeds
from froude.harvest.schedule.dags.graph import JobGraph, Stage
from froude.harvest.simulate import containers
from froude.harvest.telemetry.datacenter import Ints

KINDS = 52
"""As many as the paper has queries of TPC-DS (section 6.1); their graphs are not published, these are drawn."""
_LEVELS = (3, 9)
_TASK_S = 20.0


def drawn_jobs(seeds: Seeds, kinds: int = KINDS) -> list[JobGraph]:
    """Made-up jobs in the shape of queries: many scans first, fewer and fewer joins behind, stages of unequal length."""
    rng = seeds.random()
    jobs = []
    for number in range(kinds):
        levels = rng.randint(*_LEVELS)
        stages: list[Stage] = []
        above: list[int] = []
        for level in range(levels):
            width = max(1, round(rng.uniform(1, 4) * (levels - level) / levels))
            here = []
            for _ in range(width):
                parents = tuple(rng.sample(above, rng.randint(1, len(above)))) if above else ()
                tasks = max(1, round(rng.lognormvariate(3.0, 1.0) * (levels - level) / levels))
                here.append(len(stages))
                stages.append(
                    Stage(f"stage-{len(stages)}", tasks, rng.lognormvariate(math.log(_TASK_S), 0.6), parents)
                )
            above = here
        jobs.append(JobGraph(f"query-{number + 1:02}", tuple(stages)))
    return jobs


@dataclass(frozen=True, slots=True, eq=False)
class Submitted:
    """Jobs in the order in which they come."""

    kinds: Sequence[JobGraph]
    kind: Ints
    """Shape (jobs,): number in `kinds`."""
    arrival: Ints
    """Shape (jobs,), ascending: round of its submission."""
    factor: float = 1.0
    """Tasks and durations are multiplied by it."""


def arrays_of(submitted: Submitted, heartbeat_s: float, classes: int) -> containers.Work:
    """Jobs as arrays; stages without a task take none, and are done with those before them."""
    kinds = [_kind(job, submitted.factor, heartbeat_s) for job in submitted.kinds]
    sizes = np.array([len(kind.tasks) for kind in kinds], np.int64)[submitted.kind]
    edges = np.array([len(kind.children) for kind in kinds], np.int64)[submitted.kind]
    stage = np.concatenate([[0], np.cumsum(sizes)])
    edge = np.concatenate([[0], np.cumsum(edges)])
    jobs = len(submitted.kind)

    def joined(name: str, kind_type: type = np.int32) -> Ints:
        parts = [getattr(kinds[kind], name) for kind in submitted.kind.tolist()]
        return np.concatenate([np.zeros(0, kind_type), *parts]).astype(np.int32)

    pending, waits = joined("tasks"), joined("waits")
    ready = np.where(waits == 0, pending, 0)
    children = joined("children") + np.repeat(stage[:-1], edges).astype(np.int32)
    child = joined("child") + np.repeat(edge[:-1], sizes).astype(np.int32)
    return containers.Work(
        job=np.repeat(np.arange(jobs), sizes).astype(np.int32),
        length=joined("rounds"),
        waits_for=waits,
        pending=pending,
        left=pending.copy(),
        children=children,
        child=np.append(child, edge[-1]).astype(np.int32),
        stage=stage.astype(np.int32),
        ready=np.add.reduceat(np.append(ready, 0), stage[:-1]).astype(np.int32)
        if jobs
        else np.zeros(0, np.int32),
        stages_left=sizes.astype(np.int32),
        done=np.full(jobs, -1, np.int32),
        live=np.zeros(max(1, jobs), np.int32),
        classes=np.zeros((jobs, classes), np.uint8),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Kind:
    tasks: Ints
    rounds: Ints
    waits: Ints
    children: Ints
    child: Ints


def _kind(job: JobGraph, factor: float, heartbeat_s: float) -> _Kind:
    """One kind of job; of stages without tasks those behind them wait for those before them."""
    order = job.order()
    before: dict[int, set[int]] = {}
    for number in order:
        parents: set[int] = set()
        for parent in job.stages[number].parents:
            parents |= {parent} if job.stages[parent].tasks else before[parent]
        before[number] = parents
    kept = [number for number in range(len(job.stages)) if job.stages[number].tasks]
    place = {number: at for at, number in enumerate(kept)}
    children: list[list[int]] = [[] for _ in kept]
    for number in kept:
        for parent in sorted(before[number]):
            children[place[parent]].append(place[number])
    stages = [job.stages[number] for number in kept]
    return _Kind(
        np.array([max(1, round(stage.tasks * factor)) for stage in stages], np.int32),
        np.array([max(1, math.ceil(stage.task_s * factor / heartbeat_s)) for stage in stages], np.int32),
        np.array([len(before[number]) for number in kept], np.int32),
        np.array([child for each in children for child in each], np.int32),
        np.concatenate([[0], np.cumsum([len(each) for each in children])])[:-1].astype(np.int32),
    )
