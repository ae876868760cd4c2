"""Parallel work has one home: `map` for many short tasks, `gang` for a few long-lived workers.

Both run inline unless told otherwise, so that a debugger, a profiler and a traceback see one process. Results
come back in the order of the items, whatever finished first.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from subprocess import Popen
from typing import Any, Self, TypeVar

from froude.base.errors import InputError, MissingError
from froude.base.input_limits import InputLimits, input_limits, within_limits

Item = TypeVar("Item")
Result = TypeVar("Result")

Workers = int | str
"""1 is inline, N is local processes, `tcp://host:port` is a dask.distributed scheduler."""


def parse_workers(text: str) -> Workers:
    """Read the `--workers` flag.

    Raises:
        InputError: neither a positive number nor a scheduler's address.
    """
    if text.startswith(("tcp://", "tls://")):
        return text
    if text.isascii() and text.isdecimal() and int(text) >= 1:
        return int(text)
    raise InputError(
        "not a number of workers", place="--workers", found=text, allowed="1, 2, … or tcp://HOST:PORT"
    )


def map(  # noqa: A001 - as the builtin, with workers
    f: Callable[[Item], Result], items: Iterable[Item], workers: Workers = 1
) -> list[Result]:
    """Apply `f` to every item.

    Args:
        f: a function that pickles, when workers is not 1.
        items: what it is applied to.
        workers: see `Workers`.

    Returns:
        The results in the order of the items.

    Raises:
        MissingError: a scheduler is named and `distributed` is not installed.
    """
    todo = list(items)
    limited = partial(_limited, f, input_limits())
    if isinstance(workers, str):
        return _on_scheduler(limited, todo, workers)
    if workers == 1 or len(todo) <= 1:
        return [f(item) for item in todo]
    with _pool(min(workers, len(todo))) as pool:
        return list(pool.map(limited, todo))


def gang(f: Callable[[int], Result], size: int) -> list[Result]:
    """Run `f(0) … f(size - 1)` at the same time, each in a process of its own; inline when `size` is 1.

    A gang's members talk to each other, so all must be alive at once: none is queued behind another.

    Args:
        f: takes the member's number, 0 to `size - 1`; must pickle, unless all runs inline.

    Returns:
        The members' results, by number.
    """
    if size == 1:
        return [f(0)]
    limited = partial(_limited, f, input_limits())
    with _pool(size) as pool:
        futures = [pool.submit(limited, member) for member in range(size)]
        return [future.result() for future in futures]


class Children:
    """Child processes that a block starts: it waits for them when it ends well, and ends them when it does not."""

    def __init__(self) -> None:
        self._running: list[Popen[Any]] = []

    def spawn(self, command: Sequence[str], **options: Any) -> Popen[Any]:
        """Start a program.

        Args:
            options: as for `subprocess.Popen`.

        Raises:
            MissingError: there is no such program, or it cannot be started.
        """
        try:
            child = Popen(list(command), **options)
        except OSError as error:
            raise MissingError(f"cannot be started ({error.strerror})", file=command[0]) from error
        self._running.append(child)
        return child

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for child in self._running:
            if kind is not None and child.poll() is None:
                child.kill()
            child.wait()


def _limited(f: Callable[[Item], Result], limits: InputLimits, item: Item) -> Result:
    """Apply a function in another process, within the limits of this one."""
    with within_limits(limits):
        return f(item)


@contextmanager
def _pool(size: int) -> Iterator[ProcessPoolExecutor]:
    try:
        # spawn: a forked child of a process with threads (asyncio) can hang on a lock that no one holds.
        with ProcessPoolExecutor(size, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool
    except BrokenProcessPool as error:
        remedy = "Where memory ran out, which the system's log shows, use fewer --workers"
        raise MissingError("a worker process was ended from outside", remedy=remedy) from error


def _on_scheduler(f: Callable[[Item], Result], items: Sequence[Item], address: str) -> list[Result]:
    try:
        from distributed import Client
    except ImportError as error:
        remedy = "pip install 'froude[distributed]'"
        raise MissingError(
            "--workers names a scheduler, and dask.distributed is not installed", remedy=remedy
        ) from error
    try:
        with Client(address, timeout="4s", set_as_default=False) as client:  # type: ignore[no-untyped-call]
            results: list[Result] = client.gather(client.map(f, items, pure=False))
            return results
    except OSError as error:
        raise MissingError("no scheduler answers", file=address) from error
