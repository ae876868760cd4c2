"""A cached disk in a made-up world: never stale, torn or wrong data, and what was promised is there after a crash.

Each seed is a life of some hundred requests with resizes, in which jobs stop and go on in any order, and the server is
killed, the machine loses its power, or somebody changes the image, at any step.
"""

from __future__ import annotations

import pytest

from testbed.disk_life import SETTINGS, live


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
