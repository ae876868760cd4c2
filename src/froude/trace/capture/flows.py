"""From TCP segments to the records of a tape: which connections speak Hadoop RPC, and what passed on each.

A connection counts whose first bytes are `hrpc`; its server is the side that these go to. Its beginning is known by
its SYN, or by those bytes themselves where the capture lacks the SYN. One that began before the capture cannot be
read, for its frames cannot be told apart. A hole that stays ends what is read of a connection: what came before it is
kept, the rest is counted.

Pure: segments in, records out. Memory is bounded by what is held behind holes and by the number of connections that
are looked at.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from froude.hadoop.rpc.target import Target, target_at
from froude.trace.capture.tcp import ACK, FIN, RST, SYN, Segment, Stream, reverse, source_of
from froude.trace.tape import Record, RecordKind

HELD_BYTES = 8 << 20
"""Bytes held behind a hole of one direction: more than a window of TCP as Linux sizes it (6 MB), so it stays."""
HELD_IN_ALL_BYTES = 256 << 20
"""The same of all connections together."""
MOST_FLOWS = 1 << 17
"""Connections that are looked at, beyond which those go that are over, or of other protocols."""
_EARLY_BYTES, _EARLY_OVERHEAD = 64 << 10, 128
_MOST_WINDOW = 1 << 30
"""Bytes of the largest window that TCP can have (RFC 7323, 2.3): no side acknowledges more than that at once."""
_LINGER_S = 5.0
"""How long a connection that was reset is read on: a capture may show the RST before what was sent earlier."""
_MAGIC = b"hrpc"
_WRAP = 1 << 32

Address = tuple[str, int]


class _Phase(Enum):
    """How far it is known what a connection is."""

    OPENING = auto()
    """Its SYN was seen, its first bytes not yet."""
    READ = auto()
    """It speaks Hadoop RPC and is read."""
    LEFT_OUT = auto()
    """It is not read."""
    OVER = auto()
    """It has ended; later copies of its packets tell nothing new."""


@dataclass(slots=True)
class _Connection:
    """One connection; `flow` is that of its client."""

    flow: bytes
    initial: int
    """The client's initial sequence number."""
    to_server: Stream
    answer: int | None = None
    """The server's initial sequence number, where its SYN was seen."""
    to_client: Stream | None = None
    phase: _Phase = _Phase.OPENING
    number: int = 0
    begin: bytes = b""
    early: list[tuple[float, Segment]] = field(default_factory=list)
    """What the server sent before the client's first bytes were seen."""
    early_bytes: int = 0
    acknowledged: int = -1
    """Place up to which the server had the client's bytes when it sent what was seen of it."""
    waiting: deque[tuple[int, float, bytes]] = field(default_factory=deque)
    """What the server sent once it had bytes that were not seen yet: that place, when it passed, the bytes."""
    waiting_bytes: int = 0
    answered: bool = False
    sent_to_client: int = -1
    """Place up to which the server's bytes were sent, as acknowledgements and sequence numbers show it."""
    rival: _Connection | None = None
    """What a SYN of another number would begin on the same ports, should anything more come of it."""
    reset_by: bytes = b""
    """The flow of the side that has sent an RST."""
    skipped_bytes: int = 0
    """Bytes behind a hole that stays."""
    blind: bool = False
    """Nothing more of it is read."""
    with_hole: bool = False


@dataclass(slots=True)
class FlowCounts:
    """What was seen of connections."""

    read: int = 0
    """Speak Hadoop RPC and were read."""
    left_out: dict[Address, int] = field(default_factory=dict)
    """Speak Hadoop RPC to servers that were not asked for, by server."""
    others: int = 0
    """Speak other protocols, or nothing."""
    midway: int = 0
    """Began before the capture, with a server of those that were read."""
    midway_bytes: int = 0
    """Payload that passed on these."""
    one_sided: int = 0
    """Were read, and the capture holds nothing that the server sent."""
    with_holes: int = 0
    """Were read up to packets that the capture lacks."""
    unheard: int = 0
    """Were read, and of all that the client acknowledged the capture holds nothing."""
    late: int = 0
    """Packets with bytes of connections that had ended before."""
    late_bytes: int = 0
    """Those bytes, without copies of earlier ones."""
    cut_segments: int = 0
    """Segments of those that were read of which the capture holds only a part."""


