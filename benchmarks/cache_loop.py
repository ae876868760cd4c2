"""Observe the caches, plan, apply: the loop of the paper, small, on the caches of a modelled hypervisor.

Every few seconds: what each cache served and its miss-ratio curve, processor time of each VM and bytes that its DataNode
exchanged, in the window of `cache/monitor`, which begins anew when the load changes. A policy of `cache/solve` plans
from that, and caches shrink before others grow. Jobs that have ended tell what a miss costs their tenant. It is what
`froude cache serve` does, without its agents: a DataNode alone on its hypervisor has no other VM of its application here
to exchange bytes with, by which the paper weighs it; so all that it exchanges counts.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from froude.base.seeds import Seeds
from froude.cache.curves import MissRatioCurve
from froude.cache.disk.client import DiskClient
from froude.cache.disk.status import DiskStatus
from froude.cache.monitor.window import Sample, Window
from froude.cache.solve.planner import Planning, solve
from froude.cache.solve.policies import Policy
from froude.cache.solve.state import Application, Hypervisor, JobRun, State, Vm

_GRANULE = 1 << 20
_KEPT = 0.75
"""Of what a curve counts, from one round to the next."""
_WINDOW_S = 20.0
_RUNS = 16
"""Jobs of a tenant that are remembered."""
_HORIZON_S = 60.0
_HIT_S = 0.0005


@dataclass(frozen=True, slots=True)
class Own:
    """What else a VM has done since the hypervisor came up."""

    cpu_s: float
    network_bytes: int


@dataclass(frozen=True, slots=True)
class Round:
    """What the loop saw and did at one time."""

    at_s: float
    """Since the loop began."""
    sizes: Sequence[int]
    """Bytes of each cache after it."""
    hits: Sequence[int]
    """Chunks, since the round before; of each cache."""
    misses: Sequence[int]
    requests: Sequence[int]
    """Reads and writes."""
    moved_bytes: Sequence[int]
    """Read and written."""
    solve_s: float
    """What the plan took."""


@dataclass(slots=True)
class _Seen:
    """Of one VM."""

    counts: Window = field(default_factory=lambda: Window(_WINDOW_S, watched=("chunks", "written")))
    curve: MissRatioCurve = field(default_factory=MissRatioCurve.unknown)


class Loop:
    """One policy at work; `with Loop(...) as loop:`."""

    def __init__(
        self,
        policy: Policy,
        *,
        controls: Sequence[Path],
        tenants: Mapping[int, str],
        space_bytes: int,
        miss_s: float,
        own: Callable[[], Sequence[Own]],
        period_s: float = 5.0,
        seeds: Seeds,
    ) -> None:
        """Describe it.

        Args:
            policy: plans; one whose caches are shared or absent is only observed.
            controls: of the caches: one a VM, or one for all.
            tenants: of each VM, the application that it belongs to.
            space_bytes: of the SSD.
            miss_s: what a chunk takes from the slow disk.
            own: tells what else each VM has done.
            period_s: from one round to the next.
            seeds: of the genetic algorithm.
        """
        self.policy = policy
        self.rounds: list[Round] = []
        """So far."""
        self.reasons: list[str] = []
        """Of the last plan."""
        self._controls = list(controls)
        self._tenants = tenants
        self._space = space_bytes
        self._miss_s = miss_s
        self._own = own
        self._period_s = period_s
        self._seeds = seeds
        self._seen = [_Seen() for _ in tenants]
        self._runs: dict[str, deque[JobRun]] = {name: deque(maxlen=_RUNS) for name in tenants.values()}
        self._over = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="cache-loop")

    @property
    def plans(self) -> bool:
        """Whether there is anything to plan."""
        return not self.policy.shares and self.policy.name != "none"

    def ended(self, tenant: str, run: JobRun) -> None:
        """A job of a tenant has ended.

        Args:
            tenant: its name.
            run: its time, reads and misses.
        """
        self._runs[tenant].append(run)

    def __enter__(self) -> Loop:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        if self._failed is not None:
            raise self._failed

    def _run(self) -> None:
        try:
            with _clients(self._controls) as disks:
                self._observe(disks)
        except Exception as error:  # noqa: BLE001 - handed to the thread that waits
            self._failed = error

    def _observe(self, disks: Sequence[DiskClient]) -> None:
        began = before_s = time.monotonic()
        before = [disk.stat() for disk in disks]
        while not self._over.wait(max(0.0, before_s + self._period_s - time.monotonic())):
            now_s, now = time.monotonic(), [disk.stat() for disk in disks]
            solve_s = 0.0
            if self.plans:
                self._note(disks, now, now_s)
                solve_s = self._apply(disks, now)
            pairs = list(zip(before, now, strict=True))
            self.rounds.append(
                Round(
                    round(now_s - began, 2),
                    [disk.stat().cache_bytes for disk in disks],
                    [b.hits - a.hits for a, b in pairs],
                    [b.misses - a.misses for a, b in pairs],
                    [_requests(b) - _requests(a) for a, b in pairs],
                    [_moved(b) - _moved(a) for a, b in pairs],
                    round(solve_s, 4),
                )
            )
            before, before_s = now, now_s

    def _note(self, disks: Sequence[DiskClient], now: Sequence[DiskStatus], now_s: float) -> None:
        for disk, status, seen, own in zip(disks, now, self._seen, self._own(), strict=True):
            counts = {
                "chunks": float(status.hits + status.misses),
                "requests": float(_requests(status)),
                "moved": float(_moved(status)),
                "written": float(status.write_bytes),
                "io_s": status.read_s + status.write_s,
                "network": float(own.network_bytes),
                "cpu_s": own.cpu_s,
            }
            seen.counts.add(Sample("", now_s, counts))
            answer = disk.curve(forget=True)["curve"]
            if answer is not None:
                seen.curve = seen.curve.decayed(_KEPT).merged(MissRatioCurve.of_plain(answer))

    def _apply(self, disks: Sequence[DiskClient], now: Sequence[DiskStatus]) -> float:
        began = time.monotonic()
        plan = solve(self._state(now), self.policy, Planning(seeds=self._seeds.child(len(self.rounds))))
        took = time.monotonic() - began
        sizes = [grant.size_bytes for grant in plan.grants]
        self.reasons = [grant.reason for grant in plan.grants]
        order = sorted(range(len(disks)), key=lambda i: sizes[i] - now[i].cache_bytes)  # shrink, then grow
        for i in order:
            if sizes[i] != now[i].cache_bytes:
                disks[i].resize(sizes[i])
        return took

    def _state(self, now: Sequence[DiskStatus]) -> State:
        names = list(dict.fromkeys(self._tenants.values()))
        vms = [self._vm(i, status) for i, status in enumerate(now)]
        window = max(self._seen[0].counts.covered_s, self._period_s)
        return State(
            window_s=window,
            horizon_s=_HORIZON_S,
            miss_s=self._miss_s,
            hit_s=_HIT_S,
            granule_bytes=_GRANULE,
            hypervisors=(Hypervisor(name="h", space_bytes=self._space),),
            vms=tuple(vms),
            applications=tuple(Application(name=name, runs=tuple(self._runs[name])) for name in names),
        )

    def _vm(self, number: int, status: DiskStatus) -> Vm:
        seen, tenant = self._seen[number], self._tenants[number]
        first = min(vm for vm, name in self._tenants.items() if name == tenant)
        per_s = defaultdict(float, seen.counts.rates())
        return Vm(
            name=vm_name(number),
            hypervisor="h",
            application=tenant,
            master=number == first,
            reads_per_s=per_s["chunks"],
            curve=seen.curve,
            chunk_bytes=status.chunk_bytes,
            writes_bytes_per_s=int(per_s["written"]),
            iops=per_s["requests"],
            disk_bytes_per_s=int(per_s["moved"]),
            network_bytes_per_s=int(per_s["network"]),
            cpu_s=per_s["cpu_s"] * seen.counts.covered_s,
            io_s=per_s["io_s"] * seen.counts.covered_s,
            size_bytes=status.cache_bytes,
        )


def vm_name(number: int) -> str:
    """As plans name it."""
    return f"vm{number}"


def job_run(
    seconds: float, before: Sequence[DiskStatus], after: Sequence[DiskStatus], vms: Sequence[int]
) -> JobRun:
    """What a job read and missed on its tenant's VMs.

    Args:
        seconds: that it took.
        before: statuses of all caches when it began.
        after: when it ended.
        vms: numbers of the tenant's.
    """
    misses = {vm_name(i): float(after[i].misses - before[i].misses) for i in vms}
    hits = {vm_name(i): float(after[i].hits - before[i].hits) for i in vms}
    return JobRun(time_s=seconds, reads={name: hits[name] + misses[name] for name in hits}, misses=misses)


@contextlib.contextmanager
def _clients(controls: Sequence[Path]) -> Iterator[list[DiskClient]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(DiskClient(control)) for control in controls]


def _requests(status: DiskStatus) -> int:
    return status.reads + status.writes


def _moved(status: DiskStatus) -> int:
    return status.read_bytes + status.write_bytes
