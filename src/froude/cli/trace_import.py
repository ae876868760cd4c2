"""`froude trace import`: what others recorded → a Trace, or one audit log in columns, in the order of time.

Audit logs of a NameNode, tables of calls of any RPC system, and taps of connections are read.
"""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.errors import InputError
from froude.base.units import parse_zone
from froude.cli.flags import Jars, Scales, SourceId, Tags, TraceOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from froude.cli.settings import Settings
    from froude.hadoop.fsimage.anonymise import Names
    from froude.trace.audit.cut import Cut
    from froude.trace.audit.files import AuditLog
    from froude.trace.audit.parse import Form
    from froude.trace.types import Trace

_NO_LINE = re.compile("[^ -~\\xa0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""What YAML cannot hold as it stands: control characters, line ends, halves of characters."""
_KEY_BYTES = (16, 1 << 20)


app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Make a Trace, or an audit log, of what others recorded.",
)


@app.callback()
def import_() -> None:
    """Make a Trace, or an audit log, of what others recorded."""


class LineForm(Enum):
    """How the lines of a log look."""

    DIRECT = "direct"
    HIVE = "hive"


@app.command()
def audit(
    ctx: typer.Context,
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG...",
            help="Audit logs, plain or packed, or folders of them; rotated ones in any order.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The audit log to make, a folder.")],
    form: Annotated[
        LineForm, typer.Option(help="Lines as a NameNode writes them, or as Dynamometer's Hive query does.")
    ] = LineForm.DIRECT,
    pattern: Annotated[
        str | None,
        typer.Option(metavar="REGEX", help="Of another form: (?P<timestamp>...) and (?P<message>...) in it."),
    ] = None,
    date_format: Annotated[
        str,
        typer.Option(
            metavar="FORMAT", help="Of that timestamp, as Java's SimpleDateFormat has it; or epoch-ms."
        ),
    ] = "yyyy-MM-dd HH:mm:ss,SSS",
    time_zone: Annotated[
        str, typer.Option(metavar="ZONE", help="The NameNode's: its dates name none.")
    ] = "UTC",
    start: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="What the times of the Hive form count from [1970-01-01]."),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Paths are not Java-escaped: logs of releases before 2.8.")
    ] = False,
    window: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="Lines further out of order are counted as late (sorted all the same)."
        ),
    ] = "10s",
    image: Annotated[
        Path | None,
        typer.Option(metavar="FSIMAGE", help="Keep what came behind this image's last transaction."),
    ] = None,
    edits: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The NameNode's edits, which say when that was.")
    ] = None,
    hadoop: Annotated[
        str | None, typer.Option(help="A release that knows the image and the edits [3.5.0].")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="One line that is no audit line is an error.")
    ] = False,
    anonymise: Annotated[
        Path | None,
        typer.Option(metavar="KEY", help="Rename paths, users and hosts; a file of 16 secret bytes or more."),
    ] = None,
    tag: Tags = None,
) -> None:
    """A NameNode's audit logs: every line parsed, put in order, kept as columns; `froude trace show` shows it.

    A line that is no audit line is left out and counted by its reason, with the first of each; a log with more than a
    tenth of damaged lines is refused. Of a packed log that is cut short, the whole lines are read. An import that was
    interrupted goes on where it was when it is run again. With --dry-run, all is read and shown, and nothing kept.

    Example: froude trace import audit hdfs-audit.log -o audit-1
    """
    from dataclasses import replace

    from froude.base.packed import parts, refuse_copies
    from froude.base.scratch import Scratch
    from froude.base.summary import counted, recognised_text
    from froude.base.units import parse_seconds
    from froude.cli.outputs import Output, claim
    from froude.documents.artifact import hash_file
    from froude.trace.importers.audit_log import import_audit
    from froude.trace.importers.audit_pieces import Options

    settings: Settings = ctx.obj
    claim(settings, [Output(output, "audit", folder=True, keeps=True)], [*logs, image, edits, anonymise])
    logs = [part for path in logs for part in parts(path)]
    refuse_copies([path for path in logs if path.is_file()])
    if edits is not None and image is None:
        raise InputError("needs an image", place="--edits", allowed="--image FSIMAGE beside it")
    if anonymise is not None and any(path.samefile(anonymise) for path in logs if path.exists()):
        message = "is the log: whoever has that has the key"
        raise InputError(message, file=anonymise, place="--anonymise", allowed="a file of random bytes")
    zone = parse_zone(time_zone, place="--time-zone")
    options = Options(
        _form(form, pattern, date_format, start, raw=raw),
        zone,
        parse_seconds(window, place="--window"),
        strict=strict,
    )
    cut = None if image is None else _cut(settings, image, edits, hadoop)
    names = None if anonymise is None else _names(anonymise)
    inputs = [hash_file(path) for path in [*logs, *([] if image is None else [image])]]
    origin = settings.origin(inputs, tags=tag or ())
    if names is not None:
        origin = replace(origin, command=_without(settings.command, [*logs, image, edits, anonymise]))
    with Scratch("audit") as scratch:
        log = import_audit(
            logs,
            scratch / output.name if settings.dry_run else output,
            options,
            cut=cut,
            names=names,
            workers=settings.workers,
            origin=origin,
            progress=settings.progress(),
        )
        span_s = (log.meta.end_us - log.meta.begin_us) / 1e6
        every_s, lines = span_s / max(1, log.meta.lines - 1), counted(log.meta.lines, "line")
        settings.note(recognised_text(f"audit log ({form.value} lines)", lines, every_s, span_s))
        for left_out in log.meta.bad_places:
            settings.note(f"note: {left_out}")
        show_audit(
            settings, log, [] if not settings.dry_run else [f"write {log.meta.lines:,} lines to {output}"]
        )


