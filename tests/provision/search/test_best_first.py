"""Best-first search: what is taken next, and what may be claimed at any time."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from froude.provision.search.best_first import BestFirst


def _opened(*lowers: float) -> BestFirst[int]:
    parts: BestFirst[int] = BestFirst()
    for number, lower in enumerate(lowers):
        parts.push(number, lower)
    return parts


@given(st.lists(st.integers(0, 5)))
def test_the_least_bound_comes_first_and_among_equals_the_oldest(lowers: list[int]) -> None:
    """Parts themselves are never compared."""
    parts = _opened(*lowers)
    expected = sorted(range(len(lowers)), key=lambda number: lowers[number])
    assert parts.in_order() == expected
    assert [parts.pop()[0] for _ in lowers] == expected
    assert not parts


def test_a_part_that_is_closed_keeps_its_bound() -> None:
    """The least of open and closed holds; of nothing it is infinite."""
    parts = _opened(2.0, 4.0)
    assert parts.lower == parts.first == 2.0
    parts.close(3.0)
    parts.pop()
    assert (parts.first, parts.lower) == (4.0, 3.0)
    assert BestFirst[int]().lower == math.inf


def test_it_goes_on_as_long_as_the_bound_may_rise() -> None:
    """To the target, which may move; to the least closed bound; to a number of parts; until time is over."""
    assert [part for part, _ in _opened(1.0, 2.0, 3.0).until(lambda: 3.0, most=9)] == [0, 1]
    parts, taken = _opened(1.0, 2.0, 3.0), []
    for part, lower in parts.until(lambda: math.inf, most=9):
        taken.append(part)
        parts.close(lower + 1.5)
    assert taken == [0, 1]
    assert [part for part, _ in _opened(1.0, 2.0).until(lambda: math.inf, most=1)] == [0]
    assert not list(_opened(1.0).until(lambda: math.inf, most=9, expired=lambda: True))
