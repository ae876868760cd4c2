"""How nodes act on each other: which act because of a call, and which wait."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from froude.base.seeds import Seeds
from froude.emulation.programs.context import Cause
from froude.emulation.programs.coordination import PATIENCE_S, Said, Waiting, caused
from froude.emulation.programs.events import (
    Failed,
    Instruction,
    MessageReceived,
    NodeId,
    Note,
    SendMessage,
    Started,
    Timer,
    WakeAt,
)
from froude.emulation.programs.made import Made, Ready
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import populate
from froude.hadoop.release.distribution import Hadoop
from froude.workload.plan import Plan
from froude.workload.rules import Special, Value
from froude.workload.scale import Count
from froude.workload.types import Actor, CallTemplate, Constant, Effect, NodeType, Recorded, Wait, Workload
from testbed.plans import call_template, plan
from tests.support.emulation.programs.scripted import SETTINGS, Stage, sent

WAIT = Wait("src", 1, "rename", "dst", "producer")
NODE = NodeId("consumer", 3)
TOKEN = 7
CALL = CallTemplate("client.c1", "p", "m", {}, callee=Constant("10.0.0.2:8041"))
CALLER = NodeId("client", 3)
NAMED = {"a": NodeId("worker", 0), "b": NodeId("worker", 1)}


class Context:
    """Stands in the last iteration of its one loop."""

    loops = {"L1": 4}

    @staticmethod
    def is_last(loop: str) -> bool:
        """Whether it is."""
        return loop == "L1"


class Everybody:
    """Workers by name, one of whom listens at an address."""

    @staticmethod
    def owner(node_type: str, name: Any) -> NodeId | None:
        """By name."""
        return NAMED.get(name) if node_type == "worker" else None

    @staticmethod
    def called(address: Any) -> NodeId | None:
        """By address."""
        return NodeId("worker", 7) if address == "10.0.0.2:8041" else None


def effects_of(actor: Actor, acting: str = "worker", *, share: float = 1.0, **more: Any) -> list[Instruction]:
    """What one effect of a call brings about."""
    effect = Effect(
        CallTemplate("w.e", "p", "n", {}),
        "client.c1",
        "client",
        more.pop("each", None),
        actor,
        "id.datanodeUuid",
    )
    effect = SimpleNamespace(
        **{k: getattr(effect, k) for k in ("call", "each", "actor", "owner_path")}, share=share
    )  # type: ignore[assignment]
    said = Said(CALLER, CALL, Context(), "request", more.pop("response", None))  # type: ignore[arg-type]
    rng = Random(1)
    return list(caused([(acting, 5, effect)], said, Everybody(), rng=lambda: rng))  # type: ignore[arg-type]


def test_a_node_acts_on_its_own_call_or_its_pair_of_another_type_does() -> None:
    """The pair knows the caller's loops by the caller's type."""
    (own,) = effects_of(Actor.SELF, "client")
    assert own == SendMessage(CALLER, Cause(5, "request", None, (0,), {"L1": 4}, ("L1",)))  # type: ignore[arg-type]
    (pair,) = effects_of(Actor.SELF, "worker")
    assert pair == SendMessage(
        NodeId("worker", 3),
        Cause(5, "request", None, (0,), {"client.L1": 4}, ("client.L1",)),  # type: ignore[arg-type]
    )


def placed(hadoop: Hadoop, *names: str) -> Any:
    """An answer that names nodes."""
    response: Any = (
        hadoop.schema().method("org.apache.hadoop.hdfs.protocol.ClientProtocol", "addBlock").response()
    )
    for name in names:
        response.block.locs.add().id.datanodeUuid = name
    return response


def test_the_owner_that_an_element_names_acts_and_one_who_is_not_there_is_noted(hadoop: Hadoop) -> None:
    """One an element of the answer, in their order."""
    out = effects_of(Actor.OWNER, each="block.locs", response=placed(hadoop, "b", "nobody", "a"))
    assert [e.node for e in out if isinstance(e, SendMessage)] == [NAMED["b"], NAMED["a"]]
    assert [e.message.each for e in out if isinstance(e, SendMessage)] == [(0,), (2,)]  # type: ignore[attr-defined]
    assert [e.what for e in out if isinstance(e, Note)] == ["effect w.e names no node of the play"]


def test_every_element_of_a_list_in_a_list_names_an_owner(hadoop: Hadoop) -> None:
    """Each target of each block, with both numbers."""
    beat: Any = (
        hadoop.schema()
        .method("org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol", "sendHeartbeat")
        .response()
    )
    command = beat.cmds.add().blkCmd
    for names in (("a",), ("b", "a")):
        targets = command.targets.add()
        for name in names:
            targets.datanodes.add().id.datanodeUuid = name
    out = effects_of(Actor.OWNER, each="cmds[0].blkCmd.targets[].datanodes", response=beat)
    assert [(e.node, e.message.each) for e in out if isinstance(e, SendMessage)] == [  # type: ignore[attr-defined]
        (NAMED["a"], (0, 0)), (NAMED["b"], (1, 0)), (NAMED["a"], (1, 1)),
    ]  # fmt: skip


def test_the_callee_acts_if_it_is_of_the_acting_type() -> None:
    """Whoever listens at the address that was called."""
    (message,) = effects_of(Actor.CALLEE)
    assert isinstance(message, SendMessage)
    assert message.node == NodeId("worker", 7)
    (note,) = effects_of(Actor.CALLEE, "client")
    assert isinstance(note, Note)


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0, 0), (0.25, 180, 320), (1.0, 1000, 1000)])
def test_a_share_of_the_causes_has_the_effect(hadoop: Hadoop, share: float, least: int, most: int) -> None:
    """By the caller's own random stream."""
    response = placed(hadoop, *["a"] * 1000)
    out = effects_of(Actor.OWNER, share=share, each="block.locs", response=response)
    assert least <= len(out) <= most


