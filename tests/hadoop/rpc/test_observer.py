"""The observer reads both directions of any connection and never fails."""

from __future__ import annotations

from collections import Counter

import pytest

from froude.hadoop.rpc.codec import encode_sasl
from froude.hadoop.rpc.events import (
    Closed,
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
from froude.hadoop.rpc.observer import Observer, Seen
from froude.hadoop.rpc.sasl import DigestMd5Client, DigestMd5Server, Token
from froude.hadoop.rpc.server import ServerConnection
from froude.trace.tape import RecordKind, Splitter
from testbed.recorded import NODES, recorded, tape_of
from tests.support.hadoop.rpc.codec import response, writable
from tests.support.hadoop.rpc.exchange import CLIENT_ID, PROTOCOL, client, cuts
from tests.support.hadoop.rpc.observer import framed


def kinds(seen: list[Seen]) -> list[str]:
    """Names of the events."""
    return [type(record.event).__name__ for record in seen]


def test_both_directions_with_their_times() -> None:
    """Events carry the time at which their last byte passed."""
    connection = client(user="ada")
    observer = Observer()
    seen = observer.from_client(connection.open(), 1.0)
    call = connection.request(3, "m", b"x")
    seen += observer.from_client(call[:5], 2.0) + observer.from_client(call[5:], 3.0)
    seen += observer.from_server(framed(response(3, 0, b"y")), 4.0) + observer.closed(5.0)
    assert seen == [
        Seen(1.0, Preamble(9, 0, sasl=False)),
        Seen(1.0, Opened(PROTOCOL, "ada", None, CLIENT_ID)),
        Seen(3.0, Request(3, CLIENT_ID, 0, None, PROTOCOL, "m", b"x")),
        Seen(4.0, Response(3, b"y")),
        Seen(5.0, Closed(torn=False)),
    ]


def test_reading_goes_on_behind_a_frame_that_does_not_decode() -> None:
    """Garbage in a whole frame costs that frame only, on either side, in any cut."""
    good = framed(response(1, 0, b""))
    for pieces in cuts(good + framed(b"\xff" * 9) + good):
        observer = Observer()
        events = [record.event for piece in pieces for record in observer.from_server(piece, 0.0)]
        assert [type(event) for event in events] == [Response, Undecodable, Response]
        assert events[1].size == 13  # type: ignore[union-attr]


def test_a_direction_whose_frames_are_lost_is_counted() -> None:
    """An impossible length or a foreign protocol loses its direction, not the other."""
    observer = Observer(limit_bytes=100)
    (lost,) = observer.from_server(b"\xff" * 8, 0.0)
    assert isinstance(lost.event, Lost)
    assert observer.from_server(b"more", 0.0) == []
    assert observer.skipped_bytes == 8 + 4
    assert kinds(observer.from_client(client(user="ada").open(), 0.0)) == ["Preamble", "Opened"]
    assert kinds(Observer().from_client(b"GET / HTTP/1.1", 0.0)) == ["Lost"]


def test_sasl_with_tokens_is_read_through() -> None:
    """The steps of authentication are events, and calls behind it are read."""
    token = Token(b"who", b"secret")
    server = ServerConnection(token=DigestMd5Server(lambda _: b"secret", b"n" * 16), simple=False)
    connection = client(mechanisms=[DigestMd5Client(token, b"c" * 16)])
    observer, seen, data = Observer(), [], connection.open()
    while data:
        seen += observer.from_client(data, 0.0)
        server.receive(data)
        answer = server.data_to_send()
        seen += observer.from_server(answer, 0.0)
        connection.receive(answer)
        data = connection.data_to_send()
    seen += observer.from_client(connection.request(0, "m", b""), 0.0)
    assert kinds(seen) == ["Preamble", "Sasl", "Sasl", "Sasl", "Sasl", "Opened", "Request"]
    states = [record.event.state.name for record in seen if isinstance(record.event, Sasl)]
    assert states == ["NEGOTIATE", "NEGOTIATE", "INITIATE", "SUCCESS"]
    assert "secret" not in repr(seen)


def test_wrapped_payload_is_said_to_be_wrapped() -> None:
    """Privacy and integrity hide the payload: one Undecodable a frame."""
    payload = response(-33, 0, encode_sasl(SaslState.WRAP, b"sealed", (), challenge=False))
    (seen,) = Observer().from_server(framed(payload), 0.0)
    assert isinstance(seen.event, Undecodable)
    assert seen.event.protected
    assert "wrapped" in seen.event.reason
    assert seen.event.protected


def test_results_of_writable_calls_have_no_length() -> None:
    """The answer to a Writable call is taken whole, as its call was."""
    observer = Observer()
    observer.from_client(client(user="ada").open() + framed(writable(4, b"P", b"m", b"rest")), 0.0)
    (seen,) = observer.from_server(framed(response(4, 0) + b"raw"), 0.0)
    assert seen.event == Response(4, b"raw")


def test_the_end_counts_torn_frames_and_open_calls() -> None:
    """A torn frame and unanswered calls are in Closed."""
    connection, observer = client(user="ada"), Observer()
    observer.from_client(connection.open() + connection.request(1, "m", b"") + frame(b"x")[:3], 0.0)
    assert observer.closed(0.0) == [Seen(0.0, Closed(torn=True, unanswered=1))]


@pytest.mark.parametrize("name", sorted(NODES))
def test_every_frame_of_whole_clusters_decodes(name: str) -> None:
    """NameNode, ResourceManager and NodeManager traffic: all there, nothing lost."""
    observers: dict[int, Observer] = {}
    counts: Counter[str] = Counter()
    for time_s, connection, kind, data in Splitter().feed(b"".join(tape_of(recorded(name)))):
        observer = observers.setdefault(connection, Observer())
        feeds = {RecordKind.TO_SERVER: observer.from_client, RecordKind.TO_CLIENT: observer.from_server}
        if kind in feeds:
            counts.update(kinds(feeds[RecordKind(kind)](data, time_s)))
    calls = len(recorded(name).calls)
    opened = {"Preamble": len(observers), "Opened": len(observers)}
    assert counts == {**opened, "Request": calls, "Response": calls}
    assert sum(observer.pending_bytes for observer in observers.values()) == 0
