"""Whatever the bytes and however they are cut, the protocol cores say the same and fail in one way only."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from hypothesis import example, given, settings
from hypothesis import strategies as st

from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.codec import encode_sasl
from froude.hadoop.rpc.events import Broken, Event, Request, Response
from froude.hadoop.rpc.frames import frame
from froude.hadoop.rpc.headers import SaslState
from froude.hadoop.rpc.observer import Observer
from froude.hadoop.rpc.sasl import DigestMd5Client, Token
from froude.hadoop.rpc.server import ServerConnection
from tests.support.hadoop.rpc.codec import response, writable
from tests.support.hadoop.rpc.observer import framed
from tests.support.hadoop.rpc.token_server import DigestMd5Server, TokenServer
from tests.support.seeds import examples

PROTOCOL = "org.example.Protocol"
calls = st.lists(
    st.tuples(st.text(max_size=8), st.binary(max_size=400), st.none() | st.text(max_size=8)), max_size=6
)
cuts = st.lists(st.integers(0, 3000), max_size=12)


def client(**options: object) -> ClientConnection:
    """A client with a fixed id."""
    return ClientConnection(PROTOCOL, client_id=bytes(16), **options)  # type: ignore[arg-type]


def pieces(data: bytes, at: list[int]) -> list[bytes]:
    """The data cut at these places."""
    borders = [0, *sorted(min(place, len(data)) for place in at), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(borders)]


def told(receive: Callable[[bytes], list[Event]], parts: list[bytes]) -> list[str]:
    """All events, as text, since errors have no equality."""
    return [repr(event) for part in parts for event in receive(part)]


@given(calls, cuts)
def test_a_conversation_does_not_depend_on_its_cuts(
    made: list[tuple[str, bytes, str | None]], at: list[int]
) -> None:
    """Server and observer read the same calls, with the same contents, from any cut."""
    connection = client(user="ada")
    data = connection.open() + b"".join(
        connection.request(n, method, body, caller_context=context)
        for n, (method, body, context) in enumerate(made)
    )
    parts = pieces(data, at)
    server, observer = ServerConnection(), Observer()
    events = [event for part in parts for event in server.receive(part)]
    assert [seen for part in parts for seen in observer.events(part, from_client=True)] == events
    requests = [event for event in events if isinstance(event, Request)]
    assert [(call.method, call.body, call.caller_context) for call in requests] == made


@given(st.lists(st.binary(max_size=300), max_size=6), st.randoms(use_true_random=False), cuts)
def test_answers_find_their_calls(bodies: list[bytes], order: object, at: list[int]) -> None:
    """Results in any order and any cut reach the calls they belong to."""
    connection, server = client(user="ada"), ServerConnection()
    server.receive(connection.open() + b"".join(connection.request(n, "m", b"") for n in range(len(bodies))))
    ids = list(range(len(bodies)))
    order.shuffle(ids)  # type: ignore[attr-defined]
    data = b"".join(server.respond(n, bodies[n]) for n in ids)
    events = [event for part in pieces(data, at) for event in connection.receive(part)]
    assert events == [Response(n, bodies[n]) for n in ids]


@settings(max_examples=examples(300))
@given(
    st.binary(max_size=200)
    | st.lists(st.binary(max_size=60), max_size=5).map(lambda ps: b"".join(map(frame, ps))),
    cuts,
)
def test_any_bytes_give_events_and_one_end(data: bytes, at: list[int]) -> None:
    """Hostile bytes never raise; what is said does not depend on the cut; Broken comes once and last."""
    for make in (lambda: _opened(client(user="a")), lambda: _opened(client(sasl=True)), ServerConnection):
        whole = make().receive(data)
        assert told(make().receive, pieces(data, at)) == [repr(event) for event in whole]
        assert sum(isinstance(event, Broken) for event in whole[:-1]) == 0
    seen = Observer().events(data, from_client=False)
    observer = Observer()
    assert [repr(s) for part in pieces(data, at) for s in observer.events(part, from_client=False)] == list(
        map(repr, seen)
    )


def _recorded() -> list[tuple[bool, bytes]]:
    """A conversation with all that an observer tells apart: whether the client spoke, and what was said."""
    connection, server = client(user="ada"), ServerConnection()
    asked = (
        connection.open()
        + connection.request(0, "m", b"first")
        + connection.request(1, "m", b"second", caller_context="cli")
    )
    server.receive(asked)
    writable_call = framed(writable(4, b"P", b"m", b"rest"))
    token = framed(response(-33, 0, encode_sasl(SaslState.WRAP, b"sealed", (), challenge=False)))
    refusal = server.fail(1, "java.io.IOException", "no")
    said = [(True, asked), (False, server.respond(0, b"result") + token)]
    return [*said, (True, writable_call), (False, framed(response(4, 0) + b"raw") + refusal)]


def _mutated(edits: list[tuple[int, int, bytes]]) -> list[tuple[bool, bytes]]:
    """The conversation with bytes replaced: each edit is a place, how many bytes go, and what comes there."""
    turns = [(from_client, bytearray(data)) for from_client, data in _recorded()]
    for place, gone, come in edits:
        data = turns[place % len(turns)][1]
        at = place // len(turns) % (len(data) + 1)
        data[at : at + gone] = come
    return [(from_client, bytes(data)) for from_client, data in turns]


def _observed(turns: list[tuple[bool, bytes]], cut: Callable[[bytes], list[bytes]]) -> list[object]:
    """Everything that an observer tells, without the times."""
    observer = Observer()
    events: list[object] = []
    for from_client, data in turns:
        events += [event for piece in cut(data) for event in observer.events(piece, from_client=from_client)]
    counts = (observer.skipped_bytes, observer.pending_bytes)
    return [*events, counts, observer.closed()]


_IMPOSSIBLE = (b"HTTP", b"GET ", b"\x16\x03\x01\x00", b"\xff\xff\xff\xff")
_edits = st.lists(
    st.tuples(st.integers(0, 1200), st.integers(0, 9), st.binary(max_size=5) | st.sampled_from(_IMPOSSIBLE)),
    max_size=4,
)


@settings(max_examples=examples(300), deadline=None)
@given(_edits, cuts)
@example([(0, 7, b"GET / H")], [4])  # a foreign beginning
@example([(4 * 7, 4, b"HTTP")], [11])  # an impossible length that ends a piece
@example([(1, 4, b"\xff\xff\xff\xff")], [2])
def test_an_observer_reads_the_same_whatever_the_cut(
    edits: list[tuple[int, int, bytes]], at: list[int]
) -> None:
    """Events of both directions in their order, skipped and pending bytes, and whether the end was torn."""
    turns = _mutated(edits)
    whole = _observed(turns, lambda data: [data])
    assert _observed(turns, lambda data: pieces(data, at)) == whole
    assert _observed(turns, lambda data: [bytes([byte]) for byte in data]) == whole


def _opened(connection: ClientConnection) -> ClientConnection:
    connection.open()
    return connection


@given(
    st.binary(max_size=60),
    st.binary(max_size=60),
    st.binary(min_size=8, max_size=20),
    st.binary(min_size=8, max_size=20),
)
def test_every_token_opens_its_door_and_no_other(
    identifier: bytes, password: bytes, nonce: bytes, cnonce: bytes
) -> None:
    """DIGEST-MD5's halves agree for all tokens, and a changed password is noticed."""
    server = DigestMd5Server({identifier: password}.get, nonce)
    mechanism = DigestMd5Client(Token(identifier, password), cnonce)
    token, proof = server.check(mechanism.start(server.offer))
    mechanism.finish(proof)
    assert token == identifier
    core = TokenServer(DigestMd5Server({identifier: password}.get, nonce))
    connection = client(mechanisms=[DigestMd5Client(Token(identifier, password + b"!"), cnonce)])
    core.receive(connection.open())
    connection.receive(core.data_to_send())
    assert isinstance(core.receive(connection.data_to_send())[-1], Broken)
