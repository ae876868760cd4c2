"""A comparison's page: the answer first, every interval drawn, every run named."""

from __future__ import annotations

import pytest

from froude.experiment.compare.compare import Comparison, Outcome, compare
from froude.experiment.figures.comparison import comparison_section, comparison_title, value_text
from froude.experiment.figures.page import page
from froude.render import Chart, Table, Tone
from tests.support.experiment.comparisons import arms


def _chart(comparison: Comparison) -> Chart:
    return next(block for block in comparison_section(comparison).blocks if isinstance(block, Chart))


def test_every_measure_has_its_interval() -> None:
    """In per cent, in the colour of its outcome; no change and the margin are marked."""
    comparison = compare(**arms(5, 1.3, spread=0.03))
    chart = _chart(comparison)
    shown = {
        x: (series.name, low, y, high)
        for series in chart.series
        for x, low, y, high in zip(series.xs, series.low, series.ys, series.high, strict=True)
    }
    row = comparison.rows[0]
    assert shown["mean"] == ("worse", 100 * row.low, 100 * row.change, 100 * row.high)
    assert set(shown) == {row.measure for row in comparison.deciding if not row.by_difference}
    assert [mark.at for mark in chart.marks] == pytest.approx([0.0, 5.0, 100 / 1.05 - 100])


def test_endless_intervals_are_cut() -> None:
    """And it is said: they would hide all others."""
    chart = _chart(compare(**arms(3, spread=0.5)))
    assert all(
        -60 <= low <= high <= 150
        for series in chart.series
        for low, high in zip(series.low, series.high, strict=True)
    )
    assert "cut at -60 % and +150 %" in chart.caption


def test_the_head_is_the_answer() -> None:
    """Red where the candidate is worse; too few runs are no good news."""
    worse = page([compare(**arms(5, 1.3, spread=0.03))]).report
    assert worse.title == "Is the candidate slower? Yes, it is worse"
    assert worse.tone is Tone.BAD
    assert "**The candidate is slower" in worse.lede
    assert worse.figures[-1].value == "5 and 5"
    few = compare(**arms(1))
    assert page([few]).report.tone is Tone.WARNING
    assert comparison_title(few).endswith("Not enough runs to say")
    assert few.outcome is Outcome.OPEN


def test_every_run_is_named() -> None:
    """Those that were left out with the reason."""
    given = arms(3)
    given["candidate"][0].interrupted = True
    tables = [b for b in comparison_section(compare(**given)).blocks if isinstance(b, Table)]
    runs = next(table for table in tables if table.caption.startswith("The runs"))
    assert ("candidate 1", "left out", None, "it was interrupted") in runs.rows
    assert len(runs.rows) == 6


def test_values_have_their_units() -> None:
    """Durations, shares, rates."""
    assert value_text(0.0034, "s") == "3.4 ms"
    assert value_text(0.0123, "share") == "1.23 %"
    assert value_text(1234.5, "calls/s") == "1,234 calls/s"
