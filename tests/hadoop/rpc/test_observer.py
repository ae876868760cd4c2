"""The observer reads both directions of any connection and never fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from froude.hadoop.rpc.codec import encode_sasl
from froude.hadoop.rpc.events import (
    Closed,
    Event,
    Lost,
    Opened,
    Preamble,
    Request,
    Response,
    Sasl,
    Undecodable,
)
from froude.hadoop.rpc.frames import frame
from froude.hadoop.rpc.headers import SaslState
from froude.hadoop.rpc.observer import Observer
from froude.hadoop.rpc.sasl import DigestMd5Client, Token
from froude.trace.tape import RecordKind, Splitter
from testbed.recorded import NODES, recorded, tape_of
from tests.support.hadoop.rpc.codec import response, writable
from tests.support.hadoop.rpc.exchange import CLIENT_ID, PROTOCOL, client, cuts
from tests.support.hadoop.rpc.observer import framed
from tests.support.hadoop.rpc.token_server import DigestMd5Server, TokenServer


def kinds(seen: Sequence[Event]) -> list[str]:
    """Names of the events."""
    return [type(event).__name__ for event in seen]


def test_both_directions() -> None:
    """An event comes when its last byte has passed."""
    connection = client(user="ada")
    observer = Observer()
    seen = observer.events(connection.open(), from_client=True)
    call = connection.request(3, "m", b"x")
    seen += observer.events(call[:5], from_client=True) + observer.events(call[5:], from_client=True)
    seen += observer.events(framed(response(3, 0, b"y")), from_client=False)
    seen.append(observer.closed())
    assert seen == [
        Preamble(9, 0, sasl=False),
        Opened(PROTOCOL, "ada", None, CLIENT_ID),
        Request(3, CLIENT_ID, 0, None, PROTOCOL, "m", b"x"),
        Response(3, b"y"),
        Closed(torn=False),
    ]


def test_reading_goes_on_behind_a_frame_that_does_not_decode() -> None:
    """Garbage in a whole frame costs that frame only, on either side, in any cut."""
    good = framed(response(1, 0, b""))
    for pieces in cuts(good + framed(b"\xff" * 9) + good):
        observer = Observer()
        events = [event for piece in pieces for event in observer.events(piece, from_client=False)]
        assert [type(event) for event in events] == [Response, Undecodable, Response]
        assert events[1].size == 13  # type: ignore[union-attr]


def test_a_direction_whose_frames_are_lost_is_counted() -> None:
    """An impossible length or a foreign protocol loses its direction, not the other."""
    observer = Observer(limit_bytes=100)
    (lost,) = observer.events(b"\xff" * 8, from_client=False)
    assert isinstance(lost, Lost)
    assert observer.events(b"more", from_client=False) == []
    assert observer.skipped_bytes == 8 + 4
    assert kinds(observer.events(client(user="ada").open(), from_client=True)) == ["Preamble", "Opened"]
    assert kinds(Observer().events(b"GET / HTTP/1.1", from_client=True)) == ["Lost"]


def test_sasl_with_tokens_is_read_through() -> None:
    """The steps of authentication are events, and calls behind it are read."""
    token = Token(b"who", b"secret")
    server = TokenServer(DigestMd5Server(lambda _: b"secret", b"n" * 16))
    connection = client(mechanisms=[DigestMd5Client(token, b"c" * 16)])
    observer, seen, data = Observer(), [], connection.open()
    while data:
        seen += observer.events(data, from_client=True)
        server.receive(data)
        answer = server.data_to_send()
        seen += observer.events(answer, from_client=False)
        connection.receive(answer)
        data = connection.data_to_send()
    seen += observer.events(connection.request(0, "m", b""), from_client=True)
    assert kinds(seen) == ["Preamble", "Sasl", "Sasl", "Sasl", "Sasl", "Opened", "Request"]
    states = [event.state.name for event in seen if isinstance(event, Sasl)]
    assert states == ["NEGOTIATE", "NEGOTIATE", "INITIATE", "SUCCESS"]
    assert "secret" not in repr(seen)


def test_wrapped_payload_is_said_to_be_wrapped() -> None:
    """Privacy and integrity hide the payload: one Undecodable a frame."""
    payload = response(-33, 0, encode_sasl(SaslState.WRAP, b"sealed", (), challenge=False))
    (seen,) = Observer().events(framed(payload), from_client=False)
    assert isinstance(seen, Undecodable)
    assert seen.protected
    assert "wrapped" in seen.reason
    assert seen.protected


def test_results_of_writable_calls_have_no_length() -> None:
    """The answer to a Writable call is taken whole, as its call was."""
    observer = Observer()
    observer.events(client(user="ada").open() + framed(writable(4, b"P", b"m", b"rest")), from_client=True)
    (seen,) = observer.events(framed(response(4, 0) + b"raw"), from_client=False)
    assert seen == Response(4, b"raw")


def test_the_end_counts_torn_frames_and_open_calls() -> None:
    """A torn frame and unanswered calls are in Closed."""
    connection, observer = client(user="ada"), Observer()
    observer.events(connection.open() + connection.request(1, "m", b"") + frame(b"x")[:3], from_client=True)
    assert observer.closed() == Closed(torn=True, unanswered=1)


@pytest.mark.parametrize("name", sorted(NODES))
def test_every_frame_of_whole_clusters_decodes(name: str) -> None:
    """NameNode, ResourceManager and NodeManager traffic: all there, nothing lost."""
    observers: dict[int, Observer] = {}
    counts: Counter[str] = Counter()
    for _, connection, kind, data in Splitter().feed(b"".join(tape_of(recorded(name)))):
        observer = observers.setdefault(connection, Observer())
        if kind in {RecordKind.TO_SERVER, RecordKind.TO_CLIENT}:
            counts.update(kinds(observer.events(data, from_client=kind == RecordKind.TO_SERVER)))
    calls = len(recorded(name).calls)
    opened = {"Preamble": len(observers), "Opened": len(observers)}
    assert counts == {**opened, "Request": calls, "Response": calls}
    assert sum(observer.pending_bytes for observer in observers.values()) == 0
