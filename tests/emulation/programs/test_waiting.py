"""A node that waits for what others make."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.seeds import Seeds
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
from froude.emulation.programs.waiting import PATIENCE_S, Waiting
from froude.hadoop.release.distribution import Hadoop
from froude.workload.plan import Plan
from froude.workload.rules import Special, Value
from froude.workload.scale import Count
from froude.workload.types import CallTemplate, Constant, NodeType, Recorded, Wait, Workload
from testbed.plans import call_template, plan
from tests.support.emulation.programs.scripted import SETTINGS, Stage, sent

WAIT = Wait("src", 1, "rename", "dst", "producer")
NODE = NodeId("consumer", 3)
TOKEN = 7


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
