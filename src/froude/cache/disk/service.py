"""A cached disk as its clients see it: requests held to the limits, counted, and answered; commands carried out.

No socket and no clock of its own. Requests that must wait, for the limits or while the chunk size changes, wait in one
queue in the order in which they came. How many requests and bytes a second are let through, two token buckets say.
"""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

from froude.base.errors import FroudeError, TargetError
from froude.cache.curves.shards import Shards
from froude.cache.disk.chunks import ChunkChooser
from froude.cache.disk.commands import Command, Curve, Limit, Resize
from froude.cache.disk.nbd.wire import Flag, Kind, Refusal, Request, refusal_of
from froude.cache.disk.seams import CacheIndex, Data
from froude.cache.disk.space import Space
from froude.cache.disk.state import Places
from froude.cache.disk.status import Counters, DiskStatus, Limits
from froude.cache.disk.store import Store

_DEPTH_S = 0.1
"""How much of a second may be let through at once after a pause."""
_ROUNDING_S = 1e-6
"""Less than this is not waited for: a clock might not get on by it."""
_FUA, _NO_HOLE = int(Flag.FUA), int(Flag.NO_HOLE)
_AGAIN_S = 0.01
"""Between looks at whether nothing is under way any more."""

Reply = Callable[[int, int, Data | None], None]
"""Takes the cookie of a request, the number of its error (0 for none), and what was read."""
Answer = Callable[[Mapping[str, Any] | FroudeError], None]


class Timer(Protocol):
    """A call that is to come."""

    def cancel(self) -> None:
        """It shall not come after all; harmless when it has."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a service is made of."""

    space: Space
    places: Places
    index: CacheIndex
    chooser: ChunkChooser | None
    """None where the chunk size stays."""
    later: Callable[[float, Callable[[], None]], Timer]
    """Calls something after so many seconds."""
    fixed: DiskStatus
    """What does not change: the image and what was restored."""
    note: Callable[[str], None]
    """Takes remarks for the user."""
    cache_writes: bool = False


class _Held(NamedTuple):
    """A request that waits."""

    request: Request
    reply: Reply
    since: float


