"""The tape: raw events of many connections, as one stream of records.

It is what a capture proxy hands to its recorder, and what the `tap` importer reads from a file. A record is
a little-endian head (`f64` seconds, `u32` connection, `u8` kind, `u32` length) and that many bytes. Nothing
here touches a file or a socket.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum

from froude.base.errors import InputError

HEAD = struct.Struct("<dIBI")
LARGEST_RECORD = 1 << 26
"""Bytes of one record; a proxy reads at most 256 KiB at once, so more than 64 MiB is damage, not data."""
_LATEST_S = 1e12
"""Seconds either way; more, or no number, is damage."""


class RecordKind(IntEnum):
    """What a record says."""

    OPEN = 0
    """A connection was accepted; payload: JSON with `peer` and what else is known of it."""
    TO_SERVER = 1
    """Bytes that the client sent."""
    TO_CLIENT = 2
    """Bytes that the server sent."""
    CLOSE = 3
    """The connection has ended; payload: empty, or the reason as text."""
    GAP = 4
    """Bytes were passed on but not recorded; payload: their number as text."""
    SETUP = 5
    """First record to a recorder; payload: JSON with its settings. Not in files."""
    FINISH = 6
    """Last record to a recorder: make the trace whole. Not in files."""


_LAST_KIND = int(max(RecordKind))

Record = tuple[float, int, int, bytes]
"""Time in seconds, connection, kind, payload: a plain tuple, because there are two for every call."""


def pack(time_s: float, connection: int, kind: RecordKind, payload: bytes = b"") -> bytes:
    """One record as bytes.

    Args:
        time_s: when it passed, seconds on `time.perf_counter` of this machine.
        connection: its number within the capture; 0 for a record about none.
        payload: what belongs to it; empty for none.
    """
    return HEAD.pack(time_s, connection, kind, len(payload)) + payload


class Splitter:
    """Cuts a stream, in whatever pieces it comes, into records."""

    __slots__ = ("_name", "_offset", "_rest")

    def __init__(self, name: str = "tape") -> None:
        """Read a stream that errors shall call `name`."""
        self._rest = b""
        self._offset = 0
        self._name = name

    @property
    def pending(self) -> int:
        """Bytes of a record that has begun and not ended; more than 0 at the end means a cut tape."""
        return len(self._rest)

    def feed(self, data: bytes) -> Iterator[Record]:
        """The records that `data` completes.

        Raises:
            InputError: a head that no tape can have (time, kind or length out of range).
        """
        rest = self._rest + data if self._rest else data
        at, size = 0, len(rest)
        while size - at >= HEAD.size:
            time_s, connection, kind, length = HEAD.unpack_from(rest, at)
            # The record that opens a connection says whose it is; a file of zeros has empty ones without end.
            empty = not (kind or length)
            if kind > _LAST_KIND or length > LARGEST_RECORD or empty or not -_LATEST_S < time_s < _LATEST_S:
                raise self._damaged(time_s, kind, length)
            end = at + HEAD.size + length
            if end > size:
                break
            payload = rest[at + HEAD.size : end]
            at = end
            self._offset += HEAD.size + length
            yield time_s, connection, kind, payload
        self._rest = rest[at:]

    def _damaged(self, time_s: float, kind: int, length: int) -> InputError:
        return InputError(
            "is not a tape of a capture, or is damaged",
            file=self._name,
            place=f"byte {self._offset}",
            found=f"record kind {kind}, length {length}, time {time_s:g} s",
            allowed=f"kind 0 (not empty) to {_LAST_KIND}, length up to {LARGEST_RECORD}, time within {_LATEST_S:g} s",
        )
