"""From a tape's records to calls: frames are decoded, secrets redacted, answers joined with their requests.

Pure: records in, rows out. The recorder of the capture proxy and the tape importer both run it. A row is a
tuple in the order of `Call`'s fields (its status as text): a recorder makes tens of thousands a second, and
a frozen dataclass costs as much as decoding a frame.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from froude.base.errors import InputError
from froude.hadoop.rpc import events
from froude.hadoop.rpc.namespace import namespace_in, resourcemanager_id, tells_namespace, tells_start
from froude.hadoop.rpc.observer import Observer
from froude.hadoop.rpc.target import UNKNOWN, Target, service_of
from froude.messages.schema import Schema
from froude.trace.redact import Redactor
from froude.trace.tape import Record, RecordKind
from froude.trace.types import Call, Loss, Status

CallRow = tuple[Any, ...]
"""A call's fields in order, its status as text, and last the parts of its target."""
_SUCCESS, _ERROR, _FATAL = Status.SUCCESS.value, Status.ERROR.value, Status.FATAL.value
_RESOURCEMANAGER = "resourcemanager"
_TO_SERVER, _TO_CLIENT = int(RecordKind.TO_SERVER), int(RecordKind.TO_CLIENT)
_EXAMPLES = 10
_GAP_DIGITS = 19
_TIE_S = 1e-6


def to_call(row: CallRow) -> Call:
    """The value of a row."""
    fields: Any = (*row[:14], Status(row[14]), row[15], row[16], Target(*row[17:]))
    return Call(*fields)


def to_row(call: Call) -> CallRow:
    """The row of a value."""
    return (
        call.start_s,
        call.duration_s,
        call.connection,
        call.peer,
        call.client_id,
        call.call_id,
        call.retry,
        call.user,
        call.real_user,
        call.caller_context,
        call.protocol,
        call.method,
        call.request,
        call.response,
        call.status.value,
        call.error,
        call.error_message,
        *call.target,
    )


@dataclass(slots=True)
class _Watched:
    """One connection."""

    number: int
    peer: str
    target: Target
    observer: Observer
    user: str | None = None
    real_user: str | None = None
    client_id: bytes = b""
    open: dict[int, tuple[float, events.Request, bytes | None]] = field(default_factory=dict)
    protected: bool = False
    """Whether its payload is protected: nothing of it can be read."""
    blind: bool = False
    """A gap or lost framing: later bytes tell nothing."""
    answered: bool = False
    """Whether an answer was seen."""


