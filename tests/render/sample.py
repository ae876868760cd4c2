"""A rich report with the figures of a plausible run, seeded: what the tests and the screenshots look at."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from froude.render import (
    ArrowKind,
    Axis,
    Callout,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Mark,
    Pattern,
    PatternArrow,
    PatternCall,
    PatternLane,
    PatternLoop,
    PatternPeriodic,
    Report,
    Section,
    Series,
    Table,
    Text,
    Tone,
    ValueKind,
)

SECONDS = Axis("time since start", ValueKind.DURATION)
LATENCY = Axis("latency", ValueKind.DURATION, log=True)


def pattern() -> Pattern:
    """An upload of files through hdfs-native, a shell step, and the DataNodes that it makes work."""
    client = PatternLane(
        "client",
        count="clients = 50",
        start="after every DataNode has started",
        steps=(
            PatternCall("c0", "getServerDefaults"),
            PatternCall("c1", "mkdirs", "src = /demo/client-{node}"),
            PatternLoop(
                "files / clients",
                (
                    PatternCall("c2", "create", "src = …/part-{L1}"),
                    PatternLoop(
                        "blocks per file",
                        (PatternCall("c3", "addBlock", "fileId from create"),),
                        value="2",
                    ),
                    PatternCall("c4", "complete", "until result = true"),
                    PatternCall("c5", "getFileInfo"),
                ),
                value="400",
            ),
            PatternCall("c6", "getListing"),
            PatternCall("c7", "rename2"),
            PatternCall("c8", "getBlockLocations"),
            PatternCall("c9", "delete", "recursive = true"),
        ),
        periodic=(PatternPeriodic(PatternCall("c10", "renewLease"), "30 s", 30.0),),
    )
    datanode = PatternLane(
        "datanode",
        count="datanodes = 200",
        steps=(
            PatternCall("d0", "versionRequest"),
            PatternCall("d1", "registerDatanode"),
            PatternCall("d2", "blockReport"),
        ),
        effects=(PatternCall("d3", "blockReceivedAndDeleted", "one an addBlock and replica"),),
        periodic=(
            PatternPeriodic(PatternCall("d4", "sendHeartbeat"), "3 s", 3.0),
            PatternPeriodic(PatternCall("d5", "blockReport "), "6 h", 21_600.0),
        ),
    )
    shell = PatternLane(
        "FsShell",
        count="1",
        start="after every client has finished",
        steps=(
            *(PatternCall(f"s{i}", "getFileInfo") for i in range(4)),
            PatternCall("s4", "getServerDefaults"),
            PatternLoop(
                "files",
                (
                    PatternCall("s5", "create"),
                    PatternCall("s6", "addBlock"),
                    PatternCall("s7", "complete"),
                    PatternCall("s8", "rename"),
                ),
                value="20,000",
            ),
        ),
    )
    arrows = (
        PatternArrow("datanode", "client", ArrowKind.START),
        PatternArrow("client", "FsShell", ArrowKind.START),
        PatternArrow("c3", "d3", ArrowKind.CAUSE, "each of block.locs"),
        PatternArrow("s6", "d3", ArrowKind.CAUSE, "each of block.locs"),
    )
    return Pattern(
        "What a job does, at any size",
        (client, datanode, shell),
        arrows,
        caption="Each lane is a type of node and reads from top to bottom.",
    )


def large_pattern() -> Pattern:
    """Seven node types of a MapReduce job; one of them makes 60 calls in a row."""
    methods = ["getFileInfo", "mkdirs", "create", "addBlock", "complete", "getListing", "setPermission"]
    rng = random.Random(5)

    def run(prefix: str, n: int) -> tuple[PatternCall, ...]:
        return tuple(PatternCall(f"{prefix}{i}", rng.choice(methods)) for i in range(n))

    lanes = (
        PatternLane(
            "NodeManager",
            "nodes = 400",
            steps=(PatternCall("n0", "registerNodeManager"),),
            periodic=(PatternPeriodic(PatternCall("n1", "nodeHeartbeat"), "1 s", 1.0),),
        ),
        PatternLane(
            "job client",
            "jobs = 3",
            start="after every NodeManager has started",
            steps=(*run("j", 37), PatternCall("jsub", "submitApplication")),
        ),
        PatternLane(
            "ApplicationMaster",
            "jobs = 3",
            start="after submitApplication",
            steps=(
                PatternCall("a0", "registerApplicationMaster"),
                PatternLoop("maps + reduces", (PatternCall("a1", "startContainers"),), "1,240"),
                *run("am", 60),
                PatternCall("a2", "finishApplicationMaster", count=2),
            ),
            periodic=(PatternPeriodic(PatternCall("a3", "allocate"), "1 s, while containers are open"),),
        ),
        PatternLane("map task", "maps = 1,200", steps=run("m", 12), start="after startContainers"),
        PatternLane("reduce task", "reduces = 40", steps=run("r", 11), start="after every map task"),
        PatternLane(
            "DataNode",
            "datanodes = 400",
            effects=(PatternCall("dn", "blockReceivedAndDeleted"),),
            periodic=(PatternPeriodic(PatternCall("hb", "sendHeartbeat"), "3 s", 3.0),),
        ),
        PatternLane("history server", "1", steps=run("h", 5)),
    )
    arrows = (
        PatternArrow("NodeManager", "job client", ArrowKind.START),
        PatternArrow("jsub", "ApplicationMaster", ArrowKind.START),
        PatternArrow("a1", "map task", ArrowKind.START),
        PatternArrow("a1", "reduce task", ArrowKind.START),
        PatternArrow("am3", "dn", ArrowKind.CAUSE),
        PatternArrow("m3", "dn", ArrowKind.CAUSE),
        PatternArrow("r4", "dn", ArrowKind.CAUSE),
        PatternArrow("a2", "history server", ArrowKind.START),
    )
    return Pattern("A MapReduce job", lanes, arrows)


def latency_series() -> tuple[Series, ...]:
    """p50 and p99 of four methods a second for two minutes; the NameNode stands still from 61 to 66 s."""
    rng = random.Random(11)
    base = {"addBlock": 1.1e-3, "complete": 0.8e-3, "create": 0.9e-3, "getFileInfo": 0.28e-3}
    series = []
    times = [float(t) for t in range(120)]
    for method, typical in base.items():
        p50 = [typical * math.exp(rng.gauss(0, 0.06)) * (1 + 0.5 * math.exp(-t / 8)) for t in times]
        p99 = [v * (4 + rng.random() * 3) for v in p50]
        actual = [v * (0.8 + 0.15 * rng.random()) for v in p99]
        for t in range(61, 66):
            p99[t] = 66.0 - t
            p50[t] = (66.0 - t) * 0.55
        actual[61] = 5.0
        series += [
            Series("p50", times, p50, panel=method),
            Series("p99", times, p99, panel=method),
            Series("p99 (from actual send)", times, actual, panel=method, dashed=True),
        ]
    return tuple(series)


def report() -> Report:
    """The whole sample."""
    return Report(
        title="Can this NameNode carry 50 clients on 200 DataNodes?",
        subtitle="Hadoop 3.5.0 · Java 17 · 2 cores · played 21 November 2026, 14:12 UTC · 2 min 0 s",
        lede=(
            "**Yes, with room to spare:** 50 clients on 200 DataNodes cost the NameNode 38 % of a core. "
            "The pattern predicted the unseen run with 6 nodes to the last call sequence."
        ),
        tone=Tone.GOOD,
        figures=(
            KeyFigure(
                "Call sequences predicted", 1.0, ValueKind.SHARE, aim=1.0, note="6 DataNodes, 5 clients"
            ),
            KeyFigure("Argument values predicted", 0.9874, ValueKind.SHARE, aim=0.99, note="ceiling 99.1 %"),
            KeyFigure("Throughput", 8421.0, unit="calls/s", note="1,010,488 calls in 2 min"),
            KeyFigure("p99 of addBlock", 0.00612, ValueKind.DURATION, aim=0.05, at_most=True),
        ),
        sections=(_prediction(), _pattern_section(), _load(), _limits()),
        facts={
            "Command": "froude play plan-50x200 --target hdfs://127.1.0.1:8020",
            "Seed": "7",
            "Workload": "sha256:8f0c2b…41d9",
            "Plan": "sha256:17aa90…c3e2",
            "Recorded": "2, 3 and 4 DataNodes with 1, 2 and 3 clients",
        },
    )


def _prediction() -> Section:
    columns = (
        Column("Calls"),
        Column("Fields", ValueKind.NUMBER),
        Column("Predicted", ValueKind.SHARE),
        Column("Ceiling", ValueKind.SHARE),
        Column("Generated", ValueKind.SHARE),
        Column("Unknown", ValueKind.SHARE),
        Column("Aim 99 %", ValueKind.MET),
    )
    rows = (
        ("logical calls", 41_220, 0.9961, 1.0, 0.0021, 0.0018, True),
        ("periodic calls", 18_904, 0.9685, 0.974, 0.0212, 0.0103, None),
        ("all", 60_124, 0.9874, 0.9918, 0.0081, 0.0045, False),
    )
    categories = ["addBlock", "blockReceivedAndDeleted", "complete", "create", "getFileInfo", "sendHeartbeat"]
    real = [120, 240, 120, 60, 75, 204]
    predicted = [120, 240, 120, 60, 75, 202]
    return Section(
        "Prediction against the real run",
        (
            Table(
                columns,
                rows,
                "Argument values of the held-out run",
                "Denominator: every leaf field of every request payload. A value that a generator supplies "
                "or that is unknown counts as a miss.",
            ),
            Chart(
                "Calls by method: what was predicted, and what 6 DataNodes and 5 clients really sent",
                Axis("method", ValueKind.CODE),
                Axis("calls", unit="calls"),
                (Series("real run", categories, real), Series("predicted", categories, predicted)),
                ChartKind.BARS,
            ),
        ),
        "Mined from runs with 2, 3 and 4 DataNodes; checked against a real one of **6 and 5**.",
    )


def _pattern_section() -> Section:
    return Section(
        "The mined pattern",
        (
            pattern(),
            Callout(
                "Two arguments could not be explained",
                "- `create.clientName` ends in a random number; a generator supplies it.\n"
                "- `sendHeartbeat.xceiverCount` is a gauge of the machine.",
            ),
        ),
        "Three node types; every loop is a formula over the scale, so the pattern holds at any size.",
    )


def _load() -> Section:
    rng = random.Random(3)
    times = [t / 10 for t in range(1200)]

    def noisy(f: Callable[[float], float]) -> list[float]:
        return [max(0.0, f(t) * (1 + rng.gauss(0, 0.04))) for t in times]

    stall = (61, 66)
    sent = noisy(lambda t: 8400 * min(1.0, t / 6))
    answered = [
        0.0 if stall[0] <= t < stall[1] else v * (2.2 if stall[1] <= t < 69 else 1)
        for t, v in zip(times, sent, strict=True)
    ]
    seconds = [float(t) for t in range(120)]
    heap = [180e6 + (t * 9e6) % 210e6 + t * 0.4e6 for t in seconds]
    standstill = Mark(61, "NameNode stopped", until=66)
    return Section(
        "Load and latency",
        (
            Chart(
                "Answers keep up with the schedule, but for the five seconds of standstill",
                SECONDS,
                Axis("throughput", unit="calls/s"),
                (Series("intended", times, sent), Series("answered", times, answered)),
                marks=(standstill,),
            ),
            Chart(
                "Latency by method, from the intended send time",
                SECONDS,
                LATENCY,
                latency_series(),
                marks=(Mark(61, "", until=66), Mark(0.05, "limit 50 ms", on="y")),
                caption="Dashed: from the actual send. It sees **one** slow call where callers waited.",
            ),
            Chart(
                "NameNode heap",
                SECONDS,
                Axis("heap used", ValueKind.BYTES),
                (Series("heap", seconds, heap),),
            ),
            Chart(
                "Live DataNodes",
                SECONDS,
                Axis("live DataNodes", unit="nodes"),
                (Series("live", [0.0, 1.0, 1.5, 2.5, 119.0], [0, 64, 130, 200, 200]),),
                ChartKind.STEP,
            ),
        ),
    )


def _limits() -> Section:
    return Section(
        "What limited the run",
        (
            Text(
                "Players used 12 % of one core and were late by `0.8 ms` at p99: the NameNode set the pace."
            ),
            Table(
                (
                    Column("Method", ValueKind.CODE),
                    Column("Calls", ValueKind.NUMBER),
                    Column("Errors", ValueKind.NUMBER),
                    Column("p50", ValueKind.DURATION),
                    Column("p99", ValueKind.DURATION),
                    Column("p99.9", ValueKind.DURATION),
                    Column("Bytes sent", ValueKind.BYTES),
                ),
                (
                    ("addBlock", 201_000, 0, 0.00112, 0.00612, 0.0211, 48_240_000),
                    ("blockReceivedAndDeleted", 402_000, 0, 0.00021, 0.00104, 0.0072, 120_600_000),
                    ("complete", 201_400, 0, 0.00083, 0.00441, 0.0188, 36_180_000),
                    ("create", 100_500, 2, 0.00094, 0.00538, 0.0203, 22_110_000),
                    ("sendHeartbeat", 8_000, 0, 0.00018, 0.00088, None, 3_360_000),
                ),
                "Every method",
            ),
        ),
    )
