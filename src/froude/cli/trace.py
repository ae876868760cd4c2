"""`froude trace`: look at, check, compare and import Traces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.errors import InputError
from froude.cli import inputs, trace_import
from froude.cli.ending import Code, end
from froude.cli.run_text import failures_text
from froude.cli.tables import aligned
from froude.cli.terminal import visible
from froude.hadoop.rpc.target import daemon_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from google.protobuf.message import Message

    from froude.cli.settings import Settings
    from froude.trace.diff import TraceDiff
    from froude.trace.intervals import Agreement
    from froude.trace.types import Call, Trace

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, help=__doc__)
_ROWS = 40


@app.callback()
def trace() -> None:
    """Look at, check, compare and import Traces."""


@app.command(epilog="Example: froude trace show trace-1 --calls 5")
def show(
    ctx: typer.Context,
    path: Annotated[
        Path,
        typer.Argument(metavar="TRACE", help="The folder of a Trace or an audit log, or its name here."),
    ],
    calls: Annotated[int, typer.Option(min=0, help="Show this many calls, decoded.")] = 0,
    method: Annotated[str | None, typer.Option(help="Show calls of this method only.")] = None,
) -> None:
    """What a Trace holds: methods, senders, scale, what its source could see, what was lost.

    Of an imported audit log: lines over time, commands, users, clients, what was denied, paths.
    """
    from froude.documents.recognise import kind_of
    from froude.trace.audit.files import open_audit
    from froude.trace.files import read_trace
    from froude.trace.roles import advice, in_words, seen
    from froude.trace.summary import summarise

    settings: Settings = ctx.obj
    place = inputs.place(settings, path, "trace", "audit")
    if kind_of(place) == "audit":
        trace_import.show_audit(settings, open_audit(place))
        return
    trace = read_trace(place)
    summary, senders = summarise(trace), seen(trace)
    hint = None
    if trace.meta.fidelity.sender:
        hint = advice(senders, {call.target.service for call in trace.calls})
    chosen = [call for call in trace.calls if method in {None, call.method}][:calls]
    if settings.json:
        document = summary.to_mapping()
        document["seen"], document["advice"] = senders, hint
        document["state"] = "unknown" if trace.lineage is None else trace.lineage.state.value
        if calls:
            document["examples"] = [_decoded(trace, call) for call in chosen]
        settings.emit(document)
        return
    _print_summary(settings, trace, summary)
    settings.out(f"\nseen: {in_words(senders)}" + (f". {hint}" if hint else ""))
    for call in chosen:
        settings.out(_call_text(trace, call))


@app.command(epilog="Example: froude trace validate trace-1")
def validate(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="TRACE", help="The Trace's folder, or its name here.")],
    recover: Annotated[
        bool, typer.Option("--recover", help="Make a whole Trace of an unfinished one, as far as it goes.")
    ] = False,
) -> None:
    """Check a Trace: readable, unchanged since it was written, every message decodes. Exit code 3 if not."""
    from froude.trace.partial import recover as recover_partial
    from froude.trace.validate import validate_trace

    settings: Settings = ctx.obj
    place = inputs.place(settings, path, "trace")
    if recover and settings.dry_run:
        settings.would(f"make a whole trace of {place}")
        return
    if recover:
        recover_partial(place, settings.command)
        place = place.with_name(place.name.removesuffix(".partial"))
    result = validate_trace(place)
    if settings.json:
        parts = {"path": str(result.path), "calls": result.calls, "good": result.good}
        settings.emit({**parts, "problems": list(result.problems), "remarks": list(result.remarks)})
    else:
        verdict = "good" if result.good else "not good"
        settings.out(f"{result.path}: {verdict}, {result.calls} calls")
        for line in (*result.problems, *result.remarks):
            settings.out(f"  {line}")
    if not result.good:
        end(Code.MISSED)


@app.command(epilog="Example: froude trace diff workload.yaml check")
def diff(
    ctx: typer.Context,
    left: Annotated[
        Path,
        typer.Argument(metavar="TRACE|WORKLOAD", help="One Trace, or a workload's YAML; or their names."),
    ],
    right: Annotated[Path, typer.Argument(metavar="TRACE", help="The other Trace.")],
    arguments: Annotated[bool, typer.Option(help="Compare arguments, too.")] = True,
    pair: Annotated[
        Path | None, typer.Option(help="With a workload: a second run of the same size, for the ceiling.")
    ] = None,
    at_least: Annotated[
        float | None, typer.Option(min=0, max=1, help="With a workload: end with 3 below this share.")
    ] = None,
) -> None:
    """How the behaviour in two Traces differs, or what a workload predicted of a Trace.

    A workload is held against a run that it was not mined from: which call sequences and arguments were predicted.
    With --at-least, exit code 3 if sequences differ or fewer arguments of logical calls were predicted.
    """
    from dataclasses import asdict

    settings: Settings = ctx.obj
    left = inputs.place(settings, left)
    if left.suffix in {".yaml", ".yml"} and left.is_file():
        from froude.cli.prediction import check

        prediction = check(
            settings,
            left,
            inputs.place(settings, right, "trace"),
            None if pair is None else inputs.place(settings, pair, "trace"),
        )
        share = prediction.row("logical").share
        if at_least is not None and (prediction.sequence_share != 1 or share is None or share < at_least):
            end(Code.MISSED)
        return
    for flag, value in {"--pair": pair, "--at-least": at_least}.items():
        if value is not None:
            message = f"{flag} goes with a workload, and this is a Trace"
            raise InputError(
                message, file=left, found=value, allowed="a workload's YAML file as the first argument"
            )
    from froude.trace.diff import diff as compare
    from froude.trace.files import read_trace

    traces = [read_trace(left), read_trace(inputs.place(settings, right, "trace"))]
    result = compare(traces[0], traces[1], arguments=arguments)
    if settings.json:
        settings.emit({**asdict(result), "same": result.same, "same_sequences": result.same_sequences})
        return
    _print_diff(settings, result)


@app.command(epilog="Example: froude trace closure trace-1 hdfs-audit.log")
def closure(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="TRACE", help="The Trace of the run.")],
    log: Annotated[Path, typer.Argument(metavar="LOG", help="The NameNode's audit log of the same run.")],
) -> None:
    """Compare a Trace with the NameNode's own audit log, line by line. Exit code 3 if they differ."""
    from dataclasses import asdict

    from froude.trace.files import read_trace
    from froude.trace.importers.audit import closure as compare

    settings: Settings = ctx.obj
    result = compare(read_trace(inputs.place(settings, path, "trace")), log)
    if settings.json:
        settings.emit({**asdict(result), "closed": result.closed})
    else:
        empty = ": nothing is compared" if result.closed is None else ""
        settings.out(f"{result.calls} audited calls, {result.lines} lines, {result.matched} matched{empty}")
        for what, left in (("no line", result.calls_without_line), ("no call", result.lines_without_call)):
            for call in left[:10]:
                settings.out(f"  {what}: {call.user} {call.command} {call.src or ''} {call.dst or ''}")
    if not result.closed:
        end(Code.MISSED)


