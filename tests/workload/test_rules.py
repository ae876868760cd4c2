"""What each rule gives in a context."""

from collections.abc import Mapping

import pytest

from froude.base.units import Quantity
from froude.workload.rules import Special, Value, derived, element_at, evaluate
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Absent,
    Cases,
    Constant,
    Counter,
    Cycle,
    Flow,
    Generated,
    NodeFact,
    Rule,
    Scaled,
    Side,
    Template,
    TextPart,
    Unknown,
)


class _Context:
    """Node 3, iteration 2 of 3 of L1; one value flows, one fact is known."""

    scale: Mapping[str, Quantity] = Scale.of(datanodes=6)

    def index(self, name: str) -> int:
        return {"node": 3, "L1": 2}[name]

    def is_last(self, name: str) -> bool:
        return name == "L1"

    def flow(self, rule: Flow) -> Value:
        return {"id": 42, "name": "Größe".encode(), "key": b"\xff\xfe"}.get(rule.path, Special.UNRESOLVED)

    def fact(self, name: str) -> Value:
        return "127.0.0.1"

    def generated(self, rule: Generated) -> Value:
        return "g"


FLOW = Flow("c1", Side.RESPONSE, "id")


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        (Constant(7), 7),
        (Absent(), Special.ABSENT),
        (Counter(5, {"L1": 2, "node": 10}), 39),
        (Scaled(Count.parse("min(3, datanodes)")), 3),
        (Template(("/in/", Counter(0, {"L1": 1}, 5))), "/in/00002"),
        (Template(("/n/", FLOW)), "/n/42"),
        (Template(("/n/", Flow("c1", Side.REQUEST, "none"))), Special.UNRESOLVED),
        (Template(("/n/", Flow("c1", Side.RESPONSE, "name"))), "/n/Größe"),
        (Template(("/n/", Flow("c1", Side.RESPONSE, "key"))), Special.UNRESOLVED),
        (Flow("c1", Side.RESPONSE, "key"), b"\xff\xfe"),
        (Template(("of-", Scaled(Count.parse("datanodes"), 4))), "of-0006"),
        (Template(("of-", Scaled(Count.parse("datanodes")))), "of-6"),
        (Template(("of-", Scaled(Count.parse("1000*datanodes"), 3))), "of-6000"),
        (Scaled(Count.parse("datanodes"), 4), 6),
        (Cycle(("day", "night"), Counter(0, {"L1": 1, "node": 1})), "night"),
        (Template(("/", Cycle(("a", "b", "c"), Counter(-1, {"L1": 0})))), "/c"),
        (FLOW, 42),
        (NodeFact("address"), "127.0.0.1"),
        (Generated("uuid"), "g"),
        (Unknown(("a",)), Special.UNRESOLVED),
        (Cases("L1", None, Constant("last"), Constant("x")), "last"),
        (Cases("L1", Constant("first"), None, Constant("x")), "x"),
    ],
)
def test_evaluate(rule: Rule, value: Value) -> None:
    """One value a kind of rule."""
    assert evaluate(rule, _Context()) == value


@pytest.mark.parametrize(
    ("value", "part", "plus", "made"),
    [
        ("shard-7/east", TextPart("/", 1), 0, "east"),
        ("shard-7/east", TextPart("/", 2), 0, Special.UNRESOLVED),
        (b"shard-7/east", TextPart("/", 0), 0, Special.UNRESOLVED),
        (7, TextPart("/", 0), 0, Special.UNRESOLVED),
        (Special.ABSENT, TextPart("/", 0), 0, Special.ABSENT),
        (7, None, -3, 4),
        ("7", None, 1, Special.UNRESOLVED),
        ("7", None, 0, "7"),
    ],
)
def test_what_a_flow_makes_of_a_value(value: Value, part: TextPart | None, plus: int, made: Value) -> None:
    """A part of a text, a number with another added; what cannot be is left open."""
    assert derived(value, Flow("c1", Side.RESPONSE, "id", part=part, plus=plus)) == made


@pytest.mark.parametrize(
    ("element", "number"),
    [
        (None, None),
        (Counter(1, {"L1": 2}), 5),
        (Scaled(Count.parse("datanodes - 1")), 5),
        (Counter(-9, {"L1": 1}), -7),
    ],
)
def test_the_element_that_a_flow_takes(element: Counter | Scaled | None, number: int | None) -> None:
    """By the iteration or by the Scale; of a flow from no list there is none."""
    rule = Flow("c1", Side.RESPONSE, "files[{each}].path", element=element)
    assert element_at(rule, _Context()) == number
