"""What players cost: a pipelined call, ten thousand emulated DataNodes, and Hadoop's own NNThroughputBenchmark.

    python benchmarks/bench_player.py

The six operations run on one warmed NameNode, 64 calls in flight on both sides, a round of ours and a round of
NNThroughputBenchmark (remote mode, 64 threads) in turn. Client CPU is counted over the measured operation alone:
of the Java client from the line that starts it to the line that ends it, so start-up and preparation are not
held against it; the calls are enough for its compiler to have done its work.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from froude.emulation.controller import Controller, Group
from froude.emulation.core import Core
from froude.emulation.driver import Driver
from froude.emulation.engine import PlayJob, PlayOutcome, connect, play_apart
from froude.emulation.programs.events import Endpoint, NodeId, Program
from froude.emulation.programs.population import PlaySettings
from froude.emulation.programs.stream import Ready, Stream
from froude.emulation.settings import Connections
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.release.distribution import cache_folder
from froude.hadoop.release.maven import Coordinate, Repository
from froude.hadoop.rpc.target import Target, target_at
from froude.messages.schema import Schema
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import NodeType, Recorded, StartRule, Workload

CALLS, ROUNDS, DATANODES = 50_000, 3, 10_000
CONNECTIONS, WINDOW = 4, 16
PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
DATANODE = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"
OPERATIONS = {
    "getFileInfo": "fileStatus",
    "getBlockLocations": "open",
    "mkdirs": "mkdirs",
    "create": "create",
    "rename": "rename",
    "delete": "delete",
}
_BENCHMARK = "org.apache.hadoop.hdfs.server.namenode.NNThroughputBenchmark"
_LOG4J = """log4j.rootLogger=INFO,C
log4j.appender.C=org.apache.log4j.ConsoleAppender
log4j.appender.C.layout=org.apache.log4j.PatternLayout
log4j.appender.C.layout.ConversionPattern=%m%n
"""
Figure = tuple[float, float]
"""Calls per second, and microseconds of client CPU per call."""


class _Streams:
    def __init__(self, parts: list[list[Ready]], target: Target) -> None:
        self.parts = parts
        self.target = target

    def program(self, node: NodeId) -> Program:
        return Stream(iter(self.parts[node.number]), window=WINDOW)

    def endpoint(self, node: NodeId, protocol: str, service: str) -> Endpoint:
        return Endpoint(protocol, "root", None, node.number, self.target)

    def client_id(self, node: NodeId) -> bytes | None:
        return None

    def caller_context(self, node: NodeId) -> str | None:
        return None


def ours(  # noqa: PLR0917 - whom, and what
    address: tuple[str, int],
    schema: Schema,
    method: str,
    name: str,
    calls: int = CALLS,
    cluster_id: str = "CID-bench",
) -> Figure:
    """One operation by Froude's player, latencies from intended and actual send time kept."""
    kind = schema.method(PROTOCOL, method).request
    ready = [
        Ready(PROTOCOL, method, kind(**fields).SerializeToString())
        for fields in _requests(method, name, calls)
    ]
    streams = _Streams(
        [ready[part::CONNECTIONS] for part in range(CONNECTIONS)], target_at("namenode", address, cluster_id)
    )
    core = Core(streams, Controller([Group("stream", CONNECTIONS, StartRule())]), connect=connect)
    begun_s, cpu_s = time.perf_counter(), time.process_time()
    Driver(core).run()
    took_s, cpu_s = time.perf_counter() - begun_s, time.process_time() - cpu_s
    series = core.tally.of(method)
    if core.failure is not None or series.errors or series.from_intended.total != calls:
        raise RuntimeError(f"{method}: {core.failure} {series.errors}")
    return calls / took_s, cpu_s / calls * 1e6


def _target(address: tuple[str, int]) -> Target:
    return target_at("namenode", address, "CID-bench")


