"""Walks over steps and rules."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from froude.workload.scale import Count
from froude.workload.types import (
    Absent,
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Effect,
    Flow,
    NodeType,
    Periodic,
    Repeat,
    Side,
    Step,
    Template,
)
from froude.workload.types import Workload as Plain
from froude.workload.walk import calls, flows, fold, map_calls, parts, repeats, rules, templates, within
from tests.support.seeds import examples
from tests.support.workload.strategies import workloads


def call(name: str, **arguments: object) -> CallTemplate:
    """A call of that id."""
    return CallTemplate(name, "p", "m", arguments)  # type: ignore[arg-type]


FLOW = Flow("a", Side.REQUEST, "x")
STEPS: tuple[Step, ...] = (
    call("a"),
    Repeat("L1", Count(2), (call("b"), Repeat("L2", Count(3), (call("c", x=FLOW),)))),
    call("d"),
)
TYPE = NodeType(
    "n",
    Count(1),
    STEPS,
    (Periodic(call("p"), 1.0),),
    (Effect(replace(call("e"), callee=Counter(7, {})), "a", "n", None),),
    user=Constant("u"),  # type: ignore[arg-type]
)


def test_steps_are_folded_from_the_inside() -> None:
    """A segment is made from the values of its body."""
    text = fold(STEPS, lambda c: c.id, lambda r, body: f"{r.id}({' '.join(body)})")
    assert text == ["a", "L1(b L2(c))", "d"]


def test_lists_keep_the_order() -> None:
    """Calls once each; segments from outside in; periodic calls and effects last."""
    assert [each.id for each in calls(STEPS)] == ["a", "b", "c", "d"]
    assert [each.id for each in repeats(STEPS)] == ["L1", "L2"]
    assert [each.id for each in templates(TYPE)] == ["a", "b", "c", "d", "p", "e"]


def test_every_call_is_changed_where_it_stands() -> None:
    """Loops, periodic calls and effects keep what is theirs."""
    changed = map_calls(TYPE, lambda each: replace(each, id=each.id.upper()))
    assert [each.id for each in templates(changed)] == ["A", "B", "C", "D", "P", "E"]
    assert [each.id for each in repeats(changed.steps)] == ["L1", "L2"]
    assert changed.periodic[0].every_s == 1.0
    assert changed.effects[0].cause == "a"
    assert map_calls(TYPE, lambda each: each) == TYPE


def test_rules_within_rules() -> None:
    """Cases and templates hold rules; texts are none."""
    cases = Cases("L1", Absent(), None, Template(("/x", Counter(1, {}), FLOW)))
    assert list(parts(cases)) == [Absent(), cases.otherwise]
    assert list(within(cases)) == [cases, Absent(), cases.otherwise, Counter(1, {}), FLOW]
    assert list(flows(cases)) == [FLOW]
    assert list(within(Constant(1))) == [Constant(1)]


def test_every_rule_of_a_node_type() -> None:
    """Its user, each argument, each callee."""
    assert list(rules(TYPE)) == [Constant("u"), FLOW, Counter(7, {})]


@settings(max_examples=examples(30), deadline=None)
@given(workload=workloads())
def test_a_walk_misses_nothing_that_the_text_form_has(workload: Plain) -> None:
    """Changing nothing gives the same; every template that a change sees is one that is listed."""
    for node_type in workload.node_types:
        seen: list[CallTemplate] = []
        assert map_calls(node_type, lambda each: seen.append(each) or each) == node_type  # type: ignore[func-returns-value] # noqa: B023
        assert sorted(map(repr, seen)) == sorted(map(repr, templates(node_type)))