class CallAssembly:
    """Joins one capture's records to rows.

    Args:
        start_s: the tape's time that is the trace's beginning.
        emit: called with each finished row, in the order of the answers.
    """

    def __init__(
        self, schema: Schema, redactor: Redactor, emit: Callable[[CallRow], None], *, start_s: float = 0.0
    ) -> None:
        self._schema = schema
        self._redactor = redactor
        self._emit = emit
        self._start_s = start_s
        self._last_s = -1.0
        self._watched: dict[int, _Watched] = {}
        self._undecodable = self._torn = self._unanswered = self._dropped = self._protected = 0
        self.connections = 0
        """Connections seen."""
        self.source_id = ""
        """The HDFS cluster id, once an answer told it."""
        self.release = ""
        """The release of the NameNode, once an answer told it."""
        self.ids: dict[tuple[str, str], str] = {}
        """Who the masters are whose answers told it, by service and address."""
        self.examples: list[str] = []
        """What was lost, in words: the first few."""
        self.unknown_calls = 0
        """Calls left out because bytes are missing that may hold their answers."""

    @property
    def loss(self) -> Loss:
        """What could not be kept so far."""
        return Loss(self._undecodable, self._torn, self._unanswered, self._dropped, self._protected)

    def take(self, record: Record) -> None:
        """One record of the tape."""
        time_s, number, kind, payload = record
        watched = self._watched.get(number)
        if kind in (_TO_SERVER, _TO_CLIENT):
            if watched is None or watched.blind:
                self._dropped += len(payload)
                return
            self._bytes(watched, time_s - self._start_s, payload, kind == _TO_SERVER)
        elif kind == RecordKind.OPEN:
            self._opened(number, payload)
        elif watched is not None and kind == RecordKind.GAP:
            self._gap(watched, time_s - self._start_s, payload)
        elif watched is not None and kind == RecordKind.CLOSE:
            self._closed(watched, time_s - self._start_s)

    def finish(self) -> None:
        """The capture ends: calls still open stay unanswered."""
        for watched in list(self._watched.values()):
            self._flush(watched)
        self._watched.clear()

    def _gap(self, watched: _Watched, time_s: float, payload: bytes) -> None:
        is_number = payload.isdigit() and len(payload) < _GAP_DIGITS
        self._dropped += int(payload) if is_number else 0
        if not watched.blind:
            size = payload.decode() if is_number else "an unknown number of"
            # Where no answer passes at all, requests are what there is to see.
            unknown = len(watched.open) if watched.answered else 0
            left_out = f", calls left out whose answers may be among them: {unknown}" if unknown else ""
            self._say(watched, time_s, f"{size} bytes not recorded{left_out}")
            self.unknown_calls += unknown
            if unknown:
                watched.open.clear()
        watched.blind = True

    def _opened(self, number: int, payload: bytes) -> None:
        try:
            facts = json.loads(payload)
            peer = str(facts["peer"][0])
            target = Target(*map(str, facts.get("target", ())))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            peer, target = "", UNKNOWN
        self.connections += 1
        self._watched[number] = _Watched(number, peer, target, Observer())

    def _bytes(self, watched: _Watched, time_s: float, data: bytes, from_client: bool) -> None:
        for event in watched.observer.events(data, from_client=from_client):
            if isinstance(event, events.Request):
                self._request(watched, time_s, event)
            elif isinstance(event, events.Response):
                self._response(watched, time_s, event)
            else:
                self._other(watched, time_s, event)

    def _other(self, watched: _Watched, time_s: float, event: events.Event) -> None:
        match event:
            case events.ErrorResponse():
                self._failed(watched, time_s, event, _ERROR)
            case events.FatalResponse():
                self._failed(watched, time_s, event, _FATAL)
            case events.Opened():
                watched.user, watched.real_user = event.user, event.real_user
                watched.client_id = event.client_id
            case events.Undecodable():
                self._undecodable += 1
                if not watched.protected:  # of a protected connection the first one says it all
                    self._say(watched, time_s, f"frame of {event.size} bytes: {event.reason}")
                self._protected += event.protected and not watched.protected
                watched.protected |= event.protected
            case events.Lost():
                self._undecodable += 1
                self._say(watched, time_s, f"stream: {event.reason}")
            case _:
                pass  # preambles, pings and SASL steps make no call

    def _request(self, watched: _Watched, time_s: float, event: events.Request) -> None:
        body: bytes | None
        try:
            body = self._redactor.request(event.protocol, event.method, event.body)
        except InputError as error:
            body = None
            self._undecodable += 1
            self._say(watched, time_s, f"request of {event.method}: {error}")
        before = watched.open.pop(event.call_id, None)
        if before is not None:
            self._row(watched, before, None, None, Status.UNANSWERED.value)
        watched.open[event.call_id] = (self._next_start(time_s), event, body)

    def _next_start(self, time_s: float) -> float:
        """A start of its own for each call: requests that came in one piece keep their order when sorted."""
        if 0 <= self._last_s - time_s < _TIE_S:
            time_s = math.nextafter(self._last_s, math.inf)
        self._last_s = time_s
        return time_s

    def _response(self, watched: _Watched, time_s: float, event: events.Response) -> None:
        watched.answered = True
        asked = watched.open.pop(event.call_id, None)
        if asked is None:
            self._undecodable += 1
            self._say(watched, time_s, f"answer to call {event.call_id}, which was not seen")
            return
        request = asked[1]
        if tells_namespace(request.method) or tells_start(request.method):
            self._learn(watched, request, event.body)
        body: bytes | None
        try:
            body = self._redactor.response(request.protocol, request.method, event.body)
        except InputError as error:
            body = None
            self._undecodable += 1
            self._say(watched, time_s, f"response of {request.method}: {error}")
        self._row(watched, asked, max(0.0, time_s - asked[0]), body, _SUCCESS)

    def _failed(
        self,
        watched: _Watched,
        time_s: float,
        event: events.ErrorResponse | events.FatalResponse,
        status: str,
    ) -> None:
        watched.answered = True
        asked = watched.open.pop(event.call_id, None)
        if asked is None:
            return  # a fatal answer to the handshake belongs to no call
        self._row(watched, asked, max(0.0, time_s - asked[0]), None, status, event.error_class, event.message)

    def _row(
        self,
        watched: _Watched,
        asked: tuple[float, events.Request, bytes | None],
        duration_s: float | None,
        response: bytes | None,
        status: str,
        *error: str,
    ) -> None:
        start_s, request, body = asked
        call_id, client_id, retry, caller_context, protocol, method, _, _ = request
        target = watched.target
        self._emit(
            (
                start_s,
                duration_s,
                watched.number,
                watched.peer,
                client_id,
                call_id,
                retry,
                watched.user,
                watched.real_user,
                caller_context,
                protocol,
                method,
                body,
                response,
                status,
                *(error or (None, None)),
                target.service or service_of(protocol),
                target.address,
                target.id,
            )
        )

    def _closed(self, watched: _Watched, time_s: float) -> None:
        if not watched.blind and watched.observer.closed().torn:
            self._torn += 1
            self._say(watched, time_s, "ended in the middle of a frame")
        self._flush(watched)
        del self._watched[watched.number]

    def _flush(self, watched: _Watched) -> None:
        for asked in watched.open.values():
            self._unanswered += 1
            self._row(watched, asked, None, None, Status.UNANSWERED.value)
        watched.open.clear()

    def _learn(self, watched: _Watched, request: events.Request, body: bytes) -> None:
        """Take a master's identity from the answer that tells it."""
        try:
            message = self._schema.decode_response(request.protocol, request.method, body)
        except InputError:
            return
        service, address = service_of(request.protocol), watched.target.address
        if tells_start(request.method):
            if service == _RESOURCEMANAGER:
                self.ids.setdefault((service, address), resourcemanager_id(message, address))
            return
        namespace = namespace_in(request.method, message)
        self.source_id = self.source_id or namespace.cluster_id
        self.release = self.release or namespace.release
        if namespace.cluster_id:
            self.ids.setdefault((service, address), namespace.cluster_id)

    def _say(self, watched: _Watched, time_s: float, what: str) -> None:
        if len(self.examples) < _EXAMPLES:
            self.examples.append(f"connection {watched.number} ({watched.peer}) at {time_s:.3f} s: {what}")


def assemble(
    records: Iterator[Record], schema: Schema, redactor: Redactor, *, start_s: float | None = None
) -> tuple[list[CallRow], CallAssembly]:
    """A whole tape at once.

    Args:
        records: in the order of the tape.
        start_s: the tape's time that is the trace's beginning; None means its first record's.

    Returns:
        The rows, by start, and the assembly with what it counted.
    """
    rows: list[CallRow] = []
    assembly = CallAssembly(schema, redactor, rows.append, start_s=start_s or 0.0)
    for record in records:
        if start_s is None:
            start_s = assembly._start_s = record[0]
        assembly.take(record)
    assembly.finish()
    rows.sort(key=lambda row: row[0])
    return rows, assembly
