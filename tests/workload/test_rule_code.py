"""Source of rules: what it says is what the evaluator gives; a whole play's is tested by `test_compiled`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from froude.messages.encoder import compiled
from froude.workload.rule_code import MOST_CHARACTERS, make_source
from froude.workload.rules import Special, stand_in
from froude.workload.scale import Scale
from froude.workload.types import (
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Cycle,
    Flow,
    Rule,
    Side,
    Template,
    Unknown,
)

SCALE = Scale.of(files=7, clients=3, datanodes=4, input="1 GB")


class Place:
    """A context without other calls."""

    cause = None
    scale = SCALE

    def __init__(self, node: int, loops: dict[str, int]) -> None:
        self.node, self.loops = node, loops

    def index(self, name: str) -> int:
        return self.node if name == "node" else self.loops.get(name, 0)

    def is_last(self, name: str) -> bool:
        return self.loops.get(name, 0) == 2

    def flow(self, rule: Flow) -> Special:
        return Special.UNRESOLVED

    def fact(self, name: str) -> str:
        return f"fact {name}"

    def generated(self, rule: object) -> int:
        return 7


class Nothing:
    """A memory of no calls."""

    def find(self, *_: object) -> None:
        return None


def made(rule: Rule, place: Place) -> Any:
    """What the generated function gives for a leaf of that rule."""
    source = make_source(CallTemplate("c", "p", "m", {"a": rule}), "client", SCALE)
    assert source is not None
    return compiled(*source)(place.node, place.loops, place, Nothing(), Nothing())


TEXTS = st.text(alphabet="a'\"\\{}\n\u00fc/", max_size=6)
INDICES = st.sampled_from(["node", "L1", "L1%3", "L1//3", "files*node", "(2*L1+1)%files", "clients"])
COUNTERS = st.builds(
    Counter,
    st.integers(-5, 50),
    st.dictionaries(INDICES, st.integers(-3, 9), max_size=3),
    st.integers(0, 5),
    st.sampled_from([10, 16, 26]),
)
LEAVES = st.one_of(
    st.builds(Constant, TEXTS | st.integers() | st.booleans() | st.binary(max_size=3)),
    COUNTERS,
    st.builds(Unknown, st.lists(TEXTS, max_size=2).map(tuple)),
    st.builds(Cycle, st.lists(TEXTS | st.integers(), min_size=1, max_size=3).map(tuple), COUNTERS),
    st.just(Flow("other", Side.RESPONSE, "x")),
)
RULES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Template, st.lists(TEXTS | inner, max_size=4).map(tuple)),
        st.builds(Cases, st.sampled_from(["L1", "L2", "node"]), st.none() | inner, st.none() | inner, inner),
    ),
    max_leaves=6,
)


@example(
    rule=Template(("f", Counter(-7, {"node": 3}, 4), "/", Counter(5, {"L1": 1}, 3))),
    node=1,
    first=2,
    second=0,
)
@example(
    rule=Template((Counter(200, {}, 5, 16), Counter(30, {}, 4, 26), Counter(3, {}))),
    node=0,
    first=0,
    second=0,
)
@given(rule=RULES, node=st.integers(0, 3), first=st.integers(0, 3), second=st.integers(0, 3))
def test_a_rule_gives_what_the_evaluator_gives(rule: Rule, node: int, first: int, second: int) -> None:
    """Whatever texts hold, however rules nest."""
    place = Place(node, {"L1": first, "L2": second})
    if isinstance(rule, Constant):
        return
    assert made(rule, place) == (stand_in(rule, place),)


def test_a_source_is_bounded() -> None:
    """Beyond that a template is interpreted."""
    rule = Template(("x" * MOST_CHARACTERS,))
    assert make_source(CallTemplate("c", "p", "m", {"a": rule}), "client", SCALE) is None


@pytest.mark.parametrize("text", ["\n    raise SystemExit", "'}{exit()}", "\\\r\u2028import os"])
def test_no_text_of_a_file_becomes_code(text: str) -> None:
    """Whatever stands in paths, names of loops and texts is quoted, or left out of the source."""
    rules = (
        Counter(0, {text: 1}),
        Template((text, Counter(0, {"node": 1}))),
        Flow(text, Side.RESPONSE, text),
    )
    for rule in (*rules, Cases(text, rules[0], None, rules[1])):
        source = make_source(CallTemplate("c", "p", "m", {f"a{text}": rule}), text, SCALE)
        assert source is not None
        assert compiled(*source)(1, {}, Place(1, {}), Nothing(), Nothing()) == (stand_in(rule, Place(1, {})),)
