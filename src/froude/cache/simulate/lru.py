"""An LRU cache of chunks that can be resized, and no more than that."""

from __future__ import annotations

from collections import OrderedDict


class Lru:
    """The chunks that a cache holds, the oldest first."""

    __slots__ = ("_held", "capacity")

    def __init__(self, capacity: int = 0) -> None:
        """An empty cache.

        Args:
            capacity: chunks; 0 or more.
        """
        self.capacity = capacity
        self._held: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def read(self, chunk: int) -> bool:
        """Whether the cache held a chunk, which it holds from now on."""
        held = self._held
        if chunk in held:
            held.move_to_end(chunk)
            return True
        if self.capacity:
            if len(held) >= self.capacity:
                held.popitem(last=False)
            held[chunk] = None
        return False

    def __contains__(self, chunk: int) -> bool:
        return chunk in self._held

    def write(self, chunk: int) -> bool:
        """A whole chunk is written and kept: one that was not held is the youngest, one that was stays where it is.

        Returns:
            Whether it was brought in.
        """
        if chunk in self._held or not self.capacity:
            return False
        self.read(chunk)
        return True

    def resize(self, capacity: int) -> None:
        """Grow empty, or shrink by the oldest."""
        self.capacity = capacity
        while len(self._held) > capacity:
            self._held.popitem(last=False)
