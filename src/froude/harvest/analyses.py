"""What can be asked about a datacenter; each gives its figures and a page of them.

In Python: `fr.harvest.durability(fr.harvest.read_datacenter("dc"), runs=5)`; `froude harvest` does the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from froude.base.errors import InputError
from froude.base.parallel import Workers
from froude.base.progress import Progress, Silent, counting
from froude.base.seeds import Seeds
from froude.base.summary import counted
from froude.documents.forms import FieldError, check_range
from froude.harvest.classify.backtest import PERIODS, backtest, stability
from froude.harvest.classify.characterise import characterise
from froude.harvest.classify.classes import Classification, Grouping, classify, slots_a_day
from froude.harvest.classify.patterns import Patterns
from froude.harvest.figures.classes import classes_report
from froude.harvest.figures.inspection import WITHOUT, Inspected, inspection_report
from froude.harvest.figures.replicas import availability_report, durability_report
from froude.harvest.figures.scheduling import Choice, schedule_report, scheduling_report
from froude.harvest.figures.tenants import characterise_report
from froude.harvest.place.existing import Existing, broken, existing, known_of
from froude.harvest.place.layout import Layout, layout_at
from froude.harvest.place.policies import PRESETS, Policy
from froude.harvest.schedule.dags.graph import Concurrency, JobGraph
from froude.harvest.schedule.dags.graph import concurrency as most
from froude.harvest.schedule.selection import ClassRoom, Thresholds, select
from froude.harvest.schedule.selection import Policy as Containers
from froude.harvest.simulate import availability as accesses
from froude.harvest.simulate import durability as losses
from froude.harvest.simulate.jobs import drawn_jobs
from froude.harvest.simulate.month import Outcome, Scheduler, month_of
from froude.harvest.simulate.scheduling import compare
from froude.harvest.simulate.settings import DAY_S, AvailabilitySetting, DurabilitySetting, SchedulingSetting
from froude.harvest.telemetry.datacenter import Datacenter
from froude.harvest.telemetry.fsck import Locations
from froude.harvest.telemetry.profiles import PATTERNS
from froude.render.answer import Answer

_MOST = 1000
"""Runs, policies or shares of space that are compared."""

CHARACTERISTICS, CLASSES, SELECTION = "datacenter-characteristics", "utilisation-classes", "class-selection"
SCHEDULING, INSPECTION = "scheduling-simulation", "placement-inspection"
DURABILITY, AVAILABILITY = "durability-simulation", "availability-simulation"


def characteristics(datacenter: Datacenter) -> Answer:
    """Shares of the patterns, how often servers are reimaged, how tenants move: the paper's Figures 1 to 6."""
    found = characterise(datacenter)
    names = [pattern.value for pattern in PATTERNS]
    tenants = zip(
        datacenter.tenants, found.patterns.pattern.tolist(), found.patterns.known.tolist(), strict=True
    )
    content = {
        "tenant_shares": found.tenant_shares and dict(zip(names, found.tenant_shares, strict=True)),
        "server_shares": found.server_shares and dict(zip(names, found.server_shares, strict=True)),
        "servers": len(datacenter.servers),
        "servers_with_pattern": found.servers_with_pattern,
        "samples_known": found.samples_known,
        **_base(datacenter, found.patterns),
        "months_of_reimages": found.months,
        "reimages_a_server_month": float(found.server_reimages.mean()) if found.months else None,
        "tenants": [
            {"tenant": tenant, "pattern": names[pattern] if pattern >= 0 else None, "samples_known": known}
            for tenant, pattern, known in tenants
        ],
    }
    return Answer(CHARACTERISTICS, content, lambda facts: characterise_report(datacenter, found, facts))


