"""A cursor stands at the calls of the plain expansion, one after another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.workload.cursor import Cursor
from froude.workload.rounds import unrolled
from froude.workload.scale import Count, Scale, at_node
from froude.workload.types import (
    CallTemplate,
    Flow,
    Generated,
    Repeat,
    Side,
    Step,
)
from testbed.plans import CLIENT

SCALE = Scale.of(files=3)


def call(name: str) -> CallTemplate:
    """A call of that id."""
    return CallTemplate(name, CLIENT, "getFileInfo", {})


def test_a_loop_over_a_list_runs_once_for_each_element() -> None:
    """By the answer of its own round; by its formula where there is no answer yet."""
    listed = Flow("a", Side.RESPONSE, "l[{each}].path")
    loop = Repeat("L2", Count(1), (call("b"),), each=listed)
    steps = (Repeat("L1", Count(4), (call("a"), loop)),)
    answers = {0: 2, 1: 0, 3: 3}
    cursor = Cursor(
        steps, SCALE, elements=lambda flow, loops: answers.get(loops["L1"]) if flow == listed else 9
    )
    ids, plain = "", ""
    while (at := cursor.call) is not None:
        ids += at.id
        cursor.advance()
    assert ids == "abb" + "a" + "ab" + "abbb"
    ahead = Cursor(steps, SCALE, elements=lambda _, loops: answers.get(loops["L1"])).copy()
    for _ in range(len(ids) - 1):
        ahead.advance()
    assert ahead.call is not None
    ahead.advance()
    assert ahead.call is None
    for each, _ in unrolled(steps, SCALE, elements=lambda _, around: answers.get(around[0][1])):
        plain += each.id
    assert plain == ids


def walk(steps: tuple[Step, ...]) -> list[tuple[str, dict[str, int]]]:
    """Every call a cursor stands at."""
    cursor, seen = Cursor(steps, SCALE), []
    while (at := cursor.call) is not None:
        seen.append((at.id, cursor.loops))
        cursor.advance()
    return seen


def test_loops_nest_and_empty_ones_are_passed_by() -> None:
    """Iterations count from zero; a loop of no iterations, or of no steps, makes no call."""
    inner = Repeat("L2", Count(2), (call("b"),))
    empty = (Repeat("L3", Count(0), (call("x"),)), Repeat("L4", Count(5), ()))
    seen = walk((*empty, call("a"), Repeat("L1", Count(0, {"files": 1}), (inner, call("c"), *empty)), *empty))
    assert [name for name, _ in seen] == ["a", *["b", "b", "c"] * 3]
    assert seen[4] == ("b", {"L1": 1, "L2": 0})


STEPS = st.recursive(
    st.builds(call, st.sampled_from("abc")).map(lambda c: (c,)),
    lambda inner: st.lists(
        st.one_of(inner, st.builds(lambda n, s: (Repeat("L", Count(n), s),), st.integers(0, 3), inner)),
        max_size=3,
    ).map(lambda parts: tuple(step for part in parts for step in part)),
    max_leaves=8,
)


def flat(steps: tuple[Step, ...]) -> list[str]:
    """The plain expansion."""
    out = []
    for step in steps:
        out += flat(step.steps) * step.times.whole_at(SCALE) if isinstance(step, Repeat) else [step.id]
    return out


@given(STEPS)
def test_a_cursor_makes_the_calls_of_the_plain_expansion(steps: tuple[Step, ...]) -> None:
    """Whatever the nesting."""
    assert [name for name, _ in walk(steps)] == flat(steps)


def test_a_copy_runs_ahead_alone() -> None:
    """Looking ahead does not move a node."""
    cursor = Cursor((Repeat("L", Count(2), (call("a"),)),), SCALE)
    twin = cursor.copy()
    twin.advance()
    assert (cursor.loops, twin.loops) == ({"L": 0}, {"L": 1})
    assert (cursor.is_last("L"), twin.is_last("L")) == (False, True)


def test_numbers_that_are_drawn_follow_from_the_place() -> None:
    """A twin that runs ahead draws the same, and other nodes draw others."""
    steps = (Repeat("L", Count(4), (call("a"),), Generated("gauge", {"low": 1, "high": 1000})),)

    def length(cursor: Cursor) -> int:
        made = 0
        while cursor.call is not None:
            made += 1
            cursor.advance()
        return made

    first = Cursor(steps, SCALE, lambda: 7)
    assert length(first.copy()) == length(first.copy()) == length(Cursor(steps, SCALE, lambda: 7))
    assert len({length(Cursor(steps, SCALE, lambda seed=seed: seed)) for seed in range(10)}) > 5  # type: ignore[misc]


def test_loops_by_the_number_of_the_node() -> None:
    """Each node does one more than the one before."""
    steps = (Repeat("L", Count.parse("node + 1"), (call("a"),)),)
    for node in range(3):
        cursor, made = Cursor(steps, at_node(SCALE, node)), 0
        while cursor.call is not None:
            made += 1
            cursor.advance()
        assert made == node + 1


def test_loops_by_the_round_of_the_loop_around() -> None:
    """A file every third round, as a prediction unrolls it."""
    body = (call("a"), Repeat("L2", Count.parse("(L1+1)//3 - L1//3"), (call("b"),)))
    steps: tuple[Step, ...] = (Repeat("L1", Count(8), body),)
    made = [name for name, _ in walk(steps)]
    assert made == list("aaabaaabaa") == [call.id for call, _ in unrolled(steps, SCALE)]
