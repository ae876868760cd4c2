"""A packet capture of Hadoop RPC into the Trace that the capture proxy makes of the same traffic.

Packets are read one by one, the bytes of each connection put in order, and what comes of it goes the proxy's way:
`assembly` decodes and redacts in memory, rows are appended to `NAME.partial`, and no secret reaches the disk. Remarks
state, in words, what the reader of such a Trace should know of it.
"""

from __future__ import annotations

import io
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from froude.base.errors import InputError
from froude.base.files import open_regular
from froude.base.packed import unpacked
from froude.base.progress import Progress, Silent, Task
from froude.base.units import Quantity
from froude.documents.artifact import Origin, State
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from froude.trace.assembly import CallAssembly, CallRow
from froude.trace.capture.flows import Address, FlowCounts, Flows
from froude.trace.capture.packets import PacketFile
from froude.trace.capture.settings import CaptureResult
from froude.trace.capture.tcp import Segment, Skipped, segment_in
from froude.trace.files import STREAM
from froude.trace.partial import PartialWriter, read_stream
from froude.trace.redact import Redactor
from froude.trace.types import Fidelity, Loss, TraceMeta

_MOST_NAMED = 5
WHOLE_PACKETS = "Capture whole packets: tcpdump -s 0"
_CALL = ("client_id", "call_id", "retry", "method")
_FLUSH_ROWS = 20_000
_EVERY_PACKETS = 4096


@dataclass(frozen=True, slots=True)
class PcapSettings:
    """What shall be made of a packet capture."""

    path: Path
    output: Path
    """The Trace to make."""
    targets: Mapping[Address, Target] = field(default_factory=dict)
    """Servers whose connections are read, by address and port as they stand in packets; empty for all."""
    scale: Mapping[str, Quantity] = field(default_factory=dict)
    """The scale it ran at."""
    source_id: str = ""
    """Whose traffic it is; empty to learn it from the traffic."""
    release: str = ""
    """The targets' release, where known."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Free facts to keep."""
    keep_unknown: bool = False
    """Keep bodies of methods that the schema does not know: they may hold secrets."""


@dataclass(frozen=True, slots=True)
class PcapResult:
    """What came of a packet capture."""

    capture: CaptureResult
    """The Trace and what it lacks."""
    packets: int
    remarks: tuple[str, ...] = ()
    """What a reader of the Trace should know, in words; they stand in its notes, too."""


def capture_pcap(
    settings: PcapSettings, schema: Schema, origin: Origin | None = None, progress: Progress | None = None
) -> PcapResult:
    """Make a Trace of a packet capture: whole or not at all.

    A capture that is cut or damaged gives what comes before that; the Trace says so.

    Args:
        origin: how it comes to be, for the lineage.
        progress: shows how much of the file is read.

    Raises:
        InputError: it cannot be read, is no packet capture, or holds no connection of Hadoop RPC to those targets.
        MissingError: no space, or no right to write there.
    """
    size = settings.path.stat().st_size if settings.path.exists() else 0
    with (
        open_regular(settings.path) as raw,
        unpacked(raw, settings.path) as stream,
        (progress or Silent()).task(f"reading {settings.path.name}", size) as task,
    ):
        packets = PacketFile(stream, settings.path)
        reading = _Reading(settings, schema, packets)
        try:
            reading.read(raw, task)
            return reading.finish(origin or Origin())
        except BaseException:
            reading.discard()
            raise


