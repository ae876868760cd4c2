"""Writes: to the image first, then to what is cached of it, and only then are they answered.

A chunk's record is void from the moment that a write to it begins until the cache holds the same as the image: a
server that is killed in between has forgotten the chunk. Until the write is done, the chunk is read from the cache,
which holds the old data: no read sees the new data before another one sees the old.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from froude.cache.disk.order import Turn
from froude.cache.disk.seams import Data
from froude.cache.disk.state import Done, State
from froude.cache.disk.table import BLOCK, SUM_BYTES, sums_of


@dataclass(slots=True, eq=False)
class _Write:
    """A write that is under way; not frozen, which would take a microsecond to make."""

    start: int
    stop: int
    data: Data
    turn: Turn
    done: Done


@dataclass(frozen=True, slots=True)
class _Patch:
    """Part of a write that goes into neighbouring slots, all of them hidden meanwhile."""

    first: int
    last: int
    slot: int
    fresh: bool
    """Whether the slots were reserved for it, so that nothing of them was cached before."""
    within: int
    """Where in the first slot it begins."""
    data: memoryview


class Writer:
    """Writes to a cached disk.

    Args:
        state: shared with who reads it.
    """

    __slots__ = ("_cache_writes", "_chunk", "_durable", "_error", "_state", "_unsure")

    def __init__(self, state: State, *, cache_writes: bool = False) -> None:
        self._state = state
        self._chunk = state.geometry.chunk_bytes
        self._cache_writes = cache_writes
        self._error: OSError | None = None
        self._durable: set[object] = set()
        """What is on its way to the medium."""
        self._unsure: list[tuple[set[object], Done]] = []
        """Who may be told when those have ended that were on their way beside it."""

    def write(self, offset: int, data: Data, done: Done, *, durable: bool) -> None:
        """Write a range of the disk.

        Args:
            data: at least a byte; the range lies in the disk.
            done: called when image and cache have it.
            durable: whether that is when it is on the image's medium.
        """
        if not durable and self._write_now(offset, data, done):
            return
        places = self._state.places
        stop = offset + len(data)

        def begin(turn: Turn) -> None:
            self._begin(offset, stop)
            write = _Write(offset, stop, data, turn, done)
            job = partial(places.backing.write, offset, data, durable=durable)
            if durable:
                self._durably(job, partial(self._written, write))
            else:
                places.quick.run(job, partial(self._written, write))

        self._enter(offset, stop, begin, done)

    def _write_now(self, offset: int, data: Data, done: Done) -> bool:
        """What most writes are: whole blocks of one chunk, with nothing else under way that could meet it.

        The steps are those of the long way, in its order. False, and nothing done, where it is none of those.
        """
        state, places = self._state, self._state.places
        chunk, within = divmod(offset, self._chunk)
        whole = within % BLOCK == len(data) % BLOCK == 0 and within + len(data) <= self._chunk
        alone = state.order.idle and not state.fills and not state.outside and state.failed is None
        if not (whole and alone and places.ssd.at_once and places.quick.at_once) or self._cache_writes:
            return False
        space, slot = state.space, state.space.chunks.get(chunk)
        if slot is not None:
            space.table.clear(slot)
        places.writing()
        places.quick.run(partial(places.backing.write, offset, data, durable=False), self._note)
        places.writing()
        error, self._error = self._error, None
        if error is not None:
            space.drop(chunk)
            done(None, error)
            return True
        state.counters.backing_written_bytes += len(data)
        if slot is not None:
            try:
                places.slots.write(slot, within, data)
            except OSError as failure:
                state.cache_failed(failure)
                space.drop(chunk)
            else:
                state.counters.ssd_written_bytes += len(data)
                space.table.set_sums(slot, within // BLOCK, sums_of(data))
                space.table.publish(slot, chunk)
        done(None, None)
        return True

    def _note(self, _: object, error: OSError | None) -> None:
        """How a write that was done at once ended."""
        self._error = error

    def zero(self, offset: int, length: int, done: Done, *, hole: bool, durable: bool) -> None:
        """Make a range read as zeros, and cache nothing of it.

        Args:
            length: bytes, at least 1; the range lies in the disk.
            hole: whether its space may be given back.
        """
        state, backing = self._state, self._state.places.backing

        def begin(turn: Turn) -> None:
            self._begin(offset, offset + length)
            for chunk in self._drop(offset, offset + length):
                state.reads.drop(chunk)
            job = partial(backing.zero, offset, length, hole=hole, durable=durable)

            def then(_: object, error: OSError | None) -> None:
                state.places.writing()
                state.order.leave(turn)
                done(None, error)

            (self._durably if durable else state.places.disk.run)(job, then)

        self._enter(offset, offset + length, begin, done)

    def flush(self, done: Done) -> None:
        """Call `done` when every write that was answered is on the image's medium.

        After a failure nobody knows which of them are: what is cached is given up, and nothing more is written.
        """
        if self._state.failed is not None:
            done(None, self._state.failed)
        else:
            self._durably(self._state.places.backing.flush, done)

    def _durably(self, job: Callable[[], None], then: Done) -> None:
        """Do a job that ends on the medium, and tell of it when no other one can have got its error.

        Linux tells an open file once that writes were lost, by whichever of these comes first: after a failure all
        others fail, also those under way that found nothing wrong.
        """
        this = object()
        self._durable.add(this)

        def ended(_: object, error: OSError | None) -> None:
            if error is not None and self._state.failed is None:
                self._fail(error)
            self._durable.remove(this)
            self._unsure.append((set(self._durable), then))
            for others, _tell in self._unsure:
                others.discard(this)
            sure = [tell for others, tell in self._unsure if not others]
            self._unsure = [each for each in self._unsure if each[0]]
            for tell in sure:
                tell(None, self._state.failed)

        self._state.places.disk.run(job, ended)

    def _fail(self, error: OSError) -> None:
        state = self._state
        state.failed = error
        for fill in state.fills.values():
            fill.void = True
        for chunk in list(state.space.chunks):
            state.space.drop(chunk)

    def _enter(self, start: int, stop: int, begin: Callable[[Turn], None], done: Done) -> None:
        if self._state.failed is not None:
            done(None, self._state.failed)
        else:
            self._state.order.enter(start, stop, begin)

    def _begin(self, start: int, stop: int) -> None:
        """Nothing of this range may be believed after a kill, nor be kept by a fill that is under way."""
        state = self._state
        first, last = start // self._chunk, (stop - 1) // self._chunk
        if state.fills:
            for chunk in [each for each in state.fills if first <= each <= last]:
                state.fills.pop(chunk).void = True
        for chunk in state.space.within(first, last):
            if state.outside and self._read_outside(chunk):
                state.space.drop(chunk)
            else:
                slot = state.space.chunks[chunk]
                state.space.table.clear(slot if slot >= 0 else ~slot)
        state.places.writing()

    def _read_outside(self, chunk: int) -> bool:
        """Whether somebody reads this chunk from the image, who may see the new data before the cache has them."""
        begin = chunk * self._chunk
        return any(start < begin + self._chunk and begin < stop for start, stop in self._state.outside)

    def _drop(self, start: int, stop: int) -> list[int]:
        """Cache nothing of a range; gives what was cached of it."""
        chunks = self._state.space.within(start // self._chunk, (stop - 1) // self._chunk)
        for chunk in chunks:
            self._state.space.drop(chunk)
        self._state.freed()
        return chunks

    def _written(self, write: _Write, _: object, error: OSError | None) -> None:
        """The image has it, or may have some of it."""
        state = self._state
        state.places.writing()
        if error is not None:
            self._drop(write.start, write.stop)
            state.order.leave(write.turn)
            write.done(None, error)
            return
        state.counters.backing_written_bytes += write.stop - write.start
        patches = list(self._patches(write))
        if not patches:
            self._complete(write)
            return
        left = len(patches)

        def then(patch: _Patch, sums: bytes | None, error: OSError | None) -> None:
            nonlocal left
            self._patched(patch, sums, error)
            left -= 1
            if left == 0:
                self._complete(write)

        for patch in patches:
            state.places.ssd.run(partial(self._put, patch), partial(then, patch))

    def _patches(self, write: _Write) -> Iterable[_Patch]:
        """The parts of a write of which something is or will be cached, hidden from now on."""
        state, size = self._state, self._chunk
        view = memoryview(write.data)
        runs = list(state.space.runs(write.start // size, (write.stop - 1) // size))
        for first, last, slot in runs:
            if slot is None:
                for chunk in state.space.within(first, last):  # hidden by another write to it: one too many
                    state.space.drop(chunk)
            else:
                for chunk in range(first, last + 1):
                    state.space.hide(chunk)
                yield self._patch(write, view, (first, last, slot), fresh=False)
        for first, last, slot in runs:
            if slot is None:  # after the others: it may evict some of them
                yield from self._fresh(write, first, last)

    def _patch(self, write: _Write, view: memoryview, run: tuple[int, int, int], *, fresh: bool) -> _Patch:
        first, last, slot = run
        start = max(write.start, first * self._chunk)
        stop = min(write.stop, (last + 1) * self._chunk)
        piece = view[start - write.start : stop - write.start]
        return _Patch(first, last, slot, fresh, start - first * self._chunk, piece)

    def _fresh(self, write: _Write, first: int, last: int) -> Iterable[_Patch]:
        """Chunks that were not cached and are written whole, each in a slot of its own."""
        state, size = self._state, self._chunk
        if not self._cache_writes or not state.open:
            return
        view = memoryview(write.data)
        for chunk in range(first, last + 1):
            end = min((chunk + 1) * size, state.geometry.image_bytes)
            if write.start <= chunk * size and end <= write.stop:
                for slot in state.space.reserve(1):
                    yield self._patch(write, view, (chunk, chunk, slot), fresh=True)

    def _put(self, patch: _Patch) -> bytes | None:
        """Write into the cache file, whole blocks, and give their checksums; None where the rest of one is damaged."""
        state = self._state
        begin = patch.within - patch.within % BLOCK
        stop = patch.within + len(patch.data)
        end = -(-stop // BLOCK) * BLOCK
        data: Data = patch.data
        if (begin, end) != (patch.within, stop):
            whole = bytearray(end - begin)
            for at in {begin, end - BLOCK} if not patch.fresh else ():
                block, sums = state.found(patch.slot, at, BLOCK)
                if sums != state.sums(patch.slot, at, BLOCK):
                    return None
                whole[at - begin : at - begin + BLOCK] = block
            whole[patch.within - begin : stop - begin] = patch.data
            data = whole
        state.places.slots.write(patch.slot, begin, data)
        return sums_of(data)

    def _patched(self, patch: _Patch, sums: bytes | None, error: OSError | None) -> None:
        state, blocks = self._state, self._state.geometry.blocks
        if error is not None:
            state.cache_failed(error)
        elif sums is not None:
            state.counters.ssd_written_bytes += len(sums) // SUM_BYTES * BLOCK
        block = patch.within // BLOCK
        for i, chunk in enumerate(range(patch.first, patch.last + 1)):
            slot = patch.slot + i
            # Checksums of the whole patch, from this slot's first changed block on.
            begin = max(block, i * blocks)
            part = (sums or b"")[(begin - block) * SUM_BYTES : ((i + 1) * blocks - block) * SUM_BYTES]
            if patch.fresh:
                self._insert(chunk, slot, part)
            elif state.space.show(chunk, slot):
                if part:
                    state.space.table.set_sums(slot, begin - i * blocks, part)
                else:
                    state.space.drop(chunk)
        state.freed()

    def _insert(self, chunk: int, slot: int, sums: bytes) -> None:
        space = self._state.space
        if sums and not space.excess:
            space.table.set_sums(slot, 0, sums)
            space.insert(chunk, slot)
            self._state.reads.touch(chunk)
        else:
            space.give_back(slot)

    def _complete(self, write: _Write) -> None:
        """Image and cache agree again."""
        state, size = self._state, self._chunk
        state.order.leave(write.turn)
        for chunk in range(write.start // size, (write.stop - 1) // size + 1):
            slot = state.space.slot_of(chunk)
            if slot is not None and not state.order.writing(chunk * size, (chunk + 1) * size):
                state.space.table.publish(slot, chunk)
        write.done(None, None)
