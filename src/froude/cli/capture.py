"""`froude capture`: live calls, or a packet capture, into a Trace."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import signal
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import FroudeError, InputError
from froude.base.files import atomic_write_bytes
from froude.base.scratch import Scratch
from froude.base.units import parse_quantity, parse_seconds
from froude.cli.capture_inputs import schema_of, target_of
from froude.cli.flags import Jars, KeepUnknown, Scales, Tags, TraceOutput
from froude.cli.outputs import Output, claim
from froude.documents.artifact import State
from froude.workload.scale import Scale

if TYPE_CHECKING:
    from collections.abc import Iterable

    from froude.cli.settings import Settings
    from froude.hadoop.rpc.target import Target
    from froude.messages.schema import Schema
    from froude.trace.capture.legs import Listener
    from froude.trace.capture.pcap import PcapResult
    from froude.trace.capture.settings import CaptureResult, CaptureSettings

_SUCH_AS = (
    "Such as --target NAMENODE:8020 --listen 0.0.0.0:18020: clients then use port 18020 of this machine"
)

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, help=__doc__)


@app.callback()
def capture() -> None:
    """Record live calls, or those in a packet capture, into a Trace."""


@app.command(
    epilog="Example: froude capture proxy --target 127.0.0.1:8020 --listen 127.0.0.1:9020 "
    "-o trace-3 --scale datanodes=3"
)
def proxy(
    ctx: typer.Context,
    output: TraceOutput,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="[SERVICE=]HOST:PORT",
            help="The daemon to record: its own RPC address; a NameNode's by default.",
        ),
    ] = None,
    listen: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST:PORT[=SOURCE]",
            help="Where its clients shall connect instead; repeatable. =SOURCE connects onward from that address.",
        ),
    ] = None,
    forward: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LISTEN=[SERVICE=]HOST:PORT",
            help="--listen and --target in one, for several daemons in one Trace; repeatable.",
        ),
    ] = None,
    scale: Scales = None,
    source: Annotated[str | None, typer.Option(help="Connect onward from this address.")] = None,
    preserve_source: Annotated[
        bool, typer.Option("--preserve-source", help="Connect onward from each client's own address.")
    ] = False,
    source_id: Annotated[
        str, typer.Option(help="Identity of the target; by default its cluster id, asked or learned.")
    ] = "",
    tag: Tags = None,
    hadoop: Jars = None,
    keep_unknown: KeepUnknown = False,
    lossless: Annotated[
        bool, typer.Option("--lossless", help="Let traffic wait rather than pass unrecorded.")
    ] = False,
    backlog: Annotated[
        str, typer.Option(help="How much traffic may wait in memory to be recorded, per process.")
    ] = "128 MB",
    processes: Annotated[
        int, typer.Option(help="Proxies that share the connections; more than 1 wants idle cores.")
    ] = 1,
    duration: Annotated[str | None, typer.Option(help="End by itself after this long, e.g. 30 s.")] = None,
) -> None:
    """Pass connections on to a daemon and record the calls in them.

    Ends with Ctrl-C, or after --duration. Bytes are never altered; tokens and secrets are replaced before
    anything is written.
    """
    from froude.trace.capture.settings import CaptureSettings

    settings: Settings = ctx.obj
    limit_s = None if duration is None else parse_seconds(duration, place="--duration")
    claim(settings, [Output(output, "trace", folder=True, keeps=True)], [hadoop])
    schema, release = schema_of(hadoop, settings)
    asked = CaptureSettings(
        _listeners(target, listen or [], forward or [], source=source, preserve_source=preserve_source),
        output,
        dict(Scale.parse(scale or [])),
        source_id,
        release,
        tags=tuple(tag or ()),
        command=settings.command,
        keep_unknown=keep_unknown,
        backlog_bytes=_bytes(backlog, "--backlog"),
        lossless=lossless,
        processes=processes,
    )
    if settings.dry_run:
        targets = ", ".join(dict.fromkeys(listener.target.address for listener in asked.listeners))
        settings.would(f"record {targets} into {output}")
        return
    services = {listener.target.service for listener in asked.listeners}
    _show(settings, _run(asked, schema, settings, limit_s), services)


@app.command()
def pcap(
    ctx: typer.Context,
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="A packet capture: pcap or pcapng, plain or packed.")
    ],
    output: TraceOutput,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SERVICE=]IP:PORT",
            help="Read only connections to this server, as packets name it; all by default; repeatable.",
        ),
    ] = None,
    scale: Scales = None,
    source_id: Annotated[
        str, typer.Option(help="Identity of the target; by default its cluster id, learned.")
    ] = "",
    tag: Tags = None,
    hadoop: Jars = None,
    keep_unknown: KeepUnknown = False,
) -> None:
    """Record the calls in a packet capture, as tcpdump or Wireshark writes it.

    Every connection of Hadoop RPC that begins within the capture is read, and none has to pass a proxy. Take it so,
    on a machine where all of that traffic passes: tcpdump -i any -s 0 -B 65536 -w FILE 'tcp port 8020'
    Start it before the daemons and the job: what is connected already when it begins is not read. Record three sizes
    or more, and go on with `froude mine`.

    Example: froude capture pcap namenode.pcap -o trace-3 --scale datanodes=3 --target 10.0.0.5:8020
    """
    from froude.documents.artifact import hash_file
    from froude.trace.capture.pcap import PcapSettings, capture_pcap

    settings: Settings = ctx.obj
    claim(settings, [Output(output, "trace", folder=True, keeps=True)], [path, hadoop])
    targets = dict(map(_target, target or []))
    schema, release = schema_of(hadoop, settings)
    asked = PcapSettings(
        path,
        output,
        targets,
        dict(Scale.parse(scale or [])),
        source_id,
        release,
        keep_unknown=keep_unknown,
    )
    if settings.dry_run:
        settings.would(f"read {path} into {output}")
        return
    origin = settings.origin([hash_file(path)], tags=tag or ())
    _show_packets(
        settings,
        capture_pcap(asked, schema, origin, settings.progress()),
        [t.service for t in targets.values()],
    )


def _target(text: str) -> tuple[tuple[str, int], Target]:
    target = target_of(text, "--target")
    try:
        host = str(ipaddress.ip_address(target.host))
    except ValueError as error:
        remedy = "Give the address that its packets bear: `getent hosts NAME` tells it"
        raise InputError("is no IP address", place="--target", found=target.host, remedy=remedy) from error
    port = target.port or 0
    return (host, port), target._replace(address=f"{host}:{port}")


def _show_packets(settings: Settings, result: PcapResult, services: list[str]) -> None:
    from froude.trace.roles import advice, in_words, seen

    capture = result.capture
    senders = seen(capture.path)
    hint = advice(senders, services or [""])
    if settings.json:
        facts = {**asdict(result), **capture.to_mapping(), "seen": senders, "advice": hint}
        settings.emit({name: value for name, value in facts.items() if name != "capture"})
        return
    read = f"{capture.calls} calls on {capture.connections} connections in {result.packets} packets"
    settings.out(f"{capture.path}: {read}")
    settings.out(in_words(senders))
    for remark in result.remarks:
        settings.note(remark)
    for example in capture.examples:
        settings.note(f"lost: {example}")
    if capture.loss.unreadable:
        settings.note(capture.loss.unreadable)
    if not capture.source_id:
        settings.note("nothing told whose traffic it is: name it with --source-id, the guard needs it")


def _address(text: str, place: str) -> tuple[str, int]:
    from froude.hadoop.rpc.target import parse_address

    return parse_address(text, place=place, free_port=True)


def _bytes(text: str, place: str) -> int:
    quantity = parse_quantity(text, place=place)
    if quantity.unit != "B":
        raise InputError("is no size", place=place, found=text, allowed="a number of bytes, such as 128 MB")
    return int(quantity.value)


def _listeners(
    target: str | None, listen: list[str], forward: list[str], *, source: str | None, preserve_source: bool
) -> tuple[Listener, ...]:
    """Where to listen, and for whom."""
    from froude.trace.capture.legs import Listener

    if (target is None) != (not listen) or not (listen or forward):
        allowed = "--target HOST:PORT with --listen HOST:PORT, or --forward LISTEN=HOST:PORT"
        message = "both are needed: which daemon to record, and where its clients connect instead"
        raise InputError(message, place="--target, --listen", allowed=allowed, remedy=_SUCH_AS)
    listeners = []
    for text in listen:
        where, _, own = text.partition("=")
        whom = target_of(target or "", "--target")
        listeners.append(Listener(*_address(where, "--listen"), own or source, preserve_source, whom))
    for text in forward:
        where, equals, called = text.partition("=")
        if not equals or ":" not in where:
            message = "needs two addresses: where clients connect, then the daemon's own"
            allowed = "LISTEN=[SERVICE=]HOST:PORT, such as 0.0.0.0:18020=namenode=NAMENODE:8020"
            raise InputError(message, place="--forward", found=text, allowed=allowed)
        whom = target_of(called, "--forward")
        listeners.append(Listener(*_address(where, "--forward"), source, preserve_source, whom))
    return tuple(listeners)


def _run(asked: CaptureSettings, schema: Schema, settings: Settings, limit_s: float | None) -> CaptureResult:
    from froude.trace.capture.identity import with_identities
    from froude.trace.capture.lane import run
    from froude.trace.capture.service import Addresses, capture

    identified = with_identities(asked, schema)

    async def until(addresses: Addresses) -> State:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, ended.set)
        listening = ", ".join(f"{host}:{port}" for host, port in addresses)
        settings.note(f"recording on {listening}; Ctrl-C ends it")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), limit_s)
        return State.COMPLETE

    def warn(error: FroudeError) -> None:
        settings.note(f"froude: {error}; connections are still passed on, but no longer recorded")

    def silent(error: FroudeError) -> None:
        settings.note(f"froude: {error}. Its clients are refused until it answers; the others are recorded")

    with Scratch("capture") as scratch:
        file = scratch / "schema.fds"
        atomic_write_bytes(file, schema.to_bytes())
        result: CaptureResult = run(capture(identified, file, until=until, on_error=warn, on_silent=silent))
    return result


def _show(settings: Settings, result: CaptureResult, services: Iterable[str]) -> None:
    from froude.trace.roles import advice, in_words, seen

    senders = seen(result.path)
    hint = advice(senders, services)
    if settings.json:
        settings.emit({**result.to_mapping(), "seen": senders, "advice": hint})
        return
    settings.out(f"{result.path}: {result.calls} calls on {result.connections} connections")
    settings.out(f"{in_words(senders)}" + (f". {hint}" if hint else ""))
    for example in result.examples:
        settings.note(f"lost: {example}")
    if result.loss.unreadable:
        settings.note(result.loss.unreadable)
    if result.loss.dropped_bytes:
        settings.note(f"lost: {result.loss.dropped_bytes} bytes that the recorder could not take in time")
    if not result.source_id:
        settings.note("nothing told whose traffic it is: name it with --source-id, the guard needs it")
