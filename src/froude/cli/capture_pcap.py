"""`froude capture pcap`: a packet capture into a Trace."""

from __future__ import annotations

import ipaddress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli.capture_inputs import schema_of, target_of
from froude.cli.outputs import Output, claim
from froude.workload.scale import Scale

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.hadoop.rpc.target import Target
    from froude.trace.capture.pcap import PcapResult


def pcap(
    ctx: typer.Context,
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="A packet capture: pcap or pcapng, plain or packed.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The Trace to make.")],
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SERVICE=]IP:PORT",
            help="Read only connections to this server, as packets name it; all by default; repeatable.",
        ),
    ] = None,
    scale: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="The scale it ran at; repeatable.")
    ] = None,
    source_id: Annotated[
        str, typer.Option(help="Identity of the target; by default its cluster id, learned.")
    ] = "",
    tag: Annotated[list[str] | None, typer.Option(metavar="WORD", help="To find it by; repeatable.")] = None,
    hadoop: Annotated[
        str | None, typer.Option(help="The recorded release, or a folder of its jars [3.5.0].")
    ] = None,
    keep_unknown: Annotated[
        bool, typer.Option("--keep-unknown", help="Keep payloads that no schema knows: may hold secrets.")
    ] = False,
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
    _show(
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


def _show(settings: Settings, result: PcapResult, services: list[str]) -> None:
    from froude.trace.seen import advice, in_words, seen

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
