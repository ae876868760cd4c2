"""A server, the proxy before it and a client, over real sockets on loopback."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import uvloop

from froude.trace.capture.proxy import Proxy
from froude.trace.tape import RecordKind
from tests.support.trace.capture.tokens import before

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Kept:
    """A tape that keeps its records."""

    def __init__(self) -> None:
        self.records: list[tuple[int, RecordKind, bytes]] = []

    def record(self, connection: int, kind: RecordKind, payload: bytes) -> None:
        self.records.append((connection, kind, payload))

    def bytes_of(self, connection: int, kind: RecordKind) -> bytes:
        return b"".join(p for c, k, p in self.records if (c, k) == (connection, kind))

    def closings(self) -> list[bytes]:
        return [p for _, k, p in self.records if k is RecordKind.CLOSE]


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Echo to the end, then say goodbye: works only if half-closes are passed on."""
    while data := await reader.read(70_000):
        writer.write(data)
        await writer.drain()
    writer.write(b"bye")
    writer.close()


def run(handler: Handler, client: Callable[[tuple[str, int], Kept], Awaitable[Any]], **listener: Any) -> Kept:
    """A server, the proxy before it, and a client."""

    async def main() -> Kept:
        server = await asyncio.start_server(handler, "127.0.0.1", 0)
        kept = Kept()
        proxy = Proxy(kept)
        address = await proxy.listen(before(server.sockets[0].getsockname()[:2], **listener))
        try:
            async with asyncio.timeout(30):
                await client(address, kept)
        finally:
            await proxy.close(0.2)
            server.close()
        return kept

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main())


async def exchange(address: tuple[str, int], data: bytes, rng: random.Random) -> bytes:
    """Send in random pieces, half-close, read to the end."""
    reader, writer = await asyncio.open_connection(*address)

    async def send() -> None:
        at = 0
        while at < len(data):
            size = rng.choice([1, 7, 1000, 65_536, 300_000])
            writer.write(data[at : at + size])
            at += size
            await writer.drain()
        writer.write_eof()

    sending = asyncio.ensure_future(send())
    answer = await reader.read()
    await sending
    writer.close()
    return answer
