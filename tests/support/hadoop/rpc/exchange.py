"""A client and a server core wired together, and bytes to feed them in every cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Event
from froude.hadoop.rpc.server import ServerConnection

PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
CLIENT_ID = bytes(range(16))


def client(**options: object) -> ClientConnection:
    """A client of the NameNode with a fixed id."""
    options.setdefault("client_id", CLIENT_ID)
    return ClientConnection(PROTOCOL, **options)  # type: ignore[arg-type]


def opened() -> ClientConnection:
    """A client that has sent its first bytes."""
    connection = client(user="ada")
    connection.open()
    return connection


def cuts(data: bytes) -> Iterator[list[bytes]]:
    """The bytes whole, byte by byte, and in halves."""
    yield [data]
    yield [data[at : at + 1] for at in range(len(data))]
    yield [data[: len(data) // 2], data[len(data) // 2 :]]


def feed(receive: Callable[[bytes], list[Event]], pieces: list[bytes]) -> list[Event]:
    """All events of all pieces."""
    return [event for piece in pieces for event in receive(piece)]


def handshake(connection: ClientConnection, server: ServerConnection) -> tuple[list[Event], list[Event]]:
    """Pass bytes between both until neither has more to say; events of the client and of the server."""
    ours: list[Event] = []
    theirs = server.receive(connection.open())
    while data := server.data_to_send():
        ours += connection.receive(data)
        theirs += server.receive(connection.data_to_send())
    return ours, theirs
