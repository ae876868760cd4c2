"""Units are told apart, refused where they do not belong, and written so that they read back."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.provision.inputs.units import RANGES, UNITS, Dimension, parse, show

NO_QUANTITY = "is not a quantity"


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("500GB", Dimension.SIZE, 500e9),
        ("500 GiB", Dimension.SIZE, 500 * 2**30),
        ("4KB", Dimension.SIZE, 4e3),
        ("90MBps", Dimension.RATE, 90e6),
        ("90 MB/s", Dimension.RATE, 90e6),
        ("6Gbps", Dimension.RATE, 0.75e9),
        ("12.8GBps", Dimension.RATE, 12.8e9),
        ("1GiB/s", Dimension.RATE, 2**30),
        ("8ms", Dimension.TIME, 0.008),
        ("0.6ns", Dimension.TIME, 0.6e-9),
        ("2.2s", Dimension.TIME, 2.2),
        ("25min", Dimension.TIME, 1500),
        ("5W", Dimension.POWER, 5),
        ("40K", Dimension.COUNT, 40_000),
        ("40k", Dimension.COUNT, 40_000),
        ("4kB", Dimension.SIZE, 4e3),
        ("2EB", Dimension.SIZE, 2e18),
        ("0.2", Dimension.COUNT, 0.2),
        ("200", Dimension.DOLLARS, 200),
        ("0", Dimension.TIME, 0),
        ("1e3W", Dimension.POWER, 1000),
    ],
)
def test_parses(text: str, dimension: Dimension, value: float) -> None:
    """Bits and bytes, decimal and binary, times and counts."""
    assert parse(text, dimension) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "dimension", "message"),
    [
        ("500", Dimension.SIZE, "has no unit"),
        ("500GBps", Dimension.SIZE, "GBps is not one"),
        ("500Gb", Dimension.SIZE, "GB?"),
        ("500gb", Dimension.SIZE, "GB?"),
        ("90MB", Dimension.RATE, "MBps?"),
        ("6gbps", Dimension.RATE, "GBps?"),
        ("8m", Dimension.TIME, "m is not one"),
        ("8MS", Dimension.TIME, "ms?"),
        ("5w", Dimension.POWER, "W?"),
        ("40m", Dimension.COUNT, "M?"),
        ("nan", Dimension.NUMBER, NO_QUANTITY),
        ("inf", Dimension.NUMBER, NO_QUANTITY),
        ("", Dimension.NUMBER, NO_QUANTITY),
        ("1,5", Dimension.NUMBER, NO_QUANTITY),
        ("0x10", Dimension.NUMBER, NO_QUANTITY),
        ("1e999", Dimension.NUMBER, "beyond any size"),
        ("9" * 50, Dimension.NUMBER, NO_QUANTITY),
        ("1 GB extra", Dimension.SIZE, NO_QUANTITY),
    ],
)
def test_refuses(text: str, dimension: Dimension, message: str) -> None:
    """Each with what is wrong and what may stand there."""
    with pytest.raises(InputError, match="allowed") as caught:
        parse(text, dimension)
    assert message in caught.value.message


@given(st.sampled_from(list(Dimension)), st.data())
def test_writes_what_it_reads(dimension: Dimension, data: st.DataObject) -> None:
    """Any number that may stand there comes back as the very same number."""
    value = data.draw(st.just(0.0) | st.floats(*RANGES[dimension]))
    assert parse(show(value, dimension), dimension) == value


@given(st.integers(0, 9999), st.sampled_from([(d, u) for d in UNITS for u in UNITS[d]]))
def test_whole_amounts_survive(number: int, unit: tuple[Dimension, str]) -> None:
    """What a person would write is read, written and read again without loss."""
    dimension, name = unit
    assume(number * UNITS[dimension][name] <= RANGES[dimension][1])
    value = parse(f"{number}{name}", dimension)
    assert parse(show(value, dimension), dimension) == value


@given(st.text(max_size=30), st.sampled_from(list(Dimension)))
def test_any_text_is_read_or_refused(text: str, dimension: Dimension) -> None:
    """Never anything but a finite number or a stated error."""
    try:
        assert parse(text, dimension) == parse(text, dimension)
    except InputError as error:
        assert error.allowed


def test_what_is_beyond_reason_is_refused() -> None:
    """What may stand there is in the error, in the unit of the field."""
    with pytest.raises(InputError) as caught:
        parse("1e-320MBps", Dimension.RATE)
    assert caught.value.allowed == "0, or from 1e-09 to 1e+18Bps"
    assert parse("0", Dimension.TIME) == 0.0
    assert parse("0.6ns", Dimension.TIME) == pytest.approx(0.6e-9)
