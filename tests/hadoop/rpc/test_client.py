"""The client core: what it sends, what it makes of answers, and what it refuses to do."""

from __future__ import annotations

import pytest

from froude.hadoop.rpc.errors import LocalProtocolError
from froude.hadoop.rpc.events import (
    Authenticated,
    Broken,
    Closed,
    ErrorResponse,
    FatalResponse,
    Opened,
    Request,
    Response,
)
from froude.hadoop.rpc.frames import FRAME_LIMIT_BYTES, HANDSHAKE_LIMIT_BYTES
from froude.hadoop.rpc.sasl import DigestMd5Client, Token
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.states import State
from tests.support.hadoop.rpc.codec import response
from tests.support.hadoop.rpc.exchange import CLIENT_ID, PROTOCOL, client, cuts, feed, handshake, opened
from tests.support.hadoop.rpc.token_server import DigestMd5Server, TokenServer

TOKEN = Token(b"who", b"secret")


def token_server(*, simple: bool = False, password: bytes = TOKEN.password) -> TokenServer:
    """A server that knows one token."""
    return TokenServer(DigestMd5Server({TOKEN.identifier: password}.get, b"n" * 16), simple=simple)


def test_the_first_bytes_without_authentication() -> None:
    """Preamble and context go in one write and calls may follow at once."""
    connection = client(user="ada")
    assert connection.open()[:7] == b"hrpc\x09\0\0"
    assert connection.state is State.READY


def test_answers_in_any_order_and_any_cut() -> None:
    """Pipelined calls are matched by id, whatever the order and the cut."""
    data = (
        response(2, 0, b"two"),
        response(0, 1, exceptionClassName=b"E", errorMsg=b"m"),
        response(1, 0, b"one"),
    )
    stream = b"".join(len(d).to_bytes(4, "big") + d for d in data)
    for pieces in cuts(stream):
        connection = opened()
        for call_id in range(3):
            connection.request(call_id, "m", b"")
        expected = [Response(2, b"two"), ErrorResponse(0, "E", "m"), Response(1, b"one")]
        assert feed(connection.receive, pieces) == expected
        assert connection.in_flight == frozenset()
        assert connection.state is State.READY


def test_a_fatal_answer_ends_the_connection() -> None:
    """After FATAL nothing is read and nothing may be sent."""
    connection = opened()
    connection.request(1, "m", b"")
    stream = b"".join(
        len(d).to_bytes(4, "big") + d for d in (response(1, 2, exceptionClassName=b"E"), response(1, 0, b""))
    )
    assert connection.receive(stream) == [FatalResponse(1, "E", "")]
    assert connection.receive(stream) == []
    with pytest.raises(LocalProtocolError, match="CLOSED"):
        connection.request(2, "m", b"")


def test_an_answer_to_no_call_breaks_the_connection_after_what_was_right() -> None:
    """Events before the breach are given, then Broken, then nothing."""
    connection = opened()
    connection.request(1, "m", b"")
    good, bad = response(1, 0, b""), response(5, 0, b"")
    stream = b"".join(len(d).to_bytes(4, "big") + d for d in (good, bad, good))
    first, last = connection.receive(stream)
    assert first == Response(1, b"")
    assert isinstance(last, Broken)
    assert "call 5" in str(last.error)
    assert connection.receive(stream) == []
    assert connection.receive_end() == []


def test_what_the_caller_may_not_do() -> None:
    """Calls before open, ids out of range or in flight, opening twice, odd client ids: our own errors."""
    with pytest.raises(LocalProtocolError, match="state NEW"):
        client().request(1, "m", b"")
    connection = opened()
    connection.request(1, "m", b"")
    for call_id in (1, -1, 1 << 31):
        with pytest.raises(LocalProtocolError):
            connection.request(call_id, "m", b"")
    with pytest.raises(LocalProtocolError):
        connection.open()
    with pytest.raises(LocalProtocolError, match="16 bytes"):
        client(client_id=b"short")


def test_a_retry_keeps_its_id_and_counts() -> None:
    """A call sent again after a failure has the same client id and call id, and a raised count."""
    server = ServerConnection()
    connection, again = client(user="ada"), client(user="ada")
    server.receive(connection.open())
    (first,) = server.receive(connection.request(7, "delete", b"x"))
    other = ServerConnection()
    other.receive(again.open())
    (second,) = other.receive(again.request(7, "delete", b"x", retry=1))
    assert isinstance(first, Request)
    assert isinstance(second, Request)
    assert (first.client_id, first.call_id, first.retry) == (CLIENT_ID, 7, 0)
    assert (second.client_id, second.call_id, second.retry) == (CLIENT_ID, 7, 1)


