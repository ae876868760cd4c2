"""Quantities are parsed strictly and printed so that they read back."""

import re
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.units import (
    LARGEST,
    LONGEST_S,
    MOST_DIGITS,
    SECONDS,
    SIZES,
    Quantity,
    exact_text,
    parse_count,
    parse_quantity,
    parse_seconds,
    parse_zone,
    seconds_text,
    size_text,
    unknown_unit,
)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("20000", 20000, ""),
        ("10 GB", 10 * 10**9, "B"),
        ("4GiB", 4 * 2**30, "B"),
        ("250 ms", 0.25, "s"),
        ("4 kB", 4000, "B"),
        ("4 KB", 4000, "B"),
        (".5 s", 0.5, "s"),
        ("1_000", 1000, ""),
        ("-3", -3, ""),
        ("1.5 TB", 1.5e12, "B"),
        (7, 7, ""),
        ("9007199254740993 B", 9007199254740993, "B"),
    ],
)
def test_parses(text: str, value: float, unit: str) -> None:
    """Decimal and binary prefixes are told apart."""
    assert parse_quantity(text) == Quantity(value, unit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GB",
        "10 Gb",
        "10 gb",
        "ten",
        "10 GB GB",
        "1,5",
        "0x10",
        "nan",
        "\u0665",
        "1\u0665 GB",
        "1e\u0665",
        "10 Gbps",
        "1e999999999",
        float("nan"),
        1e31,
    ],
)
def test_refuses(text: str | float) -> None:
    """Bits for bytes, other cases and other notations are errors that say what is allowed."""
    with pytest.raises(InputError, match="allowed"):
        parse_quantity(text, place="size")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(1e9, "B", "1 GB"), (5e8, "B", "500 MB"), (1.5e3, "B", "1.5 kB"), (0.25, "B", "0.25 B"), (3600.0, "s", "1 h"),
     (90.0, "s", "1.5 min"), (0.5, "s", "500 ms"), (-2e6, "B", "-2 MB"), (12345.0, "B", "12345 B"),
     (0, "B", "0 B"), (0, "s", "0 s"), (1e-9, "s", "1 ns"),
     (1.23456, "s", "1.23456 s"), (2.5e-10, "s", "2.5e-10 s"), (2.5, "", "2.5"), (1e15, "", "1000000000000000")],
)  # fmt: skip
def test_the_largest_unit_of_at_least_one(value: float, unit: str, text: str) -> None:
    """With up to four digits that lose nothing."""
    assert str(Quantity(value, unit)) == text


@given(
    st.integers(-(10**15), 10**15) | st.floats(-1e15, 1e15).map(lambda x: round(x, 6)),
    st.sampled_from(["B", "s"]),
)
def test_prints_what_it_reads(value: float, unit: str) -> None:
    """Printing and parsing again gives the same quantity."""
    again = parse_quantity(str(Quantity(value, unit)))
    assert again.value == pytest.approx(value, rel=1e-9)
    assert again.unit == unit


@given(st.integers(-(10**15), 10**15))
def test_a_whole_number_is_printed_in_full(value: int) -> None:
    """Without an exponent."""
    assert str(Quantity(value)) == str(Quantity(float(value))) == str(value)


@pytest.mark.parametrize(
    "edge", [1e30, -1e30, "1e30", "-1e30", f"{10**27} kB", "1" * (MOST_DIGITS - 4) + "e-20"]
)
def test_what_is_just_allowed(edge: str | float) -> None:
    """As large, or as long, as may be; the least bit more is refused."""
    assert abs(parse_quantity(edge).value) <= float(LARGEST)
    beyond = edge * (1 + 1e-15) if isinstance(edge, float) else f"1{edge.lstrip('-')}"
    with pytest.raises(InputError, match="allowed"):
        parse_quantity(beyond)


def test_the_most_characters_of_a_number() -> None:
    """Forty; its unit and the spaces around do not count."""
    assert MOST_DIGITS == 40
    assert parse_quantity(f"  {'0' * 39}7   min  ") == Quantity(420, "s")
    with pytest.raises(InputError, match="is not a quantity"):
        parse_quantity(f"{'0' * 40}7")


def test_every_prefix() -> None:
    """A thousand times the one before, or 1,024 times."""
    assert [SIZES[f"{prefix}B"] for prefix in ("", *"kMGTPE")] == [1000**n for n in range(7)]
    assert [SIZES[f"{prefix}iB"] for prefix in "KMGTPE"] == [1024**n for n in range(1, 7)]
    assert SIZES["KB"] == SIZES["kB"]
    assert list(SECONDS.values())[3:] == [1, 60, 3600, 86400]


@pytest.mark.parametrize("text", [1e31, "1e31", "1e41", "1e29 kB", "1e31 m"])
def test_a_refusal_names_place_and_text(text: str | float) -> None:
    """In that order."""
    with pytest.raises(InputError, match=f"^size: .*; found '?{re.escape(str(text))}'?; allowed"):
        parse_quantity(text, place="size")


