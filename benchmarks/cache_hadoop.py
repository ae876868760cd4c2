"""Real Hadoop jobs on the caches, under every policy: the paper's Figures 6 to 9 in miniature, one run at a time.

    python -m benchmarks.cache_hadoop --minutes 11

A *unit* is one policy at one part of the experiment: TestDFSIO's modes, or Table 2's nine groups, on caches that are
empty at first. Units go round and round the policies, each pass beginning with another one; what is measured is appended
to a file, and the next call goes on where that one ends. Root is needed (`cache_machine`).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.cache_jobs import SIZES, TABLE_2, make_inputs, workload
from benchmarks.cache_loop import Loop, Own, job_run
from benchmarks.cache_machine import Group, Hypervisor, Shape, Speed, why_not
from benchmarks.cache_tenants import MIB, TENANTS, Tenant, Tenants
from benchmarks.results import RESULTS, commit, machine
from froude.base.errors import MissingError, TargetError
from froude.base.seeds import Seeds
from froude.cache.solve.policies import policy as policy_of
from froude.experiment.session import Hadoop

RUNS = RESULTS / "cache-hadoop.jsonl"
SHAPE = Shape(
    volumes=4,
    volume_bytes=480 * MIB,
    ssd_bytes=120 * MIB,
    chunk_bytes=64 << 10,
    disk=Speed(iops=100, bytes_per_s=8 * MIB),
)
BLOCK_BYTES = 64 * MIB
PERIOD_S = 4.0
POLICIES = ("none", "shared", "equal", "ac-ssd-ga", "exact", "deadline")
PARTS: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "dfsio": tuple((mode,) * 3 for mode in ("write", "read", "read", "read", "random", "random")),
    "schedule": TABLE_2,
}
"""Groups of jobs, one of each tenant side by side."""
_CPU = Path("/sys/fs/cgroup/cpuacct")
_VMS = {vm: tenant.name for tenant in TENANTS for vm in tenant.vms}
_LONGEST_S = 420.0
"""A unit, before any was measured."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One run of the experiment."""

    part: str
    turn: int
    """Of the pass."""
    policy: str


