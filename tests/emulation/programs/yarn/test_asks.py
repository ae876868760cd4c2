"""What is asked for, what is given, and what the next call has to say."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.programs.yarn.asks import ANY, Ask, Asks

RACK = "/default-rack"


def test_places_of_a_container_are_asked_for_together() -> None:
    """Each host, their rack and anywhere; a reduce is wanted anywhere and nowhere else."""
    asks = Asks(RACK)
    asks.want(20, ["a", "b", "a"])
    asks.want(20, ["b"])
    asks.want(10)
    assert sorted(asks.due(1.0)) == sorted(
        [Ask(20, "a", 1), Ask(20, "b", 2), Ask(20, RACK, 2), Ask(20, ANY, 2), Ask(10, ANY, 1)]
    )
    assert asks.due(1.0) == []
    assert asks.total == 3


def test_what_is_given_counts_down_where_it_was_asked_for() -> None:
    """A wish for that node goes first; all its places count down, others stay."""
    asks = Asks(RACK)
    asks.want(20, ["a", "b"])
    asks.want(20, ["c"])
    asks.due(1.0)
    assert asks.given(20, "c")
    assert sorted(asks.due(1.0)) == [Ask(20, ANY, 1), Ask(20, RACK, 1), Ask(20, "c", 0)]
    assert asks.given(20, "elsewhere")
    assert sorted(asks.due(1.0)) == [Ask(20, ANY, 0), Ask(20, RACK, 0), Ask(20, "a", 0), Ask(20, "b", 0)]


def test_what_a_failed_call_asked_for_is_asked_again() -> None:
    """With the numbers of now."""
    asks = Asks()
    asks.want(20)
    said = asks.due(1.0)
    asks.want(20)
    asks.again(said)
    assert asks.due(1.0) == [Ask(20, ANY, 2)]


def test_what_nobody_wants_is_said() -> None:
    """More than was asked for, or of a priority that nobody asked for."""
    asks = Asks()
    asks.want(20)
    assert asks.given(20, "a")
    assert not asks.given(20, "a")
    assert not asks.given(10, "a")


def test_what_is_given_was_asked_for_once_first() -> None:
    """However often that was said again; what no call has asked for yet counts as given at once."""
    asks = Asks(RACK)
    asks.want(20, ["a"])
    said = asks.due(1.0)
    asks.want(20)
    asks.again(said)
    asks.due(2.0)
    asks.want(20)
    assert [asks.given(20, "a") for _ in range(4)] == [1.0, 2.0, math.inf, None]


def test_what_was_given_takes_no_memory() -> None:
    """An application master may ask for containers for days."""
    asks = Asks()
    for number in range(100):
        asks.want(20)
        asks.due(float(number))
        assert asks.given(20, "a") == number
    assert not asks._asked_s


@given(st.lists(st.one_of(st.lists(st.sampled_from("abcd"), max_size=3), st.sampled_from("abcde"))))
def test_numbers_never_contradict_each_other(steps: list[list[str] | str]) -> None:
    """Wishes and gifts in any order: anywhere counts all that is wanted, a host those that name it, none below zero."""
    asks, wanted = Asks(RACK), 0
    numbers: dict[str, int] = {}
    for step in steps:
        if isinstance(step, list):
            asks.want(20, step)
            wanted += 1
        elif asks.given(20, step):
            wanted -= 1
        numbers |= {ask.place: ask.number for ask in asks.due(1.0)}
        assert asks.total == wanted == numbers.get(ANY, 0)
        assert all(0 <= number <= wanted for number in numbers.values())