class Flows:
    """Follows all TCP connections of a capture.

    Args:
        emit: called with each record, in the order of the capture.
        targets: servers whose connections are read, with what is known of them; empty for all.
        held_bytes: most that is held behind a hole of one direction.
        held_in_all_bytes: most that is held of all connections.
    """

    def __init__(
        self,
        emit: Callable[[Record], None],
        targets: Mapping[Address, Target] | None = None,
        *,
        held_bytes: int = HELD_BYTES,
        held_in_all_bytes: int = HELD_IN_ALL_BYTES,
    ) -> None:
        self.counts = FlowCounts()
        """What was seen so far; `midway` once `finish` was called."""
        self._emit = emit
        self._targets = targets or {}
        self._limits = held_bytes, held_in_all_bytes
        self._held_bytes = 0
        self._connections: dict[bytes, _Connection] = {}
        """By the flow of either side."""
        self._midway: dict[bytes, int] = {}
        """Payload of connections whose beginning was not seen, by the flow that was seen first."""
        self._resets: deque[tuple[float, _Connection]] = deque()
        """Connections that were reset and are still read, and when."""
        self._servers: set[Address] = set()
        self._forget_from = 2 * MOST_FLOWS

    @property
    def servers(self) -> set[str]:
        """Addresses of the servers whose connections were read, as targets have them."""
        return {target_at("", server, "").address for server in self._servers}

    def take(self, time_s: float, segment: Segment) -> None:
        """One segment, in the order of the capture."""
        while self._resets and time_s - self._resets[0][0] > _LINGER_S:
            self._end_reset(time_s, self._resets.popleft()[1])
        connection = self._connections.get(segment.flow)
        if not segment.payload and not segment.flags & (SYN | FIN | RST) and not segment.cut_bytes:
            if connection is not None and connection.phase is _Phase.READ:
                _weigh(connection, segment)
            return  # half of all segments
        if segment.flags & SYN:
            connection = self._opened(time_s, segment, connection)
        elif connection is not None and _begins_rival(connection, segment):
            connection = self._replace(time_s, connection)
        elif connection is None or connection.phase is _Phase.OVER or _is_new(connection, segment):
            connection = self._found(time_s, segment, connection)
        if connection is not None:
            self._take(time_s, segment, connection)

    def finish(self, time_s: float) -> None:
        """The capture ends: connections stay open, holes stay holes."""
        for connection in {id(each): each for each in self._connections.values()}.values():
            if connection.reset_by:
                self._end_reset(time_s, connection)
            elif connection.phase is _Phase.READ:
                self._settle(time_s, connection)
            elif connection.phase is _Phase.OPENING:
                self._never_began(connection)
        for flow, size in self._midway.items():
            if {source_of(flow), source_of(reverse(flow))} & self._servers:
                self.counts.midway += 1
                self.counts.midway_bytes += size
            else:
                self.counts.others += 1

    def _opened(self, time_s: float, segment: Segment, known: _Connection | None) -> _Connection | None:
        """A SYN: the connection that it belongs to, which may be a new one on the ports of another.

        One that carries data still is not ended by a SYN alone (RFC 5961, 4), but by what follows it.
        """
        answers = bool(segment.flags & ACK)
        initial = (segment.acknowledged - 1) % _WRAP if answers else segment.sequence
        flow = reverse(segment.flow) if answers else segment.flow
        if known is None or known.flow != flow or _is_other(known, segment, answers=answers):
            if known is not None and known.phase in (_Phase.OPENING, _Phase.READ) and not known.reset_by:
                confirmed = known.rival is not None and (known.rival.flow, known.rival.initial) == (
                    flow,
                    initial,
                )
                if not (answers and confirmed) and not segment.payload.startswith(_MAGIC):
                    known.rival = _Connection(flow, initial, Stream((initial + 1) % _WRAP))
                    return None
            if known is not None:
                self._close(time_s, known, _reason(known))
            known = self._new(flow, initial)
        if answers:
            known.answer = segment.sequence
            if known.to_client is None:
                known.to_client = Stream((segment.sequence + 1) % _WRAP)
        return known

    def _replace(self, time_s: float, known: _Connection) -> _Connection:
        """The connection that follows on the ports of a known one, which has ended unseen."""
        rival = known.rival
        assert rival is not None
        self._close(time_s, known)
        return self._new(rival.flow, rival.initial)

    def _found(self, time_s: float, segment: Segment, over: _Connection | None) -> _Connection | None:
        """A segment of no open connection: the first of one, from the middle of one, late, or a copy."""
        initial = (segment.sequence - 1) % _WRAP
        if segment.payload.startswith(_MAGIC) and (over is None or over.initial != initial):
            if over is not None and over.phase is _Phase.READ:
                self._close(time_s, over, _reason(over))
            return self._new(segment.flow, initial)
        if over is None and segment.payload:
            self._passed_midway(segment.flow, len(segment.payload) + segment.cut_bytes)
        elif over is not None and over.number and not over.with_hole:
            stream = over.to_server if segment.flow == over.flow else over.to_client
            end = len(segment.payload) + segment.cut_bytes
            late = end if stream is None else stream.place(segment.sequence) + end - stream.next
            if min(late, end) > 0:
                self.counts.late += 1
                self.counts.late_bytes += min(late, end)
        return None

    def _passed_midway(self, flow: bytes, size: int) -> None:
        """Bytes of a connection whose first ones were not seen."""
        flow = max(flow, reverse(flow))
        if flow in self._midway or len(self._midway) < MOST_FLOWS:
            self._midway[flow] = self._midway.get(flow, 0) + size

    def _new(self, flow: bytes, initial: int) -> _Connection:
        if len(self._connections) >= self._forget_from:
            self._forget()
        connection = _Connection(flow, initial, Stream((initial + 1) % _WRAP))
        self._connections[flow] = self._connections[reverse(flow)] = connection
        return connection

    def _forget(self) -> None:
        """Let go of the older half of connections that are not read."""
        idle = [flow for flow, each in self._connections.items() if each.phase is not _Phase.READ]
        for flow in idle[: len(idle) // 4 * 2]:  # both flows of a connection stand side by side
            connection = self._connections.pop(flow)
            if connection.phase is _Phase.OPENING:
                self._never_began(connection)
        self._forget_from = max(2 * MOST_FLOWS, 2 * len(self._connections))

    def _take(self, time_s: float, segment: Segment, connection: _Connection) -> None:
        phase = connection.phase
        if phase is _Phase.OPENING:
            self._look(time_s, segment, connection)
        elif phase is _Phase.READ:
            self._read(time_s, segment, connection)
        if not segment.flags & RST or not _is_expected(connection, segment):
            return
        if connection.phase is not _Phase.READ:
            self._close(time_s, connection)
        elif not connection.reset_by:
            connection.reset_by = segment.flow
            self._resets.append((time_s, connection))

    def _end_reset(self, time_s: float, connection: _Connection) -> None:
        """Nothing more is awaited of a connection that was reset, unless who did so has gone on sending."""
        if connection.phase is _Phase.READ and connection.reset_by:
            self._close(time_s, connection, b"reset")

    def _look(self, time_s: float, segment: Segment, connection: _Connection) -> None:
        """Wait for the client's first bytes."""
        if segment.flow != connection.flow:
            if segment.payload or segment.flags & FIN:
                connection.early_bytes += len(segment.payload) + _EARLY_OVERHEAD
                connection.early.append((time_s, segment))
            if connection.early_bytes > _EARLY_BYTES:
                self._never_began(connection)
            return
        stream = connection.to_server
        connection.begin += self._in_line(connection, stream, segment)
        if len(connection.begin) >= len(_MAGIC) and connection.begin.startswith(_MAGIC):
            self._begin(time_s, segment, connection)
        elif len(connection.begin) >= len(_MAGIC) or stream.ended or self._too_much_held(stream):
            self._never_began(connection)

    def _never_began(self, connection: _Connection) -> None:
        """Its first bytes are others, or none, or missing."""
        missing = connection.to_server.missing_bytes
        if missing and not connection.begin:
            self._passed_midway(connection.flow, missing + connection.early_bytes)
        else:
            self.counts.others += 1
        self._drop(connection, _Phase.LEFT_OUT)

    def _too_much_held(self, stream: Stream) -> bool:
        each, in_all = self._limits
        return stream.held_bytes > each or (stream.held_bytes > 0 and self._held_bytes > in_all)

    def _begin(self, time_s: float, segment: Segment, connection: _Connection) -> None:
        """It speaks Hadoop RPC: read it, if its server is one that was asked for."""
        client, server = source_of(connection.flow), source_of(reverse(connection.flow))
        if self._targets and server not in self._targets:
            self.counts.left_out[server] = self.counts.left_out.get(server, 0) + 1
            self._drop(connection, _Phase.LEFT_OUT)
            return
        self._servers.add(server)
        self.counts.read += 1
        connection.number, connection.phase = self.counts.read, _Phase.READ
        if connection.to_client is None and segment.flags & ACK:
            connection.to_client = Stream(segment.acknowledged)  # it has not sent anything yet
        target = self._targets.get(server) or target_at("", server, "")
        facts = {"peer": client, "from": client[0], "at": server[0], "port": server[1], "target": target}
        self._emit((time_s, connection.number, RecordKind.OPEN, json.dumps(facts).encode()))
        self._emit((time_s, connection.number, RecordKind.TO_SERVER, connection.begin))
        early, connection.begin, connection.early = connection.early, b"", []
        for at_s, answer in early:
            if connection.phase is _Phase.READ:
                self._read(max(at_s, time_s), answer, connection)

    def _read(self, time_s: float, segment: Segment, connection: _Connection) -> None:
        from_client = segment.flow == connection.flow
        if from_client:
            stream = connection.to_server
        else:
            if connection.to_client is None:
                connection.to_client = Stream(segment.sequence)
            stream = connection.to_client
            connection.answered = connection.answered or bool(segment.payload)
        data = self._in_line(connection, stream, segment)
        if data and segment.flow == connection.reset_by:
            connection.reset_by = b""  # that was not its own RST, or one that nobody took
        _weigh(connection, segment)
        if connection.blind:
            connection.skipped_bytes += len(data)
        elif from_client:
            if data:
                self._emit((time_s, connection.number, RecordKind.TO_SERVER, data))
            if connection.waiting:
                self._answer(connection, connection.to_server.next, time_s)
        elif segment.payload:
            self._answered(time_s, segment, connection, data)
        self.counts.cut_segments += segment.cut_bytes > 0
        too_late = (
            connection.answered and not connection.blind and _unseen_bytes(connection) > self._limits[0]
        )
        if self._too_much_held(stream) or connection.waiting_bytes > self._limits[0] or too_late:
            self._give_up(time_s, connection)
        elif connection.to_server.ended and connection.to_client is not None and connection.to_client.ended:
            self._close(time_s, connection)

    def _answered(self, time_s: float, segment: Segment, connection: _Connection, data: bytes) -> None:
        """Bytes of the server, which a capture may show before the client's bytes that they answer."""
        if segment.flags & ACK:
            place = connection.to_server.place(segment.acknowledged)
            connection.acknowledged = max(connection.acknowledged, place)
        if data and (connection.waiting or connection.acknowledged > connection.to_server.next):
            connection.waiting.append((connection.acknowledged, time_s, data))
            connection.waiting_bytes += len(data) + _EARLY_OVERHEAD
        elif data:
            self._emit((time_s, connection.number, RecordKind.TO_CLIENT, data))

    def _answer(self, connection: _Connection, seen: float, time_s: float = 0.0) -> None:
        """Give out what waited for the client's bytes up to `seen`, at `time_s` unless it passed later."""
        while connection.waiting and connection.waiting[0][0] <= seen:
            _, at_s, data = connection.waiting.popleft()
            connection.waiting_bytes -= len(data) + _EARLY_OVERHEAD
            self._emit((max(at_s, time_s), connection.number, RecordKind.TO_CLIENT, data))

    def _in_line(self, connection: _Connection, stream: Stream, segment: Segment) -> bytes:
        if connection.blind:
            return segment.payload
        before = stream.held_bytes
        sequence = segment.sequence + 1 if segment.flags & SYN else segment.sequence
        # Behind a payload that was cut the end is not where it seems.
        fin = bool(segment.flags & FIN) and not segment.cut_bytes
        data = stream.take(sequence, segment.payload, fin=fin)
        self._held_bytes += stream.held_bytes - before
        return data

    def _give_up(self, time_s: float, connection: _Connection) -> None:
        """A hole stays: nothing that comes after it is read, but the answers to what came before."""
        self._answer(connection, math.inf)
        stream = connection.to_server
        missing = max(stream.missing_bytes, connection.acknowledged - stream.next)
        unseen = _unseen_bytes(connection)
        if connection.answered or missing:
            self.counts.with_holes += missing + unseen > 0
        else:
            self.counts.unheard += unseen > 0
        missing += unseen
        connection.with_hole = missing > 0
        if missing:
            self._emit((time_s, connection.number, RecordKind.GAP, str(missing).encode()))
        self._release(connection)
        connection.blind = True

    def _settle(self, time_s: float, connection: _Connection) -> None:
        """Nothing more comes of it: say what was not read."""
        if not connection.blind:
            self._give_up(time_s, connection)
        if connection.skipped_bytes:
            self._emit((time_s, connection.number, RecordKind.GAP, str(connection.skipped_bytes).encode()))
        self.counts.one_sided += not connection.answered

    def _close(self, time_s: float, connection: _Connection, reason: bytes = b"") -> None:
        if connection.phase is _Phase.OPENING:
            self._never_began(connection)
        elif connection.phase is _Phase.READ:
            self._settle(time_s, connection)
            self._emit((time_s, connection.number, RecordKind.CLOSE, reason))
        self._drop(connection, _Phase.OVER)

    def _drop(self, connection: _Connection, phase: _Phase) -> None:
        """Keep no more of it than that it was there."""
        self._release(connection)
        connection.phase, connection.begin, connection.early = phase, b"", []
        connection.waiting.clear()

    def _release(self, connection: _Connection) -> None:
        for stream in (connection.to_server, connection.to_client):
            if stream is not None:
                self._held_bytes -= stream.held_bytes
                stream.clear()


def _is_other(known: _Connection, segment: Segment, *, answers: bool) -> bool:
    """Whether a SYN begins another connection on the ports of a known one, and is no copy of its own."""
    if answers:  # it may acknowledge bytes that came with the client's SYN
        return known.answer not in (None, segment.sequence)
    return known.initial != segment.sequence


def _is_new(known: _Connection, segment: Segment) -> bool:
    """Whether a segment begins another connection on the ports of one that was reset."""
    initial = (segment.sequence - 1) % _WRAP
    return bool(known.reset_by) and segment.payload.startswith(_MAGIC) and known.initial != initial


def _begins_rival(known: _Connection, segment: Segment) -> bool:
    """Whether a segment brings the first bytes of the connection that a SYN announced."""
    rival = known.rival
    if rival is None or not segment.payload or known.phase is _Phase.OVER:
        return False
    if segment.payload[: len(_MAGIC)] != _MAGIC[: len(segment.payload)]:
        return False
    return (segment.flow, segment.sequence) == (rival.flow, (rival.initial + 1) % _WRAP)


def _reason(known: _Connection) -> bytes:
    return b"reset" if known.reset_by else b""


def _is_expected(connection: _Connection, segment: Segment) -> bool:
    """Whether an RST has the sequence number that its receiver expects (RFC 5961, 3; RFC 9293, 3.10.7.3)."""
    if segment.flow == connection.flow:
        stream, furthest = connection.to_server, connection.acknowledged
    elif connection.to_client is None:  # refuses the SYN
        return segment.flags & ACK == 0 or segment.acknowledged == (connection.initial + 1) % _WRAP
    else:
        stream, furthest = connection.to_client, connection.sent_to_client
    place = stream.place(segment.sequence) + len(segment.payload)
    return connection.blind or place in {stream.next, furthest, stream.next + stream.missing_bytes}


def _weigh(connection: _Connection, segment: Segment) -> None:
    """Learn how much the server had sent: what the client acknowledges, and where the server itself goes on."""
    to_client, to_server = connection.to_client, connection.to_server
    if to_client is None or not segment.flags & ACK or segment.flags & (SYN | RST) or connection.reset_by:
        return
    from_client = segment.flow == connection.flow
    # Only of segments that fit what was seen of the client.
    mine, its = segment.sequence, segment.acknowledged
    known, shown = (to_server.place(mine), its) if from_client else (to_server.place(its), mine)
    if not -HELD_BYTES <= known - to_server.next <= 0:
        return
    place = to_client.place(shown)
    if place - max(connection.sent_to_client, to_client.next) <= _MOST_WINDOW:
        connection.sent_to_client = max(connection.sent_to_client, place)


def _unseen_bytes(connection: _Connection) -> int:
    """Bytes of the server that were sent and not given out; not its FIN, which counts one in acknowledgements."""
    stream = connection.to_client
    if stream is None:
        return 0
    missing, shown = stream.missing_bytes, connection.sent_to_client - stream.next
    return missing if shown == missing + 1 else max(missing, shown)
