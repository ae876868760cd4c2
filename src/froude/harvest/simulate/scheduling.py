"""A month of batch jobs in parallel to primary tenants, by policy: paired runs and their spread (paper, section 6).

One scheduler plays the jobs of one run in the compiled loop, which stops at every submission for the choice of a class.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from froude.base import parallel
from froude.base.seeds import Seeds
from froude.harvest.classify.classes import slots_a_day
from froude.harvest.schedule.dags.graph import JobGraph, concurrency, critical_s
from froude.harvest.schedule.selection import ClassRoom, Container, Fit, Thresholds, select, thresholds_of
from froude.harvest.schedule.selection import Policy as Selecting
from froude.harvest.simulate import containers
from froude.harvest.simulate.jobs import Submitted, arrays_of
from froude.harvest.simulate.month import HEARTBEAT_S, Case, Month, Outcome, Scheduler
from froude.harvest.simulate.settings import SchedulingSetting
from froude.harvest.simulate.spread import Spread, spread
from froude.harvest.telemetry.datacenter import Datacenter, Floats, Ints
from froude.harvest.telemetry.profiles import PATTERNS

_FORECAST_S = 3600.0
_FORECAST_DAYS = 7
_WEIGHED = {Scheduler.PT: containers.EVEN, Scheduler.FORECAST: containers.PREDICTED}


def compare(
    month: Month,
    jobs: Sequence[JobGraph],
    setting: SchedulingSetting,
    seeds: Seeds,
    *,
    schedulers: Sequence[Scheduler] = tuple(Scheduler),
    runs: int = 5,
    workers: parallel.Workers = 1,
    done: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Every scheduler on the same jobs at the same times, run by run.

    Args:
        jobs: kinds of jobs, from which each arrival is drawn.
        runs: how many, each with arrivals of its own.
        done: called with each outcome as soon as it is known; its mean time is of all jobs that it ended.

    Returns:
        Outcomes by run, then by scheduler. Linear in containers times the logarithm of servers.
    """
    cases = [
        Case(month, tuple(jobs), (scheduler,), setting, seeds.child("run", run), run)
        for run in range(runs)
        for scheduler in schedulers
    ]
    played = parallel.map(_played, cases, workers, lambda each: done and done(each[0]))
    compared: list[Outcome] = []
    for at in range(0, len(played), len(schedulers)):
        outcomes, took_s = zip(*played[at : at + len(schedulers)], strict=True)
        common = np.array(took_s)[:, ~np.isnan(took_s).any(axis=0)]
        for outcome, of_jobs in zip(outcomes, common, strict=True):
            job_s = float(of_jobs.mean()) if len(of_jobs) else None
            compared.append(replace(outcome, job_s=job_s, compared=len(of_jobs)))
    return compared


def spreads(outcomes: Sequence[Outcome], figure: str) -> Mapping[str, Spread]:
    """A figure over the runs, by scheduler; one that is known of no run is left out.

    Args:
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
    """
    bases = {o.run: o.job_s for o in outcomes if o.scheduler == base.value and o.job_s}
    shorter: dict[str, list[float]] = {}
    for o in outcomes:
        if o.scheduler != base.value and o.run in bases and o.job_s is not None:
            shorter.setdefault(o.scheduler, []).append(1 - o.job_s / bases[o.run])
    return {name: spread(each) for name, each in shorter.items()}


def _played(case: Case) -> tuple[Outcome, Floats]:
    """The case's one scheduler in its run; shape (jobs,): seconds that each job took, NaN where it did not end."""
    rng = np.random.default_rng(case.seeds.child("arrivals").value)
    submitted = _submissions(case, rng)
    play = BatchPlay(case, case.schedulers[0], submitted).play()
    took_s = np.where(play.done >= 0, (play.done - submitted.arrival) * HEARTBEAT_S, np.nan)
    return play.outcome(play.done >= 0), took_s


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


