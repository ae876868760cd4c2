"""`froude provision check | convert`: the input files themselves."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli.ending import Code, end, print_error
from froude.cli.outputs import Output, claim, write
from froude.cli.provision import common
from froude.cli.provision.common import Files
from froude.cli.settings import Settings

if TYPE_CHECKING:
    from froude.provision.check.checker import Verdict
    from froude.provision.inputs.read import Parts
    from froude.provision.types import Problem


class Form(StrEnum):
    """What `convert` writes."""

    XML = "xml"
    YAML = "yaml"


def check(
    ctx: typer.Context,
    files: Files,
    cluster: Annotated[
        Path | None,
        typer.Option(
            help="A plan, or YAML that names servers, to hold against the inputs; may stand among them."
        ),
    ] = None,
) -> None:
    """All errors of the inputs at once, each with file, line and field; of a plan, every constraint that it breaks.

    Ends with 3 when there are any.

    Example: froude provision check photoshare-calibrated --cluster plan.json
    """
    from froude.provision.inputs.read import read_parts
    from froude.provision.inputs.tree import FlawedInputError

    settings: Settings = ctx.obj
    inputs, cluster = _apart(files, cluster)
    try:
        parts = read_parts(inputs)
    except FlawedInputError as error:
        print_error(error, as_json=settings.json)
        end(Code.MISSED)
    warnings, given = _warnings(parts), _parts_given(parts)
    verdict = None if cluster is None else _judged(parts.problem(", ".join(inputs)), cluster)
    broken = [] if verdict is None else [str(violation) for violation in verdict.violations]
    settings.emit({"errors": broken, "warnings": warnings, "found": given})
    for warning in warnings:
        settings.note(f"note: {warning}")
    for text in broken:
        settings.note(f"{cluster}: {text}")
    if broken:
        end(Code.MISSED)
    sound = "" if verdict is None else f"; {cluster} meets them for ${verdict.cost:,.2f}"
    settings.out(f"No errors; found {', '.join(given) or 'nothing'}{sound}")


def _apart(files: list[str], cluster: Path | None) -> tuple[list[str], Path | None]:
    """(inputs, the plan among them or apart)."""
    from froude.documents.recognise import kind_of
    from froude.provision.inputs.plan_file import MIGRATIONS

    plans = [file for file in files if Path(file).is_file() and kind_of(Path(file)) == MIGRATIONS.kind]
    if len(plans) + (cluster is not None) > 1:
        raise InputError("is a second plan", file=plans[-1], allowed="one at a time")
    if plans and len(plans) == len(files):
        allowed = f"the inputs too: froude provision check INPUTS --cluster {plans[0]}"
        raise InputError(
            "is a plan, and there are no inputs to hold it against", file=plans[0], allowed=allowed
        )
    return [file for file in files if file not in plans], Path(plans[0]) if plans else cluster


def _judged(problem: Problem, cluster: Path) -> Verdict:
    from froude.provision.check.evaluate import judge

    return judge(*common.cluster(problem, cluster))


def convert(
    ctx: typer.Context,
    files: Files,
    output: Annotated[Path, typer.Option("-o", "--output", help="A .xml or .yaml file.")],
    form: Annotated[Form | None, typer.Option(help="What to write [by the suffix].")] = None,
) -> None:
    """Inputs in one form → one file in the other; same names, same numbers, same comments.

    Example: froude provision convert hardware.xml application.xml sla.xml -o photoshare.yaml
    """
    from froude.documents.lineage import with_lineage
    from froude.provision.inputs.comments import comments, with_comments
    from froude.provision.inputs.read import read_parts, read_text
    from froude.provision.inputs.write import to_xml, to_yaml
    from froude.provision.inputs.yaml_form import MIGRATIONS

    settings: Settings = ctx.obj
    claim(settings, [Output(output, MIGRATIONS.kind)], files)
    suffixes = {".xml": Form.XML, ".yaml": Form.YAML, ".yml": Form.YAML}
    wanted = form or suffixes.get(output.suffix)
    if wanted is None:
        raise InputError("has no suffix that tells its form", file=output, allowed=".xml, .yaml, or --form")
    parts = read_parts(files)
    if settings.dry_run:
        settings.would(f"write {output}")
        return
    how = common.origin(settings, files)
    notes = [note for file in files for note in comments(*read_text(file))]
    text = with_comments(to_xml(parts) if wanted is Form.XML else to_yaml(parts), notes)
    write({output: text if wanted is Form.XML else with_lineage(text, MIGRATIONS, how)})
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