class _Reading:
    """One packet capture being read; `read`, then `finish` or `discard`."""

    def __init__(self, settings: PcapSettings, schema: Schema, packets: PacketFile) -> None:
        self._settings, self._packets = settings, packets
        self._counts = PacketCounts()
        self._started_ns: int | None = None
        self._last_s = 0.0
        self._rows: list[CallRow] = []
        redactor = Redactor(schema, secrets.token_bytes(32), keep_unknown=settings.keep_unknown)
        self._assembly = CallAssembly(schema, redactor, self._rows.append)
        self._flows = Flows(self._assembly.take, settings.targets)
        self._writer = PartialWriter(settings.output, schema, self._meta(()))

    def read(self, raw: io.BufferedReader, task: Task) -> None:
        """Read to the end.

        Args:
            raw: the file itself, of which its place is asked.
            task: told how many of its bytes are read.
        """
        told, counts = 0, self._counts
        for packet in self._packets:
            if self._started_ns is None:
                self._started_ns = packet.time_ns
            counts.packets += 1
            segment = segment_in(packet.link_type, packet.data, packet.cut_bytes)
            if isinstance(segment, Segment):
                self._last_s = max(0.0, (packet.time_ns - self._started_ns) / 1e9)
                counts.cut += segment.cut_bytes > 0
                self._flows.take(self._last_s, segment)
            else:
                counts.skipped[segment] += 1
                if segment is Skipped.LINK_TYPE:
                    counts.link_types.add(packet.link_type)
            if counts.packets % _EVERY_PACKETS == 0:
                self._write(_FLUSH_ROWS)
                at = raw.tell()
                task.advance(at - told)
                told = at
        self._flows.finish(self._last_s)
        self._assembly.finish()

    def finish(self, origin: Origin) -> PcapResult:
        """Make the Trace.

        Raises:
            InputError: there is no connection that it could be made of.
        """
        if not self._flows.counts.read:
            raise self._nothing()
        self._write(1)
        assembly = self._assembly
        said = remarks(
            self._counts,
            self._flows.counts,
            cut=self._packets.cut,
            dropped=self._packets.dropped,
            untimed=self._packets.untimed,
            unknown=assembly.unknown_calls,
        )
        said += of_calls(read_stream(self._writer.folder / STREAM)[0])
        meta = self._meta(said)
        named = {("namenode", address): meta.source_id for address in self._flows.servers}
        state = State.INTERRUPTED if self._packets.cut else State.COMPLETE
        self._writer.finish(meta, replace(origin, state=state), assembly.ids or named)
        result = CaptureResult(
            self._settings.output,
            self._writer.rows,
            assembly.connections,
            meta.loss,
            meta.source_id,
            tuple(assembly.examples),
        )
        return PcapResult(result, self._counts.packets, tuple(said))

    def discard(self) -> None:
        """Leave nothing."""
        self._writer.discard()

    def _write(self, least: int) -> None:
        if len(self._rows) >= least:
            self._writer.append(self._rows)
            self._rows.clear()

    def _meta(self, said: Sequence[str]) -> TraceMeta:
        settings, assembly, flows = self._settings, self._assembly, self._flows.counts
        notes = {f"loss {index + 1}": text for index, text in enumerate(assembly.examples)}
        notes |= {f"remark {index + 1}": text for index, text in enumerate(said)}
        return TraceMeta(
            settings.scale,
            (self._started_ns or 0) / 1e9,
            settings.source_id or assembly.source_id or next(iter(assembly.ids.values()), ""),
            settings.release or assembly.release,
            Fidelity(),
            assembly.loss + Loss(dropped_bytes=flows.midway_bytes + flows.late_bytes),
            {**settings.notes, **notes},
        )

    def _nothing(self) -> InputError:
        found = what_was_seen(self._counts, self._flows.counts, self._packets.untimed)
        if self._packets.cut:
            found += f"; {self._packets.cut}"
        remedy = WHOLE_PACKETS if self._counts.cut else None
        if self._flows.counts.left_out:
            remedy = "Name one of these with --target, or leave that out to read all"
        allowed = "connections that begin with the bytes hrpc within the capture"
        message = "holds no connection of Hadoop RPC that can be read"
        return InputError(message, file=self._settings.path, found=found, allowed=allowed, remedy=remedy)


@dataclass(slots=True)
class PacketCounts:
    """What was seen of packets."""

    packets: int = 0
    skipped: Counter[Skipped] = field(default_factory=Counter)
    """Packets that no segment was found in, by the reason."""
    link_types: set[int] = field(default_factory=set)
    """Link types that are not read."""
    cut: int = 0
    """Segments of which the capture holds only a part."""


