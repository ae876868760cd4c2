"""Which design of a duet is narrower: two NameNodes under load together, or in turns.

    python -m benchmarks.bench_duet_designs --blocks 8 --crowded
    python -m benchmarks.results_answers --only duet-designs

Two NameNodes run side by side, with heartbeats of 50 DataNodes each. Sixteen clients of each call it, one call at a
time with a pause of 10 ms after each answer, in blocks of two minutes in slices of 3 s: in one block both arms together,
in the next one arm at a time, in the order A B B A, and so on (`duet_designs`), so that both designs have the same
clients, machine time and neighbours. Each block is added to `docs/results/duet-designs.json`; what is shown comes of all
blocks in that file. `--crowded` starts no busy processes: other work is there. `--candidate` is as of `bench_duet`.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import count
from pathlib import Path
from statistics import fmean, median, variance
from typing import Any

from benchmarks.bench_duet import KINDS, plain
from benchmarks.bench_unseen import busy
from benchmarks.duet_designs import (
    Call,
    Design,
    Part,
    Used,
    cpu_ratio,
    designs,
    part_of,
    service_ratio,
    standard_error,
)
from froude.emulation.engine import PlayJob, play_apart
from froude.emulation.programs.population import PlaySettings
from froude.emulation.settings import Connections
from froude.experiment.duet.slices import SLICE_S
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.metrics.threads import COLLECTOR, COMPILER, ThreadTimes
from froude.hadoop.rpc.connection import Connection
from froude.hadoop.rpc.target import target_at
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import NodeType, Recorded, Workload

FILE = Path(__file__).resolve().parent.parent / "docs" / "results" / "duet-designs.json"
CLIENTS, PAUSE_S, DATANODES = 16, 0.01, 50
BLOCK_SLICES = 40
WARM_UP_S, START_S = 120.0, 15.0
"""Both under load before the first block, and until the clients' processes have started."""
PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_PROCESS_CPU = 2
"""Kind of the clock of a process's CPU time, in the lowest bits of its number. Source: Linux, posix-timers.h."""
Intervals = Sequence[tuple[float, float]]


def called(address: tuple[str, int], intervals: Intervals) -> list[Call]:
    """Call a NameNode by all clients of one arm, in a process of its own.

    Args:
        intervals: on the machine's monotonic clock, in which calls may begin.
    """
    schema = Hadoop.find().schema().subset([PROTOCOL])
    calls: list[Call] = []

    def client(number: int) -> None:
        with Connection(*address, schema, PROTOCOL, user="root") as connection:
            requests = _requests(f"/designs/client{number}")
            for from_s, to_s in intervals:
                time.sleep(max(0.0, from_s - time.monotonic()))
                while time.monotonic() < to_s:
                    method, fields = next(requests)
                    request = connection.message(method, **fields)
                    begun_s = time.monotonic()
                    connection.call(method, request)
                    calls.append(Call(begun_s, time.monotonic(), method))
                    time.sleep(PAUSE_S)

    with ThreadPoolExecutor(CLIENTS) as pool:
        for each in [pool.submit(client, number) for number in range(CLIENTS)]:
            each.result()
    return calls


