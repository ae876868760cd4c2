"""The recorder: a process beside the proxy that turns the tape into a Trace.

It reads records from a socket pair, decodes and redacts in memory, and appends rows to `NAME.partial` at
least once a second, so that no secret ever reaches the disk. When the proxy dies without a word, it finishes
the Trace with what it has; its own death costs what it had in memory: a second's rows, and the tape that it
put off while the machine was busy.

Run as `python -m froude.trace.capture.recorder FD`.
"""

from __future__ import annotations

import gc
import json
import os
import select
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from froude.base.errors import FroudeError
from froude.documents.artifact import Origin, State
from froude.trace.assembly import CallAssembly, CallRow
from froude.trace.capture.settings import BACKLOG_BYTES, CaptureResult, Setup, error_to_mapping
from froude.trace.files import read_schema
from froude.trace.partial import PartialWriter
from froude.trace.redact import Redactor
from froude.trace.tape import Record, RecordKind, Splitter
from froude.trace.types import Fidelity, TraceMeta

FLUSH_S = 0.5
"""Rows wait in memory no longer than this."""
FLUSH_ROWS = 20_000
WINDOW_S = 0.25
"""How often the recorder looks whether it is in the way."""
BUSY_BYTES = 512 << 10
"""Bytes in a window, of all recorders together, from which on working them off could be in the way."""
_READ_BYTES = 64 << 10
_SETUP, _FINISH = int(RecordKind.SETUP), int(RecordKind.FINISH)
_COLLECT_EVERY = 100_000
"""Rows are tuples of plain values: looking for cycles among them at the usual rate costs a microsecond a call."""


class Recorder:
    """Takes records, keeps a Trace; `problem` is set once it cannot."""

    def __init__(self, setup: Setup) -> None:
        """Begin the Trace.

        Raises:
            InputError: the place is taken, or the schema is damaged.
            MissingError: no right to write there.
        """
        self._setup = setup
        schema = read_schema(Path(setup.schema_file))
        redactor = Redactor(schema, setup.key, keep_unknown=setup.settings.keep_unknown)
        self._rows: list[CallRow] = []
        self.assembly = CallAssembly(schema, redactor, self._rows.append, start_s=setup.start_s)
        self.problem: FroudeError | None = None
        self._writer = PartialWriter(setup.settings.output, schema, self._meta())
        self._described = (self.assembly.source_id, self.assembly.loss)

    def take(self, record: Record) -> None:
        """One record; nothing more is kept once writing has failed."""
        if self.problem is None:
            self.assembly.take(record)

    def write_much(self) -> None:
        """Write what waits if it is much."""
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

    def finish(self, state: State = State.COMPLETE, **notes: str) -> CaptureResult:
        """Make the Trace whole, or leave this recorder's part of it.

        Args:
            state: how the recording ended, for the lineage of a whole Trace.

        Raises:
            FroudeError: it could not be written; what was written before stays as `.partial`.
        """
        self.assembly.finish()
        self.flush()
        if self.problem is not None:
            raise self.problem
        settings, assembly = self._setup.settings, self.assembly
        if self._setup.whole:
            origin = Origin(settings.command, state=state, tags=settings.tags)
            self._writer.finish(self._meta(**notes), origin)
        else:
            self._writer.leave(self._meta(**notes))
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


