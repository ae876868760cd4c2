"""The values behind `tests/data/old`: one of every form that a Froude wrote before this one."""

from __future__ import annotations

from collections import Counter as Counted
from dataclasses import replace
from pathlib import Path

from froude.emulation.run.bottleneck import Load, Measured
from froude.emulation.run.run import Difference, Run
from froude.emulation.run.tally import IntervalRow, Tally
from froude.trace.types import Trace
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Absent,
    Actor,
    CallTemplate,
    Constant,
    Counter,
    Effect,
    Finding,
    Generated,
    NodeFact,
    Question,
    Recorded,
    Scaled,
    Template,
    Unknown,
    Workload,
)
from froude.workload.walk import map_calls
from testbed import plans
from tests.support.trace.making import META, small_trace

OLD = Path(__file__).parents[1] / "data" / "old"
SCALE = Scale.of(datanodes=3, clients=2, files=2)


def trace() -> Trace:
    """`trace` and `broken.partial`."""
    notes = {"job": "écoute: two  words", "loss 1": "x"}
    return replace(small_trace(), meta=replace(META, notes=notes))


def _without_service_time(call: CallTemplate) -> CallTemplate:
    return replace(call, timing=replace(call.timing, service=None))


def workload() -> Workload:
    """`workload.yaml`, and the one in `plan`."""
    small = plans.workload(("CID-1",))
    client = map_calls(small.node_type("client"), _without_service_time)
    odd = CallTemplate(
        "client.odd",
        "p",
        "odd",
        {
            "bytes": Constant(b"\x00\xff"),
            "none": Constant(None),
            "text": Constant("yes: no é"),
            "float": Constant(1e-6),
            "big": Constant(2**63),
            "n": Unknown((1, "a", None)),
            "g": Generated("uuid", {"prefix": 1}),
            "f": NodeFact("address"),
            "s": Scaled(Count(1.5, {"files": 2.0}, cap=3.0)),
        },
        fails="java.io.IOException",
    )
    names = ("id.datanodeUuid", "registration.datanodeUuid")
    effect = Effect(odd, "client.create", "client", "block.locs", Actor.OWNER, *names, 0.5)
    user = Template(("u", Counter(0, {"node": 1})))
    return replace(
        small,
        node_types=(
            small.node_types[0],
            replace(client, effects=(effect,), caller_context=Constant("CLI"), user=user),
        ),
        recorded=Recorded(
            (Scale.of(datanodes=2, clients=1, files=2), SCALE), ("CID-1",), "3.5.0", ("cd" * 32,)
        ),
        questions=(
            Question(
                "client.c1 src",
                "Why?",
                "client",
                "client.create",
                "src",
                ("a", 1),
                (Constant("x"), Absent()),
                True,
            ),
            Question("q2", "How?", "client"),
        ),
        findings=(Finding("odd", False, "client", "files"),),
    )


def run() -> Run:
    """`run`, without its trace."""
    tally = Tally()
    series = tally.of("create")
    series.sent, series.answered, series.errors = 3, 2, Counted({"java.io.IOException": 1})
    series.from_intended.add([0.001, 0.002])
    series.from_actual.add([0.001, 0.002])
    tally.rows = [IntervalRow(1.0, "create", 3, 2, 1, 1.0, 2.0, 2.0, 2.0)]
    tally.lateness.add([0.001])
    tally.lag.add([0.0005])
    tally.notes["call left out: client.c1"] = 2
    return Run(
        tally, "127.0.0.1:1", "CID-1", 1e9, 2.0, scale={"files": "2"}, nodes={"client": 2}, record="sampled",
        load=[Load(1.0, 0.5, 10_000, 2, 1)], metrics=[Measured(1.0, {"process.cpu_seconds": 0.5})],
        interrupted=True, seed=7, speed=2.0, cores=2, remarks=["a remark"], differences=[Difference("create", 3, 2)],
    )  # fmt: skip
