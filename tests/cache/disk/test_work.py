"""Who does what waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from froude.cache.disk import work
from froude.cache.disk.work import Inline, Pool, Wary


class Noting:
    """Notes what it is given, and does it not."""

    def __init__(self) -> None:
        self.jobs = 0
        self.at_once = False

    def run(self, job: Callable[[], Any], then: Callable[[Any, OSError | None], None]) -> None:
        """Note it."""
        self.jobs += 1


def fail() -> None:
    """As a disk does."""
    raise OSError(5, "broken")


def test_inline_tells_at_once() -> None:
    """What came of it, or how it failed."""
    told: list[object] = []
    Inline().run(lambda: 7, lambda result, error: told.append((result, error)))
    Inline().run(fail, lambda result, error: told.append(str(error)))
    assert told == [(7, None), "[Errno 5] broken"]


def test_a_pool_works_beside_the_loop() -> None:
    """Jobs wait for each other in threads, and are told in the loop's; a bug is an error, and hangs nobody."""

    async def main() -> list[object]:
        loop, told, gate = asyncio.get_running_loop(), [], threading.Event()
        pool, here, done = Pool(loop, 2), threading.get_ident(), asyncio.Event()

        def then(result: object, error: OSError | None) -> None:
            assert threading.get_ident() == here
            told.append(result if error is None else error.errno)
            if len(told) == 4:
                done.set()

        pool.run(lambda: gate.wait(60), then)
        pool.run(gate.set, then)
        pool.run(fail, then)
        pool.run(lambda: 1 // 0, then)  # type: ignore[arg-type]
        await done.wait()
        pool.close()
        return told

    told = asyncio.run(main())
    assert sorted(map(str, told)) == ["5", "5", "None", "True"]


def test_slow_work_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """After three in a row, for a second; each time for longer. One alone waited for a processor."""
    now = [0.0]
    monkeypatch.setattr(work.time, "monotonic", lambda: now[0])
    others = Noting()
    wary = Wary(others)

    def run(takes: float) -> None:
        def job() -> None:
            now[0] += takes

        wary.run(job, lambda _result, _error: None)

    for takes in (0.1, 0.1, 0.0, 0.1, 0.1):
        run(takes)
    assert others.jobs == 0
    assert wary.at_once
    run(0.1)
    assert not wary.at_once
    run(0.1)
    assert others.jobs == 1
    now[0] += 1.1
    for _ in range(4):
        run(0.1)
    assert others.jobs == 2
    now[0] += 1.1
    run(0.0)
    assert others.jobs == 3  # two seconds this time
