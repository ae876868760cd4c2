"""Reads: from the cache where it holds the chunk and its checksums agree, else from the image, which fills the cache.

A fill during which its chunk is written to is not kept, and nobody joins it any more. Several readers of a chunk that
is being filled share the fill; neighbouring chunks that are missing are read at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from froude.cache.disk.seams import Data, T
from froude.cache.disk.state import Done, Fill, State
from froude.cache.disk.table import BLOCK, SUM_BYTES, sums_of


@dataclass(slots=True, eq=False)
class _Assembly:
    """A read that is put together from several places."""

    buffer: bytearray
    missing: int
    done: Done
    error: OSError | None = None

    def piece(self, at: int, data: Data | None, error: OSError | None) -> None:
        """A part has come; the last one completes the read."""
        if data is not None:
            self.buffer[at : at + len(data)] = data
        self.error = self.error or error
        self.missing -= 1
        if self.missing == 0:
            self.done(None if self.error else self.buffer, self.error)


@dataclass(frozen=True, slots=True)
class _Run:
    """Part of a read that lies in neighbouring slots."""

    first: int
    last: int
    slot: int
    start: int
    """First byte of the disk."""
    stop: int
    """The one after the last."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """What was read for a fill, and what came of putting it into the cache file."""

    data: Data
    sums: bytes
    """Of the chunks for which there were slots."""
    error: OSError | None


class Reader:
    """Reads a cached disk.

    Args:
        state: shared with who writes to it.
    """

    __slots__ = ("_chunk", "_state")

    def __init__(self, state: State) -> None:
        self._state = state
        self._chunk = state.geometry.chunk_bytes

    def read(self, offset: int, length: int, done: Done) -> None:
        """Read a range of the disk.

        Args:
            length: bytes, at least 1; the range lies in the disk.
        """
        access = self._state.reads.access
        for chunk in range(offset // self._chunk, (offset + length - 1) // self._chunk + 1):
            access(chunk)
        self._gather(offset, offset + length, done)

    def read_now(self, offset: int, length: int) -> Data | None:
        """What most reads are: a part of one chunk that is cached and whole. None, and nothing done, for others.

        Args:
            length: bytes, at least 1; the range lies in the disk.
        """
        chunk, within = divmod(offset, self._chunk)
        state = self._state
        slot = state.space.chunks.get(chunk)
        if slot is None or slot < 0 or within + length > self._chunk or not state.places.ssd.at_once:
            return None
        begin = within - within % BLOCK
        size = (
            length if length == BLOCK and begin == within else -(-(within + length - begin) // BLOCK) * BLOCK
        )
        try:
            data = state.places.slots.read(slot, begin, size)
        except OSError:
            return None
        if len(data) != size or sums_of(data) != state.space.table.sums(slot, begin // BLOCK, size // BLOCK):
            return None  # the long way finds out what is wrong
        state.space.chunks.move_to_end(chunk)
        state.counters.hits += 1
        state.reads.access(chunk)
        return data if size == length else memoryview(data)[within - begin : within - begin + length]

    def _gather(self, start: int, stop: int, done: Done) -> None:
        """Read from wherever each part lies now."""
        size = self._chunk
        runs = list(self._state.space.runs(start // size, (stop - 1) // size))
        assembly = None if len(runs) == 1 else _Assembly(bytearray(stop - start), len(runs), done)
        for first, last, slot in runs:
            begin, end = max(start, first * size), min(stop, (last + 1) * size)
            then = done if assembly is None else partial(assembly.piece, begin - start)
            if slot is None:
                self._miss(begin, end, then)
            elif assembly is None or self._still(first, last, slot):
                self._hit(_Run(first, last, slot, begin, end), then)
            else:  # what another part of this read missed has taken its place
                self._gather(begin, end, then)

    def _still(self, first: int, last: int, slot: int) -> bool:
        """Whether a run lies where it lay."""
        return all(
            self._state.space.slot_of(chunk) == slot + chunk - first for chunk in range(first, last + 1)
        )

    # From the cache

    def _hit(self, run: _Run, done: Done) -> None:
        state = self._state
        within = run.start - run.first * self._chunk
        begin = within - within % BLOCK
        length = -(-(run.stop - run.start + within - begin) // BLOCK) * BLOCK
        expected = state.sums(run.slot, begin, length)
        slots = range(run.slot, run.slot + run.last - run.first + 1)
        # What is done at once meets no change.
        serials = [] if state.places.ssd.at_once else [state.space.table.serial(slot) for slot in slots]

        def then(found: tuple[Data, bytes] | None, _error: OSError | None) -> None:
            data, sums = found or (b"", b"")
            if sums == expected:
                for chunk in range(run.first, run.last + 1):
                    if chunk in state.space.chunks:  # it may have gone meanwhile
                        state.space.chunks.move_to_end(chunk)
                state.counters.hits += run.last - run.first + 1
                done(memoryview(data)[within - begin : within - begin + run.stop - run.start], None)
            else:
                self._differs(run, begin, (expected, sums), serials)
                self._gather(run.start, run.stop, done)

        state.places.ssd.run(partial(state.found, run.slot, begin, length), then)

    def _differs(self, run: _Run, begin: int, sums: tuple[bytes, bytes], serials: list[int]) -> None:
        """Checksums do not hold: give up the chunks of which that is true, unless they changed while they were read."""
        space, blocks = self._state.space, self._state.geometry.blocks
        expected, found = sums
        for i, chunk in enumerate(range(run.first, run.last + 1)):
            here = slice(
                max(0, i * blocks - begin // BLOCK) * SUM_BYTES,
                ((i + 1) * blocks - begin // BLOCK) * SUM_BYTES,
            )
            same = space.slot_of(chunk) == run.slot + i
            same = same and (not serials or space.table.serial(run.slot + i) == serials[i])
            if same and expected[here] != found[here]:
                self._state.counters.damaged += 1
                space.drop(chunk)

    # From the image

    def _miss(self, start: int, stop: int, done: Done) -> None:
        """Join the fills that are under way, and begin those that are not."""
        size, fills = self._chunk, self._state.fills
        groups: list[tuple[int, int, Fill | None]] = []
        for chunk in range(start // size, (stop - 1) // size + 1):
            fill = fills.get(chunk)
            if groups and groups[-1][2] is fill:
                groups[-1] = (groups[-1][0], chunk, fill)
            else:
                groups.append((chunk, chunk, fill))
        assembly = None if len(groups) == 1 else _Assembly(bytearray(stop - start), len(groups), done)
        for first, last, fill in groups:
            self._state.counters.misses += last - first + 1
            begin, end = max(start, first * size), min(stop, (last + 1) * size)
            then = done if assembly is None else partial(assembly.piece, begin - start)
            if fill is not None:
                fill.waiters.append((begin, end, then))
            elif self._state.cacheable(first, last):
                self._fill(first, last, (begin, end, then))
            else:
                self._pass(begin, end, then)

    def _pass(self, start: int, stop: int, done: Done) -> None:
        """Read from the image, and keep nothing."""
        state = self._state
        self._outdate(start, stop)
        state.counters.backing_read_bytes += stop - start
        data = state.places.backing.read_now(start, stop - start)
        if data is not None:
            done(data, None)
        else:
            self._outside(start, stop, partial(state.places.backing.read, start, stop - start), done)

    def _outdate(self, start: int, stop: int) -> None:
        """Give up hidden chunks of which the image may give newer data than they hold when they are shown again.

        One write hides a chunk while another one to the same chunk is still on its way to the image.
        """
        state, size = self._state, self._chunk
        if state.order.idle:
            return
        for chunk in state.space.within(start // size, (stop - 1) // size):
            if state.order.writing(max(start, chunk * size), min(stop, (chunk + 1) * size)):
                state.space.drop(chunk)
        state.freed()

    def _outside(
        self,
        start: int,
        stop: int,
        job: Callable[[], T],
        then: Callable[[T | None, OSError | None], None],
    ) -> None:
        """Do a job that reads from the image, and let writers know of it meanwhile."""
        place = (start, stop)
        self._state.outside.append(place)

        def ended(result: T | None, error: OSError | None) -> None:
            self._state.outside.remove(place)
            then(result, error)

        self._state.places.disk.run(job, ended)

    def _fill(self, first: int, last: int, waiter: tuple[int, int, Done]) -> None:
        state = self._state
        slots = state.space.reserve(last - first + 1)
        if not slots:
            self._pass(*waiter)
            return
        fill = Fill(first, last, slots, waiters=[waiter])
        state.fills.update(dict.fromkeys(range(first, last + 1), fill))
        start = first * self._chunk
        length = min((last + 1) * self._chunk, state.geometry.image_bytes) - start
        state.counters.backing_read_bytes += length
        data = state.places.backing.read_now(start, length)
        then = partial(self._filled, fill)
        if data is not None:
            state.places.ssd.run(partial(self._placed, fill, data), then)
        else:
            read = partial(state.places.backing.read, start, length)
            self._outside(start, start + length, lambda: self._placed(fill, read()), then)

    def _placed(self, fill: Fill, data: Data) -> _Placed:
        """Put what was read into the reserved slots; this may be done by any thread."""
        skipped = (fill.last - fill.first + 1 - len(fill.slots)) * self._chunk
        view = memoryview(data)[skipped:]
        if len(view) % BLOCK:  # the end of a disk that is no whole number of blocks
            view = memoryview(bytes(view).ljust(-(-len(view) // BLOCK) * BLOCK, b"\0"))
        try:
            for at, slot, count in _neighbours(fill.slots):
                piece = view[at * self._chunk : (at + count) * self._chunk]
                self._state.places.slots.write(slot, 0, piece)
        except OSError as error:
            return _Placed(data, b"", error)
        return _Placed(data, sums_of(view), None)

    def _filled(self, fill: Fill, placed: _Placed | None, error: OSError | None) -> None:
        state = self._state
        for chunk in range(fill.first, fill.last + 1):
            if state.fills.get(chunk) is fill:
                del state.fills[chunk]
        if placed is not None and placed.error is None and not fill.void:
            self._keep(fill, placed.sums)
        else:
            self._give_back(fill.slots)
        if placed is not None and placed.error is not None:
            state.cache_failed(placed.error)
        for start, stop, done in fill.waiters:
            if placed is None:
                done(None, error)
            else:
                begin = start - fill.first * self._chunk
                done(memoryview(placed.data)[begin : begin + stop - start], None)

    def _keep(self, fill: Fill, sums: bytes) -> None:
        state, step = self._state, self._state.geometry.blocks * SUM_BYTES
        state.fault = None
        state.counters.ssd_written_bytes += len(sums) // SUM_BYTES * BLOCK
        first = fill.last - len(fill.slots) + 1
        for i, slot in enumerate(fill.slots):
            if state.space.excess:
                self._give_back([slot])
            else:
                state.space.table.set_sums(slot, 0, sums[i * step : (i + 1) * step])
                state.space.insert(first + i, slot)

    def _give_back(self, slots: list[int]) -> None:
        for slot in slots:
            self._state.space.give_back(slot)
        self._state.freed()


def _neighbours(slots: list[int]) -> list[tuple[int, int, int]]:
    """Runs of slots that follow one another: place in the list, first slot, how many."""
    runs: list[tuple[int, int, int]] = []
    for at, slot in enumerate(slots):
        if runs and slot == runs[-1][1] + runs[-1][2]:
            runs[-1] = (runs[-1][0], runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((at, slot, 1))
    return runs
