"""Nodes that follow steps, by playbooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from froude.base.seeds import Seeds
from froude.emulation.programs.blocks import Block
from froude.emulation.programs.cast import Cast
from froude.emulation.programs.client import Caused, NodeContext, ScriptedNode, stand_in
from froude.emulation.programs.datanode import BlockWritten
from froude.emulation.programs.events import (
    Failed,
    Instruction,
    NodeId,
    Note,
    Reached,
    Reply,
    Send,
    Started,
    Tell,
    Timer,
    Told,
    WakeAt,
)
from froude.hadoop.distribution import Hadoop
from froude.workload.plan import Plan
from froude.workload.scale import Count
from froude.workload.types import Cases, Constant, Effect, Flow, Moment, NodeType, Side, Unknown, Which
from tests.emulation.plans import BLOCK_BYTES, CLIENT, LAST_BYTES, _call, plan


@pytest.fixture
def cast(hadoop: Hadoop) -> Cast:
    """Two DataNodes and two clients."""
    return Cast(plan(datanodes=2, clients=2, files=1), hadoop.schema(), seeds=Seeds(1))


class Stage:
    """One client and the NameNode's side of the talk."""

    def __init__(self, cast: Cast, number: int = 0) -> None:
        self.cast, self.now_s = cast, 0.0
        self.node = ScriptedNode(cast, cast.types["client"], number)

    def tell(self, event: Any) -> list[Instruction]:
        return list(self.node.handle(event, self.now_s))

    def ring(self, said: Sequence[Instruction], token: int = 0) -> list[Instruction]:
        """Let the timer of the next step ring."""
        at_s = next(each.time_s for each in said if isinstance(each, WakeAt) and each.token == token)
        self.now_s = max(self.now_s, at_s)
        return self.tell(Timer(token, at_s))

    def answer(self, said: Sequence[Instruction], fill: Any = None) -> list[Instruction]:
        send = sent(said)
        response: Any = self.cast.schema.method(send.protocol, send.method).response()
        if fill is not None:
            fill(response)
        return self.tell(Reply(send.token, response.SerializePartialToString()))

    def request(self, said: Sequence[Instruction]) -> Any:
        send = sent(said)
        return self.cast.schema.decode_request(send.protocol, send.method, send.body)

    def block(self, number: int) -> Any:
        def fill(response: Any) -> None:
            located = response.block
            located.b.poolId, located.b.blockId, located.b.generationStamp = "BP-1", number, number + 1000
            located.offset, located.corrupt = 0, False
            token = located.blockToken
            token.identifier, token.password, token.kind, token.service = b"", b"", "", ""
            identity = located.locs.add(location="/r").id
            identity.ipAddr = identity.hostName = "127.0.0.1"
            identity.datanodeUuid = self.cast.fleets["datanode"].uuid(1)
            identity.xferPort = identity.infoPort = identity.ipcPort = 1
            located.storageIDs.append("DS-x")

        return fill

    def created(self) -> list[Instruction]:
        """Up to the moment that create is answered."""
        said = self.ring(self.tell(Started(0.0)))

        def fill(response: Any) -> None:
            status = response.fs
            status.fileType, status.path, status.length, status.owner, status.group = 2, b"", 0, "a", "b"
            status.permission.perm, status.modification_time, status.access_time, status.fileId = (
                420,
                0,
                0,
                16999,
            )

        return self.answer(said, fill)


def sent(said: Sequence[Instruction]) -> Send:
    """The one call among instructions."""
    (send,) = [each for each in said if isinstance(each, Send)]
    return send


def test_arguments_follow_rules_and_earlier_answers(cast: Cast) -> None:
    """Templates count nodes, `fileId` flows from create, `previous` is absent first and the block before then."""
    stage = Stage(cast, number=1)
    said = stage.ring(stage.created())
    request = stage.request(said)
    assert (request.src, request.clientName, request.fileId) == (
        "/play/c001/f0",
        "DFSClient_NONMAPREDUCE_1001_1",
        16999,
    )
    assert not request.HasField("previous")
    said = stage.ring(stage.answer(said, stage.block(71)))
    previous = stage.request(said).previous
    assert (previous.blockId, previous.generationStamp, previous.numBytes) == (71, 1071, BLOCK_BYTES)
    said = stage.ring(stage.answer(said, stage.block(72)))
    last = stage.request(said).last
    assert (last.blockId, last.numBytes) == (72, LAST_BYTES)


def test_datanodes_are_told_the_length_that_will_be_reported(cast: Cast) -> None:
    """The first block gets the length of the next addBlock's `previous`, the last one that of complete."""
    stage = Stage(cast)
    said = stage.answer(stage.ring(stage.created()), stage.block(71))
    node = NodeId("datanode", 1)
    assert [e for e in said if isinstance(e, Tell)] == [
        Tell(node, BlockWritten(Block(71, BLOCK_BYTES, 1071), "DS-x"))
    ]
    said = stage.answer(stage.ring(said), stage.block(72))
    assert [e for e in said if isinstance(e, Tell)] == [
        Tell(node, BlockWritten(Block(72, LAST_BYTES, 1072), "DS-x"))
    ]


def test_a_poll_is_repeated_until_its_answer(cast: Cast) -> None:
    """Complete is sent again after its pause while false, the same request; then the steps go on."""
    stage = Stage(cast)
    said = stage.ring(stage.created())
    for number in (71, 72):
        said = stage.ring(stage.answer(said, stage.block(number)))
    first = sent(said)
    assert first.method == "complete"
    said = stage.answer(said, lambda response: setattr(response, "result", False))
    again = stage.ring(said, token=1)
    assert (sent(again).body, sent(again).intended_s) == (first.body, stage.now_s)
    said = stage.ring(stage.answer(again, lambda response: setattr(response, "result", True)))
    assert sent(said).method == "getFileInfo"


