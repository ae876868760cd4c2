"""A measurement as documents: JSON with everything, and a `storage_unit` in YAML for the inputs of `compile`.

What fio cannot know (price, bus, watts) stays `blank` unless it is given, and `check` names every blank with its
line: a guess of ours would pass for a fact.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from froude.base.units import size_text
from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures
from froude.documents.migrate import Migrations
from froude.documents.reading import STAMP
from froude.provision.inputs.blanks import BLANK
from froude.provision.inputs.units import Dimension, show
from froude.provision.inputs.yaml_form import MIGRATIONS as INPUT_MIGRATIONS
from froude.provision.measure.measurement import Fit, Measurement, RecordSizeRow
from froude.provision.types import Op

MIGRATIONS = Migrations("measurement", 1)
_DIGITS = 4
"""Of rates and gaps in the unit: what rounds of seconds can carry."""
_OPS = {Op.READ: "read", Op.WRITE: "write"}


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """What a catalog says of a unit and no measurement can; None is left blank."""

    name: str
    capacity: float | None = None
    """Bytes."""
    bus: str | None = None
    price: float | None = None
    """Dollars."""
    power: float | None = None
    volatile: bool = False


def measurement_document(measurement: Measurement) -> dict[str, Any]:
    """All of a measurement, as JSON takes it; seconds and bytes."""
    return {
        STAMP: MIGRATIONS.stamp,
        "target": measurement.target,
        "status": "steady" if measurement.steady else "not steady",
        "region_bytes": measurement.region_bytes,
        "capacity_bytes": measurement.capacity,
        "direct": measurement.direct,
        "durable": measurement.durable,
        "round_seconds": measurement.round_s,
        "preconditioned": measurement.preconditioned,
        "notes": list(measurement.notes),
        **{_OPS[fit.op]: _fit_document(fit) for fit in measurement.fits},
    }


def measurement_json(measurement: Measurement, origin: Origin | None = None) -> str:
    """The text of the document, with its lineage.

    Args:
        origin: how it came to be; None for a lineage that says nothing of it.
    """
    return dump_sealed_figures(MIGRATIONS, measurement_document(measurement), origin or Origin())


def unit_yaml(measurement: Measurement, facts: UnitFacts) -> str:
    """An input file with one `storage_unit`, ready but for its blanks.

    Args:
        measurement: of one target; its rates and gaps are rounded to four digits.
    """
    capacity = facts.capacity if facts.capacity is not None else measurement.capacity
    quoted = json.dumps(facts.name, ensure_ascii=False)
    bus = None if facts.bus is None else json.dumps(facts.bus, ensure_ascii=False)
    rows = [
        _field("capacity", None if capacity is None else size_text(int(capacity)), "such as 500GB"),
        "bus:  # the servers' bus that it takes a slot of, such as SAS" if bus is None else f"bus: {bus}",
        *_speeds(measurement, Op.READ, "R"),
        *_speeds(measurement, Op.WRITE, "W"),
        f"volatile: {int(facts.volatile)}",
        _field("price", _plain(facts.price, Dimension.DOLLARS), "dollars"),
        _field("power", _plain(facts.power, Dimension.POWER), "such as 5W; or without this line"),
    ]
    head = "".join(f"# {line}\n" for line in _remarks(measurement))
    body = "".join(f"      {row}\n" for row in rows)
    top = f"{STAMP}: {INPUT_MIGRATIONS.stamp}\nresources:\n  storage_unit:\n"
    return f"{head}{top}    - name: {quoted}\n{body}"


def _speeds(measurement: Measurement, op: Op, letter: str) -> list[str]:
    fit = measurement.fit_of(op)
    rate = None if fit is None else show(_rounded(fit.rate_gap.rate), Dimension.RATE)
    gap = None if fit is None else show(_rounded(fit.rate_gap.gap), Dimension.TIME)
    return [
        _field(f"rate{letter}", rate, "not measured; such as 90MBps"),
        _field(f"gap{letter}", gap, "not measured; such as 8ms"),
    ]


def _field(name: str, value: str | None, hint: str) -> str:
    return f"{name}: {BLANK}  # {hint}" if value is None else f"{name}: {value}"


def _plain(value: float | None, dimension: Dimension) -> str | None:
    return None if value is None else show(value, dimension)


def _remarks(measurement: Measurement) -> list[str]:
    """What stands above the unit; text of others on one line each, so that none ends the comment."""
    state = "" if measurement.steady else "; it did not settle, so take the numbers with care"
    lines = [
        f"Measured on {size_text(measurement.region_bytes)} of {measurement.target}{state}.",
        *measurement.notes,
    ]
    return [" ".join(line.split()) for line in lines]


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _fit_document(fit: Fit) -> dict[str, Any]:
    return {
        "rate": fit.rate_gap.rate,
        "gap": fit.rate_gap.gap,
        "iops": fit.iops_rate.iops,
        "iops_rate": fit.iops_rate.rate,
        "steady": fit.steady,
        "sizes": [_row_document(row) for row in fit.rows],
    }


def _row_document(row: RecordSizeRow) -> dict[str, Any]:
    sample = row.sample
    return {
        "record_bytes": sample.record_size,
        "seconds": sample.seconds,
        "bytes_per_second": sample.throughput,
        "records": sample.records,
        "steady": sample.steady,
        "rounds_seconds": list(sample.rounds),
        "rate_gap": {"bytes_per_second": row.rate_gap, "error": row.error(row.rate_gap)},
        "rate_gap_of_ends": {"bytes_per_second": row.ends, "error": row.error(row.ends)},
        "iops_rate": {"bytes_per_second": row.iops_rate, "error": row.error(row.iops_rate)},
    }
