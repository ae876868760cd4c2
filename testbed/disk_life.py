"""A cached disk's life in a made-up world: random requests, kills, power failures and changed images."""

from __future__ import annotations

from testbed.disk_world import Faults, Setting, World

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
