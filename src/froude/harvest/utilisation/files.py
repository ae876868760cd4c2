"""Reads utilisation tables: CSV (plain or packed) and Parquet, with a header that names time and utilisation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from froude.base.errors import InputError
from froude.base.input_limits import check_csv, check_limit
from froude.base.packed import read_unpacked
from froude.harvest.utilisation.series import Scale, Telemetry

LIMIT_BYTES = 2 << 30
_LAST_S = 253_402_300_799.0
"""The end of the year 9999."""
_TIME = ("time", "timestamp", "time_s", "t")
_MACHINE = ("machine", "server", "host", "node", "instance")
_VALUE = ("utilisation", "utilization", "cpu", "value")


def read_telemetry(paths: Sequence[Path], *, scale: Scale | None = None, zone: tzinfo = UTC) -> Telemetry:
    """Utilisation series of all files together.

    A file without a column that names the machine is one machine, called after the file (the layout of
    CloudWatch exports: `timestamp,value`).

    Args:
        scale: percent or share; None tells it by the values, which must then say so.
        zone: of times without a zone.

    Raises:
        InputError: unreadable; a column is missing or is not what it should be; values out of range.
    """
    series: dict[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]] = {}
    for path in paths:
        for machine, (times, values) in _read(path, zone).items():
            if machine in series:
                raise InputError("holds a machine that another file has, too", file=path, found=machine)
            series[machine] = times, values
    factor = _factor(paths, [values for _, values in series.values()], scale)
    return Telemetry({machine: (times, values * factor) for machine, (times, values) in series.items()})


def _read(path: Path, zone: tzinfo) -> dict[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
    table, names = _table(path)
    time, value = _column(path, table, names, _TIME), _column(path, table, names, _VALUE)
    times = _times(path, time, zone)
    values = _numbers(path, value)
    machine = next((names[name] for name in _MACHINE if name in names), None)
    labels = (
        [str(x).strip() for x in table.column(machine).to_pylist()] if machine else [_stem(path)] * len(times)
    )
    order = np.argsort(times, kind="stable")
    by_label: dict[str, list[int]] = {}
    for row in order.tolist():
        by_label.setdefault(labels[row], []).append(row)
    return {label: (times[rows], values[rows]) for label, rows in by_label.items()}


def _table(path: Path) -> tuple[pa.Table, dict[str, str]]:
    """A table, and its columns by their names in lower case."""
    data = read_unpacked(path, limit_bytes=LIMIT_BYTES)
    try:
        if path.suffix == ".parquet":
            with pq.ParquetFile(pa.BufferReader(data)) as parquet:
                check_limit("columns", parquet.metadata.num_columns, file=path)
                check_limit("rows", parquet.metadata.num_rows, file=path)
                table = parquet.read()
        else:
            check_csv(data, path)
            text: Any = pa.BufferReader(data)
            table = pc.read_csv(text)
        table.validate(full=True)  # neither its names nor its texts need be Unicode
        names = {name.strip().lower(): name for name in table.column_names}
    except (OSError, pa.ArrowException, ValueError) as error:
        raise InputError("cannot be read", file=path, found=" ".join(str(error).split())) from error
    if not table.num_rows:
        raise InputError("holds no sample", file=path)
    return table, names


def _column(path: Path, table: pa.Table, names: dict[str, str], wanted: Sequence[str]) -> Any:
    name = next((names[name] for name in wanted if name in names), None)
    if name is None:
        columns = ", ".join(table.column_names[:10])
        raise InputError(f"has no column {wanted[0]}", file=path, found=columns, allowed=" or ".join(wanted))
    return table.column(name)


def _times(path: Path, column: Any, zone: tzinfo) -> npt.NDArray[np.float64]:
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        times = _numbers(path, column)
        if times.min() < 0 or times.max() > _LAST_S:
            span, allowed = f"{times.min():g} to {times.max():g}", "seconds since 1970"
            raise InputError("is no time", file=path, place="time", found=span, allowed=allowed)
        return times
    if not (pa.types.is_timestamp(column.type) or pa.types.is_string(column.type)):
        raise InputError("is no time", file=path, place="time", found=column.type, allowed="dates or seconds")
    try:
        moments: Iterable[Any] = column.to_pylist()
        return np.array([_seconds(moment, zone) for moment in moments], dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError("is no time", file=path, place="time", found=error) from error


def _seconds(moment: Any, zone: tzinfo) -> float:
    when = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return float((when if when.tzinfo else when.replace(tzinfo=zone)).timestamp())


def _numbers(path: Path, column: Any) -> npt.NDArray[np.float64]:
    try:
        values = np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
    except (pa.ArrowException, ValueError) as error:
        raise InputError("is not a number", file=path, found=" ".join(str(error).split())) from error
    if not np.isfinite(values).all():
        raise InputError("has empty values or values that are no numbers", file=path)
    return values


def _factor(paths: Sequence[Path], values: Sequence[npt.NDArray[np.float64]], scale: Scale | None) -> float:
    low, high = min(float(v.min()) for v in values), max(float(v.max()) for v in values)
    where = ", ".join(map(str, paths))
    if low < 0 or high > (1.0001 if scale is Scale.SHARE else 100.01):
        raise InputError(
            "is no utilisation", file=where, found=f"{low:g} to {high:g}", allowed="0 to 100 %, or 0 to 1"
        )
    if scale is None and high <= 1:
        raise InputError(
            "may be percent or shares",
            file=where,
            found=f"{low:g} to {high:g}",
            remedy="Say --telemetry-scale percent or share",
        )
    return 1.0 if scale is Scale.SHARE else 0.01


def _stem(path: Path) -> str:
    return path.name.split(".")[0]
