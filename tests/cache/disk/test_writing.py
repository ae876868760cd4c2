"""What writes do to image and cache."""

from __future__ import annotations

import pytest

from froude.cache.disk.seams import Data
from testbed.disk_world import SECTOR, Setting, World, stamped
from tests.support.cache.disk.reading import quiet, read


def write(world: World, offset: int, data: bytes, *, durable: bool = False) -> list[OSError | None]:
    """Write; that it is done, and how, comes in the list."""
    answers: list[OSError | None] = []
    world.store.write(offset, data, lambda _data, error: answers.append(error), durable=durable)
    return answers


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize(
    ("offset", "length"), [(4096, 4096), (4096, 8192), (512, 512), (100, 20000), (8191, 2)]
)
def test_what_is_cached_is_written_too(waits: bool, offset: int, length: int) -> None:
    """Whole blocks or not: the next read comes from the cache and is the new one; so after a kill."""
    world, image = quiet(waits=waits)
    read(world, 0, 32768)
    world.settle()
    data = bytes(range(256)) * 100
    answers = write(world, offset, data[:length])
    world.settle()
    assert answers == [None]
    assert bytes(world.image.data[offset : offset + length]) == data[:length]
    for _ in range(2):
        image.asked.clear()
        answer = read(world, 0, 32768)
        world.settle()
        assert answer == [bytes(world.image.data[:32768])]
        assert image.asked == []
        world.kill()
        world.settle()


def test_a_write_beside_the_cache_leaves_it_alone() -> None:
    """Unless writes are cached, and the chunk is written whole."""
    world, _ = quiet()
    write(world, 0, bytes(8192))
    world.settle()
    assert not world.store.state.space.chunks
    caching = World(1, Setting(chunk=8192, cache_writes=True))
    caching.settle()
    write(caching, 4096, stamped(1, 5 * 8))
    world.settle()
    caching.settle()
    assert sorted(caching.store.state.space.chunks) == [1, 2]
    tail = caching.setting.image - caching.setting.image % 8192
    write(caching, tail, stamped(1, (caching.setting.image - tail) // SECTOR))
    caching.settle()
    assert tail // 8192 in caching.store.state.space.chunks


def test_durable_ones_are_on_the_medium() -> None:
    """Others are when a flush has been answered."""
    world, _ = quiet()
    world.image.versions = [[0] for _ in range(world.sectors)]
    write(world, 0, stamped(5, 8), durable=True)
    write(world, 4096, stamped(6, 8))
    world.settle()
    assert (world.image.durable[0], world.image.durable[8]) == (1, 0)
    flushed: list[OSError | None] = []
    world.store.flush(lambda _data, error: flushed.append(error))
    world.settle()
    assert flushed == [None]
    assert world.image.durable[8] == 1


def test_zeroing_gives_up_what_is_cached() -> None:
    """Also of a chunk that is touched in part; it reads as zeros then."""
    world, image = quiet()
    read(world, 0, 32768)
    world.settle()
    image.asked.clear()
    done: list[OSError | None] = []
    world.image.zeroings[4096, 8192] = [-1]
    world.store.zero(4096, 8192, lambda _data, error: done.append(error), hole=True, durable=False)
    world.settle()
    assert done == [None]
    assert list(world.store.state.space.chunks) == [2, 3]
    answer = read(world, 0, 32768)
    world.settle()
    assert answer == [bytes(world.image.data[:32768])]
    assert bytes(world.image.data[4096:12288]) == bytes(8192)


def test_a_failed_write_is_an_error_and_not_cached() -> None:
    """Nobody knows what the image has of it: it is read from there."""
    world, image = quiet()
    read(world, 0, 8192)
    world.settle()
    world.setting.faults.image = 1.0
    (error,) = _settled(world, write(world, 0, bytes(4096)))
    world.setting.faults.image = 0.0
    assert error is not None
    image.asked.clear()
    read(world, 0, 10)
    world.settle()
    assert image.asked == [(0, 8192)]


def test_after_a_failed_flush_nothing_is_written() -> None:
    """Which writes the medium has is not known any more: every later one fails, and reads go on."""
    world, _ = quiet()
    read(world, 0, 8192)
    world.settle()
    world.setting.faults.image = 1.0
    flushed: list[OSError | None] = []
    world.store.flush(lambda _data, error: flushed.append(error))
    world.settle()
    world.setting.faults.image = 0.0
    assert flushed[0] is not None
    assert _settled(world, write(world, 0, bytes(4096)))[0] is not None
    world.store.flush(lambda _data, error: flushed.append(error))
    assert flushed[1] is not None
    done: list[Data | OSError | None] = []
    world.store.zero(0, 10, lambda _data, error: done.append(error), hole=True, durable=False)
    assert done[0] is not None
    answer = read(world, 0, 10)
    world.settle()
    assert answer == [bytes(world.image.data[:10])]
    assert not world.store.state.space.chunks


def _settled(world: World, answers: list[OSError | None]) -> list[OSError | None]:
    world.settle()
    return answers