@pytest.fixture
def made() -> Made:
    """What is there, in a play in which consumers wait."""
    step = CallTemplate("consumer.c1", "p", "open", {"src": Constant("/in/a")}, after=WAIT)
    types = (NodeType("producer", Count(1), ()), NodeType("consumer", Count(9), (step,)))
    return Made(Workload(types, Recorded((), ())))


@pytest.fixture
def waiting(made: Made) -> Waiting:
    """A node that waits for nothing yet."""
    return Waiting(made, NODE)


def test_a_node_waits_until_what_it_needs_is_there(made: Made, waiting: Waiting) -> None:
    """It is told when the path is made, and has a timer in case that it never is."""
    out: list[Instruction] = []
    assert waiting.must_wait(WAIT, "/in/a", TOKEN, 5.0, out)
    assert out == [WakeAt(5.0 + PATIENCE_S, TOKEN)]
    assert list(made.add("producer", "rename", "/in")) == [NODE]
    assert not waiting.fulfilled(Ready("/out"))
    assert waiting.fulfilled(Ready("/in"))
    assert not waiting.fulfilled(Ready("/in"))
    assert not waiting.must_wait(WAIT, "/in/b", TOKEN, 6.0, out)
    assert len(out) == 1


@pytest.mark.parametrize("value", [Special.UNRESOLVED, Special.ABSENT, 7, None, b"/in/a"])
def test_nobody_waits_for_what_is_no_path(waiting: Waiting, value: Value) -> None:
    """Such as a value that nobody knows."""
    out: list[Instruction] = []
    assert not waiting.must_wait(WAIT, value, TOKEN, 5.0, out)
    assert out == []


def test_patience_ends_and_does_not_come_back(waiting: Waiting) -> None:
    """A node that has waited in vain says so, goes on, and waits for nothing more."""
    out: list[Instruction] = []
    waiting.must_wait(WAIT, "/in/a", TOKEN, 5.0, out)
    assert not waiting.impatient
    out.clear()
    assert waiting.given_up(Timer(TOKEN, 5.0 + PATIENCE_S), out)
    assert out == [Note("waited in vain: consumer")]
    assert waiting.impatient
    assert not waiting.must_wait(WAIT, "/else/a", TOKEN, 99.0, out)
    assert not waiting.fulfilled(Ready("/in"))


def test_a_timer_of_an_earlier_wait_ends_no_later_one(waiting: Waiting) -> None:
    """Nor does it end anything where the node waits for nothing."""
    out: list[Instruction] = []
    waiting.must_wait(WAIT, "/in/a", TOKEN, 5.0, out)
    waiting.fulfilled(Ready("/in"))
    assert not waiting.given_up(Timer(TOKEN, 5.0 + PATIENCE_S), out)
    waiting.must_wait(WAIT, "/out/a", TOKEN, 50.0, out)
    assert not waiting.given_up(Timer(TOKEN, 5.0 + PATIENCE_S), out)
    assert not waiting.impatient
    assert waiting.given_up(Timer(TOKEN, 50.0 + PATIENCE_S), out)


