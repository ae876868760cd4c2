"""Repeated segments: the fast search gives what Algorithm 1 gives."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from froude.mining.shape.segments import (
    Loop,
    Segment,
    choose,
    fold,
    repeated_segments,
    shortest_first,
    size_of,
)
from testbed.plain_segments import plain_algorithm_1
from tests.support.seeds import examples

_BLOCKS = st.tuples(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.integers(1, 5))


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(_BLOCKS, max_size=9))
def test_same_as_the_plain_algorithm_on_planted_loops(blocks: list[tuple[list[int], int]]) -> None:
    """Loops planted among noise come out as brute force finds them."""
    sequence = [token for body, times in blocks for token in body * times]
    assert repeated_segments(sequence) == plain_algorithm_1(sequence)


def test_same_on_a_longer_random_sequence() -> None:
    """Also where levels of doubling and batches matter."""
    rng = random.Random(3)
    sequence: list[int] = []
    while len(sequence) < 220:
        sequence += [rng.randrange(3) for _ in range(rng.randint(1, 20))] * rng.randint(1, 6)
    assert repeated_segments(sequence) == plain_algorithm_1(sequence)


def test_the_papers_example() -> None:
    """Figure 3: register and list are static, create-write-close is repeated three times."""
    sequence = ["register", "list", *["create", "write", "close"] * 3]
    assert repeated_segments(sequence) == [Segment(2, 3, 3)]
    assert fold(sequence) == ("register", "list", Loop(("create", "write", "close")))


def test_greater_coverage_goes_before_shorter_chunk() -> None:
    """Ranked by coverage, then by shorter chunk, then by place; none overlaps another."""
    assert choose([Segment(0, 2, 2), Segment(3, 1, 9)]) == [Segment(3, 1, 9)]
    assert choose([Segment(0, 2, 2), Segment(0, 1, 4)]) == [Segment(0, 1, 4)]


def test_nested_loops_fold() -> None:
    """A loop within a loop is found within its body."""
    body = ("c", Loop(("a",)), "c", "w")
    assert fold(tuple("ms" + "caacw" * 3 + "l")) == ("m", "s", Loop(body), "l")


def test_inner_loops_of_differing_number_fold_from_within() -> None:
    """Taken from the shortest chunk on, files of two and three blocks are one loop."""
    assert fold(tuple("caadcaaadcaad"), shortest_first) == (Loop(("c", Loop(("a",)), "d")),)


def test_sizes_and_small_inputs() -> None:
    """Empty and single sequences have no segments; a pattern's size counts each element once."""
    assert repeated_segments([]) == repeated_segments(["x"]) == []
    assert size_of(("m", Loop(("a", "b")))) == 4


def test_a_hundred_thousand_calls_of_one_kind_are_one_segment() -> None:
    """The worst case for the number of candidates stays one answer."""
    assert repeated_segments([7] * 20_000) == [Segment(0, 1, 20_000)]
