"""Prediction and play answer alike: random calls of two types, given to `Timeline` and to the memory of played nodes.

Nodes walk through nested loops; beside their steps they make periodic calls, and effects in the loops of their causes.
Answers come in any order, as errors, or never.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from froude.base.seeds import Seeds
from froude.emulation.programs.context import Cause, NodeContext, Place
from froude.emulation.programs.population import Population
from froude.emulation.programs.scripted import ScriptedNode
from froude.emulation.programs.scripted_family import ScriptedFamily
from froude.messages.rows import Row
from froude.mining.history.timeline import OccurrenceContext, Timeline
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import Occurrence
from froude.workload.cursor import Cursor
from froude.workload.occurrences import Loops
from froude.workload.plan import Plan
from froude.workload.rules import Value
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Effect,
    Flow,
    NodeType,
    Periodic,
    Recorded,
    Repeat,
    Side,
    Step,
    Which,
    Workload,
)
from froude.workload.walk import templates as templates_of
from testbed import wire
from tests.support.mining.events import calls, event
from tests.support.seeds import examples

SCALE = Scale.of(files=1)
NODES = 2
"""Of each of the types `c` and `d`."""
CAUSED = {"d.e": "d", "d.f": "d", "c.e": "c", "c.f": "c"}
"""Effects of `c.a`, by node type that acts."""
FLOWS = st.builds(
    Flow,
    st.sampled_from(["c.a", "c.b", "c.p", "c.e", "d.t", "d.e"]),
    st.sampled_from(Side),
    st.just("count"),
    st.sampled_from([which for which in Which if which is not Which.CAUSE]),
    st.sampled_from([None, "c", "d"]),
    st.sampled_from([0, 3]),
).filter(lambda flow: flow.node_type in (None, flow.call[0]))
TAKERS = ["c.a", "c.b", "c.p", "c.f", "d.t", "d.f"]


@dataclass(slots=True)
class Made:
    """A call as it was made, and how it was answered."""

    node_type: str
    node: int
    template: str
    loops: Loops
    sent_s: float
    request: dict[str, Any]
    answered_s: float | None
    response: dict[str, Any] | None
    """None for an error."""
    cause: Made | None = None


@st.composite
def loops_around(draw: st.DrawFn, names: str, body: tuple[Step, ...], most: int = 2) -> tuple[Step, ...]:
    """Some steps in none, one or two loops."""
    for number in range(draw(st.integers(0, most))):
        body = (Repeat(f"{names}{number}", Count(draw(st.integers(1, 3))), body),)
    return body


@st.composite
def workloads(draw: st.DrawFn, flow: Flow, taker: str) -> Workload:
    """Two types, of which one call takes what the flow gives."""

    def call(name: str) -> CallTemplate:
        return CallTemplate(name, wire.PROTOCOL, "echo", {"count": flow} if name == taker else {})

    parts = [draw(loops_around(names, (call(name),))) for names, name in (("A", "c.a"), ("B", "c.b"))]
    first, second = draw(st.permutations(parts))
    steps = {
        "c": draw(loops_around("S", (*first, *second), 1)),
        "d": draw(loops_around("D", (call("d.t"),))),
    }
    effects = {
        each: tuple(Effect(call(name), "c.a", "c", None) for name, acts in CAUSED.items() if acts == each)
        for each in "cd"
    }
    beat = Periodic(call("c.p"), 1.0)
    types = [
        NodeType(each, Count(NODES), steps[each], (beat,) if each == "c" else (), effects[each])
        for each in "cd"
    ]
    return Workload(tuple(types), Recorded((), ()))


def run_of(workload: Workload, chance: Random) -> list[Made]:
    """The calls of all nodes, in the order in which they are sent."""
    made: list[Made] = []

    def leaves() -> dict[str, Any]:
        return {"count": chance.randrange(1000)} if chance.random() < 0.9 else {"text": "no count"}

    def make(template: str, node: int, loops: Loops, sent_s: float, cause: Made | None = None) -> Made:
        answered_s = sent_s + chance.uniform(0, 4) if chance.random() < 0.85 else None
        response = leaves() if chance.random() < 0.9 else None
        call = Made(template[0], node, template, loops, sent_s, leaves(), answered_s, response, cause)
        made.append(call)
        return call

    for node_type in workload.node_types:
        for node in range(NODES):
            now_s, beats = 0.0, 0
            for template, loops in walk(node_type):
                now_s += chance.uniform(0, 2)
                step = make(template, node, loops, now_s)
                if template == "c.a" and step.answered_s is not None and step.response is not None:
                    for effect, acts in CAUSED.items():
                        acting = node if acts == "c" else chance.randrange(NODES)
                        around = loops if acts == "c" else {f"c.{loop}": n for loop, n in loops.items()}
                        make(effect, acting, around, step.answered_s + chance.uniform(0, 3), step)
                if node_type.periodic and chance.random() < 0.5:
                    make("c.p", node, {"c.p": beats}, now_s + chance.random() / 100)
                    beats += 1
    return sorted(made, key=lambda call: call.sent_s)


def walk(node_type: NodeType) -> Iterator[tuple[str, Loops]]:
    """A node's steps."""
    cursor = Cursor(node_type.steps, SCALE)
    while (call := cursor.call) is not None:
        yield call.id, cursor.loops
        cursor.advance()


