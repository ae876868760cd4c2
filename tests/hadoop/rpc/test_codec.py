"""Each kind of frame decodes to its event; every cut and every excess of it is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.hadoop.rpc import headers
from froude.hadoop.rpc.codec import (
    _USUAL_BYTES,
    PREAMBLE_BYTES,
    _usual_names,
    decode_client_frame,
    decode_preamble,
    decode_response,
    encode_sasl,
    read_part,
)
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
from froude.hadoop.rpc.frames import delimited, frame
from froude.hadoop.rpc.headers import SaslState
from tests.support.hadoop.rpc.codec import response, writable
from tests.support.hadoop.rpc.exchange import CLIENT_ID, PROTOCOL, client, opened


def test_a_call_and_its_context() -> None:
    """What the client encodes is what the decoder reads."""
    connection = client(user="ada", real_user="root", caller_context="CLI")
    start = connection.open()
    assert decode_preamble(start[:7]) == Preamble(9, 0, sasl=False)
    assert decode_client_frame(start[11:]) == Opened(PROTOCOL, "ada", "root", CLIENT_ID)
    call = connection.request(300, "getFileInfo", b"body" * 100, retry=2)
    assert decode_client_frame(call[4:]) == Request(
        300, CLIENT_ID, 2, "CLI", PROTOCOL, "getFileInfo", b"body" * 100
    )
    assert decode_client_frame(connection.ping()[4:]) == Ping()


def test_the_hand_written_header_is_what_protobuf_writes() -> None:
    """For ids of every length, retries and contexts the bytes are those of protobuf's own encoder."""
    for call_id in (0, 63, 64, 8191, 8192, 1 << 20, headers.MAX_CALL_ID):
        for retry in (-1, 0, 1, 70):
            for context in (None, "", "mr_attempt_1", "x" * 300):
                raw = opened().request(call_id, "m", b"", retry=retry, caller_context=context)
                header = headers.RequestHeader(
                    rpcKind=2, rpcOp=0, callId=call_id, clientId=CLIENT_ID, retryCount=retry
                )
                if context is not None:
                    header.callerContext.context = context.encode()
                named = headers.MethodHeader(
                    methodName=b"m", declaringClassProtocolName=PROTOCOL.encode(), clientProtocolVersion=1
                )
                assert raw == frame(header.SerializeToString(), named.SerializeToString(), b"")


@pytest.mark.parametrize(
    ("payload", "event"),
    [
        (response(7, 0, b"result"), Response(7, b"result")),
        (response(7, 0, b""), Response(7, b"")),
        (
            response(7, 1, exceptionClassName=b"E", errorMsg=b"first\n\tat x", errorDetail=2),
            ErrorResponse(7, "E", "first", 2),
        ),
        (response(-1, 2, exceptionClassName=b"E", errorMsg=b"\xff"), FatalResponse(-1, "E", "\ufffd", 0)),
        (
            response(
                -33,
                0,
                encode_sasl(
                    SaslState.NEGOTIATE,
                    b"t",
                    [SaslAuth("TOKEN", "DIGEST-MD5", "", "default", b"c")],
                    challenge=True,
                ),
            ),
            Sasl(False, SaslState.NEGOTIATE, (SaslAuth("TOKEN", "DIGEST-MD5", "", "default", b"c"),), b"t"),
        ),
    ],
)
def test_responses(payload: bytes, event: object) -> None:
    """Success, error, fatal error and SASL are told apart; negative ids are unwrapped."""
    assert decode_response(payload) == event


def test_every_cut_and_excess_of_a_frame_is_refused() -> None:
    """No proper prefix of a frame decodes to an answer, and neither does a frame with bytes behind it."""
    whole = response(7, 0, b"result")
    for size in range(len(whole)):
        with pytest.raises(RemoteProtocolError):
            decode_response(whole[:size])
    with pytest.raises(RemoteProtocolError, match="behind the last part of a frame; found 3 bytes"):
        decode_response(whole + bytes(3))
    call = opened().request(1, "m", b"body")[4:]
    for size in range(len(call)):
        with pytest.raises(RemoteProtocolError):
            decode_client_frame(call[:size])


