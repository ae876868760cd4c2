"""What is inside a frame: headers and bodies, decoded into events, for whoever reads.

A `payload` is a frame without its length.

Source: org.apache.hadoop.ipc.{Client,Server,ProtobufRpcEngine2,WritableRpcEngine}.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from google.protobuf.message import DecodeError

from froude.hadoop.rpc import headers
from froude.hadoop.rpc.errors import RemoteProtocolError
from froude.hadoop.rpc.events import (
    ErrorResponse,
    FatalResponse,
    Opened,
    Ping,
    Preamble,
    Request,
    Response,
    Sasl,
    SaslAuth,
)

PREAMBLE_BYTES = 7
"""`hrpc`, version, service class, authentication."""


def read_part(payload: bytes, at: int) -> tuple[int, int]:
    """Where the delimited message at `at` begins and ends.

    Args:
        at: byte where the part's own length stands.

    Returns:
        First byte of the message, and the first one behind it.

    Raises:
        RemoteProtocolError: its length is missing, malformed, or leads out of the frame.
    """
    end = len(payload)
    if at < end and (size := payload[at]) < 0x80 and at + size < end:
        return at + 1, at + 1 + size  # all headers of usual calls
    value = 0
    for count, begin in zip(range(5), range(at + 1, end + 1), strict=False):
        byte = payload[begin - 1]
        value |= (byte & 0x7F) << 7 * count
        if byte < 0x80:
            if value > end - begin:
                break
            return begin, begin + value
    raise RemoteProtocolError(
        "sent a frame whose parts do not fit", found=f"{end} bytes, part ends behind them"
    )


def parse(kind: Any, payload: bytes, at: int) -> tuple[Any, int]:
    """The delimited message at `at` and where it ends.

    Args:
        at: byte where the message's own length stands.

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

    Args:
        at: byte where the message's own length stands.

    Returns:
        The message's bytes, not decoded.

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

    Args:
        header: the frame's request header, which holds the client id.
        at: byte where the header ends.

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

    Args:
        at: byte where the header ends.

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

    Args:
        at: byte where that header ends.

    Returns:
        The call; the body of its request is not decoded.

    Raises:
        RemoteProtocolError: it does not decode.
        RemoteProtocolError: its parts do not fit into the frame, or do not decode.
    """
    context = headers.text(header.callerContext.context) if header.HasField("callerContext") else None
    if header.rpcKind == headers.KIND_WRITABLE:
        protocol, method, at = _writable_names(payload, at)
        body = payload[at:]
    else:
        start, at = read_part(payload, at)
        named = payload[start:at]
        protocol, method = _usual_names(named) if len(named) <= _USUAL_BYTES else _names(named)
        body = last_part(payload, at)
    retry = header.retryCount if header.HasField("retryCount") else headers.NO_RETRY_COUNT
    return Request(header.callId, header.clientId, retry, context, protocol, method, body, header.rpcKind)


def _names(raw: bytes) -> tuple[str, str]:
    """Protocol and method of a serialised method header.

    Raises:
        RemoteProtocolError: it does not decode.
    """
    try:
        named = headers.MethodHeader.FromString(raw)
    except DecodeError as error:
        raise RemoteProtocolError("sent a MethodHeader that does not decode", found=str(error)) from error
    return headers.text(named.declaringClassProtocolName), headers.text(named.methodName)


_USUAL_BYTES = 256
_usual_names = lru_cache(1024)(_names)  # there are few methods and many calls; a peer can fill 256 kB


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


def decode_preamble(raw: bytes) -> Preamble:
    """The seven bytes with which a client begins.

    Raises:
        RemoteProtocolError: they are of another protocol.
    """
    version, service_class, auth = raw[4:]
    if raw[:4] != headers.MAGIC:
        found, allowed = repr(raw), repr(headers.MAGIC)
        raise RemoteProtocolError("does not begin as Hadoop RPC", found=found, allowed=allowed)
    if version != headers.VERSION or auth not in {headers.AUTH_NONE, headers.AUTH_SASL}:
        found = f"version {version}, authentication {auth:#x}"
        raise RemoteProtocolError(
            "begins a Hadoop RPC that is not spoken here", found=found, allowed="version 9"
        )
    return Preamble(version, service_class, auth == headers.AUTH_SASL)


def decode_client_frame(payload: bytes) -> Opened | Request | Ping | Sasl:
    """One frame of a client.

    Raises:
        RemoteProtocolError: it does not decode, or is of no known kind.
    """
    header: Any
    header, at = parse(headers.RequestHeader, payload, 0)
    call_id = header.callId
    if call_id >= 0 and header.HasField("callId"):
        return decode_call(header, payload, at)
    if call_id == headers.CALL_CONTEXT:
        return decode_context(header, payload, at)
    if call_id == headers.CALL_SASL:
        return decode_sasl(payload, at)
    if call_id == headers.CALL_PING:
        return Ping()
    raise RemoteProtocolError("sent a frame of an unknown kind", found=f"call id {call_id}")
