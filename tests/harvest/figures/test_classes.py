"""The page of classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from froude.base.seeds import Seeds
from froude.harvest.classify.backtest import Forecast, backtest, stability
from froude.harvest.classify.classes import classify
from froude.harvest.figures.classes import classes_report
from froude.render import Chart
from tests.harvest.datacenters import drawn, made


def test_a_picture_of_every_class() -> None:
    """A panel each, and the verdict of the backtest in the first sentence."""
    found = classify(drawn(), Seeds(1))
    page = classes_report(
        drawn(), found, backtest(drawn(), Seeds(1)), stability(drawn(), Seeds(1), days=7), {}
    )
    charts = [block for block in page.sections[0].blocks if isinstance(block, Chart)]
    assert {s.panel for chart in charts for s in chart.series} == {each.name for each in found.classes}
    assert "A class's mean day tells the next 2 days" in page.lede


def test_a_short_history_is_said() -> None:
    """No period to hold it against, no day after, and a tenant without a class."""
    datacenter = made(np.array([np.full(48, 0.3), np.full(48, np.nan)]))
    page = classes_report(datacenter, classify(datacenter, Seeds(1)), [], None, {})
    assert "nothing says how well" in page.lede
    assert any("1 tenants have no class" in getattr(block, "title", "") for block in page.sections[0].blocks)


def test_a_tenants_own_profile_is_named_where_it_tells_more() -> None:
    """Of what it is the class's mean."""
    before = backtest(drawn(), Seeds(1))
    errors = {"class's profile": 0.08, "tenant's own profile": 0.07, "tenant's mean": 0.1}
    test = replace(before[0], forecasts=tuple(Forecast(name, rmse) for name, rmse in errors.items()))
    page = classes_report(drawn(), classify(drawn(), Seeds(1)), [test], None, {})
    assert page.lede.endswith("Each tenant's own profile is off by 7.0% only.")