class Service:
    """One cached disk.

    Args:
        size_bytes: what the cache may hold.
    """

    def __init__(self, parts: Parts, limits: Limits, size_bytes: int) -> None:
        self._parts = parts
        self._now = parts.places.now
        self._began = self._now()
        self._size = parts.fixed.image_bytes
        self._cache_bytes = size_bytes
        self._limiter = Limiter(limits, self._began)
        self._held: deque[_Held] = deque()
        self._timer: Timer | None = None
        """Looks again at what waits."""
        self._renewing: int | None = None
        """Chunk size that is to be, as soon as nothing is under way."""
        self._under_way = 0
        self._counters = Counters()
        self._evictions = 0
        self.connections = 0
        """Clients now."""
        self._build(parts.space)
        self._store.resize(size_bytes, lambda _data, _error: None)

    @property
    def idle(self) -> bool:
        """Whether every request was answered."""
        return self._under_way == 0 and not self._held

    def _build(self, space: Space) -> None:
        geometry = space.table.geometry
        self._curve = Shards(horizon=geometry.chunks)
        self._store = Store(
            space, self._parts.places, self._curve, self._counters, cache_writes=self._parts.cache_writes
        )

    # Requests

    def submit(self, request: Request, reply: Reply) -> None:
        """Serve a request.

        Args:
            reply: called once, now or later.
        """
        refusal = refusal_of(request, self._size)
        if refusal:
            self._counters.errors += 1
            reply(request.cookie, refusal, None)
        elif self._held or self._renewing is not None or not self._limiter.free:
            self._held.append(_Held(request, reply, self._now()))
            self._release()
        else:
            self._start(request, reply)

    def read_now(self, request: Request) -> Data | None:
        """Serve a read that needs no waiting; None, and nothing done, for any other request."""
        kind, flags, _, offset, length, _ = request
        if kind or flags or self._held or self._renewing is not None or not self._limiter.free:
            return None
        if not length or offset + length > self._size:
            return None
        began = self._now()
        data = self._store.read_now(offset, length)
        if data is not None:
            served = self._counters
            served.reads += 1
            served.read_bytes += length
            served.read_s += self._now() - began
            if self._parts.chooser is not None:
                self._consider(self._parts.chooser.saw(offset, length))
        return data

    def _release(self) -> None:
        """Let go of what waits, as far as the limits allow."""
        while self._held and self._renewing is None:
            request, reply, since = self._held[0]
            now = self._now()
            wait = 0.0
            if request.kind != Kind.FLUSH:
                moves = request.kind in {Kind.READ, Kind.WRITE}
                wait = self._limiter.wait_s(request.length if moves else 0, now)
            if wait > 0:
                if self._timer is None:
                    self._timer = self._parts.later(wait, self._woken)
                return
            self._held.popleft()
            if now > since:
                self._counters.held += 1
                self._counters.held_s += now - since
            self._start(request, reply)

    def _woken(self) -> None:
        self._timer = None
        self._release()

    def _start(self, request: Request, reply: Reply) -> None:
        kind, flags, _, offset, length, data = request
        self._under_way += 1
        done = partial(self._done, request, reply, self._now())
        if kind == Kind.READ:
            self._store.read(offset, length, done)
            if self._parts.chooser is not None:
                self._consider(self._parts.chooser.saw(offset, length))
        elif kind == Kind.WRITE:
            self._store.write(offset, data, done, durable=bool(flags & _FUA))
        elif kind == Kind.FLUSH:
            self._store.flush(done)
        else:
            hole = kind == Kind.TRIM or not flags & _NO_HOLE
            self._store.zero(offset, length, done, hole=hole, durable=bool(flags & _FUA))

    def _done(
        self, request: Request, reply: Reply, began: float, data: Data | None, error: OSError | None
    ) -> None:
        took, kind, served = self._now() - began, request.kind, self._counters
        self._under_way -= 1
        if error is not None:
            served.errors += 1
        if kind == Kind.READ:
            served.reads += 1
            served.read_bytes += request.length
            served.read_s += took
        elif kind == Kind.WRITE:
            served.writes += 1
            served.write_bytes += request.length
            served.write_s += took
        elif kind == Kind.FLUSH:
            served.flushes += 1
            served.flush_s += took
        else:
            served.trims += 1
        reply(request.cookie, 0 if error is None else _number(error), data)
        if self._renewing is not None:
            self._renew()

    def forget_held(self) -> None:
        """Answer nothing of what waits: the disk is about to end."""
        self._held.clear()
        self._renewing = None

    # Another chunk size

    def _consider(self, chunk_bytes: int | None) -> None:
        if chunk_bytes is not None:
            self._renewing = chunk_bytes
            self._renew()

    def _renew(self) -> None:
        """Change the chunk size if nothing is under way; requests that come meanwhile wait."""
        if self._renewing is None or self._under_way:
            return
        if not self._store.idle:  # space is being given back
            self._parts.later(_AGAIN_S, self._renew)
            return
        chunk, self._renewing = self._renewing, None
        try:
            table = self._parts.index.reformat(self._parts.places.backing.state(), chunk)
        except OSError as error:  # it goes on as it is
            self._store.state.cache_failed(error)
            self._release()
            return
        self._parts.note(f"chunks of {chunk >> 10} KiB suit the reads that came: the cache begins anew")
        self._evictions += self._store.state.space.evictions
        self._build(Space(table, 0))
        self._store.resize(self._cache_bytes, lambda _data, _error: None)
        self._release()

    # Commands

    def carry_out(self, command: Command, answer: Answer) -> None:
        """Do what the control socket asks.

        Args:
            answer: called once, now or later.
        """
        if isinstance(command, Resize):
            before = self._evictions + self._store.state.space.evictions
            self._cache_bytes = command.size_bytes
            self._parts.index.keep(self._cache_bytes, self._limiter.limits)
            self._store.resize(command.size_bytes, partial(self._resized, answer, before))
        elif isinstance(command, Limit):
            self._limiter = Limiter(command.applied(self._limiter.limits), self._now())
            self._parts.index.keep(self._cache_bytes, self._limiter.limits)
            if self._timer is not None:  # it was set by the old limits
                self._timer.cancel()
                self._timer = None
            self._release()
            answer(asdict(self._limiter.limits))
        elif isinstance(command, Curve):
            chunk = self._store.state.geometry.chunk_bytes
            answer({"chunk_bytes": chunk, "curve": self._curve.curve(chunk).plain()})
            if command.forget:
                self._curve.decay(0.0)
        else:
            answer(self.status().to_json())

    def _resized(self, answer: Answer, before: int, _data: Data | None, error: OSError | None) -> None:
        if error is not None:
            answer(TargetError("the SSD's space cannot be given back", found=error.strerror or str(error)))
            return
        status = self.status()
        answer(
            {
                "cache_bytes": status.cache_bytes,
                "used_bytes": status.used_bytes,
                "dropped_chunks": status.evictions - before,
            }
        )

    def status(self) -> DiskStatus:
        """State and counters now."""
        state = self._store.state
        limits, index = self._limiter.limits, self._parts.index
        chunk = state.geometry.chunk_bytes
        failed = None if state.failed is None else f"the image failed to flush ({state.failed.strerror})"
        return replace(
            self._parts.fixed,
            chunk_bytes=chunk,
            generation=index.generation,
            uptime_s=self._now() - self._began,
            connections=self.connections,
            # A smaller size is not in force before the space is back: others may be promised what is free by it.
            cache_bytes=max(self._cache_bytes, state.space.taken * chunk),
            used_bytes=len(state.space.chunks) * chunk,
            allocated_bytes=index.allocated_bytes,
            iops_limit=limits.iops,
            bytes_per_s_limit=limits.bytes_per_s,
            fault=failed or state.fault,
            evictions=self._evictions + state.space.evictions,
            **asdict(self._counters),
        )

    @property
    def failed(self) -> bool:
        """Whether the image takes no more writes."""
        return self._store.state.failed is not None


