"""A month of batch jobs beside primary tenants, by policy: paired runs and their spread (section 6 of the paper)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from froude.base import parallel
from froude.base.seeds import Seeds
from froude.harvest.schedule.dags.graph import JobGraph
from froude.harvest.simulate.batch_play import BatchPlay
from froude.harvest.simulate.jobs import Submitted
from froude.harvest.simulate.month import HEARTBEAT_S, Case, Month, Outcome, Scheduler, SchedulingSetting
from froude.harvest.simulate.spread import Spread, spread


def compare(
    month: Month,
    jobs: Sequence[JobGraph],
    setting: SchedulingSetting,
    seeds: Seeds,
    *,
    schedulers: Sequence[Scheduler] = tuple(Scheduler),
    runs: int = 5,
    workers: parallel.Workers = 1,
) -> list[Outcome]:
    """Every scheduler on the same jobs at the same times, run by run.

    Args:
        month: servers and tenants.
        jobs: kinds of jobs, from which each arrival is drawn.
        seeds: the same ones give the same runs.
        runs: how many, each with arrivals of its own.
        workers: see `froude.base.parallel`.

    Returns:
        Outcomes by run, then by scheduler. Linear in containers times the logarithm of servers.
    """
    cases = [
        Case(month, tuple(jobs), tuple(schedulers), setting, seeds.child("run", run), run)
        for run in range(runs)
    ]
    return [outcome for outcomes in parallel.map(_played, cases, workers) for outcome in outcomes]


def spreads(outcomes: Sequence[Outcome], figure: str) -> Mapping[str, Spread]:
    """A figure over the runs, by scheduler; one that is known of no run is left out.

    Args:
        outcomes: of `compare`.
        figure: a field of `Outcome` that is a number.
    """
    values: dict[str, list[float]] = {}
    for outcome in outcomes:
        if (value := getattr(outcome, figure)) is not None:
            values.setdefault(outcome.scheduler, []).append(value)
    return {name: spread(each) for name, each in values.items()}


def gains(outcomes: Sequence[Outcome], base: Scheduler = Scheduler.PT) -> Mapping[str, Spread]:
    """By how much each scheduler's jobs are shorter than those of another in the same run: 0.2 is 20 %.

    Args:
        outcomes: of `compare`, which had the base among its schedulers.
        base: what is compared with.
    """
    bases = {o.run: o.job_s for o in outcomes if o.scheduler == base.value and o.job_s}
    shorter: dict[str, list[float]] = {}
    for o in outcomes:
        if o.scheduler != base.value and o.run in bases and o.job_s is not None:
            shorter.setdefault(o.scheduler, []).append(1 - o.job_s / bases[o.run])
    return {name: spread(each) for name, each in shorter.items()}


def _played(case: Case) -> list[Outcome]:
    """All schedulers of a run; mean times are of the jobs that all of them ended."""
    rng = np.random.default_rng(case.seeds.child("arrivals").value)
    submitted = _submissions(case, rng)
    plays = [BatchPlay(case, scheduler, submitted).play() for scheduler in case.schedulers]
    ended = np.all([play.done >= 0 for play in plays], axis=0)
    return [play.outcome(ended) for play in plays]


def _submissions(case: Case, rng: np.random.Generator) -> Submitted:
    """Jobs drawn with their rounds, tasks and durations multiplied alike, so that they use their share of all cores."""
    setting, datacenter = case.setting, case.month.datacenter
    end_s = datacenter.slots * datacenter.slot_s
    arrivals = np.cumsum(rng.exponential(setting.mean_gap_s, int(2 * end_s / setting.mean_gap_s) + 50))
    arrivals = arrivals[arrivals < end_s]
    kinds = rng.integers(0, len(case.jobs), len(arrivals))
    mean_work = float(np.mean([job.work_s for job in case.jobs]))
    wanted = setting.batch_share * len(datacenter.servers) * datacenter.cores * setting.mean_gap_s
    factor = math.sqrt(wanted / mean_work)
    return Submitted(case.jobs, kinds.astype(np.int32), (arrivals / HEARTBEAT_S).astype(np.int32), factor)
