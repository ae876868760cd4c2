"""Parsing by a pattern."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.mining.shape.parse import Automaton, Match
from froude.mining.shape.segments import Loop

PATTERN = ("m", Loop(("c", Loop(("a",)), "d")), "l")


def test_places_and_iterations() -> None:
    """Each call gets its element and the iteration of each loop around it."""
    parse = Automaton(PATTERN).parse("mcadcaadl")
    assert parse is not None
    assert parse.exact
    assert parse.matches[2] == Match(2, (0, 0))
    assert parse.matches[6] == Match(2, (1, 1))
    assert parse.matches[-1] == Match(4, ())


def test_a_loop_may_run_zero_times() -> None:
    """At little cost, so that a pattern without it is preferred."""
    parse = Automaton(PATTERN).parse("ml")
    assert parse is not None
    assert parse.exact
    assert parse.cost > 0


def test_extra_and_missing_calls_are_told() -> None:
    """A sequence that deviates is matched as far as it agrees."""
    parse = Automaton(PATTERN).parse("mcaxdca")
    assert parse is not None
    assert not parse.exact
    assert parse.matches[3].element == -1
    assert parse.missing == (3, 4)
    assert Automaton(PATTERN).parse("mcaxdl", exact=True) is None


def test_how_often_each_loop_ran() -> None:
    """By its number and the iterations of the loops around it; one that never ran is not there."""
    automaton = Automaton(PATTERN)
    parse = automaton.parse("mcaadcdcaaadl")
    assert parse is not None
    assert automaton.iterations(parse) == {(0, ()): 3, (1, (0,)): 2, (1, (2,)): 3}
    assert automaton.uneven(parse) == 1
    none = automaton.parse("ml")
    assert none is not None
    assert automaton.iterations(none) == {}


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_iterations_are_those_that_were_played(rounds: list[int]) -> None:
    """Calls that fit nowhere count for no loop."""
    automaton = Automaton(PATTERN)
    parse = automaton.parse(["m", *(call for times in rounds for call in "c" + "a" * times + "d"), "l", "x"])
    assert parse is not None
    inner = {(1, (at,)): times for at, times in enumerate(rounds)}
    assert automaton.iterations(parse) == {(0, ()): len(rounds)} | inner
    assert automaton.uneven(parse) == (len(set(rounds)) > 1)
