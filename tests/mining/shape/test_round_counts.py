"""Numbers of loops that follow from the round of a loop around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.units import Quantity
from froude.mining.shape.round_counts import fit_rounds


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
