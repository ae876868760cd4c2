"""One lane of a capture: a proxy's forward path, and the recorder of what passes there as a child process.

A capture has one lane in its own process, or several in processes of their own, which `service` starts. Such a
process is given its connections, each with its number, over a socket pair, and ends with it.

The end of the tape in the process of the proxy is a buffer that is flushed every few milliseconds. When more than the
bound waits because the recorder lags behind, the bytes of a connection go unrecorded from there on and are counted; or,
lossless, the traffic waits until there is room again, in steps so small that no client notices one as a stall.

Run as `python -m froude.trace.capture.lane FD`.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Self, cast

from froude.base.errors import FroudeError, TargetError
from froude.documents.artifact import State
from froude.trace.capture.proxy import Proxy
from froude.trace.capture.settings import (
    SMALLEST_BACKLOG_BYTES,
    CaptureResult,
    CaptureSettings,
    Setup,
    error_from_mapping,
    error_to_mapping,
)
from froude.trace.tape import HEAD, RecordKind, pack

FLUSH_S = 0.005
"""How long records wait for company."""
_STEP_BYTES = SMALLEST_BACKLOG_BYTES
"""How much is worked off before traffic goes on: some 25 ms of a recorder at work."""
MESSAGE_BYTES = 1 << 18
"""The largest message to a lane's process: its setup, some hundred bytes a listener."""
_FINISH_TIMEOUT_S = 600.0


class Lane:
    """A proxy and its recorder, within a running event loop; `async with` ends both whatever happens.

    Args:
        on_error: told once when the recorder fails; forwarding goes on.
    """

    def __init__(self, setup: Setup, on_error: Callable[[FroudeError], None]) -> None:
        self.setup = setup
        """What to record."""
        self._link = RecorderLink(setup.settings, on_error)
        self._child: subprocess.Popen[bytes] | None = None
        self.proxy = Proxy(self._link)
        """The forward path."""
        self._link.on_hold = self.proxy.hold

    async def __aenter__(self) -> Self:
        """Start the recorder and wait until it has begun its Trace.

        Raises:
            FroudeError: the place is taken, or the recorder cannot write there.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            self._child = beside("froude.trace.capture.recorder", theirs)
        ours.setblocking(False)
        try:
            await asyncio.get_running_loop().create_unix_connection(lambda: self._link, sock=ours)
            self._link.say(RecordKind.SETUP, self.setup.to_json())
            await self._link.ready
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def finish(self, state: State = State.COMPLETE) -> CaptureResult:
        """End the connections and wait for what the recorder made of them; the Trace says in which state it ended.

        Raises:
            FroudeError: the recorder failed.
        """
        await self.proxy.close()
        if not self._link.done.done():
            self._link.say(RecordKind.FINISH, state.value.encode())
        async with asyncio.timeout(_FINISH_TIMEOUT_S):
            return await self._link.done

    async def leave(self) -> None:
        """End the connections and let the recorder work off what it has, for nobody to wait for."""
        await self.proxy.close(0)
        self._link.close()
        if self._child is not None:
            await reap(self._child, _FINISH_TIMEOUT_S)

    async def __aexit__(self, *_: object) -> None:
        """End both."""
        await self.proxy.close(0)
        self._link.close()
        if self._child is not None:
            await reap(self._child)


def beside(module: str, sock: socket.socket) -> subprocess.Popen[bytes]:
    """Start a module that serves a socket and ends with it; Ctrl-C is not for it.

    Args:
        module: its dotted name; it is given the socket's file descriptor as its only argument.
        sock: its end of the connection, which stays open here until the caller closes it.

    Returns:
        The process.
    """
    command = [sys.executable, "-m", module, str(sock.fileno())]
    return subprocess.Popen(
        command, pass_fds=[sock.fileno()], stdin=subprocess.DEVNULL, start_new_session=True
    )


async def reap(child: subprocess.Popen[bytes], patience_s: float = 5.0) -> None:
    """Wait for a child that ends by itself, since its socket is closed; end it when it does not.

    Args:
        patience_s: seconds it gets to end before it is killed.
    """
    for _ in range(int(patience_s / 0.01)):
        if child.poll() is not None:
            return
        await asyncio.sleep(0.01)
    child.kill()
    child.wait()


class _Orders:
    """What a lane's process is told: first its setup, then connections to forward, in the end to finish."""

    def __init__(self, control: socket.socket) -> None:
        self.lane: Lane | None = None
        """The lane, once it is there."""
        loop = asyncio.get_running_loop()
        self.setup: asyncio.Future[Setup] = loop.create_future()
        """Done with the first order."""
        self.over: asyncio.Future[bool] = loop.create_future()
        """Done when no more orders come; whether the last one was to finish."""
        self._control = control
        self._tasks: set[asyncio.Task[None]] = set()
        loop.add_reader(control, self._read)

    def _read(self) -> None:
        try:
            message, fds, _, _ = socket.recv_fds(self._control, MESSAGE_BYTES, 1)
        except BlockingIOError:
            return
        except OSError:
            message, fds = b"", []
        if fds:
            self._adopt(socket.socket(fileno=fds[0]), json.loads(message))
        elif message and not self.setup.done():
            self.setup.set_result(Setup.from_json(message))
        else:
            self._end(finish=bool(message))

    def _end(self, *, finish: bool) -> None:
        asyncio.get_running_loop().remove_reader(self._control)
        self.setup.cancel()
        self.over.set_result(finish)

    def _adopt(self, sock: socket.socket, order: dict[str, Any]) -> None:
        assert self.lane is not None
        listener = self.lane.setup.settings.listeners[order["listener"]]
        adopted = self.lane.proxy.adopt(sock, listener, order["number"])
        task = asyncio.get_running_loop().create_task(adopted)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def report(self, message: dict[str, Any]) -> None:
        """Tell the capture's process."""
        try:
            self._control.send(json.dumps(message).encode())
        except OSError:
            return  # nobody is left to be told


