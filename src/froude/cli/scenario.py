"""`froude scenario`: write an experiment down."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.files import kind_of_place
from froude.cli.outputs import Output, claim, write

if TYPE_CHECKING:
    from froude.cli.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, help=__doc__)


@app.callback()
def scenario() -> None:
    """Write an experiment down, for `froude run`."""


@app.command("list", epilog="Example: froude scenario list")
def list_(ctx: typer.Context) -> None:
    """The kinds of experiments, and the scenarios that come with Froude."""
    from froude.cli.tables import aligned
    from froude.experiment.scenario.scenario import KINDS
    from froude.experiment.scenario.shipped import shipped

    settings: Settings = ctx.obj
    kinds = {name: str(kind.__doc__) for name, kind in KINDS.items()}
    settings.emit({"kinds": kinds, "shipped": dict(shipped())})
    for head, found in (("kind", kinds), ("ready-made", shipped())):
        settings.out(
            aligned([(head, "what it does" if head == "kind" else "what it asks"), *found.items()], words=2)
        )
        settings.out("")
    settings.out("`froude scenario new NAME` writes one of them")


@app.command(epilog="Example: froude scenario new play -o scenario.yaml")
def new(
    ctx: typer.Context,
    kind: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A kind, such as play, or a ready-made one, such as fair-lock."),
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="YAML", help="The file [standard output].")
    ] = None,
) -> None:
    """A commented scenario: of a kind with every field, or one that comes with Froude.

    As a kind stands, it plays the plan in the folder `plan`, searches for the knee of `workload.yaml`, records
    `./job.sh` on small clusters, replays `hdfs-audit.log` on an empty namespace (dyno), or varies another scenario
    (sweep), each beside the file. A comparison is a sweep of `replay.yaml`, which is written
    beside it where none is there: image and audit log are yours to fill in. A recording of ready jobs comes with the
    program that runs them. `froude scenario list` shows all.
    """
    from froude.experiment.runners import RUNNERS
    from froude.experiment.scenario.shipped import complete, files_of, shipped
    from froude.experiment.scenario.text import template

    settings: Settings = ctx.obj
    if kind not in {*RUNNERS, *shipped()}:
        message = "is no kind of experiment that can be run, and no scenario that is shipped"
        raise InputError(message, place="NAME", found=kind, allowed=[*RUNNERS, *shipped()])
    place = output or Path(f"{kind}.yaml")
    files = {place: template(kind)} if kind in RUNNERS else dict(files_of(kind, place))
    text, kept = files[place], [path for path in files if path != place and kind_of_place(path) is not None]
    files = {path: files[path] for path in files if path not in kept}
    claim(settings, [] if output is None else [Output(path, "scenario") for path in files])
    if output is None:
        settings.emit({"kind": kind, "scenario": text})
        if not settings.json:
            print(text, end="")  # as it is: no line of it is broken at a terminal's edge
    elif settings.dry_run:
        settings.would("write " + ", ".join(map(str, files)))
    else:
        write(files)
        for path in files:
            if path.suffix == ".py":
                path.chmod(0o777 & ~_umask())
        settings.emit({"kind": kind, "file": str(output)})
        companions = [path for path in files if path != place]
        if kind in shipped() and complete(kind):
            written = ", ".join(map(str, (output, *companions)))
            settings.out(f"Written: {written}; `froude run {output}` runs it as it is")
            companions = []
        else:
            settings.out(f"Written to {output}; `froude run {output}` runs it once its names are filled in")
        for path in (*companions, *kept):
            settings.out(f"It needs {path}{', which was there' if path in kept else ''}")


def _umask() -> int:
    """The permission bits that new files do not get; asking for it means setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
