"""Patterns of rounds that differ."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.mining.shape.alignment import Pattern
from froude.mining.shape.induction import description_length, induce
from froude.mining.shape.parse import Automaton
from froude.mining.shape.segments import Loop


def _loop(text: str) -> Loop:
    return Loop(tuple(text.split()))


def _uploads(number: int, seed: int) -> tuple[str, ...]:
    """Files of one to three blocks; some are deleted and written again, each fifth is given more replicas."""
    chance = Random(seed)
    calls = ["mkdirs"]
    for upload in range(number):
        calls += ["look", "create", *["addBlock"] * chance.randint(1, 3), "complete"]
        while chance.random() < 0.3:
            calls += ["delete", "create", *["addBlock"] * chance.randint(1, 3), "complete"]
        calls += ["rename", *(["setReplication"] if upload % 5 == 4 else []), "setPermission"]
    return (*calls, "list")


def test_what_some_rounds_lack_is_a_loop_that_may_be_passed_by() -> None:
    """The program is found again: an upload a round, in it tries, and what is done at each fifth."""
    pattern = induce(_uploads(number, seed) for seed, number in enumerate((6, 9, 3)))
    written = ("create", _loop("addBlock"), "complete")
    tries = (*written, Loop(("delete", *written))), (Loop((*written, "delete")), *written)
    end = ("rename", _loop("setReplication"), "setPermission")
    assert pattern in [("mkdirs", Loop(("look", *each, *end)), "list") for each in tries]


def test_what_follows_the_last_round_is_in_no_round() -> None:
    """Of one sequence that never comes to the loop, too."""
    rounds = [("open", "read"), ("open", "read", "seek", "read"), ("open", "seek", "read")]
    sequences = {
        ("start", *sum((rounds[i] for i in order), ()), "stop", "leave")
        for order in ((0, 1, 2), (2, 2, 0, 1), ())
    }
    pattern = induce(sequences)
    assert pattern is not None
    assert pattern[0] == "start"
    assert pattern[-2:] == ("stop", "leave")


@pytest.mark.parametrize(
    ("pattern", "length"),
    [
        (("a", "b", "b", "b"), 4.0),
        (("a", _loop("b")), 3.5),  # one number, of the only sequence
        (("a", "b", "b"), 3.0 + 2.5),  # a call too many
        (("a", "b", "b", "b", "c"), 5.0 + 2.5),  # a call that is missing
    ],
)
def test_length_of_one_sequence(pattern: Pattern, length: float) -> None:
    """Items, numbers and calls that deviate."""
    assert description_length(pattern, [("a", "b", "b", "b")]) == pytest.approx(length)


def test_numbers_that_differ_from_round_to_round_cost_their_entropy() -> None:
    """Of two numbers equally often, a bit each; and beside it what is asked for."""
    pattern = (Loop(("a", _loop("b"))),)
    sequence = ("a", "b", "a", "b", "b") * 4
    assert description_length(pattern, [sequence]) == pytest.approx(4 + 0.5 + 8 / 4)
    assert description_length(pattern, [sequence], drawn=1.0) == pytest.approx(4 + 0.5 + 8 / 4 + 8)
    assert description_length(("a", "b"), [sequence], exact=True) == math.inf


@given(st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_every_sequence_parses(texts: list[str]) -> None:
    """Whatever was seen is described."""
    sequences = [tuple(text) for text in texts]
    pattern = induce(sequences)
    if pattern is not None:
        automaton = Automaton(pattern)
        assert all(automaton.parse(each, exact=True) is not None for each in sequences)


def test_too_long_sequences_are_left_alone() -> None:
    """The work grows with the square of their length."""
    assert induce([tuple("ab") * 2501]) is None
    assert induce([]) is None


def test_an_end_that_begins_as_a_round_does_is_no_round() -> None:
    """Files are closed one after the other, each before the next is opened; the last is closed, too."""
    sequences = [
        (
            *(
                call
                for at in range(number)
                for call in ("open", "write", *["sync"] * (at in synced), "close", "look")
            ),
        )
        for number, synced in ((3, {1}), (6, {0, 4}), (7, {2}))
    ]
    pattern = induce(each[1:] for each in sequences)  # the first was open before
    assert pattern == (Loop(("write", _loop("sync"), "close", "look", "open")), "write", "close", "look")
