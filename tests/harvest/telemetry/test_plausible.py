"""Whether samples are the utilisation of servers."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.harvest.telemetry.plausible import refuse_range, refuse_series, shares_factor

FILE = Path("t.csv")
STEADY = np.full(200, 0.5)


def test_one_value_above_1_does_not_make_shares_percent() -> None:
    """It is asked about, by the flag that the command has."""
    assert shares_factor(FILE, STEADY * 100, None, "--scale") == 0.01
    assert shares_factor(FILE, STEADY, False, "--scale") == 1
    with pytest.raises(InputError, match=r"found no value above 0.5\. Say which it is: --told share"):
        shares_factor(FILE, STEADY, None, "--told")
    with pytest.raises(InputError, match="may have percent or shares; found 1 of 201 values above 1"):
        shares_factor(FILE, np.append(STEADY, 1.03), None, "--scale")


@pytest.mark.parametrize(
    ("odd", "count", "message"),
    [
        (1.1, 100, ""),
        (7.8, 4, ""),
        (7.8, 5, "5 of 205 values above 120%, up to 780%"),
        (-0.1, 30, "30 of 230 samples below 0"),
    ],
)
def test_values_that_are_no_shares(odd: float, count: int, message: str) -> None:
    """Slightly above 1 is a fast clock, a few are mistakes; many are of several cores, or another column."""
    share = np.append(STEADY, [odd] * count)
    with pytest.raises(InputError, match=message) if message else nullcontext():
        refuse_range(FILE, share, "--scale", most=True)


def test_values_above_1_of_a_published_trace_are_its_own() -> None:
    """They are clipped, and counted, where samples become slots."""
    refuse_range(FILE, STEADY * 3, "--scale", most=False)


def test_several_values_at_one_time() -> None:
    """Of processors or metrics; the same value twice is a copy, and one is a mistake."""
    server, time = np.repeat([0, 1], 100).astype(np.int32), np.repeat(np.arange(100.0), 2)
    refuse_series(FILE, server, time, STEADY)
    other = np.where(np.arange(200) % 2 > 0, 0.7, STEADY)
    refuse_series(FILE, server[:2], time[:2], other[:2])
    with pytest.raises(InputError, match="found 100 of 200 samples at the time of another one, with another"):
        refuse_series(FILE, server, time, other)


def test_counters() -> None:
    """What only grows, in any order of its samples; what falls is a load."""
    server, time = np.zeros(200, np.int32), np.arange(200.0)[::-1]
    refuse_series(FILE, server, time, np.sin(time / 9) ** 2)
    with pytest.raises(InputError, match=r"only grow; found 199 of 199 steps up\. Take the differences"):
        refuse_series(FILE, server, time, time / 200)
