"""The chunk size that suits the reads."""

from __future__ import annotations

import random

import pytest

from froude.cache.disk.chunks import FIRST, ChunkChooser


def choice(chooser: ChunkChooser, reads: list[tuple[int, int]]) -> list[int]:
    """Sizes that it asks for."""
    return [size for read in reads if (size := chooser.saw(*read)) is not None]


def scattered(size: int, count: int, seed: int = 1) -> list[tuple[int, int]]:
    """Reads of one size at places that do not follow one another."""
    chance = random.Random(seed)
    return [(chance.randrange(1 << 20) * (1 << 20), size) for _ in range(count)]


@pytest.mark.parametrize(
    ("size", "chunk"),
    [(512, 4096), (4096, 4096), (8192, 8192), (12288, 8192), (131072, 131072), (1 << 20, 262144)],
)
def test_scattered_reads(size: int, chunk: int) -> None:
    """As large as they are, as far as chunks go; once."""
    assert choice(ChunkChooser(65536, chosen=False), scattered(size, 3000)) == [chunk]


def test_what_suits_stays() -> None:
    """No cache is given up for nothing."""
    assert choice(ChunkChooser(FIRST, chosen=False), scattered(FIRST, 50_000)) == []


def test_reads_that_follow_one_another_are_one() -> None:
    """Four streams of small reads side by side are four large ones."""
    places = [stream << 30 for stream in range(4)]
    reads = []
    for step in range(200_000):
        stream = step % 4
        if step // 4 % 256 == 0:
            places[stream] += 1 << 24  # elsewhere
        reads.append((places[stream], 4096))
        places[stream] += 4096
    assert choice(ChunkChooser(FIRST, chosen=False), reads) == [262144]


def test_a_change_of_habits_is_followed() -> None:
    """After many more reads, and for a fourfold difference only: what is cached goes for it."""
    chooser = ChunkChooser(FIRST, chosen=False)
    assert choice(chooser, scattered(4096, 1000)) == [4096]
    assert choice(chooser, scattered(8192, 30_000)) == []
    assert choice(chooser, scattered(65536, 30_000, seed=2)) == [65536]


def test_a_choice_of_before_is_kept_for_long() -> None:
    """The first reads after a restart are those of a booting guest."""
    chooser = ChunkChooser(65536, chosen=True)
    assert choice(chooser, scattered(4096, 9_999)) == []
    assert choice(chooser, scattered(4096, 1, seed=3)) == [4096]
