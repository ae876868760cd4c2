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
from dataclasses import dataclass
from typing import Any

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
_READ_BYTES = 1 << 20
_NICENESS = 5  # the forward path goes first; the backlog takes what this puts off


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
        from pathlib import Path

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


def serve(peer: socket.socket) -> int:
    """Record what comes from `peer` until it says FINISH or is gone; report to it in JSON lines.

    Returns:
        The exit code: 0, or 1 when an error was reported.
    """
    splitter = Splitter()
    recorder: Recorder | None = None
    last_s, reported, flushed = 0.0, False, time.perf_counter()
    try:
        while True:
            ready, _, _ = select.select([peer], [], [], FLUSH_S)
            data = peer.recv(_READ_BYTES) if ready else None
            if data == b"":
                break
            for record in splitter.feed(data or b""):
                if record[2] == Kind.SETUP:
                    recorder = Recorder(read_setup(record[3]))
                    _report(peer, {"ready": True})
                elif record[2] == Kind.FINISH:
                    assert recorder is not None
                    _report(peer, {"done": recorder.finish(record[0]).to_mapping()})
                    return 0
                elif recorder is not None:
                    recorder.take(record)
                last_s = record[0]
            if recorder is not None and time.perf_counter() - flushed >= FLUSH_S:
                recorder.flush()
                flushed = time.perf_counter()
            if recorder is not None and recorder.problem is not None and not reported:
                reported = True
                _report(peer, {"error": error_to_mapping(recorder.problem)})
        if recorder is not None:
            recorder.finish(
                last_s, interrupted="the proxy ended without finishing; calls in flight are missing"
            )
    except FroudeError as error:
        if not reported:
            _report(peer, {"error": error_to_mapping(error)})
        return 1
    return 0


def _report(peer: socket.socket, message: dict[str, Any]) -> None:
    try:
        peer.sendall(json.dumps(message).encode() + b"\n")
    except OSError:
        return  # nobody is left to be told; the Trace is what matters


def main(arguments: list[str]) -> int:
    """Record from the file descriptor named in `arguments`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the proxy, which then says FINISH
    os.nice(_NICENESS)
    with socket.socket(fileno=int(arguments[0])) as peer:
        peer.setblocking(True)
        return serve(peer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