class TimeUnit(Enum):
    """Of times and durations that are numbers."""

    S = "s"
    MS = "ms"
    US = "us"
    NS = "ns"


@app.command()
def calls(
    ctx: typer.Context,
    path: Annotated[
        Path, typer.Argument(metavar="TABLE", help="CSV with a header, or JSON lines; plain or packed.")
    ],
    output: TraceOutput,
    scale: Scales = None,
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
    source_id: SourceId = "",
    tag: Tags = None,
) -> None:
    """A table of calls of any RPC system, one row a call: CSV or JSON lines.

    Columns: time (seconds or --time-unit, ISO 8601, or a clock), sender and method (PROTOCOL.METHOD or METHOD) are
    needed; receiver, request, response, request.NAME, response.NAME, duration or end, thread, user, context, status,
    error and error_message may be there. request and response are JSON, or name=value pairs.

    A line that is no call is counted and shown. The Trace can be mined, extrapolated and compared, but not played.

    Example: froude trace import calls calls.csv -o store-3 --scale clients=3
    """
    from froude.cli.outputs import Output, claim
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
    with settings.progress().task(f"reading {path.name}"):
        trace, remarks = import_calls(path, table, scale=parsed, source_id=source_id)
    settings.note(recognised(trace, "table of calls"))
    for remark in remarks:
        settings.note(f"note: {remark}")
    _write(settings, output, trace, path, tag, remarks=remarks)


@app.command(epilog="Example: froude trace import tap nodes.tap.gz -o trace-4 --scale nodes=3")
def tap(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="TAP", help="A tap file, plain or packed.")],
    output: TraceOutput,
    scale: Scales = None,
    hadoop: Jars = None,
    strict: Annotated[bool, typer.Option("--strict", help="A tap that is cut short is an error.")] = False,
    source_id: SourceId = "",
    tag: Tags = None,
) -> None:
    """A tap: raw bytes of connections with their times."""
    from froude.cli.capture_inputs import schema_of
    from froude.cli.outputs import Output, claim
    from froude.trace.importers.tap import import_tap
    from froude.trace.validate import without_payload
    from froude.workload.scale import Scale

    settings: Settings = ctx.obj
    claim(settings, [Output(output, "trace", folder=True, keeps=True)], [path, hadoop])
    schema, _ = schema_of(hadoop, settings)
    with settings.progress().task(f"reading {path.name}"):
        trace = import_tap(path, schema, scale=dict(Scale.parse(scale or [])), source_id=source_id)
    settings.note(recognised(trace, "tap of connections"))
    if cut := trace.meta.notes.get("cut"):
        if strict:
            raise InputError("is not whole", file=path, found=cut, allowed="a whole tap with --strict")
        settings.note(f"note: {path}: {cut}: what comes before is read")
    if without := without_payload(trace):
        settings.note(
            f"note: {without}. --hadoop names a folder with the jars that have them, such as YARN's"
        )
    _write(settings, output, trace, path, tag)


