"""Parallel work has one home: `map` for many short tasks, `gang` for a few long-lived workers.

Both run inline unless told otherwise, so that a debugger, a profiler and a traceback see one process. Results
come back in the order of the items, whatever finished first.
"""

from __future__ import annotations

import multiprocessing
import signal
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
    f: Callable[[Item], Result],
    items: Iterable[Item],
    workers: Workers = 1,
    done: Callable[[Result], object] | None = None,
) -> list[Result]:
    """Apply `f` to every item.

    Args:
        f: a function that pickles, when workers is not 1.
        workers: see `Workers`.
        done: called in this process with each result as soon as it is there, in the order of the items unless a
            scheduler has them; see `froude.base.progress.counting`.

    Returns:
        The results in the order of the items.

    Raises:
        MissingError: a scheduler is named and `distributed` is not installed.
    """
    todo = list(items)
    limited = partial(_limited, f, input_limits())
    done = done or _nothing
    if isinstance(workers, str):
        return _on_scheduler(limited, todo, workers, done)
    if workers == 1 or len(todo) <= 1:
        return _collected((f(item) for item in todo), done)
    # A worker that Ctrl-C reaches, as it does on a terminal, ends at once and without a traceback of its own.
    with _pool(min(workers, len(todo)), signal.signal, (signal.SIGINT, signal.SIG_DFL)) as pool:
        return _collected(pool.map(limited, todo), done)


def _nothing(_: object) -> None:
    """Where no one asks for results before all are there."""


def _collected(results: Iterable[Result], done: Callable[[Result], object]) -> list[Result]:
    collected = []
    for result in results:
        collected.append(result)
        done(result)
    return collected


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
def _pool(
    size: int, begin: Callable[..., object] | None = None, arguments: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """Worker processes, each of which first calls `begin` with the arguments."""
    # spawn: a forked child of a process with threads (asyncio) can hang on a lock that no one holds.
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(size, context, begin, arguments) as pool:
            yield pool
    except BrokenProcessPool as error:
        remedy = "Where memory ran out, which the system's log shows, use fewer --workers"
        raise MissingError("a worker process was ended from outside", remedy=remedy) from error


@contextmanager
def scheduler_at(address: str) -> Iterator[Any]:
    """A client of a dask.distributed scheduler.

    Raises:
        MissingError: `distributed` is not installed.
        InputError: no scheduler answers there within 5 s.
    """
    try:
        from distributed import Client
    except ImportError as error:
        remedy = "pip install 'froude[distributed]'"
        raise MissingError(
            "--workers names a scheduler, and dask.distributed is not installed", remedy=remedy
        ) from error
    try:
        client = Client(address, timeout="5s", set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError):  # a wrong port is a ValueError
        raise InputError("no scheduler answers", place="--workers", found=address) from None
    with client:
        yield client


def _on_scheduler(
    f: Callable[[Item], Result], items: Sequence[Item], address: str, done: Callable[[Result], object]
) -> list[Result]:
    with scheduler_at(address) as client:
        from distributed import as_completed

        futures = client.map(f, items, pure=False)
        for future in as_completed(futures):  # type: ignore[no-untyped-call]
            done(future.result())
        results: list[Result] = client.gather(futures)
        return results
