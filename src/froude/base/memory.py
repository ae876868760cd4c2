"""Memory of work that builds much and throws little away."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collected_later() -> Iterator[None]:
    """Look for circles of objects that nobody uses only after the block.

    Python looks each time that so many objects were made, through all there are: with millions that live to the end
    that is a third of the time, and finds nothing.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
