"""Loops as machine code: one source that runs as plain Python for one decision, and compiled for millions.

Importing this loads numba, so a command imports what uses it inside its function. What is `shared` is called from both
worlds; what is `compiled` is an entry into the compiled one, kept on disk for the next start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, TypeVar

from numba import njit
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])
_SHARED: dict[CodeType, str] = {}
"""Code of shared functions, with its file."""


def shared(f: F) -> F:
    """The function as it is, which compiled functions may call too.

    There it becomes part of its caller: to hand on a tuple of many arrays would take longer than most of what is done
    with them (a simulated year of repairs took twice as long).

    Args:
        f: in the part of Python that numba compiles.
    """
    _SHARED[f.__code__] = f.__code__.co_filename
    marked: F = register_jitable(forceinline=True)(f)
    return marked


def compiled(f: F) -> F:
    """The function as machine code, compiled at the first call with arguments of those types.

    It may not make arrays: its caller hands over all that it writes to. So nothing counts references to them, which
    would cost many times as much as the work itself (a placed block: 3 us instead of 0.1 us). Other threads, such as the
    one that shows progress, run meanwhile.

    Args:
        f: in the part of Python that numba compiles; what it calls is `shared` or `compiled`.
    """
    machine: Any = njit(cache=True, nogil=True, _nrt=False)(f)  # type: ignore[call-overload] # its stubs do not know `_nrt`
    # numba compiles again when the file of `f` has changed. The code of shared functions is part of the machine code, so
    # their files count too: with an old one, results would be wrong.
    index = machine._cache._cache_file
    files = sorted(set(shared_files(f)))
    index._source_stamp = index._source_stamp, *((file, Path(file).stat().st_mtime_ns) for file in files)
    try:
        index._load_index()
    except (ImportError, AttributeError):  # it was written when a type had another place or name
        index.flush()
    return machine  # type: ignore[no-any-return]


def shared_files(f: Callable[..., Any]) -> Iterator[str]:
    """The files of all shared functions that a function calls, directly or through others.

    Args:
        f: a Python function; what it calls is found by the names in its code, in modules that it uses too.
    """
    todo, done = [f], set[CodeType]()
    while todo:
        function = todo.pop()
        names, code = function.__globals__, function.__code__
        done.add(code)
        modules = [names[name].__dict__ for name in code.co_names if isinstance(names.get(name), ModuleType)]
        for space in (names, *modules):
            called = [space[name] for name in code.co_names if name in space]
            for each in called:
                own = getattr(each, "__code__", None)
                if own in _SHARED and own not in done:
                    todo.append(each)
                    yield _SHARED[own]
