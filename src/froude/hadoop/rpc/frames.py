"""Frames of Hadoop RPC 9: a length of four bytes, then protobuf messages, each behind its varint length.

Reading checks a length before memory is spent on it: a buffer never holds more than what was fed, and a frame
over the limit is refused when its first four bytes are there. Feeding is linear in the bytes, however they
are cut.

Source: org.apache.hadoop.ipc.{Client,Server}; `ipc.maximum.data.length`, `ipc.maximum.response.length`.
"""

from __future__ import annotations

import struct

from froude.hadoop.rpc.errors import RemoteProtocolError
from froude.messages.wire import varint

FRAME_LIMIT_BYTES = 128 << 20
"""Hadoop's own limit for requests and responses."""
HANDSHAKE_LIMIT_BYTES = 64 << 10
"""Largest frame before authentication: more than any SASL token in use (the default maxbuf of 64 KiB)."""
_LENGTH = struct.Struct(">I")


def delimited(payload: bytes) -> bytes:
    """A message behind its varint length."""
    return varint(len(payload)) + payload


def frame(*messages: bytes) -> bytes:
    """One frame of serialised messages."""
    payload = b"".join([delimited(message) for message in messages])
    return _LENGTH.pack(len(payload)) + payload


class FrameReader:
    """Cuts a stream into frames.

    Args:
        limit_bytes: largest frame taken; may be changed between frames.
    """

    __slots__ = ("_at", "_buffer", "limit_bytes")

    def __init__(self, limit_bytes: int = FRAME_LIMIT_BYTES) -> None:
        self.limit_bytes = limit_bytes
        self._buffer: bytes | bytearray = b""
        self._at = 0

    @property
    def pending(self) -> int:
        """Bytes fed and not yet given out."""
        return len(self._buffer) - self._at

    def feed(self, data: bytes) -> None:
        """Take bytes as they came."""
        if self._at == len(self._buffer):
            self._buffer, self._at = data, 0  # the usual case: nothing is copied
            return
        if not isinstance(self._buffer, bytearray):
            self._buffer = bytearray(memoryview(self._buffer)[self._at :])
        elif self._at:
            del self._buffer[: self._at]
        self._at = 0
        self._buffer += data

    def is_frame(self, data: bytes) -> bool:
        """Whether `data`, which was not fed, is the next frame as a whole and nothing else: the usual case."""
        size = len(data) - 4
        return (
            size > 0
            and self._at == len(self._buffer)
            and size <= self.limit_bytes
            and data.startswith(_LENGTH.pack(size))
        )

    def take(self, size: int) -> bytes | None:
        """The next `size` bytes as they are, or None while they are not all there."""
        if self.pending < size:
            return None
        self._at += size
        return bytes(self._buffer[self._at - size : self._at])

    def next_frame(self) -> bytes | None:
        """The payload of the next frame, or None while it is not all there.

        Raises:
            RemoteProtocolError: its length is over the limit.
        """
        buffer, at = self._buffer, self._at
        have = len(buffer) - at
        if have < 4:
            return None
        (size,) = _LENGTH.unpack_from(buffer, at)
        if size > self.limit_bytes:
            raise _too_long(bytes(buffer[at : at + 4]), size, self.limit_bytes)
        if have - 4 < size:
            return None
        end = self._at = at + 4 + size
        if isinstance(buffer, bytes):
            return buffer[at + 4 : end]
        return bytes(memoryview(buffer)[at + 4 : end])


def _too_long(start: bytes, size: int, limit: int) -> RemoteProtocolError:
    """Why a length is refused: from its own four bytes, for more of them may not be there yet."""
    if start in {b"HTTP", b"GET ", b"POST"}:
        return RemoteProtocolError(
            "speaks HTTP and not Hadoop RPC", found=repr(start), remedy="Use its RPC port"
        )
    if start.startswith((b"\x15\x03", b"\x16\x03")):
        return RemoteProtocolError(
            "speaks TLS and not Hadoop RPC", found=repr(start), remedy="Use its RPC port"
        )
    found, allowed = f"{size} bytes ({start!r})", f"at most {limit} bytes"
    return RemoteProtocolError("sent the length of an impossible frame", found=found, allowed=allowed)
