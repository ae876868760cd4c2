"""A scenario played on a virtual clock under one policy: jobs, caches, disks, and a split that is looked at again.

A VM reads a chunk, waits for SSD or disk, computes, and reads the next. Each disk serves one read after the other and
is shared by all hypervisors, as the paper's storage is, so that who misses makes others wait, too. What the policy
knows is what a monitor measures: the last window's load, and curves sampled in the data path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from froude.base.events import Events
from froude.base.seeds import Seeds
from froude.base.units import MIB
from froude.cache.curves import Shards
from froude.cache.simulate.jobs import JOBS, MASTER, MASTER_DATA, MASTER_READS, Stage, reads_of
from froude.cache.simulate.lru import Lru
from froude.cache.simulate.scenario import Cluster, Scenario
from froude.cache.simulate.window import FORGET, UNSPLIT, reads_per_s, resize
from froude.cache.solve.planner import Planning, solve
from froude.cache.solve.policies import Policy
from froude.cache.solve.state import Application, Hypervisor, JobRun, State, Vm

_SAMPLES = 512
"""Chunks in the sample of a VM's curve: those of most VMs are exact, as in a data path with ten times as many chunks."""
_REGION = 1 << 24
"""Chunks between the data of two jobs of a VM."""


@dataclass(frozen=True, slots=True)
class JobTime:
    """A job that ended."""

    group: int
    cluster: str
    job: str
    time_s: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a play."""

    policy: str
    run: int
    jobs: tuple[JobTime, ...]
    total_s: float
    """From the first group's start to the last one's end."""
    reads: int
    misses: int
    wait_s: float
    """Of all VMs, for SSDs and disks."""
    plans: int
    """That changed a size."""
    moved_bytes: int
    """By which caches grew."""

    @property
    def jobs_s(self) -> float:
        """Times of all jobs together."""
        return sum(job.time_s for job in self.jobs)


@dataclass(slots=True)
class _Node:
    """A VM at work."""

    name: str
    host: int
    cluster: str
    master: bool
    data_chunks: int
    cache: Lru
    shards: Shards
    exchanged: float = 0.0
    ready_s: float = 0.0
    """When its cap lets it read from the SSD again."""
    gap_s: float = 0.0
    """Between two reads, by its cap."""
    # of the window:
    wait_s: float = 0.0
    busy_s: float = 0.0
    # of the job:
    job_reads: int = 0
    job_misses: int = 0


@dataclass(slots=True)
class _Work:
    """A cluster at work."""

    cluster: Cluster
    nodes: list[_Node]
    job: str = ""
    stages: tuple[Stage, ...] = ()
    stage: int = 0
    started_s: float = 0.0
    waiting: int = 0
    """VMs that have not ended the stage."""
    runs: dict[str, list[JobRun]] = field(default_factory=dict)
    """By job."""


def play(scenario: Scenario, policy: Policy, seeds: Seeds, run: int = 0) -> Outcome:
    """Play a scenario to its end.

    Args:
        seeds: of what VMs read, the same for every policy; and of the policy.
        run: a number to tell outcomes apart.

    Returns:
        Times of jobs, and what else was counted. Linear in reads, times the logarithm of VMs.
    """
    return _Play(scenario, policy, seeds, run).outcome()


class _Play:
    def __init__(self, scenario: Scenario, policy: Policy, seeds: Seeds, run: int) -> None:
        self._scenario, self._policy, self._seeds, self._run = scenario, policy, seeds, run
        hosts = {vm: number for number, host in enumerate(scenario.hypervisors) for vm in host.vms}
        self._space = scenario.space_bytes // scenario.chunk_bytes
        self._pools = [Lru(self._space) for _ in scenario.hypervisors] if policy.shares else []
        self._nodes = [
            self._node(vm, hosts[vm], cluster) for cluster in scenario.clusters for vm in cluster.vms
        ]
        by_name = {node.name: node for node in self._nodes}
        self._work = {
            cluster.name: _Work(cluster, [by_name[vm] for vm in cluster.vms]) for cluster in scenario.clusters
        }
        self._events = Events()
        self._group = 0
        self._window_at = scenario.window_s
        self._disks = [0.0] * scenario.disks
        self._ssds = [0.0] * len(scenario.hypervisors)
        self._jobs: list[JobTime] = []
        self._reads = self._misses = self._plans = self._moved = 0
        self._wait = 0.0
        if not policy.shares and policy.name != "none":
            self._equal()

    def outcome(self) -> Outcome:
        """Play all groups."""
        for number, group in enumerate(self._scenario.groups):
            self._group = number
            for cluster, job in group.items():
                self._begin(self._work[cluster], job)
            if group:
                self._await_window()
            self._events.run()
        self._wait += sum(node.wait_s for node in self._nodes)
        return Outcome(
            self._policy.name, self._run, tuple(self._jobs), self._events.now, self._reads, self._misses, self._wait,
            self._plans, self._moved * self._scenario.chunk_bytes,
        )  # fmt: skip

    def _node(self, name: str, host: int, cluster: Cluster) -> _Node:
        master = name == cluster.master
        rng = np.random.default_rng(self._seeds.child("data", name).value)
        mean = self._scenario.data_bytes / self._scenario.chunk_bytes * (MASTER_DATA if master else 1.0)
        chunks = max(8, round(mean * np.exp(rng.normal(0, self._scenario.uneven))))
        cache = self._pools[host] if self._pools else Lru()
        seed = self._seeds.child("sample", name).value
        return _Node(name, host, cluster.name, master, chunks, cache, Shards(samples=_SAMPLES, seed=seed))

    def _equal(self) -> None:
        """What all policies begin with, before anything is known."""
        for number, host in enumerate(self._scenario.hypervisors):
            for node in (node for node in self._nodes if node.host == number):
                node.cache.resize(self._space // len(host.vms))

    def _begin(self, work: _Work, job: str) -> None:
        work.job, work.stages, work.stage, work.started_s = job, JOBS[job], 0, self._events.now
        for node in work.nodes:
            node.job_reads = node.job_misses = 0
            node.shards.decay(0)  # the monitor is told by the ResourceManager that another job has begun
        self._begin_stage(work)

    def _begin_stage(self, work: _Work) -> None:
        stage = work.stages[work.stage]
        offset = (1 + list(JOBS).index(work.job)) * _REGION
        work.waiting = len(work.nodes)
        for number, node in enumerate(self._nodes):
            if node.cluster != work.cluster.name:
                continue
            rng = np.random.default_rng(self._seeds.child(work.job, work.stage, node.name).value)
            doing = MASTER if node.master else stage
            reads = (
                self._scenario.passes
                * stage.passes
                * node.data_chunks
                * (MASTER_READS / MASTER_DATA if node.master else 1.0)
            )
            count = max(1, round(reads * np.exp(rng.normal(0, stage.uneven))))
            chunks = reads_of(doing, node.data_chunks, count, rng, offset + (number << 40)).tolist()
            node.exchanged = doing.exchanged
            node.job_reads += count
            cpu_s = doing.cpu_s * self._scenario.chunk_bytes / MIB
            # At the same time, VMs read in the order of their numbers.
            reading = self._read(node, chunks, cpu_s)
            self._events.schedule(self._events.now, next, reading, None, priority=number)

    def _read(self, node: _Node, chunks: Sequence[int], cpu_s: float) -> Iterator[float]:
        """A VM's reads in a stage, one after the other; yields when the next one begins.

        All that it needs is in locals: a play has millions of reads.
        """
        events, disks, ssds, host = self._events, self._disks, self._ssds, node.host
        hit_s, miss_s, gap = self._scenario.hit_s, self._scenario.miss_s, 1 / self._scenario.ssd_iops
        access = None if self._policy.name in UNSPLIT else node.shards.access
        read = node.cache.read
        for chunk in chunks:
            now = events.now
            if access is not None:
                access(chunk)
            if read(chunk):
                start = max(now, ssds[host], node.ready_s)
                ssds[host] = start + gap
                node.ready_s = start + node.gap_s
                done = start + hit_s
            else:
                disk = (chunk * 0x9E3779B1 >> 8) % len(disks)
                disks[disk] = done = max(now, disks[disk]) + miss_s
                node.job_misses += 1
            node.wait_s += done - now
            node.busy_s += cpu_s
            yield done + cpu_s
        self._stage_ended(self._work[node.cluster])

    def _stage_ended(self, work: _Work) -> None:
        """A VM has ended its stage; with the last one the next stage begins, or the job ends."""
        work.waiting -= 1
        if work.waiting:
            return
        work.stage += 1
        if work.stage < len(work.stages):
            self._begin_stage(work)
            return
        time_s = self._events.now - work.started_s
        self._jobs.append(JobTime(self._group, work.cluster.name, work.job, time_s))
        reads = {node.name: float(node.job_reads) for node in work.nodes}
        misses = {node.name: float(node.job_misses) for node in work.nodes}
        self._reads += sum(node.job_reads for node in work.nodes)
        self._misses += sum(node.job_misses for node in work.nodes)
        work.runs.setdefault(work.job, []).append(JobRun(time_s=time_s, reads=reads, misses=misses))
        if not any(each.waiting for each in self._work.values()):
            self._events.cancel(self._window)

    def _await_window(self) -> None:
        # Before the reads of the same time: they belong to the next window.
        self._window = self._events.schedule(self._window_at, self._window_ends, priority=-1)

    def _window_ends(self) -> None:
        """Look at the split again."""
        self._window_at += self._scenario.window_s
        self._await_window()
        self._wait += sum(node.wait_s for node in self._nodes)
        if self._policy.name not in UNSPLIT:
            plan = solve(self._state(), self._policy, Planning(seeds=self._seeds.child("policy", self._run)))
            caches = {node.name: node.cache for node in self._nodes}
            grown = resize(caches, plan.sizes(), self._scenario.chunk_bytes)
            caps = {grant.vm: grant.iops for grant in plan.grants}
            for node in self._nodes:
                cap = caps[node.name]
                node.gap_s = 1 / cap if cap else 0.0
            self._plans += grown > 0
            self._moved += grown
        for node in self._nodes:
            node.wait_s = node.busy_s = 0.0
            node.shards.decay(FORGET)

    def _state(self) -> State:
        """What a monitor would tell of the last window."""
        scenario = self._scenario
        hypervisors = [
            Hypervisor(name=host.name, space_bytes=scenario.space_bytes, iops=scenario.ssd_iops)
            for host in scenario.hypervisors
        ]
        applications = [
            Application(name=name, runs=tuple(work.runs.get(work.job, ())[-20:]))
            for name, work in self._work.items()
        ]
        return State(
            window_s=scenario.window_s,
            horizon_s=scenario.horizon_s,
            miss_s=scenario.miss_s,
            hit_s=scenario.hit_s,
            granule_bytes=scenario.chunk_bytes,
            hypervisors=tuple(hypervisors),
            vms=tuple(self._vm(node) for node in self._nodes),
            applications=tuple(applications),
        )

    def _vm(self, node: _Node) -> Vm:
        scenario = self._scenario
        per_s = reads_per_s(node.shards, scenario.window_s)
        bytes_per_s = round(per_s * scenario.chunk_bytes)
        return Vm(
            name=node.name,
            hypervisor=scenario.hypervisors[node.host].name,
            application=node.cluster,
            master=node.master,
            importance=scenario.master_importance if node.master else 1.0,
            reads_per_s=per_s,
            curve=node.shards.curve(scenario.chunk_bytes, points=128),
            chunk_bytes=scenario.chunk_bytes,
            iops=per_s,
            disk_bytes_per_s=bytes_per_s,
            network_bytes_per_s=round(bytes_per_s * node.exchanged),
            cpu_s=node.busy_s,
            io_s=node.wait_s,
            size_bytes=node.cache.capacity * scenario.chunk_bytes,
        )
