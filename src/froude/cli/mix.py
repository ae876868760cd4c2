"""`froude mix`: several Workloads → one, whose jobs run in parallel."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from froude.base.errors import InputError
from froude.cli import inputs
from froude.cli.flags import TextOutput
from froude.cli.outputs import Output, claim
from froude.cli.settings import Settings
from froude.workload.mixture import mixture
from froude.workload.yaml_file import write_workload


def mix(
    ctx: typer.Context,
    workloads: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]WORKLOAD...",
            help="Files of workloads, or their names here, each with its name in the mixture [that of the file, of a "
            "workload.yaml that of its folder].",
        ),
    ],
    output: TextOutput = Path("mixture.yaml"),
) -> None:
    """Several Workloads → one, whose jobs run in parallel.

    Names of node types and scale variables begin with that of their workload; daemons, and the variables that their
    numbers follow, are one for all. How much of each job there is follows from the Scale of a play or a search.

    Example: froude mix upload=a.yaml read=b.yaml -o mixed.yaml
    """
    settings: Settings = ctx.obj
    files = _named(settings, workloads)
    claim(settings, [Output(output, "workload")], files.values())
    opened = {name: inputs.workload(settings, path) for name, path in files.items()}
    mixed = mixture({name: each.workload for name, each in opened.items()})
    if not settings.dry_run:
        write_workload(output, mixed, settings.origin([each.content for each in opened.values()]))
    variables = list(dict.fromkeys(name for scale in mixed.recorded.scales for name in scale))
    remarks = [finding.what for finding in mixed.findings]
    node_types = [each.name for each in mixed.node_types]
    settings.emit({"node_types": node_types, "variables": variables, "remarks": remarks})
    settings.out(f"Node types: {', '.join(node_types)}\nScale variables: {', '.join(variables)}")
    for remark in remarks:
        settings.out(f"note: {remark}")
    settings.out("Nothing written" if settings.dry_run else f"Workload written to {output}")


def _named(settings: Settings, texts: list[str]) -> dict[str, Path]:
    """The file of each workload by its name in the mixture."""
    files: dict[str, Path] = {}
    for text in texts:
        name, _, file = text.partition("=") if "=" in text else ("", "", text)
        path = inputs.place(settings, Path(file), "workload")
        # `mine` calls its file so, unless it gets another name.
        name = name or (path.resolve().parent.name if path.stem == "workload" else path.stem)
        if name in files:
            allowed = "another name for one of them, as NAME=WORKLOAD"
            raise InputError("names two workloads of the mixture", found=name, allowed=allowed)
        files[name] = path
    return files
