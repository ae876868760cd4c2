"""Numbers as people read them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.render.format import THIN, duration, number, share, size, written
from froude.render.types import ValueKind


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (4.2e-7, "420 ns"),
        (0.00000961, "9.61 µs"),
        (0.00612, "6.12 ms"),
        (0.9996, "1 s"),
        (0.0009999, "1 ms"),
        (12.345, "12.3 s"),
        (60, "1 min"),
        (5400, "1.5 h"),
        (-0.5, "\u2212500 ms"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    """The unit that keeps the number at one or more, three digits."""
    assert duration(seconds).replace(THIN, " ") == text


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (999_700, "1 MB"),
        (48_240_000, "48.2 MB"),
        (3e18, "3000 PB"),
    ],
)
def test_size(size_bytes: float, text: str) -> None:
    """Decimal multiples."""
    assert size(size_bytes).replace(THIN, " ") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (7, "7"),
        (20_000, "20,000"),
        (1234.5, "1,234"),
        (0.12345, "0.123"),
        (12.0, "12"),
        (-3, "\u22123"),
        (2.5e-7, "2.50e\u221207"),
        (1e18, "1e+18"),
    ],
)
def test_number(value: float, text: str) -> None:
    """Whole numbers whole, thousands apart, fractions to three digits."""
    assert number(value) == text


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (1.0, "100 %"),
        (0.0, "0 %"),
        (0.9874, "98.7 %"),
        (0.9996, "99.96 %"),
        (0.99999, "99.999 %"),
        (0.9999999999, "> 99.9999 %"),
        (0.00001, "0.001 %"),
        (1e-12, "< 0.0001 %"),
        (1.37, "137 %"),
    ],
)
def test_share(fraction: float, text: str) -> None:
    """Never rounded into a claim of all or nothing."""
    assert share(fraction).replace(THIN, " ") == text


@pytest.mark.parametrize(
    ("fraction", "aim", "text"),
    [
        (0.98996, 0.99, "98.996 %"),
        (0.9899999999, 0.99, "< 99 %"),
        (0.9969999999, 0.997, "< 99.7 %"),
        (0.0500004, 0.05, "> 5 %"),
        (0.98, 0.99, "98 %"),
        (0.9999999999, 1.0, "> 99.9999 %"),
    ],
)
def test_a_share_is_not_rounded_to_the_aim_that_it_missed(fraction: float, aim: float, text: str) -> None:
    """A page would show the aim, and next to it that it was missed."""
    assert written(fraction, ValueKind.SHARE, missed=aim).replace(THIN, " ") == text


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_share_never_claims_all_or_nothing(fraction: float) -> None:
    """Only exactly 1 is 100 %, only exactly 0 is 0 %."""
    assert share(fraction) not in {f"100{THIN}%", f"0{THIN}%"}


@given(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from(ValueKind))
def test_everything_can_be_written(value: float, kind: ValueKind) -> None:
    """No float makes the page fail."""
    assert written(value, kind)


def test_what_is_no_number() -> None:
    """Absent values are a dash, infinities a sign, words themselves."""
    assert written(None, ValueKind.DURATION) == "\u2013"
    assert written(math.nan, ValueKind.SHARE) == "\u2013"
    assert written(-math.inf, ValueKind.BYTES) == "\u2212∞"
    assert written("n/a", ValueKind.NUMBER) == "n/a"
    assert written(True, ValueKind.MET) == "met"
    assert written(8421.0, ValueKind.NUMBER, "calls/s") == f"8,421{THIN}calls/s"
