"""Who does the work that waits for a disk: this thread at once, or others while the event loop goes on."""

from __future__ import annotations

import asyncio
import errno
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from froude.cache.disk.seams import T, Work

_Then = Callable[[Any, OSError | None], None]
_SLOW_S = 0.002
"""Work that took longer than this had to wait: for a device, or for a processor."""
_SLOW_ONES = 3
"""So many one after another did not wait for a processor."""
_WARY_S = 1.0
"""How long others do such work after that; each time it was slow again, for twice as long."""
_WARIEST_S = 60.0


class Inline:
    """Does it at once: right for what ends in the system's memory."""

    at_once = True
    """See `Work`."""

    def run(self, job: Callable[[], T], then: Callable[[T | None, OSError | None], None]) -> None:
        """See `Work`."""
        try:
            result = job()
        except OSError as error:
            then(None, error)
        else:
            then(result, None)


class Pool:
    """Threads that do it, and tell the event loop; quicker than an executor, which makes a future a job.

    Args:
        threads: how many jobs may wait at a time.
    """

    at_once = False
    """See `Work`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, threads: int) -> None:
        self._loop = loop
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any], _Then] | None] = queue.SimpleQueue()
        self._done: deque[tuple[_Then, Any, OSError | None]] = deque()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def run(self, job: Callable[[], T], then: Callable[[T | None, OSError | None], None]) -> None:
        """See `Work`."""
        self._jobs.put((job, then))

    def close(self) -> None:
        """End the threads, after what they were given."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (item := self._jobs.get()) is not None:
            job, then = item
            result, failure = None, None
            try:
                result = job()
            except OSError as error:
                failure = error
            except Exception as error:  # noqa: BLE001 - a client that never gets its answer hangs
                failure = OSError(errno.EIO, f"{type(error).__name__}: {error}")
            first = not self._done
            self._done.append((then, result, failure))
            if first:  # else the loop has been told, and has not looked yet
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        while self._done:
            then, result, failure = self._done.popleft()
            then(result, failure)


class Wary:
    """Does it at once as long as that is quick, and leaves it to others for a while when it was not."""

    def __init__(self, others: Work) -> None:
        self._others = others
        self._inline = Inline()
        self._until_s = 0.0
        self._wary_s = _WARY_S
        self._slow = 0

    @property
    def at_once(self) -> bool:
        """See `Work`."""
        return time.monotonic() >= self._until_s

    def run(self, job: Callable[[], T], then: Callable[[T | None, OSError | None], None]) -> None:
        """See `Work`."""
        began = time.monotonic()
        if began < self._until_s:
            self._others.run(job, then)
            return
        self._inline.run(job, lambda result, error: self._after(began, result, error, then))

    def _after(self, began: float, result: Any, error: OSError | None, then: _Then) -> None:
        now = time.monotonic()
        self._slow = self._slow + 1 if now - began > _SLOW_S else 0
        if self._slow >= _SLOW_ONES:
            self._slow = 0
            self._until_s = now + self._wary_s
            self._wary_s = min(_WARIEST_S, 2 * self._wary_s)
        else:
            self._wary_s = max(_WARY_S, self._wary_s * 0.999)
        then(result, error)
