"""Months of a few servers, for tests of schedulers."""

from __future__ import annotations

import numpy as np

from froude.base.seeds import Seeds
from froude.harvest.classify.classes import Grouping
from froude.harvest.schedule.dags.graph import JobGraph
from froude.harvest.simulate.month import Case, Month, Scheduler, month_of
from froude.harvest.simulate.settings import SchedulingSetting
from tests.support.harvest.datacenters import made

SETTING = SchedulingSetting(days=2, reserve_cores=4)


def month(cores: np.ndarray, *, servers: int = 1) -> Month:
    """Tenants that want so many of twelve cores, by hour, for two days; slots of an hour."""
    return month_of(made(cores / 12, servers=servers), SETTING, Seeds(1), Grouping(classes=None))


def case(of: Month, *jobs: JobGraph, setting: SchedulingSetting = SETTING) -> Case:
    """One run."""
    return Case(of, jobs, tuple(Scheduler), setting, Seeds(3), 0)
