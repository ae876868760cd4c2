"""Several lanes of one capture: connections are accepted here and handed out to processes in turn.

One listening socket an address, so that an address that is taken is still an error, and connections are spread
evenly and numbered once. Each lane's recorder writes its part of the unfinished Trace; here they are joined.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import json
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

from froude.base.errors import FroudeError, TargetError
from froude.documents.artifact import Origin, State
from froude.trace.capture.lane import MESSAGE_BYTES, beside, cpu_s, reap
from froude.trace.capture.legs import RESET_ON_CLOSE, Listener
from froude.trace.capture.proxy import listening
from froude.trace.capture.settings import CaptureResult, Setup, error_from_mapping
from froude.trace.partial import claim, finish_partial, part_path, partial_path, read_partial
from froude.trace.types import Loss

_NAME = "one of the capture's proxy processes"
_EXAMPLES = 10
_FINISH_TIMEOUT_S = 660.0


class Lanes:
    """A capture's lanes, each a process; `async with` ends them whatever happens.

    Args:
        setup: what to record; each lane gets an output of its own.
        on_error: told when a lane fails; the others go on.
    """

    def __init__(self, setup: Setup, on_error: Callable[[FroudeError], None]) -> None:
        self._setup = setup
        self._on_error = on_error
        self._lanes: list[_Process] = []
        self._sockets: list[socket.socket] = []
        self._numbers = itertools.count(1)

    async def __aenter__(self) -> Self:
        """Start all and wait until they record.

        Raises:
            FroudeError: the place is taken, or a recorder cannot write there.
        """
        path = self._setup.settings.output
        claim(path)
        try:
            for number in range(1, self._setup.settings.processes + 1):
                settings = replace(self._setup.settings, output=part_path(path, number))
                self._lanes.append(
                    _Process(replace(self._setup, settings=settings, whole=False), self._on_error)
                )
            for lane in self._lanes:
                await lane.ready
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def listen(self, listener: Listener) -> tuple[str, int]:
        """Open one listener.

        Returns:
            The address it listens on, with the port that port 0 became.

        Raises:
            InputError: the address is taken or not this machine's.
        """
        sock = listening(listener)
        index = self._setup.settings.listeners.index(listener)
        self._sockets.append(sock)
        asyncio.get_running_loop().add_reader(sock, functools.partial(self._accept, sock, index))
        host, port = sock.getsockname()[:2]
        return str(host), int(port)

    async def finish(self, state: State = State.COMPLETE) -> CaptureResult:
        """End the connections, wait for all parts, and make the whole Trace of them, which says in which state it ended.

        Raises:
            FroudeError: a lane failed, or the Trace could not be written; the parts stay.
        """
        self._close_sockets()
        for lane in self._lanes:
            lane.finish()
        async with asyncio.timeout(_FINISH_TIMEOUT_S):
            await asyncio.wait([lane.done for lane in self._lanes])  # also beside one that failed
        results = [lane.done.result() for lane in self._lanes]
        settings = self._setup.settings
        meta = read_partial(partial_path(settings.output)).meta
        finish_partial(settings.output, meta, Origin(settings.command, state=state, tags=settings.tags))
        return replace(_together(results), path=settings.output, source_id=meta.source_id)

    async def __aexit__(self, *_: object) -> None:
        """End every process; a folder that nothing was written to goes, too."""
        self._close_sockets()
        for lane in self._lanes:
            await lane.close()
        with contextlib.suppress(OSError):
            partial_path(self._setup.settings.output).rmdir()

    def _close_sockets(self) -> None:
        for sock in self._sockets:
            asyncio.get_running_loop().remove_reader(sock)
            sock.close()
        self._sockets.clear()

    def _accept(self, sock: socket.socket, index: int) -> None:
        """Hand a connection to the lane whose turn it is, or to the next that takes it; else it is reset."""
        try:
            accepted, _ = sock.accept()
        except OSError:
            return
        with accepted:
            number = next(self._numbers)
            order = json.dumps({"number": number, "listener": index}).encode()
            first = number % len(self._lanes)
            if not any(lane.take(order, accepted) for lane in self._lanes[first:] + self._lanes[:first]):
                accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)


class _Process:
    """One lane's process, as the capture sees it."""

    def __init__(self, setup: Setup, on_error: Callable[[FroudeError], None]) -> None:
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[None] = loop.create_future()
        """Done when it records."""
        self.done: asyncio.Future[CaptureResult] = loop.create_future()
        """Done when its part is there."""
        self._on_error = on_error
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._child = beside("froude.trace.capture.lane", theirs)
        self._control.setblocking(False)
        self._send(setup.to_json())
        loop.add_reader(self._control, self._read)

    def take(self, order: bytes, accepted: socket.socket) -> bool:
        """Hand a connection over; whether it went."""
        if self.done.done():
            return False
        try:
            socket.send_fds(self._control, [order], [accepted.fileno()])
        except OSError:
            return False
        return True

    def finish(self) -> None:
        """Say that no more connections come."""
        self._send(b"finish")

    async def close(self) -> None:
        """End it."""
        if self._control.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._control)
            self._control.close()
        await reap(self._child)

    def _send(self, message: bytes) -> None:
        try:
            self._control.send(message)
        except OSError as error:
            self._fail(TargetError("takes no orders", file=_NAME, found=str(error)))

    def _read(self) -> None:
        try:
            heard = self._control.recv(MESSAGE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            heard = b""
        if not heard:
            asyncio.get_running_loop().remove_reader(self._control)
            self._gone()
            return
        message: dict[str, Any] = json.loads(heard)
        if "ready" in message:
            self.ready.set_result(None)
        elif "done" in message:
            self.done.set_result(CaptureResult.from_mapping(message["done"]))
        elif "warning" in message:
            self._on_error(error_from_mapping(message["warning"]))
        else:
            self._fail(error_from_mapping(message["error"]))

    def _gone(self) -> None:
        error = TargetError("ended before its time", file=_NAME)
        if self.ready.done() and not self.done.done():
            self._on_error(error)
        self._fail(error)

    def _fail(self, error: FroudeError) -> None:
        for future in (self.ready, self.done):
            if not future.done():
                future.set_exception(error)
                future.exception()  # looked at: whoever waits gets it, nobody waiting is no bug


def _together(results: list[CaptureResult]) -> CaptureResult:
    """What all lanes made, added up."""
    return replace(
        results[0],
        calls=sum(result.calls for result in results),
        connections=sum(result.connections for result in results),
        loss=sum((result.loss for result in results), Loss()),
        examples=tuple(itertools.chain.from_iterable(result.examples for result in results))[:_EXAMPLES],
        recorder_cpu_s=sum(result.recorder_cpu_s for result in results),
        proxy_cpu_s=sum(result.proxy_cpu_s for result in results) + cpu_s(),
    )
