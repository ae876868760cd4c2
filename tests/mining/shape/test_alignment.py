"""One pattern for many senders."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from string import ascii_letters

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.mining.shape.alignment import Pattern, merge, unify
from froude.mining.shape.parse import Automaton
from froude.mining.shape.segments import Loop


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


def test_what_one_side_lacks_may_be_passed_by() -> None:
    """Where it is asked for, tokens of one side alone are loops; those that stand together are one."""
    assert merge(tuple("acd"), tuple("abbd")) is None
    assert merge(tuple("abxd"), tuple("ad"), optional=True) == ("a", Loop(("b", "x")), "d")
    assert merge(("a", Loop(("b",)), "d"), tuple("abde"), optional=True) == (
        "a",
        Loop(("b",)),
        "d",
        Loop(("e",)),
    )


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


@pytest.mark.parametrize(
    ("runs", "pattern"),
    [
        (["aaab", "aaaabab"], (Loop(("a",)), Loop(("a", "b")))),
        (["aab", "aaab", "aaaabab"], (Loop(("a",)), Loop(("a", "b")))),
        (["maaab", "maaaabab"], ("m", Loop(("a",)), Loop(("a", "b")))),
        (["aaabaab", "aaaabaabaab"], (Loop(("a",)), Loop(("a", "a", "b")))),
        (["abbb", "ababbbb"], (Loop(("a", "b")), Loop(("b",)))),
        (["baa", "baaa", "babaaaa"], (Loop(("b", "a")), Loop(("a",)))),
    ],
)
def test_calls_beside_a_loop_of_their_kind_are_a_loop_of_their_own(runs: list[str], pattern: Pattern) -> None:
    """Before its first round or after its last: `a a a a b a b` is `(a)* (a b)*` and no `((a)* b)*`."""
    assert unify([tuple(run) for run in runs]) == pattern


@pytest.mark.parametrize("runs", [["aabaab", "aabaabaab"], ["aabaaab", "ab"], ["abaab", "abaabaab"]])
def test_a_loop_whose_rounds_are_alike_or_differ_otherwise_stays_whole(runs: list[str]) -> None:
    """Nothing is set apart where the first round is not the only one that is longer."""
    unified = unify([tuple(run) for run in runs])
    assert unified is not None
    assert not (isinstance(unified[0], Loop) and unified[0].body == ("a",))


@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_calls_before_and_after_loops_are_always_joined(
    runs: list[tuple[int, int]], three: bool, after: bool
) -> None:
    """Whatever their numbers: one pattern covers all runs exactly, and passes no loop by where all have both."""
    body = "abc" if three else "ab"
    sequences = [tuple("a" * beside + body * rounds)[:: -1 if after else 1] for beside, rounds in runs]
    unified = unify(sequences)
    assert unified is not None
    parses = [Automaton(unified).parse(sequence, exact=True) for sequence in sequences]
    assert all(parse is not None and parse.exact for parse in parses)


def planted(rng: random.Random, letters: Iterator[str], depth: int = 0) -> Pattern:
    """A random pattern of which every token stands once."""
    return tuple(
        Loop(planted(rng, letters, depth + 1)) if depth < 2 and rng.random() < 0.4 else next(letters)
        for _ in range(rng.randint(1, 3))
    )


def expanded(items: Pattern, rng: random.Random) -> list[Hashable]:
    """A sequence that follows a pattern, each loop run two to four times."""
    tokens: list[Hashable] = []
    for item in items:
        if isinstance(item, Loop):
            for _ in range(rng.randint(2, 4)):
                tokens += expanded(item.body, rng)
        else:
            tokens.append(item)
    return tokens


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999))
def test_planted_patterns_parse(seed: int) -> None:
    """Runs of a pattern are joined by one of which each is an exact case, however its loops nest."""
    rng = random.Random(seed)
    pattern = planted(rng, iter(ascii_letters))
    runs = [tuple(expanded(pattern, rng)) for _ in range(3)]
    unified = unify(run for run in runs if len(run) < 120)
    for run in runs:
        if len(run) < 120:
            assert unified is not None
            parse = Automaton(unified).parse(run, exact=True)
            assert parse is not None
            assert parse.cost == 0.0


def test_a_loop_takes_in_copies_whose_ends_differ_from_its_beginning() -> None:
    """What begins a piece need not be what ends the body."""
    assert merge((Loop(("a", "b")), "c"), ("a", "b", "a", "b", "c")) == (Loop(("a", "b")), "c")


def test_a_token_that_only_one_has_costs_more_than_one_that_both_have() -> None:
    """The pattern with the fewest parts that may be passed by."""
    assert merge(("a", "b"), ("b", "a", "b"), optional=True) == (Loop(("b",)), "a", "b")
