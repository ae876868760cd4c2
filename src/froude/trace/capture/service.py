"""A whole capture in one process: the proxy's forward path, and the recorder as its child.

The forward path never waits for the recorder: records go into a buffer that is flushed every few
milliseconds, and when the recorder lags behind by more than the bound, a connection's bytes go unrecorded
from there on and are counted.

Run as `python -m froude.trace.capture.service`: settings as one JSON line on standard input, reports as JSON
lines on standard output, and the end of standard input (also the parent's death) finishes the Trace.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

from froude.base.errors import FroudeError, TargetError
from froude.trace.capture.proxy import Proxy, check_target
from froude.trace.capture.settings import (
    CaptureResult,
    CaptureSettings,
    error_from_mapping,
    error_to_mapping,
)
from froude.trace.tape import HEAD, Kind, pack

FLUSH_S = 0.005
"""How long records wait for company."""
_FINISH_TIMEOUT_S = 600.0

Addresses = list[tuple[str, int]]


class RecorderLink(asyncio.Protocol):
    """The tape's end in the proxy's process: buffers, bounds, counts."""

    def __init__(self, backlog_bytes: int, on_error: Callable[[FroudeError], None]) -> None:
        self._limit = backlog_bytes
        self._on_error = on_error
        self._transport: asyncio.Transport | None = None
        self._waiting: list[bytes] = []
        self._armed = self._choked = self._closed = False
        self._gaps: dict[int, int] = {}
        self._heard = b""
        self._loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[None] = self._loop.create_future()
        """Done when the recorder has begun its Trace."""
        self.done: asyncio.Future[CaptureResult] = self._loop.create_future()
        """Done when the recorder has finished it."""
        self.dropped_bytes = 0
        """Passed on but not recorded."""

    def record(self, connection: int, kind: Kind, payload: bytes) -> None:
        """Take one record, or count it when the recorder lags too far behind."""
        if (self._choked or self._gaps) and self._drops(connection, kind, payload):
            return
        self._waiting.append(HEAD.pack(time.perf_counter(), connection, kind, len(payload)))
        self._waiting.append(payload)
        if not self._armed:
            self._armed = True
            self._loop.call_later(FLUSH_S, self._flush)

    def _drops(self, connection: int, kind: Kind, payload: bytes) -> bool:
        """Whether a record goes unrecorded: bytes while choked, and of a connection that missed some before."""
        if kind is Kind.CLOSE:
            self._tell_gap(connection)
        elif kind is not Kind.OPEN and (self._choked or connection in self._gaps):
            self.dropped_bytes += len(payload)
            self._gaps[connection] = self._gaps.get(connection, 0) + len(payload)
            return True
        return False

    def _tell_gap(self, connection: int) -> None:
        lost = self._gaps.pop(connection, 0)
        if lost:
            self._waiting.append(pack(time.perf_counter(), connection, Kind.GAP, str(lost).encode()))

    def pause_writing(self) -> None:
        """The recorder lags behind by more than the bound."""
        self._choked = True

    def resume_writing(self) -> None:
        """It has caught up."""
        self._choked = False

    def _flush(self) -> None:
        self._armed = False
        self._send()

    def _send(self) -> None:
        if self._waiting and self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(self._waiting))
        self._waiting.clear()

    def say(self, kind: Kind, payload: bytes = b"") -> None:
        """Send SETUP or FINISH, after all that waits."""
        for connection in list(self._gaps):
            self._tell_gap(connection)
        self._waiting.append(pack(time.perf_counter(), 0, kind, payload))
        self._send()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The recorder's socket is ready."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Reports of the recorder, one JSON document a line."""
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            message: dict[str, Any] = json.loads(line)
            if "ready" in message and not self.ready.done():
                self.ready.set_result(None)
            if "done" in message and not self.done.done():
                self.done.set_result(CaptureResult.from_mapping(message["done"]))
            if "error" in message:
                self._fail(error_from_mapping(message["error"]))

    def connection_lost(self, error: Exception | None) -> None:
        """The recorder is gone."""
        del error
        self._fail(TargetError("ended before its time", file="the capture's recorder process"))

    def close(self) -> None:
        """Hang up; that the recorder then ends is no news."""
        self._closed = True
        if self._transport is not None:
            self._transport.close()

    def _fail(self, error: FroudeError) -> None:
        if self.done.done() or self._closed:
            return
        self.done.set_exception(error)
        self.done.exception()  # looked at: whoever waits gets it, nobody waiting is no bug
        if not self.ready.done():  # nothing is passed on yet: `capture` raises it
            self.ready.set_exception(error)
            self.ready.exception()
            return
        self._on_error(error)


async def capture(
    settings: CaptureSettings,
    schema_file: Path,
    *,
    until: Callable[[Addresses], Awaitable[None]],
    on_error: Callable[[FroudeError], None] = lambda _: None,
) -> CaptureResult:
    """Run a capture.

    Args:
        settings: what to do.
        schema_file: the schema of the target's release, as `Schema.to_bytes` gives it.
        until: called with the listening addresses; the capture ends when it returns.
        on_error: told at once when the recorder fails (a full disk); forwarding goes on.

    Returns:
        What came of it.

    Raises:
        InputError: a listening address is taken, or the output is.
        TargetError: the target does not answer.
        MissingError: the Trace could not be written.
    """
    check_target(settings.target)
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "froude.trace.capture.recorder", str(theirs.fileno())]
    child = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()
    ours.setblocking(False)
    link = RecorderLink(settings.backlog_bytes, on_error)
    proxy = Proxy(settings.target, link)
    try:
        await asyncio.get_running_loop().create_unix_connection(lambda: link, sock=ours)
        setup = {
            "settings": settings.to_json(),
            "schema_file": str(schema_file),
            "start_s": time.perf_counter(),
            "started_at_s": time.time(),
        }
        link.say(Kind.SETUP, json.dumps(setup).encode())
        await link.ready
        await until([await proxy.listen(listener) for listener in settings.listeners])
        await proxy.close()
        if not link.done.done():
            link.say(Kind.FINISH)
        async with asyncio.timeout(_FINISH_TIMEOUT_S):
            result = await link.done
        return _with_cpu(result)
    finally:
        await proxy.close(0)
        link.close()
        await _reap(child)


def _with_cpu(result: CaptureResult) -> CaptureResult:
    from dataclasses import replace

    used = os.times()
    return replace(result, proxy_cpu_s=used.user + used.system)


async def _reap(child: subprocess.Popen[bytes]) -> None:
    """Wait for the recorder; its socket is closed, so it ends by itself."""
    for _ in range(500):
        if child.poll() is not None:
            return
        await asyncio.sleep(0.01)
    child.kill()
    child.wait()


async def _until_stdin_ends(addresses: Addresses) -> None:
    _print({"listening": addresses})
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, ended.set)
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    read = asyncio.ensure_future(reader.read())
    read.add_done_callback(lambda _: ended.set())
    await ended.wait()
    read.cancel()


def _print(message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def run(main: Any) -> Any:
    """Run a coroutine on uvloop."""
    import uvloop

    return uvloop.run(main)


def main() -> int:
    """Settings from standard input, reports on standard output."""
    asked = json.loads(os.read(0, 1 << 20).partition(b"\n")[0])
    settings = CaptureSettings.from_json(asked["settings"])
    try:
        result = run(
            capture(
                settings,
                Path(asked["schema_file"]),
                until=_until_stdin_ends,
                on_error=lambda error: _print({"warning": error_to_mapping(error)}),
            )
        )
    except FroudeError as error:
        _print({"error": error_to_mapping(error)})
        return 1
    _print({"done": result.to_mapping()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
