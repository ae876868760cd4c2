"""Four VMs' series of jobs by fio on four real cached disks over one slow disk, whose SSD a controller splits.

One run under one policy: four `froude cache disk` with direct I/O, in a control group that lets them have so many
requests a second of one loop device; a `froude cache agent`; and the controller's loop, in this process, so that each
VM's processor time can be told as its own agent would. Without a cache, and with one that all share, nobody controls.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from tests.integration.cache_processes import SECRET, Processes, processes, status_of
from tests.integration.slow_disk import SlowDisk, filled, slow_disk

from froude.base.clock import RealClock
from froude.base.errors import FroudeError
from froude.cache.agents.client import AgentClient
from froude.cache.control.deciding import Assumed, Solver
from froude.cache.control.journal import FileJournal
from froude.cache.control.loop import Loop, RestAgents
from froude.cache.control.rounds import Controller
from froude.cache.control.types import Outcome
from froude.cache.monitor.messages import JobSample, ProcessSample, VmReport
from froude.cache.monitor.view import Monitor
from froude.cache.solve.policies import policy

_MIB = 1 << 20
_BLOCK = 16 * 1024
IOPS = 150
"""Of the slow disk: a hard disk's, and so few that its time is what counts, not this machine's."""
SPACE = 20 * _MIB
IMAGE = 64 * _MIB
INTERVAL_S = 2.0
POLICIES = ("none", "shared", "equal", "ac-ssd-ga", "ac-ssd", "exact", "deadline")
_STATIC = frozenset({"none", "shared", "equal"})


@dataclass(frozen=True)
class Pattern:
    """What a job reads."""

    words: tuple[str, ...]
    """Of fio."""
    reads: int


HOT = Pattern(("--rw=randread", "--size=6M", "--iodepth=1"), 1000)
"""A working set that fits."""
WIDE = Pattern(("--rw=randread", "--size=12M", "--iodepth=1"), 800)
"""One that fits if others give way."""
SKEWED = Pattern(("--rw=randread", "--random_distribution=zipf:1.1", "--size=32M", "--iodepth=1"), 700)
SCAN = Pattern(("--rw=read", "--size=64M", "--iodepth=4"), 400)
"""Reads ahead, and nothing comes again in time for any cache."""
SERIES: Mapping[str, tuple[Pattern, ...]] = {
    "vm1": (HOT,) * 5 + (SCAN,) * 4,
    "vm2": (SCAN,) * 4 + (HOT,) * 5,
    "vm3": (SKEWED,) * 7,
    "vm4": (WIDE,) * 6,
}
"""Jobs of each VM, one after the other; half way hot sets move."""


@dataclass
class Series:
    """The jobs of one VM, run by a thread; and what its own agent would tell of them."""

    name: str
    uri: str
    offset: int
    patterns: Sequence[Pattern]
    times: list[float] = field(default_factory=list)
    """Of each job that has ended, seconds."""
    failed: str = ""
    _begun: float = field(default_factory=time.monotonic)
    _job_begun: float = 0.0
    _cpu_ended: float = 0.0
    _child: psutil.Process | None = None

    def run(self) -> None:
        """All of them."""
        for number, pattern in enumerate(self.patterns):
            self._job_begun = time.monotonic()
            words = [
                "fio", f"--name={self.name}-{number}", "--thread", "--ioengine=nbd", f"--uri={self.uri}",
                f"--bs={_BLOCK}", f"--offset={self.offset}", f"--io_size={pattern.reads * _BLOCK}", "--norandommap",
                f"--randseed={number + 1}", "--output-format=json", *pattern.words,
            ]  # fmt: skip
            child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self._child = psutil.Process(child.pid)
            out, err = child.communicate()
            self._child = None
            if child.returncode:
                self.failed = err
                return
            self._cpu_ended += _cpu_told(out)
            self.times.append(time.monotonic() - self._job_begun)

    def report(self) -> VmReport:
        """What an agent on the VM would say: processor time of its jobs, and which of them run."""
        now, number = time.monotonic(), len(self.times)
        jobs = [JobSample(id=f"job{at}", running=False, elapsed_s=took) for at, took in enumerate(self.times)]
        if number < len(self.patterns):
            jobs.append(JobSample(id=f"job{number}", running=True, elapsed_s=now - self._job_begun))
        return VmReport(
            name=self.name,
            instance="1",
            uptime_s=now - self._begun,
            cores=2,
            cpu_s=self._cpu_ended + _cpu_of(self._child),
            processes=(ProcessSample(role="Task", pid=1),),
            jobs=tuple(jobs[-20:]),
        )


def _cpu_of(process: psutil.Process | None) -> float:
    try:
        times = process.cpu_times() if process is not None else None
    except psutil.Error:
        times = None
    return 0.0 if times is None else float(times.user + times.system)


def _cpu_told(out: str) -> float:
    """Processor time that fio says it has used."""
    (job,) = json.loads(out[out.index("{") :])["jobs"]
    return float((job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000)


@dataclass
class _Agents(RestAgents):
    """The hypervisor's real agent, and VMs that tell of their series."""

    series: Mapping[str, Series] = field(default_factory=dict)

    def guests(self) -> Mapping[str, VmReport | FroudeError]:
        """As their agents would."""
        return {name: each.report() for name, each in self.series.items()}


