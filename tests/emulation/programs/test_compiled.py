"""Compiled templates make the bytes, the notes and the memory that the evaluator of rules makes, whatever comes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.compiled import Calls, Compiled, listing
from froude.emulation.programs.context import Cause, NodeContext, Place
from froude.emulation.programs.events import Instruction
from froude.emulation.programs.memory import Wanted
from froude.emulation.programs.population import PlaySettings, Population
from froude.emulation.programs.registry import populate
from froude.emulation.programs.requests import Requests
from froude.emulation.programs.scripted import ScriptedNode
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import Target
from froude.workload.plan import Plan
from froude.workload.scale import Scale
from froude.workload.types import (
    NODE,
    SCRIPTED,
    CallTemplate,
    Constant,
    Counter,
    Repeat,
    Side,
    Step,
    Template,
    Unknown,
    Which,
    Workload,
)
from froude.workload.walk import flows, templates
from froude.workload.yaml_file import read_workload
from testbed import plans, recorded
from testbed.workloads import WORKLOADS
from tests.support.emulation.interpreted import Interpreted

DATA = Path(__file__).parents[2] / "data"
TEXTS = ("", "a", "/f/ü", "it's {odd}", "x" * 200, "7", "DFSClient_NONMAPREDUCE_1_1")
NUMBERS = (0, 1, 2, 127, 128, 300, 16384, 1 << 30, (1 << 31) - 1, -1)


class Stage(NamedTuple):
    """One play, twice: compiled, and interpreted."""

    compiled: Population
    interpreted: Population
    templates: list[tuple[str, CallTemplate, tuple[str, ...]]]
    """With its node type and the loops around it."""


def scripted(workload: Workload) -> Workload:
    """Every node type follows its steps."""
    types = tuple(replace(each, program=SCRIPTED, container=None) for each in workload.node_types)
    return replace(workload, node_types=types)


def around(steps: tuple[Step, ...], *loops: str) -> Iterator[tuple[CallTemplate, tuple[str, ...]]]:
    """Every call, and the loops around it."""
    for step in steps:
        if isinstance(step, Repeat):
            yield from around(step.steps, *loops, step.id)
        else:
            yield step, loops


@cache
def stage(name: str) -> Stage:
    """A workload's populations."""
    workload = scripted(SOURCES[name]())
    scale = Scale.of(
        **{variable: 3 for each in workload.recorded.scales for variable in each}, **_SCALES.get(name, {})
    )
    plan = Plan(workload, scale, {each.name: 3 for each in workload.node_types})
    chosen = PlaySettings({"": Target("namenode", "nn:1", "CID-1")}, nonce="n")
    schema = Hadoop.find().schema() if name in {"plan", "old"} else recorded.schema()
    pair = [populate(plan, schema, seeds=Seeds(1), settings=chosen) for _ in range(2)]
    places = {call.id: loops for each in workload.node_types for call, loops in around(each.steps)}
    listed = []
    for each in workload.node_types:
        causes = {effect.call.id: effect for effect in each.effects}
        for call in templates(each):
            if call.protocol not in schema.protocols:
                continue
            loops = places.get(call.id)
            if loops is None and call.id in causes:
                effect = causes[call.id]
                prefix = "" if effect.cause_type == each.name else f"{effect.cause_type}."
                loops = tuple(prefix + loop for loop in places.get(effect.cause, ()))
            listed.append((each.name, call, (call.id,) if loops is None else loops))
    return Stage(*pair, listed)


