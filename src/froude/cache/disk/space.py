"""Which chunks are cached, in which slots, and which goes next: least recently used first.

A slot is a hole (nothing of it lies on the SSD), spare (data that nobody needs), reserved for a fill that is under
way, or holds a chunk. All but holes take space; together they never exceed the capacity, except while a shrink is
under way. A slot that is being written to is hidden: its chunk keeps its place, is not read, and nobody else gets the
slot before the write has ended.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from froude.cache.disk.table import Restored, Table


class Space:
    """The bookkeeping of a cache file.

    Args:
        table: its index, which is kept up to date.
        capacity: slots that may be taken.
    """

    __slots__ = (
        "_hidden",
        "_holes",
        "_spare",
        "_unborn",
        "capacity",
        "chunks",
        "evictions",
        "table",
        "taken",
    )

    def __init__(self, table: Table, capacity: int) -> None:
        self.table = table
        self.capacity = capacity
        self.chunks: OrderedDict[int, int] = OrderedDict()
        """Slot of each cached chunk, the least recently used first; its complement (below 0) while it is hidden."""
        self.taken = 0
        """Slots that take space."""
        self.evictions = 0
        self._holes: list[int] = []
        self._unborn = 0
        """Slots from here on were never used."""
        self._spare: list[int] = []
        self._hidden: dict[int, bool] = {}
        """By slot that is being written to: whether it is spare when that ends."""

    def restore(self, records: Iterable[Restored]) -> None:
        """Take over what a table holds; of two records of a chunk neither is believed."""
        by_chunk: dict[int, Restored | None] = {}
        for record in records:
            doubt = record.chunk in by_chunk
            if doubt:
                former = by_chunk[record.chunk]
                for each in (record, former) if former is not None else (record,):
                    self.table.clear(each.slot)
            by_chunk[record.chunk] = None if doubt else record
        whole = sorted(record for record in by_chunk.values() if record is not None)
        used = {record.slot for record in whole}
        self._unborn = max(used, default=-1) + 1
        self._holes = [slot for slot in range(self._unborn) if slot not in used]
        self.chunks.update((record.chunk, record.slot) for record in whole)
        self.taken = len(whole)

    @property
    def unused(self) -> tuple[list[int], int]:
        """Holes, ascending, and the slot from which on none was ever used."""
        return sorted(self._holes), self._unborn

    @property
    def excess(self) -> int:
        """Slots taken beyond the capacity, while a shrink is under way."""
        return max(0, self.taken - self.capacity)

    def reserve(self, count: int) -> list[int]:
        """Slots to be filled, which others have to leave if need be; fewer where the capacity has no more."""
        slots: list[int] = []
        while len(slots) < count:
            if self._spare and self.taken <= self.capacity:
                slots.append(self._spare.pop())
            elif self.taken < self.capacity:
                slots.append(self._hole())
                self.taken += 1
            elif self.taken > self.capacity or not self._evict():
                break
        return slots

    def insert(self, chunk: int, slot: int) -> None:
        """A reserved slot was filled with a chunk, and its checksums were set."""
        self.table.publish(slot, chunk)
        self.chunks[chunk] = slot

    def give_back(self, slot: int) -> None:
        """A reserved slot is not needed after all."""
        self._spare.append(slot)

    def drop(self, chunk: int) -> None:
        """A chunk is no longer cached; harmless where it was not."""
        slot = self.chunks.pop(chunk, None)
        if slot is not None:
            self._release(slot if slot >= 0 else ~slot)

    def slot_of(self, chunk: int) -> int | None:
        """Where a chunk can be read; None where it is not cached, or hidden."""
        slot = self.chunks.get(chunk)
        return None if slot is None or slot < 0 else slot

    def within(self, first: int, last: int) -> list[int]:
        """Cached chunks of a range, found by walking the shorter of range and cache."""
        if last - first < len(self.chunks):
            return [chunk for chunk in range(first, last + 1) if chunk in self.chunks]
        return [chunk for chunk in self.chunks if first <= chunk <= last]

    def runs(self, first: int, last: int) -> Iterator[tuple[int, int, int | None]]:
        """A range as runs of chunks: readable in neighbouring slots, or not.

        Yields:
            First and last chunk of a run, and the slot of the first; None where they cannot be read.
        """
        begin, slot = first, self.slot_of(first)
        for chunk in range(first + 1, last + 1):
            found = self.slot_of(chunk)
            if found != (None if slot is None else slot + chunk - begin):
                yield begin, chunk - 1, slot
                begin, slot = chunk, found
        yield begin, last, slot

    def vacate(self, most: int) -> list[int]:
        """Slots to be made holes so that a shrink goes on; they take space until `punched`."""
        slots: list[int] = []
        while len(slots) < min(most, self.excess) and (self._spare or self._evict()):
            if self._spare:
                slots.append(self._spare.pop())
        return sorted(slots)

    def punched(self, slots: Iterable[int]) -> None:
        """These slots are holes now."""
        for slot in slots:
            heapq.heappush(self._holes, slot)
            self.taken -= 1

    def hide(self, chunk: int) -> int:
        """Its slot is going to be written to; gives the slot."""
        slot = self.chunks[chunk]
        self.chunks[chunk] = ~slot
        self._hidden[slot] = False
        return slot

    def show(self, chunk: int, slot: int) -> bool:
        """The write to a slot has ended; whether the chunk is still cached there, and can be read again."""
        if self._hidden.pop(slot):
            self._spare.append(slot)
            return False
        self.chunks[chunk] = slot
        return True

    def _evict(self) -> bool:
        """Make the least recently used chunk's slot spare; false when there is no chunk."""
        if not self.chunks:
            return False
        _, slot = self.chunks.popitem(last=False)
        self.evictions += 1
        self._release(slot if slot >= 0 else ~slot)
        return True

    def _release(self, slot: int) -> None:
        self.table.clear(slot)
        if slot in self._hidden:
            self._hidden[slot] = True
        else:
            self._spare.append(slot)

    def _hole(self) -> int:
        """The lowest one, so that slots filled one after another are neighbours, and the file stays short."""
        if self._holes:
            return heapq.heappop(self._holes)
        self._unborn += 1
        return self._unborn - 1