@dataclass(frozen=True)
class Ran:
    """One run under one policy."""

    policy: str
    seconds: float
    """Until the last job has ended."""
    times: Mapping[str, tuple[float, ...]]
    """Of each job, by VM."""
    misses: int
    reads: int
    changes: int
    """Rounds that changed anything."""

    @property
    def all_times(self) -> list[float]:
        """Of all jobs."""
        return [seconds for times in self.times.values() for seconds in times]

    @property
    def mean_s(self) -> float:
        """Mean time of a job."""
        return statistics.fmean(self.all_times)

    @property
    def tail_s(self) -> float:
        """What nine jobs in ten end within."""
        return statistics.quantiles(self.all_times, n=10)[-1]


def measure(
    name: str, disk: SlowDisk, folder: Path, series: Mapping[str, tuple[Pattern, ...]] = SERIES
) -> Ran:
    """Run all series once.

    Args:
        name: of the policy.
        disk: that all images lie on.
        folder: for caches and sockets; they are there anew each time.
        series: jobs by VM.
    """
    with processes(folder) as started, ExitStack() as stack:
        space = 0 if name == "none" else SPACE
        if name == "shared":
            controls = {"all": _disk(started, "all", disk, space)}
            uris = dict.fromkeys(series, f"nbd+unix:///?socket={folder}/all.sock")
        else:
            controls = {vm: _disk(started, vm, disk, space // len(series)) for vm in series}
            uris = {vm: f"nbd+unix:///?socket={folder}/{vm}.sock" for vm in series}
        running = {
            vm: Series(vm, uris[vm], number * IMAGE if name == "shared" else 0, series[vm])
            for number, vm in enumerate(series)
        }
        rounds = _controlled(name, started, controls, running, stack)
        begun = time.monotonic()
        _all(each.run for each in running.values())
        seconds = time.monotonic() - begun
        stack.close()
        statuses = [status_of(control) for control in controls.values()]
    failed = [each.failed for each in running.values() if each.failed]
    if failed:
        raise RuntimeError(failed[0])
    return Ran(
        name,
        seconds,
        {vm: tuple(each.times) for vm, each in running.items()},
        sum(each.misses for each in statuses),
        sum(each.hits + each.misses for each in statuses),
        rounds(),
    )


def _controlled(
    name: str,
    started: Processes,
    controls: Mapping[str, Path],
    running: Mapping[str, Series],
    stack: ExitStack,
) -> Callable[[], int]:
    """Start agent and loop, where there is something to control; gives how many rounds changed anything."""
    if name in _STATIC:
        return lambda: 0
    address = started.agent("h1", controls, space=SPACE, curve_every="0.5 s", curve_window="20 s")
    agents = _Agents({"h1": AgentClient(address, SECRET)}, series=running)
    journal = stack.enter_context(FileJournal(started.folder / "state"))
    solver = Solver(
        policy=policy(name),
        assumed=Assumed(miss_s=1 / IOPS * 4, hit_s=2e-4, granule_bytes=1 << 18, horizon_s=20),
    )
    controller = Controller(agents, journal, RealClock(), Monitor(window_s=8, stale_s=30), solver)
    stack.enter_context(Loop(controller, INTERVAL_S))
    records = controller.journal.records
    return lambda: sum(each.outcome is Outcome.APPLIED for each in records())


def _disk(started: Processes, name: str, disk: SlowDisk, size: int) -> Path:
    image = disk.folder / f"{name}.img"
    return started.disk(name, "--direct", image=image, size=size, group=disk.group)


def _all(runs: Iterable[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=run) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def images(disk: SlowDisk, vms: Sequence[str]) -> None:
    """Make all images: one for each VM, and one that all share.

    Args:
        disk: that they lie on.
        vms: by name.
    """
    for vm in vms:
        filled(disk.folder / f"{vm}.img", IMAGE)
    filled(disk.folder / "all.img", len(vms) * IMAGE)


def main() -> None:
    """Print a line a run."""
    root = Path(tempfile.mkdtemp(prefix="froude-cache-fio-"))
    with slow_disk(root, size=640 * _MIB, iops=IOPS) as disk:
        images(disk, list(SERIES))
        for number, name in enumerate(sys.argv[1:] or POLICIES):
            folder = root / f"{number}-{name}"
            folder.mkdir()
            ran = measure(name, disk, folder)
            by_vm = {vm: round(sum(times), 1) for vm, times in ran.times.items()}
            print(
                f"{name:10} {ran.seconds:6.1f} s, job mean {ran.mean_s:5.2f}, tail {ran.tail_s:5.2f}, missed "
                f"{ran.misses / max(1, ran.reads):.1%} of {ran.reads}, {ran.changes} changes, {by_vm}",
                flush=True,
            )
    shutil.rmtree(root)


if __name__ == "__main__":
    main()