def predicted(made: list[Made], flow: Flow, taker: str) -> list[Value]:
    """What prediction gives to every taking call."""
    senders = {(t, n): Sender(0, f"{t}{n}", Role("client"), []) for t in "cd" for n in range(NODES)}
    occurrences: dict[int, Occurrence] = {}
    for order, call in enumerate(made):
        (logical,) = calls(
            event(
                order,
                "echo",
                call.request,
                start_s=call.sent_s,
                end_s=call.sent_s if call.answered_s is None else call.answered_s,
                error="java.io.IOException" if call.response is None else None,
                answered=call.answered_s is not None,
            )
        )
        kept = call.response is not None and call.answered_s is not None
        object.__setattr__(logical.event, "response", Row.of(call.response or {}) if kept else None)
        occurrences[id(call)] = Occurrence(
            0,
            call.node,
            senders[call.node_type, call.node],
            call.template,
            logical,
            dict(call.loops),
            cause=occurrences.get(id(call.cause)),
        )
    timeline = Timeline(list(occurrences.values())[::-1])
    takers = [occurrences[id(call)] for call in made if call.template == taker]
    each = [OccurrenceContext(timeline, SCALE, occurrence).flow(flow) for occurrence in takers]
    assert timeline.values(flow, takers) == each
    return each


def played(workload: Workload, made: list[Made], flow: Flow, taker: str) -> list[Value]:
    """What played nodes give to every taking call, as the calls and their answers come."""
    population = Population(Plan(workload, SCALE, {"c": NODES, "d": NODES}), wire.SCHEMA, seeds=Seeds(1))
    templates = {call.id: call for node_type in workload.node_types for call in templates_of(node_type)}
    nodes: dict[tuple[str, int], ScriptedNode] = {}
    for node_type in workload.node_types:
        family = ScriptedFamily(node_type, population)
        population.add(node_type.name, family)
        nodes |= {(node_type.name, number): ScriptedNode(family, number) for number in range(NODES)}
    given_values = []
    moments = [(call.sent_s, 0, call) for call in made]
    moments += [(call.answered_s, 1, call) for call in made if call.answered_s is not None]
    for _, answer, call in sorted(moments, key=lambda moment: moment[:2]):
        node, template = nodes[call.node_type, call.node], templates[call.template]
        cause = Cause(0, message(call.request), None, 0, call.loops, ()) if call.cause else None
        context = NodeContext(node, Place(call.loops, ()), cause)
        if answer:
            response = None if call.response is None else message(call.response)
            node._requests.keep(template, context, Side.RESPONSE, response)
            continue
        if call.template == taker:
            given_values.append(context.flow(flow))
        node._requests.keep(template, context, Side.REQUEST, message(call.request))
    return given_values


def message(values: Mapping[str, Any]) -> Any:
    """A toy request or response."""
    return wire.message("EchoProto", **values)


@settings(max_examples=examples(300))
@given(st.data(), FLOWS, st.sampled_from(TAKERS), st.integers(0, 1 << 32).map(Random))
def test_prediction_and_play_give_the_same_values(
    data: st.DataObject, flow: Flow, taker: str, chance: Random
) -> None:
    """For every `Which`, either side, and calls of the node itself, of its own type and of the other."""
    if flow.node_type is None and flow.call[0] != taker[0]:
        flow = replace(flow, node_type=flow.call[0])
    # Values of the request being made are at hand; they are nobody's to look up.
    assume(not (flow.call == taker and flow.side is Side.REQUEST and flow.which is Which.SAME))
    workload = data.draw(workloads(flow, taker))
    made = run_of(workload, chance)
    assert predicted(made, flow, taker) == played(workload, made, flow, taker)
