"""Patterns whose rounds differ from each other in turn."""

from __future__ import annotations

from froude.mining.shape.alignment import unify
from froude.mining.shape.parse import Automaton
from froude.mining.shape.segments import Loop
from froude.mining.shape.uneven_rounds import unify_decided


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
