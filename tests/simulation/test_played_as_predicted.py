"""What prediction certifies is what is played: a play's own Trace, held against the workload that was played."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.seeds import Seeds
from froude.emulation.engine import PlayJob, PlayOutcome
from froude.emulation.recorder import Spool
from froude.emulation.run.run import Run
from froude.emulation.settings import Record
from froude.experiment.play.played_trace import trace_of
from froude.hadoop.release.distribution import Hadoop
from froude.messages.schema import Schema
from froude.mining.check.prediction import Prediction, predict
from froude.trace.redact import Redactor
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Flow,
    NodeType,
    Recorded,
    Repeat,
    Rule,
    Side,
    StartRule,
    Template,
    Timing,
    Which,
    Workload,
)
from testbed.plans import plan
from tests.support.simulation.world import Trouble, World

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
STEADY = Trouble(latency_s=0.0001, service_s=0.0001)
NESTINGS: list[tuple[str, ...]] = [(), ("B",), ("B", "C")]
CASES = [
    (which, taking)
    for which in Which
    for taking in NESTINGS
    if which is not Which.CAUSE and (taking or which is not Which.NTH)
]
"""Every flow from an earlier call; a taker in no loop of its own has no number for NTH."""


def played(planned: Plan, schema: Schema, folder: Path, seed: int = 1) -> Prediction:
    """Play a plan on the model, and predict its calls from its workload."""
    spool = folder / "spool"
    with spool.open("wb") as file:
        journal = Spool(file, Record.FULL, Seeds(seed), Redactor(schema, bytes(32)))
        world = World(planned, schema, seed, STEADY, journal=journal)
        world.run()
    assert world.core.failure is None
    run = Run(world.core.tally, "model:1", "CID-model", 0.0, world.events.now)
    job = PlayJob(planned, schema, world.settings, seed)
    trace = trace_of(spool, run, PlayOutcome(world.core.tally, 0.0, 0.0, 0.0, []), job)
    assert len(trace.calls) == sum(sent for sent, _ in run.tally.whole.counts.values())
    return predict(planned.workload, trace)


def looking(which: Which, taking: tuple[str, ...], node_type: str | None) -> Plan:
    """Clients that look at paths, one a place, and list the ones that a flow names, in loops of their own."""
    path = Template(("/n", Counter(0, {"node": 1}), "/s", Counter(0, {"S": 1}), "/a", Counter(0, {"A": 1})))
    timing = Timing(Count(0.01), service=Count(0.001))
    look = CallTemplate("client.look", CLIENT, "getFileInfo", {"src": path}, timing)
    flow: Rule = Flow("client.look", Side.REQUEST, "src", which, node_type)
    if which is Which.PREVIOUS:
        flow = Cases("S", Constant("/none"), None, flow)
    arguments = {"src": flow, "startAfter": Constant(b""), "needLocation": Constant(False)}
    steps: tuple[CallTemplate | Repeat, ...] = (
        CallTemplate("client.list", CLIENT, "getListing", arguments, timing),
    )
    for loop in reversed(taking):
        mark = CallTemplate(f"client.{loop}", CLIENT, "renewLease", {"clientName": Constant(loop)}, timing)
        steps = (Repeat(loop, Count(2), (mark, *steps)),)
    body = (Repeat("A", Count(3), (look,)), *steps)
    client = NodeType(
        "client", Count(2), (Repeat("S", Count(3), body),), start=StartRule(delay_s=0.1, spacing_s=0.004)
    )
    return Plan(Workload((client,), Recorded((), ())), Scale.of(clients=2), {"client": 2})


@pytest.mark.parametrize("node_type", [None, "client"])
@pytest.mark.parametrize(("which", "taking"), CASES)
def test_every_flow_in_every_nesting(
    which: Which, taking: tuple[str, ...], node_type: str | None, *, hadoop: Hadoop, tmp_path: Path
) -> None:
    """Each value that flows is the predicted one, from calls of the node's own and of others of its type."""
    prediction = played(looking(which, taking, node_type), hadoop.schema(), tmp_path)
    assert prediction.misses == ()
    assert prediction.sequence_share == 1.0
    leaves = 3 * 2 ** len(taking) + sum(2**level for level in range(1, len(taking) + 1))
    assert prediction.row("all").leaves == 2 * 3 * (3 + leaves)


def test_a_play_of_files_is_predicted_by_its_own_workload(hadoop: Hadoop, tmp_path: Path) -> None:
    """Nodes, loops, effects on DataNodes, and every argument of the clients."""
    prediction = played(plan(datanodes=3, clients=2, files=3), hadoop.schema(), tmp_path)
    (client,) = [each for each in prediction.sequences if each.node_type == "client"]
    assert client.exact == client.nodes_real == 2
    assert [miss for miss in prediction.misses if miss.method not in DATANODES] == []


DATANODES = {"versionRequest", "registerDatanode", "sendHeartbeat", "blockReport", "blockReceivedAndDeleted"}
