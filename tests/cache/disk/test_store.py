"""A cached disk in a made-up world: never stale, torn or wrong data, and what was promised is there after a crash.

Each seed is a life of some hundred requests with resizes, in which jobs stop and go on in any order, and the server is
killed, the machine loses its power, or somebody changes the image, at any step.
"""

from __future__ import annotations

import pytest

from tests.cache.disk.world import Faults, Setting, World

SETTINGS = {
    "inline": Setting(waits=False),
    "waiting": Setting(),
    "one block a chunk": Setting(chunk=4096),
    "writes cached": Setting(cache_writes=True),
    "writes cached inline": Setting(waits=False, cache_writes=True),
    "large chunks": Setting(chunk=32768, cache_writes=True),
    "bad SSD": Setting(faults=Faults(ssd=0.02, flips=0.05)),
    "bad SSD, inline": Setting(waits=False, faults=Faults(ssd=0.02, flips=0.05), cache_writes=True),
    "bad image": Setting(faults=Faults(image=0.01)),
    "lost writes": Setting(faults=Faults(lost=0.01)),
    "lost writes, inline": Setting(waits=False, faults=Faults(lost=0.01)),
    "all bad": Setting(faults=Faults(image=0.005, lost=0.005, ssd=0.01, flips=0.02), cache_writes=True),
}


def live(seed: int, setting: Setting, events: int = 1500) -> World:
    """A life; it ends with a look at every sector."""
    world = World(seed, setting)
    chance = world.chance
    acts = [world.submit, world.kill, world.lose_power, world.change_image, world.stop, world.settle]
    for _ in range(events):
        world.image.now_ns += chance.randrange(3_000_000)
        if len(world.sent) < 16 and chance.random() < 0.2:
            chance.choices(acts, [300, 4, 1, 1, 2, 3])[0]()
        else:
            world.scheduler.step()
    world.settle()
    world.read_all()
    world.kill()
    world.read_all()
    return world


@pytest.mark.parametrize("name", SETTINGS)
def test_what_is_read_is_what_was_written(name: str) -> None:
    """In the order of the image, and never back to an older one; after a crash, what was promised."""
    restored = hits = 0
    for seed in range(12):
        world = live(seed, SETTINGS[name])
        restored += world.restored
        hits += world.hits
    assert restored > 20  # a cache that is never believed would pass all else
    assert hits > 100


def test_no_read_goes_back_behind_another_one() -> None:
    """A chunk that one write hides holds old data of another write, whose new data were read from the image meanwhile.

    A life in which that happens; each seed replays exactly.
    """
    live(1025, SETTINGS["waiting"])


def test_what_a_read_has_overtaken_is_not_shown_again() -> None:
    """A chunk is hidden by one write; a read gets newer data from the image, so that what the chunk holds is too old."""
    live(36, SETTINGS["large chunks"])


@pytest.mark.parametrize(("seed", "name"), [(130, "lost writes"), (104, "lost writes, inline")])
def test_no_flush_is_believed_whose_error_another_call_got(seed: int, name: str) -> None:
    """A flush and a durable write are under way together; the write is told of what was lost, the flush is not."""
    live(seed, SETTINGS[name])
