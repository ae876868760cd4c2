"""Reads a connection it does not take part in: both directions of a captured conversation, as events.

It needs no schema: headers are decoded, bodies stay bytes. It believes neither side. A frame that does not
decode becomes `Undecodable` and reading goes on with the next; only when frames cannot be told apart any more
(a foreign protocol, an impossible length, an encrypted stream) is a direction `Lost`, and its later bytes are
counted in `skipped_bytes`. What is read depends on the bytes and their order, never on the pieces they come
in. SASL with qop=auth leaves the payload in clear and is read through; wrapped payload is `Undecodable`, one
event a frame.

An answer is matched to its call only where it must be: the result of a Writable call has no length of its
own.
"""

from __future__ import annotations

from froude.hadoop.rpc import headers
from froude.hadoop.rpc.codec import (
    PREAMBLE_BYTES,
    decode_client_frame,
    decode_preamble,
    decode_response,
    parse,
)
from froude.hadoop.rpc.errors import RemoteProtocolError
from froude.hadoop.rpc.events import (
    Closed,
    Event,
    Lost,
    Preamble,
    Request,
    Sasl,
    Undecodable,
)
from froude.hadoop.rpc.frames import FRAME_LIMIT_BYTES, FrameReader
from froude.hadoop.rpc.headers import SaslState

# Writable calls without an answer that are remembered; more than this in flight on one connection is hostile.
_WRITABLE_LIMIT = 65_536


class Observer:
    """A passive reader of one connection.

    Args:
        limit_bytes: largest frame that is put together; Hadoop's own limit by default.
    """

    __slots__ = ("_client", "_lost", "_preamble", "_server", "_unanswered", "_writable", "skipped_bytes")

    def __init__(self, limit_bytes: int = FRAME_LIMIT_BYTES) -> None:
        self._client = FrameReader(limit_bytes)
        self._server = FrameReader(limit_bytes)
        self._preamble = False
        self._lost = [False, False]
        self._writable: set[int] = set()
        self._unanswered = 0
        self.skipped_bytes = 0
        """Bytes of a lost direction: the impossible length and all that follows, or what follows a foreign
        beginning."""

    @property
    def pending_bytes(self) -> int:
        """Bytes of both directions that wait for the rest of their frame."""
        return self._client.pending + self._server.pending

    def events(self, data: bytes, *, from_client: bool) -> list[Event]:
        """Take bytes of either side; what they complete."""
        if self._lost[from_client]:
            self.skipped_bytes += len(data)
            return []
        reader = self._client if from_client else self._server
        if reader.is_frame(data) and (self._preamble or not from_client):
            return [self._read(data[4:], from_client)]
        return self._feed(reader, data, from_client)

    def closed(self) -> Closed:
        """The connection is over: says whether a frame was torn and how many calls had no answer."""
        torn = self.pending_bytes > 0 and not all(self._lost)
        return Closed(torn, max(0, self._unanswered))

    def _feed(self, reader: FrameReader, data: bytes, from_client: bool) -> list[Event]:
        reader.feed(data)
        events: list[Event] = []
        try:
            if from_client and not self._preamble:
                preamble = self._read_preamble(reader)
                if preamble is None:
                    return events
                events.append(preamble)
            while (payload := reader.next_frame()) is not None:
                events.append(self._read(payload, from_client))
        except RemoteProtocolError as error:
            self._lose(reader, from_client=from_client)
            events.append(Lost(from_client, str(error)))
        return events

    def _lose(self, reader: FrameReader, *, from_client: bool) -> None:
        self._lost[from_client] = True
        self.skipped_bytes += reader.pending
        reader.take(reader.pending)

    def _read_preamble(self, reader: FrameReader) -> Preamble | None:
        raw = reader.take(PREAMBLE_BYTES)
        if raw is None:
            return None
        preamble = decode_preamble(raw)
        self._preamble = True
        return preamble

    def _read(self, payload: bytes, from_client: bool) -> Event:
        try:
            return self._read_client(payload) if from_client else self._read_server(payload)
        except RemoteProtocolError as error:
            return Undecodable(from_client, str(error), len(payload) + 4)

    def _read_client(self, payload: bytes) -> Event:
        event = decode_client_frame(payload)
        if isinstance(event, Request):
            self._unanswered += 1
            if event.kind == headers.KIND_WRITABLE and len(self._writable) < _WRITABLE_LIMIT:
                self._writable.add(event.call_id)
            return event
        return _unless_wrapped(event, len(payload))

    def _read_server(self, payload: bytes) -> Event:
        if self._writable:
            header, _ = parse(headers.ResponseHeader, payload, 0)
            call_id = headers.signed(header.callId)
            event = decode_response(payload, writable=call_id in self._writable)
            self._writable.discard(call_id)
        else:
            event = decode_response(payload)
        if isinstance(event, Sasl):
            return _unless_wrapped(event, len(payload))
        if event.call_id >= 0:
            self._unanswered -= 1
        return event


def _unless_wrapped(event: Event, size: int) -> Event:
    if isinstance(event, Sasl) and event.state is SaslState.WRAP:
        reason = "is wrapped: its connection protects the payload (QOP integrity or privacy)"
        return Undecodable(event.from_client, reason, size + 4, protected=True)
    return event
