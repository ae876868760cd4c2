"""`froude harvest characterise`, `classify`, `schedule` and `simulate scheduling`: classes, and jobs on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.units import parse_seconds
from froude.cli import answers
from froude.cli.fields import Fields, Given, with_fields
from froude.cli.harvest import common
from froude.cli.inputs import member
from froude.harvest.simulate.settings import SchedulingSetting

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.classify.classes import Grouping
    from froude.harvest.schedule.dags.graph import JobGraph
    from froude.harvest.telemetry.datacenter import Datacenter
    from froude.render.answer import Answer

_Jobs = typer.Option(
    "--jobs",
    metavar="FILE",
    help="Spark event log, Rumen or SWIM trace, .jhist or WfCommons instance, or a folder of them; repeat [52 made-up "
    "queries].",
)
_Strict = typer.Option("--strict", help="One record of --jobs that is left out is an error.")
_SETTING = Fields(
    SchedulingSetting, "reserve_cores mean_gap_s batch_share fill", flags={"mean_gap_s": "--gap"}
)
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
    common.require()
    from froude.harvest import analyses

    answers.claim(settings, [folder], output, analyses.CHARACTERISTICS, report)
    common.answer(settings, folder, analyses.characteristics, output, report)


@with_fields
def classify(
    ctx: typer.Context,
    *,
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
    common.require()
    from froude.harvest import analyses

    answers.claim(settings, [folder], output, analyses.CLASSES, report)
    how, seed, progress = grouping(features, classes), settings.seed, settings.progress()
    common.answer(
        settings,
        folder,
        lambda dc: analyses.classes(dc, how, period=period, seed=seed, progress=progress),
        output,
        report,
    )


def grouping(features: str, classes: str) -> Grouping:
    """How classes are made, from flags.

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
    common.require()
    from froude.harvest import analyses
    from froude.harvest.schedule.dags.graph import Concurrency

    answers.claim(settings, [folder, *jobs], output, analyses.SELECTION, report)
    counted_by = member(Concurrency, concurrency, "--concurrency")
    last_s = None if last is None else parse_seconds(last, place="--last")
    how = grouping("folded", classes)

    def find(datacenter: Datacenter) -> Answer:
        graphs = _read(settings, jobs, strict=strict)
        return analyses.selection(
            datacenter, graphs, how, concurrency=counted_by, last_s=last_s, seed=settings.seed
        )

    common.answer(settings, folder, find, output, report)


@with_fields
def scheduling(
    ctx: typer.Context,
    *,
    folder: common.Folder,
    jobs: Annotated[list[Path] | None, _Jobs] = None,
    days: Annotated[
        float | None, typer.Option(min=0.1, max=366, help="The last ones [half of the history].")
    ] = None,
    runs: Annotated[
        int, typer.Option(min=1, max=1000, help="On this datacenter, each with arrivals of its own.")
    ] = 5,
    setting: Annotated[Given, _SETTING],
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A scheduler; repeat [all].")] = None,
    strict: Annotated[bool, _Strict] = False,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """The same batch jobs beside primary tenants under each scheduler: stock, pt, proportional, h, forecast.

    Example: froude harvest simulate scheduling dc9 --days 7 --runs 3
    """
    settings: Settings = ctx.obj
    common.require()
    from froude.harvest import analyses
    from froude.harvest.simulate.month import Scheduler

    answers.claim(settings, [folder, *(jobs or [])], output, analyses.SCHEDULING, report)
    chosen = [member(Scheduler, name, "--only") for name in only or ()]

    def find(datacenter: Datacenter) -> Answer:
        graphs = _read(settings, jobs, strict=strict, timed=True) if jobs else None
        return analyses.scheduling(
            datacenter, graphs, days=days, schedulers=chosen, runs=runs, **answers.how(settings), **setting
        )

    common.answer(settings, folder, find, output, report)


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
