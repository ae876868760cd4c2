"""Loops as machine code: one source that runs as plain Python for one decision, and compiled for millions.

Importing this loads numba, so a command imports what uses it inside its function. What is `shared` is called from both
worlds; what is `compiled` is an entry into the compiled one, kept on disk for the next start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])


def shared(f: F) -> F:
    """The function as it is, which compiled functions may call too.

    There it becomes part of its caller: to hand on a tuple of many arrays would take longer than most of what is done
    with them (a simulated year of repairs took twice as long).

    Args:
        f: in the part of Python that numba compiles.
    """
    marked: F = register_jitable(forceinline=True)(f)
    return marked


def compiled(f: F) -> F:
    """The function as machine code, compiled at the first call with arguments of those types.

    It may not make arrays: its caller hands over all that it writes to. So nothing counts references to them, which
    would cost many times as much as the work itself (a placed block: 3 us instead of 0.1 us).

    Args:
        f: in the part of Python that numba compiles; what it calls is `shared` or `compiled`.
    """
    machine: F = njit(cache=True, _nrt=False)(f)  # type: ignore[call-overload] # its stubs do not know `_nrt`
    return machine
