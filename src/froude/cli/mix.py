"""`froude mix`: several Workloads → one, whose jobs run in parallel."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from froude.base.errors import InputError
from froude.cli import inputs
from froude.cli.outputs import Output, claim
from froude.cli.settings import Settings
from froude.workload.mixture import mixture
from froude.workload.remarks import remarks_on_scale
from froude.workload.yaml_file import write_workload

_DEFAULT = "workload"
"""The stem that `mine` gives its file: that of the folder says more."""


def mix(
    ctx: typer.Context,
    workloads: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]WORKLOAD...",
            help="Files of workloads, or their names here, each with its name in the mixture [that of the file, or of "
            "the folder of a workload.yaml].",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to write.")] = Path("mixture.yaml"),
) -> None:
    """Several Workloads → one, whose jobs run in parallel.

    Node types and scale variables of each get its name as a prefix; daemons, and what their number follows, are one
    for all. How much there is of each job is given where the mixture is played.

    Example: froude mix upload=a.yaml read=b.yaml -o mixed.yaml

    Example: froude knee mixed.yaml --raise upload_clients --raise read_clients
    """
    settings: Settings = ctx.obj
    files = _named(settings, workloads)
    claim(settings, [Output(output, "workload")], files.values())
    opened = {name: inputs.workload(settings, path) for name, path in files.items()}
    mixed = mixture({name: each.workload for name, each in opened.items()})
    if not settings.dry_run:
        write_workload(output, mixed, settings.origin([each.content for each in opened.values()]))
    variables = list(dict.fromkeys(name for scale in mixed.recorded.scales for name in scale))
    remarks = [*(finding.what for finding in mixed.findings), *remarks_on_scale(mixed)]
    node_types = [each.name for each in mixed.node_types]
    settings.emit({"node_types": node_types, "variables": variables, "remarks": remarks})
    settings.out(f"node types: {', '.join(node_types)}\nscale variables: {', '.join(variables)}")
    for remark in remarks:
        settings.out(f"note: {remark}")
    settings.out("Nothing written" if settings.dry_run else f"Workload written to {output}")


def _named(settings: Settings, texts: list[str]) -> dict[str, Path]:
    """The file of each workload by its name in the mixture."""
    files: dict[str, Path] = {}
    for text in texts:
        name, equals, file = text.rpartition("=")
        path = inputs.place(settings, Path(file), "workload")
        if not equals:
            name = path.resolve().parent.name if path.stem == _DEFAULT else path.stem
        if name in files:
            allowed = "another name for each, as in NAME=WORKLOAD"
            raise InputError("two workloads have one name in the mixture", found=name, allowed=allowed)
        files[name] = path
    return files
