"""What the rules of a call find where it stands."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from froude.emulation.programs.context import Cause, NodeContext, Place
from froude.emulation.programs.events import NodeId
from froude.workload.cursor import Cursor
from froude.workload.occurrences import Loops
from froude.workload.rules import Special, Value, stand_in
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Absent,
    Cases,
    Constant,
    Counter,
    Flow,
    Generated,
    NodeFact,
    Repeat,
    Rule,
    Scaled,
    Side,
    Template,
    Unknown,
    Which,
)
from testbed import wire
from testbed.plans import call_template

SCALE = Scale.of(files=3)


class Node:
    """Node 3 of a population that knows one fact; it tells what it was asked to recall."""

    id = NodeId("client", 3)

    def __init__(self) -> None:
        self.rng = random.Random(1)
        self.population: Any = SimpleNamespace(
            plan=SimpleNamespace(scale=SCALE),
            settings=SimpleNamespace(epoch_s=1.7e9),
            fact=lambda node, name: f"{name} of {node.type} {node.number}",
        )
        self.recalled: list[tuple[Flow, Loops]] = []
        self.elements: list[int | None] = []

    def recall(self, rule: Flow, loops: Loops, element: int | None, *, effect: bool) -> Value:
        self.recalled.append((rule, loops))
        self.elements.append(element)
        return "recalled"


LAST = Place({"L1": 2}, ("L1",))
"""In the last iteration of L1."""


def context(place: Place = LAST, cause: Cause | None = None) -> NodeContext:
    """Where a call of node 3 stands."""
    return NodeContext(Node(), place, cause)


def test_indices_are_the_nodes_number_and_its_iterations() -> None:
    """0 of a loop that the call does not stand in."""
    here = context()
    assert [here.index(name) for name in ("node", "L1", "L2")] == [3, 2, 0]
    assert (here.is_last("L1"), here.is_last("L2")) == (True, False)
    assert here.scale is SCALE


def test_a_cursor_knows_which_iteration_is_the_last() -> None:
    """Also after the node went on."""
    cursor = Cursor((Repeat("L1", Count(2), (call_template("a", "getFileInfo", {}),)),), SCALE)
    here = context(Place(cursor.loops, cursor))
    assert not here.is_last("L1")
    cursor.advance()
    assert here.is_last("L1")


def test_values_of_the_request_being_made_are_at_hand() -> None:
    """Only its own, of this very request; every other flow is for the node to recall."""
    here = context()
    here.making = ("client.c1", {"src": "/a"})
    assert here.flow(Flow("client.c1", Side.REQUEST, "src")) == "/a"
    assert here.flow(Flow("client.c1", Side.REQUEST, "dst")) is Special.UNRESOLVED
    others = [
        Flow("client.c2", Side.REQUEST, "src"),
        Flow("client.c1", Side.RESPONSE, "src"),
        Flow("client.c1", Side.REQUEST, "src", Which.PREVIOUS),
    ]
    assert [here.flow(rule) for rule in others] == ["recalled"] * 3
    assert here._node.recalled == [(rule, {"L1": 2}) for rule in others]  # type: ignore[attr-defined]


def test_the_element_of_a_list_is_worked_out_where_the_call_stands() -> None:
    """By its iteration, or by the Scale; of a flow from no list the node is asked for none."""
    here = context()
    rule = Flow("client.c2", Side.RESPONSE, "files[{each}].path")
    for element in (Counter(1, {"L1": 2}), Scaled(Count(-1, {"files": 1})), None):
        here.flow(replace(rule, element=element))
    assert here._node.elements == [5, 2, None]  # type: ignore[attr-defined]


def cause(*, response: bool = True) -> Cause:
    """A call whose second child had an effect."""
    tree = wire.message("TreeProto", name="root")
    for name in ("one", "two"):
        tree.children.add(name=name)
    answer = wire.message("EchoProto", text="answer", count=40)
    return Cause(0, tree, answer if response else None, (1,), {}, ())


@pytest.mark.parametrize(
    ("side", "path", "plus", "value"),
    [
        (Side.REQUEST, "name", 0, "root"),
        (Side.REQUEST, "children[{each}].name", 0, "two"),
        (Side.REQUEST, "children[0].name", 0, "one"),
        (Side.RESPONSE, "text", 0, "answer"),
        (Side.RESPONSE, "count", 0, 40),
        (Side.RESPONSE, "count", 2, 42),
        (Side.RESPONSE, "text", 2, Special.UNRESOLVED),
        (Side.RESPONSE, "names[0]", 2, Special.ABSENT),
        (Side.REQUEST, "nonsense", 0, Special.UNRESOLVED),
    ],
)
def test_an_effect_takes_values_of_its_cause(side: Side, path: str, plus: int, value: Value) -> None:
    """Of either half, at the element that it is for; only numbers are added to."""
    rule = Flow("client.c1", side, path, Which.CAUSE, plus=plus)
    assert context(cause=cause()).flow(rule) == value


def test_what_no_cause_has_told_is_unresolved() -> None:
    """Without a cause, or the answer of one that acts on the request alone."""
    rule = Flow("client.c1", Side.RESPONSE, "text", Which.CAUSE)
    assert context().flow(rule) is Special.UNRESOLVED
    assert context(cause=cause(response=False)).flow(rule) is Special.UNRESOLVED


def test_facts_and_generated_values_are_the_nodes_own() -> None:
    """Chance comes from its own stream; a generator that there is not gives nothing."""
    assert context().fact("address") == "address of client 3"
    one, other = context(), context()
    uuids = [one.generated(Generated("uuid")) for _ in range(2)]
    assert uuids[0] != uuids[1]
    assert [other.generated(Generated("uuid")) for _ in range(2)] == uuids
    assert one.generated(Generated("horoscope")) is Special.UNRESOLVED


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        (Constant("/a"), "/a"),
        (Absent(), Special.ABSENT),
        (Scaled(Count(0, {"files": 2})), 6),
        (Template(("/c", Counter(0, {"node": 1}, 2), "/f", Counter(0, {"L1": 1}))), "/c03/f2"),
        (NodeFact("uuid"), "uuid of client 3"),
        (Unknown(("/other", "/more")), "/other"),
        (Unknown(()), Special.UNRESOLVED),
        (Cases("L9", Unknown(("/first",)), None, Constant("/x")), "/first"),
        (Cases("L9", Constant("/x"), None, Unknown(("/other",))), "/x"),
        (Cases("L1", Constant("/x"), Unknown(("/last",)), Constant("/y")), "/last"),
        (Flow("client.c1", Side.RESPONSE, "text", Which.CAUSE), Special.UNRESOLVED),
    ],
)
def test_an_example_stands_in_for_an_unknown_case(rule: Rule, value: Value) -> None:
    """Where only the rule of some iterations is unknown, its example is sent there."""
    assert stand_in(rule, context()) == value
