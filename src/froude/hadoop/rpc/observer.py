"""Reads a connection it does not take part in: both directions of a captured conversation, as events.

It needs no schema: headers are decoded, bodies stay bytes. It believes neither side. A frame that does not
decode becomes `Undecodable` and reading goes on with the next; only when frames cannot be told apart any more
(a foreign protocol, an impossible length, an encrypted stream) is a direction `Lost`, and its later bytes are
counted in `skipped_bytes`. SASL with qop=auth leaves the payload in clear and is read through; wrapped
payload is `Undecodable`, one event a frame.

An answer is matched to its call only where it must be: the result of a Writable call has no length of its
own.
"""

from __future__ import annotations

from typing import NamedTuple

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
    ErrorResponse,
    Event,
    FatalResponse,
    Lost,
    Preamble,
    Request,
    Response,
    Sasl,
    Undecodable,
)
from froude.hadoop.rpc.frames import FRAME_LIMIT_BYTES, FrameReader
from froude.hadoop.rpc.headers import SaslState

# Writable calls without an answer that are remembered; more than this in flight on one connection is hostile.
_WRITABLE_LIMIT = 65_536


class Seen(NamedTuple):
    """An event and when its last byte passed."""

    at_s: float
    event: Event


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
        """Bytes of a lost direction, after the frame that lost it."""

    @property
    def pending_bytes(self) -> int:
        """Bytes of both directions that wait for the rest of their frame."""
        return self._client.pending + self._server.pending

    def from_client(self, data: bytes, at_s: float) -> list[Seen]:
        """Take bytes that the client sent, which passed at `at_s`."""
        return self._feed(self._client, data, at_s, from_client=True)

    def from_server(self, data: bytes, at_s: float) -> list[Seen]:
        """Take bytes that the server sent, which passed at `at_s`."""
        return self._feed(self._server, data, at_s, from_client=False)

    def closed(self, at_s: float) -> list[Seen]:
        """The connection is over: says whether a frame was torn and how many calls had no answer."""
        torn = self.pending_bytes > 0 and not all(self._lost)
        return [Seen(at_s, Closed(torn, max(0, self._unanswered)))]

    def _feed(self, reader: FrameReader, data: bytes, at_s: float, *, from_client: bool) -> list[Seen]:
        if self._lost[from_client]:
            self.skipped_bytes += len(data)
            return []
        reader.feed(data)
        seen: list[Seen] = []
        try:
            if from_client and not self._preamble:
                preamble = self._read_preamble(reader)
                if preamble is None:
                    return seen
                seen.append(Seen(at_s, preamble))
            while (payload := reader.next_frame()) is not None:
                seen.append(Seen(at_s, self._read(payload, from_client=from_client)))
        except RemoteProtocolError as error:
            self._lose(reader, from_client=from_client)
            seen.append(Seen(at_s, Lost(from_client, str(error))))
        return seen

    def _lose(self, reader: FrameReader, *, from_client: bool) -> None:
        self._lost[from_client] = True
        reader.take(reader.pending)

    def _read_preamble(self, reader: FrameReader) -> Preamble | None:
        raw = reader.take(PREAMBLE_BYTES)
        if raw is None:
            return None
        preamble = decode_preamble(raw)
        self._preamble = True
        return preamble

    def _read(self, payload: bytes, *, from_client: bool) -> Event:
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
        return _unless_wrapped(event, len(payload))

    def _read_server(self, payload: bytes) -> Event:
        if self._writable:
            header, _ = parse(headers.ResponseHeader, payload, 0)
            call_id = headers.signed(header.callId)
            event: Event = decode_response(payload, writable=call_id in self._writable)
            self._writable.discard(call_id)
        else:
            event = decode_response(payload)
        if isinstance(event, (Response, ErrorResponse, FatalResponse)) and event.call_id >= 0:
            self._unanswered -= 1
        return _unless_wrapped(event, len(payload))


def _unless_wrapped(event: Event, size: int) -> Event:
    if isinstance(event, Sasl) and event.state is SaslState.WRAP:
        return Undecodable(event.from_client, "is wrapped: its connection protects the payload", size + 4)
    return event