def test_one_connection_may_carry_several_processes() -> None:
    """A call may name another client id, caller context and protocol than the connection."""
    server = ServerConnection()
    connection = opened()
    server.receive(client(user="ada").open())
    raw = connection.request(
        1, "m", b"", client_id=b"z" * 16, caller_context="task", protocol="org.example.Other"
    )
    assert server.receive(raw) == [Request(1, b"z" * 16, 0, "task", "org.example.Other", "m", b"")]


def test_a_server_without_sasl_lets_the_client_go_on_as_simple() -> None:
    """NEGOTIATE answered by SUCCESS: the context names the user."""
    ours, theirs = handshake(connection := client(user="ada", sasl=True), ServerConnection())
    assert ours == [Authenticated("SIMPLE", "")]
    assert theirs[1:] == [Opened(PROTOCOL, "ada", None, CLIENT_ID)]
    assert connection.state is State.READY


def test_a_server_without_sasl_does_not_pass_for_one_that_knows_a_token() -> None:
    """It would be any server: a token is a proof of both sides."""
    connection = client(mechanisms=[DigestMd5Client(TOKEN, b"c" * 16)])
    ours, _ = handshake(connection, ServerConnection())
    (broken,) = ours
    assert isinstance(broken, Broken)
    assert "asks for no authentication" in str(broken.error)
    assert connection.state is State.CLOSED


def test_simple_is_chosen_among_offers() -> None:
    """Offered TOKEN and SIMPLE, a client without a token chooses SIMPLE and waits for nothing."""
    ours, theirs = handshake(client(user="ada", sasl=True), token_server(simple=True))
    assert ours == [Authenticated("SIMPLE", "")]
    assert theirs[1:] == [Opened(PROTOCOL, "ada", None, CLIENT_ID)]


def test_a_token_is_chosen_and_both_sides_prove_themselves() -> None:
    """TOKEN authenticates in one round; the context then names no user."""
    server = token_server(simple=True)
    ours, theirs = handshake(client(user="ada", mechanisms=[DigestMd5Client(TOKEN, b"c" * 16)]), server)
    assert ours == [Authenticated("TOKEN", "DIGEST-MD5")]
    assert theirs[1:] == [Opened(PROTOCOL, None, None, CLIENT_ID)]
    assert server.identifier == TOKEN.identifier


def test_a_wrong_token_is_refused_as_a_fatal_answer() -> None:
    """The refusal names the exception, and ends the connection."""
    connection = client(mechanisms=[DigestMd5Client(TOKEN, b"c" * 16)])
    ours, _ = handshake(connection, token_server(password=b"other"))
    assert isinstance(ours[-1], FatalResponse)
    assert ours[-1].error_class.endswith("AccessControlException")
    assert connection.state is State.CLOSED


def test_no_common_mechanism_is_said() -> None:
    """What was offered and what we have are both in the error."""
    ours, _ = handshake(client(sasl=True, user="ada"), token_server())
    assert isinstance(ours[-1], Broken)
    assert "found TOKEN/DIGEST-MD5; allowed: SIMPLE" in str(ours[-1].error)


def test_a_call_during_the_handshake_is_our_error() -> None:
    """Before Authenticated no call may be sent."""
    connection = client(sasl=True, user="ada")
    connection.open()
    with pytest.raises(LocalProtocolError, match="NEGOTIATING"):
        connection.request(1, "m", b"")


def test_frames_are_small_until_authenticated() -> None:
    """A large frame is refused during the handshake and taken afterwards."""
    size = HANDSHAKE_LIMIT_BYTES + 1
    connection = client(sasl=True, user="ada")
    connection.open()
    (event,) = connection.receive(size.to_bytes(4, "big"))
    assert isinstance(event, Broken)
    ready = client(sasl=True, user="ada")
    handshake(ready, ServerConnection())
    assert ready.receive(size.to_bytes(4, "big")) == []
    (event,) = opened().receive((FRAME_LIMIT_BYTES + 1).to_bytes(4, "big"))
    assert isinstance(event, Broken)


@pytest.mark.parametrize(("data", "torn"), [(b"", False), (b"\0\0", True)])
def test_the_end_says_what_is_missing(data: bytes, torn: bool) -> None:
    """Closing tells whether a frame was torn and how many calls are without an answer."""
    connection = opened()
    connection.request(1, "m", b"")
    connection.receive(data)
    assert connection.receive_end() == [Closed(torn, 1)]
    assert connection.receive_end() == []