def _write(
    settings: Settings, output: Path, trace: Trace, path: Path, tag: Sequence[str] | None, **parts: object
) -> None:
    from froude.documents.artifact import hash_file
    from froude.trace.files import write_trace

    if settings.dry_run:
        settings.would(f"write {len(trace.calls)} calls to {output}")
        return
    lineage = write_trace(output, trace, settings.origin([hash_file(path)], tags=tag or ()))
    if settings.json:
        facts = {"path": str(output), "calls": len(trace.calls), **parts}
        settings.emit({**facts, "lineage": lineage.to_mapping()})
    settings.out(f"{output}: {len(trace.calls)} calls")


def show_audit(settings: Settings, log: AuditLog, would: Sequence[str] = ()) -> None:
    """Print an audit log in numbers."""
    from froude.cli.page_text import page_text
    from froude.experiment.figures.audit import audit_report
    from froude.trace.audit.summary import summarise_audit

    summary = summarise_audit(log)
    document: dict[str, Any] = {"path": str(log.folder), **summary.to_mapping()}
    if log.lineage is not None:
        document["lineage"] = log.lineage.to_mapping()
    if would:
        document = {"dry_run": True, "would": would[0], **document}
    settings.emit(document)
    settings.out(page_text(audit_report(summary)))
    for text in would:
        settings.out(f"\nWould {text}")


def _without(command: str, paths: Sequence[Path | None]) -> str:
    """A command line with `INPUT` for each of some paths, which may tell of people and machines."""
    import shlex

    named = {str(path) for path in paths}
    words = []
    for word in shlex.split(command):
        flag, equals, value = word.rpartition("=")
        words.append(f"{flag}{equals}INPUT" if str(Path(value)) in named else word)
    return shlex.join(words)


def _form(form: LineForm, pattern: str | None, date_format: str, start: str | None, *, raw: bool) -> Form:
    from froude.trace.audit.parse import Form

    if pattern is not None and form is LineForm.HIVE:
        raise InputError("cannot stand with a pattern", place="--form", found="hive", allowed="one of them")
    if start is not None and form is not LineForm.HIVE:
        raise InputError("is of the Hive form alone", place="--start", allowed="--form hive beside it")
    name = "pattern" if pattern is not None else form.value
    return Form(name, not raw, pattern or "", date_format, 0 if start is None else _start_us(start))


def _start_us(text: str) -> int:
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError("is no date", place="--start", found=text, allowed="2026-11-20T09:43:54") from error
    stamped = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(stamped.timestamp() * 1e6)


def _cut(settings: Settings, image: Path, edits: Path | None, hadoop: str | None) -> Cut:
    from froude.cli.capture_inputs import schema_of
    from froude.trace.importers.image_cut import cut_by_edits, cut_by_image

    schema, _ = schema_of(hadoop, settings)
    if edits is None:
        with settings.progress().task(f"reading {image.name}"):
            return cut_by_image(image, schema, workers=settings.workers)
    from froude.hadoop.release.distribution import Hadoop

    with settings.progress().task("Looking for the image's last transaction"):
        folder = hadoop if hadoop and Path(hadoop).is_dir() else None
        found = Hadoop.find(None if folder else hadoop, folder)
        return cut_by_edits(image, edits, schema, found)


def _names(path: Path) -> Names:
    import hashlib

    from froude.base.files import read_bounded
    from froude.hadoop.fsimage.anonymise import Names

    key = read_bounded(path, limit_bytes=_KEY_BYTES[1])
    if len(key) < _KEY_BYTES[0]:
        remedy = f"`head -c 32 /dev/urandom > {path.name}` makes one"
        raise InputError(
            "is too short for a key",
            file=path,
            found=f"{len(key)} bytes",
            allowed="16 or more",
            remedy=remedy,
        )
    return Names(hashlib.blake2b(key, digest_size=32).digest())


def recognised(trace: Trace, form: str) -> str:
    """The first line of an import of calls."""
    from froude.base.summary import counted, recognised_text

    calls = trace.calls
    senders = counted(len({call.client_id or call.connection for call in calls}), "sender")
    span_s = max((call.start_s for call in calls), default=0.0)
    every_s = span_s / max(1, len(calls) - 1)
    return recognised_text(form, f"{senders}, {counted(len(calls), 'call')}", every_s, span_s)