def _requests(method: str, name: str, calls: int) -> Iterator[dict[str, Any]]:
    for number in range(calls):
        src = f"/froude/{name}/d{number // 4}/f{number}"
        if method == "getBlockLocations":
            yield {"src": src, "offset": 0, "length": 1 << 30}
        elif method == "mkdirs":
            yield {
                "src": f"/froude/{name}-dirs/d{number // 4}/f{number}",
                "masked": {"perm": 493},
                "createParent": True,
            }
        elif method == "create":
            yield {
                "src": src, "masked": {"perm": 420}, "clientName": name, "createFlag": 3, "createParent": True,
                "replication": 3, "blockSize": 1 << 20,
            }  # fmt: skip
        elif method == "rename":
            yield {"src": src, "dst": src + "_r"}
        elif method == "delete":
            yield {"src": src + "_r", "recursive": False}
        else:
            yield {"src": src}


def java(namenode: NameNode, operation: str, classpath: str) -> Figure:
    """One operation by NNThroughputBenchmark against the same NameNode."""
    with tempfile.TemporaryDirectory(prefix="froude-bench-") as folder:
        (Path(folder) / "log4j.properties").write_text(_LOG4J)
        default = f"<property><name>fs.defaultFS</name><value>{namenode.uri}</value></property>"
        site = f"<configuration>{default}</configuration>"
        (Path(folder) / "core-site.xml").write_text(site)
        size = ("-dirs",) if operation == "mkdirs" else ("-files",)
        command = [
            str(namenode.hadoop.java.home / "bin" / "java"), "-Xmx512m", "-cp", f"{folder}:{classpath}", _BENCHMARK,
            "-fs", namenode.uri, "-op", operation, "-threads", str(CONNECTIONS * WINDOW), *size, str(CALLS),
        ]  # fmt: skip
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert child.stdout is not None
        process, starts, before, spent, rate = psutil.Process(child.pid), 0, 0.0, 0.0, 0.0
        said = []
        for line in child.stdout:
            said.append(line)
            if line.startswith(f"Starting {CALLS} {operation}"):
                starts, before = starts + 1, _cpu_s(process)
            elif line.startswith(f"--- {operation} inputs") and starts:
                spent = _cpu_s(process) - before
            elif "Ops per sec" in line:
                rate = float(line.split(":")[1])
        child.wait()
    if not rate or not spent:
        raise RuntimeError(f"NNThroughputBenchmark {operation} said\n{''.join(said[-20:])}")
    return rate, spent / CALLS * 1e6


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def java_classpath(hadoop: Hadoop) -> str:
    """Of NNThroughputBenchmark, which is among Hadoop's tests."""
    repository = Repository(cache_folder() / "maven")
    tests = [
        repository.fetch(Coordinate("org.apache.hadoop", artifact, hadoop.version, "tests"))
        for artifact in ("hadoop-hdfs", "hadoop-common")
    ]
    return ":".join([*map(str, tests), hadoop.classpath])


def operations() -> list[dict[str, Any]]:
    """Rows of the six operations, ours beside Hadoop's."""
    hadoop = Hadoop.find()
    classpath = java_classpath(hadoop)
    figures: dict[str, list[tuple[Figure, Figure]]] = {method: [] for method in OPERATIONS}
    with hadoop.namenode(heap="2 GB") as namenode:
        for warming in range(2):
            for method in ("create", "getFileInfo", "getBlockLocations", "mkdirs", "rename", "delete"):
                ours(namenode.address, hadoop.schema(), method, f"warm{warming}")
        for number in range(ROUNDS):
            mine = {}
            for method in ("create", "getFileInfo", "getBlockLocations", "mkdirs", "rename", "delete"):
                mine[method] = ours(namenode.address, hadoop.schema(), method, f"round{number}")
            for method, operation in OPERATIONS.items():
                figures[method].append((mine[method], java(namenode, operation, classpath)))
        plain = [
            ours(namenode.address, hadoop.schema(), "getFileInfo", f"plain{n}", 5 * CALLS)
            for n in range(ROUNDS)
        ]
    return [
        *_plain_rows(plain, hadoop.version),
        *(row for m in OPERATIONS for row in _rows(m, figures[m], hadoop)),
    ]


def _plain_rows(plain: list[Figure], version: str) -> list[dict[str, Any]]:
    conditions = (
        f"NameNode {version}, {CONNECTIONS} connections x {WINDOW} in flight, per-call latency kept, "
        f"median of {ROUNDS}"
    )
    cpu_us, rate = statistics.median(f[1] for f in plain), statistics.median(f[0] for f in plain)
    return [
        {"measure": "player: CPU per pipelined getFileInfo", "value": round(cpu_us, 2), "unit": "us", "aim": "<= 12",
         "met": cpu_us <= 12, "conditions": conditions},
        {"measure": "player: pipelined getFileInfo", "value": round(rate), "unit": "calls/s",
         "conditions": conditions},
    ]  # fmt: skip


