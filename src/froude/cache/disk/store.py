"""The cached disk: reads from cache or image, writes to both, and never gives what is not the image's.

No clock, no thread, no file: those come as `seams`. All calls come from one thread; `done` is called once for each
request, at once or later.
"""

from __future__ import annotations

from functools import partial

from froude.cache.disk.reading import Reader
from froude.cache.disk.space import Space
from froude.cache.disk.state import Done, Places, Reads, State
from froude.cache.disk.status import Counters
from froude.cache.disk.writing import Writer

_PUNCHES = 4096
"""Slots whose space is given back at once: a shrink goes on in such steps, and requests are served in between."""


class Store:
    """One cached disk.

    Args:
        counters: to count on; None to begin.
        cache_writes: whether chunks that are written whole are cached.
    """

    def __init__(
        self,
        space: Space,
        places: Places,
        reads: Reads,
        counters: Counters | None = None,
        *,
        cache_writes: bool = False,
    ) -> None:
        self.state = State(space, places, reads, counters or Counters(), freed=self._shrink)
        reader, writer = Reader(self.state), Writer(self.state, cache_writes=cache_writes)
        self.read, self.read_now = reader.read, reader.read_now
        self.write, self.zero, self.flush = writer.write, writer.zero, writer.flush
        self._waiting: list[tuple[int, Done]] = []
        self._punching = False

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return (
            self.state.order.idle and not self.state.fills and not self.state.outside and not self._punching
        )

    def resize(self, size_bytes: int, done: Done) -> None:
        """Let the cache hold so much from now on; requests are served meanwhile.

        Args:
            size_bytes: 0 or more; whole chunks of it are used.
            done: called when the cache file takes no more than that, or than a later size; with an error where the
                system does not take space back.
        """
        geometry = self.state.geometry
        capacity = min(size_bytes // geometry.chunk_bytes, geometry.chunks)
        self.state.space.capacity = capacity
        self._waiting.append((capacity, done))
        self._shrink()

    def _shrink(self) -> None:
        """Give back what is too much, a step at a time, and answer who waited for it."""
        space = self.state.space
        if not self._waiting or self._punching:
            return
        slots = space.vacate(_PUNCHES)
        if slots:
            self._punching = True
            self.state.places.disk.run(
                partial(self.state.places.slots.punch, slots), partial(self._punched, slots)
            )
            return
        ready = [done for capacity, done in self._waiting if space.taken <= max(capacity, space.capacity)]
        self._waiting = [
            (capacity, done)
            for capacity, done in self._waiting
            if space.taken > max(capacity, space.capacity)
        ]
        for done in ready:
            done(None, None)

    def _punched(self, slots: list[int], _: object, error: OSError | None) -> None:
        self._punching = False
        if error is None:
            self.state.space.punched(slots)
        else:  # some may be holes by now, but nobody knows which: all of them are counted until it succeeds
            for slot in slots:
                self.state.space.give_back(slot)
            self.state.fault = f"the SSD's space cannot be given back ({error.strerror or error})"
            waiting, self._waiting = self._waiting, []
            for _capacity, done in waiting:
                done(None, error)
        self._shrink()
