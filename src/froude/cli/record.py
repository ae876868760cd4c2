"""`froude record`: a command of one's own on small real clusters → Traces."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import FroudeError, InputError
from froude.base.files import kind_of_place
from froude.base.summary import counted
from froude.cli.fields import Fields, Given, with_fields
from froude.cli.settings import Settings
from froude.cli.terminal import visible
from froude.experiment.scenario.options import ReleaseTarget
from froude.experiment.scenario.scenario import Recording, RecordScenario

if TYPE_CHECKING:
    from froude.base.units import Quantity
    from froude.documents.store import Workspace
    from froude.experiment.main_job import Recorded
    from froude.experiment.own_job import OwnJob
    from froude.experiment.runners import RecordRunner
    from froude.workload.scale import Scale

_TAIL_LINES = 20


_FLAGS = {"properties": "--conf", "intervals": "--interval", "faults": "--fault"}
_RECORDING = Fields(
    Recording,
    "cross name repeats timeout_s settle_s replication properties intervals faults fresh",
    flags=_FLAGS,
)


@with_fields
def record(
    ctx: typer.Context,
    *,
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- COMMAND",
            help="What to run; {files} becomes that variable's value, {{print}} stays as {print}.",
        ),
    ],
    datanodes: Annotated[str, typer.Option(metavar="N,N,...", help="DataNodes of each run.")] = "3",
    nodemanagers: Annotated[
        str, typer.Option(metavar="N,N,...", help="NodeManagers of each run; with any, YARN runs, too.")
    ] = "0",
    scale: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=V,V,...", help="A variable's value in each run; repeatable."),
    ] = None,
    recording: Annotated[Given, _RECORDING],
    target: Annotated[Given, Fields(ReleaseTarget, "release")],
) -> None:
    """Run a job of yours on small real clusters, and record every call → Traces.

    For each run a NameNode and DataNodes are started on this machine, with a proxy before the NameNode that records
    all of them. The command finds them by `hdfs` and `hadoop` on its PATH, by HADOOP_CONF_DIR, or by FS_DEFAULT_NAME
    (hdfs://HOST:PORT). {datanodes} and the variables in it are replaced; sizes by bytes, times by seconds.
    With --nodemanagers a ResourceManager, a JobHistoryServer and NodeManagers run, too, and are recorded; the command
    finds `yarn` and `mapred`, and ready jobs: `yarn examples`, `yarn streaming`, `yarn distcp`.
    What it prints is kept beside the Trace. Choose sizes that do not rise together, in more runs than there are
    variables: what is recorded last says which small run is still missing. A run to hold the workload against, which
    is not mined, is named --name check.

    Example: froude record --datanodes 2,3,4,3 --scale clients=2,4,3,10 --scale files=5,12,8,4 -- ./job.sh {clients} {files}
    """  # noqa: E501 - an example is one line
    from froude.experiment.runners import RecordRunner
    from froude.experiment.scenario.run_lists import DATANODES, NODEMANAGERS

    settings: Settings = ctx.obj
    lists = _lists(datanodes, nodemanagers, scale or [], cross=recording["cross"])
    scenario = RecordScenario(
        target=ReleaseTarget(**target),
        record=Recording(
            command=tuple(command),
            datanodes=tuple(int(each.value) for each in lists.pop(DATANODES)),
            nodemanagers=tuple(int(each.value) for each in lists.pop(NODEMANAGERS, ())),
            scales={variable: tuple(values) for variable, values in lists.items()},
            **recording,
        ),
        seed=settings.seed,
    )
    perform(settings, RecordRunner.of(scenario))


def perform(settings: Settings, runner: RecordRunner) -> None:
    """Record the runs of a scenario, or say what would be recorded, and show what came of it.

    Raises:
        FroudeError: it cannot be recorded.
    """
    from froude.documents.store import Workspace
    from froude.experiment.own_job import recorded_before, typed, variation_lines
    from froude.experiment.play.execution import Execution

    runner.check()
    job, scales, again = runner.job, runner.scales, _again(settings, runner.scenario)
    for variable in job.unused(scales[0]):
        settings.note(
            f"note: the command has no {{{variable}}}: does it learn its {variable} in another way?"
        )
    runner.claim(settings.workspace)
    around = Workspace.around(settings.workspace)
    if settings.dry_run:
        before = {} if around is None else recorded_before(around, job)
        _show_plan(settings, job, scales, variation_lines(job, [*_mined(before).values(), *scales], again))
        return
    workspace = Workspace.begin(settings.workspace)
    before = recorded_before(workspace, job)
    if len(scales) > 1 and not settings.json:
        lines = variation_lines(job, [*_mined(before).values(), *scales], again)
        for line in lines:
            settings.note(line if line.startswith(" ") else f"note: {line}")
    execution = Execution(workspace.folder, settings.workspace, settings.progress(), settings.command)
    done = _record(settings, workspace, runner.run(execution), lambda rest: typed(job, scales[rest:], again))
    recorded = {**before, **{each.path.name: each.trace.meta.scale for each in done}}
    mined = _mined(recorded)
    lines = variation_lines(job, list(mined.values()), again)
    settings.emit({"recorded": [_document(each) for each in done], "advice": lines})
    lines = [*lines, f"Mine them: froude mine {' '.join(mined)}"]
    lines += [f"Then check: froude trace diff workload.yaml {name}" for name in recorded if name not in mined]
    settings.out("\n".join(lines))


def _again(settings: Settings, scenario: RecordScenario) -> list[str]:
    """The flags of a command line that records another run."""
    flags = {
        "workspace": settings.workspace,
        "replication": scenario.record.replication,
        "release": scenario.target.release,
    }
    given = [
        word for flag, value in flags.items() if value != _USUAL[flag]() for word in (f"--{flag}", str(value))
    ]
    given += [f"--conf={key}={value}" for key, value in scenario.record.properties.items()]
    given += [f"--interval={method}={every_s:g}s" for method, every_s in scenario.record.intervals.items()]
    given += [f"--fault={text}" for text in scenario.record.faults]
    return ["--fresh"] * scenario.record.fresh + given


def _mined(recorded: Mapping[str, Mapping[str, Quantity]]) -> Mapping[str, Mapping[str, Quantity]]:
    """Of recorded Traces those to mine: all but those that are named as a check, unless there are no others."""
    from froude.experiment.own_job import is_check

    return {name: scale for name, scale in recorded.items() if not is_check(name)} or recorded


_USUAL: Mapping[str, Callable[[], object]] = {
    "workspace": Path.cwd,
    "replication": lambda: 2,
    "release": lambda: None,
}
"""What stands for a flag that was not given."""


def _lists(datanodes: str, nodemanagers: str, scale: list[str], *, cross: bool) -> dict[str, list[Quantity]]:
    """The values of each variable; what is wrong with them is a matter of usage."""
    from froude.experiment.scenario.run_lists import parse_lists, scales_of

    try:
        lists = parse_lists(datanodes, scale, nodemanagers)
        scales_of(lists, cross=cross)
    except InputError as error:
        raise typer.BadParameter(str(error)) from error
    return lists


def _show_plan(settings: Settings, job: OwnJob, scales: Sequence[Scale], lines: Sequence[str]) -> None:
    """What --dry-run says: each run, and what they could not tell apart."""
    from froude.experiment.own_job import command_line

    runs = [(str(scale), command_line(job.at(scale))) for scale in scales]
    settings.would(
        f"record {counted(len(runs), 'run')}:",
        runs=[{"scale": scale, "command": words} for scale, words in runs],
        advice=list(lines),
    )
    settings.out("\n".join([*(f"  {scale}: {words}" for scale, words in runs), *lines]))


def _record(
    settings: Settings,
    workspace: Workspace,
    runs: Iterator[Recorded],
    rest: Callable[[int], str],
) -> list[Recorded]:
    """Record every run and show it; where one fails or Ctrl-C comes, what is kept, and how to go on.

    Args:
        rest: the command line of the runs from a number on.
    """
    from froude.experiment.own_job import failed_output

    done: list[Recorded] = []
    try:
        for recorded in runs:
            done.append(recorded)
            settings.out(_line(recorded))
            for doubt in _doubts(recorded):
                settings.note(f"note: {doubt}")
    except (FroudeError, KeyboardInterrupt) as error:
        if isinstance(error, FroudeError):
            _show_end(settings, error, failed_output(workspace))
        if done:
            kept = ", ".join(each.path.name for each in done)
            settings.note(f"kept: {kept}; the rest: {rest(len(done))}")
        raise
    return done


def _show_end(settings: Settings, error: FroudeError, output: Path) -> None:
    """Put the last lines of what a command printed before its error, or into it where that is a document."""
    if kind_of_place(output) != "a file" or not output.stat().st_size:
        return
    tail = "\n".join(output.read_text(errors="replace").splitlines()[-_TAIL_LINES:])
    error.remedy = f"All that it printed is in {_near(output)}"
    if settings.json:
        error.found = tail
    else:
        print(visible(tail), file=sys.stderr)


def _line(recorded: Recorded) -> str:
    from froude.experiment.own_job import output_of
    from froude.trace.roles import in_words, seen

    scale = ", ".join(f"{name}={quantity}" for name, quantity in recorded.trace.meta.scale.items())
    number = len(recorded.trace.calls)
    calls = f"{number:,} call{'' if number == 1 else 's'} of {in_words(seen(recorded.trace))}"
    return f"{recorded.path.name}  {scale}: {calls}; it printed {_near(output_of(recorded.path))}"


def _near(path: Path) -> Path:
    """The path as one would type it here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _doubts(recorded: Recorded) -> Iterator[str]:
    """What makes a recording other than it should be."""
    from froude.trace.roles import CLIENT, seen

    if not seen(recorded.trace)[CLIENT]:
        yield (
            "the command called no NameNode: it finds the cluster by `hdfs` on its PATH, by HADOOP_CONF_DIR, or by "
            "FS_DEFAULT_NAME"
        )
    elif unseen := recorded.closure.lines_without_call:
        first = f"{unseen[0].command} {unseen[0].src or ''}"
        yield (
            f"{counted(len(unseen), 'operation')} of the NameNode's audit log came by no recorded call, such as "
            f"{first.strip()}: by HTTP, as of fsck and WebHDFS, or by a call whose name in the log is not known here"
        )
    if unreadable := recorded.trace.meta.loss.unreadable:
        yield unreadable
    elif lost := recorded.trace.meta.loss.total:
        yield f"{lost} calls or connections could not be recorded whole"


def _document(recorded: Recorded) -> dict[str, object]:
    from froude.experiment.own_job import output_of
    from froude.trace.roles import seen

    return {
        "name": recorded.path.name,
        "trace": str(recorded.path),
        "output": str(output_of(recorded.path)),
        "scale": {name: str(quantity) for name, quantity in recorded.trace.meta.scale.items()},
        "calls": len(recorded.trace.calls),
        "seen": seen(recorded.trace),
        "closed": recorded.closure.closed,
    }