@pytest.mark.parametrize("size", [0, 1, 126, 127, 128, 129, 16383, 16384, 1 << 21])
@pytest.mark.parametrize("before", [0, 3])
@pytest.mark.parametrize("after", [0, 1])
def test_where_a_part_is(size: int, before: int, after: int) -> None:
    """Behind its length, however many bytes that has; it may end with the frame, and not behind it."""
    payload = bytes(before) + delimited(bytes(size))
    begin, end = read_part(payload + bytes(after), before)
    assert (begin, end) == (len(payload) - size, len(payload))
    if size:
        with pytest.raises(RemoteProtocolError, match="do not fit"):
            read_part(payload[:-1], before)


def test_lengths_of_parts_have_five_bytes_at_the_most() -> None:
    """As protobuf writes them; a sixth is refused, and so is a length without its last byte."""
    assert read_part(b"\x82\x80\x80\x80\x00ab", 0) == (5, 7)
    for wrong in (b"\x82\x80\x80\x80\x80\x00ab", b"\x82\x80", b"", b"\x81\x80\x80\x80\x10" + bytes(9)):
        with pytest.raises(RemoteProtocolError, match=f"found {len(wrong)} bytes"):
            read_part(wrong, 0)


@pytest.mark.parametrize(("call_id", "read"), [((1 << 31) - 1, (1 << 31) - 1), (1 << 31, -(1 << 31)), (0, 0)])
def test_call_ids_are_signed(call_id: int, read: int) -> None:
    """A response has them as they are without a sign."""
    assert decode_response(response(call_id, 0, b"x")) == Response(read, b"x")


def test_a_writable_call_may_have_nothing_behind_its_names() -> None:
    """Their last byte is the frame's."""
    raw = writable(5, b"p", b"method", b"")
    event = decode_client_frame(raw)
    assert isinstance(event, Request)
    assert (event.protocol, event.method, event.body) == ("p", "method", b"")
    with pytest.raises(RemoteProtocolError, match="Writable"):
        decode_client_frame(raw[:-1])


def test_writable_calls_are_read_as_far_as_they_name_themselves() -> None:
    """Protocol and method of a Writable call are read, the rest is its body; a cut one is refused."""
    raw = writable(5, b"org.example.Umbilical", b"statusUpdate", b"rest")
    event = decode_client_frame(raw)
    assert event == Request(5, CLIENT_ID, 0, None, "org.example.Umbilical", "statusUpdate", b"rest", 1)
    names = len(raw) - len(b"rest")
    for size in range(names - 8 - 2 - 21 - 2 - 12, names):
        with pytest.raises(RemoteProtocolError, match=f"Writable call that is cut short; found {size} bytes"):
            decode_client_frame(raw[:size])
    assert decode_response(response(5, 0) + b"raw", writable=True) == Response(5, b"raw")


@pytest.mark.parametrize(
    ("raw", "wrong"),
    [
        (b"GET / H", "does not begin as Hadoop RPC; found b'GET / H'"),
        (b"hrpx\x09\0\0", "does not begin as Hadoop RPC"),
        (bytes(7), "does not begin as Hadoop RPC"),
        (b"hrpc\x08\0\0", "not spoken here; found version 8, authentication 0x0"),
        (b"hrpc\x0a\0\0", "not spoken here; found version 10, authentication 0x0"),
        (b"hrpc\x09\0\x01", "not spoken here; found version 9, authentication 0x1"),
    ],
)
def test_foreign_preambles_are_refused(raw: bytes, wrong: str) -> None:
    """Other protocols, versions and authentications are refused."""
    with pytest.raises(RemoteProtocolError, match=wrong):
        decode_preamble(raw)


def test_preambles() -> None:
    """Seven bytes: with and without SASL, of any service class."""
    assert PREAMBLE_BYTES == 7
    assert decode_preamble(b"hrpc\x09\x05\xdf") == Preamble(9, 5, sasl=True)
    assert decode_preamble(b"hrpc\x09\x05\0") == Preamble(9, 5, sasl=False)