app.add_typer(trace_import.app, name="import")


def _print_summary(settings: Settings, trace: Trace, summary: Any) -> None:
    meta = trace.meta
    if trace.incomplete is not None:
        settings.out(f"NOT WHOLE: {trace.incomplete}\n")
    at = ", ".join(f"{name}={value}" for name, value in meta.scale.items()) or "no scale given"
    settings.out(
        f"{summary.calls} calls in {summary.duration_s:.1f} s by {len(summary.senders)} senders, at {at}"
    )
    settings.out(f"source {meta.source_id or 'unknown'}, Hadoop {meta.release or 'of unknown release'}")
    unseen = [
        name for name in ("payload", "response", "duration", "sender") if not getattr(meta.fidelity, name)
    ]
    if unseen:
        settings.out(f"its source could not see: {', '.join(unseen)}")
    lost = {name: count for name, count in summary.loss.items() if count}
    settings.out("lost: " + (", ".join(f"{c} {n.replace('_', ' ')}" for n, c in lost.items()) or "nothing"))
    if meta.loss.unreadable:
        settings.out(f"UNREADABLE: {meta.loss.unreadable}")
    by_service = {
        m.service: [each for each in summary.methods if each.service == m.service] for m in summary.methods
    }
    for service, listed in by_service.items():
        rows = [("method", "calls", "errors", "p50 ms", "p99 ms", "request B", "response B")]
        for m in listed[:_ROWS]:
            p50, p99 = (f"{t:.2f}" if t is not None else "" for t in (m.p50_ms, m.p99_ms))
            sizes = str(m.request_bytes), str(m.response_bytes)
            rows.append((m.method, str(m.calls), str(m.errors or ""), p50, p99, *sizes))
        named = f"{daemon_name(service)}:\n" if len(by_service) > 1 else ""
        settings.out(f"\n{named}{aligned(rows)}")
        if len(listed) > _ROWS:
            settings.out(f"and {len(listed) - _ROWS} more methods: --json shows all")
    senders = [("sender", "users", "senders", "calls")]
    senders += [(k.type, ", ".join(k.users), str(k.senders), str(k.calls)) for k in summary.sender_types]
    settings.out("\n" + aligned(senders, words=2))
    if summary.failures:
        settings.out("\n" + failures_text(summary.failures, "--json shows all"))