class _Session:
    """One capture's life in the recorder: takes pieces of the tape in turn."""

    def __init__(self, peer: socket.socket, clock: Callable[[], float]) -> None:
        self.exit_code: int | None = None
        """Set once it is over."""
        self._peer = peer
        self._clock = clock
        self._splitter = Splitter()
        self._recorder: Recorder | None = None
        self._flushed = clock()
        self._reported = False
        self.backlog_bytes = BACKLOG_BYTES
        """How much of the tape may wait here."""
        self.busy_bytes = BUSY_BYTES
        """This recorder's part of what is much in a window."""

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
        recorder = self._recorder
        for record in self._splitter.feed(data):
            if record[2] < _SETUP and recorder is not None:
                recorder.take(record)
            elif record[2] == _SETUP:
                recorder = self._begin(Setup.from_json(record[3]))
            elif record[2] == _FINISH and recorder is not None:
                state = State((record[3] or b"complete").decode())
                _report(self._peer, {"done": recorder.finish(state).to_mapping()})
                return 0
        self._keep_up()
        return None

    def _begin(self, setup: Setup) -> Recorder:
        self._recorder = Recorder(setup)
        self.backlog_bytes = setup.settings.backlog_bytes
        self.busy_bytes = BUSY_BYTES // setup.settings.processes
        gc.freeze()
        gc.set_threshold(_COLLECT_EVERY)
        _report(self._peer, {"ready": True})
        return self._recorder

    def _keep_up(self) -> None:
        """Write what has waited long enough, and tell of a failure at once."""
        if self._recorder is None:
            return
        self._recorder.write_much()
        if self._clock() - self._flushed >= FLUSH_S:
            self._recorder.flush()
            self._flushed = self._clock()
        if self._recorder.problem is not None and not self._reported:
            self._reported = True
            _report(self._peer, {"error": error_to_mapping(self._recorder.problem)})

    def _gone(self) -> int:
        if self._recorder is not None and not self._recorder.assembly.connections:
            self._recorder.discard()  # it never came to record anything
        elif self._recorder is not None:
            why = "the proxy ended without finishing; calls in flight are missing"
            self._recorder.finish(State.INTERRUPTED, interrupted=why)
        return 0


class _Pace:
    """Whether to work pieces off now, or to leave the machine to the forward path for a while."""

    def __init__(self, session: _Session, clock: Callable[[], float]) -> None:
        self._session = session
        self._clock = clock
        self._arrived = 0
        self._looked = clock()
        self._times = psutil.cpu_times()
        self._full = False

    def arrived(self, size: int) -> None:
        """Count bytes taken from the proxy."""
        self._arrived += size

    def defers(self, waiting_bytes: int) -> bool:
        """Put work off while much arrives, no core is idle, and less than half of the bound waits."""
        if self._clock() - self._looked >= WINDOW_S:
            self._look()
        return self._full and waiting_bytes < self._session.backlog_bytes // 2

    def _look(self) -> None:
        now, times = self._clock(), psutil.cpu_times()
        idle_cores = (times.idle - self._times.idle) / (now - self._looked)
        self._full = self._arrived > self._session.busy_bytes and idle_cores < 0.25
        self._arrived, self._looked, self._times = 0, now, times


class _Intake:
    """Takes the tape off the socket ahead of the work, up to a bound.

    The proxy then holds next to nothing that its death could lose, and nothing of its own has to wait while
    a piece is worked off here.
    """

    def __init__(self, peer: socket.socket) -> None:
        self.waiting = 0
        """Bytes taken and not yet given out."""
        self._peer = peer
        self._pieces: deque[bytes] = deque()
        self._over = False

    def take(self, patience_s: float, limit_bytes: int) -> int:
        """Take what is there, after waiting for it if need be; tells how much."""
        before = self.waiting
        while not self._over and self.waiting < limit_bytes and self._readable(patience_s):
            piece = _receive(self._peer)
            self._pieces.append(piece)
            self.waiting += len(piece)
            self._over = not piece
            patience_s = 0.0
        return self.waiting - before

    def next(self) -> bytes | None:
        """The next piece; empty for the end, None when there is none now."""
        if not self._pieces:
            return None
        piece = self._pieces.popleft()
        self.waiting -= len(piece)
        return piece

    def _readable(self, patience_s: float) -> bool:
        return bool(select.select([self._peer], [], [], patience_s)[0])


def serve(peer: socket.socket, *, clock: Callable[[], float] = time.perf_counter) -> int:
    """Record what comes from `peer` until it says FINISH or is gone; report to it in JSON lines.

    Bytes are taken off the socket first and worked off later, so that a burst which needs the whole machine
    gets it.

    Args:
        clock: seconds, by which rows are written every `FLUSH_S`.

    Returns:
        The exit code: 0, or 1 when an error was reported.
    """
    session, intake = _Session(peer, clock), _Intake(peer)
    pace = _Pace(session, clock)
    while session.exit_code is None:
        deferred = pace.defers(intake.waiting)
        patience_s = 0.0 if intake.waiting and not deferred else WINDOW_S
        pace.arrived(intake.take(patience_s, session.backlog_bytes))
        deferred = pace.defers(intake.waiting)
        session.work(None if deferred else intake.next())
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
    with socket.socket(fileno=int(arguments[0])) as peer:
        peer.setblocking(True)
        return serve(peer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