def test_the_lease_is_renewed_only_while_a_file_is_open(cast: Cast) -> None:
    """RenewLease begins with create and stops after complete."""
    stage = Stage(cast)
    said = stage.created()
    token = next(e.token for e in said if isinstance(e, WakeAt) and e.time_s > 20)
    assert sent(stage.tell(Timer(token, 30.0))).method == "renewLease"
    stage.node._open = 0
    assert stage.tell(Timer(token, 60.0)) == []


def test_a_node_finishes_after_its_last_answer(cast: Cast) -> None:
    """Started after the first answer, finished after the last."""
    stage, seen = Stage(cast), []
    said = stage.created()
    blocks = iter((71, 72))
    while not any(e == Reached(Moment.FINISHED) for e in said):
        seen += [e for e in said if isinstance(e, Reached)]
        said = stage.ring(said)
        method = sent(said).method
        fill = stage.block(next(blocks)) if method == "addBlock" else None
        if method in ("complete", "delete"):
            fill = lambda response: setattr(response, "result", True)  # noqa: E731
        said = stage.answer(said, fill)
    assert seen == [Reached(Moment.STARTED)]


def test_a_failed_call_is_noted_and_what_hangs_on_it_left_out(cast: Cast) -> None:
    """Without create's answer addBlock lacks nothing required and goes on; without a block complete does."""
    stage = Stage(cast)
    said = stage.ring(stage.tell(Started(0.0)))
    said = stage.tell(Failed(sent(said).token, "java.io.FileAlreadyExistsException", "there"))
    assert Note("call failed: client.create create FileAlreadyExistsException") in said
    said = stage.ring(said)
    assert sent(said).method == "addBlock"
    said = stage.tell(Failed(sent(said).token, "java.io.IOException", "no"))
    said = stage.ring(said)
    assert Note("call left out: client.add addBlock") in said


def test_a_namenode_that_asks_for_patience_gets_it(cast: Cast) -> None:
    """NotReplicatedYet is retried after 0.4 s, then after twice as long, with the same request."""
    stage = Stage(cast)
    said = stage.ring(stage.created())
    first = sent(said)
    waits = []
    for _ in range(2):
        said = stage.tell(Failed(sent(said).token, "org.x.NotReplicatedYetException", "wait"))
        waits.append(next(e.time_s for e in said if isinstance(e, WakeAt)) - stage.now_s)
        said = stage.ring(said, token=1)
    assert waits == pytest.approx([0.4, 0.8])
    assert sent(said).body == first.body


def test_effects_of_other_types_are_told_and_played(hadoop: Hadoop) -> None:
    """A call that another node's answer causes: the cause tells, the acting node calls with the answer's values."""
    made = plan(datanodes=0, clients=1, files=1)
    path = Flow("client.add", Side.RESPONSE, "block.locs[{each}].id.datanodeUuid", Which.CAUSE)
    effect = Effect(
        _call("w", "getFileInfo", {"src": path}),
        "client.add",
        "client",
        "block.locs",
        "id.datanodeUuid",
        "uuid",
    )
    watcher = NodeType("watcher", Count(1), (), effects=(effect,))
    workload = replace(made.workload, node_types=(made.workload.node_type("client"), watcher))
    cast = Cast(Plan(workload, made.scale, {"client": 1, "watcher": 1}), hadoop.schema(), seeds=Seeds(1))
    own = str(cast.fact(NodeId("watcher", 0), "uuid"))
    stage = Stage(cast)

    def fill(response: Any) -> None:
        stage.cast.fleets = {"datanode": _Named(own)}  # type: ignore[dict-item]
        stage.block(71)(response)
        stage.cast.fleets = {}

    said = stage.answer(stage.ring(stage.created()), fill)
    (tell,) = [e for e in said if isinstance(e, Tell)]
    assert tell.node == NodeId("watcher", 0)
    assert isinstance(tell.message, Caused)
    acting = ScriptedNode(cast, watcher, 0)
    call = sent(list(acting.handle(Told(tell.message), 1.0)))
    assert cast.schema.decode_request(CLIENT, call.method, call.body).src == own  # type: ignore[attr-defined]


class _Named:
    """Stands for a fleet whose nodes all have one name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def uuid(self, _number: int) -> str:
        return self._name


def test_constant_requests_are_made_once(cast: Cast) -> None:
    """A call without a changing argument is encoded once for all nodes."""
    template = _call("fixed", "getFileInfo", {"src": Constant("/a")})
    assert cast.fixed(template) is cast.fixed(template)
    assert cast.fixed(cast.types["client"].steps[0].steps[0]) is None  # type: ignore[union-attr,arg-type]


def test_an_example_stands_in_for_an_unknown_case(cast: Cast) -> None:
    """Where only the rule of some iterations is unknown, its example is sent there."""
    context = NodeContext(ScriptedNode(cast, cast.types["client"], 0), None)
    assert stand_in(Unknown(("/other", "/more")), context) == "/other"
    assert stand_in(Cases("L9", Unknown(("/first",)), None, Constant("/x")), context) == "/first"
    assert stand_in(Cases("L9", Constant("/x"), None, Unknown(("/other",))), context) == "/x"
