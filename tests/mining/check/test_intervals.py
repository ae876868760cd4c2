"""Intervals by call site."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.mining.check.intervals import Site, intervals, slower, validated
from froude.mining.read.events import Recording
from froude.trace.intervals import FEWEST, Observed, Statistic
from froude.trace.lowered import LoweredInterval
from froude.workload.types import Workload


@pytest.fixture(scope="module")
def sites(workload: Workload, held_out: Recording) -> tuple[Site, ...]:
    """Of the held-out run."""
    return intervals(workload, held_out)


def test_intervals_are_held_against_what_was_mined(sites: tuple[Site, ...]) -> None:
    """Heartbeats come every second; no site has more intervals in its prediction than in the run."""
    beats = [site for site in sites if site.periodic and site.predicted.median_s == pytest.approx(1, rel=0.1)]
    assert beats
    assert all(site.within(statistic) for site in beats for statistic in Statistic)
    assert all(site.predicted.number == site.seen.number for site in sites)
    assert all(site.predicted.median_s <= site.predicted.p90_s for site in sites)


def test_a_run_that_is_held_against_itself_agrees(sites: tuple[Site, ...]) -> None:
    """At all sites with enough intervals; those predicted count, and one that is wrong counts no more."""
    exact = [replace(site, predicted=site.seen) for site in sites]
    whole = validated(exact, exact, Statistic.MEDIAN)
    assert len(whole.agreement.agreeing) == whole.agreement.compared == whole.within > 0
    assert set(whole.agreement.agreeing) == {
        site.template
        for site in exact
        if site.seen.number >= FEWEST and site.template in whole.agreement.agreeing
    }
    wrong = [replace(site, predicted=Observed(1, 99.0, 99.0)) for site in exact]
    assert validated(wrong, exact, Statistic.MEDIAN).within == 0


def test_contention_is_a_factor(sites: tuple[Site, ...]) -> None:
    """Of a run all of whose steps take three times as long as predicted."""
    late = [
        replace(site, predicted=Observed(9, 1.0, 1.0), seen=Observed(9, 3.0, 3.0))
        for site in sites
        if not site.periodic
    ]
    assert slower(late) == pytest.approx(3)
    assert slower(()) is None


def test_lowered_periods_are_held_against_the_configured_ones(
    workload: Workload, held_out: Recording, sites: tuple[Site, ...]
) -> None:
    """A run whose heartbeats were recorded every second, and are made every ten."""
    beat = next(site for site in sites if site.periodic)
    every_s = round(beat.seen.median_s, 3)
    lowered = {beat.method: LoweredInterval(beat.method, 10 * every_s, every_s)}
    again = intervals(workload, replace(held_out, lowered=lowered))
    scaled = next(site for site in again if site.template == beat.template)
    assert scaled.seen.median_s == pytest.approx(10 * every_s, rel=0.01)
