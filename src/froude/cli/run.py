"""`froude run`: an experiment that was written down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli import inputs
from froude.cli.inputs import as_fields, named
from froude.cli.play import MetricsPort

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.experiment.play.execution import Runner
    from froude.experiment.replay.heap import HeapRunner

_PLAYED = ("play", "dyno", "sweep")
"""Kinds whose plays tell Prometheus what goes on."""


def run(
    ctx: typer.Context,
    scenario: Annotated[
        Path,
        typer.Argument(
            metavar="SCENARIO", help="The scenario's YAML file, or the name of one that needs nothing."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Folder of a run, a sweep or a duet, file of a knee or of a law, whose page is beside it [run, "
            "sweep, duet, knee.json, heap.json]; Traces go to the workspace.",
        ),
    ] = None,
    metrics_port: MetricsPort = None,
) -> None:
    """An experiment that was written down: `froude scenario new KIND` writes one.

    It answers and ends as `froude play`, `froude knee`, `froude sweep` or `froude record` does. One that comes with
    Froude and needs nothing of the user's, such as heartbeat-burst, is run by its name. --dry-run says what it would do;
    --seed takes the place of the scenario's. A run keeps its scenario: `froude run RUN/scenario.yaml -o
    AGAIN` plays it again.

    Example: froude run scenario.yaml
    """
    from froude.experiment.runners import runner_of
    from froude.experiment.scenario.scenario import read_scenario
    from froude.experiment.scenario.shipped import ready

    settings: Settings = ctx.obj
    scenario = ready(scenario)
    asked = read_scenario(scenario).scenario.moved(lambda path: inputs.place(settings, path))
    if settings.asked_seed is not None:
        asked = asked.replaced(seed=settings.asked_seed)
    if metrics_port is not None and asked.kind not in _PLAYED:
        allowed = f"a scenario of kind {' or '.join(_PLAYED)}"
        raise InputError("is not for this kind", place="--metrics-port", found=asked.kind, allowed=allowed)
    with named(scenario):
        runner = runner_of(asked)
    with as_fields(scenario, asked):
        _perform(settings, runner, scenario, output, metrics_port)


def _perform(
    settings: Settings, runner: Runner, scenario: Path, output: Path | None, metrics_port: str | None
) -> None:
    """Perform an experiment as the command of its kind does.

    Raises:
        FroudeError: it cannot be performed.
        typer.Exit: as the command of its kind.
    """
    from froude.experiment.replay.dyno import DynoRunner
    from froude.experiment.replay.heap import HeapRunner
    from froude.experiment.runners import DuetRunner, KneeRunner, PlayRunner, RecordRunner, SweepRunner

    match runner:
        case PlayRunner():
            from froude.cli import play

            source = runner.source
            play.claim_run(settings, output or Path("run"), [scenario, source])
            play.perform(settings, runner, source, output or Path("run"), metrics_port)
        case DynoRunner():
            from froude.cli import play

            play.claim_run(settings, output or Path("run"), [scenario, *runner.sources])
            play.perform(settings, runner, scenario, output or Path("run"), metrics_port)
        case KneeRunner():
            from froude.cli import knee

            knee.claim_knee(settings, output or Path("knee.json"), [scenario, runner.source])
            inputs.note_edited(settings, runner.source, runner.opened)
            knee.perform(settings, runner, output or Path("knee.json"))
        case DuetRunner():
            from froude.cli import duet

            inputs.note_edited(settings, runner.source, runner.opened)
            duet.perform(settings, runner, [scenario], output or Path("duet"))
        case SweepRunner():
            from froude.cli import sweep

            with named(scenario):
                sweep.perform(settings, runner, [scenario], output or Path("sweep"), metrics_port)
        case HeapRunner():
            _measure_heap(settings, runner, scenario, output or Path("heap.json"))
        case RecordRunner():
            from froude.cli import record

            if output is not None:
                allowed = "`name` in the scenario's section `record`"
                raise InputError("has no place for Traces", place="--output", found=output, allowed=allowed)
            with named(scenario):
                record.perform(settings, runner)


def _measure_heap(settings: Settings, runner: HeapRunner, scenario: Path, output: Path) -> None:
    """Measure NameNodes, or say of which sizes, and show the law that they give."""
    from froude.cli import answers
    from froude.experiment.play.execution import Execution
    from froude.experiment.replay.heap import KIND

    page = output.with_suffix(".html")
    answers.claim(settings, [scenario], output, KIND, page)
    if settings.dry_run:
        sizes = ", ".join(f"{each:,}" for each in runner.sizes())
        settings.would(f"measure NameNodes with {sizes} files and folders, into {output} and {page}")
        return
    found = runner.run(Execution(output, settings.workspace, settings.progress(), settings.command))
    answers.finish(settings, found, inputs={}, output=output, report=page)
    settings.out(f"Written to {output}; its page is {page}")
