"""Nodes that follow steps, by playbooks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from froude.base.seeds import Seeds
from froude.emulation.notes import LEFT_OUT
from froude.emulation.programs.context import Cause, NodeContext, Place
from froude.emulation.programs.events import (
    Declined,
    Failed,
    Instruction,
    MessageReceived,
    NodeId,
    Note,
    Reached,
    Send,
    SendMessage,
    Started,
    WakeAt,
)
from froude.emulation.programs.hdfs.blocks import Block
from froude.emulation.programs.hdfs.datanode import BlockWritten
from froude.emulation.programs.population import PlaySettings, Population
from froude.emulation.programs.registry import populate
from froude.emulation.settings import Pacing
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import Target
from froude.workload.plan import Plan
from froude.workload.scale import Count
from froude.workload.types import (
    Actor,
    Constant,
    Counter,
    Effect,
    Flow,
    Moment,
    NodeType,
    Repeat,
    Rule,
    Side,
    Template,
    Which,
)
from froude.workload.walk import calls
from testbed.plans import BLOCK_BYTES, CLIENT, LAST_BYTES, call_template, plan
from tests.support.emulation.programs.scripted import SETTINGS, Named, Stage, adding, alone, sent


def test_arguments_follow_rules_and_earlier_answers(population: Population) -> None:
    """Templates count nodes, `fileId` flows from create, `previous` is absent first and the block before then."""
    stage = Stage(population, number=1)
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


def test_datanodes_are_told_the_length_that_will_be_reported(population: Population) -> None:
    """The first block gets the length of the next addBlock's `previous`, the last one that of complete."""
    stage = Stage(population)
    said = stage.answer(stage.ring(stage.created()), stage.block(71))
    node = NodeId("datanode", 1)
    assert [e for e in said if isinstance(e, SendMessage)] == [
        SendMessage(node, BlockWritten(Block(71, BLOCK_BYTES, 1071), "DS-x"))
    ]
    said = stage.answer(stage.ring(said), stage.block(72))
    assert [e for e in said if isinstance(e, SendMessage)] == [
        SendMessage(node, BlockWritten(Block(72, LAST_BYTES, 1072), "DS-x"))
    ]


def test_a_late_client_leaves_a_block_the_time_of_its_data(hadoop: Hadoop) -> None:
    """What it recorded between a block and the next call; every other pause is left out, and the due time stays."""
    settings = replace(SETTINGS, pacing=Pacing.SCHEDULED)
    planned = plan(datanodes=2, clients=1, files=1)
    stage = Stage(populate(planned, hadoop.schema(), seeds=Seeds(1), settings=settings))
    said = stage.created()
    stage.now_s = 5.0
    said = stage.ring(said)  # addBlock, five seconds late
    assert sent(said).intended_s < 1
    said = stage.answer(said, stage.block(71))
    (wake,) = (each for each in said if isinstance(each, WakeAt))
    assert wake.time_s == pytest.approx(5.002)
    said = stage.ring(said, token=wake.token)
    assert sent(said).intended_s < 1


def completing(population: Population) -> tuple[Stage, list[Instruction]]:
    """A client that has written both blocks of a file and calls complete."""
    stage = Stage(population)
    said = stage.ring(stage.created())
    for number in (71, 72):
        said = stage.ring(stage.answer(said, stage.block(number)))
    return stage, said


def test_a_poll_is_repeated_until_its_answer(population: Population) -> None:
    """Complete is sent again after its pause while false, the same request; then the steps go on."""
    stage, said = completing(population)
    first = sent(said)
    assert first.method == "complete"
    said = stage.answer(said, lambda response: setattr(response, "result", False))
    again = stage.ring(said, token=1)
    assert (sent(again).body, sent(again).intended_s) == (first.body, stage.now_s)
    said = stage.ring(stage.answer(again, lambda response: setattr(response, "result", True)))
    assert sent(said).method == "getFileInfo"


def test_a_poll_is_given_up_after_a_hundred_answers(population: Population) -> None:
    """A file that is never complete holds a client up for so long and no longer; the note says so."""
    stage, said = completing(population)
    for _ in range(99):
        said = stage.answer(said, lambda response: setattr(response, "result", False))
        said = stage.ring(said, token=1)
    said = stage.answer(said, lambda response: setattr(response, "result", False))
    assert Note("poll given up: client.complete complete") in said
    assert not any(isinstance(each, WakeAt) and each.token == 1 for each in said)
    assert sent(stage.ring(said)).method == "getFileInfo"


