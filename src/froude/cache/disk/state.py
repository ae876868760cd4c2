"""What reading, writing and resizing share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from froude.cache.disk.order import Order
from froude.cache.disk.seams import Backing, Data, Slots, Work
from froude.cache.disk.space import Space
from froude.cache.disk.status import Counters
from froude.cache.disk.table import BLOCK, Geometry, sums_of

Done = Callable[[Data | None, OSError | None], None]
"""What was read (None for other requests), or why it failed."""
_PAUSE_S = 10.0
"""How long nothing is put into a cache file that could not be written."""


class Reads(Protocol):
    """Learns which chunks are used, as a miss-ratio curve does."""

    def access(self, chunk: int) -> None:
        """A chunk is read."""

    def touch(self, chunk: int) -> None:
        """A chunk is cached because it was written."""

    def drop(self, chunk: int) -> None:
        """A chunk is not cached any more because it was trimmed or zeroed."""


@dataclass(frozen=True, slots=True)
class Places:
    """What a store is joined to."""

    backing: Backing
    slots: Slots
    disk: Work
    """Does work on the image that is known to wait."""
    quick: Work
    """Does writes to the image, which mostly end in the system's memory."""
    ssd: Work
    """Does work on the cache file."""
    writing: Callable[[], None]
    """Called before the image is changed, and after."""
    now: Callable[[], float]
    """Seconds, from anywhere."""


@dataclass(slots=True, eq=False)
class Fill:
    """A run of chunks that is being read from the image, for all who want them."""

    first: int
    last: int
    slots: list[int]
    """Reserved for its last chunks."""
    void: bool = False
    """Whether a chunk of it was written to meanwhile, so that it must not be kept."""
    waiters: list[tuple[int, int, Done]] = field(default_factory=list)
    """Who waits for which bytes of the disk: first, and the one after the last."""


@dataclass(slots=True, eq=False)
class State:
    """One cached disk's."""

    space: Space
    places: Places
    reads: Reads
    counters: Counters
    """Of the whole process, also of stores before this one."""
    order: Order = field(default_factory=Order)
    fills: dict[int, Fill] = field(default_factory=dict)
    """By chunk, those that others may join."""
    outside: list[tuple[int, int]] = field(default_factory=list)
    """Ranges of the disk, first byte and the one after the last, that are being read from the image."""
    fault: str | None = None
    """What went wrong with the cache file last, until something can be put into it again."""
    failed: OSError | None = None
    """Why the image takes no more writes: after a failed flush, or anything else that should have been on its medium,
    nobody knows which of them it has."""
    freed: Callable[[], None] = lambda: None
    """Called when a reserved slot was given back."""
    _paused_until: float = float("-inf")

    @property
    def geometry(self) -> Geometry:
        """Of disk and cache."""
        return self.space.table.geometry

    def cacheable(self, first: int, last: int) -> bool:
        """Whether chunks that are read from the image now may be kept."""
        size = self.geometry.chunk_bytes
        return self.open and not self.order.writing(first * size, (last + 1) * size)

    @property
    def open(self) -> bool:
        """Whether anything may be put into the cache file now."""
        able = self.space.capacity > 0 and self.failed is None
        return able and self.places.now() >= self._paused_until

    def cache_failed(self, error: OSError) -> None:
        """Something could not be put into the cache file: nothing is, for a while."""
        self.fault = f"the cache file cannot be written ({error.strerror or error})"
        self._paused_until = self.places.now() + _PAUSE_S

    def found(self, slot: int, within: int, length: int) -> tuple[Data, bytes]:
        """Whole blocks out of the cache file, and their checksums; both cut short where the file cannot be read.

        Args:
            length: bytes, whole blocks.
        """
        try:
            data = self.places.slots.read(slot, within, length)
        except OSError:
            return b"", b""
        whole = len(data) - len(data) % BLOCK
        return data, sums_of(memoryview(data)[:whole]) if whole else b""

    def sums(self, slot: int, within: int, length: int) -> bytes:
        """Checksums that blocks in neighbouring slots should have; arguments as of `found`."""
        blocks, table = self.geometry.blocks, self.space.table
        skipped, block = divmod(within // BLOCK, blocks)
        slot, count = slot + skipped, length // BLOCK
        if block + count <= blocks:
            return table.sums(slot, block, count)
        parts = [table.sums(slot, block, blocks - block)]
        count -= blocks - block
        while count > 0:
            slot += 1
            parts.append(table.sums(slot, 0, min(count, blocks)))
            count -= blocks
        return b"".join(parts)
