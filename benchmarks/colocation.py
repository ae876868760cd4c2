"""Three NodeManagers beside three services on one machine, and who harvests: nobody, Stock, PT, H.

    python -m benchmarks.colocation --repeats 1 --seconds 150

Figures 10 to 12 of the paper in miniature. A server is a control group of 0.4 of a core, which stands for twelve: its
service and its batch containers compete in it as on a real server, and it takes nothing from the others. A day takes
as long as a run. The services' CPU is measured where they run, and told to `froude harvest serve` by a table, since all
three NodeManagers see the same machine. Batch jobs ask the daemon for their class in H; in the others they ask for any
node. What is killed starts again from its beginning.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import psutil

from benchmarks.batch_master import BatchJob, BatchMaster
from benchmarks.colocation_primary import chunks_of
from froude.base.files import atomic_write_text
from froude.base.scratch import Scratch
from froude.cli.app import run as froude
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.yarn_cluster import YarnCluster
from froude.hadoop.settings.yarn import CLIENT, SCHEDULER, Containers
from froude.harvest.live.resourcemanager import ResourceManager
from froude.harvest.live.submitter import Remote
from froude.harvest.telemetry.datacenter import Datacenter
from froude.harvest.telemetry.files import write_datacenter

MODES = ("none", "stock", "pt", "h")
CORES = 12
"""Of a server, as in the paper."""
QUOTA = 0.4
"""Of a core of this machine, that stands for those twelve."""
_PERIOD_US = 10_000
_SHARES = 8192
"""Of the groups, against 1024 of any other process: what else runs here waits."""
_REQUEST_S = 0.003
"""CPU of a request to a service."""
_MEMORY_MB = 128
_KINDS = (("short", 6, 3.0), ("medium", 6, 8.0), ("long", 4, 20.0))
"""Kind of job, tasks, and seconds that each takes on a core of its own."""
_GAP_S = 4.5
_THRESHOLDS = "12s,28s"
_HEARTBEAT_S = 0.5
_SMOOTH = 0.5
"""Weight of the last second in what is told of a service's CPU: requests of a second are few."""
WINDOW_S = 10.0
"""Tail latencies are of so long, as the paper's are of a minute."""
_PORT = 9321
_CONF = {
    "yarn.node-labels.enabled": "true",
    "yarn.scheduler.configuration.store.class": "memory",
    "yarn.scheduler.capacity.resource-calculator": (
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
    ),
    "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "500",
    "yarn.am.liveness-monitor.expiry-interval-ms": "600000",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run came to."""

    mode: str
    seed: int
    p99_ms: float
    """Mean over servers and windows of the services' 99th percentiles (the paper's Figure 10)."""
    worst_p99_ms: float
    """The largest mean over servers of a window."""
    job_s: dict[int, float]
    """Time of each job that ended, by number."""
    kinds: dict[int, str]
    started: int
    killed: int
    wasted_s: float
    utilisation: float
    """Of the servers' CPU, by services and by tasks that ended."""
    primary: float
    """Of that, by services."""


def load(kind: int, day: float, seed: int) -> float:
    """CPU that a service wants, 0 to 1: the first one constantly, the second by day, the third in bursts.

    Args:
        kind: of the three.
        day: time in days.
        seed: of the bursts.
    """
    if kind == 0:
        return 0.25
    if kind == 1:
        return 0.32 - 0.24 * float(np.cos(2 * np.pi * day))
    rng = random.Random(f"{seed} {int(day * 12)}")
    return 0.6 if rng.random() < 0.25 else 0.12


def history(hosts: Sequence[str], seed: int) -> Datacenter:
    """A month of the three services before the run."""
    rng = np.random.default_rng(seed)
    slots = np.arange(31 * 720)
    series = [[load(kind, -slot / 720, seed + 1) for slot in slots] for kind in range(3)]
    noisy = np.clip(np.array(series) + rng.normal(0, 0.01, (3, len(slots))), 0, 1)
    return Datacenter(
        tenants=["constant", "periodic", "bursts"],
        tenant_environment=np.arange(3, dtype=np.int32),
        environments=["a", "b", "c"],
        servers=list(hosts),
        server_tenant=np.arange(3, dtype=np.int32),
        server_rack=np.zeros(3, np.int32),
        utilisation=noisy[:, ::-1].astype(np.float32),
        cores=CORES,
        name="colocation",
    )


