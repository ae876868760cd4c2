"""Numbers on the command line."""

from __future__ import annotations

import math

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from froude.cli.numbers import amount, finite


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_finite_number_stays_as_it_is(value: float) -> None:
    """Its range is the option's own business."""
    assert finite(value) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(value: float) -> None:
    """An error of usage, before anything is started."""
    with pytest.raises(typer.BadParameter, match="not a finite number"):
        finite(value)


@pytest.mark.parametrize(
    ("text", "number"), [("60", 60), ("1.5", 1.5), ("2 min", 120), ("500ms", 0.5), (30.0, 30), ("-1", -1)]
)
def test_a_time_of_an_option(text: object, number: float) -> None:
    """A bare number counts in seconds, as before times had units."""
    assert amount("s", least=-1)(text) == number


@pytest.mark.parametrize(("text", "number"), [("32", 32), ("64 GiB", 64), ("1GB", 1e9 / (1 << 30))])
def test_a_size_of_an_option(text: str, number: float) -> None:
    """A bare number counts in the option's own unit."""
    assert amount("B", 1 << 30, least=0.5, most=100)(text) == pytest.approx(number)


@pytest.mark.parametrize("text", ["x", "nan", "1e999", "3 GB", "101", "0"])
def test_what_is_no_amount(text: str) -> None:
    """Another unit, no number, or out of range."""
    with pytest.raises(typer.BadParameter):
        amount("s", least=1, most=100)(text)
