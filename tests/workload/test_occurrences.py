"""Every `Which` in every nesting: by examples, and the short history against a search of the whole one."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.workload.occurrences import (
    History,
    Loops,
    WholeHistory,
    nth_place,
    of_own_node,
    place_meant,
    qualified,
)
from froude.workload.types import Flow, Side, Which

PLACES = [which for which in Which if which is not Which.CAUSE]


def stands(which: Which, taker: Loops, source: Loops) -> bool:
    """The definition, loop by loop: whether an occurrence stands where a flow means, seen from the taking call."""
    shared = [loop for loop in source if loop in taker]
    match which:
        case Which.FIRST | Which.LAST:
            return True
        case Which.SAME:
            return all(source[loop] == taker[loop] for loop in shared)
        case Which.PREVIOUS:
            *outer, inner = shared or [""]
            return (
                inner != ""
                and all(source[loop] == taker[loop] for loop in outer)
                and source[inner] == taker[inner] - 1
            )
        case Which.NTH:
            return nth_place(taker, tuple(source)) == tuple(source.values())
        case Which.CAUSE:
            return False


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
    place, stood = place_meant(which, taker, tuple(source)), tuple(source.values())
    assert (place is not None and stood[: len(place)] == place) is expected
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


@st.composite
def out_of_order(draw: st.DrawFn, occurrences: list[Loops]) -> list[Loops]:
    """Some of them, as answers may come: an answer overtakes others, or never comes."""
    return draw(st.permutations(occurrences))[: draw(st.integers(0, len(occurrences)))]


@given(traversals(), st.sampled_from(PLACES), st.booleans(), st.data())
def test_histories_answer_as_a_search_of_every_occurrence(
    traversal: tuple[list[Loops], Loops, bool], which: Which, walked: bool, data: st.DataObject
) -> None:
    """What a node may forget is never what a later call takes, in whatever order the answers came."""
    sent, taker, _ = traversal
    occurrences = data.draw(st.one_of(st.just(sent), out_of_order(sent)))
    history: History[int] = History({which}, walked=walked)
    whole: WholeHistory[int] = WholeHistory()
    for number, loops in enumerate(occurrences):
        history.add(loops, number)
        whole.add(loops, (float(number), 0), number)
    assert history.find(which, taker) == search(occurrences, which, taker)
    for moment in range(len(occurrences) + 1):
        expected = search(occurrences[:moment], which, taker)
        assert whole.find(which, taker, (float(moment), 0)) == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))), st.integers(0, 3), st.sampled_from(PLACES))
def test_a_history_that_is_not_walked_through_forgets_no_place(
    places: list[tuple[int, int]], outer: int, which: Which
) -> None:
    """Effects stand in the loops of causes, which come in any order."""
    occurrences: list[Loops] = [{"L1": one, "L2": two} for one, two in places]
    history: History[int] = History({which}, walked=False)
    for number, loops in enumerate(occurrences):
        history.add(loops, number)
    for taker in ({"L1": outer}, {"L1": outer, "L2": 1}, {"L3": outer, "L4": 2}, {}):
        assert history.find(which, taker) == search(occurrences, which, taker)


@pytest.mark.parametrize(
    ("asked", "kept"),
    [({Which.FIRST, Which.LAST}, 1), ({Which.SAME, Which.PREVIOUS}, 1 + 2 + 2), ({Which.NTH}, 1 + 100)],
)
def test_a_history_keeps_what_may_be_asked(asked: set[Which], kept: int) -> None:
    """Two a nesting level; every place for NTH alone."""
    items: list[object] = []

    class Item:
        def __init__(self) -> None:
            items.append(weakref.ref(self))

    history: History[Item] = History(asked)
    for outer in range(10):
        for inner in range(10):
            history.add({"L1": outer, "L2": inner}, Item())
    gc.collect()
    assert sum(item() is not None for item in items) <= kept + 1  # type: ignore[operator]


def test_an_effect_stands_among_all_where_its_node_stands() -> None:
    """Its loops are its cause's; of another call the loops are known by its type's name."""
    assert qualified("d", 2, {"L1": 4}, effect=False) == {"d.node": 2, "d.L1": 4}
    assert qualified("d", 2, {"c.L1": 4}, effect=True) == {"d.node": 2}


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