def test_no_earlier_answer_stands_in_for_a_failed_one(population: Population) -> None:
    """The second addBlock fails: complete names no last block, rather than the first one, and is left out."""
    stage = Stage(population)
    said = stage.ring(stage.answer(stage.ring(stage.created()), stage.block(71)))
    assert sent(said).method == "addBlock"
    said = stage.ring(stage.tell(Failed(sent(said).token, "java.io.IOException", "no")))
    assert Note(f"{LEFT_OUT}client.complete complete") in said


def test_a_node_finishes_after_its_last_answer(population: Population) -> None:
    """Started after the first answer, finished after the last."""
    stage, seen = Stage(population), []
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


def test_a_failed_call_is_noted_and_what_hangs_on_it_left_out(population: Population) -> None:
    """Without create's answer addBlock lacks nothing required and goes on; without a block complete does."""
    stage = Stage(population)
    said = stage.ring(stage.tell(Started(0.0)))
    said = stage.tell(Failed(sent(said).token, "java.io.FileAlreadyExistsException", "there"))
    assert Note("call failed: client.create create FileAlreadyExistsException") in said
    said = stage.ring(said)
    assert sent(said).method == "addBlock"
    said = stage.tell(Failed(sent(said).token, "java.io.IOException", "no"))
    said = stage.ring(said)
    assert Note(f"{LEFT_OUT}client.add addBlock") in said


def test_a_namenode_that_asks_for_patience_gets_it(population: Population) -> None:
    """NotReplicatedYet is retried after 0.4 s, then after twice as long, with the same request."""
    stage = Stage(population)
    said = stage.ring(stage.created())
    first = sent(said)
    waits = []
    for _ in range(2):
        said = stage.tell(Failed(sent(said).token, "org.x.NotReplicatedYetException", "wait"))
        waits.append(next(e.time_s for e in said if isinstance(e, WakeAt)) - stage.now_s)
        said = stage.ring(said, token=1)
    assert waits == pytest.approx([0.4, 0.8])
    assert sent(said).body == first.body


def test_effects_reach_the_nodes_that_the_answer_names(hadoop: Hadoop) -> None:
    """The acting node is the one that gave the same name in a request of its own; it calls with the answer's values."""
    planned = plan(datanodes=2, clients=1, files=1)
    name = Template(("DN-", Counter(0, {"node": 1})))
    path = Flow("client.add", Side.RESPONSE, "block.locs[{each}].id.datanodeUuid", Which.CAUSE)
    effect = Effect(
        call_template("w", "getFileInfo", {"src": path}),
        "client.add",
        "client",
        "block.locs",
        Actor.OWNER,
        "id.datanodeUuid",
        "src",
    )
    watcher = NodeType(
        "watcher", Count(2), (call_template("hello", "getFileInfo", {"src": name}),), effects=(effect,)
    )
    workload = replace(planned.workload, node_types=(planned.workload.node_type("client"), watcher))
    counts = {"client": 1, "watcher": 2}
    population = populate(
        Plan(workload, planned.scale, counts), hadoop.schema(), seeds=Seeds(1), settings=SETTINGS
    )
    acting = Stage(population, 1, "watcher")
    acting.ring(acting.tell(Started(0.0)))
    stage = Named(population)
    said = stage.answer(stage.ring(stage.created()), stage.block(71))
    (message,) = [e for e in said if isinstance(e, SendMessage)]
    assert message.node == NodeId("watcher", 1)
    assert isinstance(message.message, Cause)
    assert message.message.loops == {"client.L1": 0, "client.L2": 0}
    call = sent(acting.tell(MessageReceived(message.message)))
    assert population.schema.decode_request(CLIENT, call.method, call.body).src == "DN-1"  # type: ignore[attr-defined]


def test_an_effect_that_timing_decides_is_made_for_its_share_of_causes(hadoop: Hadoop) -> None:
    """A share of 0.3 acts for about three causes in ten, the same ones for one seed."""
    planned = plan(datanodes=0, clients=1, files=200)
    again = call_template("again", "getFileInfo", {"src": Constant("/a")})
    effect = Effect(again, "client.info", "client", None, share=0.3)
    client = replace(planned.workload.node_type("client"), effects=(effect,))
    workload = replace(planned.workload, node_types=(client,))
    schema = hadoop.schema()
    acted = []
    for _ in range(2):
        population = populate(
            Plan(workload, planned.scale, {"client": 1}), schema, seeds=Seeds(1), settings=SETTINGS
        )
        stage = Stage(population)
        info = next(call for call in calls(client.steps) if call.id == "client.info")
        out: list[Instruction] = []
        context = NodeContext(stage.node, Place({}, ()))  # type: ignore[arg-type]
        body = population.schema.method(CLIENT, "getFileInfo").request(src="/a").SerializeToString()  # type: ignore[call-arg]
        for _ in range(200):
            response = population.schema.method(CLIENT, "getFileInfo").response()
            stage.node._cause(stage.node._requests.compiled(info), context, body, response, out)  # type: ignore[attr-defined]
        acted.append(len(out))
    assert acted[0] == acted[1]
    assert 35 < acted[0] < 85


