"""The page of classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from froude.base.seeds import Seeds
from froude.harvest.classify.backtest import Forecast, backtest, stability
from froude.harvest.classify.classes import classify
from froude.harvest.figures.classes import classes_report
from froude.render import Chart
from tests.support.harvest.datacenters import drawn, made


def test_a_picture_of_every_class() -> None:
    """A panel each, and the verdict of the backtest in the first sentence."""
    found = classify(drawn(), Seeds(1))
    page = classes_report(
        drawn(), found, backtest(drawn(), Seeds(1)), stability(drawn(), Seeds(1), days=7), {}
    )
    charts = [block for block in page.sections[0].blocks if isinstance(block, Chart)]
    assert {s.panel for chart in charts for s in chart.series} == {each.name for each in found.classes}
    assert "A class's mean day predicts the next 2 days" in page.lede


def test_a_short_history_is_said() -> None:
    """No period to hold it against, no day after, and a tenant without a class."""
    datacenter = made(np.array([np.full(48, 0.3), np.full(48, np.nan)]))
    page = classes_report(datacenter, classify(datacenter, Seeds(1)), [], None, {})
    assert "nothing says how well" in page.lede
    assert any("No class: 1 of 2 tenants" in getattr(block, "title", "") for block in page.sections[0].blocks)


def test_a_tenants_own_profile_is_named_where_it_tells_more() -> None:
    """Of what it is the class's mean."""
    before = backtest(drawn(), Seeds(1))
    errors = {"class's profile": 0.08, "tenant's own profile": 0.07, "tenant's mean": 0.1}
    test = replace(before[0], forecasts=tuple(Forecast(name, rmse) for name, rmse in errors.items()))
    page = classes_report(drawn(), classify(drawn(), Seeds(1)), [test], None, {})
    assert page.lede.endswith("Each tenant's own profile is off by 7.0% only.")


def test_without_a_class_nothing_is_judged() -> None:
    """Neither kept nor better nor the same the next day: the page states that nothing is known."""
    gaps = np.tile(np.append(0.3, np.full(23, np.nan)), (3, 8))
    datacenter = made(gaps)
    tests, stable = backtest(datacenter, Seeds(1)), stability(datacenter, Seeds(1), days=7)
    page = classes_report(datacenter, classify(datacenter, Seeds(1)), tests, stable, {})
    assert "is not known: by 2 days alone, of whose samples 4% are known, no server" in page.lede
    assert [figure.label for figure in page.figures] == ["classes"]
    assert tests[0].pattern_kept is None
    assert {forecast.rmse for forecast in tests[0].forecasts} == {None}
    assert stable is not None
    assert (stable.pattern_kept, stable.rand, stable.with_pattern, stable.servers) == (None, None, 0, 3)


def test_what_never_varies_predicts_nothing() -> None:
    """No forecast is better than another where all are exact."""
    datacenter = made(np.zeros((2, 96)))
    page = classes_report(
        datacenter, classify(datacenter, Seeds(1)), backtest(datacenter, Seeds(1)), None, {}
    )
    assert "Utilisation did not vary in the next 2 days" in page.lede


def test_days_without_monitoring_are_named() -> None:
    """And how many of the servers a figure is of."""
    rows = np.tile(0.4 + 0.2 * np.cos(2 * np.pi * np.arange(24) / 24), (2, 8))
    rows[:, 30:35] = np.nan
    datacenter = made(rows)
    page = classes_report(
        datacenter, classify(datacenter, Seeds(1)), backtest(datacenter, Seeds(1)), None, {}
    )
    assert any(
        "1 outage left out (5 h): day 1 06:00 to day 1 11:00" in getattr(block, "title", "")
        for block in page.sections[0].blocks
    )
    assert page.lede.endswith("(2 of 2 servers).")
