"""The recorder: a process beside the proxy that turns the tape into a Trace.

It reads records from a socket pair, decodes and redacts in memory, and appends rows to `NAME.partial` at
least once a second, so that neither its own nor the proxy's death loses more than that, and no secret ever
reaches the disk. When the proxy dies without a word, it finishes the Trace with what it has.

Run as `python -m froude.trace.capture.recorder FD`.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import socket
import sys
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from froude.base.errors import FroudeError
from froude.trace.assembly import Assembly, Row
from froude.trace.capture.settings import CaptureResult, CaptureSettings, error_to_mapping
from froude.trace.files import read_schema
from froude.trace.partial import PartialWriter
from froude.trace.redact import Redactor
from froude.trace.tape import Kind, Record, Splitter
from froude.trace.types import Fidelity, TraceMeta

FLUSH_S = 0.5
"""Rows wait in memory no longer than this."""
FLUSH_ROWS = 20_000
WINDOW_S = 0.25
"""How often the recorder looks whether it is in the way."""
BUSY_BYTES = 512 << 10
"""Bytes in a window from which on working them off could be in the way."""
DEFER_BYTES = 64 << 20
"""Tape that may wait in memory meanwhile: some five seconds of two saturated cores."""
_READ_BYTES = 256 << 10


@dataclass(frozen=True, slots=True)
class _Setup:
    """The first record's facts."""

    settings: CaptureSettings
    schema_file: str
    start_s: float
    started_at_s: float


class Recorder:
    """Takes records, keeps a Trace; `problem` is set once it cannot."""

    def __init__(self, setup: _Setup) -> None:
        """Begin the Trace.

        Raises:
            InputError: the place is taken, or the schema is damaged.
            MissingError: no right to write there.
        """
        self._setup = setup
        schema = read_schema(Path(setup.schema_file))
        redactor = Redactor(schema, secrets.token_bytes(32), keep_unknown=setup.settings.keep_unknown)
        self._rows: list[Row] = []
        self.assembly = Assembly(schema, redactor, self._rows.append, start_s=setup.start_s)
        self.problem: FroudeError | None = None
        self._writer = PartialWriter(setup.settings.output, schema, self._meta())
        self._described = (self.assembly.source_id, self.assembly.loss)

    def take(self, record: Record) -> None:
        """One record; nothing more is kept once writing has failed."""
        if self.problem is None:
            self.assembly.take(record)
            if len(self._rows) >= FLUSH_ROWS:
                self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if self.problem is not None or not self._rows:
            return
        try:
            self._writer.append(self._rows)
            self._rows.clear()
            now = (self.assembly.source_id, self.assembly.loss)
            if now != self._described:
                self._writer.describe(self._meta())
                self._described = now
        except FroudeError as error:
            self.problem = error

    def finish(self, time_s: float, **notes: str) -> CaptureResult:
        """Make the Trace whole.

        Raises:
            FroudeError: it could not be written; what was written before stays as `.partial`.
        """
        self.assembly.finish(time_s)
        self.flush()
        if self.problem is not None:
            raise self.problem
        settings, assembly = self._setup.settings, self.assembly
        self._writer.finish(self._meta(**notes), command=settings.command, tags=settings.tags)
        used = os.times()
        return CaptureResult(
            settings.output,
            self._writer.rows,
            assembly.connections,
            assembly.loss,
            settings.source_id or assembly.source_id,
            tuple(assembly.examples),
            used.user + used.system,
        )

    def discard(self) -> None:
        """Leave nothing."""
        self._writer.discard()

    def _meta(self, **notes: str) -> TraceMeta:
        settings, assembly = self._setup.settings, self.assembly
        lost = {f"loss {index + 1}": text for index, text in enumerate(assembly.examples)}
        return TraceMeta(
            settings.scale,
            self._setup.started_at_s,
            settings.source_id or assembly.source_id,
            settings.release or assembly.release,
            Fidelity(),
            assembly.loss,
            {**settings.notes, **lost, **notes},
        )


def read_setup(payload: bytes) -> _Setup:
    """The facts of a SETUP record."""
    parts: dict[str, Any] = json.loads(payload)
    settings = CaptureSettings.from_json(parts["settings"])
    return _Setup(settings, parts["schema_file"], parts["start_s"], parts["started_at_s"])


