"""A block trace of several volumes replayed through caches of one SSD, under one policy.

Each volume is a VM of one hypervisor, whose caches do as a cached disk does: a write changes what is cached and makes it
no younger, and brings nothing in, unless writes are cached and it is of a whole chunk. Time is the trace's own: a read
that misses makes no later one wait, so what is counted is misses, not seconds. The split is looked at again after every
window, from what was measured before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from froude.base import parallel
from froude.base.seeds import Seeds
from froude.base.units import LONGEST_S
from froude.cache.curves import Shards
from froude.cache.simulate.lru import Lru
from froude.cache.simulate.traces import BlockTrace, Request
from froude.cache.simulate.window import FORGET, UNSPLIT, reads_per_s, resize
from froude.cache.solve.planner import Planning, solve
from froude.cache.solve.policies import policy
from froude.cache.solve.state import Hypervisor, State, Vm


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """How a trace is replayed."""

    space_bytes: int
    chunk_bytes: int = 64 * 1024
    windows: int = 20
    """Between which the split is looked at again."""
    cache_writes: bool = False
    """Whether chunks that are written whole are cached."""
    samples: int | None = 4096
    """Chunks in the sample of a curve; None for exact curves."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of it."""

    policy: str
    reads: dict[str, int]
    misses: dict[str, int]
    plans: int
    """That changed a size."""
    moved_bytes: int
    """By which caches grew."""

    @property
    def miss_ratio(self) -> float | None:
        """Of all volumes; None where nothing was read."""
        reads = sum(self.reads.values())
        return sum(self.misses.values()) / reads if reads else None


@dataclass(slots=True)
class _Volume:
    cache: Lru
    shards: Shards
    base: int
    reads: int = 0
    misses: int = 0
    writes: int = 0
    ssd_bytes: int = 0
    """Of writes, that went into the cache."""


@dataclass(frozen=True, slots=True)
class _Task:
    trace: BlockTrace
    how: Replay
    policy: str
    seeds: Seeds


def replay_all(
    trace: BlockTrace,
    how: Replay,
    names: Sequence[str],
    seeds: Seeds,
    workers: parallel.Workers = 1,
    *,
    done: Callable[[Replayed], None] | None = None,
) -> list[Replayed]:
    """A trace under policies.

    Args:
        done: called with what came of each policy as soon as it is known.
    """
    return parallel.map(_replayed, [_Task(trace, how, name, seeds) for name in names], workers, done)


def footprint_bytes(trace: BlockTrace, chunk_bytes: int, *, cache_writes: bool = False) -> int:
    """All chunks that are read after they were cached: what a cache without bound would be worth having.

    Args:
        cache_writes: whether chunks that are written whole are cached.
    """
    seen: set[tuple[str, int]] = set()
    again: set[tuple[str, int]] = set()
    for request in trace.requests:
        for chunk in _chunks(request.offset, request.size, chunk_bytes):
            key = (request.volume, chunk)
            if request.read and key in seen:
                again.add(key)
            if request.read or (cache_writes and _part(request, chunk, chunk_bytes) == chunk_bytes):
                seen.add(key)
    return len(again) * chunk_bytes


