"""Patterns of series that are known."""

from __future__ import annotations

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.harvest.classify.patterns import Rule, find_patterns, spectrum_of
from froude.harvest.telemetry.profiles import PATTERNS, Pattern
from tests.support.harvest.datacenters import drawn, made

HOURS = np.arange(6 * 24)
DAY = 0.4 + 0.2 * np.cos(2 * np.pi * HOURS / 24)
FLAT = np.full(len(HOURS), 0.4)
STEP = np.where(HOURS < 70, 0.2, 0.6)


def test_the_three_patterns() -> None:
    """A day that comes again, a level, and a step."""
    found = find_patterns(made(np.array([DAY, FLAT, STEP])))
    assert [PATTERNS[n] for n in found.pattern] == list(Pattern)
    assert found.of(Pattern.CONSTANT).tolist() == [1]


def test_scores_are_what_they_are_called() -> None:
    """The standard deviation of the slow part, and the share of energy in the day."""
    found = find_patterns(made(np.array([DAY, STEP])))
    assert found.slow_std[0] == pytest.approx(DAY.std(), rel=1e-5)
    assert found.daily_share[0] == pytest.approx(1.0, rel=1e-5)
    assert found.daily_share[1] < 0.3


def test_scale_and_shift_keep_the_shape() -> None:
    """Half the swing has half the deviation and the same share of the day."""
    one, half = find_patterns(made(np.array([DAY]))), find_patterns(made(np.array([0.3 + DAY / 2])))
    assert half.slow_std[0] == pytest.approx(one.slow_std[0] / 2, rel=1e-5)
    assert half.daily_share[0] == pytest.approx(one.daily_share[0], rel=1e-5)


def test_gaps_are_filled_if_short() -> None:
    """A tenant of which too much is missing has no pattern."""
    short, long = DAY.copy(), DAY.copy()
    short[10:12] = np.nan
    long[10:20] = np.nan
    found = find_patterns(made(np.array([short, long])))
    assert found.pattern.tolist() == [0, -1]
    assert (found.unknown, found.filled_slots) == (1, 2)
    assert find_patterns(made(np.array([long])), Rule(fill_h=12)).unknown == 0


def test_a_day_alone_shows_no_period() -> None:
    """Two days at least."""
    with pytest.raises(InputError, match=r"found 1\.9 days"):
        find_patterns(made(DAY[None, :46]))


@pytest.mark.parametrize("days", [2, 3, 4, 6, 7, 14])
def test_chance_is_not_taken_for_a_day(days: int) -> None:
    """Of random walks hardly one in a hundred is periodic, however few the days; a day that comes again is."""
    walks = np.cumsum(np.random.default_rng(5).normal(0, 0.05, (1000, days * 24)), axis=1)
    low = walks.min()
    shares = (walks - low) / (walks.max() - low)
    hours = np.arange(days * 24)
    noisy = 0.4 + 0.2 * np.cos(2 * np.pi * hours / 24) + np.random.default_rng(5).normal(0, 0.04, len(hours))
    found = find_patterns(made(np.vstack([shares, noisy])), Rule(constant_below=0.0))
    assert len(found.of(Pattern.PERIODIC)) < 20
    assert PATTERNS[found.pattern[-1]] is Pattern.PERIODIC


def test_a_day_whose_course_changes_over_weeks_counts_whole() -> None:
    """Its energy lies beside the harmonic as well."""
    hours = np.arange(30 * 24)
    growing = 0.4 + 0.3 * hours / len(hours) * np.cos(2 * np.pi * hours / 24)
    assert find_patterns(made(growing[None, :])).daily_share[0] > 0.85


def test_what_was_generated_is_found_again() -> None:
    """The generator's patterns are clear ones: an easy set."""
    datacenter = drawn()
    found = find_patterns(datacenter)
    assert (found.pattern == datacenter.truth["pattern"]).mean() > 0.9


def test_the_spectrum_of_a_day() -> None:
    """Its amplitude stands at one cycle a day."""
    spectrum = spectrum_of(made(DAY[None, :]), 0)
    assert int(np.argmax(spectrum)) + 1 == 6
    assert spectrum[5] == pytest.approx(0.2, rel=1e-6)


def test_days_without_monitoring_are_left_out_for_all() -> None:
    """A gap of nearly all tenants, too long to fill, costs its day and no tenant its pattern."""
    rows = np.array([DAY, FLAT, STEP, DAY, DAY, DAY, DAY, DAY, DAY, DAY, np.full(len(HOURS), np.nan)])
    rows[:, 30:35] = np.nan
    rows[9, 30:35] = 0.4  # one server of eleven had its own monitoring
    found = find_patterns(made(rows))
    assert found.days_left_out == (1,)
    assert found.pattern.tolist() == [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, -1]
    assert found.slow_std[0] == pytest.approx(DAY.std(), rel=1e-5)
    assert spectrum_of(made(rows), 0, left_out=(1,))[4] == pytest.approx(0.2, rel=1e-6)


def test_too_few_days_left_show_no_pattern() -> None:
    """Of three days with two gaps one is left, in which no day comes again."""
    rows = DAY[None, :72].copy()
    rows[:, 30:35] = rows[:, 60:65] = np.nan
    assert find_patterns(made(rows)).pattern.tolist() == [-1]