def _number(error: OSError) -> int:
    """The error as a client may be told it."""
    return Refusal.ENOSPC if error.errno in {errno.ENOSPC, errno.EDQUOT} else Refusal.EIO


class _Bucket:
    """Fills at a rate; a request goes when the bucket has what it costs, or is full, and may leave a debt."""

    __slots__ = ("_at_s", "_depth", "_level", "_rate")

    def __init__(self, rate: float, now_s: float) -> None:
        self._rate = rate
        self._depth = max(1.0, rate * _DEPTH_S)
        self._level = self._depth
        self._at_s = now_s

    def wait_s(self, cost: float, now_s: float) -> float:
        """Seconds until a request may go; 0 for now."""
        self._level = min(self._depth, self._level + (now_s - self._at_s) * self._rate)
        self._at_s = now_s
        wait = (min(cost, self._depth) - self._level) / self._rate
        return wait if wait > _ROUNDING_S else 0.0

    def take(self, cost: float) -> None:
        """A request goes."""
        self._level -= cost


class Limiter:
    """Lets requests through as limits allow.

    Args:
        now_s: seconds, from anywhere.
    """

    __slots__ = ("_bytes", "_requests", "limits")

    def __init__(self, limits: Limits, now_s: float) -> None:
        self.limits = limits
        self._requests = None if limits.iops is None else _Bucket(limits.iops, now_s)
        self._bytes = None if limits.bytes_per_s is None else _Bucket(limits.bytes_per_s, now_s)

    @property
    def free(self) -> bool:
        """Whether nothing is limited."""
        return self._requests is None and self._bytes is None

    def wait_s(self, size_bytes: int, now_s: float) -> float:
        """Let a request through, if it may go now.

        Args:
            size_bytes: what it reads or writes; 0 where it moves no bytes.
            now_s: seconds; never before an earlier one.

        Returns:
            0 if it went; else after how many seconds to try again.
        """
        wait = 0.0 if self._requests is None else self._requests.wait_s(1.0, now_s)
        if self._bytes is not None:
            wait = max(wait, self._bytes.wait_s(size_bytes, now_s))
        if wait == 0.0:
            if self._requests is not None:
                self._requests.take(1.0)
            if self._bytes is not None:
                self._bytes.take(size_bytes)
        return wait
