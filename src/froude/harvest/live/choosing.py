"""The class that a job is told to run on: Algorithm 1, and what YARN can be told of its answer."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from froude.harvest.live.attributes import expression
from froude.harvest.schedule.selection import (
    ClassRoom,
    Container,
    Fit,
    JobType,
    Policy,
    Thresholds,
    headroom,
    select,
    thresholds_of,
)
from froude.harvest.telemetry.profiles import Pattern

MOST_JOBS = 10_000
"""Kinds of jobs whose last run is remembered; of more, those go first that ran longest ago."""
_NO_CORES = 1e-9
_FEWEST_RUNS = 10
"""Kinds of jobs from which thresholds are worked out."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """How a kind of job ran last."""

    seconds: float
    containers: float


@dataclass(frozen=True, slots=True)
class Request:
    """A job that asks where to run."""

    job: str
    """What kind of job it is: the last run of the same name tells its type."""
    containers: float
    """The most that it uses at once."""
    container: Container = field(default_factory=Container)
    last_run_s: float | None = None
    """How long its last run took; None for what is remembered of it."""
    kind: JobType | None = None
    """Its type, where somebody knows better than its last run."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the classes that a job runs on."""

    label: str
    """The class, which is its nodes' label and the value of their attribute."""
    headroom: float
    """Containers of the job that it has room for."""
    containers: int
    """The job's share on it; all parts have as many as the job."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Where a job shall run."""

    job: str
    kind: JobType
    fit: Fit
    parts: tuple[Part, ...]
    """The classes that Algorithm 1 drew; none where no combination holds the job."""
    roomiest: str
    """Of all classes, or of those drawn, the one with most room; empty where there is no class."""
    labels: bool = True
    """Whether nodes carry their classes as labels: a job that asks for one that no node has is refused."""
    tagged: bool = True
    """Whether they carry them as attributes."""
    lacks: str = ""
    """What all classes together have too little of for the job: `cores`, `memory`, `cores and memory`, `room` where each
    would do by itself, `classes` where there are none; empty where they hold it."""

    @property
    def label(self) -> str:
        """The label of all of the job, which can name one class only; empty where it runs anywhere."""
        return self.roomiest if self.parts and self.labels else ""

    @property
    def master_label(self) -> str:
        """The label of its application master.

        Where every node has a label, an application master without one is never started: it alone of all containers may
        not use what a label leaves idle. So it gets one even where the job has none.
        """
        return self.roomiest if self.labels else ""

    @property
    def attributes(self) -> str:
        """The placement constraint that names any of its classes; empty where it runs anywhere."""
        return expression([part.label for part in self.parts]) if self.tagged else ""


def choose(
    rooms: Sequence[ClassRoom],
    request: Request,
    last: Mapping[str, LastRun],
    *,
    policy: Policy,
    thresholds: Thresholds,
    rng: random.Random,
) -> Choice:
    """The class, or classes, of a job.

    Args:
        rooms: all classes, as they are now.
        last: how jobs ran last, by kind.
    """
    known = last.get(request.job)
    took = known.seconds if request.last_run_s is None and known is not None else request.last_run_s
    kind = request.kind or thresholds.type_of(took)
    found = select(rooms, kind, request.containers, policy, rng, container=request.container)
    free = [headroom(kind, room, policy, request.container) for room in rooms]
    among = found.classes or range(len(rooms))
    roomiest = max(among, key=free.__getitem__, default=None)
    shares = _shares(round(request.containers), [free[n] for n in found.classes])
    parts = [Part(rooms[n].name, free[n], share) for n, share in zip(found.classes, shares, strict=True)]
    lacks = ""
    if not rooms:
        lacks = "classes"
    elif found.fit is Fit.NONE:
        each = {
            "cores": replace(request.container, memory_mb=0.0),
            "memory": replace(request.container, cores=_NO_CORES),
        }
        short = [
            what for what, alone in each.items() if _room(rooms, kind, policy, alone) < request.containers
        ]
        lacks = " and ".join(short) or "room"
    best = "" if roomiest is None else rooms[roomiest].name
    return Choice(request.job, kind, found.fit, tuple(parts), best, lacks=lacks)


def _room(rooms: Sequence[ClassRoom], kind: JobType, policy: Policy, container: Container) -> float:
    return sum(headroom(kind, room, policy, container) for room in rooms)


def choice_fields(choice: Choice) -> dict[str, Any]:
    """A choice as the class-selection API answers it, in JSON."""
    return {
        "job": choice.job,
        "type": choice.kind.value,
        "fit": choice.fit.value,
        "label": choice.label,
        "master_label": choice.master_label,
        "attributes": choice.attributes,
        "lacks": choice.lacks,
        "classes": [
            {"label": part.label, "headroom": round(part.headroom, 3), "containers": part.containers}
            for part in choice.parts
        ],
    }


def remembered_run(last: Mapping[str, LastRun], job: str, run: LastRun) -> dict[str, LastRun]:
    """Last runs with one more, the newest at the end."""
    kept = {name: each for name, each in last.items() if name != job}
    while len(kept) >= MOST_JOBS:
        del kept[next(iter(kept))]
    return {**kept, job: run}


def fitted_thresholds(
    last: Mapping[str, LastRun], rooms: Sequence[ClassRoom], policy: Policy
) -> Thresholds | None:
    """Thresholds by which each type of job demands what its preferred pattern has to give (section 4.3).

    Returns:
        None where too few jobs are known to tell, or no class has anything to give.
    """
    spare = dict.fromkeys(Pattern, 0.0)
    for room in rooms:
        cores = policy.cores if room.cores is None else room.cores
        spare[room.pattern] += room.servers * cores * max(0.0, 1 - room.average - policy.reserve_cpu)
    total = sum(spare.values())
    runs = [run for run in last.values() if run.seconds * run.containers > 0]
    if len(runs) < _FEWEST_RUNS or not total:
        return None
    return thresholds_of(
        [run.seconds for run in runs],
        [run.seconds * run.containers for run in runs],
        {pattern: free / total for pattern, free in spare.items()},
    )


def _shares(containers: int, free: Sequence[float]) -> list[int]:
    """So many containers in proportion to some room, in whole ones, all of them."""
    total, given, seen, out = sum(free), 0, 0.0, []
    for each in free:
        seen += each
        upto = round(containers * seen / total) if total else 0
        out.append(upto - given)
        given = upto
    return out
