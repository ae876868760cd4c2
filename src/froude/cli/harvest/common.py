"""What the harvesting commands share: what must be installed, a datacenter to read, how a command ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.cli import answers, needed

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.telemetry.datacenter import Datacenter

_NEEDED = ("networkx", "numba", "sklearn")
_WEB = ("fastapi", "uvicorn")

Folder = Annotated[
    Path,
    typer.Argument(metavar="DATACENTER", help="A folder that `harvest generate` or `harvest import` made."),
]


def require(*, web: bool = False) -> None:
    """Refuse to begin without the libraries of harvesting.

    Args:
        web: whether those of an API are needed, too.

    Raises:
        MissingError: one is not installed.
    """
    needed.require("harvest", *_NEEDED, *(_WEB if web else ()))


def finish(
    settings: Settings,
    folder: Path,
    find: Callable[[Datacenter], answers.Answer],
    output: Path | None,
    report: Path | None,
) -> None:
    """Read a datacenter, find an answer, write it to the places asked for, and show it.

    Args:
        output: place of the JSON.
        report: place of the page.
    """
    from froude.documents.lineage import content_of
    from froude.harvest.telemetry.files import META, read_datacenter

    require()
    answer = find(read_datacenter(folder))
    inputs = {str(folder): content_of(folder / META)}
    answers.finish(settings, answer, inputs=inputs, output=output, report=report)
