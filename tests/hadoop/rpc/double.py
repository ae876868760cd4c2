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


def reset(one: socket.socket) -> None:
    """Close with a reset instead of an end."""
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    one.close()


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
                one, _ = listener.accept()
            except OSError:
                return
            held.append(one)
            with contextlib.suppress(OSError):
                if greet is None or not greet(one):
                    _converse(one, make(), answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()
    finally:
        over.set()
        for one in held:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def _converse(one: socket.socket, core: ServerConnection, answer: Answer) -> None:
    with one:
        while data := one.recv(65536):
            events = core.receive(data)
            one.sendall(core.data_to_send())
            for event in events:
                if isinstance(event, Request):
                    reply = answer(core, event)
                    if reply is None:
                        return
                    one.sendall(reply)
