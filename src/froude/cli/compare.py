"""`froude compare`: is a candidate slower or faster than a baseline?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.cli import history as past
from froude.cli import inputs
from froude.cli.comparison import Written, show
from froude.cli.fields import Fields, Given, with_fields
from froude.cli.outputs import claim
from froude.cli.settings import Settings
from froude.documents.forms import FieldError
from froude.experiment.compare.measures import PRIMARY_TEXT
from froude.experiment.scenario.options import DuetComparing
from froude.experiment.scenario.scenario import Comparing

if TYPE_CHECKING:
    from froude.base.progress import Task
    from froude.experiment.compare.comparable import Sample


_MORE = {
    "margin": "Of a duet 0.1 is usual.",
    "primary": f"Of: {PRIMARY_TEXT}. Name it before the runs are made.",
}
_COMPARING = Fields(Comparing, "margin level primary limited", more=_MORE, optional=True)
_DUET = Fields(DuetComparing, "time_limit_s", optional=True)


@with_fields
def compare(
    ctx: typer.Context,
    *,
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
    comparing: Annotated[Given, _COMPARING],
    lasting: Annotated[Given, _DUET],
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

    settings: Settings = ctx.obj
    given = {**comparing, **lasting}
    _refuse({"tag": tag if history is None else ""}, "is for a history, and there is no --history")
    check_tag(tag)
    written = Written(output, report, markdown, history, tag)
    if history is not None and not (baseline or candidate or duet):
        others = {"output": output, "report": report, "markdown": markdown, "tag": tag, **given}
        _refuse(others, "is of a comparison, and none is made where --history is given alone")
        past.analyse(settings, history)
        return
    if duet is not None:
        runs_only = {"baseline": baseline, "candidate": candidate}
        runs_only |= {name: given.pop(name, None) for name in ("primary", "limited")}
        _refuse(runs_only, "is for runs, and --duet makes its own")
        from froude.cli.duet import compare_at_once

        compare_at_once(settings, duet, written, given)
        return
    _refuse(lasting, "is for a duet")
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
        found = compare_runs(baseline=samples[0], candidate=samples[1], **dict(Comparing(**comparing)))
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
        raise FieldError(why, names=(given.removesuffix("_s"),), remedy="Leave it out")


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
