"""The index of a cache file, as it lies in a mapped file: which chunk a slot holds, and the checksums of its blocks.

A record is changed by stores into mapped memory, which the kernel keeps when the process is killed. A record that is
being changed has no chunk; it gets its chunk last, and a checksum over all of it, so that a record is either whole or
passed over. Its checksum is salted with the generation: a new generation makes every older record void at once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from xxhash import xxh3_64_digest, xxh3_64_intdigest

BLOCK = 4096
"""Bytes below one checksum: the page of a guest, and the sector of most disks."""
SUM_BYTES = 8
_HEAD = struct.Struct("<QQQ")
"""Chunk plus one (0 for an empty record), serial number, checksum of the record."""
_SERIAL_AND_CHECK = struct.Struct("<QQ")
_CHUNK = struct.Struct("<Q")
_EMPTY = bytes(_CHUNK.size)

Buffer = bytearray | memoryview


def sums_of(data: bytes | Buffer) -> bytes:
    """The checksums of whole blocks, `SUM_BYTES` each.

    Args:
        data: a multiple of `BLOCK` bytes.
    """
    if len(data) == BLOCK:
        return xxh3_64_digest(data)
    view = memoryview(data)
    return b"".join([xxh3_64_digest(view[at : at + BLOCK]) for at in range(0, len(view), BLOCK)])


@dataclass(frozen=True, slots=True)
class Geometry:
    """How a disk is cut into chunks, and how large the index of its cache is."""

    image_bytes: int
    """Size of the disk, above 0."""
    chunk_bytes: int
    """A multiple of `BLOCK`."""

    def __post_init__(self) -> None:
        if self.image_bytes < 1 or self.chunk_bytes < BLOCK or self.chunk_bytes % BLOCK:
            raise ValueError(f"no geometry: {self.image_bytes} bytes in chunks of {self.chunk_bytes}")

    @property
    def chunks(self) -> int:
        """Chunks of the disk, the last one perhaps cut short; a cache needs no more slots."""
        return -(-self.image_bytes // self.chunk_bytes)

    @property
    def blocks(self) -> int:
        """Blocks of a chunk."""
        return self.chunk_bytes // BLOCK

    @property
    def record_bytes(self) -> int:
        """Of one slot in the index."""
        return _HEAD.size + SUM_BYTES * self.blocks

    @property
    def table_bytes(self) -> int:
        """Of the whole index."""
        return self.chunks * self.record_bytes


class Restored(NamedTuple):
    """A record that was found whole."""

    serial: int
    """Larger for what was written later."""
    chunk: int
    slot: int


class Table:
    """The records of all slots, in a buffer.

    Args:
        buffer: `geometry.table_bytes` or more; zeros are empty records.
        generation: salts the checksums of records.
    """

    __slots__ = ("_buffer", "_record_bytes", "_serial", "generation", "geometry")

    def __init__(self, buffer: Buffer, geometry: Geometry, generation: int) -> None:
        self._buffer = buffer
        self.geometry = geometry
        self.generation = generation
        self._serial = 0
        self._record_bytes = geometry.record_bytes

    def release(self) -> None:
        """Let go of the buffer; it is of no more use."""
        if isinstance(self._buffer, memoryview):
            self._buffer.release()

    def sums(self, slot: int, first: int, count: int) -> bytes:
        """Checksums of some blocks of a slot.

        Args:
            first: its first block that is wanted.
        """
        at = slot * self._record_bytes + _HEAD.size + first * SUM_BYTES
        return bytes(self._buffer[at : at + count * SUM_BYTES])

    def set_sums(self, slot: int, first: int, sums: bytes) -> None:
        """New checksums of some blocks of a slot whose record is empty.

        Args:
            first: the first block that they are of.
        """
        at = slot * self._record_bytes + _HEAD.size + first * SUM_BYTES
        self._buffer[at : at + len(sums)] = sums

    def serial(self, slot: int) -> int:
        """Number that a slot's record got when it was last published; no two are equal."""
        found: int = _HEAD.unpack_from(self._buffer, slot * self._record_bytes)[1]
        return found

    def publish(self, slot: int, chunk: int) -> None:
        """Say that a slot holds a chunk, whose blocks have the checksums that were set."""
        self._serial += 1
        at = slot * self._record_bytes
        check = self._check(at, chunk, self._serial)
        _SERIAL_AND_CHECK.pack_into(self._buffer, at + _CHUNK.size, self._serial, check)
        _CHUNK.pack_into(self._buffer, at, chunk + 1)

    def clear(self, slot: int) -> None:
        """Say that a slot holds nothing; its checksums stay for who still reads it."""
        at = slot * self._record_bytes
        self._buffer[at : at + _CHUNK.size] = _EMPTY

    def restore(self, slots: range) -> Iterator[Restored]:
        """Records of this generation that are whole; numbers that are given from now on are higher than theirs."""
        for slot in slots:
            at = slot * self._record_bytes
            named, serial, check = _HEAD.unpack_from(self._buffer, at)
            chunk = named - 1
            if 0 <= chunk < self.geometry.chunks and check == self._check(at, chunk, serial):
                self._serial = max(self._serial, serial)
                yield Restored(serial, chunk, slot)

    def _check(self, at: int, chunk: int, serial: int) -> int:
        sums = bytes(self._buffer[at + _HEAD.size : at + self._record_bytes])
        return xxh3_64_intdigest(_SERIAL_AND_CHECK.pack(chunk, serial) + sums, seed=self.generation)
