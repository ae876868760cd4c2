"""One pattern for many senders."""

from __future__ import annotations

from froude.mining.alignment import merge, unify
from froude.mining.parse import Automaton
from froude.mining.segments import Loop


def test_a_loop_that_runs_once_somewhere_is_folded() -> None:
    """What one scale shows once and another repeats is one loop."""
    unified = unify([tuple("mcdl"), tuple("mcdcdl"), tuple("mcdcdcdl")])
    assert unified == ("m", Loop(("c", "d")), "l")


def test_each_scale_may_show_another_loop() -> None:
    """Patterns are merged where no single sender shows all loops."""
    unified = unify([tuple("maab"), tuple("mabb")])
    assert unified == ("m", Loop(("a",)), Loop(("b",)))


def test_inner_counts_may_differ_by_iteration() -> None:
    """Files of one to three blocks follow one nested pattern."""
    assert unify([tuple("mcaadcaaadcadl")]) == ("m", Loop(("c", Loop(("a",)), "d")), "l")


def test_no_common_pattern_is_said() -> None:
    """Sequences that differ otherwise give None."""
    assert unify([tuple("abab"), tuple("abcab")]) is None
    assert merge(("a", "b"), ("b", "a")) is None


def test_a_loop_may_be_absent_at_a_scale() -> None:
    """Zero times is a number of times."""
    unified = unify([tuple("ml"), tuple("mxxl")])
    assert unified == ("m", Loop(("x",)), "l")


def test_regular_bodies_are_preferred_to_optional_ones() -> None:
    """`create add* complete` repeated is not `create* add complete*`, short as that is."""
    sequence = tuple("m" + ("c" + "aaaaaa" + "k") * 5 + "l")
    unified = unify([sequence])
    assert unified is not None
    parse = Automaton(unified).parse(sequence)
    assert parse is not None
    assert parse.cost == 0.0


def test_a_number_that_stays_goes_before_a_shorter_pattern() -> None:
    """`g` for each argument, then `gcd` for each: no `(g* c d)*`, whose first round is longer than the others."""
    runs = [tuple("g" * k + "gcd" * k) for k in (2, 3, 5)]
    assert unify(runs) == (Loop(("g",)), Loop(("g", "c", "d")))
