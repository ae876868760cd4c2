"""What the harvesting commands share: what must be installed, a datacenter to read, how a command ends."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.documents import STAMP
from froude.base.errors import InputError, MissingError
from froude.base.units import parse_seconds
from froude.cli import outputs

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.telemetry.datacenter import Datacenter
    from froude.render import Report

FIGURES = ".figures.json"
"""Suffix of a page's figures."""
_NEEDED = ("networkx", "numba", "polars", "sklearn")
_WEB = ("fastapi", "uvicorn")

Folder = Annotated[
    Path,
    typer.Argument(metavar="DATACENTER", help="A folder that `harvest generate` or `harvest import` made."),
]
Output = Annotated[Path | None, typer.Option("-o", "--output", metavar="JSON", help="The figures, as JSON.")]
Page = Annotated[Path | None, typer.Option("--report", metavar="HTML", help="A page of it.")]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found."""

    kind: str
    """Of the document."""
    content: Mapping[str, Any]
    """Its fields."""
    page: Callable[[Mapping[str, str]], Report]
    """The page, from the facts of its making."""


def require(*, web: bool = False) -> None:
    """Refuse to begin without the libraries of harvesting.

    Args:
        web: whether those of an API are needed, too.

    Raises:
        MissingError: one is not installed.
    """
    missing = [name for name in (*_NEEDED, *(_WEB if web else ())) if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingError(f"{missing[0]} is not installed", remedy="pip install 'froude[harvest]'")


def finish(
    settings: Settings,
    folder: Path,
    find: Callable[[Datacenter], Answer],
    output: Path | None,
    report: Path | None,
) -> None:
    """Read a datacenter, find an answer, write it to the places asked for, and show it.

    Args:
        settings: global flags.
        folder: of the datacenter.
        find: makes the answer.
        output: place of the JSON.
        report: place of the page.
    """
    from froude.base.version import __version__
    from froude.cli.page_text import page_text
    from froude.harvest.telemetry.files import META, read_datacenter
    from froude.render import report_files
    from froude.workspace.document import content_of, dump_sealed_figures
    from froude.workspace.migrate import Migrations

    require()
    datacenter = read_datacenter(folder)
    answer = find(datacenter)
    migrations = Migrations(answer.kind, 1)
    how = settings.origin([content_of(folder / META)], seeded=True)
    page = answer.page({"Datacenter": str(folder), "Seed": str(settings.seed), "Froude": __version__})
    text = dump_sealed_figures(migrations, {STAMP: migrations.stamp, **answer.content}, how)
    files: dict[Path, str | bytes] = (
        {} if report is None else dict(report_files(page, report, suffix=FIGURES, origin=how))
    )
    if output is not None:
        files[output] = text
    if settings.dry_run and files:
        settings.would("write " + ", ".join(map(str, files)))
        return
    outputs.write(files)
    settings.emit(text)
    settings.out(page_text(page))


def claim(
    settings: Settings,
    folder: Path,
    output: Path | None,
    kind: str,
    report: Path | None,
    others: Sequence[Path] = (),
) -> None:
    """Make sure that a command may write where it was told to.

    Args:
        settings: global flags.
        folder: that it reads.
        output: place of the JSON.
        kind: of that.
        report: place of the page.
        others: further files that it reads.
    """
    wanted = [] if output is None else [outputs.Output(output, kind)]
    outputs.claim(settings, [*wanted, *outputs.page(report, FIGURES)], [folder, *others])


def ranged(flag: str, value: float, low: float, high: float) -> None:
    """Refuse a number that is not between two; both are allowed.

    Args:
        flag: its name, for the error.
        value: as the user gave it.
        low: the least that is allowed.
        high: the most that is allowed.

    Raises:
        InputError: it lies outside.
    """
    if not low <= value <= high:
        raise InputError("is out of range", place=flag, found=value, allowed=f"{low:g} to {high:g}")


def seconds(flag: str, text: str) -> float:
    """A time such as `30s` or `10min`.

    Args:
        flag: its name, for the error.
        text: as the user gave it.

    Returns:
        Seconds, above 0.

    Raises:
        InputError: it is none.
    """
    try:
        return parse_seconds(text)
    except InputError as error:
        raise InputError(error.message, place=flag, found=error.found, allowed=error.allowed) from error
