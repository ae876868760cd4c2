"""A cached disk in a made-up world: an image that forgets what was not flushed, jobs that stop anywhere, one clock.

Jobs run as greenlets which stop between any two steps of their work, also in the middle of a write; whose turn it is, is
drawn from a seed. So a seed replays exactly, and a kill can come at any step. Every sector (512 bytes) that is written
says which write it is of, and the image remembers the order: what a read may give follows from that.
"""

from __future__ import annotations

import errno
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from greenlet import getcurrent, greenlet

from froude.cache.disk.header import (
    HEADER_BYTES,
    Header,
    ImageState,
    cold_reason,
    explain,
    read_header,
    read_until,
    write_header,
)
from froude.cache.disk.seams import Data
from froude.cache.disk.space import Space
from froude.cache.disk.state import Places
from froude.cache.disk.store import Store
from froude.cache.disk.table import Geometry, Table
from froude.cache.disk.work import Inline

SECTOR = 512


def stamped(number: int, sectors: int) -> bytes:
    """So many sectors that say which write they are of; 0 is what reads as zeros."""
    return number.to_bytes(8, "little") * (SECTOR // 8 * sectors)


class Scheduler:
    """Runs jobs a step at a time, in an order that is drawn."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.jobs: list[greenlet] = []
        self.results: list[Callable[[], None]] = []
        self._main = getcurrent()
        self.at_once = False

    def run(self, job: Callable[[], Any], then: Callable[[Any, OSError | None], None]) -> None:
        """See `Work`: later, and its result is told later still."""

        def whole() -> None:
            result, failure = None, None
            try:
                result = job()
            except OSError as error:
                failure = error
            self.results.append(lambda: then(result, failure))

        self.jobs.append(greenlet(whole))

    def pause(self) -> None:
        """A job may stop here; what is done at once may not."""
        if getcurrent() is not self._main:
            self._main.switch()

    def step(self) -> bool:
        """Go on with one of those that can; false when nothing is left."""
        choices = len(self.jobs) + len(self.results)
        if not choices:
            return False
        pick = self.chance.randrange(choices)
        if pick < len(self.jobs):
            job = self.jobs[pick]
            job.switch()
            if job.dead:
                self.jobs.remove(job)
        else:
            self.results.pop(pick - len(self.jobs))()
        return True


@dataclass(slots=True)
class Faults:
    """How often things fail, 0 to 1."""

    image: float = 0.0
    lost: float = 0.0
    """Of writes that were answered: how many the kernel cannot bring to the medium later."""
    ssd: float = 0.0
    flips: float = 0.0


class ForgetfulImage:
    """A `Backing` that keeps, of each sector, what is on the medium and what came after it."""

    def __init__(self, size: int, scheduler: Scheduler, faults: Faults) -> None:
        self.size = size
        self.scheduler = scheduler
        self.faults = faults
        self.data = bytearray(size)
        self.versions: list[list[int]] = [[0] for _ in range(size // SECTOR)]
        """Of each sector: every write it had, in their order; below 0 for one that made it zeros."""
        self.zeroings: dict[tuple[int, int], list[int]] = {}
        """By range: the numbers of those that were asked for and have not begun."""
        self.durable = [0] * len(self.versions)
        """Of each sector: place in its versions of what is on the medium."""
        self.lost: set[int] = set()
        """Sectors that the kernel could not bring to the medium, and does not try again."""
        self.untold = False
        """Whether nobody was told of that: the next durable call is, whatever it is, and only that."""
        self.changed_ns = 0
        self.now_ns = 0
        self.inode = 1

    def read(self, offset: int, length: int) -> Data:
        """See `Backing`."""
        half = length // SECTOR // 2 * SECTOR
        self._step()
        first = bytes(self.data[offset : offset + half])
        self._step()
        return first + bytes(self.data[offset + half : offset + length])

    def read_now(self, offset: int, length: int) -> Data | None:
        """See `Backing`."""
        if self.scheduler.chance.random() < 0.5:
            return None
        return bytes(self.data[offset : offset + length])

    def write(self, offset: int, data: Data, *, durable: bool) -> None:
        """See `Backing`."""
        self._write(offset, data, durable, int.from_bytes(data[:8], "little"))

    def _write(self, offset: int, data: Data, durable: bool, number: int) -> None:
        """Half of it may have come when it fails."""
        half = len(data) // SECTOR // 2 * SECTOR
        self._step()
        self._put(offset, bytes(data[:half]), number)
        self._step()
        self._put(offset + half, bytes(data[half:]), number)
        sectors = range(offset // SECTOR, (offset + len(data)) // SECTOR)
        if durable:
            self._step()
            self._tell()
            self._keep(sectors)
        elif self.scheduler.chance.random() < self.faults.lost:
            self.lost.update(sectors)
            self.untold = True

    def zero(self, offset: int, length: int, *, hole: bool, durable: bool) -> None:
        """See `Backing`."""
        self._write(offset, bytes(length), durable, self.zeroings[offset, length].pop(0))

    def flush(self) -> None:
        """See `Backing`."""
        self._step()
        self._tell()
        self._keep(range(len(self.versions)))

    def state(self) -> ImageState:
        """See `Backing`."""
        return ImageState(f"inode {self.inode}", self.size, self.changed_ns, dated=True)

    def forget(self) -> None:
        """The machine lost its power: of each sector either what was kept, or any that came later."""
        for sector, versions in enumerate(self.versions):
            kept = self.scheduler.chance.randrange(self.durable[sector], len(versions))
            self.versions[sector] = [versions[kept]]
            self.durable[sector] = 0
            self.data[sector * SECTOR : (sector + 1) * SECTOR] = stamped(max(0, versions[kept]), 1)
        self._whole_again()

    def overwrite(self, number: int) -> None:
        """Somebody else writes to all of it."""
        self.changed_ns = self.now_ns
        self.data[:] = stamped(number, len(self.versions))
        self.versions = [[number] for _ in self.versions]
        self.durable = [0] * len(self.versions)
        self._whole_again()

    def told(self) -> None:
        """Whoever lost writes knows it, by an error or by the server's end, and has written them anew."""
        if not self.untold:
            self.lost.clear()

    def _whole_again(self) -> None:
        self.lost.clear()
        self.untold = False

    def _tell(self) -> None:
        """Linux tells an open file once that something of it was lost."""
        if self.untold:
            self.untold = False
            raise OSError(errno.EIO, "made up")

    def _step(self) -> None:
        self.scheduler.pause()
        if self.scheduler.chance.random() < self.faults.image:
            raise OSError(errno.EIO, "made up")

    def _put(self, offset: int, data: bytes, number: int) -> None:
        self.changed_ns = self.now_ns
        self.data[offset : offset + len(data)] = data
        for sector in range(offset // SECTOR, (offset + len(data)) // SECTOR):
            self.versions[sector].append(number)
            self.lost.discard(sector)

    def _keep(self, sectors: range) -> None:
        for sector in set(sectors) - self.lost:
            self.durable[sector] = len(self.versions[sector]) - 1


class MadeUpSlots:
    """`Slots` in memory; a write may be seen half done."""

    def __init__(self, chunk: int, scheduler: Scheduler, faults: Faults) -> None:
        self.chunk = chunk
        self.scheduler = scheduler
        self.faults = faults
        self.data = bytearray()

    def read(self, slot: int, within: int, length: int) -> Data:
        """See `Slots`."""
        self._step()
        at = slot * self.chunk + within
        return bytes(self.data[at : at + length])

    def write(self, slot: int, within: int, data: Data) -> None:
        """See `Slots`."""
        at, half = slot * self.chunk + within, len(data) // 2
        self.data.extend(bytes(max(0, at + len(data) - len(self.data))))
        self._step()
        self.data[at : at + half] = data[:half]
        self._step()
        self.data[at + half : at + len(data)] = data[half:]

    def punch(self, slots: list[int]) -> None:
        """See `Slots`."""
        for slot in slots:
            self._step()
            self.data[slot * self.chunk : (slot + 1) * self.chunk] = bytes(self.chunk)

    def _step(self) -> None:
        self.scheduler.pause()
        chance = self.scheduler.chance
        if chance.random() < self.faults.ssd:
            raise OSError(errno.ENOSPC, "made up")
        if self.data and chance.random() < self.faults.flips:
            self.data[chance.randrange(len(self.data))] ^= 1 << chance.randrange(8)


class NoReads:
    """Learns nothing."""

    def access(self, chunk: int) -> None:
        """A chunk is read."""

    def touch(self, chunk: int) -> None:
        """A chunk is cached by a write."""

    def drop(self, chunk: int) -> None:
        """A chunk is zeroed."""


@dataclass(slots=True, eq=False)
class Sent:
    """A request that was not answered yet, or has been."""

    kind: str
    first: int = 0
    """Sector."""
    sectors: int = 0
    number: int = 0
    floors: list[int] = field(default_factory=list)
    """Of a read: the oldest version of each sector that it may give. Of a flush: what it promises, by sector."""
    durable: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """A world."""

    chunk: int = 8192
    image: int = 27 * 4096 + 5 * SECTOR
    waits: bool = True
    """Whether work on the cache file waits, as with direct I/O; else it is done at once."""
    cache_writes: bool = False
    faults: Faults = field(default_factory=Faults)


class World:
    """A client, a cached disk, and what may happen to them.

    Args:
        seed: of all chance.
        setting: what it is like.
    """

    def __init__(self, seed: int, setting: Setting) -> None:
        self.chance = random.Random(seed)
        self.setting = setting
        self.scheduler = Scheduler(self.chance)
        self.image = ForgetfulImage(setting.image, self.scheduler, setting.faults)
        self.sectors = setting.image // SECTOR
        self.geometry = Geometry(setting.image, setting.chunk)
        self.index = bytearray(HEADER_BYTES + self.geometry.table_bytes)
        self.slots = MadeUpSlots(setting.chunk, self.scheduler, setting.faults)
        self.capacity = 6 * setting.chunk
        self.number = 0
        self.floor = [0] * self.sectors
        """Of each sector: the oldest version that a read which begins now may give."""
        self.promised = [0] * self.sectors
        """Of each sector: the oldest version that may be there after a loss of power."""
        self.sent: list[Sent] = []
        self.answered = 0
        self.restored = 0
        """Chunks that were found after a kill."""
        self.boot = 0
        self.damaged = 0
        self.hits = 0
        self._start(None)

    # What may happen

    def submit(self) -> None:
        """The client sends a request."""
        kind = self.chance.choices(["read", "write", "zero", "flush", "resize"], [10, 10, 1, 1, 1])[0]
        if kind == "resize":
            self.capacity = self.chance.choice([0, 1, 3, 6, 14]) * self.setting.chunk
            self.store.resize(self.capacity, lambda _data, _error: None)
            return
        first = self.chance.randrange(self.sectors // self.chance.choice([1, 4]))  # some are hot
        count = self.chance.choice([1, 4, 8, 8, 8, 16, 16, 40])
        if count % 8 == 0:
            first -= first % 8
        sent = Sent(kind, first, min(count, self.sectors - first))
        self.sent.append(sent)
        if kind == "flush":
            sent.floors = list(self.floor)  # what was answered before, at least
            self.store.flush(lambda data, error: self._answer(sent, data, error))
            return
        offset, length = sent.first * SECTOR, sent.sectors * SECTOR

        def done(data: Data | None, error: OSError | None) -> None:
            self._answer(sent, data, error)

        if kind == "read":
            sent.floors = self.floor[sent.first : sent.first + sent.sectors]
            data = self.store.read_now(offset, length)
            if data is not None:
                done(data, None)
            else:
                self.store.read(offset, length, done)
            return
        sent.durable = self.chance.random() < 0.2
        self.number += 1
        if kind == "zero":
            sent.number = -self.number
            self.image.zeroings.setdefault((offset, length), []).append(sent.number)
            self.store.zero(offset, length, done, hole=True, durable=sent.durable)
        else:
            sent.number = self.number
            self.store.write(offset, stamped(self.number, sent.sectors), done, durable=sent.durable)

    def settle(self) -> None:
        """Until nothing is under way."""
        while self.scheduler.step():
            self.image.now_ns += 1_000_000
        assert not self.sent, f"never answered: {self.sent}"

    def kill(self) -> None:
        """The server dies where it is; what the kernel was given stays."""
        self._forget_requests()
        self.image.told()
        self._start(self.index)
        self.restored += len(self.store.state.space.chunks)

    def lose_power(self) -> None:
        """The machine dies: of what was not flushed anything may be gone."""
        self._forget_requests()
        self.image.forget()
        for sector, versions in enumerate(self.image.versions):
            assert versions[0] in self._allowed[sector], f"sector {sector} lost what was promised"
        self.floor = [0] * self.sectors
        self.promised = [0] * self.sectors
        self.boot += 1
        self._start(self.index)

    def change_image(self) -> None:
        """Somebody else writes to the image while no server runs."""
        self._forget_requests()
        self.image.now_ns += 1_000_000_000
        self.number += 1
        self.image.overwrite(self.number)
        self.floor = [0] * self.sectors
        self.promised = [0] * self.sectors
        self._start(self.index)

    def stop(self) -> None:
        """The server ends cleanly, and the machine may be restarted then."""
        self.settle()
        self.image.zeroings.clear()  # of those that were refused
        try:
            if self.store.state.failed is not None:
                raise self.store.state.failed
            self.image.flush()
        except OSError:
            self.kill()
            return
        self.promised = [len(versions) - 1 for versions in self.image.versions]
        write_header(self.index, Header(**{**self._header(), "clean": True}))
        self.boot += 1
        self._start(self.index)

    def read_all(self) -> None:
        """What every sector holds, through the cache."""
        for first in range(0, self.sectors, 16):
            sent = Sent("read", first, min(16, self.sectors - first))
            sent.floors = self.floor[first : first + sent.sectors]
            self.sent.append(sent)
            self.store.read(
                first * SECTOR,
                sent.sectors * SECTOR,
                lambda data, error, sent=sent: self._answer(sent, data, error),  # type: ignore[misc]
            )
        self.settle()

    # What is true of it

    @property
    def _allowed(self) -> list[set[int]]:
        """By sector: the writes that may be there after a loss of power."""
        return [
            set(versions[promise:])
            for versions, promise in zip(self._before_loss, self.promised, strict=True)
        ]

    def _answer(self, sent: Sent, data: Data | None, error: OSError | None) -> None:
        assert sent in self.sent, "answered twice"
        self.sent.remove(sent)
        self.answered += 1
        if error is not None:
            assert self.setting.faults.image or self.store.state.failed
            return
        if sent.kind == "read":
            assert data is not None
            self._check_read(sent, bytes(data))
        elif sent.kind == "flush":
            self.promised = [max(a, b) for a, b in zip(self.promised, sent.floors, strict=True)]
        else:
            self._check_written(sent)

    def _check_read(self, sent: Sent, data: bytes) -> None:
        assert len(data) == sent.sectors * SECTOR
        for i, floor in enumerate(sent.floors):
            sector = sent.first + i
            part = data[i * SECTOR : (i + 1) * SECTOR]
            number = int.from_bytes(part[:8], "little")
            assert part == stamped(number, 1), f"sector {sector} is torn"
            versions = self.image.versions[sector]
            found = [at for at in range(floor, len(versions)) if max(0, versions[at]) == number]
            assert found, f"sector {sector} gives {number}, of {versions} from {floor} on"
            # Whoever reads from now on must not see an older one.
            self.floor[sector] = max(self.floor[sector], found[0])

    def _check_written(self, sent: Sent) -> None:
        for sector in range(sent.first, sent.first + sent.sectors):
            versions = self.image.versions[sector]
            at = versions.index(sent.number)
            self.floor[sector] = max(self.floor[sector], at)
            if sent.durable:
                self.promised[sector] = max(self.promised[sector], at)

    # Its life

    def _header(self) -> dict[str, Any]:
        state = self.image.state()
        return {
            "generation": self.table.generation,
            "chunk_bytes": self.setting.chunk,
            "chunk_chosen": False,
            "image": state.name,
            "image_bytes": state.size_bytes,
            "mark": state.mark,
            "boot": str(self.boot),
            "clean": False,
        }

    def _start(self, index: bytearray | None) -> None:
        header = None if index is None else read_header(index)
        reason = "new"
        if index is not None and header is not None:
            reason = cold_reason(header, read_until(index), self.image.state(), str(self.boot)) or ""
        generation = 1 if header is None else header.generation + bool(reason)
        self.table = Table(memoryview(self.index)[HEADER_BYTES:], self.geometry, generation)
        write_header(self.index, Header(**self._header()))
        space = Space(self.table, 0)
        if not reason:
            space.restore(self.table.restore(range(self.geometry.chunks)))
        inline = Inline()
        work = self.scheduler if self.setting.waits else inline
        places = Places(
            backing=self.image,
            slots=self.slots,
            disk=self.scheduler,
            quick=work,
            ssd=work,
            writing=lambda: explain(self.index, self.image.now_ns),
            now=lambda: self.image.now_ns / 1e9,
        )
        self.store = Store(space, places, NoReads(), cache_writes=self.setting.cache_writes)
        self.store.resize(self.capacity, lambda _data, _error: None)

    def _forget_requests(self) -> None:
        self.damaged += self.store.state.counters.damaged
        self.hits += self.store.state.counters.hits
        self._before_loss = [list(versions) for versions in self.image.versions]
        self.sent.clear()
        self.image.zeroings.clear()
        self.scheduler.jobs.clear()
        self.scheduler.results.clear()
