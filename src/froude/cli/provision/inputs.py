"""`froude provision check | convert`: the input files themselves."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli.outputs import XML_INPUTS, Output, claim, write
from froude.cli.provision import common
from froude.cli.provision.common import Files
from froude.cli.settings import Settings

if TYPE_CHECKING:
    from froude.provision.inputs.read import Parts


class Form(StrEnum):
    """What `convert` writes."""

    XML = "xml"
    YAML = "yaml"


def check(ctx: typer.Context, files: Files) -> None:
    """All errors of the inputs at once, each with file, line and field; ends with 3 when there are any.

    Example: froude provision check hardware.xml application.xml sla.xml
    """
    from froude.provision.inputs.read import read_parts
    from froude.provision.inputs.tree import FlawedInputError

    settings: Settings = ctx.obj
    try:
        parts = read_parts(files)
    except FlawedInputError as error:
        common.tell(settings, error)
        raise typer.Exit(common.EXIT_MISSED) from error
    warnings = _warnings(parts)
    settings.emit({"errors": [], "warnings": warnings, "found": _parts_given(parts)})
    for warning in warnings:
        settings.note(f"note: {warning}")
    settings.out(f"No errors; found {', '.join(_parts_given(parts)) or 'nothing'}")


def convert(
    ctx: typer.Context,
    files: Files,
    output: Annotated[Path, typer.Option("-o", "--output", help="A .xml or .yaml file.")],
    form: Annotated[Form | None, typer.Option(help="What to write [by the suffix].")] = None,
) -> None:
    """Inputs in one form → one file in the other; same names, same numbers.

    Example: froude provision convert hardware.xml application.xml sla.xml -o photoshare.yaml
    """
    from froude.provision.inputs.read import read_parts
    from froude.provision.inputs.tree import FlawedInputError
    from froude.provision.inputs.write import to_xml, to_yaml
    from froude.provision.inputs.yaml_form import MIGRATIONS
    from froude.workspace.document import with_lineage

    settings: Settings = ctx.obj
    claim(settings, [Output(output, MIGRATIONS.kind, mark=XML_INPUTS)], files)
    suffixes = {".xml": Form.XML, ".yaml": Form.YAML, ".yml": Form.YAML}
    wanted = form or suffixes.get(output.suffix)
    if wanted is None:
        raise InputError("has no suffix that tells its form", file=output, allowed=".xml, .yaml, or --form")
    try:
        parts = read_parts(files)
    except FlawedInputError as error:
        common.tell(settings, error)
        raise typer.Exit(common.EXIT_ERROR) from error
    if settings.dry_run:
        settings.would(f"write {output}")
        return
    how = common.origin(settings, files)
    text = to_xml(parts) if wanted is Form.XML else with_lineage(to_yaml(parts), MIGRATIONS, how)
    write({output: text})
    settings.emit({"output": str(output), "form": wanted.value, "found": _parts_given(parts)})
    settings.out(f"{', '.join(_parts_given(parts))} written to {output}")


def _parts_given(parts: Parts) -> list[str]:
    named = {"resources": parts.catalog, "application": parts.application, "sla": parts.sla}
    return [name for name, part in named.items() if part is not None]


def _warnings(parts: Parts) -> list[str]:
    """What is allowed and rarely meant."""
    warnings = []
    if parts.application and parts.options.peak_utilization == 1:
        warnings.append("peak_utilization is 1: storage has no headroom at the SLA's peak")
    if (
        parts.application
        and not parts.application.host_cores
        and any(d.remote for d in parts.application.datasets)
    ):
        warnings.append("no host element: storage servers need no cores and no memory of their own")
    return warnings
