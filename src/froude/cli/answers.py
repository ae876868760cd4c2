"""How commands that find something end: figures as JSON, a page, and text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.cli import outputs
from froude.cli.ending import Code, end

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.documents.artifact import Origin
    from froude.render import Report
    from froude.render.answer import Answer

FIGURES = ".figures.json"
"""Suffix of a page's figures."""

Output = Annotated[Path | None, typer.Option("-o", "--output", metavar="JSON", help="The figures, as JSON.")]
Page = Annotated[Path | None, typer.Option("--report", metavar="HTML", help="A page of it.")]


def how(settings: Settings) -> dict[str, Any]:
    """Where chance begins, who works, and where progress is shown, as analyses take them."""
    return {"seed": settings.seed, "workers": settings.workers, "progress": settings.progress()}


def claim(
    settings: Settings,
    inputs: Sequence[Path | str | None],
    output: Path | None,
    kind: str,
    report: Path | None = None,
    others: Sequence[outputs.Output] = (),
) -> None:
    """Make sure that a command may write where it was told to; see `froude.cli.outputs.claim`.

    Args:
        kind: of its JSON at `output`.
        report: where its page goes; the figures stand beside it.
    """
    wanted = [] if output is None else [outputs.Output(output, kind)]
    outputs.claim(settings, [*wanted, *others, *outputs.page(report, FIGURES)], inputs)


def facts(settings: Settings, inputs: Iterable[str]) -> dict[str, str]:
    """What every page says of its making."""
    from froude.base.version import __version__

    return {"Inputs": ", ".join(inputs), "Seed": str(settings.seed), "Froude": __version__}


def page_files(page: Report, path: Path | None, how: Origin) -> dict[Path, str | bytes]:
    """The page and its figures, if a place for them is given.

    Args:
        path: of the page; None for none.
    """
    from froude.render import report_files

    return {} if path is None else dict(report_files(page, path, suffix=FIGURES, origin=how))


def finish(
    settings: Settings, answer: Answer, *, inputs: Mapping[str, str], output: Path | None, report: Path | None
) -> None:
    """Write an answer to the places asked for, and show it; on --dry-run it is shown alone.

    Args:
        inputs: content hashes of what was read, by the names that the user gave.

    Raises:
        typer.Exit: something was missed, with 3; or it was interrupted, with 130.
    """
    from froude.cli.page_text import page_text
    from froude.documents.lineage import dump_sealed_figures
    from froude.documents.migrate import Migrations

    how = settings.origin(list(inputs.values()), seeded=True)
    made = {**facts(settings, inputs), "Interrupted": answer.interrupted}
    page = answer.page({name: text for name, text in made.items() if text})
    text = dump_sealed_figures(Migrations(answer.kind, 1), answer.content, how)
    with settings.progress().task(f"drawing {report}") if report else nullcontext():
        files = page_files(page, report, how)
    if output is not None:
        files[output] = text
    if settings.dry_run and files:
        named = [str(path) for path in (output, report) if path is not None]
        settings.would("write " + ", ".join(named), **answer.content)
    else:
        outputs.write(files)
        settings.emit(text)
    settings.out(page_text(page))
    if answer.interrupted:
        kept = f": what was done is in {output}" if output is not None and not settings.dry_run else ""
        end(Code.INTERRUPTED, f"interrupted {answer.interrupted}{kept}")
    if answer.missed is not None:
        if answer.missed:
            settings.note(answer.missed)
        end(Code.MISSED)
