"""What a report shows of a measurement: throughput over record size, and how far each model lies from it."""

from __future__ import annotations

from collections.abc import Mapping

from froude.base.units import size_text
from froude.provision.measure.measurement import Fit, Measurement, RecordSizeRow, error_text
from froude.provision.types import Op
from froude.render import (
    Axis,
    Block,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    TableOf,
    Text,
    Tone,
    Value,
    ValueKind,
)

_NAMES = {Op.READ: "reads", Op.WRITE: "writes"}
_MB = 1e6
_CURVE = 60
"""Points of a model's curve."""


def measurement_report(measurement: Measurement, facts: Mapping[str, str]) -> Report:
    """A page of one measurement."""
    said = [_verdict(fit) for fit in measurement.fits]
    tone = Tone.GOOD if measurement.steady else Tone.WARNING
    lede = " ".join(["All sizes settled." if measurement.steady else "The device did not settle.", *said])
    figures = tuple(figure for fit in measurement.fits for figure in _key(fit))
    rows: list[tuple[Value, ...]] = [(note,) for note in measurement.notes]
    opening: list[Block] = [Table((Column("What to know"),), rows)] if rows else []
    sections = (
        Section("Throughput over record size", (*opening, throughput_chart(measurement))),
        *(Section(f"The {_NAMES[fit.op]}", (fit_table(fit),)) for fit in measurement.fits),
        Section("How it was measured", (Text(_method(measurement)),)),
    )
    return Report(f"Rate and gap of {measurement.target}", "", lede, tone, figures, sections, facts)


def throughput_chart(measurement: Measurement) -> Chart:
    """Measured beside both models; one panel a direction."""
    series: list[Series] = []
    for fit in measurement.fits:
        panel, sizes = _NAMES[fit.op], [float(sample.record_size) for sample in fit.samples]
        spread = sizes[-1] / sizes[0]
        xs = [sizes[0] * spread ** (at / (_CURVE - 1)) for at in range(_CURVE)]
        series += [
            Series("measured", sizes, [sample.throughput / _MB for sample in fit.samples], panel),
            Series("rate and gap", xs, [fit.rate_gap.throughput(x) / _MB for x in xs], panel, dashed=True),
            Series("IOPS and rate", xs, [fit.iops_rate.throughput(x) / _MB for x in xs], panel, dashed=True),
        ]
    x = Axis("record size", ValueKind.BYTES, log=True)
    y = Axis("throughput", ValueKind.NUMBER, unit="MB/s", log=True)
    caption = "Rate and gap are fitted to all sizes; IOPS and rate come from the smallest and the largest."
    return Chart("Throughput over record size", x, y, tuple(series), ChartKind.LINE, (), caption)


def fit_table(fit: Fit) -> Table:
    """Every size: measured, and the error of each model."""
    return (
        TableOf[RecordSizeRow]()
        .words("Record", lambda row: size_text(row.sample.record_size))
        .number("Measured", lambda row: row.sample.throughput / _MB, "MB/s")
        .duration("Each", lambda row: row.sample.seconds)
        .words("Rate and gap", lambda row: error_text(row.error(row.rate_gap)))
        .words("Rate and gap of the ends", lambda row: error_text(row.error(row.ends)))
        .words("IOPS and rate", lambda row: error_text(row.error(row.iops_rate)))
        .words("Steady", lambda row: "yes" if row.sample.steady else "no")
        .of(
            fit.rows,
            f"Error of each model, {_NAMES[fit.op]}",
            note="Errors of the throughput; above zero the model promises too much.",
        )
    )


def _verdict(fit: Fit) -> str:
    """Where each model errs most, in a sentence."""
    rate_gap = max(fit.rows, key=lambda row: abs(row.error(row.rate_gap)))
    iops_rate = max(fit.rows, key=lambda row: abs(row.error(row.iops_rate)))
    return (
        f"{_NAMES[fit.op].capitalize()}: rate and gap err by {error_text(rate_gap.error(rate_gap.rate_gap))} at most "
        f"({size_text(rate_gap.sample.record_size)}), IOPS and rate by "
        f"{error_text(iops_rate.error(iops_rate.iops_rate))} ({size_text(iops_rate.sample.record_size)})."
    )


def _key(fit: Fit) -> tuple[KeyFigure, ...]:
    name = _NAMES[fit.op]
    return (
        KeyFigure(f"rate of {name}", fit.rate_gap.rate / _MB, ValueKind.NUMBER, "MB/s"),
        KeyFigure(f"gap of {name}", fit.rate_gap.gap, ValueKind.DURATION),
    )


def _method(measurement: Measurement) -> str:
    worn = {
        None: "Nothing was written.",
        True: "Written once, then at random until steady.",
        False: "Written once, then at random, which did not become steady.",
    }[measurement.preconditioned]
    direct = "past the page cache" if measurement.direct else "through the page cache"
    return (
        f"{worn} One record at a time, at random places of {size_text(measurement.region_bytes)}, {direct}, "
        f"in rounds of {measurement.round_s:g} s; each size counts with its last five."
    )
