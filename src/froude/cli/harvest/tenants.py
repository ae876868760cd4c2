"""`froude harvest characterise`, `classify`, `schedule` and `simulate scheduling`: classes, and jobs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.progress import counting
from froude.base.summary import counted
from froude.cli import answers
from froude.cli.harvest import common
from froude.cli.inputs import member

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.classify.classes import Grouping
    from froude.harvest.telemetry.datacenter import Datacenter
from pathlib import Path

from froude.base.units import parse_seconds
from froude.cli.numbers import ranged

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.classify.classes import Classification
    from froude.harvest.classify.patterns import Patterns
    from froude.harvest.schedule.dags.graph import JobGraph
    from froude.harvest.schedule.selection import ClassRoom, Policy
    from froude.harvest.simulate.month import Outcome
    from froude.harvest.telemetry.datacenter import Datacenter

_Jobs = typer.Option(
    "--jobs",
    metavar="FILE",
    help="Spark event log, Rumen or SWIM trace, .jhist or WfCommons instance, or a folder of them; repeat [52 made-up "
    "queries].",
)
_Strict = typer.Option("--strict", help="One record of --jobs that is left out is an error.")
_KIND, _SIMULATED = "class-selection", "scheduling-simulation"
_PERIOD = typer.Option(
    min=2, max=366, metavar="DAYS", help="Of the backtest [the longest of 30, 7, 2 that fits twice]."
)


def characterise(
    ctx: typer.Context, folder: common.Folder, output: answers.Output = None, report: answers.Page = None
) -> None:
    """Shares of the patterns, how often servers are reimaged, how tenants move: the paper's Figures 1 to 6.

    Example: froude harvest characterise dc9 --report dc9.html
    """
    settings: Settings = ctx.obj
    answers.claim(settings, [folder], output, "datacenter-characteristics", report)

    def find(datacenter: Datacenter) -> answers.Answer:
        from froude.harvest.classify.characterise import characterise as look
        from froude.harvest.figures.tenants import characterise_report
        from froude.harvest.telemetry.profiles import PATTERNS

        found = look(datacenter)
        names = [pattern.value for pattern in PATTERNS]
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
                {
                    "tenant": tenant,
                    "pattern": names[pattern] if pattern >= 0 else None,
                    "samples_known": known,
                }
                for tenant, pattern, known in zip(
                    datacenter.tenants,
                    found.patterns.pattern.tolist(),
                    found.patterns.known.tolist(),
                    strict=True,
                )
            ],
        }
        return answers.Answer(
            "datacenter-characteristics", content, lambda facts: characterise_report(datacenter, found, facts)
        )

    common.finish(settings, folder, find, output, report)


def classify(
    ctx: typer.Context,
    folder: common.Folder,
    features: Annotated[
        str, typer.Option(help="folded (mean day or week) or spectrum (the paper's).")
    ] = "folded",
    classes: Annotated[
        str, typer.Option(metavar="P,C,U", help="How many periodic, constant, unpredictable; or auto.")
    ] = "13,5,5",
    period: Annotated[int | None, _PERIOD] = None,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """Utilisation classes, held against the next period and the next day.

    Example: froude harvest classify dc9 --classes auto --report classes.html
    """
    settings: Settings = ctx.obj
    answers.claim(settings, [folder], output, "utilisation-classes", report)
    common.require()
    how = grouping(features, classes)

    def find(datacenter: Datacenter) -> answers.Answer:
        from dataclasses import asdict

        from froude.base.seeds import Seeds
        from froude.harvest.classify.backtest import PERIODS, backtest, stability
        from froude.harvest.classify.classes import classify as group
        from froude.harvest.classify.classes import slots_a_day
        from froude.harvest.figures.classes import classes_report

        seeds = Seeds(settings.seed)
        days = datacenter.slots // slots_a_day(datacenter)
        with settings.progress().task("Making classes"):
            found = group(datacenter, seeds, how)
        with settings.progress().task("Holding them against the next period and the next day"):
            long_enough = days >= 2 * (period or PERIODS[-1])
            if period is not None and not long_enough:
                raise InputError(
                    "is too long", place="--period", found=period, allowed=f"at most {days // 2} days here"
                )
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
        return answers.Answer(
            "utilisation-classes",
            content,
            lambda facts: classes_report(datacenter, found, tests, stable, facts),
        )

    common.finish(settings, folder, find, output, report)


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


def grouping(features: str, classes: str) -> Grouping:
    """How classes are made, from flags.

    Args:
        features: of `--features`.
        classes: of `--classes`.

    Raises:
        InputError: one of them is none.
    """
    from froude.harvest.classify.classes import Features, Grouping
    from froude.harvest.telemetry.profiles import PATTERNS

    kind = member(Features, features, "--features")
    if classes == "auto":
        return Grouping(kind, None)
    numbers = classes.split(",")
    if len(numbers) != len(PATTERNS) or not all(
        n.isascii() and n.isdecimal() and 1 <= int(n) <= 999 for n in numbers
    ):
        raise InputError(
            "are no numbers of classes", place="--classes", found=classes, allowed="13,5,5 or auto"
        )
    return Grouping(kind, dict(zip(PATTERNS, map(int, numbers), strict=True)))


def schedule(
    ctx: typer.Context,
    folder: common.Folder,
    jobs: Annotated[list[Path], _Jobs],
    concurrency: Annotated[
        str,
        typer.Option(help="levels (the paper's breadth-first search) or runnable (the most at one time)."),
    ] = "levels",
    last: Annotated[
        str | None, typer.Option(metavar="TIME", help="How long the last run took [as recorded in the file].")
    ] = None,
    classes: Annotated[
        str, typer.Option(metavar="P,C,U", help="As of `harvest classify`; or auto.")
    ] = "13,5,5",
    strict: Annotated[bool, _Strict] = False,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """The class, or classes, that Algorithm 1 chooses for jobs: the node label to submit them with.

    Example: froude harvest schedule dc9 --jobs application_1.zstd
    """
    settings: Settings = ctx.obj
    answers.claim(settings, [folder, *jobs], output, _KIND, report)
    common.require()

    def find(datacenter: Datacenter) -> answers.Answer:
        from froude.base.seeds import Seeds
        from froude.harvest.classify.classes import classify
        from froude.harvest.figures.scheduling import Choice, schedule_report
        from froude.harvest.schedule.dags.graph import Concurrency
        from froude.harvest.schedule.dags.graph import concurrency as most
        from froude.harvest.schedule.selection import Thresholds, select

        how = member(Concurrency, concurrency, "--concurrency")
        known = None if last is None else parse_seconds(last, place="--last")
        graphs = _read(settings, jobs, strict=strict)
        found = classify(datacenter, Seeds(settings.seed), grouping("folded", classes))
        rooms, policy = _rooms(datacenter, found), _policy(datacenter)
        rng = Seeds(settings.seed).child("select").random()
        choices = []
        for graph in graphs:
            kind = Thresholds().type_of(graph.duration_s if known is None else known)
            request = most(graph, how)
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
        return answers.Answer(
            _KIND, content, lambda facts: schedule_report(found, rooms, choices, policy, facts)
        )

    common.finish(settings, folder, find, output, report)


def scheduling(
    ctx: typer.Context,
    folder: common.Folder,
    jobs: Annotated[list[Path] | None, _Jobs] = None,
    days: Annotated[
        float | None, typer.Option(min=0.1, max=366, help="The last ones [half of the history].")
    ] = None,
    runs: Annotated[
        int, typer.Option(min=1, max=1000, help="On this datacenter, each with arrivals of its own.")
    ] = 5,
    reserve_cores: Annotated[
        int, typer.Option("--reserve-cores", min=0, max=1024, help="Of each server.")
    ] = 4,
    batch_share: Annotated[
        float, typer.Option("--batch-share", help="Of all cores, that jobs would use; it scales them.")
    ] = 0.21,
    gap: Annotated[str, typer.Option(metavar="TIME", help="Mean time between jobs.")] = "300s",
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A scheduler; repeat [all].")] = None,
    fill: Annotated[
        bool,
        typer.Option("--fill", help="Fill gaps by the tenant's usual values, up to 20 % of its samples."),
    ] = False,
    strict: Annotated[bool, _Strict] = False,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """The same batch jobs beside primary tenants under each scheduler: stock, pt, proportional, h, forecast.

    Example: froude harvest simulate scheduling dc9 --days 7 --runs 3
    """
    settings: Settings = ctx.obj
    answers.claim(settings, [folder, *(jobs or [])], output, _SIMULATED, report)
    common.require()
    ranged("--batch-share", batch_share, 1e-4, 1.0)
    gap_s = parse_seconds(gap, place="--gap")
    ranged("--gap", gap_s, 3.0, 1e6)

    def find(datacenter: Datacenter) -> answers.Answer:
        from dataclasses import asdict

        from froude.base.seeds import Seeds
        from froude.harvest.classify.classes import slots_a_day
        from froude.harvest.figures.scheduling import scheduling_report
        from froude.harvest.simulate.jobs import drawn_jobs
        from froude.harvest.simulate.month import Scheduler, SchedulingSetting, month_of
        from froude.harvest.simulate.scheduling import compare

        named = [member(Scheduler, name, "--only") for name in only or ()]
        chosen = list(dict.fromkeys(named or Scheduler))
        seeds = Seeds(settings.seed)
        graphs = _read(settings, jobs, strict=strict, timed=True) if jobs else drawn_jobs(seeds.child("jobs"))
        span = days or datacenter.slots / slots_a_day(datacenter) / 2
        setting = SchedulingSetting(span, min(reserve_cores, datacenter.cores), gap_s, batch_share, fill=fill)
        month = month_of(datacenter, setting, seeds)
        said = f"{counted(runs, 'run')} of {span:g} days under {len(chosen)} schedulers"
        with settings.progress().task(said, runs * len(chosen)) as task:
            outcomes = compare(
                month, graphs, setting, seeds, schedulers=chosen, runs=runs,
                workers=settings.workers, done=counting(task, run_text),
            )  # fmt: skip
        content = {
            "foresight": month.foresight,
            "filled_samples": month.filled,
            "samples": month.datacenter.utilisation.size,
            "outcomes": [asdict(outcome) for outcome in outcomes],
        }
        return answers.Answer(_SIMULATED, content, lambda facts: scheduling_report(month, outcomes, facts))

    common.finish(settings, folder, find, output, report)


def run_text(outcome: Outcome) -> str:
    """What a run came to, beside the progress."""
    mean = "" if outcome.job_s is None else f", {outcome.job_s:,.0f} s each"
    return f"run {outcome.run + 1}, {outcome.scheduler}: {counted(outcome.done, 'job')} ended{mean}"


def _read(settings: Settings, files: list[Path], *, strict: bool, timed: bool = False) -> list[JobGraph]:
    from froude.harvest.schedule.dags.read import read_jobs

    graphs: list[JobGraph] = []
    for file in files:
        found = read_jobs(file, settings.note, settings.note, strict=strict)
        without = [graph.name for graph in found if not graph.work_s]
        if timed and without:
            raise InputError(
                "has jobs without the time of a task",
                file=file,
                found=f"{len(without):,} of {len(found):,}, such as {without[0]}",
                allowed="jobs with times, such as those of a Spark event log or a Rumen trace",
            )
        graphs += found
    return graphs


def _policy(datacenter: Datacenter) -> Policy:
    from froude.harvest.schedule.selection import Policy

    return Policy(datacenter.cores, datacenter.memory_mb)


def _rooms(datacenter: Datacenter, found: Classification) -> list[ClassRoom]:
    """Classes at the last slot that is known of each tenant."""
    import numpy as np

    from froude.harvest.schedule.selection import ClassRoom

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
