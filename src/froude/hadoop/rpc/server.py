"""The server's half of Hadoop RPC version 9: bytes in, events out; no socket, no clock, no schema.

It speaks as a NameNode's `org.apache.hadoop.ipc.Server` without tokens does, so that tests, the model NameNode of the
simulation and fault doubles can stand in for one: answers in any order, ERROR keeps the connection, FATAL
ends it. What the peer does wrong ends in a `Broken` event and, where Hadoop answers, an answer in
`data_to_send`; what the caller does wrong raises `LocalProtocolError`.

Source: org.apache.hadoop.ipc.Server.Connection (readAndProcess, setupBadVersionResponse, setupHttpRequest…).
"""

from __future__ import annotations

import struct
from typing import Any

from froude.hadoop.rpc import headers
from froude.hadoop.rpc.codec import PREAMBLE_BYTES, decode_client_frame, decode_preamble, encode_sasl
from froude.hadoop.rpc.errors import LocalProtocolError, RemoteProtocolError
from froude.hadoop.rpc.events import Broken, Closed, Event, Opened, Ping, Request, Sasl, SaslAuth
from froude.hadoop.rpc.frames import FRAME_LIMIT_BYTES, HANDSHAKE_LIMIT_BYTES, FrameReader, frame
from froude.hadoop.rpc.headers import SaslState, Status
from froude.hadoop.rpc.states import SERVER, State, Trigger, after

_ACCESS_CONTROL = "org.apache.hadoop.security.AccessControlException"
_VERSION_MISMATCH = "org.apache.hadoop.ipc.RPC$VersionMismatch"
FATAL_VERSION_MISMATCH, FATAL_UNAUTHORIZED = 14, 15
_OLDEST_ANSWERED = 3
HTTP_ANSWER = (
    b"HTTP/1.1 404 Not Found\r\nContent-type: text/plain\r\n\r\n"
    b"This is an RPC port of Hadoop and speaks no HTTP.\r\n"
)


