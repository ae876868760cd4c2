"""What some threads of a daemon use of its CPU time: the JVM's compilers and garbage collector, and the RPC handlers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

COMPILER, COLLECTOR = "process.compiler_seconds", "process.collector_seconds"
"""CPU time that the JIT compiler's and the garbage collector's threads used so far, seconds."""
HANDLERS = "process.handler_seconds"
"""The same of the threads that process calls."""
SCHEDULER, DISPATCHER = "process.scheduler_seconds", "process.dispatcher_seconds"
"""The same of two threads of a ResourceManager that are one each: for the scheduler's events, and for all others."""
ALLOCATOR = "process.allocator_seconds"
"""The same of the one that places containers where its scheduler does so between heartbeats, node after node."""
_NAMES = {
    COMPILER: ("C1 Compiler", "C2 Compiler"),
    # The serial collector has no thread of its own; the VM thread does its work.
    COLLECTOR: (
        "GC Thread",
        "G1 ",
        "ParGC",
        "GC task",
        "Concurrent Mark",
        "ZWorker",
        "ZDriver",
        "Shenandoah",
        "VM Thread",
    ),
    HANDLERS: ("IPC Server hand",),
    SCHEDULER: ("SchedulerEventD",),
    DISPATCHER: ("RM Event dispat",),
    ALLOCATOR: ("AsyncCapacitySc",),
}
"""How the names of their threads begin, in HotSpot of Java 8 to 25; Linux keeps the first 15 characters."""
_USER, _SYSTEM = 11, 12
"""Places of a thread's CPU times after its name. Source: proc_pid_stat(5)."""


class ThreadTimes:
    """CPU time of a JVM's threads by purpose; what a thread used that has ended since stays counted."""

    def __init__(self, pid: int, *, proc: Path = Path("/proc")) -> None:
        """Nothing is counted yet."""
        self._tasks = proc / str(pid) / "task"
        self._seen: dict[tuple[str, str], float] = {}
        self._totals = dict.fromkeys(_NAMES, 0.0)

    def sample(self) -> dict[str, float]:
        """CPU time by purpose, such as `COMPILER`, so far; empty where Linux shows no threads."""
        seen = {(thread, name): seconds for thread, name, seconds in _times(self._tasks)}
        if not seen:
            return {}
        for total, names in _NAMES.items():
            used = (now - self._seen.get(key, 0.0) for key, now in seen.items() if key[1].startswith(names))
            self._totals[total] += sum(max(0.0, each) for each in used)
        self._seen = seen
        return dict(self._totals)


def _times(tasks: Path) -> Iterator[tuple[str, str, float]]:
    """Id, name and CPU seconds of each thread."""
    for stat in tasks.glob("*/stat"):
        with suppress(OSError):  # it ended meanwhile
            head, _, tail = stat.read_text(errors="replace").rpartition(")")
            fields = tail.split()
            ticks = int(fields[_USER]) + int(fields[_SYSTEM])
            yield stat.parent.name, head.partition("(")[2], ticks / os.sysconf("SC_CLK_TCK")