class _Session:
    """One capture's life in the recorder: takes pieces of the tape in turn."""

    def __init__(self, peer: socket.socket) -> None:
        self.exit_code: int | None = None
        """Set once it is over."""
        self._peer = peer
        self._splitter = Splitter()
        self._recorder: Recorder | None = None
        self._last_s = 0.0
        self._flushed = time.perf_counter()
        self._reported = False

    def work(self, data: bytes | None) -> None:
        """One piece; None when there is none now, empty when the proxy is gone."""
        if self.exit_code is not None:
            return
        try:
            self.exit_code = self._gone() if data == b"" else self._take(data or b"")
        except FroudeError as error:
            if not self._reported:
                _report(self._peer, {"error": error_to_mapping(error)})
            self.exit_code = 1

    def _take(self, data: bytes) -> int | None:
        for record in self._splitter.feed(data):
            if record[2] == Kind.SETUP:
                self._recorder = Recorder(read_setup(record[3]))
                _report(self._peer, {"ready": True})
            elif self._recorder is not None and record[2] == Kind.FINISH:
                _report(self._peer, {"done": self._recorder.finish(record[0]).to_mapping()})
                return 0
            elif self._recorder is not None:
                self._recorder.take(record)
            self._last_s = record[0]
        self._keep_up()
        return None

    def _keep_up(self) -> None:
        """Write what has waited long enough, and tell of a failure at once."""
        if self._recorder is None:
            return
        if time.perf_counter() - self._flushed >= FLUSH_S:
            self._recorder.flush()
            self._flushed = time.perf_counter()
        if self._recorder.problem is not None and not self._reported:
            self._reported = True
            _report(self._peer, {"error": error_to_mapping(self._recorder.problem)})

    def _gone(self) -> int:
        if self._recorder is not None and not self._recorder.assembly.connections:
            self._recorder.discard()  # it never came to record anything
        elif self._recorder is not None:
            why = "the proxy ended without finishing; calls in flight are missing"
            self._recorder.finish(self._last_s, interrupted=why)
        return 0


class _Pace:
    """Whether to work pieces off now, or to leave the machine to the forward path for a while."""

    def __init__(self) -> None:
        self._arrived = 0
        self._looked = time.perf_counter()
        self._times = psutil.cpu_times()
        self._full = False

    def arrived(self, size: int) -> None:
        """Count bytes taken from the proxy."""
        self._arrived += size

    def defers(self, waiting_bytes: int) -> bool:
        """Put work off while much arrives, no core is idle, and what waits is within the bound."""
        if time.perf_counter() - self._looked >= WINDOW_S:
            self._look()
        return self._full and waiting_bytes < DEFER_BYTES

    def _look(self) -> None:
        now, times = time.perf_counter(), psutil.cpu_times()
        idle_cores = (times.idle - self._times.idle) / (now - self._looked)
        self._full = self._arrived > BUSY_BYTES and idle_cores < 0.25
        self._arrived, self._looked, self._times = 0, now, times


def serve(peer: socket.socket) -> int:
    """Record what comes from `peer` until it says FINISH or is gone; report to it in JSON lines.

    Bytes are taken off the socket first and worked off later, so that the proxy holds none that its death could
    lose, and that a burst which needs the whole machine gets it.

    Returns:
        The exit code: 0, or 1 when an error was reported.
    """
    session, pace = _Session(peer), _Pace()
    pieces: deque[bytes] = deque()
    waiting = 0
    while session.exit_code is None:
        over = bool(pieces) and not pieces[-1]
        patience = 0.0 if pieces and not pace.defers(waiting) else WINDOW_S
        if not over and select.select([peer], [], [], patience)[0]:
            pieces.append(_receive(peer))
            waiting += len(pieces[-1])
            pace.arrived(len(pieces[-1]))
            if pace.defers(waiting):
                continue
        piece = pieces.popleft() if pieces else None
        waiting -= len(piece or b"")
        session.work(piece)
    return session.exit_code


def _receive(peer: socket.socket) -> bytes:
    try:
        return peer.recv(_READ_BYTES)
    except OSError:
        return b""


def _report(peer: socket.socket, message: dict[str, Any]) -> None:
    try:
        peer.sendall(json.dumps(message).encode() + b"\n")
    except OSError:
        return  # nobody is left to be told; the Trace is what matters


def main(arguments: list[str]) -> int:
    """Record from the file descriptor named in `arguments`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the proxy, which then says FINISH
    with socket.socket(fileno=int(arguments[0])) as peer:
        peer.setblocking(True)
        return serve(peer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
