"""A comparison's page: the answer first, every interval drawn, every run named."""

from __future__ import annotations

import pytest

from froude.experiment.compare.compare import Comparison, Outcome, compare
from froude.experiment.duet.comparison import comparison_of
from froude.experiment.figures.comparison import comparison_section, comparison_title, value_text
from froude.experiment.figures.page import page
from froude.render import Chart, Table, Tone
from tests.support.experiment.comparisons import arms
from tests.support.experiment.duets import OPTIONS, duet


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


def test_a_duet_is_drawn_over_its_time() -> None:
    """In place of the table of runs: the ratios that decide, batch by batch, in per cent."""
    compared = comparison_of(duet(1.2), OPTIONS)
    blocks = comparison_section(compared).blocks
    over_time = next(
        block for block in blocks if isinstance(block, Chart) and "batch by batch" in block.title
    )
    assert [series.name for series in over_time.series] == ["service time", "CPU per call", "throughput"]
    first, second = compared.rows[0].baseline[0], compared.rows[0].candidate[0]
    assert over_time.series[0].xs[:2] == [12.0, 36.0]
    assert over_time.series[0].ys[0] == pytest.approx(100 * (second / first - 1))
    captions = [block.caption for block in blocks if isinstance(block, Table)]
    assert "The runs, as they were made" not in captions
    assert comparison_title(comparison_of(duet(spread=0.9), OPTIONS)) == "Is the candidate slower? Undecided"


def test_less_cpu_time_is_not_called_faster() -> None:
    """The head names the measure that differs."""
    less = comparison_of(duet(cpu=0.8), OPTIONS)
    assert less.answer.startswith("The candidate needs less CPU time: CPU time of the target for a call")
    head = page([less]).report
    assert head.title == "Is the candidate slower? No, and it needs less CPU time"
    assert [figure.label for figure in head.figures] == [
        "change of service time",
        "change of CPU per call",
        "measured at the same time",
    ]
    more = comparison_of(duet(cpu=1.2), OPTIONS)
    assert comparison_title(more) == "Is the candidate slower? It needs more CPU time"


def test_an_interval_beyond_the_cut_is_at_it() -> None:
    """Its ends and its point: nothing is drawn backwards."""
    chart = _chart(comparison_of(duet(cpu=6.0), OPTIONS))
    ends = {
        x: (low, y, high)
        for series in chart.series
        for x, low, y, high in zip(series.xs, series.low, series.ys, series.high, strict=True)
    }
    assert ends["CPU per call"] == (150.0, 150.0, 150.0)