def _print_diff(settings: Settings, result: TraceDiff) -> None:
    words = {
        True: "the same behaviour",
        False: "different behaviour",
        None: "neither Trace has a call to compare",
    }
    settings.out(words[result.same])
    for s in result.senders:
        counts = f"{s.left_senders} and {s.right_senders} senders, {s.left_calls} and {s.right_calls} calls"
        settings.out(
            f"{s.type}: {counts}, {s.aligned} aligned, {s.leaves_equal} of {s.leaves} arguments equal"
        )
        starts = [
            f"{times[0]:.1f} to {times[1]:.1f} s" for times in (s.left_starts_s, s.right_starts_s) if times
        ]
        settings.out(f"  started after {' and '.join(starts)}")
        for m in s.methods:
            if m.left != m.right:
                settings.out(f"  {m.method}: {m.left} and {m.right} calls")
        for place in s.sequences:
            ours, theirs = " ".join(place.left) or "nothing", " ".join(place.right) or "nothing"
            settings.out(f"  sender {place.sender}, call {place.at}: {ours} | {theirs}")
        for a in s.arguments[:10]:
            ours, theirs = a.example
            settings.out(f"  {a.method} {a.path}: {a.differing} of {a.compared} differ: {ours} | {theirs}")
    settings.out(_agreement_text(result.intervals))


def _agreement_text(agreements: Sequence[Agreement]) -> str:
    """How many call sites of two runs agree, a line for each statistic."""
    from froude.trace.intervals import FEWEST, RESOLUTION_S, WITHIN

    return "\n".join(
        f"{sites.statistic} of the intervals within {WITHIN:.0%}: {len(sites.agreeing)} of {sites.compared} call "
        f"sites; {sites.few} more have fewer than {FEWEST} intervals, {sites.short} are below "
        f"{1000 * RESOLUTION_S:g} ms"
        for sites in agreements
    )


def _decoded(trace: Trace, call: Call) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "start_s": call.start_s,
        "duration_s": call.duration_s,
        "peer": call.peer,
        "user": call.user,
        "caller_context": call.caller_context,
        "method": call.method,
        "status": call.status.value,
        "error": call.error,
    }
    if call.request is not None:
        parts["request"] = _fields(trace.request, call)
    if call.response is not None:
        parts["response"] = _fields(trace.response, call)
    return parts


def _fields(decode: Callable[[Call], Message], call: Call) -> dict[str, Any]:
    """A message's fields, or why it cannot be read: its method may be kept though no schema knows it."""
    from google.protobuf.json_format import MessageToDict

    try:
        return MessageToDict(decode(call), preserving_proto_field_name=True)
    except InputError as error:
        return {"unreadable": str(error)}


def _lines(decode: Callable[[Call], Message], call: Call) -> list[str]:
    try:
        return str(decode(call)).splitlines()[:30]
    except InputError as error:
        return [f"cannot be read: {error}"]


def _call_text(trace: Trace, call: Call) -> Any:
    from rich.text import Text

    took = f"{call.duration_s * 1e3:.2f} ms" if call.duration_s is not None else "no answer"
    head = (
        f"\n{call.start_s:.3f} s  {call.method}  {took}  {call.status.value}  {call.peer} {call.user or ''}"
    )
    parts = [head]
    for what, body in (("request", call.request), ("response", call.response)):
        if body is not None:
            decode = trace.request if what == "request" else trace.response
            parts += [f"  {what}", *(f"    {line}" for line in _lines(decode, call))]
    return Text(visible("\n".join(parts)))