class Groups:
    """A control group a server, and one for who asks; a context manager."""

    def __init__(self, names: Sequence[str]) -> None:
        v1 = Path("/sys/fs/cgroup/cpu")
        self._v1 = v1.is_dir()
        root = v1 if self._v1 else Path("/sys/fs/cgroup")
        self.folders = {name: root / f"froude-colocation-{os.getpid()}-{name}" for name in names}

    def __enter__(self) -> Groups:
        for name, folder in self.folders.items():
            folder.mkdir()
            limited = name != "ask"
            if self._v1:
                (folder / "cpu.shares").write_text(str(_SHARES))
                if limited:
                    (folder / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
                    (folder / "cpu.cfs_quota_us").write_text(str(round(_PERIOD_US * QUOTA)))
            else:
                (folder / "cpu.weight").write_text("800")
                if limited:
                    (folder / "cpu.max").write_text(f"{round(_PERIOD_US * QUOTA)} {_PERIOD_US}")
        return self

    def __exit__(self, *_: object) -> None:
        for folder in self.folders.values():
            deadline = time.monotonic() + 30
            while (folder / "cgroup.procs").read_text().split() and time.monotonic() < deadline:
                time.sleep(0.1)
            folder.rmdir()


def possible() -> bool:
    """Whether control groups can be made here."""
    v1 = Path("/sys/fs/cgroup/cpu")
    return os.access(v1 if v1.is_dir() else Path("/sys/fs/cgroup"), os.W_OK)


@contextmanager
def primaries(hosts: Sequence[str], groups: Groups) -> Iterator[list[psutil.Popen]]:
    """The three services, each in its server's group."""
    with ExitStack() as stack:
        found = []
        for host in hosts:
            words = [sys.executable, "-m", "benchmarks.colocation_primary", "serve", f"{host}:{_PORT}"]
            words += ["--cgroup", str(groups.folders[host])]
            process = stack.enter_context(psutil.Popen(words, stdout=subprocess.PIPE))
            stack.callback(process.kill)
            assert process.stdout.readline() == b"listening\n"
            found.append(process)
        yield found


@contextmanager
def daemon(mode: str, server: ResourceManager, folder: Path) -> Iterator[Remote | None]:
    """`froude harvest serve` for PT and H, and everything back at the end."""
    if mode not in {"pt", "h"}:
        yield None
        return
    state = folder / f"service-{time.monotonic_ns()}"
    words = [
        "--quiet",
        "harvest",
        "serve",
        str(folder / "dc"),
        "--resourcemanager",
        server.address,
        "--resources",
    ]
    words += [
        "--as",
        "labels" if mode == "h" else "none",
        "--usage",
        str(folder / "use.csv"),
        "--state",
        str(state),
    ]
    words += ["--interval", "1s", "--listen", "127.0.0.1:0", "--thresholds", _THRESHOLDS]
    words += ["--reserve", "33.33%,31%", "--target-is", server.state().id]
    code = "from froude.cli.entry import main; main()"
    with subprocess.Popen([sys.executable, "-c", code, *words]) as process:
        try:
            _until((state / "service.json").exists, 60)
            _until(lambda: all(node.total.vcores < CORES for node in server.nodes()), 30)
            if mode == "h":
                _until(lambda: all(node.label for node in server.nodes()), 30)
            yield Remote(state)
        finally:
            process.terminate()
            process.wait(60)
    assert froude(["--quiet", "harvest", "rollback", str(state / "prior.json")]) == 0


class Run:
    """One mode, one seed."""

    def __init__(self, cluster: YarnCluster, folder: Path, mode: str, seed: int, seconds: float) -> None:
        self._cluster, self._folder, self._mode, self._seed, self._seconds = (
            cluster,
            folder,
            mode,
            seed,
            seconds,
        )
        self._hosts = cluster.node_addresses
        self._used = dict.fromkeys(self._hosts, 0.3)

    def outcome(self, chunks: int) -> Outcome:
        """Play it."""
        server = ResourceManager(*self._cluster.resourcemanager_http, user="root")
        self._tell(self._used)
        with (
            Groups([*self._hosts, "ask"]) as groups,
            primaries(self._hosts, groups) as services,
            daemon(self._mode, server, self._folder) as selecting,
        ):
            begun = [sum(process.cpu_times()[:2]) for process in services]
            jobs, asked = self._played(groups, services, selecting, chunks)
            used = sum(sum(p.cpu_times()[:2]) - at for p, at in zip(services, begun, strict=True))
        capacity_s = len(self._hosts) * self._seconds * QUOTA
        ended = [job for job in jobs if job.ended_s is not None]
        batch_s = sum((job.tasks - job.left) * job.work_s for job in jobs)
        windows = self._windows(asked)
        return Outcome(
            self._mode,
            self._seed,
            float(np.mean(windows)) * 1000,
            float(np.mean(windows, axis=0).max()) * 1000,
            {job.number: (job.ended_s or 0.0) - job.submitted_s for job in ended},
            {job.number: job.kind for job in jobs},
            sum(len(job.hosts) for job in jobs),
            sum(job.killed for job in jobs),
            sum(job.wasted_s for job in jobs),
            (used + batch_s) / capacity_s,
            used / capacity_s,
        )

    def _played(
        self, groups: Groups, services: Sequence[psutil.Popen], selecting: Remote | None, chunks: int
    ) -> tuple[list[BatchJob], dict[str, list[list[float]]]]:
        schedule, out = self._folder / "schedule.json", self._folder / "asked.json"
        due = {f"{host}:{_PORT}": self._due(kind) for kind, host in enumerate(self._hosts)}
        schedule.write_text(json.dumps({"chunks": chunks, "due": due}))
        words = [sys.executable, "-m", "benchmarks.colocation_primary", "ask", str(schedule), str(out)]
        asking = subprocess.Popen([*words, "--cgroup", str(groups.folders["ask"])])
        jobs: list[BatchJob] = []
        try:
            if self._mode == "none":
                asking.wait()
            else:
                with self._master(groups) as master:
                    self._harvest(master, jobs, services, selecting)
                asking.wait()
        finally:
            asking.kill()
        return jobs, json.loads(out.read_text())

    def _harvest(
        self,
        master: BatchMaster,
        jobs: list[BatchJob],
        services: Sequence[psutil.Popen],
        selecting: Remote | None,
    ) -> None:
        coming = self._jobs()
        begun = time.monotonic()
        measured_s, before = begun, [sum(p.cpu_times()[:2]) for p in services]
        while (now := time.monotonic()) - begun < self._seconds:
            while coming and coming[0][0] <= now - begun:
                job = coming.pop(0)[1]
                jobs.append(job)
                master.submit(job, self._shares(job, selecting))
            for job in master.step():
                if selecting is not None and job.ended_s is not None:
                    took = job.ended_s - job.submitted_s
                    selecting.ran({"job": job.kind, "seconds": took, "containers": job.tasks})
            if now - measured_s >= 1.0:
                after = [sum(p.cpu_times()[:2]) for p in services]
                for host, a, b in zip(self._hosts, before, after, strict=True):
                    share = (b - a) / (now - measured_s) / QUOTA
                    self._used[host] += _SMOOTH * (share - self._used[host])
                self._tell(self._used)
                measured_s, before = now, after
            time.sleep(max(0.0, now + _HEARTBEAT_S - time.monotonic()))

    def _shares(self, job: BatchJob, selecting: Remote | None) -> list[tuple[str, int]]:
        if self._mode != "h" or selecting is None:
            return [("", job.tasks)]
        asked = {"job": job.kind, "containers": job.tasks, "cores": 1, "memory_mb": 0}
        parts = selecting.select(asked)["classes"]
        return [(part["label"], part["containers"]) for part in parts if part["containers"]] or [
            ("", job.tasks)
        ]

    def _jobs(self) -> list[tuple[float, BatchJob]]:
        """Moments and jobs, the same in every mode; towards the end there are none, so that jobs end."""
        rng = random.Random(f"jobs {self._seed}")
        out: list[tuple[float, BatchJob]] = []
        at = 1.0
        while at < 0.6 * self._seconds:
            kind, tasks, seconds = _KINDS[rng.randrange(3)]
            out.append((at, BatchJob(len(out), kind, tasks, seconds * QUOTA / CORES)))
            at += rng.expovariate(1 / _GAP_S)
        return out

    def _due(self, kind: int) -> list[float]:
        """Moments of requests: a Poisson process of the service's load."""
        rng, at, out = random.Random(f"asked {kind} {self._seed}"), 0.0, []
        most = 0.7 * QUOTA / _REQUEST_S
        while (at := at + rng.expovariate(most)) < self._seconds:
            if rng.random() < load(kind, at / self._seconds, self._seed) / 0.7:
                out.append(at)
        return out

    def _windows(self, asked: dict[str, list[list[float]]]) -> np.ndarray:
        """Shape (servers, windows): 99th percentiles, seconds."""
        count = int(self._seconds / WINDOW_S)
        rows = []
        for pairs in asked.values():
            due, took = np.array(pairs).T
            rows.append([np.quantile(took[due // WINDOW_S == n], 0.99) for n in range(count)])
        return np.array(rows)

    def _master(self, groups: Groups) -> BatchMaster:
        burn = Path(__file__).parent / "colocation_burn.py"

        def command(job: BatchJob, host: str) -> str:
            cores = QUOTA / CORES
            return f"exec {sys.executable} -S -E {burn} {job.work_s} {cores} {groups.folders[host]}"

        host = self._cluster.resourcemanager[0]
        schema = self._cluster.jars.schema()
        return BatchMaster(host, (CLIENT, SCHEDULER), schema, memory_mb=_MEMORY_MB, command=command)

    def _tell(self, shares: dict[str, float]) -> None:
        lines = "".join(f"{host},{min(1.0, share):.4f}\n" for host, share in shares.items())
        atomic_write_text(self._folder / "use.csv", f"server,cpu\n{lines}")


def repeat(seed: int, seconds: float, modes: Sequence[str] = MODES) -> list[Outcome]:
    """Every mode once, in an order drawn by the seed, on a cluster of their own."""
    order = list(modes)
    random.Random(seed).shuffle(order)
    chunks = chunks_of(_REQUEST_S)
    size = Containers(node_mb=14 * _MEMORY_MB, node_cores=CORES)
    with Scratch("colocation") as folder:
        conf = {**_CONF, "yarn.node-labels.fs-store.root-dir": f"file://{folder}/labels"}
        with YarnCluster(
            Hadoop.find(), datanodes=1, nodemanagers=3, replication=1, containers=size, fast=True, conf=conf
        ) as cluster:
            cluster.wait_live()
            write_datacenter(folder / "dc", history(cluster.node_addresses, seed))
            outcomes = []
            for mode in order:
                outcomes.append(Run(cluster, folder, mode, seed, seconds).outcome(chunks))
                print(json.dumps(replace_jobs(outcomes[-1])), file=sys.stderr, flush=True)
    return sorted(outcomes, key=lambda outcome: modes.index(outcome.mode))


def replace_jobs(outcome: Outcome) -> dict[str, object]:
    """An outcome in a line: jobs as their number and mean."""
    fields = asdict(replace(outcome, job_s={}, kinds={}))
    times = list(outcome.job_s.values())
    return {
        **fields, "job_s": float(np.mean(times)) if times else None, "ended": len(times), "kinds": len(outcome.kinds)
    }  # fmt: skip


def repeats(number: int, seconds: float) -> list[list[Outcome]]:
    """Several repeats; each holds the lock that FROUDE_LOCK names, so that others may run between."""
    out = []
    for seed in range(1, number + 1):
        with ExitStack() as stack:
            if name := os.environ.get("FROUDE_LOCK"):
                lock = stack.enter_context(Path(name).open("a"))
                fcntl.flock(lock, fcntl.LOCK_EX)
            out.append(repeat(seed, seconds))
    return out


def _until(reached: object, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not reached():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.1)


def main() -> None:
    """Some repeats, as lines on standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=150.0)
    parser.add_argument("--modes", default=",".join(MODES))
    chosen = parser.parse_args()
    for seed in range(1, chosen.repeats + 1):
        repeat(seed, chosen.seconds, chosen.modes.split(","))


if __name__ == "__main__":
    main()
