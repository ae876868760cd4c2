"""Classes of tenants whose days look alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.base.seeds import Seeds
from froude.harvest.classify.classes import (
    Features,
    Grouping,
    averages,
    classify,
    day_profile,
    folded,
    peaks,
)
from froude.harvest.telemetry.profiles import Pattern
from tests.support.harvest.datacenters import drawn, made

HOURS = np.arange(4 * 24)


def day(phase: float, level: float = 0.4) -> np.ndarray:
    """A day with its peak at a phase."""
    return level + 0.2 * np.cos(2 * np.pi * (HOURS / 24 - phase))


def test_days_and_nights_are_two_classes_by_profile_and_one_by_spectrum() -> None:
    """A spectrum without phase cannot tell them apart."""
    datacenter = made(np.array([day(0.0), day(0.02), day(0.5), day(0.52)]), servers=3)
    two = {Pattern.PERIODIC: 2, Pattern.CONSTANT: 1, Pattern.UNPREDICTABLE: 1}
    found = classify(datacenter, Seeds(1), Grouping(classes=two))
    assert sorted(each.tenants.tolist() for each in found.classes) == [[0, 1], [2, 3]]
    assert [each.servers for each in found.classes] == [6, 6]
    spectral = classify(datacenter, Seeds(1), Grouping(Features.SPECTRUM, None))
    assert sorted(each.tenants.tolist() for each in spectral.classes) != [[0, 1], [2, 3]]
    chosen = classify(datacenter, Seeds(1), Grouping(classes=None))
    assert chosen.tenant_class.tolist()[:2] == [chosen.tenant_class[0]] * 2


def test_names_ascend_with_utilisation_and_tags_are_means_over_servers() -> None:
    """Average and peak of what is known."""
    levels = np.array([np.full(96, 0.6), np.full(96, 0.2)])
    found = classify(made(levels), Seeds(1))
    assert [each.name for each in found.classes] == ["constant-01", "constant-02"]
    assert [each.average for each in found.classes] == pytest.approx([0.2, 0.6], rel=1e-5)
    assert [each.peak for each in found.classes] == pytest.approx([0.2, 0.6], rel=1e-5)
    assert found.tenant_class.tolist() == [1, 0]


def test_a_tenant_counts_as_often_as_it_has_servers() -> None:
    """Three servers at 0.6 and one at 0.2 are a class of 0.5, at its peak too."""
    levels = np.array([np.full(96, 0.6), np.full(96, 0.2)])
    datacenter = replace(made(levels, servers=2), server_tenant=np.array([0, 0, 0, 1], np.int32))
    (one,) = classify(datacenter, Seeds(1), Grouping(classes=dict.fromkeys(Pattern, 1))).classes
    assert (one.servers, one.average, one.peak) == (4, pytest.approx(0.5), pytest.approx(0.5))


def test_every_tenant_with_a_pattern_has_one_class() -> None:
    """And a class's servers are those of its tenants."""
    datacenter = drawn()
    found = classify(datacenter, Seeds(1))
    assert sorted(t for each in found.classes for t in each.tenants.tolist()) == list(range(24))
    assert sum(each.servers for each in found.classes) == len(datacenter.servers)
    for number, each in enumerate(found.classes):
        assert (found.tenant_class[each.tenants] == number).all()


def test_a_tenant_without_measurements_has_no_class() -> None:
    """It is neither refused nor guessed."""
    rows = np.array([day(0), np.full(96, np.nan)])
    found = classify(made(rows), Seeds(1))
    assert found.tenant_class.tolist() == [0, -1]
    assert np.isnan([averages(made(rows))[1], peaks(made(rows))[1]]).all()


def test_the_mean_day() -> None:
    """By hour; from two weeks on by hour of the week, gaps left out."""
    rows = np.array([day(0.0)])
    rows[0, 5] = np.nan
    assert folded(made(rows))[0] == pytest.approx(day(0.0)[:24], rel=1e-5)
    weeks = np.arange(14 * 24, dtype=float)[None, :] / 1000
    assert folded(made(weeks)).shape == (1, 168)
    both = made(np.array([np.full(96, 0.2), np.full(96, 0.4)]))
    assert day_profile(both, np.array([0, 1], np.int32)) == pytest.approx(np.full(24, 0.3), rel=1e-5)


def test_peaks_are_the_99th_percentile() -> None:
    """With and without gaps."""
    rows = np.tile(np.arange(100) / 100, (2, 1))
    assert peaks(made(rows)).tolist() == pytest.approx([0.99, 0.99])
    rows[0, 0] = np.nan
    assert peaks(made(rows))[0] == pytest.approx(0.98, abs=0.011)


def test_what_nobody_measured_is_no_level() -> None:
    """Tenants of one day are of one class though the monitoring was down for hours; a picture has a gap there."""
    rows = np.array([day(0.0), day(0.0), day(0.5), day(0.5)])
    rows[:, 24:34] = np.nan
    rows[0, 2:4] = rows[0, 26:28] = rows[0, 50:52] = rows[0, 74:76] = np.nan
    two = {Pattern.PERIODIC: 2, Pattern.CONSTANT: 1, Pattern.UNPREDICTABLE: 1}
    found = classify(made(rows), Seeds(1), Grouping(classes=two))
    assert found.patterns.outages == ((24, 34),)
    assert found.tenant_class[0] == found.tenant_class[1]
    assert np.isnan(day_profile(made(rows), np.array([0], np.int32))).tolist() == [
        n in {2, 3} for n in range(24)
    ]