class ServerConnection:
    """One connection, seen from the server.

    Args:
        limit_bytes: largest frame taken once the connection is open.
    """

    __slots__ = ("_in_flight", "_out", "_reader", "_state", "limit_bytes")

    def __init__(self, *, limit_bytes: int = FRAME_LIMIT_BYTES) -> None:
        self.limit_bytes = limit_bytes
        self._state = State.NEW
        self._reader = FrameReader(HANDSHAKE_LIMIT_BYTES)
        self._out: list[bytes] = []
        self._in_flight: dict[int, tuple[bytes, int]] = {}  # client id and retry count, to be repeated

    @property
    def state(self) -> State:
        """Where the connection stands."""
        return self._state

    def data_to_send(self) -> bytes:
        """What handshake and refusals want sent; empty in between."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    def receive(self, data: bytes) -> list[Event]:
        """Take bytes of the client, cut anyhow.

        Returns:
            `Preamble`, `Opened`, `Request` and `Ping`, in order; `Broken` last, if the client erred.
        """
        if self._over():
            return []
        events: list[Event] = []
        self._reader.feed(data)
        try:
            if self._state is State.NEW and not self._begin(events):
                return events
            while not self._over() and (payload := self._reader.next_frame()) is not None:
                self._take(decode_client_frame(payload), events)
        except RemoteProtocolError as error:
            self._state = State.CLOSED
            events.append(Broken(error))
        return events

    def receive_end(self) -> list[Event]:
        """The client closed: `Closed`, or nothing if the connection was over already."""
        if self._over():
            return []
        torn = self._reader.pending > 0 or self._state is not State.READY
        self._state = State.CLOSED
        return [Closed(torn, len(self._in_flight))]

    def respond(self, call_id: int, body: bytes) -> bytes:
        """The bytes of a call's result.

        Args:
            call_id: the call, which came in a `Request` and waits for its answer.

        Raises:
            LocalProtocolError: no such call waits for an answer.
        """
        return frame(self._header(call_id, Status.SUCCESS), body)

    def fail(
        self, call_id: int, error_class: str, message: str, *, detail: int = 1, fatal: bool = False
    ) -> bytes:
        """The bytes of a call's failure.

        Args:
            call_id: the call; with `fatal` also an id below zero, when no call is to blame.
            message: its text; Hadoop sends class and stack.
            detail: RpcErrorCodeProto's number; 1 is an exception of the application.

        Raises:
            LocalProtocolError: no such call waits for an answer.
        """
        answer = frame(
            self._header(call_id, Status.FATAL if fatal else Status.ERROR, error_class, message, detail)
        )
        if fatal:
            self._state = State.CLOSED
        return answer

    def _over(self) -> bool:
        return self._state is State.CLOSED

    def _begin(self, events: list[Event]) -> bool:
        raw = self._reader.take(PREAMBLE_BYTES)
        if raw is None:
            return False
        try:
            preamble = decode_preamble(raw)
        except RemoteProtocolError:
            self._refuse_preamble(raw)
            raise
        self._move(Trigger.OPEN_SASL if preamble.sasl else Trigger.OPEN_PLAIN)
        events.append(preamble)
        return True

    def _refuse_preamble(self, raw: bytes) -> None:
        """What Hadoop says to a browser and to a client of another version; to others it says nothing."""
        if raw.startswith(b"GET "):
            self._out.append(HTTP_ANSWER)
        elif raw.startswith(headers.MAGIC) and raw[4] != headers.VERSION:
            self._out.append(_version_mismatch(raw[4]))

    def _take(self, event: Opened | Request | Ping | Sasl, events: list[Event]) -> None:
        if isinstance(event, Sasl):
            self._step(event)
            return
        if isinstance(event, Opened):
            self._move(Trigger.CONTEXT)
            self._reader.limit_bytes = self.limit_bytes
        else:
            self._move(Trigger.CALL)
            if isinstance(event, Request):
                self._in_flight[event.call_id] = (event.client_id, event.retry)
        events.append(event)

    def _step(self, event: Sasl) -> None:
        if event.state is SaslState.NEGOTIATE:  # nothing to negotiate: the client goes on as SIMPLE
            self._move(Trigger.SUCCESS)
            self._say(SaslState.SUCCESS)
        elif event.state is SaslState.INITIATE and len(event.auths) == 1:
            method = event.auths[0].method
            if method != "SIMPLE":
                self._refuse(f"{method} authentication is not enabled.  Available:[SIMPLE]")
            self._move(Trigger.CHOOSE_SIMPLE)
        else:
            raise RemoteProtocolError("sent a SASL message out of turn", found=event.state.name)

    def _refuse(self, text: str) -> None:
        """Answer an AccessControlException, and end."""
        call_id = headers.CALL_SASL if self._state is not State.NEW else headers.CALL_AUTHORIZATION_FAILED
        self._out.append(frame(_failure(call_id, Status.FATAL, _ACCESS_CONTROL, text, FATAL_UNAUTHORIZED)))
        raise RemoteProtocolError("was refused", found=text)

    def _say(self, state: SaslState, token: bytes = b"", auths: tuple[SaslAuth, ...] = ()) -> None:
        message = encode_sasl(state, token, auths, challenge=True)
        self._out.append(frame(_success(headers.CALL_SASL), message))

    def _header(
        self, call_id: int, status: Status, error_class: str = "", message: str = "", detail: int = 0
    ) -> bytes:
        if self._over():
            raise LocalProtocolError("an answer cannot be sent: the connection is over")
        call = self._in_flight.pop(call_id, None)
        if call is None and not (status is Status.FATAL and call_id < 0):
            raise LocalProtocolError(f"no call {call_id} waits for an answer")
        if status is Status.SUCCESS:
            return _success(call_id, call)
        return _failure(call_id, status, error_class, message, detail, call)

    def _move(self, trigger: Trigger) -> None:
        state = after(SERVER, self._state, trigger)
        if state is None:
            found = f"{trigger.name} in state {self._state.name}"
            raise RemoteProtocolError("sent a message out of turn", found=found)
        self._state = state


def _version_mismatch(theirs: int) -> bytes:
    """The refusal in the form that the client's version can read; nothing for versions before 3.

    Source: org.apache.hadoop.ipc.Server.setupBadVersionResponse: from 9 on as now; 3 to 8 without frame, call
    id and status -1, then two texts of a four-byte length.
    """
    text = f"Server IPC version {headers.VERSION} cannot communicate with client version {theirs}"
    if theirs > headers.VERSION:
        return frame(_failure(-1, Status.FATAL, _VERSION_MISMATCH, text, FATAL_VERSION_MISMATCH))
    if theirs < _OLDEST_ANSWERED:
        return b""
    texts = (part.encode() for part in (_VERSION_MISMATCH, text))
    return struct.pack(">ii", -1, -1) + b"".join(struct.pack(">i", len(raw)) + raw for raw in texts)


def _success(call_id: int, call: tuple[bytes, int] | None = None) -> bytes:
    header = headers.ResponseHeader(
        callId=call_id & 0xFFFF_FFFF, status=int(Status.SUCCESS), serverIpcVersionNum=headers.VERSION
    )
    _echo(header, call)
    data: bytes = header.SerializeToString()
    return data


def _failure(  # noqa: PLR0917 - the fields of one message
    call_id: int,
    status: Status,
    error_class: str,
    message: str,
    detail: int,
    call: tuple[bytes, int] | None = None,
) -> bytes:
    header = headers.ResponseHeader(
        callId=call_id & 0xFFFF_FFFF,
        status=int(status),
        serverIpcVersionNum=headers.VERSION,
        exceptionClassName=error_class.encode(),
        errorMsg=message.encode(),
        errorDetail=detail,
    )
    _echo(header, call)
    data: bytes = header.SerializeToString()
    return data


def _echo(header: Any, call: tuple[bytes, int] | None) -> None:
    """Hadoop repeats whose call it was."""
    if call is not None:
        header.clientId, header.retryCount = call
