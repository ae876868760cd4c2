"""A cached disk as its clients see it, without sockets."""

from __future__ import annotations

import errno
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.cache.disk.chunks import ChunkChooser
from froude.cache.disk.commands import Curve, Limit, Resize
from froude.cache.disk.header import ImageState
from froude.cache.disk.service import Limiter
from froude.cache.disk.status import Limits
from froude.cache.disk.table import Table
from tests.support.cache.disk.service import SIZE, Clocked


def test_requests_are_answered_and_counted() -> None:
    """Each kind of them; what cannot be done with its number."""
    disk = Clocked()
    disk.ask(1, 4096, 4096, cookie=1)
    disk.ask(0, 4095, 3, cookie=2)
    disk.ask(0, 4095, 3, cookie=3)
    disk.ask(3, cookie=4)
    disk.image.zeroings[0, 512] = [-1, -2]
    disk.ask(4, 0, 512, cookie=5)
    disk.ask(6, 0, 512, cookie=6, flags=2)
    disk.ask(0, SIZE, 1, cookie=7)
    assert disk.replies == [
        (1, 0, None),
        (2, 0, b"\0xx"),
        (3, 0, b"\0xx"),
        *((n, 0, None) for n in (4, 5, 6)),
        (7, 22, None),
    ]
    status = disk.service.status()
    assert (status.reads, status.read_bytes, status.writes, status.write_bytes) == (2, 6, 1, 4096)
    assert (status.flushes, status.trims, status.errors) == (1, 2, 1)
    assert (status.hits, status.misses) == (1, 1)
    assert (status.image, status.image_bytes, status.restored_chunks) == ("vm.raw", SIZE, 3)
    assert disk.service.idle


def test_errors_of_the_image_are_told() -> None:
    """As what a client may know."""
    disk = Clocked(waits=True)
    for number, told in ((errno.ENOSPC, 28), (errno.EIO, 5), (errno.EROFS, 5)):

        def fail(*_: object, number: int = number, **__: object) -> None:
            raise OSError(number, "made up")

        disk.image.write = fail  # type: ignore[method-assign]
        disk.ask(1, 0, 10)
        assert disk.replies.pop() == (1, told, None)
    disk.image.flush = fail  # type: ignore[method-assign]
    disk.ask(3)
    disk.world.settle()
    assert disk.replies.pop() == (1, 5, None)
    assert disk.service.failed
    assert "failed to flush" in str(disk.service.status().fault)


@pytest.mark.parametrize(("kind", "name"), [(1, "write"), (6, "zero")])
def test_a_durable_request_that_fails_is_a_flush_that_failed(kind: int, name: str) -> None:
    """It may have been told of earlier writes that were lost, and no flush after it is: none may succeed."""
    disk = Clocked(waits=True)
    disk.ask(1, 8192, 512)

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "made up")

    setattr(disk.image, name, fail)
    disk.ask(kind, 0, 512, cookie=2, flags=1)
    disk.world.settle()
    disk.ask(3, cookie=3)
    disk.world.settle()
    assert disk.replies == [(1, 0, None), (2, 5, None), (3, 5, None)]
    assert disk.service.failed


def test_latencies_are_summed() -> None:
    """From the start of the work to its answer."""
    disk = Clocked(waits=True)
    disk.image.read_now = lambda offset, length: None  # type: ignore[method-assign]
    disk.ask(0, 0, 10)
    disk.advance(0.25)
    disk.world.settle()
    disk.ask(3)
    disk.advance(0.5)
    disk.world.settle()
    status = disk.service.status()
    assert (status.read_s, status.flush_s, status.uptime_s) == (0.25, 0.5, 0.75)


def test_limits_hold_requests_back() -> None:
    """In their order; flushes too, for they come after what they cover. New limits count at once."""
    disk = Clocked(limits=Limits(iops=10))
    for cookie in range(1, 6):
        disk.ask(0, 0, 10, cookie=cookie)
    disk.ask(3, cookie=6)
    assert [cookie for cookie, _, _ in disk.replies] == [1]
    disk.advance(0.2)
    assert [cookie for cookie, _, _ in disk.replies] == [1, 2, 3]
    assert not disk.service.idle
    assert disk.tell(Limit({"iops": None})) == {"iops": None, "bytes_per_s": None}
    assert [cookie for cookie, _, _ in disk.replies] == [1, 2, 3, 4, 5, 6]
    status = disk.service.status()
    assert status.held == 5
    assert status.held_s == pytest.approx(0.1 + 0.2 + 3 * 0.2)
    assert status.read_s == 0
    disk.advance(10)
    assert disk.tell(Limit({"bytes_per_s": 5000}))["bytes_per_s"] == 5000
    for cookie in (7, 8):
        disk.ask(1, 0, 5000, cookie=cookie)
    assert disk.replies[-1][0] == 7
    disk.advance(1.0)
    assert disk.replies[-1][0] == 8