def remarks(
    packets: PacketCounts, flows: FlowCounts, *, cut: str, dropped: int, untimed: int, unknown: int = 0
) -> list[str]:
    """What is missing and why, and what to do about it.

    Args:
        cut: what ended the file early; empty where nothing did.
        dropped: packets that the capture missed, as far as its file says.
        untimed: packets without a time.
        unknown: calls left out because their answers may be missing.
    """
    said: list[str] = []
    if cut:
        said.append(cut)
    if flows.cut_segments:
        said.append(f"{_many(flows.cut_segments, 'packet')} of what was read cut short. {WHOLE_PACKETS}")
    if flows.midway:
        said.append(
            f"{_many(flows.midway, 'connection')} began before the capture, not readable ({flows.midway_bytes} bytes): "
            "start the capture before the daemons and jobs that it shall see"
        )
    if flows.with_holes:
        said.append(
            f"{_many(flows.with_holes, 'connection')} read only up to a packet that the capture lacks"
        )
    if unknown:
        said.append(f"{_many(unknown, 'call')} left out: whether they were answered is not in the capture")
    if flows.late:
        said.append(
            f"{_many(flows.late, 'packet')} came after the end of their connections and were not read "
            f"({flows.late_bytes} bytes)"
        )
    if dropped:
        said.append(
            f"the capture itself missed {_many(dropped, 'packet')}; a larger buffer helps: tcpdump -B 65536"
        )
    if flows.read and flows.one_sided == flows.read:
        said.append("nothing that a server sent is in the capture: it was taken where only requests pass")
    elif flows.unheard:
        said.append(
            f"{_many(flows.unheard, 'connection')} of which the capture holds nothing that the server sent"
        )
    said.extend(
        f"{_many(packets.skipped[reason], 'packet')} left out: {reason.value}{_types(packets, reason)}"
        for reason in (Skipped.FRAGMENT, Skipped.CUT, Skipped.DAMAGED, Skipped.LINK_TYPE)
        if packets.skipped[reason]
    )
    if untimed:
        said.append(f"{_many(untimed, 'packet')} left out: their blocks have no time")
    if flows.left_out:
        said.append(
            f"connections of Hadoop RPC to other servers left out: {_servers(flows.left_out.items())}"
        )
    return said


def what_was_seen(packets: PacketCounts, flows: FlowCounts, untimed: int) -> str:
    """Of a capture without a connection that could be read: what it holds instead."""
    connections = flows.others + flows.midway + sum(flows.left_out.values())
    parts = [f"{packets.packets} packets", f"{connections} TCP connections with payload"]
    parts += [
        f"{count} packets {reason.value}{_types(packets, reason)}"
        for reason, count in packets.skipped.items()
    ]
    if packets.cut:
        parts.append(f"{packets.cut} segments cut short")
    if untimed:
        parts.append(f"{untimed} packets without a time")
    if flows.left_out:
        parts.append(f"Hadoop RPC to {_servers(flows.left_out.items())}")
    return ", ".join(parts)


def of_calls(calls: pa.Table) -> list[str]:
    """What is odd about the calls themselves.

    Args:
        calls: one a row, with the columns of a Trace.
    """
    return [said for said in (_without_payload(calls), _twice(calls)) if said]


def _without_payload(calls: pa.Table) -> str:
    """Whether the schema lacks protocols, as that of HDFS alone lacks those of YARN."""
    bare = calls.filter(pc.field("request").is_null())
    if not bare.num_rows:
        return ""
    protocols = Counter(str(name).rpartition(".")[2] for name in bare.column("protocol").to_pylist())
    named = ", ".join(protocol for protocol, _ in protocols.most_common(_MOST_NAMED))
    return (
        f"{_many(bare.num_rows, 'call')} kept without payload, which the schema does not know ({named}): "
        "name a folder with the jars of these daemons by --hadoop"
    )


def _twice(calls: pa.Table) -> str:
    """Whether calls are there twice: the same client's id, number there, and number of tries on two connections."""
    table = calls.filter((pc.field("client_id") != b"") & (pc.field("call_id") >= 0))
    groups = table.group_by(list(_CALL)).aggregate([("connection", "min"), ("connection", "max")])
    groups = groups.filter(pc.field("connection_min") != pc.field("connection_max"))
    if not groups.num_rows:
        return ""
    address_of = dict(
        zip(*(table.column(name).to_pylist() for name in ("connection", "address")), strict=True)
    )
    pairs = Counter(
        (address_of[first], address_of[last])
        for first, last in zip(
            *(groups.column(name).to_pylist() for name in ("connection_min", "connection_max")), strict=True
        )
    )
    named = ", ".join(f"{one} and {other}" for (one, other), _ in pairs.most_common(_MOST_NAMED))
    return (
        f"{_many(groups.num_rows, 'call')} there twice, to {named}: the capture holds both sides of a proxy. "
        "Choose one with --target"
    )


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _types(packets: PacketCounts, reason: Skipped) -> str:
    numbers = ", ".join(map(str, sorted(packets.link_types))) if reason is Skipped.LINK_TYPE else ""
    return f" (LINKTYPE {numbers})" if numbers else ""


def _servers(counts: Iterable[tuple[Address, int]]) -> str:
    most = sorted(counts, key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{host}:{port} ({count})" for (host, port), count in most[:_MOST_NAMED])
    return named + (f" and {len(most) - _MOST_NAMED} more" if len(most) > _MOST_NAMED else "")
