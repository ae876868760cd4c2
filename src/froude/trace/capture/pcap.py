"""A packet capture of Hadoop RPC into the Trace that the capture proxy makes of the same traffic.

Packets are read one by one, the bytes of each connection put in order, and what comes of it goes the proxy's way:
`assembly` decodes and redacts in memory, rows are appended to `NAME.partial`, and no secret reaches the disk.
"""

from __future__ import annotations

import io
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from froude.base.errors import InputError
from froude.base.files import open_regular
from froude.base.packed import unpacked
from froude.base.progress import Progress, Silent, Task
from froude.base.units import Quantity
from froude.documents.artifact import Origin, State
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from froude.trace.assembly import CallAssembly, CallRow
from froude.trace.capture.flows import Address, Flows
from froude.trace.capture.packet_headers import Segment, Skipped, segment_in
from froude.trace.capture.packets import PacketFile
from froude.trace.capture.pcap_remarks import WHOLE_PACKETS, PacketCounts, of_calls, remarks, what_was_seen
from froude.trace.capture.settings import CaptureResult
from froude.trace.files import STREAM
from froude.trace.partial import PartialWriter, read_stream
from froude.trace.redact import Redactor
from froude.trace.types import Fidelity, Loss, TraceMeta

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
        schema: of the release recorded.
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
