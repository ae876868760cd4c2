"""What the harvesting commands share: what must be installed, a datacenter to read, how a command ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.cli import answers, needed
from froude.cli.numbers import finite

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.place.policies import Policy
    from froude.harvest.telemetry.datacenter import Datacenter
    from froude.render.answer import Answer

_NEEDED = ("networkx", "numba", "sklearn")
_WEB = ("fastapi", "uvicorn")

Folder = Annotated[
    Path,
    typer.Argument(metavar="DATACENTER", help="A folder that `harvest generate` or `harvest import` made."),
]
NameNode = Annotated[str, typer.Option("--namenode", metavar="HOST:PORT", help="Its RPC server.")]
Runs = Annotated[int, typer.Option(min=1, max=1000, help="On this datacenter, each with chance of its own.")]
Fill = Annotated[
    float,
    typer.Option(min=0.001, max=1, callback=finite, metavar="SHARE", help="Of the space that blocks take."),
]
Interval = Annotated[str, typer.Option(metavar="TIME", help="From one look to the next.")]
Samples = Annotated[int | None, typer.Option(min=1, help="Then it ends [never].")]
PriorState = Annotated[
    Path, typer.Option("--state", metavar="JSON", help="What was there before, for `harvest rollback`.")
]
User = Annotated[str | None, typer.Option(metavar="NAME", help="Who asks [HADOOP_USER_NAME, or you].")]


def require(*, web: bool = False) -> None:
    """Refuse to begin without the libraries of harvesting.

    Raises:
        MissingError: one is not installed.
    """
    needed.require("harvest", *_NEEDED, *(_WEB if web else ()))


def answer(
    settings: Settings,
    folder: Path,
    find: Callable[[Datacenter], Answer],
    output: Path | None,
    report: Path | None,
) -> None:
    """Read a datacenter, find an answer, write it to the places asked for, and show it."""
    from froude.documents.lineage import content_of
    from froude.harvest.telemetry.files import META, read_datacenter

    found = find(read_datacenter(folder))
    inputs = {str(folder): content_of(folder / META)}
    answers.finish(settings, found, inputs=inputs, output=output, report=report)


def chosen_policies(names: list[str] | None, distinct: str | None) -> list[Policy]:
    """Policies by name, and one of a user's own.

    Args:
        names: of those that are known; none for all, unless `distinct` is given.
        distinct: attributes with commas between, a question mark after a soft one.

    Raises:
        InputError: a name or an attribute is not known.
    """
    from froude.harvest.place.policies import PRESETS, constrained, preset

    chosen = [preset(name) for name in names or []]
    if distinct is not None:
        parts = [part.strip() for part in distinct.split(",") if part.strip()]
        soft = [part.rstrip("?") for part in parts if part.endswith("?")]
        chosen.append(constrained([part.rstrip("?") for part in parts], soft))
    return chosen or list(PRESETS)
