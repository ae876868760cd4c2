"""Waiting for what another process or thread does."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(met: Callable[[], bool], what: str, *, limit_s: float = 60.0) -> None:
    """Wait until something is so.

    Raises:
        AssertionError: it is not in time.
    """
    end = time.monotonic() + limit_s
    while not met():
        assert time.monotonic() < end, f"{what} in {limit_s:g} s"
        time.sleep(0.01)
