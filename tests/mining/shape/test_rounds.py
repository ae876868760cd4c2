"""Patterns whose rounds differ in turn, and numbers of loops that follow from the round of a loop around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.units import Quantity
from froude.mining.shape.alignment import unify
from froude.mining.shape.parse import Automaton
from froude.mining.shape.rounds import fit_rounds, unify_decided
from froude.mining.shape.segments import Loop


@pytest.mark.parametrize(
    ("times", "text"),
    [
        ([0, 1, 0, 1, 0, 1], "L1%2"),
        ([2, 1, 2, 1, 2, 1, 2], "-1*L1%2 + 2"),
        ([0, 0, 0, 1, 0, 0, 0, 1, 0], "(L1+1)//4 - 1*L1//4"),
        ([0, 1, 1, 0, 1, 1, 0], "(L1+2)//3 - 1*L1//3"),
        ([3, 0, 3, 3, 0, 3, 3], "-3*(L1+2)//3 + 3*(L1+1)//3 + 3"),
        ([0, 0, 1, 1, 1, 1], "min(1, L1 - 1)"),
        ([0, 0, 0, 5, 5, 5], "min(5, 5*L1 - 10)"),
        ([1, 2, 3, 4, 5, 6], "L1 + 1"),
        ([1, 1, 1, 0, 0, 0], "min(1, -L1 + 3)"),
    ],
)
def test_the_round_says_how_often(times: list[int], text: str) -> None:
    """Turns, every nth time, from some round on, and one more each time."""
    assert str(fit_rounds([({"L1": number}, each) for number, each in enumerate(times)])) == text


@pytest.mark.parametrize(
    "times", [[0, 1, 0, 1, 0], [0, 0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 1, 1, 1], [4, 1, 7, 2, 9, 3, 3]]
)
def test_too_little_is_no_rule(times: list[int]) -> None:
    """Few rounds, a beginning that was hardly seen, nothing that varies, and no order at all."""
    assert fit_rounds([({"L1": number}, each) for number, each in enumerate(times)]) is None


def test_one_round_seen_differently_is_no_rule() -> None:
    """What two nodes do differently in one round does not follow from it."""
    points = [({"L1": number}, number % 2) for number in range(8)]
    assert fit_rounds([*points, ({"L1": 3}, 0)]) is None


def test_the_loop_that_decides_is_found() -> None:
    """Of two loops around it the outer one may be the one."""
    points = [({"L1": a, "L2": b}, a % 2) for a in range(8) for b in range(3)]
    assert str(fit_rounds(points)) == "L1%2"


@given(
    size=st.integers(2, 12),
    usual=st.integers(0, 3),
    more=st.integers(1, 3),
    place=st.integers(0, 11),
    width=st.integers(1, 3),
)
def test_every_turn_is_found_and_goes_on(size: int, usual: int, more: int, place: int, width: int) -> None:
    """From two groups on the rule holds in all that follow."""
    others = {at for at in range(place, place + width) if at < size}

    def times(number: int) -> int:
        return usual + (more if number % size in others else 0)

    seen = max(6, 2 * size)
    count = fit_rounds([({"L1": number}, times(number)) for number in range(seen)])
    if not others or len(others) == size:
        assert count is None
        return
    assert count is not None
    if count.cap is None:  # where it began only once, a beginning is the simpler rule
        assert [count.whole_at({"L1": Quantity(float(n))}) for n in range(50)] == [
            times(n) for n in range(50)
        ]


def _shifts(number: int) -> tuple[str, ...]:
    """A log of two blocks by day and of one by night, set down a replica afterwards."""
    day, night = "cbbk", "cbkr"
    return tuple("m" + "".join(day if shift % 2 == 0 else night for shift in range(number)) + "l")


def test_rounds_in_turn_become_one() -> None:
    """Jobs that end after a day as well as after a night follow one loop."""
    runs = [_shifts(number) for number in (9, 14, 7, 17)]
    assert unify(runs) is None
    assert unify_decided(runs) == ("m", Loop(("c", Loop(("b",)), "k", Loop(("r",)))), "l")


def test_several_calls_of_their_own_stay_together() -> None:
    """What every third round has more is one loop, not one a call."""
    runs = [tuple("m" + "".join("cxyz" if n % 3 == 2 else "cx" for n in range(k)) + "l") for k in (8, 10, 12)]
    unified = unify_decided(runs)
    assert unified is not None
    assert any(isinstance(item, Loop) for item in unified)


def test_what_does_not_follow_from_the_round_is_no_pattern() -> None:
    """Two programs that differ at random rounds are not joined."""
    runs = [
        tuple("m" + "".join("cxk" if bit == "1" else "ck" for bit in bits) + "l")
        for bits in ("0110100", "1001011", "1110010")
    ]
    assert unify_decided(runs) is None


def _hours(number: int) -> tuple[str, ...]:
    """Folders at first, two blocks every third hour, and a sweep of what is older than five every fourth."""
    calls, swept = ["s"], 0
    for hour in range(number):
        calls += ["m"] * (hour < 6) + ["c"] + ["b"] * (2 if hour % 3 == 0 else 1) + ["k"]
        if hour % 4 == 3:
            calls += ["d"] * max(0, hour - 4 - swept) + ["r"]
            swept = max(swept, hour - 4)
    return (*calls, *["g"] * (number - swept), "e")


def test_rounds_of_several_periods_are_cut_where_they_begin() -> None:
    """Nothing repeats as a whole before twelve hours have gone twice: each part follows from the hour by itself."""
    runs = [_hours(number) for number in (9, 11, 14, 19)]
    unified = unify_decided(runs)
    assert unified is not None
    (loop, tail, end) = unified[-3:]
    assert (tail, end) == (Loop(("g",)), "e")
    assert isinstance(loop, Loop)
    parse = Automaton(unified).parse(_hours(40), exact=True)
    assert parse is not None


def test_what_the_calls_are_about_says_where_the_more_stands() -> None:
    """A state that is written every fourth round before the acknowledgement of all rounds, or after it."""
    runs = [
        tuple("m" + "".join("fcakrcak" if n % 4 == 0 else "fcak" for n in range(number)))
        for number in (5, 7, 9, 11)
    ]
    before = ("m", Loop(("f", Loop(("c", "a", "k", "r")), "c", "a", "k")))
    after = ("m", Loop(("f", "c", "a", "k", Loop(("r", "c", "a", "k")))))
    assert unify_decided(runs, lambda pattern: int(pattern != before)) == before
    assert unify_decided(runs, lambda pattern: int(pattern != after)) == after
