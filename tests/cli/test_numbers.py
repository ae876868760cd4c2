"""Numbers on the command line."""

from __future__ import annotations

import math

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.cli.numbers import finite, ranged


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_finite_number_stays_as_it_is(value: float) -> None:
    """Its range is the option's own business."""
    assert finite(value) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(value: float) -> None:
    """An error of usage, before anything is started."""
    with pytest.raises(typer.BadParameter, match="not a finite number"):
        finite(value)


def test_a_number_between_two() -> None:
    """Both are allowed; the message says which they are."""
    assert [ranged("-k", value, 1, 3) for value in (1, 3)] == [1, 3]
    with pytest.raises(InputError, match=r"-k: is out of range; found 3\.5; allowed: 1 to 3"):
        ranged("-k", 3.5, 1, 3)
