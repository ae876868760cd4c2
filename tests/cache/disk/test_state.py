"""What reading and writing share."""

from __future__ import annotations

from tests.support.cache.disk.reading import quiet, read


def test_when_something_may_be_kept() -> None:
    """With room, no failure of late, and nobody writing there."""
    world, _ = quiet()
    state = world.store.state
    assert state.cacheable(0, 3)
    world.store.write(9000, b"x", lambda _data, _error: None, durable=False)
    assert not state.cacheable(0, 1)
    assert state.cacheable(0, 0)
    world.settle()
    state.cache_failed(OSError(28, "No space left on device"))
    assert not state.open
    assert state.fault == "the cache file cannot be written (No space left on device)"
    world.image.now_ns += 11_000_000_000
    assert state.open
    state.space.capacity = 0
    assert not state.open


def test_checksums_over_several_slots() -> None:
    """From the middle of one to the middle of another, as they are of what the slots hold."""
    world, _ = quiet(waits=False)
    read(world, 0, 4 * 8192)
    world.settle()
    for within, length in ((0, 4096), (4096, 4096), (4096, 8192), (0, 32768), (4096, 20480)):
        found, sums = world.store.state.found(0, within, length)
        assert bytes(found) == bytes(world.image.data[within : within + length])
        assert sums == world.store.state.sums(0, within, length)


def test_a_file_that_ends_gives_what_it_has() -> None:
    """And one that cannot be read gives nothing."""
    world, _ = quiet(waits=False)
    read(world, 0, 8192)
    world.settle()
    del world.slots.data[6000:]
    data, sums = world.store.state.found(0, 0, 8192)
    assert (len(data), len(sums)) == (6000, 8)
    world.setting.faults.ssd = 1.0
    assert world.store.state.found(0, 0, 8192) == (b"", b"")
