"""`froude capture`: live calls into a Trace."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import FroudeError, InputError
from froude.base.units import Quantity, parse_quantity

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.hadoop.schema import Schema
    from froude.trace.capture.proxy import Listener
    from froude.trace.capture.settings import CaptureResult, CaptureSettings

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, help=__doc__)


@app.callback()
def capture() -> None:
    """Record live calls into a Trace."""


@app.command(
    epilog="Example: froude capture proxy --target 127.0.0.1:8020 --listen 127.0.0.1:9020 "
    "-o run3.trace --scale datanodes=3"
)
def proxy(
    ctx: typer.Context,
    target: Annotated[str, typer.Option(metavar="HOST:PORT", help="The daemon's RPC address.")],
    listen: Annotated[
        list[str],
        typer.Option(
            metavar="HOST:PORT[=SOURCE]",
            help="Where clients connect; repeatable. =SOURCE connects onward from that address.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The Trace to make.")],
    scale: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="The scale it runs at; repeatable.")
    ] = None,
    source: Annotated[str | None, typer.Option(help="Connect onward from this address.")] = None,
    preserve_source: Annotated[
        bool, typer.Option("--preserve-source", help="Connect onward from each client's own address.")
    ] = False,
    source_id: Annotated[
        str, typer.Option(help="Identity of the target; by default its cluster id, asked or learned.")
    ] = "",
    tag: Annotated[list[str] | None, typer.Option(metavar="WORD", help="To find it by; repeatable.")] = None,
    hadoop: Annotated[
        str | None, typer.Option(help="The target's release, or a folder of its jars [3.5.0].")
    ] = None,
    keep_unknown: Annotated[
        bool, typer.Option("--keep-unknown", help="Keep payloads that no schema knows: may hold secrets.")
    ] = False,
    duration: Annotated[str | None, typer.Option(help="End by itself after this long, e.g. 30 s.")] = None,
) -> None:
    """Pass connections on to a daemon and record the calls in them.

    Ends with Ctrl-C, or after --duration. Bytes are never altered; tokens and secrets are replaced before
    anything is written.
    """
    from froude.trace.capture.settings import CaptureSettings

    settings: Settings = ctx.obj
    schema, release = schema_of(hadoop, settings)
    asked = CaptureSettings(
        _address(target, "--target"),
        tuple(_listener(text, source, preserve_source) for text in listen),
        output,
        scale_of(scale or []),
        source_id,
        release,
        tags=tuple(tag or ()),
        command=f"froude capture proxy --target {target}",
        keep_unknown=keep_unknown,
    )
    limit_s = parse_quantity(duration, place="--duration").value if duration else None
    if settings.dry_run:
        settings.would(f"record {target} into {output}")
        return
    _show(settings, _run(asked, schema, settings, limit_s))


def scale_of(pairs: list[str]) -> dict[str, Quantity]:
    """Scale variables out of `name=value` texts.

    Raises:
        InputError: not of that form.
    """
    scale: dict[str, Quantity] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise InputError("is no scale variable", place="--scale", found=pair, allowed="name=value")
        scale[name] = parse_quantity(value, place=f"--scale {name}")
    return scale


def _address(text: str, place: str) -> tuple[str, int]:
    from froude.trace.capture.proxy import parse_address

    return parse_address(text, place=place)


def _listener(text: str, source: str | None, preserve_source: bool) -> Listener:
    from froude.trace.capture.proxy import Listener

    where, _, own = text.partition("=")
    host, port = _address(where, "--listen")
    return Listener(host, port, own or source, preserve_source)


def schema_of(hadoop: str | None, settings: Settings) -> tuple[Schema, str]:
    """The schema of the release named, or found in a folder of jars; and the release, where named."""
    from froude.hadoop.schema import Schema

    if hadoop and Path(hadoop).is_dir():
        jars = sorted(path for path in Path(hadoop).rglob("*.jar") if path.is_file())
        if not jars:
            raise InputError("holds no jar", file=hadoop, allowed="a folder of a Hadoop release's jars")
        return Schema.from_jars(jars), ""
    from froude.hadoop.distribution import Hadoop

    found = Hadoop.find(hadoop, progress=settings.progress())
    return Schema.from_jars(found.jars), found.version if hadoop else ""


def _run(asked: CaptureSettings, schema: Schema, settings: Settings, limit_s: float | None) -> CaptureResult:
    from froude.trace.capture.identity import with_source_id
    from froude.trace.capture.service import Addresses, capture, run

    identified = with_source_id(asked, schema)

    async def until(addresses: Addresses) -> None:
        listening = ", ".join(f"{host}:{port}" for host, port in addresses)
        settings.note(f"recording on {listening}; Ctrl-C ends it")
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, ended.set)
        try:
            await asyncio.wait_for(ended.wait(), limit_s)
        except TimeoutError:
            return

    def warn(error: FroudeError) -> None:
        settings.note(f"froude: {error}; connections are still passed on, but no longer recorded")

    with tempfile.NamedTemporaryFile(suffix=".fds") as file:
        file.write(schema.to_bytes())
        file.flush()
        result: CaptureResult = run(capture(identified, Path(file.name), until=until, on_error=warn))
    return result


def _show(settings: Settings, result: CaptureResult) -> None:
    if settings.json:
        settings.emit(result.to_mapping())
        return
    settings.out(f"{result.path}: {result.calls} calls on {result.connections} connections")
    for example in result.examples:
        settings.note(f"lost: {example}")
    if result.loss.dropped_bytes:
        settings.note(f"lost: {result.loss.dropped_bytes} bytes that the recorder could not take in time")
    if not result.source_id:
        settings.note("nothing told whose traffic it is: name it with --source-id, the guard needs it")
