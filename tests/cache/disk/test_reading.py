"""Where reads are served from, and what they leave in the cache."""

from __future__ import annotations

import errno

from tests.support.cache.disk.reading import quiet, read


def test_a_miss_fills_whole_chunks_and_hits_follow() -> None:
    """Chunks that are missing side by side are read at once; the second time nothing is."""
    for waits in (True, False):
        world, image = quiet(waits=waits)
        for _ in range(2):
            answer = read(world, 8000, 17000)
            world.settle()
            assert answer == [bytes(world.image.data[8000:25000])]
        assert image.asked == [(0, 32768)]
        assert (world.store.state.counters.misses, world.store.state.counters.hits) == (4, 4)


def test_readers_share_a_fill() -> None:
    """One read of the image for three who want the same."""
    world, image = quiet()
    answers = [read(world, 100, 50), read(world, 0, 8192), read(world, 4096, 8192)]
    world.settle()
    assert [each[0] for each in answers] == [
        bytes(world.image.data[a:b]) for a, b in ((100, 150), (0, 8192), (4096, 12288))
    ]
    assert image.asked == [(0, 8192), (8192, 8192)]


def test_the_end_of_the_disk() -> None:
    """The last chunk is cut short, and the last block too."""
    world, image = quiet()
    size = world.setting.image
    for _ in range(2):
        answer = read(world, size - 600, 600)
        world.settle()
        assert answer == [bytes(world.image.data[-600:])]
    assert image.asked == [(size - size % 8192, size % 8192)]


def test_a_cache_of_nothing_reads_just_what_is_asked() -> None:
    """And a read larger than the cache leaves its end there."""
    world, image = quiet()
    world.store.resize(0, lambda _data, _error: None)
    read(world, 100, 50)
    world.store.resize(2 * 8192, lambda _data, _error: None)
    read(world, 0, 5 * 8192)
    world.settle()
    assert image.asked == [(100, 50), (0, 40960)]
    assert list(world.store.state.space.chunks) == [3, 4]


def test_damage_is_found_and_read_around() -> None:
    """A flipped bit, and a file cut short: the chunk is given up, and counted."""
    for waits in (True, False):
        for damage in ("flip", "cut"):
            world, image = quiet(waits=waits)
            read(world, 0, 16384)
            world.settle()
            if damage == "flip":
                world.slots.data[5000] ^= 1
            else:
                del world.slots.data[9000:]
            answer = read(world, 0, 16384)
            world.settle()
            assert answer == [bytes(world.image.data[:16384])]
            assert world.store.state.counters.damaged == 1
            again = (0, 8192) if damage == "flip" else (8192, 8192)
            assert image.asked == [(0, 16384), again]


def test_an_image_that_cannot_be_read_is_an_error() -> None:
    """For all who waited, and nothing is kept of it."""
    world, _ = quiet()
    world.setting.faults.image = 1.0
    world.image.read = lambda offset, length: world.image._step() or b""  # type: ignore[func-returns-value,method-assign]
    answers = [read(world, 0, 100), read(world, 8000, 400)]
    world.settle()
    for (answer,) in answers:
        assert isinstance(answer, OSError)
        assert answer.errno == errno.EIO
    assert not world.store.state.space.chunks
    world.setting.faults.image = 0.0


def test_a_full_ssd_is_served_without() -> None:
    """It is said, nothing is tried for a while, and then again."""
    world, image = quiet()
    world.setting.faults.ssd = 1.0
    assert read(world, 0, 10) == []
    world.settle()
    assert "cannot be written" in str(world.store.state.fault)
    world.setting.faults.ssd = 0.0
    read(world, 0, 10)
    world.settle()
    assert image.asked == [(0, 8192), (0, 10)]
    world.image.now_ns += 11_000_000_000
    read(world, 0, 10)
    world.settle()
    assert world.store.state.fault is None
    assert list(world.store.state.space.chunks) == [0]
