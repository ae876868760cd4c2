"""Records of a section: messages one after another, each behind its length as a varint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

RECORD_LIMIT_BYTES = 64 << 20
"""Longest record that Hadoop itself reads (the limit of its protobuf)."""


class RecordError(ValueError):
    """A length that cannot be, or a record that is cut short."""


class Records:
    """Takes a section apart as its bytes arrive; no more of it is kept than one record and one piece.

    Args:
        pieces: bytes of the section, cut anywhere.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._buffer = b""
        self._at = 0

    def next(self) -> bytes:
        """The next record.

        Raises:
            RecordError: there is none, or it is cut short or too long.
        """
        record = next(iter(self), None)
        if record is None:
            raise RecordError("the section ends where a record is expected")
        return record

    def __iter__(self) -> Iterator[bytes]:
        """The records that are left."""
        while True:
            buffer, at, end = self._buffer, self._at, len(self._buffer)
            # nearly all of them lie whole in the buffer, with a length of one byte or two
            while at + 1 < end:
                size, start = buffer[at], at + 1
                if size >= 0x80:
                    if buffer[start] >= 0x80:
                        break
                    size, start = size & 0x7F | buffer[start] << 7, start + 1
                if start + size > end:
                    break
                at = start + size
                self._at = at
                yield buffer[start:at]
            self._at = at
            record = self._long()
            if record is None:
                return
            yield record

    def _long(self) -> bytes | None:
        """A record that has a longer length, or does not lie whole in the buffer; None at the end."""
        if self._at == len(self._buffer) and not self._fill(1):
            return None
        size = shift = 0
        while True:
            if not self._fill(1):
                raise RecordError("the length of a record is cut short")
            byte = self._buffer[self._at]
            self._at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift > 28:
                raise RecordError("the length of a record has more than five bytes")
        if size > RECORD_LIMIT_BYTES:
            raise RecordError(f"a record of {size} bytes, where {RECORD_LIMIT_BYTES} are allowed")
        if not self._fill(size):
            raise RecordError(f"a record of {size} bytes is cut short")
        start, self._at = self._at, self._at + size
        return self._buffer[start : self._at]

    def _fill(self, size: int) -> bool:
        """See to it that so many bytes lie in the buffer; false when the section ends before."""
        missing = size - (len(self._buffer) - self._at)
        if missing <= 0:
            return True
        parts = [self._buffer[self._at :]]
        for piece in self._pieces:
            parts.append(piece)
            missing -= len(piece)
            if missing <= 0:
                break
        self._buffer, self._at = b"".join(parts), 0
        return missing <= 0
