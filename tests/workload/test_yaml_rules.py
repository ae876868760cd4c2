"""Each kind of rule as a YAML value, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from froude.base.errors import InputError
from froude.documents.reading import Section, dump_document, parse_document
from froude.workload.scale import Count
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
    Which,
)
from froude.workload.yaml_rules import count_field, lean, read_rule, rule_field, scalar, whole
from tests.support.workload.strategies import rules

LONE_BRACE = "a brace stands alone"


def section(text: str) -> Section:
    """A document of one rule, at line 1."""
    return parse_document(f"src: {text}\n".encode(), "w.yaml")


def read(text: str) -> Rule:
    """The rule of a text."""
    root = section(text)
    return read_rule(root.raw("src"), root, "src")


@given(rules(["c1", "c2"], ["client", "datanode"]))
def test_what_is_written_is_read_again(rule: Rule) -> None:
    """Every kind of rule, alone and within cases."""
    root = parse_document(dump_document("workload", 1, {"src": rule_field(rule)}).encode(), "w.yaml")
    assert read_rule(root.raw("src"), root, "src") == rule


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        (Constant(7), 7),
        (Constant(None), None),
        (Absent(), {"absent": True}),
        (Counter(5, {"L1": 2, "node": 1}), {"counter": "2*L1 + node + 5"}),
        (Counter(0, {}, 3, 16), {"counter": "0", "width": 3, "hex": True}),
        (Scaled(Count(3, {}, None)), {"scaled": 3}),
        (Scaled(Count(0, {"datanodes": 1}, 3)), {"scaled": "min(3, datanodes)"}),
        (Scaled(Count(0, {"files": 1}), 5), {"scaled": "files", "width": 5}),
        (
            Template(("part-of-", Scaled(Count(0, {"files": 1}), 5))),
            {"template": ["part-of-", {"scaled": "files", "width": 5}]},
        ),
        (Counter(0, {"(L1+3)%4": 1, "L2": -2}), {"counter": "(L1+3)%4 - 2*L2"}),
        (Template(("/f{1}-", Counter(0, {"L1": 1}, 5))), {"template": "/f{{1}}-{L1:05}"}),
        (Template((Counter(1, {"L1": 1}, 8, 16),)), {"template": "{L1 + 1:08x}"}),
        (Template((Counter(1, {"L1": 1}, 0, 16),)), {"template": "{L1 + 1:x}"}),
        (Template(("{x}", NodeFact("uuid"))), {"template": ["{{x}}", {"fact": "uuid"}]}),
        (Flow("c1", Side.RESPONSE, "id"), {"from": "c1", "response": "id"}),
        (
            Flow("c1", Side.REQUEST, "id", Which.LAST, "client", 2),
            {"from": "c1", "request": "id", "which": "last", "node_type": "client", "plus": 2},
        ),
        (
            Flow("c1", Side.RESPONSE, "files[{each}].path", element=Counter(1, {"L1": 1})),
            {"from": "c1", "response": "files[{each}].path", "element": {"counter": "L1 + 1"}},
        ),
        (
            Flow("c1", Side.RESPONSE, "files[{each}].path", element=Scaled(Count(-1, {"files": 1}))),
            {"from": "c1", "response": "files[{each}].path", "element": {"scaled": "files - 1"}},
        ),
        (
            Flow("c1", Side.RESPONSE, "path", part=TextPart("/", 2)),
            {"from": "c1", "response": "path", "part": {"separator": "/", "number": 2}},
        ),
        (Cycle(("day", 2), Counter(1, {"L1": 1})), {"cycle": ["day", 2], "by": "L1 + 1"}),
        (Generated("uuid"), {"generated": "uuid"}),
        (Generated("uuid", {"prefix": "a"}), {"generated": "uuid", "parameters": {"prefix": "a"}}),
        (
            Cases("L1", Absent(), None, Constant(1)),
            {"index": "L1", "first": {"absent": True}, "otherwise": 1},
        ),
        (Cases("L1", None, Constant(2), Constant(1)), {"index": "L1", "last": 2, "otherwise": 1}),
        (Unknown(("a", 1)), {"unknown": ["a", 1]}),
    ],
)
def test_the_form_of_each_kind(rule: Rule, value: Any) -> None:
    """As a person reads and edits it; what is usual is left out."""
    assert rule_field(rule) == value


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("{counter: 3}", Counter(3, {})),
        ("{counter: L1 + 2*node, hex: true}", Counter(0, {"L1": 1, "node": 2}, 0, 16)),
        ("{counter: L1, hex: false}", Counter(0, {"L1": 1})),
        ("{template: 'a}}b'}", Template(("a}b",))),
        ("{template: 'f-{L1:5}'}", Template(("f-", Counter(0, {"L1": 1}, 5)))),
        ("{template: ['{{x}}', {counter: L1}]}", Template(("{x}", Counter(0, {"L1": 1})))),
    ],
)
def test_other_ways_to_write_them(text: str, rule: Rule) -> None:
    """What a person may write and Froude would not."""
    assert read(text) == rule


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "src: a list is not a rule; allowed: a value or a mapping"),
        ("{templet: x}", "src: not a rule; found templet; allowed: one of absent, counter"),
        ("{fact: uuid, counter: L1}", "src: .*found fact, counter"),
        ("{fact: uuid, width: 3}", r"src\.width: "),
        ("{generated: gauge, parameters: {hihg: 3}}", r"hihg: .*high\?"),
        ("{generated: gauge, parameters: {high: true}}", r"high: .*found True"),
        ("{from: c1}", r"src: says no side; allowed: request: PATH or response: PATH"),
        ("{from: c1, request: a, response: b}", "src: says no side"),
        (
            "{from: c1, request: a, which: recent}",
            r"which: is none of the words that may stand here; found 'recent'; allowed: same, ",
        ),
        ("{index: L1, first: 1}", "src: otherwise is missing"),
        ("{absent: maybe}", r"src\.absent: "),
        ("{template: 3}", r"src\.template: .*allowed: text or a list"),
        ("{template: '/in/{'}", f"{LONE_BRACE}; found /in/{{"),
        ("{template: '/in/}'}", LONE_BRACE),
        ("{template: '{L1:0500000}'}", LONE_BRACE),
        ("{template: '{L1 ; 5}'}", r"w\.yaml:1: src\.template: "),
        ("{counter: 'min(3, L1)'}", r"not a counter; found min\(3, L1\)"),
        ("{counter: 'ceil((L1) / 2)'}", r"w\.yaml:1: src: "),
        ("{counter: 0.5*L1}", r"not a counter; .* whole multiples"),
        ("{scaled: L1^2}", r"src\.scaled: not a count"),
        (".nan", r"w\.yaml:1: src: .*found nan"),
        ("-.inf", r"w\.yaml:1: src: .*found -inf"),
        ("1e999", r"w\.yaml:1: src: .*found inf"),
        ("{unknown: [1, .nan]}", r"w\.yaml:1: src\.unknown: .*found nan"),
        ("{template: [a, .inf]}", r"w\.yaml:1: src\.template: .*found inf"),
        ("{template: '{L1:0\u0665}'}", r"src\.template: "),
        ("{unknown: 3}", r"src\.unknown: "),
        (
            "{from: c1, response: 'a[{each}]', element: {fact: uuid}}",
            "src.element: is no number; allowed: counter: TEXT or scaled: TEXT",
        ),
        ("{from: c1, response: 'a[{each}]', element: 3}", "src.element: is no number"),
        (
            "{from: c1, response: 'a[{each}]', element: {counter: L1^2}}",
            r"src\.element\.counter: ",
        ),
        ("{from: c1, response: a, part: 3}", r"src\.part"),
        ("{from: c1, response: a, part: {separator: /}}", r"src\.part: number "),
        (
            "{from: c1, response: a, part: {separator: '->', number: 0}}",
            r"src\.part: is no part of a text; allowed: a separator of one character",
        ),
        (
            "{from: c1, response: a, part: {separator: /, number: -1}}",
            r"src\.part: is no part of a text; allowed: .*a number from 0",
        ),
        ("{scaled: files, width: many}", r"src\.width: "),
        ("{scaled: files, width: 1000}", r"src\.width: .*found 1000; allowed: 0 to 999"),
        ("{counter: L1, width: -1}", r"src\.width: .*found -1"),
    ],
)
def test_what_is_no_rule_is_refused_where_it_stands(text: str, message: str) -> None:
    """With the field, what was found and what may stand there."""
    with pytest.raises(InputError, match=message):
        read(text)


def test_a_constant_count_is_a_number_and_any_other_a_formula() -> None:
    """A ceiling or pieces make a formula of a constant, too."""
    assert count_field(Count(4.0)) == 4
    assert isinstance(count_field(Count(4.0)), int)
    assert count_field(Count(2.5)) == 2.5
    assert count_field(Count(0, {"files": 2})) == "2*files"
    assert count_field(Count(9, cap=3)) == "min(3, 9)"
    assert count_field(Count(9, per=4)) == "ceil((9) / 4)"


def test_whole_numbers_are_integers() -> None:
    """So that a file says 3 and not 3.0."""
    assert (whole(3.0), type(whole(3.0))) == (3, int)
    assert whole(-0.5) == -0.5


def test_what_is_none_or_empty_is_left_out() -> None:
    """And nothing else: zero, false and an empty text say something."""
    kept = {"zero": 0, "no": False, "text": "", "some": [0]}
    assert lean({**kept, "none": None, "list": []}) == kept


class _Text(str):
    """As a parser has its own."""

    __slots__ = ()


class _Number(int):
    """The same for numbers."""


@pytest.mark.parametrize(
    ("value", "plain"),
    [(None, None), (True, True), (_Number(3), 3), (0.5, 0.5), (bytearray(b"x"), b"x"), (_Text("t"), "t")],
)
def test_scalars_are_plain_python(value: Any, plain: Any) -> None:
    """Whatever types the parser made them of; true stays true and does not become 1."""
    assert scalar(value) == plain
    assert type(scalar(value)) is type(plain)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{generated: dice}", "is no generator.*found dice; allowed: dfs-client"),
        ("{generated: gauge, parameters: {low: 5, high: -1}}", "make no gauge; found low=5, high=-1"),
        ("{generated: bytes, parameters: {length: 1e15}}", "make no bytes; found length=1000000000000000"),
        ("{generated: uuid, parameters: {prefix: [a]}}", "prefix: is no plain value"),
    ],
)
def test_generators_that_can_make_nothing_are_refused(text: str, message: str) -> None:
    """A play would end with the first of them."""
    with pytest.raises(InputError, match=message):
        read(text)
