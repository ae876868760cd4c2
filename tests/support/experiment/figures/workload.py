"""A small workload with an effect and a heartbeat."""

from __future__ import annotations

from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Constant,
    Counter,
    Effect,
    Finding,
    Flow,
    Generated,
    NodeType,
    Periodic,
    Question,
    Recorded,
    Repeat,
    Side,
    StartRule,
    Template,
    Workload,
)

CREATE = CallTemplate("client.c1", "p", "create", {"src": Template(("/in/", Counter(0, {"L1": 1})))})
ADD = CallTemplate("client.c2", "p", "addBlock", {"fileId": Flow("client.c1", Side.RESPONSE, "fs.fileId")})
RECEIVED = CallTemplate("dn.e1", "p", "blockReceivedAndDeleted", {})
BEAT = CallTemplate("dn.p1", "p", "sendHeartbeat", {"used": Generated("gauge")})
CLIENT = NodeType(
    "client",
    Count.parse("clients"),
    (Repeat("L1", Count.parse("files"), (CREATE, ADD)),),
    start=StartRule(after="dn", every=True, delay_s=0.5),
)
DATANODE = NodeType(
    "dn",
    Count.parse("datanodes"),
    (),
    (Periodic(BEAT, 3.0),),
    (Effect(RECEIVED, "client.c2", "client", "block.locs", None),),
)
SCALE = Scale.of(clients=2, files=4, datanodes=3)
WORKLOAD = Workload(
    (DATANODE, CLIENT),
    Recorded((SCALE,), ("CID",)),
    (Question("q1", "what is it?", "client", "client.c1", "src", ("a",), (Constant("a"),)),),
    (Finding("files took one value", fatal=True),),
)
