"""Counters of where reads of a cached disk are served from."""

from __future__ import annotations

from froude.cache.disk.seams import Data
from testbed.disk_world import SECTOR, ForgetfulImage, Setting, World, stamped


class Counting:
    """What the image is asked for."""

    def __init__(self, image: ForgetfulImage) -> None:
        self.asked: list[tuple[int, int]] = []
        self._read = image.read
        image.read = self._counted  # type: ignore[method-assign]
        image.read_now = lambda offset, length: None  # type: ignore[method-assign]

    def _counted(self, offset: int, length: int) -> Data:
        self.asked.append((offset, length))
        return self._read(offset, length)


def quiet(*, waits: bool = True) -> tuple[World, Counting]:
    """A world in which nothing fails, with numbers in its sectors."""
    world = World(1, Setting(chunk=8192, waits=waits))
    world.settle()
    for sector in range(world.sectors):
        world.image.data[sector * SECTOR : (sector + 1) * SECTOR] = stamped(sector + 1, 1)
    return world, Counting(world.image)


def read(world: World, offset: int, length: int) -> list[bytes | OSError]:
    """Ask for a range; the answer comes in the list."""
    answers: list[bytes | OSError] = []

    def done(data: Data | None, error: OSError | None) -> None:
        answers.append(error if error is not None else bytes(data or b""))

    world.store.read(offset, length, done)
    return answers
