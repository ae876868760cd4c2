"""Times and durations of a table of calls."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.trace.importers.call_times import Times

NO_TIME_OF_DAY = "no time of a day"
YEARS = "not in the years 1970 to 2099"


SECOND_NS = 10**9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("99:99:99", f"{NO_TIME_OF_DAY}; found 99:99:99"),
        ("24:00:00", NO_TIME_OF_DAY),
        ("0001-01-01T00:00:00", YEARS),
        ("9999-12-31T00:00:00", YEARS),
        ("1e999", "no time"),
        ("4102444800", "after the year 2100"),
        ("hunter2", "no time; found aaaaaa9"),
    ],
)
def test_what_is_no_time(text: str, message: str) -> None:
    """Nothing of it is quoted."""
    with pytest.raises(InputError, match=message):
        Times(SECOND_NS).start(text, "time", 1)


def test_clocks_and_other_times_do_not_mix() -> None:
    """Whichever comes first holds."""
    clocks, numbers = Times(SECOND_NS), Times(SECOND_NS)
    clocks.start("10:00:00", "time", 1)
    numbers.start("1.5", "time", 1)
    for times, other in ((clocks, "2026-11-23T10:00:00Z"), (clocks, "1.5"), (numbers, "10:00:00")):
        with pytest.raises(InputError, match="another form of time"):
            times.start(other, "time", 2)
    assert numbers.start("2026-11-23T10:00:00Z", "time", 2) == 1_795_428_000 * SECOND_NS


def test_clocks_that_go_back_over_midnight() -> None:
    """Their line is kept; a little back is an order of lines."""
    times = Times(SECOND_NS)
    for line, text in enumerate(("23:59:59", "23:59:58", "00:00:01", "23:00:00", "00:00:02"), 1):
        times.start(text, "time", line)
    assert times.back_at == 3


@pytest.mark.parametrize(("text", "message"), [("-1", "before it begins"), ("4e9", "longer than a century")])
def test_what_is_no_duration(text: str, message: str) -> None:
    """Below zero, or in another unit."""
    times = Times(SECOND_NS)
    assert times.duration("0.5", "duration") == SECOND_NS // 2
    with pytest.raises(InputError, match=message):
        times.duration(text, "duration")