async def serve(control: socket.socket) -> int:
    """Forward and record what the capture's process hands over, until it says so or is gone.

    Args:
        control: to that process; a socket that keeps messages apart.

    Returns:
        The exit code.
    """
    orders = _Orders(control)
    try:
        setup = await orders.setup
        async with Lane(setup, lambda error: orders.report({"warning": error_to_mapping(error)})) as lane:
            orders.lane = lane
            orders.report({"ready": True})
            if await orders.over:
                result = await lane.finish()
                orders.report({"done": {**result.to_mapping(), "proxy_cpu_s": cpu_s()}})
            else:
                await lane.leave()
    except asyncio.CancelledError:
        return 1  # whoever started this process was gone before it said what to do
    except FroudeError as error:
        orders.report({"error": error_to_mapping(error)})
        return 1
    return 0


def cpu_s() -> float:
    """CPU seconds of this process, without its children."""
    used = os.times()
    return used.user + used.system


def run(main: Any) -> Any:
    """Run a coroutine on uvloop."""
    import uvloop

    return uvloop.run(main)


def main(arguments: list[str]) -> int:
    """Serve the capture's process over the file descriptor named in `arguments`."""
    with socket.socket(fileno=int(arguments[0])) as control:
        control.setblocking(False)
        return int(run(serve(control)))


class RecorderLink(asyncio.Protocol):
    """The tape's end in the proxy's process.

    Args:
        settings: the bound, and whether nothing may be lost.
        on_error: told once when the recorder fails.
    """

    def __init__(self, settings: CaptureSettings, on_error: Callable[[FroudeError], None]) -> None:
        self._limit = settings.backlog_bytes
        self._lossless = settings.lossless
        self._on_error = on_error
        self.on_hold: Callable[[bool], None] = _nothing
        """Called when the traffic is to be held, and again when it may go on."""
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

    def record(self, connection: int, kind: RecordKind, payload: bytes) -> None:
        """Take one record, or count it when the recorder lags too far behind.

        Args:
            payload: what belongs to it, such as the bytes that passed.
        """
        if (self._choked or self._gaps) and self._drops(connection, kind, payload):
            return
        self._waiting.append(HEAD.pack(time.perf_counter(), connection, kind, len(payload)))
        self._waiting.append(payload)
        if not self._armed:
            self._armed = True
            self._loop.call_later(FLUSH_S, self._flush)

    def _drops(self, connection: int, kind: RecordKind, payload: bytes) -> bool:
        """Whether a record goes unrecorded: bytes while choked, and of a connection that missed some before."""
        if kind is RecordKind.CLOSE:
            self._tell_gap(connection)
        elif kind is not RecordKind.OPEN and (self._choked or connection in self._gaps):
            self.dropped_bytes += len(payload)
            self._gaps[connection] = self._gaps.get(connection, 0) + len(payload)
            return True
        return False

    def _tell_gap(self, connection: int) -> None:
        lost = self._gaps.pop(connection, 0)
        if lost:
            self._waiting.append(pack(time.perf_counter(), connection, RecordKind.GAP, str(lost).encode()))

    def pause_writing(self) -> None:
        """The recorder lags behind by more than the bound."""
        if self._lossless:
            self.on_hold(True)
        else:
            self._choked = True

    def resume_writing(self) -> None:
        """It has caught up a little."""
        self._choked = False
        if self._lossless:
            self.on_hold(False)

    def _flush(self) -> None:
        self._armed = False
        self._send()

    def _send(self) -> None:
        if self._waiting and self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(self._waiting))
        self._waiting.clear()

    def say(self, kind: RecordKind, payload: bytes = b"") -> None:
        """Send SETUP or FINISH, after all that waits.

        Args:
            payload: what belongs to it; empty for none.
        """
        for connection in list(self._gaps):
            self._tell_gap(connection)
        self._waiting.append(pack(time.perf_counter(), 0, kind, payload))
        self._send()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The recorder's socket is ready."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=self._limit, low=self._limit - _STEP_BYTES)

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
        self._transport = None
        self.resume_writing()  # nobody is left to wait for
        self._fail(TargetError("ended before its time", file="the capture's recorder process"))

    def close(self) -> None:
        """Hang up; that the recorder then ends is no news."""
        self._closed = True
        self._send()
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


def _nothing(_held: bool) -> None:
    pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
