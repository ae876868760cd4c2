"""`froude image`: what an FsImage holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from froude.cli.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, help=__doc__)

_FIGURES = ".figures.json"
"""Of the page; `.json` is free for the output."""


@app.callback()
def image() -> None:
    """What an FsImage holds."""


@app.command(epilog="Example: froude image show fsimage_0000000000000061740 --report image.html")
def show(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="IMAGE", help="An FsImage, as a NameNode saves it.")],
    hadoop: Annotated[
        str | None, typer.Option(help="A release that knows the image, or a folder of its jars [3.5.0].")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="JSON", help="The figures.")
    ] = None,
    report: Annotated[Path | None, typer.Option(metavar="HTML", help="A page of it.")] = None,
) -> None:
    """How large a namespace is, what its files are like, where they lie and whose they are."""
    from dataclasses import asdict

    from froude.base.scratch import Scratch
    from froude.cli.capture import schema_of
    from froude.cli.outputs import Output, claim, write
    from froude.cli.outputs import page as page_outputs
    from froude.cli.page_text import page_text
    from froude.experiment.figures.image import image_report
    from froude.hadoop.fsimage.container import open_image
    from froude.hadoop.fsimage.namespace import read_namespace
    from froude.hadoop.fsimage.summary import summarise_image
    from froude.render import report_files
    from froude.workspace.artifact import hash_file
    from froude.workspace.document import dump_sealed_figures
    from froude.workspace.migrate import Migrations

    settings: Settings = ctx.obj
    migrations = Migrations("image-summary", 1)
    wanted = [] if output is None else [Output(output, migrations.kind)]
    claim(settings, [*wanted, *page_outputs(report, _FIGURES)], [path])
    schema, _ = schema_of(hadoop, settings)
    opened = open_image(path, schema)
    with Scratch("image") as scratch, settings.progress().task(f"Reading {path.name}"):
        namespace = read_namespace(opened, schema, scratch, workers=settings.workers)
        summary = summarise_image(opened, schema, namespace)
    how = settings.origin([hash_file(path)])
    page = image_report(summary, {})
    figures = dump_sealed_figures(migrations, {"froude": migrations.stamp, **asdict(summary)}, how)
    files: dict[Path, bytes | str] = (
        {} if report is None else dict(report_files(page, report, suffix=_FIGURES, origin=how))
    )
    if output is not None:
        files[output] = figures
    if settings.dry_run and files:
        settings.would("write " + ", ".join(map(str, files)))
        return
    write(files)
    settings.emit(figures)
    settings.out(page_text(page))