def classes(
    datacenter: Datacenter,
    grouping: Grouping | None = None,
    *,
    period: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Answer:
    """Utilisation classes, held against the next period and the next day.

    Args:
        grouping: how they are made; None for the paper's numbers.
        period: days of the backtest, 2 to 366; None for the longest of 30, 7 and 2 that fits twice.

    Raises:
        FieldError: the history is shorter than two periods.
    """
    check_range("period", [period or PERIODS[-1]], 2, 366)
    shown, seeds, how = progress or Silent(), Seeds(seed), grouping or Grouping()
    days = datacenter.slots // slots_a_day(datacenter)
    with shown.task("Making classes"):
        found = classify(datacenter, seeds, how)
    with shown.task("Holding them against the next period and the next day"):
        long_enough = days >= 2 * (period or PERIODS[-1])
        if period is not None and not long_enough:
            allowed = f"at most {days // 2} days here"
            raise FieldError("is too long", names=("period",), found=period, allowed=allowed)
        tests = backtest(datacenter, seeds, how, days=period) if long_enough else []
        stable = stability(datacenter, seeds, how, days=min(30, days - 1)) if days > 2 else None
    content = {
        "classes": [
            {
                "name": each.name,
                "pattern": each.pattern.value,
                "servers": each.servers,
                "average": each.average,
                "peak": each.peak,
                "samples_known": each.known,
                "tenants": [datacenter.tenants[tenant] for tenant in each.tenants.tolist()],
            }
            for each in found.classes
        ],
        **_base(datacenter, found.patterns),
        "backtest": [asdict(test) for test in tests],
        "stability": None if stable is None else asdict(stable),
    }
    return Answer(CLASSES, content, lambda facts: classes_report(datacenter, found, tests, stable, facts))


def _base(datacenter: Datacenter, patterns: Patterns) -> dict[str, object]:
    """What patterns rest on: tenants without one, uncertain ones, and outages, in seconds from the first slot."""
    return {
        "unknown_tenants": patterns.unknown,
        "uncertain_tenants": [datacenter.tenants[n] for n in patterns.uncertain.nonzero()[0].tolist()],
        "outages": [
            {"start_s": begin * datacenter.slot_s, "end_s": end * datacenter.slot_s}
            for begin, end in patterns.outages
        ],
    }


def selection(
    datacenter: Datacenter,
    jobs: Sequence[JobGraph],
    grouping: Grouping | None = None,
    *,
    concurrency: Concurrency = Concurrency.LEVELS,
    last_s: float | None = None,
    seed: int = 0,
) -> Answer:
    """The class, or classes, that Algorithm 1 chooses for each job: the node label to submit it with.

    Args:
        grouping: how classes are made; None for the paper's numbers.
        concurrency: how the most containers of a job at one time are counted.
        last_s: how long the last run of each took; None for what its graph has.
    """
    found = classify(datacenter, Seeds(seed), grouping)
    rooms, policy = _rooms(datacenter, found), Containers(datacenter.cores, datacenter.memory_mb)
    rng = Seeds(seed).child("select").random()
    choices = []
    for graph in jobs:
        kind = Thresholds().type_of(graph.duration_s if last_s is None else last_s)
        request = most(graph, concurrency)
        choices.append(Choice(graph.name, kind, request, select(rooms, kind, request, policy, rng)))
    content = {
        "jobs": [
            {
                "job": choice.job,
                "type": choice.kind.value,
                "containers": choice.request,
                "fit": choice.selection.fit.value,
                "labels": [found.classes[n].name for n in choice.selection.classes],
            }
            for choice in choices
        ]
    }
    return Answer(SELECTION, content, lambda facts: schedule_report(found, rooms, choices, policy, facts))


def _rooms(datacenter: Datacenter, found: Classification) -> list[ClassRoom]:
    """Classes at the last slot that is known of each tenant."""
    known = ~np.isnan(datacenter.utilisation)
    last = datacenter.slots - 1 - np.argmax(known[:, ::-1], axis=1)
    now = np.nan_to_num(datacenter.utilisation[np.arange(len(last)), last])
    weight = datacenter.tenant_servers
    return [
        ClassRoom(
            each.name,
            each.pattern,
            each.servers,
            each.average,
            each.peak,
            float(np.average(now[each.tenants], weights=weight[each.tenants])),
        )
        for each in found.classes
    ]


def scheduling(
    datacenter: Datacenter,
    jobs: Sequence[JobGraph] | None = None,
    *,
    days: float | None = None,
    schedulers: Sequence[Scheduler] = (),
    runs: int = 5,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
    **setting: Any,
) -> Answer:
    """The same batch jobs next to primary tenants under each scheduler.

    Args:
        jobs: graphs with the times of their tasks; None for 52 made-up queries.
        days: the last ones; None for half of the history.
        schedulers: those compared; none for all.
        runs: on this datacenter, each with arrivals of its own.
        setting: further fields of `SchedulingSetting`.
    """
    check_range("runs", [runs], 1, _MOST)
    asked = SchedulingSetting(**setting, days=days or datacenter.slots / slots_a_day(datacenter) / 2)
    asked = asked.replaced(reserve_cores=min(asked.reserve_cores, datacenter.cores))
    seeds, chosen = Seeds(seed), list(dict.fromkeys(schedulers or Scheduler))
    graphs = drawn_jobs(seeds.child("jobs")) if jobs is None else jobs
    month = month_of(datacenter, asked, seeds)
    what = f"{counted(runs, 'run')} of {asked.days:g} days under {len(chosen)} schedulers"
    with (progress or Silent()).task(what, runs * len(chosen)) as task:
        outcomes = compare(
            month, graphs, asked, seeds, schedulers=chosen, runs=runs, workers=workers, done=counting(task, run_text)
        )  # fmt: skip
    content = {
        "foresight": month.foresight,
        "filled_samples": month.filled,
        "samples": month.datacenter.utilisation.size,
        "outcomes": [asdict(outcome) for outcome in outcomes],
    }
    return Answer(SCHEDULING, content, lambda facts: scheduling_report(month, outcomes, facts))


def run_text(outcome: Outcome) -> str:
    """What a run came to, beside the progress."""
    mean = "" if outcome.job_s is None else f", {outcome.job_s:,.0f} s each"
    return f"run {outcome.run + 1}, {outcome.scheduler}: {counted(outcome.done, 'job')} ended{mean}"


def durability(
    datacenter: Datacenter,
    policies: Sequence[Policy] = PRESETS,
    *,
    fills: Sequence[float] = (0.5,),
    runs: int = 3,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
    **setting: Any,
) -> Answer:
    """Blocks that a year of reimages loses under each policy of placement.

    Args:
        fills: shares of the space that blocks take, each simulated.
        runs: on this datacenter, each with chance of its own.
        setting: further fields of `DurabilitySetting`.

    Raises:
        InputError: no reimage is known.
    """
    check_range("runs", [runs], 1, _MOST)
    check_range("number of policies", [len(policies)], 1, _MOST)
    check_range("number of fills", [len(fills)], 1, _MOST)
    asked = DurabilitySetting(**setting, fill=fills[0])
    year = losses.year_of(datacenter, _reimages_start_s(datacenter, asked.days), asked.days)
    years = runs * len(fills)
    what = f"{counted(years, 'simulated year')} under each of {len(policies)} policies"
    with (progress or Silent()).task(what, years * len(policies)) as task:
        found = losses.compare(
            [year], asked, Seeds(seed), policies, runs, workers, fills, done=counting(task, year_text)
        )
    content = {
        "policies": [
            {"policy": each.policy, "fill": each.setting.fill, "outcomes": [asdict(o) for o in each.outcomes]}
            for each in found
        ]
    }
    return Answer(DURABILITY, content, lambda facts: durability_report(datacenter.name, asked, found, facts))


def year_text(outcome: losses.Outcome) -> str:
    """What a simulated year came to, beside the progress."""
    return f"{outcome.policy}, run {outcome.run + 1}: {counted(outcome.lost, 'block')} lost"


def _reimages_start_s(datacenter: Datacenter, days: float) -> float:
    """When the last days of the record of reimages begin.

    Raises:
        InputError: no reimage is known.
    """
    if not len(datacenter.reimages.time_s):
        remedy = "Import them: `froude harvest import --reimages`"
        raise InputError("has no reimages", place=datacenter.name, remedy=remedy)
    return float(datacenter.reimages.time_s[-1]) - days * DAY_S


def availability(
    datacenter: Datacenter,
    policies: Sequence[Policy] = PRESETS,
    *,
    from_day: float | None = None,
    runs: int = 3,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
    **setting: Any,
) -> Answer:
    """Accesses that fail since every server of a block is busy, under each policy of placement.

    Args:
        from_day: classes are of the days before it; None for half of the history.
        runs: on this datacenter, each with chance of its own.
        setting: fields of `AvailabilitySetting`.
    """
    check_range("runs", [runs], 1, _MOST)
    check_range("number of policies", [len(policies)], 1, _MOST)
    check_range("from_day", [from_day or 0], 0, 1e6)
    asked = AvailabilitySetting(**setting)
    start_s = datacenter.slots * datacenter.slot_s / 2 if from_day is None else from_day * DAY_S
    what = f"{counted(runs, 'run')} under each of {len(policies)} policies"
    with (progress or Silent()).task(what, runs * len(policies)) as task:
        found = accesses.availability(
            datacenter, start_s, asked, Seeds(seed), policies, runs, workers, counting(task)
        )
    content = {
        "policies": [
            {
                "policy": each.policy,
                "mean": each.mean,
                "failed": list(each.failed),
                "known": list(each.known),
                "refused": each.refused,
            }
            for each in found
        ]
    }
    return Answer(
        AVAILABILITY, content, lambda facts: availability_report(datacenter.name, asked, found, facts)
    )


def inspection(  # noqa: PLR0913 - what, by whom, how, and how often
    datacenter: Datacenter,
    located: Locations,
    policies: Sequence[Policy],
    *,
    days: float = 365.0,
    fill: float = 0.5,
    runs: int = 3,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Answer:
    """Which constraints the blocks of an HDFS break as they lie, and how many a year of reimages would lose.

    Args:
        days: the last ones of the record of reimages; 0 where none is simulated.
        fill: share of the space that these blocks take.
        runs: on this datacenter, each with chance of its own.
    """
    number = {server: n for n, server in enumerate(datacenter.servers)}
    named = [number.get(each, number.get(each.rpartition(":")[0], -1)) for each in located.addresses]
    servers = np.array(named, np.int32)

    def lying(layout: Layout, at_s: float) -> Existing:
        return existing(layout, located.addresses, servers, located.placed, known_of(datacenter, at_s))

    end_s = datacenter.slots * datacenter.slot_s
    now = lying(layout_at(datacenter, end_s), end_s)
    left_out = {WITHOUT: located.without, "groups of erasure-coded files": located.coded}
    found = Inspected(now, broken(now), left_out, days, bad=located.bad)
    if days:
        start_s = _reimages_start_s(datacenter, days)
        year = losses.year_of(datacenter, start_s, days)
        there = lying(year.layout, start_s)
        width = int(np.median((there.replicas >= 0).sum(axis=1)))
        setting = DurabilitySetting(blocks=there.blocks, replicas=max(1, width), fill=fill, days=days)
        year = replace(year, layout=there.layout)
        what = f"{2 * runs} simulated years under each of {len(policies)} policies"
        with (progress or Silent()).task(what, 2 * runs * len(policies)) as task:
            as_it_is, anew = (
                losses.compare(
                    [each], setting, Seeds(seed), policies, runs, workers, done=counting(task, year_text)
                )
                for each in (replace(year, existing=there), year)
            )
        found = replace(found, as_it_is=as_it_is, anew=anew)
    return Answer(
        INSPECTION, _inspected(found), lambda facts: inspection_report(datacenter.name, found, facts)
    )


def _inspected(found: Inspected) -> Mapping[str, Any]:
    broken_by = {
        each.attribute.value: {
            "blocks": each.blocks if each.judged else None,
            "replicas": each.replicas if each.judged else None,
            "judged": each.judged,
        }
        for each in found.broken
    }
    compared = {
        name: [{"policy": e.policy, "outcomes": [asdict(o) for o in e.outcomes]} for e in group]
        for name, group in (("as_it_is", found.as_it_is), ("anew", found.anew))
    }
    return {
        "blocks": found.existing.blocks,
        "unknown": list(found.existing.unknown),
        "left_out": dict(found.left_out),
        "bad_replicas": dict(found.bad),
        "replicas": {str(number): blocks for number, blocks in found.existing.counts.items()},
        "broken": broken_by,
        "days": found.days,
        **compared,
    }
