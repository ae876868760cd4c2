"""Frames of Hadoop RPC 9: a length of four bytes, then protobuf messages, each behind its varint length.

Reading checks a length before memory is spent on it: a buffer never holds more than what was fed, and a frame
over the limit is refused when its first four bytes are there. Feeding is linear in the bytes, however they
are cut.

Source: org.apache.hadoop.ipc.{Client,Server}; `ipc.maximum.data.length`, `ipc.maximum.response.length`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError

from froude.hadoop.rpc import headers
from froude.hadoop.rpc.errors import RemoteProtocolError
from froude.hadoop.rpc.events import (
    ErrorResponse,
    FatalResponse,
    Opened,
    Request,
    Response,
    Sasl,
    SaslAuth,
)

FRAME_LIMIT_BYTES = 128 << 20
"""Hadoop's own limit for requests and responses."""
HANDSHAKE_LIMIT_BYTES = 64 << 10
"""Largest frame before authentication: more than any SASL token in use (the default maxbuf of 64 KiB)."""
_LENGTH = struct.Struct(">I")
_ONE_BYTE = tuple(bytes([n]) for n in range(128))


def varint(value: int) -> bytes:
    """Protobuf's base-128 form of a number from 0 to 2^64 - 1."""
    if value < 0x80:
        return _ONE_BYTE[value]
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def delimited(payload: bytes) -> bytes:
    """A message behind its varint length."""
    return varint(len(payload)) + payload


def frame(*messages: bytes) -> bytes:
    """One frame of serialised messages."""
    payload = b"".join([delimited(message) for message in messages])
    return _LENGTH.pack(len(payload)) + payload


class FrameReader:
    """Cuts a stream into frames.

    Args:
        limit_bytes: largest frame taken; may be changed between frames.
    """

    __slots__ = ("_at", "_buffer", "limit_bytes")

    def __init__(self, limit_bytes: int = FRAME_LIMIT_BYTES) -> None:
        self.limit_bytes = limit_bytes
        self._buffer: bytes | bytearray = b""
        self._at = 0

    @property
    def pending(self) -> int:
        """Bytes fed and not yet given out."""
        return len(self._buffer) - self._at

    def feed(self, data: bytes) -> None:
        """Take bytes as they came."""
        if self._at == len(self._buffer):
            self._buffer, self._at = data, 0  # the usual case: nothing is copied
            return
        if not isinstance(self._buffer, bytearray):
            self._buffer = bytearray(memoryview(self._buffer)[self._at :])
        elif self._at:
            del self._buffer[: self._at]
        self._at = 0
        self._buffer += data

    def take(self, size: int) -> bytes | None:
        """The next `size` bytes as they are, or None while they are not all there."""
        if self.pending < size:
            return None
        self._at += size
        return bytes(self._buffer[self._at - size : self._at])

    def next_frame(self) -> bytes | None:
        """The payload of the next frame, or None while it is not all there.

        Raises:
            RemoteProtocolError: its length is over the limit.
        """
        buffer, at = self._buffer, self._at
        have = len(buffer) - at
        if have < 4:
            return None
        (size,) = _LENGTH.unpack_from(buffer, at)
        if size > self.limit_bytes:
            raise _too_long(bytes(buffer[at : at + 8]), size, self.limit_bytes)
        if have - 4 < size:
            return None
        end = self._at = at + 4 + size
        if isinstance(buffer, bytes):
            return buffer[at + 4 : end]
        return bytes(memoryview(buffer)[at + 4 : end])


def _too_long(start: bytes, size: int, limit: int) -> RemoteProtocolError:
    if start.startswith((b"HTTP", b"GET ", b"POST")):
        return RemoteProtocolError(
            "speaks HTTP and not Hadoop RPC", found=repr(start), remedy="Use its RPC port"
        )
    if start.startswith((b"\x15\x03", b"\x16\x03")):
        return RemoteProtocolError(
            "speaks TLS and not Hadoop RPC", found=repr(start), remedy="Use its RPC port"
        )
    found, allowed = f"{size} bytes ({start[:4]!r})", f"at most {limit} bytes"
    return RemoteProtocolError("sent the length of an impossible frame", found=found, allowed=allowed)


