"""What fields may hold, and how a value that may not stand there is said."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.units import LONGEST_S, Quantity, parse_quantity
from froude.documents.forms import (
    AmountForm,
    FieldError,
    Form,
    Number,
    PlaceForm,
    Plain,
    Seconds,
    Size,
    Text,
    below,
    quantity_value,
)

NO_SIZE = "is no size"
WRONG_TYPE = "wrong type"


@pytest.mark.parametrize(
    ("form", "written", "value"),
    [
        (Number(0, 10), 3, 3.0),
        (Number(0, 10, whole=True), 3, 3),
        (Text(), "3", "3"),
        (PlaceForm(), "a/b", Path("a/b")),
        (AmountForm(), "10 GB", Quantity(10**10, "B")),
        (AmountForm(), 20_000, Quantity(20_000)),
        (Seconds(), "5 min", 300.0),
        (Seconds(), 2, 2.0),
        (Seconds(zero=True), "0 s", 0.0),
        (Size(), "1 MB", 10**6),
        (Size(zero=True), 0, 0),
        (Plain(), "x", "x"),
    ],
)
def test_what_is_read_reads_as_itself(form: Form, written: Any, value: Any) -> None:
    """From what YAML gives, from what is written, and from the value."""
    assert form.read(written) == value
    assert form.read(value) == value
    assert form.read(form.write(value)) == value


@pytest.mark.parametrize(
    ("form", "wrong", "said"),
    [
        (Number(0, 10), True, WRONG_TYPE),
        (
            Number(0.001, 1e6),
            math.nan,
            "out of range; found nan; allowed: 0.001 to 1,000,000",
        ),
        (Number(0.001, 1e6), math.inf, "found inf"),
        (Number(), math.nan, "is not a finite number; found nan"),
        (Number(0, 10, whole=True), 1.5, "found 1.5; allowed: .*0 to 10"),
        (Text(), 3, "allowed: a text"),
        (PlaceForm(), "", "allowed: a path"),
        (PlaceForm(), "a\0b", "allowed: a path"),
        (AmountForm(), "3 parsecs", "unit parsecs"),
        (AmountForm(), [3], "found a list"),
        (Seconds(), 0, "is no time"),
        (Seconds(), True, WRONG_TYPE),
        (Seconds(zero=True, most_s=60), "2 min", "out of range.*at most 1 min"),
        (Size(), "5 s", NO_SIZE),
        (Size(), 0, NO_SIZE),
        (Size(most_bytes=10), "1 kB", NO_SIZE),
        (Size(), 0.5, WRONG_TYPE),
        (Number(0.0001, 0.5), 1, "allowed: 0.0001 to 0.5"),
        (Plain(), math.inf, "not a finite number"),
        (Plain(), None, "found nothing"),
        (Text(), 64, "allowed: a text. Write it in quotes: '64'"),
        (Number(0.1, 0.5), 1.0, r"found 1.0; allowed: 0\.1 to 0\.5"),
    ],
)
def test_what_may_not_stand_there(form: Form, wrong: Any, said: str) -> None:
    """Found, and allowed."""
    with pytest.raises(InputError, match=said):
        form.read(wrong)


def test_an_error_names_every_field_around() -> None:
    """The outermost first."""
    with pytest.raises(FieldError) as stated, below("outer", "a"), below("[1]"):
        Number().read("maybe")
    assert stated.value.place == "outer.a[1]"
    assert str(stated.value.in_file("f.yaml", 3)).startswith(
        "f.yaml:3: outer.a[1]: has the wrong type; found 'maybe'"
    )


def test_an_error_passes_between_processes() -> None:
    """With what it says."""
    error = FieldError("is wrong", names=("a", "[0]"), found=1)
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, InputError)
    assert str(again) == str(error) == "a[0]: is wrong; found 1"


@given(st.sampled_from(["B", "s"]), st.floats(0, LONGEST_S) | st.integers(0, 10**15))
def test_a_quantity_is_written_without_loss(unit: str, value: float) -> None:
    """However many digits it has."""
    quantity = Quantity(value, unit)
    assert parse_quantity(quantity_value(quantity)) == quantity


@given(st.floats(1e-9, LONGEST_S))
def test_a_time_is_written_without_loss(value: float) -> None:
    """In seconds."""
    assert Seconds().read(Seconds().write(value)) == value
