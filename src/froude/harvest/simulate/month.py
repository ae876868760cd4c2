"""What a simulation of scheduling is about: the schedulers, the setting, the month, and what a run came to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.harvest.classify.classes import Classification, Grouping, classify, slots_a_day
from froude.harvest.schedule.dags.graph import JobGraph
from froude.harvest.simulate.settings import SchedulingSetting
from froude.harvest.telemetry.clean import filled
from froude.harvest.telemetry.datacenter import Datacenter, Shares

HEARTBEAT_S = 3.0
MOST_FILLED = 0.2
"""Share of a tenant's simulated samples that may be filled; more would be a simulation of the fill."""


class Scheduler(Enum):
    """Who chooses servers, and by what."""

    STOCK = "stock"
    """YARN as it is: all cores are the containers', whatever the primary tenant wants; nothing is killed."""
    PT = "pt"
    """Aware of primary tenants (YARN-PT): any server with room, all alike."""
    PROPORTIONAL = "proportional"
    """As PT, but servers in proportion to their free cores; no classes."""
    H = "h"
    """YARN-H: Algorithm 1 chooses a class, then servers of it in proportion to their free cores."""
    FORECAST = "forecast"
    """As proportional, but to the cores that the last week's same time predicts to stay free for an hour."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run came to."""

    scheduler: str
    run: int
    submitted: int
    done: int
    """Jobs that ended in time: the others are left out of means."""
    job_s: float | None
    """Mean time from submission to end, of jobs that every scheduler of the run ended; None where none was."""
    killed_share: float | None
    """Containers killed, of those that were started; None where none was."""
    wasted_share: float | None
    """Container-time of those killed, of all; None where no container ran."""
    utilisation: float
    """Mean share of all cores that primary tenants and containers had."""
    primary: float
    """Of primary tenants alone."""
    overloaded_share: float
    """Server-slots in which tenant and containers wanted more cores than there are."""
    unlabelled: int
    """Jobs that no class had room for."""
    compared: int = 0
    """Jobs that every scheduler of the run ended: the base of `job_s`."""


@dataclass(frozen=True, slots=True, eq=False)
class Month:
    """Servers and what their primary tenants want, classed by what was known before."""

    datacenter: Datacenter
    """Of the simulated days."""
    classes: Classification
    """Made of the days before; of the same days where there are none before."""
    foresight: bool
    """Whether classes are of the same days."""
    filled: int = 0
    """Samples of the simulated days that were missing and filled, of tenants times slots."""
    filled_tenants: int = 0
    """Tenants that they are of."""


def month_of(
    datacenter: Datacenter, setting: SchedulingSetting, seeds: Seeds, grouping: Grouping | None = None
) -> Month:
    """The last days of a history, and classes made of the days before.

    Args:
        datacenter: with as many days before, if it has them.
        grouping: how classes are made; None for the paper's.

    Raises:
        InputError: the history is shorter than the days to simulate; or these have gaps, and they are not to be filled
            or are too large.
    """
    slots = round(setting.days * slots_a_day(datacenter))
    first = datacenter.slots - slots
    if first < 0:
        found = f"{datacenter.slots / slots_a_day(datacenter):.1f} days"
        raise InputError(
            "is too short to simulate", place=datacenter.name, found=found, allowed=f"{setting.days:g} days"
        )
    month = datacenter.slots_between(first, datacenter.slots)
    gone = np.isnan(month.utilisation).sum(axis=1)
    foresight = first < slots
    past = month if foresight else datacenter.slots_between(first - slots, first)
    classes = classify(past, seeds.child("classes"), grouping)
    if gone.any():
        month = replace(month, utilisation=_without_gaps(datacenter, first, gone, fill=setting.fill))
    return Month(month, classes, foresight, int(gone.sum()), int((gone > 0).sum()))


def _without_gaps(datacenter: Datacenter, first: int, gone: npt.NDArray[np.intp], *, fill: bool) -> Shares:
    """The utilisation from a slot on, of which each tenant lacks so many samples, filled from all the history."""
    most = int(gone.argmax())
    share = gone[most] / (datacenter.slots - first)
    found = f"{share:.1%} of the simulated samples of {datacenter.tenants[most]}"
    if not fill or share > MOST_FILLED:
        problem = (
            "has more gaps than may be filled" if share > MOST_FILLED else "has gaps, which only --fill fills"
        )
        allowed = f"at most {MOST_FILLED:.0%} of a tenant's"
        raise InputError(problem, place=datacenter.name, found=found, allowed=allowed)
    series = filled(datacenter.utilisation, slots_a_day(datacenter))[:, first:]
    empty = np.isnan(series).any(axis=1)
    if empty.any():
        found = datacenter.tenants[int(empty.argmax())]
        problem = "has no sample of an hour of the day, so that nothing fills the gap there"
        raise InputError(problem, place=datacenter.name, found=found)
    return series


@dataclass(frozen=True, slots=True)
class Case:
    """One run under some schedulers; it travels to another process."""

    month: Month
    jobs: tuple[JobGraph, ...]
    schedulers: tuple[Scheduler, ...]
    setting: SchedulingSetting
    seeds: Seeds
    run: int
