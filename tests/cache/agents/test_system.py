"""Counters of a machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.cache.agents import system
from froude.cache.monitor.messages import ProcessSample


def _proc(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


_PRESSURE = "some avg10=0.00 avg60=0.00 total=2500000\nfull avg10=0.00 avg60=0.00 total=1\n"


def test_this_machine() -> None:
    """Processor time goes on; counters are there."""
    before = system.processor_s()
    sum(range(10**6))
    assert system.processor_s() >= before
    assert system.disks().reads >= 0
    assert system.boot()
    assert not any(address.startswith("127.") for address in system.addresses())


def test_the_best_that_the_kernel_tells(tmp_path: Path) -> None:
    """Delays where they are counted, else the machine's pressure, else busy disks; and which of them it was."""
    processes = [ProcessSample(role="DataNode", pid=1, io_s=1.5), ProcessSample(role="Task", pid=2, io_s=0.5)]
    counting = _proc(tmp_path / "a", sys__kernel__task_delayacct="1\n", pressure__io=_PRESSURE)
    assert system.waited(processes, 9.0, proc=counting) == (2.0, "delays")
    assert system.waited([], 9.0, proc=counting) == (2.5, "pressure")
    assert system.waited(processes, 9.0, proc=_proc(tmp_path / "b", pressure__io=_PRESSURE)) == (
        2.5,
        "pressure",
    )
    assert system.waited(processes, 9.0, proc=tmp_path / "none") == (9.0, "disks")


def test_delays_of_a_process(tmp_path: Path) -> None:
    """The 42nd field of each thread, in hundredths of a second; a name may hold anything."""
    fields = ["S", *map(str, range(4, 42)), "250", "7"]
    stat = f"1 (a) b) {' '.join(fields)}"
    folder = _proc(tmp_path, task__1__stat=stat, task__2__stat=stat)
    assert system._delay_s(folder) == pytest.approx(5.0)


def test_processes_without_a_role() -> None:
    """This one has none."""
    assert all(each.role for each in system.processes())
