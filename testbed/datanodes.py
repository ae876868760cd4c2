"""Emulated DataNodes and writers at work on a real NameNode, for as long as a test wants."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from froude.emulation.engine import PlayJob, PlayOutcome
from froude.emulation.playing import play_here
from froude.emulation.programs.hdfs.datanodes import KIND
from froude.emulation.programs.hdfs.stalls import Stall
from froude.emulation.programs.population import PlaySettings
from froude.emulation.settings import Connections, DatanodeSettings
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.target import Target
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Constant,
    Counter,
    Flow,
    NodeType,
    Poll,
    Recorded,
    Repeat,
    Rule,
    Side,
    Template,
    Timing,
    Which,
    Workload,
)

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
BLOCK_BYTES = 1 << 20
_FILE = Template(("/placed/w", Counter(0, {"node": 1}), "-", Counter(0, {"L1": 1})))
_NAME = Template(("DFSClient_NONMAPREDUCE_", Counter(1, {"node": 1}), "_1"))


def _call(name: str, method: str, arguments: dict[str, Rule], poll: Poll | None = None) -> CallTemplate:
    timing = Timing(Count(0.002), service=Count(0.001))
    return CallTemplate(name, CLIENT, method, arguments, timing, poll)


def writing(datanodes: int, writers: int, files: int, *, who: str = "writer") -> Plan:
    """Writers make files of one block each, then only renew their lease now and then.

    Args:
        datanodes: emulated ones.
        writers: at once.
        files: of each.
        who: what the writers are called: those of two plays are others, whose calls a NameNode does not take for
            repeated ones.
    """
    named: dict[str, Rule] = {"src": _FILE, "clientName": _NAME}
    fixed: dict[str, Rule] = {
        "masked.perm": Constant(420),
        "createFlag": Constant(3),
        "createParent": Constant(True),
        "replication": Constant(3),
        "blockSize": Constant(BLOCK_BYTES),
    }
    file_id: dict[str, Rule] = {"fileId": Flow(f"{who}.create", Side.RESPONSE, "fs.fileId")}
    last: dict[str, Rule] = {
        f"last.{field}": Flow(f"{who}.add", Side.RESPONSE, f"block.b.{field}", Which.LAST)
        for field in ("poolId", "blockId", "generationStamp")
    }
    last["last.numBytes"] = Constant(BLOCK_BYTES)
    file = (
        _call(f"{who}.create", "create", named | fixed),
        _call(f"{who}.add", "addBlock", named | file_id),
        _call(f"{who}.complete", "complete", named | last | file_id, Poll("result", True)),
    )
    waiting = CallTemplate(
        f"{who}.lease", CLIENT, "renewLease", {"clientName": _NAME}, Timing(Count(1.0), service=Count(0.001))
    )
    steps = (
        Repeat("L1", Count(0, {"files": 1}), file),
        Repeat("L2", Count(100_000), (waiting,)),
    )
    types = (
        NodeType(KIND, Count(0, {"datanodes": 1}), (), program=KIND),
        NodeType(who, Count(0, {"writers": 1}), steps),
    )
    scale = Scale.of(datanodes=datanodes, writers=writers, files=files)
    return Plan(Workload(types, Recorded((), ())), scale, {KIND: datanodes, who: writers})


@contextmanager
def playing(
    namenode: NameNode, plan: Plan, datanodes: DatanodeSettings, stalls: tuple[Stall, ...] = ()
) -> Iterator[list[PlayOutcome]]:
    """The plan is played in a thread while the block runs.

    Args:
        namenode: whom the nodes call.
        plan: of `writing`.
        datanodes: what its DataNodes have in common.
        stalls: those whose disks stand still for a while.

    Yields:
        A list that holds the outcome once the block has ended.
    """
    target = Target("namenode", f"{namenode.host}:{namenode.port}", namenode.cluster_id)
    settings = PlaySettings(
        {"": target}, Connections(pool=1, user="root"), programs={KIND: datanodes}, stalls=stalls
    )
    job = PlayJob(plan, namenode.hadoop.schema(), settings)
    over = threading.Event()
    outcome: list[PlayOutcome] = []
    player = threading.Thread(target=lambda: outcome.append(play_here(job, lambda _: not over.is_set())))
    player.start()
    try:
        yield outcome
    finally:
        over.set()
        player.join()