def _rows(method: str, rounds: list[tuple[Figure, Figure]], hadoop: Hadoop) -> Iterator[dict[str, Any]]:
    mine_rate, mine_us, java_rate, java_us = (
        statistics.median(pair[side][what] for pair in rounds) for side in (0, 1) for what in (0, 1)
    )
    conditions = (
        f"same warmed NameNode {hadoop.version}, Java {hadoop.java.major}, 64 in flight, {CALLS:,} calls, "
        f"median of {len(rounds)}; ours {mine_rate:,.0f} calls/s at {mine_us:.1f} us, "
        f"NNThroughputBenchmark {java_rate:,.0f} at {java_us:.0f} us"
    )
    faster, leaner = mine_rate / java_rate, java_us / mine_us
    yield {
        "measure": f"player: {method}, calls/s against NNThroughputBenchmark", "value": round(faster, 2),
        "unit": "times",
        "aim": ">= 2.5", "met": faster >= 2.5, "conditions": conditions,
    }  # fmt: skip
    yield {
        "measure": f"player: {method}, client CPU of NNThroughputBenchmark by ours", "value": round(leaner, 1),
        "unit": "times", "aim": ">= 6", "met": leaner >= 6, "conditions": conditions,
    }  # fmt: skip


def datanodes(count: int = DATANODES, seconds: float = 45.0) -> list[dict[str, Any]]:
    """Rows of emulated DataNodes that beat every 3 s in one process."""
    hadoop = Hadoop.find()
    node_type = NodeType("datanode", Count(0, {"datanodes": 1}), (), program="datanode")
    plan = Plan(Workload((node_type,), Recorded((), ())), Scale.of(datanodes=count), {"datanode": count})
    with hadoop.namenode(heap="2 GB") as namenode:
        target = target_at("namenode", namenode.address, namenode.cluster_id)
        settings = PlaySettings({"": target}, Connections(pool=1, user="root"))
        schema = hadoop.schema().subset([PROTOCOL, DATANODE])
        job = PlayJob(plan, schema, settings, duration_s=seconds)
        live = [0]

        def watch(_load: object) -> bool:
            live[0] = namenode.live_datanodes()
            return True

        outcome = play_apart(job, watch)
    return _datanode_rows(outcome, count, live[0], hadoop.version)


def _datanode_rows(outcome: PlayOutcome, count: int, live: int, version: str) -> list[dict[str, Any]]:
    if outcome.failure is not None:
        raise outcome.failure
    steady = [load for load in outcome.load if load.time_s > outcome.elapsed_s / 2]
    share = statistics.mean(load.cpu_share for load in steady) * 100
    rss = max(load.rss_bytes for load in outcome.load) / 2**20
    beats = outcome.tally.of("sendHeartbeat").from_intended.percentiles()
    conditions = (
        f"{count:,} DataNodes at 3 s on a NameNode {version}, one player process, one connection, second half of "
        f"{outcome.elapsed_s:.0f} s; errors {sum(s.errors.total() for s in outcome.tally.series.values())}; "
        f"heartbeat p50 {beats.p50_ms:.1f} ms over the whole run, start included"
    )
    return [
        {"measure": "player: emulated DataNodes live", "value": live, "unit": "nodes", "aim": f">= {count}",
         "met": live >= count, "conditions": conditions},
        {"measure": "player: CPU of 10,000 emulated DataNodes", "value": round(share, 1), "unit": "% of a core",
         "aim": "<= 10", "met": share <= 10, "conditions": conditions},
        {"measure": "player: memory of 10,000 emulated DataNodes", "value": round(rss, 1), "unit": "MB", "aim": "<= 80",
         "met": rss <= 80, "conditions": conditions},
    ]  # fmt: skip


def rows() -> list[dict[str, Any]]:
    """The benchmark's rows."""
    return [*datanodes(), *operations()]


def main() -> None:
    """Print the rows as JSON."""
    print(json.dumps(rows(), indent=1))


if __name__ == "__main__":
    main()