@pytest.mark.parametrize("call_id", [0, 1, -1, -2, -5, -32, -34])
def test_calls_have_an_id_of_zero_or_more(call_id: int) -> None:
    """The protocol's own have negative ones; others are refused."""
    header = headers.RequestHeader(rpcKind=2, rpcOp=0, callId=call_id, clientId=CLIENT_ID)
    named = headers.MethodHeader(methodName=b"m", declaringClassProtocolName=b"p", clientProtocolVersion=1)
    raw = frame(header.SerializeToString(), named.SerializeToString(), b"body")[4:]
    if call_id >= 0:
        assert decode_client_frame(raw) == Request(call_id, CLIENT_ID, -1, None, "p", "m", b"body")
    else:
        with pytest.raises(RemoteProtocolError, match=f"unknown kind; found call id {call_id}$"):
            decode_client_frame(raw)


def test_a_part_that_does_not_decode_is_named() -> None:
    """Whichever it is: no other part is taken for it."""
    bad = b"\x02\xff\xff"
    header = headers.RequestHeader(rpcKind=2, rpcOp=0, callId=1, clientId=CLIENT_ID)
    context = headers.RequestHeader(rpcKind=2, rpcOp=0, callId=headers.CALL_CONTEXT, clientId=CLIENT_ID)
    sasl = headers.RequestHeader(rpcKind=2, rpcOp=0, callId=headers.CALL_SASL, clientId=CLIENT_ID)
    for parts, name in (
        ((bad,), "RequestHeader"),
        ((header.SerializeToString(), bad, b""), "MethodHeader"),
        ((context.SerializeToString(), bad), "ConnectionContext"),
        ((sasl.SerializeToString(), bad), "SASL message"),
    ):
        with pytest.raises(RemoteProtocolError, match=f"sent a.? {name}.* that does not decode"):
            decode_client_frame(frame(*parts)[4:])


@pytest.mark.parametrize("challenge", [False, True])
def test_sasl_messages(challenge: bool) -> None:
    """Of version 0; a server sends its challenges, a client does not."""
    offers = [SaslAuth("TOKEN", "DIGEST-MD5", "p", "s", b"c"), SaslAuth("SIMPLE", "", None, None, b"")]
    raw = encode_sasl(SaslState.INITIATE, b"token", offers, challenge=challenge)
    assert headers.SaslMessage.FromString(raw).version == 0
    header = headers.RequestHeader(rpcKind=2, rpcOp=0, callId=headers.CALL_SASL, clientId=CLIENT_ID)
    expected = (replace(offers[0], challenge=b"c" if challenge else b""), offers[1])
    assert decode_client_frame(frame(header.SerializeToString(), raw)[4:]) == Sasl(
        True, SaslState.INITIATE, expected, b"token"
    )


def test_what_a_peer_can_have_remembered_is_bounded() -> None:
    """A thousand names of 256 bytes; longer ones are read each time."""
    assert _usual_names.cache_info().maxsize == 1024
    assert _USUAL_BYTES == 256


def test_a_header_that_is_not_one_is_named() -> None:
    """Bytes of the right length that protobuf refuses."""
    with pytest.raises(RemoteProtocolError, match="sent a ResponseHeader that does not decode"):
        decode_response(frame(b"\x02\xff\xff")[4:])


@pytest.mark.parametrize("status", [3, 9])
def test_a_status_that_is_none_is_named(status: int) -> None:
    """0 to 2 are known."""
    with pytest.raises(RemoteProtocolError, match=f"known status; found status {status}"):
        decode_response(response(1, status, b""))


@pytest.mark.parametrize("payload", [frame(b"")[4:], response(-33, 0, b"\x10\x63"), frame(b"\x18\x63")[4:]])
def test_unknown_state_and_kind_are_refused(payload: bytes) -> None:
    """A SASL state or a call id that the protocol does not have is refused."""
    with pytest.raises(RemoteProtocolError):
        decode_response(payload)
    with pytest.raises(RemoteProtocolError):
        decode_client_frame(payload)
