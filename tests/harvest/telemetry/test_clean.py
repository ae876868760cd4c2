"""Dirty samples."""

from __future__ import annotations

import numpy as np
import pytest

from froude.harvest.telemetry.clean import Cleaned, filled, on_slots, slots_at_zero, slots_unchanged


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
    assert Cleaned(1, 2, 3, 4, 5, 6, 7) + Cleaned(samples=1, gaps=1) == Cleaned(2, 2, 3, 4, 5, 6, 8)


def test_gaps_have_the_usual_value_of_that_time() -> None:
    """Of the weekday from two weeks on, else of the day; a slot that was never measured has that of its hour."""
    days = np.repeat(np.arange(14) % 7 / 10, 48) + np.tile(np.arange(48) % 2 / 100, 14)
    series = np.stack([days, days]).astype(np.float32)
    series[0, 3 * 48 : 4 * 48] = np.nan
    assert filled(series, 48) == pytest.approx(np.stack([days, days]), rel=1e-5)
    short = series[:1, 2 * 48 : 6 * 48]
    assert filled(short, 48)[0, 48:96] == pytest.approx(np.nanmean(short.reshape(4, 48), axis=0), rel=1e-5)
    short[0, ::48] = np.nan
    short[0, 10::48] = short[0, 11::48] = np.nan
    out = filled(short, 48)[0].reshape(4, 48)
    assert out[:, 0] == pytest.approx(np.full(4, np.nanmean(short[0, 1::48])), rel=1e-5)
    assert np.isnan(out[:, 10:12]).all()
    assert not np.isnan(np.delete(out, [10, 11], axis=1)).any()
    assert filled(series[1:], 48) is not None


def test_counts_are_added_and_a_median_is_not() -> None:
    """That of two tables does not follow from theirs."""
    assert Cleaned(samples=1, gaps=4, apart_s=600.0) + Cleaned(samples=2, apart_s=300.0) == Cleaned(3, gaps=4)


@pytest.mark.parametrize(
    ("tenants", "begin", "end", "at_zero"),
    [(4, 20, 30, 10), (4, 20, 50, 0), (2, 20, 30, 0), (40, 20, 30, 10)],
)
def test_an_outage_that_is_written_as_zeros(tenants: int, begin: int, end: int, at_zero: int) -> None:
    """Nearly all are at 0 at once, and seldom else; one that always is does not count."""
    series = np.full((tenants, 100), 0.5, np.float32)
    series[: round(0.95 * tenants), begin:end] = 0
    series[0, 7] = series[1, 8] = 0
    series = np.concatenate([series, np.zeros((5, 100), np.float32)])
    assert slots_at_zero(series).tolist() == list(range(begin, begin + at_zero))


def test_last_values_through_an_outage_are_named() -> None:
    """Hours in which many tenants keep one value; not an hour of one tenant, nor tenants that often do."""
    series = np.random.default_rng(1).random((6, 500)).astype(np.float32)
    series[:4, 100:130] = series[:4, 99:100]
    series[5, 300:400] = 0.5
    series[:, 200] = np.nan
    assert slots_unchanged(series, 300.0).tolist() == list(range(100, 130))
    assert not len(slots_unchanged(series, 60.0))
    assert not len(slots_unchanged(np.round(series * 2), 300.0))
    assert "many tenants keep one value in 30 slots" in Cleaned(unchanged="30 slots from May on").text()
