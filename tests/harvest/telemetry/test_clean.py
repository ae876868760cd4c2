"""Dirty samples."""

from __future__ import annotations

import numpy as np

from froude.harvest.telemetry.clean import Cleaned, filled, on_slots


def test_everything_wrong_is_counted_once() -> None:
    """Two at one time, one empty, one below 0, one above 100 %, and a slot without any."""
    times = np.array([0.0, 0.0, 30.0, 60.0, 130.0, 250.0, 999.0])
    shares = np.array([0.9, 0.5, np.nan, -0.1, 1.7, 0.4, 0.3])
    series, cleaned = on_slots(times, shares, start_s=0.0, slot_s=60.0, slots=5)
    assert np.array_equal(series, np.array([0.5, 0.0, 1.0, np.nan, 0.4], np.float32), equal_nan=True)
    assert cleaned == Cleaned(samples=6, duplicates=1, missing=1, negative=1, above=1, gaps=1)
    assert cleaned.text() == (
        "6 samples: 1 duplicate, 1 without a value, 1 below 0 taken for 0, 1 above 100 % taken for 100 %, "
        "1 slot without a sample"
    )


def test_order_does_not_matter_and_none_is_nothing() -> None:
    """Samples in any order give the same; without samples nothing is known."""
    times, shares = np.array([120.0, 0.0, 60.0]), np.array([0.3, 0.1, 0.2])
    series, cleaned = on_slots(times, shares, start_s=0.0, slot_s=60.0, slots=3)
    assert np.allclose(series, [0.1, 0.2, 0.3])
    assert cleaned.text() == "3 samples: nothing to clean"
    nothing, _ = on_slots(np.zeros(0), np.zeros(0), start_s=0.0, slot_s=60.0, slots=2)
    assert np.isnan(nothing).all()


def test_counts_add_up() -> None:
    """Of several servers together."""
    assert Cleaned(1, 2, 3, 4, 5, 6) + Cleaned(samples=1, gaps=1) == Cleaned(2, 2, 3, 4, 5, 7)


def test_short_gaps_are_filled_on_a_line() -> None:
    """At the ends with the nearest value; what is longer stays, and a whole series is left as it is."""
    nan = np.nan
    series = np.array([[nan, 0.2, nan, nan, 0.8, nan], [nan] * 6, [nan, nan, nan, 0.5, 0.5, 0.5]], np.float32)
    out, number = filled(series, 2)
    assert np.allclose(out[0], [0.2, 0.2, 0.4, 0.6, 0.8, 0.8])
    assert np.isnan(out[1]).all()
    assert np.isnan(out[2, :3]).all()
    assert number == 4
    same, none = filled(out[:1], 2)
    assert same is not None
    assert none == 0


def test_counts_are_added_and_a_median_is_not() -> None:
    """That of two tables does not follow from theirs."""
    assert Cleaned(samples=1, gaps=4, apart_s=600.0) + Cleaned(samples=2, apart_s=300.0) == Cleaned(3, gaps=4)