def order(part: str, turn: int, seeds: Seeds) -> list[str]:
    """The policies of a pass: drawn once, then each pass begins one further, so that none always comes first.

    Args:
        part: of the experiment.
        turn: the pass, from 0.
        seeds: of the draw.
    """
    drawn = list(POLICIES)
    seeds.child(part, turn // len(drawn)).random().shuffle(drawn)
    at = turn % len(drawn)
    return drawn[at:] + drawn[:at]


def setup() -> dict[str, Any]:
    """All that makes runs comparable: of a run with another setup nothing is compared."""
    return {
        "shape": asdict(SHAPE),
        "block_bytes": BLOCK_BYTES,
        "period_s": PERIOD_S,
        "sizes_mib": {name: asdict(sizes) for name, sizes in SIZES.items()},
    }


def read_runs(path: Path = RUNS) -> list[dict[str, Any]]:
    """The units measured so far with this setup, the oldest first.

    Args:
        path: where they are.
    """
    if not path.is_file():
        return []
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return [row for row in rows if row["setup"] == setup()]


def pending(done: Sequence[Mapping[str, Any]], parts: Sequence[str], passes: int) -> Iterator[Unit]:
    """What is to be measured, in its order.

    Args:
        done: units measured.
        parts: of the experiment.
        passes: of each part.
    """
    have = {(each["part"], each["pass"], each["policy"]) for each in done}
    for turn in range(passes):
        for part in parts:
            for name in order(part, turn, Seeds(1)):
                if (part, turn, name) not in have:
                    yield Unit(part, turn, name)


class Experiment:
    """The cluster on the hypervisor, with its inputs; `with Experiment(hadoop) as it: it.run(unit)`."""

    def __init__(self, hadoop: Hadoop) -> None:
        """Describe it.

        Args:
            hadoop: the release.
        """
        self.hypervisor = Hypervisor(SHAPE)
        self.tenants: Tenants | None = None
        self._hadoop = hadoop
        self._groups = [Group(_CPU / "froude-hypervisor" / f"vm{i}") for i in range(SHAPE.volumes)]
        self._all = Group(_CPU / "froude-hypervisor")

    def __enter__(self) -> Experiment:
        with _stacked() as stack:
            stack.callback(self._remove_groups)
            for group in self._groups:
                group.folder.mkdir(parents=True, exist_ok=True)
            self._all.set("cgroup.procs", os.getpid())
            stack.callback(Group(_CPU).set, "cgroup.procs", os.getpid())
            stack.enter_context(self.hypervisor)
            self.hypervisor.split([0] * SHAPE.volumes)
            self.tenants = stack.enter_context(
                Tenants(self._hadoop, self.hypervisor, block_bytes=BLOCK_BYTES)
            )
            self._account()
            _note("the cluster is up")
            self._load()
            _note("the inputs are written")
            self.tenants.quicken(workload("Sort", TENANTS[0], "/out/training"))
            _note("application masters start quickly")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def run(self, unit: Unit) -> dict[str, Any]:
        """Measure one unit.

        Args:
            unit: which.
        """
        assert self.tenants is not None
        tenants, space = self.tenants, SHAPE.ssd_bytes
        with tenants.rearranged():
            self.hypervisor.throttle(None)
            if unit.policy == "shared":
                self.hypervisor.share(space)
            else:
                each = 0 if unit.policy == "none" else space // SHAPE.volumes
                self.hypervisor.split([each] * SHAPE.volumes)
        self._account()
        self.hypervisor.throttle(SHAPE.disk)
        loop = Loop(
            policy_of(unit.policy),
            controls=self.hypervisor.controls,
            tenants=_VMS,
            space_bytes=space,
            miss_s=SHAPE.chunk_bytes / SHAPE.disk.bytes_per_s,
            own=self._own,
            period_s=PERIOD_S,
            seeds=Seeds(1).child(unit.part, unit.turn),
        )
        before, began = self._processor(), time.monotonic()
        with loop:
            groups = [self._group(number, names, loop) for number, names in enumerate(PARTS[unit.part])]
        seconds = time.monotonic() - began
        after = self._processor()
        statuses = [status.to_json() for status in tenants.statuses()]
        self.hypervisor.throttle(None)
        tenants.cluster.hdfs.shell(
            "-rm", "-r", "-f", "-skipTrash", "/out", *(f"/{t.name}/written" for t in TENANTS)
        )
        return {
            "part": unit.part,
            "pass": unit.turn,
            "policy": unit.policy,
            "seconds": round(seconds, 2),
            "groups": groups,
            "rounds": [asdict(each) for each in loop.rounds],
            "statuses": statuses,
            "reasons": loop.reasons,
            "processor": {name: round(after[name] - before[name], 1) for name in after},
            "load": os.getloadavg()[0],
            "at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}",
            "machine": machine(),
            "commit": commit(),
            "setup": setup(),
        }

    def _group(self, number: int, names: Sequence[str], loop: Loop) -> dict[str, Any]:
        """One job of each tenant, side by side."""
        began = time.monotonic()
        with ThreadPoolExecutor(len(TENANTS)) as pool:
            jobs = list(
                pool.map(lambda pair: self._job(*pair, number, loop), zip(TENANTS, names, strict=True))
            )
        seconds = time.monotonic() - began
        took = ", ".join("{:.1f}".format(each["seconds"]) for each in jobs)
        _note(f"  {'/'.join(names)}: {took} s")
        return {"seconds": round(seconds, 2), "jobs": jobs}

    def _job(self, tenant: Tenant, name: str, number: int, loop: Loop) -> dict[str, Any]:
        assert self.tenants is not None
        before = self.tenants.statuses()
        ended = self.tenants.run(tenant, workload(name, tenant, f"/out/{tenant.name}-{number}"))
        found: dict[str, Any] = {"name": name, "tenant": tenant.name, "seconds": round(ended.seconds, 2)}
        if ended.code:
            raise TargetError("failed", file=f"{name} of {tenant.name}", found=ended.why)
        if not loop.policy.shares:
            run = job_run(ended.seconds, before, self.tenants.statuses(), tenant.vms)
            loop.ended(tenant.name, run)
            found |= {"reads": sum(run.reads.values()), "misses": sum(run.misses.values())}
        return found

    def _load(self) -> None:
        """Write every tenant's inputs, onto its VMs."""
        assert self.tenants is not None
        tenants = self.tenants
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder, ThreadPoolExecutor(2) as pool:
            rng = np.random.default_rng(Seeds(1).child("inputs").value)
            made = [
                (make_inputs(Path(folder) / tenant.name, tenant, at, rng), vm)
                for tenant in TENANTS
                for at, vm in enumerate(tenant.vms)
            ]
            list(pool.map(lambda each: tenants.put(*each), made))

    def _account(self) -> None:
        """Count each VM's processor time: its DataNode, its NodeManager and what that starts."""
        assert self.tenants is not None
        cluster = self.tenants.cluster
        for group, *daemons in zip(self._groups, cluster.hdfs.datanodes, cluster.nodemanagers, strict=True):
            for daemon in daemons:
                group.set("cgroup.procs", daemon.pid)

    def _own(self) -> list[Own]:
        """Processor time of each VM, and bytes that its DataNode exchanged.

        A DataNode moves each byte twice, between its disk and its buffers and between these and the network; the
        kernel counts both.
        """
        assert self.tenants is not None
        found = []
        for group, daemon in zip(self._groups, self.tenants.cluster.hdfs.datanodes, strict=True):
            moved = psutil.Process(daemon.pid).io_counters()
            exchanged = (moved.read_chars + moved.write_chars) // 2
            found.append(Own(group.number("cpuacct.usage") / 1e9, exchanged))
        return found

    def _processor(self) -> dict[str, float]:
        """Processor seconds: of this experiment, of all that runs here, and those that there are."""
        words = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
        ticks = [int(each) / os.sysconf("SC_CLK_TCK") for each in words]
        # user and nice hold those of guests already
        whole = sum(ticks[:8])
        return {
            "ours": self._all.number("cpuacct.usage") / 1e9,
            "all": whole - ticks[3] - ticks[4],
            "there": whole,
        }

    def _remove_groups(self) -> None:
        for group in (*self._groups, self._all):
            if group.folder.is_dir():
                group.folder.rmdir()


def measure(minutes: float, parts: Sequence[str], passes: int, path: Path = RUNS) -> int:
    """Measure units until the time is nearly over; each is appended as it ends.

    Args:
        minutes: that this may take.
        parts: of the experiment.
        passes: of each.
        path: where runs are appended.

    Returns:
        How many units are left.
    """
    deadline = time.monotonic() + minutes * 60
    todo = list(pending(read_runs(path), parts, passes))
    if not todo:
        return 0
    with Experiment(Hadoop.find()) as experiment:
        for number, unit in enumerate(todo):
            took = [each["seconds"] + 30 for each in read_runs(path) if each["part"] == unit.part]
            if number and time.monotonic() + max(took, default=_LONGEST_S) > deadline:
                return len(todo) - number
            _note(f"{unit.part}, pass {unit.turn}, {unit.policy}")
            found = experiment.run(unit)
            _note(f"{found['seconds']} s; processor: {found['processor']}")
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as out:
                out.write(json.dumps(found, separators=(",", ":")) + "\n")
    return 0


def _note(text: str) -> None:
    print(f"{datetime.now():%H:%M:%S} {text}", file=sys.stderr, flush=True)


def _stacked() -> Any:
    from contextlib import ExitStack

    return ExitStack()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=11.0, help="how long this may take [11]")
    parser.add_argument("--parts", default=",".join(PARTS), help="of the experiment [all]")
    parser.add_argument("--passes", type=int, default=6, help="of each part [6]")
    asked = parser.parse_args()
    reason = why_not()
    if reason:
        raise SystemExit(str(MissingError(reason)))
    for name in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # so that disks and groups go, also of one begun in the background
        signal.signal(name, signal.default_int_handler)
    left = measure(asked.minutes, asked.parts.split(","), asked.passes)
    print(f"{left} units left")


if __name__ == "__main__":
    main()
