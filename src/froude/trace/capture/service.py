"""A whole capture: one lane in this process, or several in processes of their own.

The forward path never waits for the recorder, unless nothing may be lost (see `lane`).

With several lanes, connections are accepted here and handed out to the processes in turn: there is one listening socket
an address, so that an address that is taken is still an error, and connections are spread evenly and numbered once.
The recorder of each lane writes its part of the unfinished Trace; here they are joined.

Run as `python -m froude.trace.capture.service`: settings as one JSON line on standard input, reports as JSON
lines on standard output. A last line on standard input says how the recording ended; its end finishes the Trace,
also when the parent died without a word.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import json
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from froude.base.errors import FroudeError, TargetError
from froude.documents.artifact import Origin, State
from froude.trace.capture.lane import MESSAGE_BYTES, Lane, beside, cpu_s, reap, run
from froude.trace.capture.legs import RESET_ON_CLOSE, Listener
from froude.trace.capture.proxy import check_target, listening
from froude.trace.capture.settings import (
    CaptureResult,
    CaptureSettings,
    Setup,
    error_from_mapping,
    error_to_mapping,
)
from froude.trace.partial import claim, finish_partial, part_path, partial_path, read_partial
from froude.trace.types import Loss

_NAME = "one of the capture's proxy processes"
_EXAMPLES = 10
_FINISH_TIMEOUT_S = 660.0
Addresses = list[tuple[str, int]]
_WORDS = {state.value.encode(): state for state in State}


async def capture(
    settings: CaptureSettings,
    schema_file: Path,
    *,
    until: Callable[[Addresses], Awaitable[State]],
    on_error: Callable[[FroudeError], None] = lambda _: None,
    on_silent: Callable[[FroudeError], None] = lambda _: None,
) -> CaptureResult:
    """Run a capture.

    Args:
        schema_file: the schema of the target's release, as `Schema.to_bytes` gives it.
        until: called with the listening addresses; the capture ends when it returns how it ended.
        on_error: told at once when the recorder fails (a full disk); forwarding goes on.
        on_silent: told of each target that does not answer, where another does.

    Returns:
        What came of it.

    Raises:
        InputError: a listening address is taken, or the output is.
        TargetError: no target answers.
        MissingError: the Trace could not be written.
    """
    for silent in _silent_targets(settings):
        on_silent(silent)
    key = secrets.token_bytes(32)
    setup = Setup(settings, str(schema_file), key, time.perf_counter(), time.time())
    if settings.processes > 1:
        async with Lanes(setup, on_error) as lanes:
            state = await until([await lanes.listen(listener) for listener in settings.listeners])
            return await lanes.finish(state)
    async with Lane(setup, on_error) as lane:
        state = await until([await lane.proxy.listen(listener) for listener in settings.listeners])
        return replace(await lane.finish(state), proxy_cpu_s=cpu_s())


def _silent_targets(settings: CaptureSettings) -> list[TargetError]:
    """What is wrong with targets that do not answer, as long as one does.

    Raises:
        TargetError: none does.
    """
    addresses = dict.fromkeys(listener.onward for listener in settings.listeners)
    errors = []
    for address in addresses:
        try:
            check_target(address)
        except TargetError as error:
            errors.append(error)
    if errors and len(errors) == len(addresses):
        raise errors[0]
    return errors


async def _until_stdin_ends(addresses: Addresses) -> State:
    """A parent that is killed says nothing: only a word from it makes the recording a complete or a failed one."""
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
    if not read.done() or read.result().strip() not in _WORDS:
        read.cancel()
        return State.INTERRUPTED
    return _WORDS[read.result().strip()]


def _warn(error: FroudeError) -> None:
    _print({"warning": error_to_mapping(error)})


def _print(message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


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
                on_error=_warn,
                on_silent=_warn,
            )
        )
    except FroudeError as error:
        _print({"error": error_to_mapping(error)})
        return 1
    _print({"done": result.to_mapping()})
    return 0


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


if __name__ == "__main__":
    sys.exit(main())
