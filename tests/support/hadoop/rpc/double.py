"""A daemon's double on loopback: a `ServerConnection` behind a socket, doing what a test says."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator

from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.server import ServerConnection

Answer = Callable[[ServerConnection, Request], bytes | None]
"""What to send for a call; None closes the connection."""


def reset(peer: socket.socket) -> None:
    """Close with a reset instead of an end."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


@contextlib.contextmanager
def daemon(
    answer: Answer,
    *,
    make: Callable[[], ServerConnection] = ServerConnection,
    greet: Callable[[socket.socket], bool] | None = None,
) -> Iterator[tuple[str, int]]:
    """Listen until the block ends.

    Args:
        answer: what to send for each call.
        make: the core for each connection.
        greet: called first with the socket; True means that it dealt with the connection itself.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    held: list[socket.socket] = []
    over = threading.Event()

    def serve() -> None:
        while not over.is_set():
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            held.append(peer)
            with contextlib.suppress(OSError):
                if greet is None or not greet(peer):
                    _converse(peer, make(), answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()
    finally:
        over.set()
        for peer in held:
            with contextlib.suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)
            peer.close()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def _converse(peer: socket.socket, core: ServerConnection, answer: Answer) -> None:
    with peer:
        while data := peer.recv(65536):
            events = core.receive(data)
            peer.sendall(core.data_to_send())
            for event in events:
                if isinstance(event, Request):
                    reply = answer(core, event)
                    if reply is None:
                        return
                    peer.sendall(reply)
