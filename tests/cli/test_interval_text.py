"""Intervals and start times in words."""

from __future__ import annotations

from froude.cli.interval_text import agreement_text, delays_text, sites_text
from froude.mining.check.intervals import Site
from froude.mining.fit.starts import Delay
from froude.trace.intervals import Agreement, Observed, Statistic


def test_agreement_says_what_was_not_compared() -> None:
    """Few intervals, and short ones."""
    text = agreement_text([Agreement(Statistic.MEDIAN, 9, 4, 1, ("a", "b"))])
    assert text == (
        "median of the intervals within 10%: 2 of 4 call sites; 4 more have fewer than 5 intervals, 1 are below 1 ms"
    )


def test_sites_by_service() -> None:
    """With a second run only those at which the two agree count."""
    good, bad = Observed(9, 1.0, 1.1), Observed(9, 2.0, 3.0)
    sites = [Site("namenode", "c1", "m", False, good, good), Site("namenode", "c2", "m", False, good, bad)]
    assert "namenode  median: 1 of 2\n" in sites_text(sites, ())
    assert "steps took 1.50 times as long" in sites_text(sites, ())
    other = [sites[0], Site("namenode", "c2", "m", False, good, good)]
    assert "namenode  median: 1 of 1 (1 of 2 agree)" in sites_text(sites, other)
    few = Observed(2, 1.0, 1.0)
    named = "resourcemanager-scheduler"
    text = sites_text([Site(named, "c1", "m", False, few, few), sites[0]], ())
    assert f"{named}  median: no such call site\n" in text
    assert f"{'namenode':<{len(named)}}  median: 1 of 1\n" in text


def test_starts() -> None:
    """Also of a type that began before what it should have waited for."""
    text = delays_text([Delay("map", "shell", 4.7, 6.8), Delay("nodemanager", None, 0.0, None)])
    assert "map          after shell: 4.7, 6.8" in text
    assert "nodemanager  after the beginning: 0.0, before it" in text
