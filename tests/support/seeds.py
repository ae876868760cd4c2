"""How much of what chance decides is tried: a third in `make test`, all in `make test-all`, by `FROUDE_SEEDS=3`."""

from __future__ import annotations

import os

SEEDS = int(os.environ.get("FROUDE_SEEDS", "1"))
"""Thirds of everything."""


def examples(number: int) -> int:
    """Examples or seeds of a run.

    Args:
        number: those of a long run, at least 3.
    """
    return number * SEEDS // 3