class BatchPlay:
    """One scheduler on the jobs of a run."""

    def __init__(self, case: Case, scheduler: Scheduler, submitted: Submitted) -> None:
        """Nothing is played yet."""
        self._case, self._scheduler, self._submitted = case, scheduler, submitted
        month = case.month
        datacenter = month.datacenter
        self._cores = datacenter.cores
        # Tenants without a class stand in one of their own behind the others.
        of_tenant = np.where(
            month.classes.tenant_class < 0, len(month.classes.classes), month.classes.tenant_class
        )
        of_server = of_tenant[datacenter.server_tenant]
        order = np.argsort(of_server, kind="stable")
        self._classes = len(month.classes.classes) + int((month.classes.tenant_class < 0).any())
        first = np.searchsorted(of_server[order], np.arange(self._classes + 1))
        self._play = containers.Play(
            _fleet(datacenter.server_tenant[order], first),
            _pool(len(order) * datacenter.cores),
            arrays_of(submitted, HEARTBEAT_S, self._classes),
            _tenants(datacenter, case.setting, forecast=scheduler is Scheduler.FORECAST),
            containers.Rules(
                _WEIGHED.get(scheduler, containers.FREE),
                int(scheduler is not Scheduler.STOCK),
                datacenter.cores,
                round(datacenter.slot_s / HEARTBEAT_S),
            ),
            np.zeros(containers.COUNTS, np.int64),
            np.array([case.seeds.child("servers", scheduler.value).value | 1], np.uint64),
        )
        self._chooser = _Chooser(case, submitted) if scheduler is Scheduler.H else None
        self._unlabelled = 0
        self._rng = case.seeds.child("classes").random()

    @property
    def done(self) -> Ints:
        """Shape (jobs,): the round in which each was done; -1 before."""
        return self._play.work.done

    @property
    def used(self) -> Ints:
        """Shape (servers,): cores that containers have now; servers stand by class."""
        return self._play.fleet.used

    def play(self) -> BatchPlay:
        """All rounds, stopped at each submission."""
        for job, arrival in enumerate(self._submitted.arrival.tolist()):
            self.submit(job, arrival)
        self.until(self._case.month.datacenter.slots * self._play.rules.slot)
        return self

    def submit(self, job: int, arrival: int) -> None:
        """Play until a job comes, and choose its classes."""
        self.until(arrival)
        chosen = None if self._chooser is None else self._choose(self._chooser, job, arrival)
        work, totals = self._play.work, self._play.totals
        work.classes[job] = chosen is None
        if chosen is not None:
            work.classes[job, list(chosen)] = 1
        work.live[totals[containers.LIVE]] = job
        totals[containers.LIVE] += 1

    def until(self, round_: int) -> None:
        """Play the rounds before this one.

        Args:
            round_: a round, from that of now on.
        """
        containers.advance(self._play, round_)

    def outcome(self, ended: np.ndarray) -> Outcome:
        """What it came to.

        Args:
            ended: shape (jobs,): whether every scheduler ended it.
        """
        totals = self._play.totals.tolist()
        datacenter = self._case.month.datacenter
        started, server_slots = totals[containers.STARTED], len(datacenter.servers) * datacenter.slots
        took = (self._play.work.done - self._submitted.arrival)[ended] * HEARTBEAT_S
        primary = float(datacenter.tenant_servers @ datacenter.utilisation.mean(axis=1)) / len(
            datacenter.servers
        )
        cores_used = totals[containers.ALLOCATED] / server_slots / self._cores
        time_s = totals[containers.ALLOCATED] * self._play.rules.slot
        return Outcome(
            self._scheduler.value,
            self._case.run,
            len(self._submitted.arrival),
            int((self._play.work.done >= 0).sum()),
            float(took.mean()) if len(took) else None,
            totals[containers.KILLED] / started if started else None,
            totals[containers.WASTED] / time_s if time_s else None,
            primary + cores_used,
            primary,
            totals[containers.OVERLOADED] / server_slots,
            self._unlabelled,
            len(took),
        )

    def _choose(self, chooser: _Chooser, job: int, arrival: int) -> tuple[int, ...] | None:
        used = np.add.reduceat(self._play.fleet.used, self._play.fleet.first[:-1])
        chosen = chooser.choose(job, arrival // self._play.rules.slot, used, self._play.work.done, self._rng)
        self._unlabelled += chosen is None
        return chosen


class _Chooser:
    """Algorithm 1 at a submission."""

    def __init__(self, case: Case, submitted: Submitted) -> None:
        month, datacenter = case.month, case.month.datacenter
        self._classes = month.classes.classes
        self._submitted, self._jobs = submitted, case.jobs
        weight = datacenter.tenant_servers.astype(np.float64)
        self._primary = np.array(
            [
                weight[c.tenants] @ datacenter.utilisation[c.tenants] / weight[c.tenants].sum()
                for c in self._classes
            ]
        )
        self._cores = datacenter.cores
        self._policy = Selecting(
            datacenter.cores, datacenter.memory_mb, case.setting.reserve_cores / datacenter.cores
        )
        self._thresholds = _thresholds(case, submitted.factor)
        self._requests = [concurrency(job) * submitted.factor for job in case.jobs]
        self._last: dict[int, int] = {}
        """The last job of each kind, whose duration tells the type of the next."""

    def choose(
        self, job: int, slot: int, used: np.ndarray, done: np.ndarray, rng: random.Random
    ) -> tuple[int, ...] | None:
        kind = int(self._submitted.kind[job])
        last = self._last.get(kind)
        self._last[kind] = job
        known = None
        if last is not None and done[last] >= 0:
            known = float(done[last] - self._submitted.arrival[last]) * HEARTBEAT_S
        rooms = [
            ClassRoom(
                c.name,
                c.pattern,
                c.servers,
                c.average,
                c.peak,
                float(self._primary[n, slot]) + float(used[n]) / (c.servers * self._cores),
            )
            for n, c in enumerate(self._classes)
        ]
        found = select(
            rooms,
            self._thresholds.type_of(known),
            self._requests[kind],
            self._policy,
            rng,
            container=Container(1.0, 0.0),
        )
        return None if found.fit is Fit.NONE else found.classes


def _thresholds(case: Case, factor: float) -> Thresholds:
    """From the kinds of jobs where nothing is scarce, and the capacity that each pattern leaves (section 4.3)."""
    datacenter = case.month.datacenter
    servers = datacenter.tenant_servers.astype(np.float64)
    room = np.maximum(
        0, 1 - datacenter.utilisation.mean(axis=1) - case.setting.reserve_cores / datacenter.cores
    )
    pattern = case.month.classes.patterns.pattern
    spare = [float((servers * room)[pattern == n].sum()) for n in range(len(PATTERNS))]
    shares = {each: value / max(1e-12, sum(spare)) for each, value in zip(PATTERNS, spare, strict=True)}
    return thresholds_of(
        [critical_s(job) * factor for job in case.jobs], [job.work_s for job in case.jobs], shares
    )


def _fleet(tenant: Ints, first: np.ndarray) -> containers.Fleet:
    count = len(tenant)
    return containers.Fleet(
        np.ascontiguousarray(tenant, np.int32),
        np.zeros(count, np.int32),
        np.zeros(count, np.int32),
        np.zeros(count, np.int32),
        np.zeros(count + 1, np.int64),
        np.full(count, -1, np.int32),
        first.astype(np.int32),
    )


def _pool(places: int) -> containers.Pool:
    def numbers(value: int = 0) -> Ints:
        return np.full(places, value, np.int32)

    free = np.arange(1, places + 1, dtype=np.int32)
    free[-1] = -1
    return containers.Pool(
        numbers(), numbers(), numbers(), numbers(), free, numbers(), numbers(), numbers(),
        np.full(containers.BUCKETS, -1, np.int32), np.zeros(1, np.int32),
    )  # fmt: skip


def _tenants(datacenter: Datacenter, setting: SchedulingSetting, *, forecast: bool) -> containers.Tenants:
    """Whole cores that tenants want and leave: rounded up for them, section 5.3."""
    wanted = (
        np.ceil(datacenter.utilisation * datacenter.cores - 1e-4).clip(0, datacenter.cores).astype(np.uint8)
    )
    limit = _left(wanted, datacenter, setting)
    stays = limit if not forecast else _left(predicted(wanted, datacenter), datacenter, setting)
    return containers.Tenants(limit, stays, wanted)


def _left(wanted: np.ndarray, datacenter: Datacenter, setting: SchedulingSetting) -> np.ndarray:
    return (datacenter.cores - setting.reserve_cores - wanted.astype(np.int16)).clip(0).astype(np.uint8)


def predicted(wanted: np.ndarray, datacenter: Datacenter) -> np.ndarray:
    """The most cores that a tenant is predicted to want within the next hour.

    Each slot is predicted as the mean of the same time on up to seven days before; before there is such a day, what is
    wanted now stands for it.

    Args:
        wanted: shape (tenants, slots): cores; at no slot are later ones looked at.
        datacenter: for the length of its slots.

    Returns:
        Shape (tenants, slots): cores, never below what is wanted now.
    """
    per_day, ahead = slots_a_day(datacenter), round(_FORECAST_S / datacenter.slot_s)
    tenants, slots = wanted.shape
    usual: Floats = wanted.astype(np.float64)
    for slot in range(per_day, slots):
        days = min(_FORECAST_DAYS, slot // per_day)
        usual[:, slot] = wanted[:, slot - days * per_day : slot : per_day].mean(axis=1)
    out = wanted.copy()
    for slot in range(slots):
        # Of the hour that begins now, known from days that are over by now.
        last = min(slots, slot + ahead + 1)
        future = usual[:, slot:last] if slot >= per_day else usual[:, slot : slot + 1]
        out[:, slot] = np.maximum(wanted[:, slot], np.ceil(future.max(axis=1) - 1e-6))
    return out.reshape(tenants, slots)