def test_what_an_old_limit_held_goes_as_a_new_one_allows() -> None:
    """Not when the old one would have let it go, which may be minutes later."""
    disk = Clocked(limits=Limits(bytes_per_s=1000))
    for cookie in (1, 2):
        disk.ask(1, 0, 512 << 10, cookie=cookie)
    assert [cookie for cookie, _, _ in disk.replies] == [1]
    disk.tell(Limit({"bytes_per_s": 5e6}))
    disk.ask(1, 0, 512 << 10, cookie=3)
    disk.advance(0.2)
    assert [cookie for cookie, _, _ in disk.replies] == [1, 2, 3]
    disk.ask(1, 0, 512 << 10, cookie=4)
    disk.tell(Limit({"bytes_per_s": 1000}))  # a lower one is not overtaken by the old timer either
    disk.ask(1, 0, 512 << 10, cookie=5)
    disk.advance(1)
    assert disk.replies[-1][0] == 4


@pytest.mark.parametrize("kind", [4, 6])
def test_trims_and_zeroings_move_no_bytes(kind: int) -> None:
    """They are requests: a guest's fstrim is not held back for as long as its disk is large."""
    disk = Clocked(limits=Limits(bytes_per_s=1000))
    disk.image.zeroings[0, SIZE] = [-1, -2, -3]
    for cookie in (1, 2, 3):
        disk.ask(kind, 0, SIZE, cookie=cookie)
    assert [cookie for cookie, _, _ in disk.replies] == [1, 2, 3]
    disk.tell(Limit({"iops": 10}))
    disk.image.zeroings[0, SIZE] = [-4, -5]
    for cookie in (4, 5):
        disk.ask(kind, 0, SIZE, cookie=cookie)
    assert disk.replies[-1][0] == 4


def test_another_chunk_size_that_finds_no_space_is_not_taken() -> None:
    """The disk goes on as it is, and says why."""
    disk = Clocked(chooser=ChunkChooser(8192, chosen=False))

    def full(image: ImageState, chunk_bytes: int) -> Table:
        raise OSError(errno.ENOSPC, "No space left on device")

    disk.reformat = full  # type: ignore[method-assign]
    for n in range(1001):
        disk.ask(0, n * 7919 % 250 * 4096, 4096, cookie=n)
    assert len(disk.replies) == 1001
    status = disk.service.status()
    assert status.chunk_bytes == 8192
    assert "No space left" in str(status.fault)
    assert disk.notes == []


def test_at_the_end_what_waits_is_not_begun() -> None:
    """Nobody was told that it was done."""
    disk = Clocked(limits=Limits(iops=1))
    for cookie in (1, 2, 3):
        disk.ask(1, 0, 10, cookie=cookie)
    assert not disk.service.idle
    disk.service.forget_held()
    assert disk.service.idle
    disk.advance(10)
    assert [cookie for cookie, _, _ in disk.replies] == [1]


def test_a_resize_answers_when_space_is_given_back() -> None:
    """With what was dropped; growing answers at once."""
    disk = Clocked(waits=True)
    for offset in range(0, SIZE, 8192):
        disk.ask(0, offset, 512)
        disk.world.settle()
    assert disk.service.status().used_bytes == 256 << 10
    answers: list[Any] = []
    disk.service.carry_out(Resize(65536), answers.append)
    disk.ask(0, SIZE - 512, 512, cookie=99)
    assert disk.replies[-1][0] == 99
    assert answers == []
    assert disk.service.status().cache_bytes == 256 << 10  # what it still takes, for whoever reads back now
    disk.world.settle()
    assert answers == [{"cache_bytes": 65536, "used_bytes": 65536, "dropped_chunks": 24}]
    assert disk.tell(Resize(1 << 30))["used_bytes"] == 65536
    disk.tell(Limit({"iops": 7.0}))
    assert disk.kept == [(65536, Limits()), (1 << 30, Limits()), (1 << 30, Limits(7.0))]

    def fail(slots: list[int]) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    disk.slots.punch = fail  # type: ignore[method-assign]
    disk.service.carry_out(Resize(0), answers.append)
    disk.world.settle()
    assert "cannot be given back" in str(answers[-1])
    assert disk.service.status().cache_bytes == 65536  # it is still taken
    assert "(Operation not supported)" in str(disk.service.status().fault)
    del disk.slots.punch  # type: ignore[method-assign]
    disk.service.carry_out(Resize(0), answers.append)
    disk.world.settle()
    assert answers[-1] == {"cache_bytes": 0, "used_bytes": 0, "dropped_chunks": 0}