SOURCES = {
    "plan": plans.workload,
    "old": lambda: read_workload(DATA / "old" / "workload.yaml"),
    "mapreduce": recorded.mined,
    **{path.stem: lambda path=path: read_workload(path) for path in WORKLOADS.values()},
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _mined_once(mined: Workload) -> None:
    """What was mined in this run stands for what `stage` would mine again."""
    SOURCES["mapreduce"] = lambda: mined


_SCALES: Mapping[str, Mapping[str, Any]] = {"plan": {"datanodes": 3, "clients": 2, "files": 3}}


def filled(kind: Any, rng: random.Random, depth: int = 0) -> Any:
    """A message by chance: fields are missing, lists are short, numbers and texts are odd."""
    message = kind()
    for field in kind.DESCRIPTOR.fields:
        if rng.random() < 0.2 or depth > 5:
            continue
        values = [_value(field, rng, depth) for _ in range(rng.randrange(3) if field.is_repeated else 1)]
        if field.is_repeated and field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue
        for value in values:
            if field.is_repeated:
                getattr(message, field.name).append(value)
            elif isinstance(value, Message):
                getattr(message, field.name).CopyFrom(value)
            else:
                setattr(message, field.name, value)
    return message


def _value(field: Any, rng: random.Random, depth: int) -> Any:
    if field.message_type is not None:
        return filled(GetMessageClass(field.message_type), rng, depth + 1)
    if field.enum_type is not None:
        return rng.choice(list(field.enum_type.values_by_number))
    if field.cpp_type == field.CPPTYPE_STRING:
        text = rng.choice(TEXTS)
        return text.encode() if field.type == field.TYPE_BYTES else text
    if field.cpp_type == field.CPPTYPE_BOOL:
        return rng.random() < 0.5
    if field.cpp_type in {field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT}:
        return rng.choice((0.0, 0.5, 3.0))
    signed = field.cpp_type in {field.CPPTYPE_INT32, field.CPPTYPE_INT64}
    return rng.choice([number for number in NUMBERS if signed or number >= 0])


def node_of(population: Population, node_type: str, number: int, kind: type[Requests]) -> ScriptedNode:
    """A node whose requests are made in one of the two ways."""
    node = ScriptedNode(population.families[node_type], number)  # type: ignore[arg-type]
    node._requests = kind(population.families[node_type], node.id)  # type: ignore[arg-type]
    return node


def learned(node: ScriptedNode, population: Population) -> dict[str, Any]:
    """All that is remembered, as far as rules take it."""
    needs = population.needs
    out = {}
    for name, memory, kept in (
        ("own", node._requests._memory, needs.own),
        ("shared", population.shared, needs.shared),
    ):
        for key, history in memory._histories.items():
            call, _, side = key.rpartition(" ")
            paths = kept[call][Side(side)].paths
            for depth, latest in history._latest.items():
                for place, values in latest.items():
                    out[name, key, depth, place] = {path: values[path] for path in paths}
    return out


def play(name: str, pick: int, seed: int) -> None:
    """Some calls of one template after calls that it takes of, on both stages."""
    at = stage(name)
    rng = random.Random(seed)
    node_type, call, loops = at.templates[pick % len(at.templates)]
    type_of = {template.id: (each, template, around_it) for each, template, around_it in at.templates}
    nodes: dict[str, list[ScriptedNode]] = {}
    results = []
    for population, kind in ((at.compiled, Requests), (at.interpreted, Interpreted)):
        population.shared._histories.clear()
        nodes[kind.__name__] = [node_of(population, node_type, 1, kind)]
    sources = [flow.call for rule in call.arguments.values() for flow in flows(rule) if flow.call in type_of]
    actions = [*dict.fromkeys(sources), call.id, call.id, call.id]
    places = {
        loop: sorted(rng.randrange(3) for _ in actions)
        for _, _, around_it in at.templates
        for loop in around_it
    }
    last = [loop for loop in loops if rng.random() < 0.3]
    effects = {effect.call.id: effect for effect in at.compiled.types[node_type].effects}
    for step, action in enumerate(actions):
        source_type, template, around_it = type_of[action]
        place = Place({loop: places[loop][step] for loop in around_it}, last)
        schema = at.compiled.schema
        answer = filled(schema.method(template.protocol, template.method).response, rng)
        failed, promised = rng.random() < 0.1, rng.random() < 0.2
        cause = None
        if action in effects and effects[action].cause in type_of:
            made_by = type_of[effects[action].cause][1]
            method = schema.method(made_by.protocol, made_by.method)
            request, response = filled(method.request, rng), filled(method.response, rng)
            cause = Cause(0, request, response, (rng.randrange(2), rng.randrange(2)), place.loops, place.last)
        path, sent = (
            (rng.choice(list(template.arguments)) if template.arguments else None),
            rng.random() < 0.8,
        )
        outcome = []
        for population, kind in ((at.compiled, Requests), (at.interpreted, Interpreted)):
            node = nodes[kind.__name__][0]
            if source_type != node_type:
                node = node_of(population, source_type, 1, kind)
            context, out = NodeContext(node, place, cause), list[Instruction]()
            body: object
            if promised and path is not None:
                rule = template.arguments[path]
                node._requests.promise(template, path, rule.value if isinstance(rule, Constant) else 5)
            try:
                body = (node._requests.body if sent else node._requests.unsent)(template, context, out)
            except InputError as error:
                body = str(error)
            node._requests.keep(template, context, Side.RESPONSE, None if failed else answer)
            outcome.append((body, sorted(map(repr, out)), learned(node, population), node.rng.getstate()))
        results.append(outcome)
    for outcome in results:
        assert outcome[0] == outcome[1]


@pytest.mark.parametrize("name", SOURCES)
def test_every_template_makes_the_same_bytes_and_learns_the_same(name: str) -> None:
    """Over random places, answers, errors and promises; notes, errors and random draws are the same, too."""

    @settings(max_examples=60)
    @given(pick=st.integers(0, len(stage(name).templates) - 1), seed=st.integers(0, 1 << 32))
    def chosen(pick: int, seed: int) -> None:
        play(name, pick, seed)

    for pick in range(len(stage(name).templates)):
        play(name, pick, pick)
    chosen()


def test_the_code_can_be_read_and_is_bounded() -> None:
    """A template's functions by the names of its leaves; one with a very long rule stays interpreted, and works."""
    at = stage("upload-and-read")
    text = listing(at.compiled)
    assert "v0 = f'/demo/client-{node}/part-{i0:05d}'  # src" in text
    call = next(call for _, call, _ in at.templates if call.id == "client.c1")
    texts = Template(
        tuple(itertools.chain.from_iterable((f"{n}'{{", Counter(n, {NODE: 1})) for n in range(5000)))
    )
    long = replace(call, id="long", arguments={**call.arguments, "src": texts})
    compiled = at.compiled.common(Calls).of(long, "client")
    assert sum(map(len, compiled.sources)) < 1000
    node = node_of(at.compiled, "client", 1, Requests)
    body = node._requests.body(long, NodeContext(node, Place({}, ())), [])
    assert body is not None
    assert b"4999'{5000" in body


def test_an_example_stands_in_for_a_rule_that_is_missing() -> None:
    """The first of them; without any the leaf is left out, and noted."""
    at = stage("upload-and-read")
    call = next(call for _, call, _ in at.templates if call.id == "client.c1")
    node = node_of(at.compiled, "client", 1, Requests)
    for rule, there in ((Unknown(("/seen", "/other")), True), (Unknown(()), False)):
        out: list[Instruction] = []
        other = replace(call, id=f"unknown {there}", arguments={**call.arguments, "src": rule})
        body = node._requests.body(other, NodeContext(node, Place({}, ())), out)
        assert (body is not None and b"/seen" in body) == there
        assert bool(out) != there


def test_a_list_may_have_constants_between_what_varies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though a flow takes a leaf of the request: the constants alone have a gap."""
    at = stage("upload-and-read")
    call = next(call for _, call, _ in at.templates if call.method == "create")
    rules = {"cryptoProtocolVersion[0]": Counter(1, {NODE: 0}), "cryptoProtocolVersion[1]": Constant(2)}
    mixed = replace(call, arguments={**call.arguments, **rules})
    wanted = {Side.REQUEST: Wanted({"cryptoProtocolVersion[1]"}, {Which.SAME})}
    monkeypatch.setitem(at.compiled.needs.own, call.id, wanted)  # type: ignore[index]
    compiled = Compiled(mixed, "client", at.compiled)
    node = node_of(at.compiled, "client", 1, Requests)
    assert compiled.pick is None
    body = node._requests.body(mixed, NodeContext(node, Place({}, ())), [])
    assert body is not None
    assert list(compiled.kinds.request.FromString(body).cryptoProtocolVersion) == [1, 2]  # type: ignore[attr-defined]
