"""A dask scheduler and workers as a user starts them, each a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil

_DASK = Path(sys.executable).with_name("dask")


@contextmanager
def dask_workers(
    folder: Path, count: int, prefixes: Sequence[Sequence[str]] = ((),), host: str = "127.0.0.1"
) -> Iterator[tuple[str, list[psutil.Process]]]:
    """A scheduler's address, and its workers.

    Args:
        folder: where they keep their files.
        prefixes: words before the command of each worker in turn, such as `ip netns exec NAME`.
        host: address of the scheduler.
    """
    file = folder / "scheduler.json"
    words = ["--host", host, "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    with ExitStack() as stack:
        stack.enter_context(_running([str(_DASK), "scheduler", *words]))
        address = _address(file)
        workers = []
        for number in range(count):
            command = [str(_DASK), "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
            place = ["--local-directory", str(folder / f"worker-{number}")]
            prefix = prefixes[number % len(prefixes)]
            child = stack.enter_context(_running([*prefix, *command, *place]))
            workers.append(psutil.Process(child.pid))
        _wait(address, count)
        yield address, workers


@contextmanager
def _running(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        try:
            yield child
        finally:
            child.kill()


def _address(file: Path) -> str:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()):
            return str(json.loads(text)["address"])
        time.sleep(0.05)
    raise AssertionError("no scheduler came up")


def _wait(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=30)
