"""A Trace whose recording has begun."""

from __future__ import annotations

from pathlib import Path

from froude.trace.assembly import to_row
from froude.trace.partial import PartialWriter
from testbed import wire
from tests.support.trace.making import META, small_trace


def begun(path: Path) -> PartialWriter:
    """A Trace with two batches of two calls."""
    writer = PartialWriter(path, wire.SCHEMA, META)
    rows = [to_row(call) for call in small_trace(4).calls]
    writer.append(rows[:2])
    writer.append(rows[2:])
    return writer