def test_the_curve_tells_what_a_cache_would_miss() -> None:
    """Of the reads so far, and with `forget` of those after it."""
    disk = Clocked()
    for _ in range(3):
        for chunk in range(4):
            disk.ask(0, chunk * 8192, 512)
    said = disk.tell(Curve(forget=True))
    assert said["chunk_bytes"] == 8192
    from froude.cache.curves.curve import MissRatioCurve

    curve = MissRatioCurve.of_plain(said["curve"])
    assert curve.at(3 * 8192) == 1.0
    assert curve.at(4 * 8192) == pytest.approx(1 / 3)
    assert MissRatioCurve.of_plain(disk.tell(Curve())["curve"]).accesses == 0


def test_another_chunk_size_begins_when_nothing_is_under_way() -> None:
    """What comes meanwhile waits; counters go on; the data are the same."""
    disk = Clocked(chooser=ChunkChooser(8192, chosen=False), waits=True)
    disk.image.data[:] = bytes(range(256)) * (SIZE // 256)
    disk.image.read_now = lambda offset, length: None  # type: ignore[method-assign]
    for n in range(999):
        disk.ask(0, n * 7919 % 250 * 4096, 4096)
        disk.world.settle()
    before = disk.service.status()
    disk.replies.clear()
    disk.ask(0, 17 * 4096, 4096, cookie=1)  # the thousandth
    disk.ask(1, 256, 256, cookie=2)
    disk.ask(0, 0, 512, cookie=3)
    assert disk.replies in ([], [(1, 0, bytes(range(256)) * 16)])
    disk.world.settle()
    disk.advance(1)
    disk.world.settle()
    assert disk.replies[1:] == [(2, 0, None), (3, 0, bytes(range(256)) + b"x" * 256)]
    after = disk.service.status()
    assert (after.chunk_bytes, after.generation) == (4096, 2)
    assert disk.notes == ["chunks of 4 KiB suit the reads that came: the cache begins anew"]
    assert after.reads == before.reads + 2
    assert after.hits >= before.hits
    assert after.evictions >= before.evictions
    assert after.cache_bytes == 256 << 10
    assert replace(after, uptime_s=0).image == "vm.raw"


def served(limiter: Limiter, seconds: float, size: int) -> int:
    """Requests that go in so much time, each as soon as it may."""
    now, count = 0.0, 0
    while True:
        wait = limiter.wait_s(size, now)
        now += wait
        if now >= seconds:
            return count
        count += wait == 0


@pytest.mark.parametrize(
    ("limits", "size", "a_second"),
    [
        (Limits(iops=60), 4096, 60),
        (Limits(iops=1.5), 4096, 1.5),
        (Limits(bytes_per_s=1e6), 4096, 1e6 / 4096),
        (Limits(bytes_per_s=1e6), 1 << 20, 1e6 / (1 << 20)),  # one request is more than the bucket holds
        (Limits(iops=100, bytes_per_s=1e9), 4096, 100),
        (Limits(iops=1e6, bytes_per_s=4096 * 50), 4096, 50),
    ],
)
def test_as_much_as_the_limits_allow(limits: Limits, size: int, a_second: float) -> None:
    """Over a hundred seconds, but for what a full bucket lets through at first."""
    assert served(Limiter(limits, 0.0), 100.0, size) == pytest.approx(100 * a_second, rel=0.012, abs=2)


def test_nothing_is_limited_without_limits() -> None:
    """And it says so."""
    limiter = Limiter(Limits(), 0.0)
    assert limiter.free
    assert all(limiter.wait_s(1 << 30, 0.0) == 0 for _ in range(1000))


def test_a_pause_is_not_made_up_for() -> None:
    """At most a tenth of a second's worth goes at once."""
    limiter = Limiter(Limits(iops=100), 0.0)
    assert sum(limiter.wait_s(1, 1000.0) == 0 for _ in range(50)) == 10


@given(
    st.floats(1, 1e6),
    st.floats(1, 1e10),
    st.lists(st.tuples(st.integers(1, 32 << 20), st.floats(0, 10)), min_size=1),
)
def test_who_waits_as_long_as_told_goes(
    iops: float, bandwidth: float, requests: list[tuple[int, float]]
) -> None:
    """At the latest at the third try, for rounding; so nothing waits for ever."""
    limiter, now = Limiter(Limits(iops, bandwidth), 0.0), 0.0
    for size, pause in requests:
        now += pause
        for _ in range(3):
            wait = limiter.wait_s(size, now)
            if wait == 0:
                break
            now += wait
        assert wait == 0
