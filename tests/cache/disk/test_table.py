"""The records of a cache's index."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.cache.disk.table import BLOCK, Geometry, Restored, Table, sums_of

_GEOMETRY = Geometry(10 * 16384 - 5, 16384)


def table(buffer: bytearray | None = None, generation: int = 7) -> Table:
    """A table of ten slots."""
    return Table(bytearray(_GEOMETRY.table_bytes) if buffer is None else buffer, _GEOMETRY, generation)


def test_a_geometry() -> None:
    """The last chunk may be cut short; a record has its head and a checksum a block."""
    assert (_GEOMETRY.chunks, _GEOMETRY.blocks, _GEOMETRY.record_bytes) == (10, 4, 24 + 32)
    for image, chunk in ((0, 4096), (1, 1000), (1, 0), (1, 6144)):
        with pytest.raises(ValueError, match="no geometry"):
            Geometry(image, chunk)


def test_checksums_tell_blocks_apart() -> None:
    """Each block has its own, whatever the data come in."""
    data = bytes(BLOCK) + b"x" * BLOCK
    sums = sums_of(data)
    assert sums == sums_of(memoryview(data)) == sums_of(data[:BLOCK]) + sums_of(data[BLOCK:])
    assert sums[:8] != sums[8:]


def test_what_is_published_is_found() -> None:
    """By who opens the table later, in the order of publishing; what was cleared is not."""
    buffer = bytearray(_GEOMETRY.table_bytes)
    first = table(buffer)
    for slot, chunk in ((3, 9), (0, 4), (5, 0)):
        first.set_sums(slot, 0, bytes([chunk]) * 32)
        first.publish(slot, chunk)
    first.clear(0)
    again = table(buffer)
    assert list(again.restore(range(10))) == [Restored(1, 9, 3), Restored(3, 0, 5)]
    again.publish(0, 1)
    assert again.serial(0) == 4  # above what was restored
    assert again.sums(3, 1, 2) == bytes([9]) * 16
    assert list(table(buffer, generation=8).restore(range(10))) == []


def test_checksums_stay_for_who_still_reads() -> None:
    """Clearing a record leaves them, and some can be replaced."""
    one = table()
    one.set_sums(2, 0, b"a" * 32)
    one.publish(2, 2)
    one.clear(2)
    one.set_sums(2, 1, b"b" * 16)
    assert one.sums(2, 0, 4) == b"a" * 8 + b"b" * 16 + b"a" * 8


@given(st.integers(0, _GEOMETRY.record_bytes * 8 - 1))
def test_any_flipped_bit_voids_a_record(bit: int) -> None:
    """Of the chunk's number, the serial number, the checksums or the record's own."""
    buffer = bytearray(_GEOMETRY.table_bytes)
    one = table(buffer)
    one.set_sums(0, 0, bytes(range(32)))
    one.publish(0, 6)
    buffer[bit // 8] ^= 1 << bit % 8
    assert list(table(buffer).restore(range(1))) == []


def test_a_view_is_let_go() -> None:
    """So that what lies below it can be closed."""
    view = memoryview(bytearray(_GEOMETRY.table_bytes))
    Table(view, _GEOMETRY, 1).release()
    with pytest.raises(ValueError, match="released"):
        view[0] = 1
    table().release()