def test_the_unit_that_was_meant() -> None:
    """The first that differs in its case only, else the nearest."""
    assert unknown_unit("kb", ["KiB", "KB", "kB"]).endswith("did you mean KB?")
    assert unknown_unit("secs", ["ms", "sec", "secsy"]).endswith("did you mean secsy?")
    assert unknown_unit("xyz", ["ms", "s"]) == "unit xyz is not one of this field"
    times = ["us", "ms", "s", "min", "h", "d"]
    nearest = {"hours": "h", "minutes": "min", "Seconds": "s", "days": "d", "hrs": "h"}
    assert {text: unknown_unit(text, times).rpartition(" ")[2] for text in nearest} == {
        text: f"{unit}?" for text, unit in nearest.items()
    }


def test_the_longest_time() -> None:
    """A thousand days, and no second more."""
    assert parse_seconds(LONGEST_S) == parse_seconds(f"{LONGEST_S} s") == 86_400_000
    for longer in (LONGEST_S + 1, f"{LONGEST_S + 1} s"):
        with pytest.raises(InputError, match="allowed"):
            parse_seconds(longer)


@pytest.mark.parametrize(
    "text", ["5", "5 GB", "5 sec", "x", "0 s", "-5 s", "1e29 s", "nan", 0, -1, float("inf"), 1e12]
)
def test_what_is_no_time(text: str | float) -> None:
    """A text needs its unit; nobody waits for nothing, or for ever. Units of bytes are not offered."""
    with pytest.raises(InputError, match="allowed") as error:
        parse_seconds(text, place="--duration")
    assert "MiB" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "seconds"), [("30 s", 30), ("10 min", 600), ("5 ms", 0.005), (7, 7), (0.5, 0.5)]
)
def test_how_long(text: str | float, seconds: float) -> None:
    """With its unit, or a number of seconds."""
    assert parse_seconds(text) == seconds


def test_seconds_for_people() -> None:
    """Three digits, in the unit that fits."""
    assert [seconds_text(s) for s in (0.0005, 0.34, 1.0, 1.654, 19.46, 999.0, 1000.0, 4000.0)] == [
        "0.5 ms",
        "340 ms",
        "1 s",
        "1.65 s",
        "19.5 s",
        "999 s",
        "1,000 s",
        "4,000 s",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.9994, "999 ms"),
        (0.9995, "1 s"),
        (0.9996, "1 s"),
        (999.4, "999 s"),
        (999.5, "1,000 s"),
        (999.6, "1,000 s"),
    ],
)
def test_seconds_are_rounded_into_the_next_unit(seconds: float, text: str) -> None:
    """No exponent, and no thousand milliseconds."""
    assert seconds_text(seconds) == text


@given(st.integers(1, 1 << 50))
def test_sizes_read_back(size: int) -> None:
    """What is shown reads back as the same number of bytes."""
    assert parse_quantity(size_text(size)).value == size


def test_sizes_are_shown_in_the_shorter_kind_of_unit() -> None:
    """Binary or decimal."""
    assert [size_text(n) for n in (200 << 10, 500 * 10**9, 4096, 1000)] == ["200KiB", "500GB", "4KiB", "1KB"]
    assert [size_text(1024**n) for n in (1, 2, 3, 4)] == ["1KiB", "1MiB", "1GiB", "1024GiB"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(12345678.0, "12345678s"), (1.0, "1s"), (0.5, "500ms"), (1.234567, "1.234567s"), (1.234567891, "1234567891ns"),
     (0.25e-9, "0.25ns"), (1e-9 + 1e-15, "1.000001ns"), (123456789.0, "123456789000000000ns"),
     (1234567890.0, "1234567890.0s")],
)  # fmt: skip
def test_exact_text_takes_the_largest_unit_of_few_digits(seconds: float, text: str) -> None:
    """Up to eight digits; else the smallest unit, up to twenty characters; else the number as it is."""
    assert exact_text(seconds, SECONDS, ("s", "ms", "us", "ns")) == text


@given(st.floats(1e-12, 1e12))
def test_exact_text_reads_back(seconds: float) -> None:
    """However many digits it takes."""
    assert parse_quantity(exact_text(seconds, SECONDS, ("s", "ms", "us", "ns"))).value == seconds


@pytest.mark.parametrize("text", ["Mars", "", "../UTC", "/etc/passwd", "Europe", "\0", "x" * 300])
def test_a_zone_that_there_is_not(text: str) -> None:
    """One error, with what it is a value of."""
    with pytest.raises(InputError, match="time_zone: is no time zone"):
        parse_zone(text, place="time_zone")


def test_zones() -> None:
    """By name; UTC itself."""
    assert parse_zone("UTC") is UTC
    assert str(parse_zone("Europe/Berlin")) == "Europe/Berlin"


def test_a_unit_is_one_of_three() -> None:
    """A quantity of another unit is a mistake of the caller."""
    with pytest.raises(ValueError, match="got 'm'"):
        Quantity(1, "m")


def test_a_number_of_things() -> None:
    """With a prefix or without."""
    assert [parse_count(text) for text in ("5", "800M", "1.1 G", "2k")] == [5, 8e8, 1.1e9, 2000]
    for text in ("800B", "M", "1e40", "800 files"):
        with pytest.raises(InputError):
            parse_count(text)
