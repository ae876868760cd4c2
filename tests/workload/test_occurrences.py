"""Every `Which` in every nesting: by examples, and the short history against a search of the whole one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.workload.occurrences import History, Loops, nth_place, of_own_node, stands
from froude.workload.types import Flow, Side, Which

PLACES = [which for which in Which if which is not Which.CAUSE]


def search(history: list[Loops], which: Which, taker: Loops) -> int | None:
    """The definition: the latest occurrence that stands where `which` says, for FIRST the first."""
    if which is Which.FIRST:
        return 0 if history else None
    return next((n for n in reversed(range(len(history))) if stands(which, taker, history[n])), None)


@pytest.mark.parametrize(
    ("which", "taker", "source", "expected"),
    [
        (Which.SAME, {"L1": 2}, {"L1": 2}, True),
        (Which.SAME, {"L1": 2}, {"L1": 1}, False),
        (Which.SAME, {"L1": 2, "L2": 0}, {"L1": 2, "L3": 7}, True),
        (Which.SAME, {"L1": 2}, {}, True),
        (Which.PREVIOUS, {"L1": 2}, {"L1": 1}, True),
        (Which.PREVIOUS, {"L1": 2}, {"L1": 0}, False),
        (Which.PREVIOUS, {"L1": 3, "L2": 1}, {"L1": 3, "L2": 0}, True),
        (Which.PREVIOUS, {"L1": 3, "L2": 0}, {"L1": 2, "L2": 4}, False),
        (Which.PREVIOUS, {"L1": 3, "L4": 5}, {"L1": 2, "L2": 9}, True),
        (Which.PREVIOUS, {"L1": 3}, {}, False),
        (Which.NTH, {"L2": 4}, {"L1": 4}, True),
        (Which.NTH, {"L2": 4}, {"L1": 3}, False),
        (Which.NTH, {"L2": 4, "L3": 1}, {"L1": 4}, True),
        (Which.NTH, {"L2": 4, "L3": 1}, {"L1": 1}, False),
        (Which.NTH, {"L1": 0, "L3": 5}, {"L1": 0, "L2": 5}, True),
        (Which.NTH, {"L1": 1, "L3": 5}, {"L1": 0, "L2": 5}, False),
        (Which.NTH, {"L3": 1, "L4": 2}, {"L1": 1, "L2": 2}, True),
        (Which.NTH, {"L3": 1, "L4": 2}, {"L1": 2, "L2": 1}, False),
        (Which.NTH, {"L3": 1}, {"L1": 1, "L2": 0}, False),
        (Which.NTH, {"L1": 1}, {"L1": 1}, False),
        (Which.FIRST, {"L1": 1}, {"L1": 0}, True),
        (Which.LAST, {"L1": 1}, {"L1": 0}, True),
        (Which.CAUSE, {"L1": 1}, {"L1": 1}, False),
    ],
)
def test_a_source_stands_where_its_flow_says(
    which: Which, taker: Loops, source: Loops, expected: bool
) -> None:
    """Shared loops tie the two; of others NTH pairs them from outside in."""
    assert stands(which, taker, source) is expected


def test_the_nth_place_pairs_loops_from_outside_in() -> None:
    """A taker in nested loops takes its outer number for a source in one loop."""
    assert nth_place({"L2": 4, "L3": 1}, ("L1",)) == (4,)
    assert nth_place({"L1": 7, "L3": 4}, ("L1", "L2")) == (7, 4)
    assert nth_place({"L1": 7}, ("L1", "L2")) is None
    assert nth_place({"L1": 7}, ("L1",)) is None
    assert nth_place({}, ("L1",)) is None


Shape = tuple[tuple[str, ...], int]
"""Loops around a call, and which of all shapes it is."""


@st.composite
def traversals(draw: st.DrawFn) -> tuple[list[Loops], Loops, bool]:
    """The source's occurrences and a taking call in the order in which nested loops are run.

    Source and taker share some outer loops, and each may be in loops of its own; the taker's may come before or after
    the source's, in the same body.
    """
    shared = [f"S{level}" for level in range(draw(st.integers(0, 2)))]
    source = [f"A{level}" for level in range(draw(st.integers(0, 2)))]
    taking = [f"B{level}" for level in range(draw(st.integers(0, 2)))]
    source_first = draw(st.booleans())
    moments: list[tuple[str, Loops]] = []
    for outer in iterations(draw, shared):
        bodies = [("source", inner) for inner in iterations(draw, source)]
        takings = [("taker", inner) for inner in iterations(draw, taking)]
        ordered = bodies + takings if source_first else takings + bodies
        moments += [(kind, {**outer, **inner}) for kind, inner in ordered]
    takers = [number for number, (kind, _) in enumerate(moments) if kind == "taker"]
    if not takers:
        return [loops for kind, loops in moments if kind == "source"], {}, False
    at = draw(st.sampled_from(takers))
    return [loops for kind, loops in moments[:at] if kind == "source"], moments[at][1], True


def iterations(draw: st.DrawFn, loops: list[str]) -> Iterator[Loops]:
    """Every combination of iterations; inner loops run a number of times of their own, perhaps none."""
    if not loops:
        yield {}
        return
    for number in range(draw(st.integers(0, 3))):
        for inner in iterations(draw, loops[1:]):
            yield {loops[0]: number, **inner}


@given(traversals(), st.sampled_from(PLACES))
def test_a_short_history_answers_as_a_search_of_the_whole_one(
    traversal: tuple[list[Loops], Loops, bool], which: Which
) -> None:
    """What a node may forget is never what a later call takes."""
    occurrences, taker, _ = traversal
    history: History[int] = History({which})
    for number, loops in enumerate(occurrences):
        history.add(loops, number)
    assert history.find(which, taker) == search(occurrences, which, taker)


def test_a_history_without_occurrences_finds_nothing() -> None:
    """A flow from a call that was never made has no value."""
    history: History[int] = History()
    assert all(history.find(which, {"L1": 0}) is None for which in Which)


def test_the_cause_is_no_call_of_the_node() -> None:
    """What caused an effect is handed over with it, not looked up."""
    history: History[int] = History()
    history.add({}, 1)
    assert history.find(Which.CAUSE, {}) is None


def test_the_iteration_before_is_found_past_inner_loops() -> None:
    """A source that runs several times an iteration gives its last of the iteration before."""
    history: History[str] = History()
    for outer in range(2):
        for inner in range(3):
            history.add({"L1": outer, "L2": inner}, f"{outer}.{inner}")
    assert history.find(Which.PREVIOUS, {"L1": 1}) == "0.2"
    assert history.find(Which.PREVIOUS, {"L1": 2}) == "1.2"
    assert history.find(Which.PREVIOUS, {"L1": 1, "L2": 2}) == "1.1"


@pytest.mark.parametrize("which", Which)
def test_the_same_iteration_of_all_nodes_of_ones_type_is_ones_own(which: Which) -> None:
    """Where another node's call is meant it is the first, the latest or the one of a number."""
    own, of_type = Flow("c.a", Side.REQUEST, "x", which), Flow("c.a", Side.REQUEST, "x", which, "c")
    assert of_own_node(own, "c")
    assert of_own_node(of_type, "c") is (which in (Which.SAME, Which.PREVIOUS))
    assert not of_own_node(of_type, "d")
