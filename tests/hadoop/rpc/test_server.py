"""The server core: what it reads, what it answers, and what it refuses."""

from __future__ import annotations

import pytest

from froude.hadoop.rpc.codec import decode_response
from froude.hadoop.rpc.errors import LocalProtocolError
from froude.hadoop.rpc.events import (
    Broken,
    Closed,
    ErrorResponse,
    FatalResponse,
    Opened,
    Ping,
    Preamble,
    Request,
    Response,
)
from froude.hadoop.rpc.frames import HANDSHAKE_LIMIT_BYTES
from froude.hadoop.rpc.server import HTTP_ANSWER, ServerConnection
from froude.hadoop.rpc.states import State
from tests.support.hadoop.rpc.exchange import CLIENT_ID, PROTOCOL, client, cuts, feed
from tests.support.hadoop.rpc.token_server import DigestMd5Server, TokenServer


def test_a_conversation_in_any_cut() -> None:
    """Preamble, context, calls and pings come out in order, however the bytes are cut."""
    connection = client(user="ada")
    stream = (
        connection.open()
        + connection.request(1, "a", b"x")
        + connection.ping()
        + connection.request(2, "b", b"")
    )
    for pieces in cuts(stream):
        assert feed(ServerConnection().receive, pieces) == [
            Preamble(9, 0, sasl=False),
            Opened(PROTOCOL, "ada", None, CLIENT_ID),
            Request(1, CLIENT_ID, 0, None, PROTOCOL, "a", b"x"),
            Ping(),
            Request(2, CLIENT_ID, 0, None, PROTOCOL, "b", b""),
        ]


def ready() -> ServerConnection:
    """A server with calls 1 and 2 waiting."""
    server, connection = ServerConnection(), client(user="ada")
    server.receive(connection.open() + connection.request(1, "a", b"") + connection.request(2, "b", b""))
    return server


def test_answers_in_any_order() -> None:
    """Results, errors and fatal errors are told apart by the client's decoder; only fatal ends."""
    server = ready()
    assert decode_response(server.fail(2, "E", "m", detail=2)[4:]) == ErrorResponse(2, "E", "m", 2)
    assert decode_response(server.respond(1, b"r")[4:]) == Response(1, b"r")
    assert server.state is State.READY
    assert decode_response(server.fail(-1, "E", "m", fatal=True)[4:]) == FatalResponse(-1, "E", "m", 1)
    assert server.state is State.CLOSED


def test_answers_that_nobody_waits_for_are_our_error() -> None:
    """Answering an unknown call, one twice, or after the end raises."""
    server = ready()
    server.respond(1, b"")
    for call_id in (1, 9, -1):
        with pytest.raises(LocalProtocolError):
            server.respond(call_id, b"")
    server.fail(2, "E", "m", fatal=True)
    with pytest.raises(LocalProtocolError, match="over"):
        server.respond(2, b"")


def test_a_browser_and_a_newer_client_get_an_answer() -> None:
    """HTTP gets a page, a newer version gets VersionMismatch, and both are broken connections."""
    server = ServerConnection()
    assert isinstance(server.receive(b"GET / HTTP/1.1\r\n")[-1], Broken)
    assert server.data_to_send() == HTTP_ANSWER
    server = ServerConnection()
    assert isinstance(server.receive(b"hrpc\x0a\0\0")[-1], Broken)
    answer = decode_response(server.data_to_send()[4:])
    assert isinstance(answer, FatalResponse)
    assert answer.error_class == "org.apache.hadoop.ipc.RPC$VersionMismatch"


@pytest.mark.parametrize(("version", "size"), [(2, 0), (3, 8 + 4 + 41 + 4 + 61), (8, 8 + 4 + 41 + 4 + 61)])
def test_older_clients_get_the_answer_of_their_time(version: int, size: int) -> None:
    """Versions 3 to 8 get a fatal status without a frame, earlier ones nothing."""
    server = ServerConnection()
    assert isinstance(server.receive(b"hrpc" + bytes([version, 0, 0]))[-1], Broken)
    answer = server.data_to_send()
    assert answer[:8] == b"\xff" * min(8, size)
    assert len(answer) == size
    assert answer.endswith(f"client version {version}".encode()) is (size > 0)


def test_a_client_without_a_token_is_refused_where_one_is_needed() -> None:
    """As a ResourceManager's scheduler port does: a fatal AccessControlException with id -1."""
    server = TokenServer(DigestMd5Server(lambda _: None, b"n" * 16))
    assert isinstance(server.receive(client(user="ada").open())[-1], Broken)
    answer = decode_response(server.data_to_send()[4:])
    assert isinstance(answer, FatalResponse)
    assert (answer.call_id, answer.message) == (
        -1,
        "SIMPLE authentication is not enabled.  Available:[TOKEN]",
    )


def test_messages_out_of_turn_break_the_connection() -> None:
    """A call before the context, a second context and SASL after it are refused."""
    connection = client(user="ada")
    start = connection.open()
    call = connection.request(1, "a", b"")
    for stream in (start[:7] + call, start + start[7:], client(sasl=True).open()[:7] + start[7:]):
        assert isinstance(ServerConnection().receive(stream)[-1], Broken)


def test_frames_are_small_until_the_context() -> None:
    """A length over the handshake's limit is refused before the context and taken after it."""
    size = (HANDSHAKE_LIMIT_BYTES + 1).to_bytes(4, "big")
    server = ServerConnection()
    server.receive(client().open()[:7])
    assert isinstance(server.receive(size)[-1], Broken)
    assert ready().receive(size) == []


def test_the_end_says_what_is_missing() -> None:
    """Closing counts the calls without an answer, once."""
    server = ready()
    assert server.receive_end() == [Closed(torn=False, unanswered=2)]
    assert server.receive_end() == []
    assert ServerConnection().receive_end() == [Closed(torn=True)]
