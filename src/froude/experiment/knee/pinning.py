"""Target and player on cores of their own, where this machine has enough of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

LEAST = 4
"""Processors from which target and player are pinned apart: with fewer, one of them would have a single one."""
PINNED = "pinned"
"""In an environment, which processors target and player had, each its own."""
_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


def apart(cores: Sequence[frozenset[int]]) -> tuple[frozenset[int], frozenset[int]] | None:
    """Processors of the target and of the player: half of the cores each, an odd one for the player; None of too few.

    Args:
        cores: processors of each physical core that may be used; the threads of one share its units.
    """
    half = len(cores) // 2
    if not half or sum(map(len, cores)) < LEAST:
        return None
    return frozenset().union(*cores[:half]), frozenset().union(*cores[half:])


def usable() -> list[frozenset[int]]:
    """Processors of each physical core that this process may use; each on its own where Linux does not show them."""
    allowed, found = os.sched_getaffinity(0), dict[str, set[int]]()
    for number in sorted(allowed):
        shared = str(number)
        with suppress(OSError):
            shared = Path(_SIBLINGS.format(number)).read_text().strip()
        found.setdefault(shared, set()).add(number)
    return [frozenset(each) for each in found.values()]


@contextmanager
def pinned(processors: frozenset[int] | None) -> Iterator[None]:
    """This thread, and what it starts meanwhile, on some processors; None changes nothing."""
    before = os.sched_getaffinity(0)
    if processors is not None:
        os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        if processors is not None:
            os.sched_setaffinity(0, before)


def pinning_text(processors: tuple[frozenset[int], frozenset[int]] | None) -> str:
    """Where target and player are."""
    if processors is None:
        needed = f"{LEAST} processors or more on two cores or more"
        return f"no, this needs {needed}; target and player share all of them"
    target, player = (", ".join(map(str, sorted(each))) for each in processors)
    return f"target on processors {target}; player on {player}"
