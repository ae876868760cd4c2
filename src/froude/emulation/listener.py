"""Where emulated nodes are called: one port on all loopback addresses, and the connections that were taken there.

Every address of 127/8 is this machine's, so one listening socket serves tens of thousands of nodes; the address that a
caller chose says which of them it means.
"""

from __future__ import annotations

import contextlib
import errno
import select
import socket
from collections.abc import Callable
from ipaddress import ip_address

from froude.base.errors import TargetError
from froude.emulation.inbound import Accepted, Inbound
from froude.emulation.programs.events import NodeId

PORT = 18041
"""Where emulated nodes are called: below the ports that a system gives away, and not one of Hadoop's own."""
_READ_BYTES = 1 << 18
_BACKLOG = 1024
_APART, _TRIES = 64, 8
"""Ports between those of two plays, and how many are tried."""
_AT_ONCE = 64
"""Connections taken in one go, so that calls of our own are not kept waiting."""


class Listener:
    """The server's side of a player."""

    def __init__(self, player: int = 0) -> None:
        """Take the usual port, or while another play has that the next one of a few, at last any free one.

        Args:
            player: number of the player, from 0: those of one play have ports next to each other.

        A ResourceManager knows NodeManagers by address and port: on the same port a later play registers the same ones
        again, instead of new ones next to those of the play before. The next port is the same in each play, as long as
        those before it are taken.

        Raises:
            TargetError: there is none.
        """
        for port in (*range(PORT + player, PORT + player + _APART * _TRIES, _APART), 0):
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            try:
                # Whoever is on another machine shall not even be answered; where that is not allowed, it is hung up on.
                with contextlib.suppress(PermissionError):
                    self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")
                # Connections of the play before may still be closing.
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                self._socket.bind(("0.0.0.0", port))  # noqa: S104 - all of 127/8, see above
                self._socket.listen(_BACKLOG)
                break
            except OSError as error:
                self._socket.close()
                if not port:
                    what = "cannot listen for calls to emulated nodes"
                    raise TargetError(what, found=error.strerror or str(error)) from error
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]
        self._links: dict[int, tuple[socket.socket, Accepted]] = {}
        self._backlog: dict[int, bytearray] = {}
        self._numbers: dict[int, int] = {}
        self._epoll: select.epoll | None = None
        self._inbound: Inbound | None = None
        self._called: Callable[[str], NodeId | None] = lambda _: None

    def serve(self, inbound: Inbound, called: Callable[[str], NodeId | None]) -> None:
        """Say who answers."""
        self._inbound, self._called = inbound, called

    def begin(self, epoll: select.epoll) -> None:
        """Take connections from now on."""
        self._epoll = epoll
        epoll.register(self._socket, select.EPOLLIN)

    def takes(self, descriptor: int) -> bool:
        """Whether an event is of a socket of these."""
        return descriptor in self._links or descriptor == self._socket.fileno()

    def handle(self, descriptor: int, mask: int, now_s: float) -> None:
        """Take an event."""
        if descriptor not in self._links:
            self._accept()
            return
        if mask & select.EPOLLOUT:
            self._push(descriptor, self._backlog.pop(descriptor, bytearray()))
        if descriptor in self._links and mask & ~select.EPOLLOUT:
            self._read(descriptor, now_s)

    def flush(self) -> None:
        """Send what nodes have answered."""
        assert self._inbound is not None
        for accepted in self._inbound.dirty:
            data = b"".join(accepted.out)
            accepted.out.clear()
            descriptor = self._numbers.get(accepted.number)
            if descriptor is None:
                continue
            if descriptor in self._backlog:
                self._backlog[descriptor] += data
            else:
                self._push(descriptor, data)
        self._inbound.dirty.clear()

    def close(self) -> None:
        """Hang up, and listen no more."""
        for sock, _ in self._links.values():
            sock.close()
        self._links.clear()
        self._socket.close()

    def _accept(self) -> None:
        assert self._epoll is not None
        assert self._inbound is not None
        for _ in range(_AT_ONCE):
            try:
                sock, _ = self._socket.accept()
            except BlockingIOError:
                return
            except OSError as error:
                # Gone before it was taken, or no descriptor is left: it stays in the queue, or tries again.
                if error.errno in {errno.ECONNABORTED, errno.EMFILE, errno.ENFILE}:
                    return
                raise
            host = sock.getsockname()[0]
            node = self._called(host) if ip_address(host).is_loopback else None
            if node is None:
                sock.close()
                continue
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            accepted = self._inbound.accept(node)
            self._links[sock.fileno()] = (sock, accepted)
            self._numbers[accepted.number] = sock.fileno()
            self._epoll.register(sock, select.EPOLLIN)

    def _read(self, descriptor: int, now_s: float) -> None:
        assert self._inbound is not None
        sock, accepted = self._links[descriptor]
        try:
            data = sock.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._inbound.received(accepted, data, now_s)
        else:
            self._hang_up(descriptor)

    def _push(self, descriptor: int, data: bytes | bytearray) -> None:
        assert self._epoll is not None
        sock, _ = self._links[descriptor]
        try:
            sent = sock.send(data) if data else 0
        except BlockingIOError:
            sent = 0
        except OSError:
            self._hang_up(descriptor)
            return
        if sent < len(data):
            self._backlog[descriptor] = bytearray(data[sent:])
            self._epoll.modify(sock, select.EPOLLIN | select.EPOLLOUT)
        else:
            self._epoll.modify(sock, select.EPOLLIN)

    def _hang_up(self, descriptor: int) -> None:
        assert self._epoll is not None
        assert self._inbound is not None
        sock, accepted = self._links.pop(descriptor)
        self._backlog.pop(descriptor, None)
        self._numbers.pop(accepted.number, None)
        self._inbound.ended(accepted)
        self._epoll.unregister(sock)
        sock.close()
