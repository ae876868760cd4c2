"""A page of a measurement: its figures, not its drawing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.measure.figures import fit_table, measurement_report, throughput_chart
from froude.provision.measure.measurement import Sample, fit
from froude.provision.types import Op
from froude.render import Table, Tone, report_dict
from tests.support.provision.measure.documents import measurement

pytest.importorskip("scipy")


def test_the_page_says_which_model_holds() -> None:
    """Where IOPS and rate err most, and that rate and gap do not."""
    page = measurement_report(measurement(), {"Seed": "0"})
    assert "Reads: rate and gap err by +0.0% at most" in page.lede
    assert "IOPS and rate by +57.8% (1MiB)" in page.lede
    assert page.tone is Tone.GOOD
    assert [figure.label for figure in page.figures] == [
        "rate of reads",
        "gap of reads",
        "rate of writes",
        "gap of writes",
    ]
    assert report_dict(page)["title"] == "Rate and gap of /dev/sdx"


def test_both_models_are_drawn_over_what_was_measured() -> None:
    """Three series a direction; the curves meet the points at the ends."""
    chart = throughput_chart(measurement())
    assert len(chart.series) == 6
    measured, rate_gap, iops_rate = chart.series[:3]
    for curve in (rate_gap, iops_rate):
        assert curve.xs[0] == measured.xs[0]
        assert curve.xs[-1] == pytest.approx(measured.xs[-1])
        assert curve.ys[-1] == pytest.approx(measured.ys[-1])


def test_the_table_has_each_size() -> None:
    """With the errors as shares and whether it was steady."""
    table = fit_table(fit(Op.READ, [Sample(4096, 1e-3, steady=False), Sample(1 << 20, 2e-3)]))
    assert [row[0] for row in table.rows] == ["4KiB", "1MiB"]
    assert [row[-1] for row in table.rows] == ["no", "yes"]


def test_a_restless_device_is_a_warning() -> None:
    """First of all the page says that the numbers are of the moment; names are shown as they are."""
    page = measurement_report(replace(measurement(), preconditioned=False, notes=("a *b*",)), {})
    assert page.tone is Tone.WARNING
    assert page.lede.startswith("The device did not settle.")
    notes = page.sections[0].blocks[0]
    assert isinstance(notes, Table)
    assert notes.rows == [("a *b*",)]
