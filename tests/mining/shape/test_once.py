"""Calls that a process makes once."""

from __future__ import annotations

from froude.mining.shape.alignment import Pattern, unify
from froude.mining.shape.once import ONCE, find_without, without
from froude.mining.shape.segments import Loop

D = ("p", ONCE, "")


def once(*texts: str) -> Pattern | None:
    """The pattern of sequences of one-letter calls, `D` for the one that is made once."""
    return find_without([tuple(D if letter == "D" else letter for letter in text) for text in texts], unify)


def test_it_is_put_into_the_round_in_which_it_is_made() -> None:
    """After what it always follows, or before what it always precedes; loops around it are as without it."""
    assert once("mcDwcwcw", "mcDwcw") == ("m", Loop(("c", Loop((D,)), "w")))
    assert once("mDcwcwcw", "mDcwcw") == ("m", Loop((D,)), Loop(("c", "w")))
    assert once("Dcwcwcw", "Dcwcw") == (Loop((Loop((D,)), "c", "w")),)


def test_at_no_fixed_place_it_stays_in_the_sequence() -> None:
    """In a later round, at two places, twice, or not at all."""
    assert once("mcwcDwcw", "mcDwcw") is None
    assert once("mcDwcwDcw", "mcDwcw") is None
    assert once("mcwcw", "mcw") is None
    assert once("Dmcw", "mcDw") is None


def test_patterns_without_it() -> None:
    """Loops of nothing else go with it."""
    assert without(("a", Loop((D,)), Loop(("b", D)))) == ("a", Loop(("b",)))
