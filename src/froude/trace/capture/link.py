"""The tape's end in the proxy's process: buffers, bounds, and what happens beyond them.

Records go into a buffer that is flushed every few milliseconds. When more than the bound waits because the
recorder lags behind, a connection's bytes go unrecorded from there on and are counted; or, lossless, the
traffic is held until there is room again, in steps so small that no client notices one as a stall.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any, cast

from froude.base.errors import FroudeError, TargetError
from froude.trace.capture.settings import (
    SMALLEST_BACKLOG_BYTES,
    CaptureResult,
    CaptureSettings,
    error_from_mapping,
)
from froude.trace.tape import HEAD, RecordKind, pack

FLUSH_S = 0.005
"""How long records wait for company."""
_STEP_BYTES = SMALLEST_BACKLOG_BYTES
"""How much is worked off before traffic goes on: some 25 ms of a recorder at work."""


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
            connection: its number within the capture.
            kind: what the record tells.
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
