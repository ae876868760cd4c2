"""Patterns of series that are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.harvest.classify.patterns import Rule, energies, find_patterns, spectrum_of
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


def _pulses(days: int, height: float = 0.5, noise: float = 0.03) -> np.ndarray:
    """A job of an hour each night at 2, in slots of ten minutes."""
    slot = np.arange(days * 144)
    chance = np.random.default_rng(3).normal(0, noise, len(slot))
    return np.clip(0.2 + height * ((slot % 144) // 6 == 2) + chance, 0, 1)


@given(st.integers(2, 9), st.data())
@settings(max_examples=60, deadline=None)
def test_the_spectrum_is_that_of_pairs_that_are_both_known(half: int, data: st.DataObject) -> None:
    """As counted pair by pair; without gaps it is the square of the Fourier transform."""
    shares = st.lists(st.none() | st.integers(0, 100), min_size=2 * half, max_size=2 * half)
    row = np.array(data.draw(shares.filter(lambda row: set(row) != {None})), float) / 100
    slots, known = len(row), ~np.isnan(row)
    centred = np.where(known, row - row[known].mean(), 0)
    pairs = [(known * np.roll(known, lag)).sum() for lag in range(slots)]
    covariance = [(centred * np.roll(centred, lag)).sum() / max(1, pairs[lag]) for lag in range(slots)]
    expected = np.fft.rfft(covariance).real / slots
    assert energies(row[None, :].astype(np.float32))[0, 1:] == pytest.approx(expected[1:], abs=1e-6)
    whole = np.nan_to_num(row)
    squares = np.abs(np.fft.rfft(whole)) ** 2 / slots**2
    assert energies(whole[None, :])[0, 1:] == pytest.approx(squares[1:], abs=1e-12)


@given(st.integers(0, 2**32), st.floats(0.0, 0.45))
@settings(max_examples=30, deadline=None)
def test_patterns_need_no_whole_series(seed: int, share: float) -> None:
    """Of any samples that are missing at random, up to nearly half: the pattern stays, and its base is named."""
    rows = np.tile([DAY, FLAT, STEP], (1, 3))
    order = np.random.default_rng(seed).permuted(np.tile(np.arange(rows.shape[1]), (3, 1)), axis=1)
    gone = order < share * rows.shape[1]
    found = find_patterns(made(np.where(gone, np.nan, rows)))
    assert found.pattern.tolist() == [0, 1, 2]
    assert found.known == pytest.approx(1 - gone.mean(axis=1))
    assert found.slow_std[0] == pytest.approx(DAY.std(), rel=0.1)


@pytest.mark.parametrize(
    ("days", "gone", "pattern"),
    [(31, 0.49, 0), (31, 0.51, -1), (9, 0.2, 0), (9, 0.3, -1), (6, 0.08, 0), (6, 0.12, -1)],
)
def test_half_of_the_samples_and_a_week_of_them(days: int, gone: float, pattern: int) -> None:
    """Less has no pattern; less than a week has one if next to nothing is missing."""
    rows = np.tile(np.resize(DAY, 24 * days), (2, 1))
    rows[0, np.random.default_rng(1).permutation(rows.shape[1])[: round(gone * rows.shape[1])]] = np.nan
    assert find_patterns(made(rows)).pattern.tolist() == [pattern, 0]


@pytest.mark.parametrize("gone", [0.0, 0.4])
def test_a_short_job_each_night_is_periodic(gone: float) -> None:
    """Most of its energy is above the fourth harmonic; the same job at any hour of the day repeats nothing."""
    nightly, chance = _pulses(31), np.random.default_rng(7)
    anytime = np.concatenate([np.roll(day, chance.integers(144)) for day in nightly.reshape(31, 144)])
    rows = np.where(chance.random((2, len(nightly))) < gone, np.nan, [nightly, anytime])
    found = find_patterns(made(rows, slot_s=600.0))
    assert found.daily_share.max() < 0.35
    assert found.pattern.tolist() == [0, 2]
    assert found.repeated[0] > 0.8


def test_near_a_threshold_missing_samples_make_a_pattern_uncertain() -> None:
    """A hole of three days in a level that changes slowly; not where all is known, nor far from a threshold."""
    walk = np.cumsum(np.random.default_rng(4).normal(0, 1, (40, 31 * 24)), axis=1)
    walk = (walk - walk.mean(axis=1, keepdims=True)) / walk.std(axis=1, keepdims=True)
    sizes = np.repeat([0.005, 0.031, 0.09], [10, 20, 10])[:, None]
    rows = 0.5 + sizes * walk
    holes = rows.copy()
    for row, at in enumerate(np.random.default_rng(5).integers(0, 600, 40).tolist()):
        holes[row, at : at + 72] = np.nan
    whole, found = find_patterns(made(rows)), find_patterns(made(holes))
    assert not whole.uncertain.any()
    changed = whole.pattern != found.pattern
    assert changed.sum() > 3
    assert found.uncertain[changed].all()
    assert not found.uncertain[:10].any()


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


def test_a_share_of_the_day_near_its_threshold_is_uncertain_with_gaps() -> None:
    """36 % in the day, where 35 % is periodic: not where 60 % or nothing is, though the same samples are missing."""
    slots = np.arange(20 * 24)
    chance = np.random.default_rng(8).normal(0, 0.1, len(slots))
    shares = np.array([0.36, 0.6, 0.0])[:, None]
    rows = 0.5 + 0.1 * np.sqrt(2 * shares) * np.cos(np.pi * slots / 12) + np.sqrt(1 - shares) * chance
    gone = np.random.default_rng(9).random(len(slots)) < 0.3
    found = find_patterns(made(np.clip(np.where(gone, np.nan, rows), 0, 1)))
    assert found.uncertain.tolist() == [True, False, False]


def test_a_burst_may_be_in_a_gap() -> None:
    """A level that is nearly not constant is uncertain where hours without a sample may hold more; not without these."""
    slots = np.arange(14 * 288)
    level = 0.4 + 0.036 * np.cos(2 * np.pi * slots / 500)
    rows = np.tile(level, (3, 1))
    rows[1, 900:1272] = np.nan
    rows[2, np.random.default_rng(1).random(len(slots)) < 0.09] = np.nan
    found = find_patterns(made(rows, slot_s=300.0))
    assert found.slow_std == pytest.approx(0.0255, rel=0.02)
    assert [PATTERNS[n] for n in found.pattern] == [Pattern.CONSTANT] * 3
    assert found.uncertain.tolist() == [False, True, False]


def test_outages_are_left_out_for_all() -> None:
    """A gap of hours that nearly all tenants have costs no tenant its pattern; a short one is no outage."""
    rows = np.array([DAY, FLAT, STEP, DAY, DAY, DAY, DAY, DAY, DAY, DAY, np.full(len(HOURS), np.nan)])
    rows[:, 30:35] = rows[:, 80:83] = np.nan
    rows[9, 30:35] = 0.9  # one server of eleven had its own monitoring
    found = find_patterns(made(rows))
    assert found.outages == ((30, 35),)
    assert found.pattern.tolist() == [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, -1]
    assert found.slow_std[[0, 9]] == pytest.approx(DAY.std(), rel=0.03)
    assert found.known[[0, 9, 10]] == pytest.approx([136 / 144, 136 / 144, 0])
    assert int(np.argmax(spectrum_of(made(rows), 0))) + 1 == 6


def test_an_outage_each_night_leaves_every_class() -> None:
    """No day is whole, and each hour but those is known of each day; what was done in them is not known."""
    rows = np.tile([DAY, FLAT, STEP], (1, 3))
    rows[:, np.arange(rows.shape[1]) % 24 < 4] = np.nan
    found = find_patterns(made(rows))
    assert len(found.outages) == 18
    assert found.pattern.tolist() == [0, 1, 2]
    assert found.uncertain.all()


@pytest.mark.parametrize(("begin", "end", "uncertain"), [(24, 30, True), (24, 27, True), (25, 26, False)])
def test_a_server_that_is_silent_at_the_same_time_of_each_day_is_uncertain(
    begin: int, end: int, *, uncertain: bool
) -> None:
    """An hour or a quarter of one, as during a job of each night; not samples that are farther apart than slots."""
    slot = np.arange(14 * 144)
    rows = np.tile(0.3 + 0.001 * np.sin(slot), (2, 1))
    rows[0, (begin <= slot % 144) & (slot % 144 < end)] = np.nan
    rows[1, slot % 3 == 1] = np.nan
    found = find_patterns(made(rows, slot_s=600.0))
    assert found.uncertain.tolist() == [uncertain, False]


def test_too_few_samples_left_show_no_pattern() -> None:
    """Of three days one and a half, in which no day comes again."""
    rows = DAY[None, :72].copy()
    rows[:, 20:40] = rows[:, 60:65] = np.nan
    assert find_patterns(made(rows)).pattern.tolist() == [-1]


@pytest.mark.parametrize("form", ["random", "stretches", "hole"])
@pytest.mark.parametrize("days", [14, 31])
def test_chance_with_gaps_is_not_taken_for_a_day(days: int, form: str) -> None:
    """Of random walks of which 40 % is missing hardly one in a hundred is periodic."""
    chance = np.random.default_rng(6)
    walks = np.cumsum(chance.normal(0, 0.05, (500, days * 24)), axis=1)
    rows = (walks - walks.min()) / (walks.max() - walks.min())
    if form == "random":
        rows[chance.random(rows.shape) < 0.4] = np.nan
    for row in rows if form != "random" else ():
        length = 12 if form == "stretches" else round(0.4 * len(row))
        while np.isnan(row).mean() < 0.39:
            begin = chance.integers(0, len(row) - length + 1)
            row[begin : begin + length] = np.nan
    found = find_patterns(made(rows), Rule(constant_below=0.0))
    assert found.unknown < 10
    assert len(found.of(Pattern.PERIODIC)) < 10