def test_the_callee_of_a_request_acts_on_it(hadoop: Hadoop) -> None:
    """A call addressed to an emulated node is not sent: the node that listens there makes the call that it causes."""
    planned = plan(datanodes=0, clients=0)
    where = Template(("10.0.0.", Counter(1, {"node": 1})))
    asked = replace(
        call_template(
            "launch",
            "mkdirs",
            {"src": Constant("/job.jar"), "masked.perm": Constant(1), "createParent": Constant(True)},
        ),
        callee=Template((where, ":8041")),
    )
    effect = Effect(
        call_template(
            "fetch", "getFileInfo", {"src": Flow("client.launch", Side.REQUEST, "src", Which.CAUSE)}
        ),
        "client.launch",
        "client",
        None,
        Actor.CALLEE,
        owner_fact="src",
    )
    node = NodeType(
        "node", Count(2), (call_template("hello", "getFileInfo", {"src": where}),), effects=(effect,)
    )
    master = NodeType(
        "client", Count(2), (asked, call_template("after", "getFileInfo", {"src": Constant("/b")}))
    )
    workload = replace(planned.workload, node_types=(master, node))
    counts = {"client": 2, "node": 2}
    population = populate(
        Plan(workload, planned.scale, counts), hadoop.schema(), seeds=Seeds(1), settings=SETTINGS
    )
    nodes = [Stage(population, number, "node") for number in range(2)]
    for each in nodes:
        each.ring(each.tell(Started(0.0)))
    master_1 = Stage(population, 1)
    said = master_1.ring(master_1.tell(Started(0.0)))
    assert not [e for e in said if isinstance(e, Send)]
    (message,) = [e for e in said if isinstance(e, SendMessage)]
    assert message.node == NodeId("node", 1)
    call = sent(nodes[1].tell(MessageReceived(message.message)))
    assert population.schema.decode_request(CLIENT, call.method, call.body).src == "/job.jar"  # type: ignore[attr-defined]
    assert sent(master_1.ring(said)).method == "getFileInfo"


def test_a_request_that_is_made_again_has_had_its_effects(hadoop: Hadoop) -> None:
    """What a request makes its callee do is caused at the first attempt alone."""
    made = plan(datanodes=0, clients=0)
    asked = call_template("launch", "getFileInfo", {"src": Constant("/a")})
    effect = Effect(
        call_template("fetch", "getFileInfo", {"src": Constant("/b")}),
        "client.launch",
        "client",
        None,
        Actor.CALLEE,
    )
    client = NodeType("client", Count(1), (asked,), effects=(effect,))
    workload = replace(made.workload, node_types=(client,))
    population = populate(
        Plan(workload, made.scale, {"client": 1}), hadoop.schema(), seeds=Seeds(1), settings=SETTINGS
    )
    stage = Stage(population)
    said = stage.ring(stage.tell(Started(0.0)))
    assert [e.what for e in said if isinstance(e, Note)] == ["effect client.fetch names no node of the play"]
    said = stage.tell(Failed(0, "org.apache.hadoop.ipc.RetriableException", "later"))
    again = stage.ring(said, token=1)
    assert sent(again).method == "getFileInfo"
    assert not [e for e in again if isinstance(e, Note)]


def test_a_call_of_a_service_without_target_is_left_out(hadoop: Hadoop) -> None:
    """It is counted, with all that it would have caused; the node goes on, and calls of other services are sent."""
    planned = plan(datanodes=0, clients=1)
    steps = (
        replace(call_template("ask", "getFileInfo", {"src": Constant("/a")}), service="resourcemanager"),
        replace(call_template("look", "getFileInfo", {"src": Constant("/b")}), service="namenode"),
    )
    effects = (
        Effect(call_template("start", "getFileInfo", {"src": Constant("/c")}), "client.ask", "client", None),
        Effect(
            call_template("fetch", "getFileInfo", {"src": Constant("/d")}), "client.start", "client", None
        ),
    )
    client = NodeType("client", Count(1), steps, effects=effects)
    workload = replace(planned.workload, node_types=(client,))
    settings = PlaySettings({"namenode": Target("namenode", "nn:1", "CID-1")})
    population = populate(
        Plan(workload, planned.scale, {"client": 1}), hadoop.schema(), seeds=Seeds(1), settings=settings
    )
    stage = Stage(population)
    said = stage.ring(stage.tell(Started(0.0)))
    assert [e.what for e in said if isinstance(e, Note)] == [
        f"{LEFT_OUT}client.{name} getFileInfo, the play has no target for resourcemanager"
        for name in ("ask", "start", "fetch")
    ]
    assert sent(stage.ring(said)).service == "namenode"


