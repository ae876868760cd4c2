"""CPU time of a JVM's own threads, from Linux's files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from froude.hadoop.metrics.threads import (
    ALLOCATOR,
    COLLECTOR,
    COMPILER,
    DISPATCHER,
    HANDLERS,
    SCHEDULER,
    ThreadTimes,
)

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def thread(proc: Path, number: int, name: str, user: int, system: int = 0) -> Path:
    """What Linux shows of a thread of process 7."""
    stat = proc / "7" / "task" / str(number) / "stat"
    stat.parent.mkdir(parents=True, exist_ok=True)
    stat.write_text(f"{number} ({name}) S 1 1 1 0 -1 0 0 0 0 0 {user} {system} 0 0 20 0 66 0\n")
    return stat.parent


def test_threads_are_counted_by_purpose(tmp_path: Path) -> None:
    """Compilers, collectors, handlers and a scheduler's; a thread with a bracket in its name is none of them."""
    times = ThreadTimes(7, proc=tmp_path)
    assert times.sample() == {}
    thread(tmp_path, 8, "C2 CompilerThre", 30, 5)
    ended = thread(tmp_path, 9, "C1 CompilerThre", 10)
    thread(tmp_path, 10, "GC Thread#0", 3)
    thread(tmp_path, 11, "Socket (Reader) 1", 400)
    thread(tmp_path, 13, "IPC Server hand", 7)
    for number, name in enumerate(("SchedulerEventD", "RM Event dispat", "AsyncCapacitySc"), 20):
        thread(tmp_path, number, name, number)
    ticks = {COMPILER: 45, COLLECTOR: 3, HANDLERS: 7, SCHEDULER: 20, DISPATCHER: 21, ALLOCATOR: 22}
    assert times.sample() == pytest.approx({name: number * TICK_S for name, number in ticks.items()})
    shutil.rmtree(ended)
    thread(tmp_path, 8, "C2 CompilerThre", 32, 5)
    thread(tmp_path, 12, "C1 CompilerThre", 1)
    assert times.sample()[COMPILER] == pytest.approx(48 * TICK_S)
