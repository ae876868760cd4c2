"""The capture proxy's forward path: accepts connections, connects onward, and joins the two (see `legs`).

Each listener may connect onward from a source address of its own, so that a NameNode sees distinct DataNodes
(a node's address is the one its connection comes from).
"""

from __future__ import annotations

import asyncio
import socket
import time

from froude.base.errors import InputError, TargetError
from froude.trace.capture.legs import ClientLeg, Leg, Listener, ServerLeg, Tape

_BACKLOG = 1024
_CONNECT_TIMEOUT_S = 20.0  # Hadoop's ipc.client.connect.timeout


class Proxy:
    """Forwards connections of several listeners, each to its target, within a running event loop."""

    def __init__(self, tape: Tape) -> None:
        """Forward, copying to `tape`."""
        self.tape = tape
        self.refused = 0
        """Connections that a target did not take."""
        self.held = False
        """Whether nothing is read for now."""
        self._servers: list[asyncio.Server] = []
        self.legs: set[Leg] = set()
        """Sockets that are open."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._count = 0

    async def listen(self, listener: Listener) -> tuple[str, int]:
        """Open one listener.

        Returns:
            The address it listens on, with the port that port 0 became.

        Raises:
            InputError: the address is taken or not this machine's.
        """
        server = await asyncio.get_running_loop().create_server(
            lambda: ClientLeg(self, listener, self._next_number()), sock=listening(listener), backlog=_BACKLOG
        )
        self._servers.append(server)
        host, port = server.sockets[0].getsockname()[:2]
        return str(host), int(port)

    async def adopt(self, sock: socket.socket, listener: Listener, number: int) -> None:
        """Forward a connection that another process has accepted."""
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._count += 1
        loop = asyncio.get_running_loop()
        await loop.connect_accepted_socket(lambda: ClientLeg(self, listener, number), sock)

    def hold(self, held: bool) -> None:
        """Read nothing from any side, so that the traffic waits; or go on."""
        self.held = held
        for leg in self.legs:
            leg.settle()

    async def close(self, grace_s: float = 1.0) -> None:
        """Stop listening, give open connections `grace_s` to end by themselves, then end them."""
        for server in self._servers:
            server.close()
        deadline = time.perf_counter() + grace_s
        while self.legs and time.perf_counter() < deadline:
            await asyncio.sleep(0.01)
        for leg in list(self.legs):
            leg.end()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    @property
    def connections(self) -> int:
        """Connections accepted so far."""
        return self._count

    def _next_number(self) -> int:
        self._count += 1
        return self._count

    async def _connect(self, client: ClientLeg, source: str | None) -> None:
        """Connect onward for an accepted client, then let its bytes flow."""
        loop = asyncio.get_running_loop()
        server = ServerLeg(self, client)
        local = (source, 0) if source else None
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                await loop.create_connection(lambda: server, *client.listener.onward, local_addr=local)
        except (OSError, TimeoutError) as error:
            self.refused += 1
            client.reason = f"refused: {_reason(error)}"
            client.reset()

    def connect_for(self, client: ClientLeg, source: str | None) -> None:
        """Connect onward for an accepted client, beside everything else.

        Args:
            source: the address to connect from; None lets the system choose.
        """
        task = asyncio.get_running_loop().create_task(self._connect(client, source))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def listening(listener: Listener) -> socket.socket:
    """The socket of a listener.

    Raises:
        InputError: the address is taken or not this machine's.
    """
    try:
        candidates = socket.getaddrinfo(listener.host, listener.port, type=socket.SOCK_STREAM)
        family, _, _, _, address = min(candidates, key=lambda each: each[0] != socket.AF_INET)
        sock = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        place, remedy = f"{listener.host}:{listener.port}", "Choose another address or port 0"
        raise InputError(f"cannot listen here ({_reason(error)})", file=place, remedy=remedy) from error
    sock.setblocking(False)
    return sock


def check_target(target: tuple[str, int], timeout_s: float = 5.0) -> None:
    """Connect once and hang up, so that a wrong target is an error now and not a refusal per client.

    Args:
        timeout_s: seconds the connection may take to come about.

    Raises:
        TargetError: it refuses or does not answer in time.
    """
    try:
        socket.create_connection(target, timeout=timeout_s).close()
    except OSError as error:
        remedy = "Start it, or correct its address"
        raise TargetError(
            f"does not accept connections ({_reason(error)})", file=f"{target[0]}:{target[1]}", remedy=remedy
        ) from error


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(getattr(error, "strerror", None) or error)