def test_an_answer_to_an_effect_is_kept(hadoop: Hadoop) -> None:
    """From when it comes the node's later calls take from it, also where effects overtake each other."""
    effect = Effect(adding("e"), "client.a", "client", None)
    steps = (adding("a"), adding("a2"), adding("b", "client.e"), adding("b2", "client.e"))
    stage = alone(hadoop, NodeType("client", Count(1), steps, effects=(effect,)))
    said = stage.answer(stage.ring(stage.tell(Started(0.0))), stage.block(70))
    (message,) = [each for each in said if isinstance(each, SendMessage)]
    first, second = (stage.tell(MessageReceived(message.message)) for _ in range(2))
    stage.answer(second, stage.block(72))
    after = stage.ring(stage.answer(stage.ring(said), stage.block(1)))
    assert stage.request(after).fileId == 72
    stage.answer(first, stage.block(71))
    assert stage.request(stage.ring(stage.answer(after, stage.block(2)))).fileId == 71


def test_effects_of_effects_are_made(hadoop: Hadoop) -> None:
    """Each when what causes it was answered, with values of that answer; an error has none."""
    effects = (
        Effect(adding("e"), "client.a", "client", None),
        Effect(adding("e2"), "client.e", "client", None),
        Effect(adding("e3"), "client.e2", "client", None),
    )
    stage = alone(hadoop, NodeType("client", Count(1), (adding("a"), adding("b")), effects=effects))
    said = stage.answer(stage.ring(stage.tell(Started(0.0))), stage.block(70))
    (message,) = [each for each in said if isinstance(each, SendMessage)]
    for number in (71, 72, 73):
        acted = stage.tell(MessageReceived(message.message))
        assert not [each for each in acted if isinstance(each, Note)]
        caused = [each for each in stage.answer(acted, stage.block(number)) if isinstance(each, SendMessage)]
        assert len(caused) == (number < 73)
        if caused:
            (message,) = caused
    acted = stage.tell(MessageReceived(message.message))
    assert stage.request(acted).clientName == "me"
    assert not stage.tell(Failed(sent(acted).token, "java.io.IOException", ""))


@pytest.mark.parametrize(
    ("confirmed_by", "result", "declined"),
    [("result", False, True), ("result", True, False), (None, False, False)],
)
def test_an_answer_that_denies_what_was_done_is_no_success(
    hadoop: Hadoop, confirmed_by: str | None, result: bool, declined: bool
) -> None:
    """A deletion that was confirmed whenever it was recorded: now it says false, of this path; the node goes on."""
    delete = call_template("delete", "delete", {"src": Constant("/in/a"), "recursive": Constant(False)})
    after = call_template("look", "getFileInfo", {"src": Constant("/b")})
    stage = alone(hadoop, NodeType("client", Count(1), (replace(delete, confirmed_by=confirmed_by), after)))
    said = stage.ring(stage.tell(Started(0.0)))
    said = stage.answer(said, lambda response: setattr(response, "result", result))
    text = "result: false, and true whenever it was recorded"
    expected = [Declined("delete", text, "/in/a")] if declined else []
    assert [each for each in said if isinstance(each, Declined)] == expected
    assert sent(stage.ring(said)).method == "getFileInfo"


@pytest.mark.parametrize(("iteration", "path"), [(0, "/in/b"), (1, "/in/c"), (2, None)])
def test_names_are_taken_from_a_listing_element_by_element(
    hadoop: Hadoop, iteration: int, path: str | None
) -> None:
    """As the target answered it; beyond its last element there is no name, and the call is left out."""
    listing: dict[str, Rule] = {
        "src": Constant("/in"),
        "startAfter": Constant(b""),
        "needLocation": Constant(False),
    }
    name = Flow(
        "client.list",
        Side.RESPONSE,
        "dirList.partialListing[{each}].path",
        Which.SAME,
        element=Counter(1, {"L1": 1}),
    )
    look = call_template("look", "getFileInfo", {"src": Template(("/in/", name))})
    steps = (call_template("list", "getListing", listing), Repeat("L1", Count(3), (look,)))
    stage = alone(hadoop, NodeType("client", Count(1), steps))

    def fill(response: Any) -> None:
        response.dirList.remainingEntries = 0
        for each in (b"a", b"b", b"c"):
            response.dirList.partialListing.add(path=each)

    said = stage.answer(stage.ring(stage.tell(Started(0.0))), fill)
    for _ in range(iteration):
        said = stage.answer(stage.ring(said))
    said = stage.ring(said)
    if path is None:
        assert Note(f"{LEFT_OUT}client.look getFileInfo") in said
    else:
        assert stage.request(said).src == path