def _chunks(offset: int, size: int, chunk_bytes: int) -> range:
    return range(offset // chunk_bytes, (offset + size - 1) // chunk_bytes + 1)


def _part(request: Request, chunk: int, chunk_bytes: int) -> int:
    """Bytes of a chunk that a request is about."""
    begin = chunk * chunk_bytes
    return min(request.offset + request.size, begin + chunk_bytes) - max(request.offset, begin)


def _replayed(task: _Task) -> Replayed:
    return _Run(task).replayed()


def _window_s(trace: BlockTrace, how: Replay) -> float:
    """Of the trace's time; bounded, where its times are all alike or in another unit."""
    return min(max(trace.duration_s, 1e-3), LONGEST_S / 10) / how.windows


class _Run:
    def __init__(self, task: _Task) -> None:
        self._task, self._policy = task, policy(task.policy)
        space = task.how.space_bytes // task.how.chunk_bytes
        names = task.trace.volumes
        pool = Lru(space) if self._policy.shares else None
        each = 0 if task.policy == "none" else space // len(names)
        self._volumes = {
            name: _Volume(
                Lru(each) if pool is None else pool,
                Shards(samples=task.how.samples, seed=task.seeds.child(name).value),
                number << 44,  # volumes that share a cache have chunks of their own
            )
            for number, name in enumerate(names)
        }
        self._plans = self._moved = 0

    def replayed(self) -> Replayed:
        """Request by request, window by window."""
        trace, how = self._task.trace, self._task.how
        start, window_s = trace.requests[0].time_s, _window_s(trace, how)
        end = start + window_s
        totals = {name: [0, 0] for name in trace.volumes}
        for request in trace.requests:
            if request.time_s > end:
                self._window_ends(window_s, totals)
                end += window_s * math.ceil((request.time_s - end) / window_s)  # at once over a silence
            volume = self._volumes[request.volume]
            for chunk in _chunks(request.offset, request.size, how.chunk_bytes):
                if request.read:
                    volume.shards.access(chunk)
                    volume.reads += 1
                    volume.misses += not volume.cache.read(volume.base + chunk)
                else:
                    self._write(volume, chunk, _part(request, chunk, how.chunk_bytes))
        self._window_ends(window_s, totals)
        return Replayed(
            self._task.policy,
            {name: reads for name, (reads, _) in totals.items()},
            {name: misses for name, (_, misses) in totals.items()},
            self._plans,
            self._moved * how.chunk_bytes,
        )

    def _write(self, volume: _Volume, chunk: int, part_bytes: int) -> None:
        how, key = self._task.how, volume.base + chunk
        volume.writes += 1
        if how.cache_writes and part_bytes == how.chunk_bytes and volume.cache.write(key):
            volume.shards.touch(chunk)
        if key in volume.cache:
            volume.ssd_bytes += part_bytes

    def _window_ends(self, window_s: float, totals: dict[str, list[int]]) -> None:
        if self._policy.name not in UNSPLIT:
            plan = solve(self._state(window_s), self._policy, Planning(seeds=self._task.seeds))
            caches = {name: volume.cache for name, volume in self._volumes.items()}
            grown = resize(caches, plan.sizes(), self._task.how.chunk_bytes)
            self._plans += grown > 0
            self._moved += grown
        for name, volume in self._volumes.items():
            totals[name][0] += volume.reads
            totals[name][1] += volume.misses
            volume.reads = volume.misses = volume.writes = volume.ssd_bytes = 0
            volume.shards.decay(FORGET)

    def _state(self, window_s: float) -> State:
        how = self._task.how
        return State(
            window_s=window_s,
            horizon_s=window_s * 10,
            granule_bytes=how.chunk_bytes,
            hypervisors=(Hypervisor(name="ssd", space_bytes=how.space_bytes),),
            vms=tuple(self._vm(name, volume, window_s) for name, volume in self._volumes.items()),
        )

    def _vm(self, name: str, volume: _Volume, window_s: float) -> Vm:
        """As a monitor would know it; what was computed and sent meanwhile a block trace does not tell."""
        how = self._task.how
        per_s = (volume.reads + volume.writes) / window_s
        return Vm(
            name=name,
            hypervisor="ssd",
            reads_per_s=reads_per_s(volume.shards, window_s),
            curve=volume.shards.curve(how.chunk_bytes),
            chunk_bytes=how.chunk_bytes,
            writes_bytes_per_s=int(volume.ssd_bytes / window_s),
            iops=per_s,
            disk_bytes_per_s=int(per_s * how.chunk_bytes),
            io_s=float(volume.misses),
            size_bytes=volume.cache.capacity * how.chunk_bytes,
        )
