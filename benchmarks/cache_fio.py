"""Four VMs' series of jobs by fio on four real cached disks over one slow disk, whose SSD a controller splits.

One run under one policy: four `froude cache disk` with direct I/O, in a control group that lets them have so many
requests a second of one loop device; a `froude cache agent`; and the controller's loop, in this process, so that each
VM's processor time can be told as its own agent would. Without a cache, and with one that all share, nobody controls.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from scipy.stats import t as student

from benchmarks.results import Row
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
from testbed.cache_processes import SECRET, Processes, processes, status_of
from testbed.slow_disk import SlowDisk, filled, slow_disk, why_not

_MIB = 1 << 20
_BLOCK = 16 * 1024
IOPS = 150
"""Of the slow disk: a hard disk's, and so few that its time is what counts, not this machine's."""
SPACE = 20 * _MIB
IMAGE = 64 * _MIB
INTERVAL_S = 2.0
"""A minute, thirty times as fast; so are all other times of agent and controller, from what is usual."""
POLICIES = ("none", "shared", "equal", "ac-ssd-ga", "ac-ssd", "exact", "deadline")
_STATIC = frozenset({"none", "shared", "equal"})


@dataclass(frozen=True)
class Pattern:
    """What a job reads."""

    words: tuple[str, ...]
    """Of fio."""
    reads: int
    block: int = _BLOCK
    """Bytes of each."""


HOT = Pattern(("--rw=randread", "--size=6M", "--iodepth=1"), 1000)
"""A working set that fits."""
WIDE = Pattern(("--rw=randread", "--size=12M", "--iodepth=1"), 800)
"""One that fits if others give way."""
SKEWED = Pattern(("--rw=randread", "--random_distribution=zipf:1.1", "--size=32M", "--iodepth=1"), 700)
_SCAN = ("--rw=read", "--size=64M", "--iodepth=4")
SCANS = {
    "scans by 16 KiB": Pattern(_SCAN, 400),
    "scans by 256 KiB": Pattern(_SCAN, 400, 16 * _BLOCK),
}
"""Read ahead, and nothing comes again in time for any cache: by small records as databases do, so that the disk holds
them up before they drive others out of a cache, or by large ones as HDFS does."""


def series(scan: Pattern) -> Mapping[str, tuple[Pattern, ...]]:
    """Jobs of each VM, one after the other; half way hot sets move.

    Args:
        scan: of those that scan.
    """
    return {
        "vm1": (HOT,) * 5 + (scan,) * 4,
        "vm2": (scan,) * 4 + (HOT,) * 5,
        "vm3": (SKEWED,) * 7,
        "vm4": (WIDE,) * 6,
    }


@dataclass
class Series:
    """The jobs of one VM, run by a thread; and what its own agent would tell of them."""

    name: str
    uri: str
    offset: int
    patterns: Sequence[Pattern]
    words: tuple[str, ...] = ()
    """Of fio, for every job."""
    seed: int = 0
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
                f"--bs={pattern.block}", f"--offset={self.offset}", f"--io_size={pattern.reads * pattern.block}",
                "--norandommap", f"--randseed={self.seed + number + 1}", "--output-format=json",
                *pattern.words, *self.words,
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
    chunks: Mapping[str, tuple[int, int]]
    """Missed, and read, by cache."""
    changes: int
    """Rounds that changed anything."""
    load: float = 0.0
    """Of this machine in the last minute of it, all programs."""

    @property
    def misses(self) -> int:
        """Chunks that no cache held."""
        return sum(missed for missed, _ in self.chunks.values())

    @property
    def reads(self) -> int:
        """Chunks read."""
        return sum(read for _, read in self.chunks.values())

    @property
    def missed(self) -> float:
        """Share of the chunks read."""
        return self.misses / max(1, self.reads)

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


@dataclass(frozen=True)
class Setting:
    """What all policies are compared in."""

    series: Mapping[str, tuple[Pattern, ...]]
    space: int
    """Bytes of the SSD that caches may take."""
    image: int
    """Bytes of each VM's disk."""
    iops: int
    """Of the slow disk; what a policy believes, where there is none."""
    interval_s: float = INTERVAL_S
    words: tuple[str, ...] = ()
    """Of fio, for every job."""


