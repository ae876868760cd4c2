"""Parsing by a pattern."""

from __future__ import annotations

from froude.mining.parse import Automaton, Match
from froude.mining.segments import Loop

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