# --- of a play -------------------------------------------------------------------------------------------------

RENAME = replace(
    call_template("move", "rename", {"src": Constant("/tmp/a"), "dst": Constant("/in")}),
    confirmed_by="result",
)
LOOK = replace(call_template("look", "getFileInfo", {"src": Constant("/in/a")}), after=WAIT)
AGAIN = replace(call_template("again", "getFileInfo", {"src": Constant("/in/b")}), after=replace(WAIT, up=2))


@pytest.fixture
def population(hadoop: Hadoop) -> Population:
    """A producer, and consumers that wait for what it renames; for the root, which nobody renames, they wait too."""
    made = plan(datanodes=0, clients=0)
    types = (NodeType("producer", Count(1), (RENAME,)), NodeType("consumer", Count(2), (LOOK, AGAIN)))
    workload = replace(made.workload, node_types=types)
    counts = {"producer": 1, "consumer": 2}
    return populate(Plan(workload, made.scale, counts), hadoop.schema(), seeds=Seeds(1), settings=SETTINGS)


def renamed(population: Population, *, result: bool) -> list[Instruction]:
    """What follows when the producer's rename is answered."""
    producer = Stage(population, 0, "producer")
    said = producer.ring(producer.tell(Started(0.0)))
    return producer.answer(said, lambda response: setattr(response, "result", result))


def test_a_call_is_sent_once_another_node_has_made_what_it_is_about(population: Population) -> None:
    """Its pause counts from then on: that it waited is nobody's lateness."""
    consumer = Stage(population, 1, "consumer")
    said = consumer.tell(Started(0.0))
    assert [each for each in said if isinstance(each, WakeAt)] == [WakeAt(PATIENCE_S, 2)]
    messages = [each for each in renamed(population, result=True) if isinstance(each, SendMessage)]
    assert messages == [SendMessage(NodeId("consumer", 1), Ready("/in"))]
    consumer.now_s = 9.0
    said = consumer.tell(MessageReceived(messages[0].message))
    assert [each.time_s for each in said if isinstance(each, WakeAt)] == [pytest.approx(9.002)]
    send = sent(consumer.ring(said))
    assert (send.method, send.intended_s) == ("getFileInfo", pytest.approx(9.002))
    assert consumer.tell(Timer(2, PATIENCE_S)) == []


def test_what_is_there_already_is_not_waited_for(population: Population) -> None:
    """The call is due as any other."""
    renamed(population, result=True)
    consumer = Stage(population, 0, "consumer")
    assert sent(consumer.ring(consumer.tell(Started(0.0)))).method == "getFileInfo"


def test_a_node_goes_on_by_itself_when_nobody_makes_what_it_needs(population: Population) -> None:
    """After its patience, with a note; its later calls wait for nothing any more."""
    consumer = Stage(population, 0, "consumer")
    consumer.tell(Started(0.0))
    consumer.now_s = PATIENCE_S
    said = consumer.tell(Timer(2, PATIENCE_S))
    assert Note("waited in vain: consumer") in said
    said = consumer.ring(said)
    assert sent(said).method == "getFileInfo"
    said = consumer.ring(consumer.answer(said))
    assert consumer.request(said).src == "/in/b"


def test_what_was_declined_is_not_there(population: Population) -> None:
    """A rename that is answered with false has made nothing that anybody could go on with."""
    consumer = Stage(population, 0, "consumer")
    consumer.tell(Started(0.0))
    said = renamed(population, result=False)
    assert not [each for each in said if isinstance(each, SendMessage)]
    assert not population.made.is_there(WAIT, "/in")


def test_a_call_that_failed_has_made_nothing(population: Population) -> None:
    """Who waits for it goes on waiting."""
    consumer, producer = Stage(population, 0, "consumer"), Stage(population, 0, "producer")
    consumer.tell(Started(0.0))
    said = producer.ring(producer.tell(Started(0.0)))
    said = producer.tell(Failed(sent(said).token, "java.io.IOException", "no"))
    assert not [each for each in said if isinstance(each, SendMessage)]
