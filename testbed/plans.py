"""A small plan for tests: clients that write, look at and delete files on emulated DataNodes."""

from __future__ import annotations

from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Absent,
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Flow,
    NodeType,
    Periodic,
    Poll,
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

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
BLOCK_BYTES = 1 << 20
LAST_BYTES = 12_345
FOLDER = Template(("/play/c", Counter(0, {"node": 1}, 3)))
FILE = Template(("/play/c", Counter(0, {"node": 1}, 3), "/f", Counter(0, {"L1": 1})))
NAME = Template(("DFSClient_NONMAPREDUCE_", Counter(1000, {"node": 1}), "_1"))


def call_template(
    name: str, method: str, arguments: dict[str, Rule], poll: Poll | None = None
) -> CallTemplate:
    """A client's call that begins 2 ms after the one before and takes 1 ms."""
    return CallTemplate(
        f"client.{name}", CLIENT, method, arguments, Timing(Count(0.002), service=Count(0.001)), poll
    )


def _block(prefix: str, which: Which) -> dict[str, Rule]:
    fields = ("poolId", "blockId", "generationStamp")
    return {f"{prefix}.{f}": Flow("client.add", Side.RESPONSE, f"block.b.{f}", which) for f in fields}


def _first_absent(rules: dict[str, Rule]) -> dict[str, Rule]:
    return {path: Cases("L2", Absent(), None, rule) for path, rule in rules.items()}


def workload(source_ids: tuple[str, ...] = (), start: StartRule | None = None) -> Workload:
    """Each client writes `files` files of two blocks, looks at each, lists its folder and deletes one file."""
    file_id: dict[str, Rule] = {"fileId": Flow("client.create", Side.RESPONSE, "fs.fileId")}
    who: dict[str, Rule] = {"src": FILE, "clientName": NAME}
    fixed: dict[str, Rule] = {
        path: Constant(value)
        for path, value in {
            "masked.perm": 420, "createFlag": 3, "createParent": True, "replication": 2, "blockSize": BLOCK_BYTES,
        }.items()
    }  # fmt: skip
    length: dict[str, Rule] = {"previous.numBytes": Constant(BLOCK_BYTES)}
    previous = _first_absent(_block("previous", Which.PREVIOUS) | length)
    last: dict[str, Rule] = _block("last", Which.LAST) | {"last.numBytes": Constant(LAST_BYTES)}
    done = Poll("result", True)
    file = (
        call_template("create", "create", {"src": FILE, "clientName": NAME, **fixed}),
        Repeat("L2", Count(2), (call_template("add", "addBlock", who | previous | file_id),)),
        call_template("complete", "complete", who | last | file_id, done),
        call_template("info", "getFileInfo", {"src": FILE}),
    )
    listing: dict[str, Rule] = {"src": FOLDER, "startAfter": Constant(b""), "needLocation": Constant(False)}
    first = Template(("/play/c", Counter(0, {"node": 1}, 3), "/f0"))
    steps = (
        Repeat("L1", Count(0, {"files": 1}), file),
        call_template("list", "getListing", listing),
        call_template("delete", "delete", {"src": first, "recursive": Constant(False)}),
    )
    lease = Periodic(
        call_template("lease", "renewLease", {"clientName": NAME}),
        30.0,
        opened_by=("client.create",),
        closed_by=("client.complete",),
    )
    return Workload(
        (
            NodeType("datanode", Count(0, {"datanodes": 1}), (), program="datanode"),
            NodeType(
                "client",
                Count(0, {"clients": 1}),
                steps,
                periodic=(lease,),
                start=start or StartRule(spacing_s=0.01),
            ),
        ),
        Recorded((), source_ids),
    )


def plan(datanodes: int = 4, clients: int = 2, files: int = 2, **options: object) -> Plan:
    """The workload at a size."""
    scale = Scale.of(datanodes=datanodes, clients=clients, files=files)
    return Plan(workload(**options), scale, {"datanode": datanodes, "client": clients})  # type: ignore[arg-type]
