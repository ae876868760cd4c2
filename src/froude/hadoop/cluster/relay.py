"""Plain relays in front of a NameNode or a ResourceManager, one for each node.

A node cannot be told from which address to dial, and the masters know a node by the address it dials from. So
each dials a relay on its own address, which connects onward *from that address*: a master then sees as many
hosts as there are nodes. A recording puts its capture proxies in the same place instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Mapping
from concurrent.futures import Future

_CHUNK = 1 << 16


class Relay:
    """Relays from addresses to targets, in a thread of their own; a context manager."""

    def __init__(self, routes: Mapping[tuple[str, int], tuple[str, int]]) -> None:
        """Describe it; nothing listens before the block is entered.

        Args:
            routes: the target by where to listen; each onward connection leaves from the address that was dialled.
        """
        self._routes = dict(routes)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop: asyncio.Event | None = None

    def __enter__(self) -> Relay:
        """Listen.

        Raises:
            OSError: an address is taken.
        """
        started: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, args=(started,), name="froude-relay", daemon=True)
        self._thread.start()
        started.result()
        return self

    def __exit__(self, *error: object) -> None:
        """Stop listening and close what is open."""
        if self._loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join(5)
        self._loop = self._thread = self._stop = None

    def _run(self, started: Future[None]) -> None:
        try:
            asyncio.run(self._serve(started))
        except Exception as error:  # noqa: BLE001 - handed to the thread that waits
            if not started.done():
                started.set_exception(error)

    async def _serve(self, started: Future[None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        async with contextlib.AsyncExitStack() as stack:
            for address in self._routes:
                server = await asyncio.start_server(self._connected, *address, limit=_CHUNK)
                stack.callback(server.close)
            started.set_result(None)
            await self._stop.wait()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        dialled = writer.get_extra_info("sockname")
        try:
            onward = await asyncio.open_connection(
                *self._routes[dialled], local_addr=(dialled[0], 0), limit=_CHUNK
            )
        except OSError:
            writer.transport.abort()
            return
        for each in (writer, onward[1]):
            each.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            # The end of the loop cancels what is open; asyncio's streams would print it as an error.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(_pump(reader, onward[1]), _pump(onward[0], writer))
        finally:
            writer.close()
            onward[1].close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until one side ends; pass the end on, so that the other can finish."""
    with contextlib.suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
        return
    writer.transport.abort()