def _requests(folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """One file after another: made, looked at, moved, listed, looked at, deleted."""
    yield "mkdirs", {"src": folder, "masked": {"perm": 493}, "createParent": True}
    for number in count():
        src, dst = f"{folder}/f{number}", f"{folder}/m{number}"
        yield (
            "create",
            {
                "src": src, "masked": {"perm": 420}, "clientName": folder, "createFlag": 3, "createParent": True,
                "replication": 3, "blockSize": 1 << 20,
            },
        )  # fmt: skip
        yield "getFileInfo", {"src": src}
        yield "rename", {"src": src, "dst": dst}
        yield "getListing", {"src": folder, "startAfter": b"", "needLocation": False}
        yield "getFileInfo", {"src": dst}
        yield "delete", {"src": dst, "recursive": False}


@contextmanager
def heartbeats(namenode: NameNode) -> Iterator[None]:
    """Of DataNodes on one NameNode, by a player of their own."""
    node_type = NodeType("datanode", Count(0, {"datanodes": 1}), (), program="datanode")
    plan = Plan(
        Workload((node_type,), Recorded((), ())), Scale.of(datanodes=DATANODES), {"datanode": DATANODES}
    )
    target = target_at("namenode", namenode.address, namenode.cluster_id)
    job = PlayJob(plan, Hadoop.find().schema(), PlaySettings({"": target}, Connections(pool=1, user="root")))
    ended = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        played = pool.submit(play_apart, job, lambda _: not ended.is_set())
        try:
            yield
        finally:
            ended.set()
            played.result()


class _Cpu:
    """CPU time of a JVM without its JIT compiler and garbage collector."""

    def __init__(self, pid: int) -> None:
        self._clock = (~pid << 3) | _PROCESS_CPU
        self._threads = ThreadTimes(pid)

    def sample(self) -> Used:
        threads = self._threads.sample()
        return Used(
            time.monotonic(), time.clock_gettime(self._clock) - threads[COMPILER] - threads[COLLECTOR]
        )


def measured(candidate: str, blocks: int) -> list[dict[str, Any]]:
    """Blocks of both designs in turn on the same two NameNodes, as they are kept in the file.

    Args:
        candidate: a kind of `bench_duet`.
        blocks: how many, two minutes each.
    """
    order = list(designs(blocks))
    with ExitStack() as stack:
        namenodes = [stack.enter_context(start()) for start in (plain, KINDS[candidate])]
        for each in namenodes:
            stack.enter_context(heartbeats(each))
        began_s = time.monotonic() + START_S
        first_s = began_s + WARM_UP_S
        borders = [first_s + SLICE_S * number for number in range(blocks * BLOCK_SLICES + 1)]
        parts = [borders[at * BLOCK_SLICES : (at + 1) * BLOCK_SLICES + 1] for at in range(blocks)]
        intervals = [
            [(began_s, first_s)]
            + [
                each
                for design, part in zip(order, parts, strict=True)
                for each in design.intervals(arm, part)
            ]
            for arm in (0, 1)
        ]
        spawned = multiprocessing.get_context("spawn")
        pool = stack.enter_context(ProcessPoolExecutor(2, mp_context=spawned))
        clients = [
            pool.submit(called, each.address, when) for each, when in zip(namenodes, intervals, strict=True)
        ]
        used, loads = _sampled([_Cpu(each.daemon.pid) for each in namenodes], borders, clients)
        calls = [each.result() for each in clients]
    at_time = time.strftime("%Y-%m-%d %H:%M")
    found = []
    for number, (design, part) in enumerate(zip(order, parts, strict=True)):
        at = slice(number * BLOCK_SLICES, (number + 1) * BLOCK_SLICES + 1)
        block = _block(design, part, calls, [each[at] for each in used])
        found.append({"candidate": candidate, "run": at_time, "load": loads[at][::10], **block})
    return found


def _sampled(
    cpus: Sequence[_Cpu], borders: Sequence[float], clients: Sequence[Future[list[Call]]]
) -> tuple[list[list[Used]], list[float]]:
    """CPU times of each arm, and the load of the machine, at each border."""
    used: list[list[Used]] = [[] for _ in cpus]
    loads = []
    for border_s in borders:
        time.sleep(max(0.0, border_s - time.monotonic()))
        for samples, cpu in zip(used, cpus, strict=True):
            samples.append(cpu.sample())
        loads.append(round(os.getloadavg()[0], 1))
        for each in clients:
            if each.done() and each.exception() is not None:
                each.result()
    return used, loads


def _block(
    design: Design, borders: Sequence[float], calls: Sequence[Sequence[Call]], used: Sequence[Sequence[Used]]
) -> dict[str, Any]:
    """One block: the logarithms of the ratios of its pairs."""
    near = [[each for each in arm if borders[0] <= each.ended_s <= borders[-1] + 1.0] for arm in calls]

    def part(arm: int, number: int) -> Part:
        ends = used[arm][number], used[arm][number + 1]
        return part_of(near[arm], borders[number], borders[number + 1], ends)

    numbers = design.pairs(len(borders) - 1)
    pairs = [(part(0, a), part(1, b)) for a, b in numbers]
    return {
        "design": design.value,
        "machine_s": round(borders[-1] - borders[0]),
        "calls": [sum(pair[arm].calls for pair in pairs) for arm in (0, 1)],
        "service": [_rounded(service_ratio(*pair)) for pair in pairs],
        "cpu": [_rounded(cpu_ratio(*pair)) for pair in pairs],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


def rows() -> Iterator[dict[str, Any]]:
    """Of each candidate and measure: the standard error of both designs, and how they compare."""
    everything = json.loads(FILE.read_text()) if FILE.exists() else []
    for candidate in KINDS:
        blocks = [each for each in everything if each["candidate"] == candidate]
        for name, field in (("service time", "service"), ("CPU per call", "cpu")):
            if blocks:
                yield from _rows(f"duet, {candidate}: {name}", field, blocks)


def _rows(name: str, field: str, blocks: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    errors = {}
    for design in Design:
        mine = [each for each in blocks if each["design"] == design.value]
        values = [[value for value in each[field] if value is not None] for each in mine]
        each_error = [100 * standard_error(value) for value in values]
        means = [100 * fmean(value) for value in values]
        errors[design] = math.sqrt(fmean(each**2 for each in each_error))
        loads = [load for each in mine for load in each["load"]]
        rates = [sum(each["calls"]) / each["machine_s"] for each in mine]
        yield {
            "measure": f"{name}, standard error after two minutes {_TEXT[design]}",
            "value": round(errors[design], 2),
            "unit": "points",
            "conditions": f"root mean square of {len(mine)} blocks, {len(values[0])} pairs each; of each block "
            f"{', '.join(f'{each:.2f}' for each in each_error)}; means of blocks "
            f"{', '.join(f'{each:+.1f}' for each in means)}, which spread by {_spread(mine, means):.2f} in a run; "
            f"{median(rates):,.0f} calls/s; load {min(loads):g} to {max(loads):g}, median {median(loads):g}",
        }
    times = errors[Design.TURNS] / errors[Design.TOGETHER]
    yield {
        "measure": f"{name}, error in turns over error together",
        "value": round(times, 2),
        "unit": "times",
        "conditions": f"after equal machine time; for an equal error {times**2:.1f} times the machine time",
    }


def _spread(blocks: Sequence[dict[str, Any]], means: Sequence[float]) -> float:
    """Standard deviation of the means of blocks within a run; the NameNodes of another run are others."""
    runs: dict[str, list[float]] = {}
    for block, mean in zip(blocks, means, strict=True):
        runs.setdefault(block["run"], []).append(mean)
    return math.sqrt(fmean(variance(each) for each in runs.values()))


_TEXT = {Design.TOGETHER: "together", Design.TURNS: "in turns"}


def main() -> None:
    """Measure, and add each block to the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidate", choices=KINDS, default="equal")
    parser.add_argument(
        "--blocks", type=int, default=8, help="of two minutes, four at a time in A B B A order"
    )
    parser.add_argument("--crowded", action="store_true", help="start no busy processes: other work is there")
    arguments = parser.parse_args()
    with nullcontext() if arguments.crowded else busy():
        found = measured(arguments.candidate, arguments.blocks)
    everything = json.loads(FILE.read_text()) if FILE.exists() else []
    lines = ",\n".join(json.dumps(each) for each in [*everything, *found])
    FILE.write_text(f"[\n{lines}\n]\n")
    for row in rows():
        print(row["measure"], row["value"], row["unit"], row["conditions"], flush=True)


if __name__ == "__main__":
    main()
