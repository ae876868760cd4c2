"""One NBD connection without a socket: whole, byte by byte, and with what no client should send."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.cache.disk.nbd import wire
from froude.cache.disk.nbd.connection import Broken, Event, Export, Left, ServerConnection, State
from froude.cache.disk.nbd.wire import BlockSizes, Request

_EXPORT = Export(1 << 20, 0x16D, BlockSizes(1, 4096, 32 << 20))
_FLAGS = struct.pack(">I", 3)


def option(number: int, data: bytes = b"") -> bytes:
    """An option of a client."""
    return b"IHAVEOPT" + struct.pack(">II", number, len(data)) + data


def named(name: bytes = b"", *infos: int) -> bytes:
    """The data of GO and INFO."""
    wanted = b"".join(struct.pack(">H", each) for each in infos)
    return struct.pack(">I", len(name)) + name + struct.pack(">H", len(infos)) + wanted


def request(kind: int, *, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0) -> bytes:
    """A request of a client."""
    return struct.pack(">IHHQQI", 0x25609513, flags, kind, 77, offset, length or len(data)) + data


def events(connection: ServerConnection) -> list[Event]:
    """All that have come."""
    found = []
    while (event := connection.next_event()) is not None:
        found.append(event)
    return found


def opened() -> ServerConnection:
    """A connection on which requests are awaited."""
    connection = ServerConnection(_EXPORT)
    connection.receive_data(_FLAGS + option(7, named()))
    assert events(connection) == []
    connection.data_to_send()
    assert connection.state is State.TRANSMISSION
    return connection


_SESSION = (
    _FLAGS
    + option(8)
    + option(6, named(b"", 0, 3))
    + option(3)
    + option(7, named(b"", 3))
    + request(1, offset=4096, data=b"x" * 5000, flags=1)
    + request(0, offset=1, length=7)
    + request(3)
    + request(2)
)
_EVENTS = [
    Request(1, 1, 77, 4096, 5000, b"x" * 5000),
    Request(0, 0, 77, 1, 7, b""),
    Request(3, 0, 77, 0, 0, b""),
    Left(),
]


def test_a_session() -> None:
    """The answers of the handshake are the protocol's; requests come as they were sent."""
    connection = ServerConnection(_EXPORT)
    assert connection.data_to_send() == b"NBDMAGICIHAVEOPT\x00\x03"
    connection.receive_data(_SESSION)
    assert events(connection) == _EVENTS
    facts = b"\0\0" + wire.export(1 << 20, 0x16D), b"\0\3" + struct.pack(">III", 1, 4096, 32 << 20)
    expected = [
        wire.option_reply(8, wire.OptionReply.UNSUPPORTED),
        *(wire.option_reply(6, wire.OptionReply.INFO, each) for each in facts),
        wire.option_reply(6, wire.OptionReply.ACK),
        wire.option_reply(3, wire.OptionReply.SERVER, bytes(4)),
        wire.option_reply(3, wire.OptionReply.ACK),
        *(wire.option_reply(7, wire.OptionReply.INFO, each) for each in facts),
        wire.option_reply(7, wire.OptionReply.ACK),
    ]
    assert connection.data_to_send() == b"".join(expected)
    assert connection.state is State.CLOSED
    assert connection.data_to_send() == b""


@given(st.lists(st.integers(1, len(_SESSION)), max_size=20))
def test_the_same_in_any_pieces(cuts: list[int]) -> None:
    """Also byte by byte."""
    whole = ServerConnection(_EXPORT)
    whole.receive_data(_SESSION)
    expected = events(whole), whole.data_to_send()
    for points in (sorted(cuts), range(1, len(_SESSION)) if not cuts else []):
        connection, found, sent = ServerConnection(_EXPORT), [], b""
        last = 0
        for point in [*points, len(_SESSION)]:
            connection.receive_data(memoryview(_SESSION)[last:point])
            found += events(connection)
            sent += connection.data_to_send()
            last = point
        assert (found, sent) == expected


def test_the_oldest_way_in() -> None:
    """EXPORT_NAME, with zeros after it for who did not ask to leave them out."""
    for flags, padding in ((1, bytes(124)), (3, b"")):
        connection = ServerConnection(_EXPORT)
        connection.data_to_send()
        connection.receive_data(struct.pack(">I", flags) + option(1))
        assert events(connection) == []
        assert connection.data_to_send() == wire.export(1 << 20, 0x16D) + padding
        assert connection.state is State.TRANSMISSION


@pytest.mark.parametrize(
    ("data", "reply"),
    [
        (option(7, named(b"other")), wire.OptionReply.UNKNOWN),
        (option(7, b""), wire.OptionReply.INVALID),
        (option(7, named() + b"x"), wire.OptionReply.INVALID),
        (option(7, struct.pack(">IH", 99, 0)), wire.OptionReply.INVALID),
        (option(7, named(b"n" * 5000)), wire.OptionReply.TOO_BIG),
        (option(3, b"x"), wire.OptionReply.INVALID),
        (option(5), wire.OptionReply.UNSUPPORTED),
        (option(4711, b"abc"), wire.OptionReply.UNSUPPORTED),
    ],
)
def test_an_option_that_cannot_be_is_answered(data: bytes, reply: wire.OptionReply) -> None:
    """And the client may ask for another."""
    connection = ServerConnection(_EXPORT)
    connection.receive_data(_FLAGS + data)
    assert events(connection) == []
    assert struct.pack(">I", reply) in connection.data_to_send()
    assert connection.state is State.OPTIONS


def test_abort_is_answered() -> None:
    """Before the end."""
    connection = ServerConnection(_EXPORT)
    connection.data_to_send()
    connection.receive_data(_FLAGS + option(2))
    assert events(connection) == [Left()]
    assert connection.data_to_send() == wire.option_reply(2, wire.OptionReply.ACK)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (struct.pack(">I", 4), "client flags 0x4"),
        (_FLAGS + b"GET / HTTP/1.1\r\n\r\n", "IHAVEOPT"),
        (_FLAGS + b"IHAVEOPT" + struct.pack(">II", 7, 1 << 20), "an option of 1048576 bytes"),
        (_FLAGS + option(1, b"other"), "no export"),
        (_FLAGS + option(5) * 65, "more than 64"),
        (_FLAGS + option(1) + bytes(28), "magic"),
        (_FLAGS + option(1) + request(1, length=(32 << 20) + 1), "a write of 33554433 bytes"),
    ],
)
def test_a_broken_peer_is_sent_away(data: bytes, reason: str) -> None:
    """With the reason, and nothing after it is looked at."""
    connection = ServerConnection(_EXPORT)
    connection.receive_data(data + request(0, length=1))
    (event,) = events(connection)
    assert isinstance(event, Broken)
    assert reason in event.reason
    assert connection.next_event() is None


def test_what_has_not_come_is_kept_within_bounds() -> None:
    """A header that promises the largest write holds no more than what came."""
    connection = opened()
    connection.receive_data(request(1, length=32 << 20))
    assert connection.next_event() is None
    assert connection.buffered == 28


@given(st.lists(st.binary(max_size=64), max_size=8))
def test_any_bytes_end_in_events_or_a_broken_peer(pieces: list[bytes]) -> None:
    """Never in an error of ours; also in the middle of a session."""
    for connection in (ServerConnection(_EXPORT), opened()):
        for piece in pieces:
            connection.receive_data(piece)
            for event in events(connection):
                assert isinstance(event, (Request, Left, Broken))