def read_part(payload: bytes, at: int) -> tuple[int, int]:
    """Where the delimited message at `at` begins and ends.

    Raises:
        RemoteProtocolError: its length is missing, malformed, or leads out of the frame.
    """
    end = len(payload)
    value = shift = 0
    while at < end and shift < 35:
        byte = payload[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value > end - at:
                break
            return at, at + value
        shift += 7
    raise RemoteProtocolError(
        "sent a frame whose parts do not fit", found=f"{end} bytes, part ends behind them"
    )


def parse(kind: Any, payload: bytes, at: int) -> tuple[Any, int]:
    """The delimited message at `at` and where it ends.

    Raises:
        RemoteProtocolError: it does not decode.
    """
    start, end = read_part(payload, at)
    try:
        return kind.FromString(payload[start:end]), end
    except DecodeError as error:
        name = kind.DESCRIPTOR.name
        raise RemoteProtocolError(f"sent a {name} that does not decode", found=str(error)) from error


def last_part(payload: bytes, at: int) -> bytes:
    """The delimited message that ends the frame.

    Raises:
        RemoteProtocolError: there is none, or bytes follow it.
    """
    start, end = read_part(payload, at)
    if end != len(payload):
        found = f"{len(payload) - end} bytes"
        raise RemoteProtocolError("sent bytes behind the last part of a frame", found=found)
    return payload[start:end]


def decode_response(
    payload: bytes, *, writable: bool = False
) -> Response | ErrorResponse | FatalResponse | Sasl:
    """One frame of a server.

    Args:
        payload: the frame without its length.
        writable: whether the call was a Writable one, whose result has no length of its own.

    Raises:
        RemoteProtocolError: it does not decode, or has an unknown status.
    """
    header, at = parse(headers.ResponseHeader, payload, 0)
    call_id, status = header.callId, header.status
    if call_id > headers.MAX_CALL_ID:
        call_id -= 1 << 32
    if status == 0 and header.HasField("callId"):
        if call_id == headers.CALL_SASL:
            return _sasl(last_part(payload, at), from_client=False)
        return Response(call_id, payload[at:] if writable else last_part(payload, at))
    if status not in {1, 2}:
        raise RemoteProtocolError("sent a response without id or known status", found=f"status {status}")
    kind = ErrorResponse if status == 1 else FatalResponse
    error_class, message = headers.text(header.exceptionClassName), headers.first_line(header.errorMsg)
    return kind(call_id, error_class, message, header.errorDetail)


def decode_context(header: Any, payload: bytes, at: int) -> Opened:
    """The connection context of a frame whose header is read already.

    Raises:
        RemoteProtocolError: it does not decode.
    """
    context, _ = parse(headers.ConnectionContext, payload, at)
    user, real = context.userInfo.effectiveUser, context.userInfo.realUser
    text = headers.text
    return Opened(
        text(context.protocol), text(user) if user else None, text(real) if real else None, header.clientId
    )


def decode_sasl(payload: bytes, at: int) -> Sasl:
    """A client's SASL message.

    Raises:
        RemoteProtocolError: it does not decode.
    """
    return _sasl(last_part(payload, at), from_client=True)


def _sasl(raw: bytes, *, from_client: bool) -> Sasl:
    try:
        message = headers.SaslMessage.FromString(raw)
        state = headers.SaslState(message.state)
    except (DecodeError, ValueError) as error:
        raise RemoteProtocolError("sent a SASL message that does not decode", found=str(error)) from error
    auths = tuple(_auth(auth) for auth in message.auths)
    return Sasl(from_client, state, auths, message.token)


def _auth(auth: Any) -> SaslAuth:
    text = headers.text
    protocol = text(auth.protocol) if auth.HasField("protocol") else None
    server_id = text(auth.serverId) if auth.HasField("serverId") else None
    return SaslAuth(text(auth.method), text(auth.mechanism), protocol, server_id, auth.challenge)


def encode_sasl(
    state: headers.SaslState, token: bytes, auths: Iterable[SaslAuth], *, challenge: bool
) -> bytes:
    """A SASL message.

    Args:
        state: what it is.
        token: the mechanism's bytes; empty sends none.
        auths: the offers, or the one choice.
        challenge: whether the offers' challenges are sent (a server does, a client does not).
    """
    message = headers.SaslMessage(version=0, state=int(state))
    if token:
        message.token = token
    for auth in auths:
        sent = message.auths.add(method=auth.method.encode(), mechanism=auth.mechanism.encode())
        if auth.protocol is not None:
            sent.protocol = auth.protocol.encode()
        if auth.server_id is not None:
            sent.serverId = auth.server_id.encode()
        if challenge and auth.challenge:
            sent.challenge = auth.challenge
    data: bytes = message.SerializeToString()
    return data


def decode_call(header: Any, payload: bytes, at: int) -> Request:
    """The call of a frame whose request header is read already.

    Raises:
        RemoteProtocolError: it does not decode.
    """
    context = headers.text(header.callerContext.context) if header.HasField("callerContext") else None
    if header.rpcKind == headers.KIND_WRITABLE:
        protocol, method, at = _writable_names(payload, at)
        body = payload[at:]
    else:
        named, at = parse(headers.MethodHeader, payload, at)
        protocol, method = headers.text(named.declaringClassProtocolName), headers.text(named.methodName)
        body = last_part(payload, at)
    retry = header.retryCount if header.HasField("retryCount") else headers.NO_RETRY_COUNT
    return Request(header.callId, header.clientId, retry, context, protocol, method, body, header.rpcKind)


def _writable_names(payload: bytes, at: int) -> tuple[str, str, int]:
    """Protocol and method of a Writable call: a version (long), then two strings of a short's length.

    Source: org.apache.hadoop.ipc.WritableRpcEngine.Invocation, org.apache.hadoop.io.UTF8.
    """
    at += 8
    names: list[str] = []
    for _ in range(2):
        size = int.from_bytes(payload[at : at + 2], "big")
        if at + 2 + size > len(payload):
            raise RemoteProtocolError("sent a Writable call that is cut short", found=f"{len(payload)} bytes")
        names.append(headers.text(payload[at + 2 : at + 2 + size]))
        at += 2 + size
    return names[0], names[1], at
