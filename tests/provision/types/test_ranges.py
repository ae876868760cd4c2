"""Ranges refuse what lies outside them, with the name and what was given."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.types.ranges import named, not_negative, positive, share

REFUSED = [
    (positive, [0.0, -1.0, math.inf, math.nan], "x must be above 0 and finite, got "),
    (not_negative, [-1e-300, -math.inf, math.inf, math.nan], "x must be 0 or above and finite, got "),
    (share, [-1e-9, 1 + 1e-9, math.inf, math.nan], r"x must lie in \[0, 1\], got "),
]


@pytest.mark.parametrize(
    ("check", "value", "message"), [(c, v, m) for c, values, m in REFUSED for v in values]
)
def test_refused(check: Callable[[str, float], None], value: float, message: str) -> None:
    """The edges outside, and what is no number."""
    with pytest.raises(ValueError, match=f"^{message}{value:g}".replace("+", "\\+")):
        check("x", value)


@given(st.floats(0, 1, exclude_min=True))
def test_a_part_is_in_every_range(value: float) -> None:
    """With 0 and 1, where they belong to it."""
    for check in (positive, not_negative, share):
        check("x", value)
    not_negative("x", 0.0)
    share("x", 0.0)
    share("x", 1.0)


@dataclass(frozen=True)
class _Thing:
    name: str
    number: int


def test_things_are_looked_up_by_their_name() -> None:
    """The first of it; an error names what there is not."""
    things = [_Thing("a", 1), _Thing("b", 2), _Thing("a", 3)]
    assert named(iter(things), "a").number == 1
    assert named(things, "b").number == 2
    with pytest.raises(KeyError, match="c"):
        named(things, "c")
