"""`froude compare`: is a candidate slower or faster than a baseline?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli import history as past
from froude.cli import inputs
from froude.cli.comparison import Written, show
from froude.cli.numbers import finite
from froude.cli.outputs import claim
from froude.cli.settings import Settings

if TYPE_CHECKING:
    from froude.base.progress import Task
    from froude.experiment.compare.comparable import Sample


def compare(
    ctx: typer.Context,
    baseline: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUN...", help="Runs of what is compared with; folders, or names here."),
    ] = None,
    candidate: Annotated[
        list[Path] | None, typer.Option(metavar="RUN...", help="Runs of what is judged, of the same load.")
    ] = None,
    duet: Annotated[
        Path | None,
        typer.Option(
            metavar="SCENARIO",
            help="Instead of runs: a scenario of kind duet, which runs baseline and candidate at the same time.",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            max=1,
            callback=finite,
            help="Share by which a candidate may differ and still count as the same [0.05; of a duet, 0.1].",
        ),
    ] = None,
    level: Annotated[
        float | None,
        typer.Option(
            min=0.0001,
            max=0.5,
            callback=finite,
            help="Chance of one false difference or more among all measures that decide [0.05].",
        ),
    ] = None,
    time_limit: Annotated[
        str | None, typer.Option(help="Longest time for which a duet calls both, such as '40 min' [10 min].")
    ] = None,
    primary: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE",
            help="Measure to which half of that chance is given: mean, p50 or p99, of all calls or of a method as "
            "'p99(addBlock)'; throughput, errors, 'CPU per call' [mean]. Name it before the runs are made.",
        ),
    ] = None,
    limited: Annotated[
        bool, typer.Option("--limited", help="Runs that player or busy machine limited count as well.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File of the comparison, JSON; of a duet, its folder [duet]."),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="An HTML page with every interval.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A Markdown file for the comment of a pull request.")
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV table to which a line of the candidate is added; without runs, its change points are named by "
            "Apache Otava ($FROUDE_OTAVA, or otava on the PATH).",
        ),
    ] = None,
    tag: Annotated[
        str, typer.Option(help="What is compared, such as a commit; a column of the history.")
    ] = "",
) -> None:
    """Is a candidate slower, faster, the same, or can nobody tell yet? From repeated runs of two arms.

    A run counts once, however many calls it made: three runs of each arm at least. Compared are latency of all calls
    and of each method, throughput, errors and CPU time for a call; what the NameNode reports of garbage collection,
    locks and queues explains. Ends with 3 where the candidate is worse. Runs that failed, were interrupted, or were
    limited by player or machine are left out, and said; runs of other loads are refused.

    With --duet nothing has to be played before: two NameNodes, or ResourceManagers, are started and called at the same
    time with one workload. Both are compared in slices of the same seconds, which cancels out what other work does to
    the machine; five looks at most, and a verdict that is clear ends it. `froude scenario new duet` writes its scenario.

    --history alone names the change points of earlier comparisons, and ends with 0.

    Example: froude compare --baseline old-1 old-2 old-3 --candidate new-1 new-2 new-3 --report compare.html
    Example: froude compare --duet duet.yaml --time-limit '10 min' --report duet.html
    Example: froude compare --history runs.csv
    """
    from froude.documents.artifact import Origin
    from froude.documents.lineage import content_of
    from froude.experiment.compare.compare import compare as compare_runs
    from froude.experiment.compare.history import check_tag
    from froude.experiment.compare.measures import DEFAULT_LEVEL, DEFAULT_MARGIN, DEFAULT_PRIMARY

    settings: Settings = ctx.obj
    _refuse({"--tag": tag if history is None else ""}, "is for a history, and there is no --history")
    check_tag(tag)
    written = Written(output, report, markdown, history, tag)
    if history is not None and not (baseline or candidate or duet):
        flags: dict[str, object] = {
            "--output": output,
            "--report": report,
            "--markdown": markdown,
            "--tag": tag,
        }
        flags |= {"--margin": margin, "--level": level, "--primary": primary, "--limited": limited}
        flags["--time-limit"] = time_limit
        _refuse(flags, "is of a comparison, and none is made where --history is given alone")
        past.analyse(settings, history)
        return
    if duet is not None:
        from froude.cli.duet import compare_at_once

        runs_only = {
            "--baseline": baseline,
            "--candidate": candidate,
            "--primary": primary,
            "--limited": limited,
        }
        _refuse(runs_only, "is for runs, and --duet makes its own")
        compare_at_once(settings, duet, written, margin=margin, level=level, time_limit=time_limit)
        return
    _refuse({"--time-limit": time_limit}, "is for a duet")
    if not baseline or not candidate:
        missing = "--candidate" if baseline else "--baseline"
        hint = "is missing: runs of both arms, or --duet SCENARIO"
        raise typer.BadParameter(hint, param_hint=missing)
    arms = [[inputs.place(settings, path, "run") for path in arm] for arm in (baseline, candidate)]
    claim(settings, written.places, [path for arm in arms for path in arm])
    with settings.progress().task("reading runs", sum(map(len, arms))) as task:
        samples = [_samples(arm, task) for arm in arms]
    if settings.dry_run:
        settings.would(f"compare {len(arms[0])} and {len(arms[1])} runs")
        return
    with settings.progress().task(f"comparing {len(arms[0])} and {len(arms[1])} runs"):
        found = compare_runs(
            baseline=samples[0],
            candidate=samples[1],
            margin=DEFAULT_MARGIN if margin is None else margin,
            level=DEFAULT_LEVEL if level is None else level,
            primary=primary or DEFAULT_PRIMARY,
            limited=limited,
        )
    hashes = tuple(content_of(path) for arm in arms for path in arm)
    begun_s = max(each.run.begun_at_s for each in samples[1])
    environment = samples[0][0].run.environment
    show(settings, found, Origin(settings.command, hashes), written, environment, begun_s)


def _refuse(flags: Mapping[str, object], why: str) -> None:
    """Refuse flags that have no meaning here.

    Raises:
        InputError: one was given.
    """
    given = next((name for name, value in flags.items() if value), None)
    if given is not None:
        raise InputError(why, place=given, remedy="Leave it out")


def _samples(paths: Sequence[Path], task: Task) -> list[Sample]:
    from froude.emulation.run.files import read_run
    from froude.experiment.compare.comparable import Sample

    samples = []
    for path in paths:
        with inputs.named(path):
            samples.append(Sample(str(path), read_run(path)))
        task.say(str(path))
        task.advance()
    return samples
