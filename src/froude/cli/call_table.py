"""`froude trace import calls`: a table of calls of any RPC system → a Trace that can be mined."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.trace.types import Trace


_NO_LINE = re.compile("[^ -~\\xa0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""What YAML cannot hold as it stands: control characters, line ends, halves of characters."""


class TimeUnit(Enum):
    """Of times and durations that are numbers."""

    S = "s"
    MS = "ms"
    US = "us"
    NS = "ns"


def calls(
    ctx: typer.Context,
    path: Annotated[
        Path, typer.Argument(metavar="TABLE", help="CSV with a header, or JSON lines; plain or packed.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The Trace to make.")],
    scale: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="The scale it ran at.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="WHAT=NAME", help="Which column says what, where its name does not."),
    ] = None,
    time_unit: Annotated[
        TimeUnit | None, typer.Option(help="Of times and durations that are numbers [s].")
    ] = None,
    types_from: Annotated[
        list[Path] | None,
        typer.Option(metavar="TABLE", help="Other tables of the job, so that all get the same types."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="One line that is no call is an error.")] = False,
    source_id: Annotated[str, typer.Option(help="Identity of what was recorded.")] = "",
    tag: Annotated[
        list[str] | None, typer.Option(metavar="WORD", help="A word to find the Trace by.")
    ] = None,
) -> None:
    """A table of calls of any RPC system, one row a call: CSV or JSON lines.

    Columns: time (seconds or --time-unit, ISO 8601, or a clock), sender and method (PROTOCOL.METHOD or METHOD) are
    needed; receiver, request, response, request.NAME, response.NAME, duration or end, thread, user, context, status,
    error and error_message may be there. request and response are JSON, or name=value pairs.

    A line that is no call is counted and shown. The Trace can be mined, extrapolated and compared, but not played.

    Example: froude trace import calls calls.csv -o store-3 --scale clients=3
    """
    from froude.base.errors import InputError
    from froude.cli.outputs import Output, claim
    from froude.documents.artifact import hash_file
    from froude.trace.files import write_trace
    from froude.trace.importers.call_rows import UNITS_NS, parse_mapping
    from froude.trace.importers.calls import Table, import_calls
    from froude.workload.scale import Scale

    settings: Settings = ctx.obj
    others = types_from or []
    if _NO_LINE.search(source_id):
        raise InputError("is no line of text", place="--source-id", found=ascii(source_id))
    claim(settings, [Output(output, "trace", folder=True, keeps=True)], [path, *others])
    table = Table(
        parse_mapping(column or []),
        None if time_unit is None else UNITS_NS[time_unit.value],
        strict,
        tuple(others),
    )
    parsed = dict(Scale.parse(scale or []))
    with settings.progress().task("Reading the table"):
        trace, remarks = import_calls(path, table, scale=parsed, source_id=source_id)
    settings.note(recognised(trace, "table of calls"))
    for remark in remarks:
        settings.note(f"note: {remark}")
    if settings.dry_run:
        settings.would(f"write {len(trace.calls)} calls to {output}")
        return
    lineage = write_trace(output, trace, settings.origin([hash_file(path)], tags=tag or ()))
    if settings.json:
        parts = {"path": str(output), "calls": len(trace.calls), "remarks": remarks}
        settings.emit({**parts, "lineage": lineage.to_mapping()})
    settings.out(f"{output}: {len(trace.calls)} calls")


def recognised(trace: Trace, form: str) -> str:
    """The first line of an import of calls.

    Args:
        trace: that was made.
        form: of what it was made from.
    """
    from froude.base.summary import counted, recognised_text

    calls = trace.calls
    senders = counted(len({call.client_id or call.connection for call in calls}), "sender")
    span_s = max((call.start_s for call in calls), default=0.0)
    every_s = span_s / max(1, len(calls) - 1)
    return recognised_text(form, f"{senders}, {counted(len(calls), 'call')}", every_s, span_s)