SETTINGS = {name: Setting(series(scan), SPACE, IMAGE, IOPS) for name, scan in SCANS.items()}
"""By what scans are like."""


def measure(name: str, disk: SlowDisk, folder: Path, setting: Setting, *, seed: int = 0) -> Ran:
    """Run all series once.

    Args:
        name: of the policy.
        disk: that all images lie on.
        folder: for caches and sockets; they are there anew each time.
        setting: what is run.
        seed: of the places that jobs read.
    """
    vms, shared = list(setting.series), name == "shared"
    with processes(folder) as started, ExitStack() as stack:
        space = 0 if name == "none" else setting.space
        names = ["all"] if shared else vms
        controls = {each: _disk(started, each, disk, space // len(names)) for each in names}
        running = {
            vm: Series(
                vm,
                f"nbd+unix:///?socket={folder}/{'all' if shared else vm}.sock",
                number * setting.image * shared,
                setting.series[vm],
                setting.words,
                1000 * seed + 100 * number,
            )
            for number, vm in enumerate(vms)
        }
        rounds = _controlled(name, started, controls, running, setting, stack)
        begun = time.monotonic()
        _all(each.run for each in running.values())
        seconds = time.monotonic() - begun
        stack.close()
        statuses = {each: status_of(control) for each, control in controls.items()}
    failed = [each.failed for each in running.values() if each.failed]
    if failed:
        raise RuntimeError(failed[0])
    return Ran(
        name,
        seconds,
        {vm: tuple(each.times) for vm, each in running.items()},
        {each: (status.misses, status.hits + status.misses) for each, status in statuses.items()},
        rounds(),
        os.getloadavg()[0],
    )


def _controlled(  # noqa: PLR0917 - once, for its length
    name: str,
    started: Processes,
    controls: Mapping[str, Path],
    running: Mapping[str, Series],
    setting: Setting,
    stack: ExitStack,
) -> Callable[[], int]:
    """Start agent and loop, where there is something to control; gives how many rounds changed anything."""
    if name in _STATIC:
        return lambda: 0
    address = started.agent("h1", controls, space=setting.space, curve_every="0.5 s", curve_window="10 s")
    agents = _Agents({"h1": AgentClient(address, SECRET)}, series=running)
    journal = stack.enter_context(FileJournal(started.folder / "state"))
    # a read that misses waits for those of the others
    assumed = Assumed(miss_s=len(running) / setting.iops, hit_s=2e-4, granule_bytes=1 << 18, horizon_s=20)
    monitor = Monitor(window_s=6, stale_s=30)
    controller = Controller(
        agents, journal, RealClock(), monitor, Solver(policy=policy(name), assumed=assumed)
    )
    stack.enter_context(Loop(controller, setting.interval_s))
    records = controller.journal.records
    return lambda: sum(each.outcome is Outcome.APPLIED for each in records())


def _disk(started: Processes, name: str, disk: SlowDisk, size: int) -> Path:
    direct = ("--direct",) if disk.group is not None else ()
    return started.disk(name, *direct, image=disk.folder / f"{name}.img", size=size, group=disk.group)


def _all(runs: Iterable[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=run) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def images(disk: SlowDisk, setting: Setting) -> None:
    """Make all images: one for each VM, and one that all share.

    Args:
        disk: that they lie on.
        setting: what is run.
    """
    for vm in setting.series:
        filled(disk.folder / f"{vm}.img", setting.image)
    filled(disk.folder / "all.img", len(setting.series) * setting.image)


def runs(names: Sequence[str], repeats: int) -> Iterator[tuple[str, Ran]]:
    """Run policies one after the other, and all of them again, so that what disturbs this machine disturbs all.

    Args:
        names: of the policies; that without any cache is run once, since nothing is left to chance in it.
        repeats: how often.

    Yields:
        The name of the setting, and what came of each run.
    """
    root = Path(tempfile.mkdtemp(prefix="froude-cache-fio-"))
    try:
        with slow_disk(root, size=640 * _MIB, iops=IOPS) as disk:
            images(disk, next(iter(SETTINGS.values())))
            for repeat in range(repeats):
                for kind, setting in SETTINGS.items():
                    for name in names if repeat == 0 else [name for name in names if name != "none"]:
                        folder = Path(tempfile.mkdtemp(dir=root))
                        yield kind, measure(name, disk, folder, setting, seed=repeat)
                        shutil.rmtree(folder)
    finally:
        shutil.rmtree(root)


def rows(repeats: int = 3) -> list[Row]:
    """Time until all jobs have ended, mean and tail of a job's, and misses, by policy; beside a shared cache.

    Args:
        repeats: of every policy.
    """
    why = why_not()
    if why is not None:
        return [Row("fio jobs by policy", None, "", conditions=f"not measured: {why}")]
    found: dict[tuple[str, str], list[Ran]] = {}
    for kind, ran in runs(POLICIES, repeats):
        print(f"{kind}: {line(ran)}", file=sys.stderr, flush=True)
        found.setdefault((kind, ran.policy), []).append(ran)
    loads = [ran.load for each in found.values() for ran in each]
    said = (
        f"{sum(map(len, SETTINGS[kind].series.values()))} jobs on 4 VMs, {SPACE >> 20} MiB of SSD, a disk of {IOPS} "
        f"requests a second, a plan every {INTERVAL_S:g} s; load average {statistics.fmean(loads):.1f}"
    )
    return [
        row
        for (kind, name), each in found.items()
        for row in _rows(f"{kind}, {name}", each, found[kind, "shared"], said)
    ]


def _rows(name: str, each: Sequence[Ran], shared: Sequence[Ran], said: str) -> list[Row]:
    seconds, means, tails, misses = (
        [getattr(ran, what) for ran in each] for what in ("seconds", "mean_s", "tail_s", "missed")
    )
    ratios = [ran.mean_s / beside.mean_s for ran, beside in zip(each, shared, strict=False)]
    changes = statistics.fmean(ran.changes for ran in each)
    tail = f"nine in ten within {statistics.fmean(tails):.2f} s; {changes:.0f} changes a run"
    return [
        Row(f"{name}: until all jobs have ended", round(statistics.fmean(seconds), 2), "s",
            conditions=f"{_spread(seconds)}; {said}"),
        Row(f"{name}: mean time of a job", round(statistics.fmean(means), 3), "s",
            conditions=f"{_spread(means)}; {tail}"),
        Row(f"{name}: mean time of a job beside a shared cache", round(statistics.fmean(ratios), 3), "ratio",
            conditions=f"{_spread(ratios)}, run by run"),
        Row(f"{name}: reads that missed", round(statistics.fmean(misses), 4), "share", conditions=_spread(misses)),
    ]  # fmt: skip


def _spread(values: Sequence[float]) -> str:
    """The 95 % interval of a mean in words."""
    return "one run" if len(values) < 2 else f"± {_half(values):.3g} (95 %, {len(values)} runs)"


def _half(values: Sequence[float]) -> float:
    """Half of the 95 % interval of a mean, by Student's t."""
    return float(student.ppf(0.975, len(values) - 1)) * statistics.stdev(values) / math.sqrt(len(values))


def line(ran: Ran) -> str:
    """A run in one line.

    Args:
        ran: what came of it.
    """
    by_vm = ", ".join(f"{vm} {sum(times):.1f}" for vm, times in ran.times.items())
    return (
        f"{ran.policy:10} {ran.seconds:6.1f} s, job mean {ran.mean_s:5.2f}, tail {ran.tail_s:5.2f}, missed "
        f"{ran.missed:.1%} of {ran.reads}, {ran.changes} changes; {by_vm}"
    )


def main() -> None:
    """Print a line a run."""
    for kind, ran in runs(sys.argv[1:] or POLICIES, 1):
        print(f"{kind}: {line(ran)}", flush=True)


if __name__ == "__main__":
    main()
