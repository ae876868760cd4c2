"""Replicas of one storage, kept in 24 bytes each, and the varint buffers of a full block report.

Source: Hadoop's `BlockListAsLongs`: per replica a zig-zag block id, length, generation stamp, state, each a
varint; chunks may end within a replica.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

from froude.messages.wire import varint

CHUNK_BYTES = 64 << 10
"""Size of one buffer of a report, as Hadoop cuts them."""
_FINALIZED = b"\0"
_MANY = 4096
"""From so many replicas on, a report is encoded by whole columns."""
_LENGTH_MASK = (1 << 48) - 1  # what BlockListAsLongs keeps of a length


class Block(NamedTuple):
    """A finalized replica."""

    id: int
    """Signed 64-bit: a striped block's is negative."""
    length: int
    """Bytes."""
    stamp: int
    """Generation stamp."""


class Inventory:
    """Replicas in ascending order of block id.

    New blocks have the highest ids, so adding one is an append in nearly every case; any other place, and a
    removal, costs a move of the memory behind it.
    """

    __slots__ = ("_ids", "_lengths", "_stamps", "used_bytes")

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        """Start with some replicas, in any order; of two with one id the later stands."""
        self._ids, self._lengths, self._stamps = array("q"), array("Q"), array("Q")
        self.used_bytes = 0
        """Sum of the lengths."""
        for block in blocks:
            self.put(block)

    @classmethod
    def of_columns(cls, ids: memoryview, lengths: memoryview, stamps: memoryview) -> Self:
        """Replicas that are given as columns of 64-bit numbers, without an object for any.

        Args:
            ids: signed, ascending.
            lengths: bytes.
        """
        inventory = cls()
        inventory._ids.frombytes(ids.cast("B"))
        inventory._lengths.frombytes(lengths.cast("B"))
        inventory._stamps.frombytes(stamps.cast("B"))
        inventory.used_bytes = sum(inventory._lengths)
        return inventory

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[Block]:
        return map(Block, self._ids, self._lengths, self._stamps)

    def put(self, block: Block) -> None:
        """Add a replica, or replace the one with its id."""
        at = self._place(block.id)
        if at < len(self._ids) and self._ids[at] == block.id:
            self.used_bytes += block.length - self._lengths[at]
            self._lengths[at], self._stamps[at] = block.length, block.stamp
            return
        self._ids.insert(at, block.id)
        self._lengths.insert(at, block.length)
        self._stamps.insert(at, block.stamp)
        self.used_bytes += block.length

    def get(self, block_id: int) -> Block | None:
        """The replica of that block, if there is one."""
        at = self._place(block_id)
        if at < len(self._ids) and self._ids[at] == block_id:
            return Block(block_id, self._lengths[at], self._stamps[at])
        return None

    def remove(self, block_id: int) -> Block | None:
        """Take a replica out and give it; None if there is none."""
        block = self.get(block_id)
        if block is not None:
            at = self._place(block_id)
            del self._ids[at], self._lengths[at], self._stamps[at]
            self.used_bytes -= block.length
        return block

    def columns(self) -> tuple[array[int], array[int], array[int]]:
        """Signed ids, lengths and generation stamps, 64 bits each."""
        return self._ids, self._lengths, self._stamps

    def _place(self, block_id: int) -> int:
        ids = self._ids
        return len(ids) if not ids or block_id > ids[-1] else bisect_left(ids, block_id)


def report_buffers(inventory: Inventory) -> list[bytes]:
    """The buffers of a full block report; one empty buffer for no replicas."""
    data = _encoded_at_once(inventory) if len(inventory) > _MANY else _encoded(inventory)
    return [data[at : at + CHUNK_BYTES] for at in range(0, len(data), CHUNK_BYTES)] or [b""]


def _encoded(inventory: Inventory) -> bytes:
    out: list[bytes] = []
    for block_id, length, stamp in inventory:
        zigzag = ((block_id << 1) ^ (block_id >> 63)) & 0xFFFFFFFFFFFFFFFF
        out += (varint(zigzag), varint(length & _LENGTH_MASK), varint(stamp), _FINALIZED)
    return b"".join(out)


def _encoded_at_once(inventory: Inventory) -> bytes:
    """The same by whole columns, with numpy, which most players do without."""
    from froude.emulation.programs.hdfs.varints import varints

    states = bytes(len(inventory))  # all of them finalized
    ids, lengths, stamps = inventory.columns()
    return varints(ids, lengths, stamps, states, length_mask=_LENGTH_MASK)
