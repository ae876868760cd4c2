"""`froude scenario`: write an experiment down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli.outputs import Output, claim, write

if TYPE_CHECKING:
    from froude.cli.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, help=__doc__)


@app.callback()
def scenario() -> None:
    """Write an experiment down, for `froude run`."""


@app.command(epilog="Example: froude scenario new play -o scenario.yaml")
def new(
    ctx: typer.Context,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="Of the experiment, such as play.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="YAML", help="The file [standard output].")
    ] = None,
) -> None:
    """A commented scenario with every field of its kind, to be filled in.

    As it stands it plays the plan in the folder `plan`, searches for the knee of `workload.yaml`, or records `./job.sh`
    on small clusters, each beside the file.
    """
    from froude.experiment.runners import RUNNERS
    from froude.experiment.scenario_text import template

    settings: Settings = ctx.obj
    if kind not in RUNNERS:
        message = "is no kind of experiment that can be run"
        raise InputError(message, place="KIND", found=kind, allowed=", ".join(RUNNERS))
    claim(settings, [] if output is None else [Output(output, "scenario")])
    text = template(kind)
    if output is None:
        settings.emit({"kind": kind, "scenario": text})
        if not settings.json:
            print(text, end="")  # as it is: no line of it is broken at a terminal's edge
    elif settings.dry_run:
        settings.would(f"write {output}")
    else:
        write({output: text})
        settings.emit({"kind": kind, "file": str(output)})
        settings.out(f"Written to {output}; `froude run {output}` runs it once its names are filled in")
