"""Samples of utilisation of many files as one, whatever their layout."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from froude.base.columns import LATEST_S, Column, Kind, convert
from froude.base.dropped import Dropped
from froude.base.errors import InputError
from froude.base.files import open_regular
from froude.base.forms import Options
from froude.base.input_limits import check_limit
from froude.base.packed import read_unpacked, unpacked
from froude.base.summary import counted
from froude.base.tables import Table, parts_of, read_table
from froude.harvest.telemetry.datacenter import Floats, Ints
from froude.harvest.telemetry.layouts import LAYOUTS, OLDER_NAMES, PROMETHEUS, Layout

_LIMIT_BYTES, _HEAD_BYTES = 2 << 30, 4096
_FEWEST_ABOVE = 0.02
"""Share of values above 1 from which on they are percent: of shares, few are above 1 by mistake."""
_DAY = "%Y%m%d"
_SEVERAL = 20
"""Samples from which on more servers than half of them mean that another column is the server."""
_MOST_ODD = 0.1
"""Share of samples that may be duplicates of a server's, or below 0; with more another column is meant."""
_LABELS = ("instance", "server", "host", "hostname", "node", "nodename", "machine", "pod", "name")
"""Labels of Prometheus that name a server, in the order in which they count."""


@dataclass(slots=True)
class Samples:
    """Samples of servers, in the order in which they were read."""

    servers: list[str]
    """Their names, ascending."""
    server: Ints
    """Shape (n,): number of the server of each sample."""
    time_s: Floats
    """Shape (n,)."""
    share: Floats
    """Shape (n,): 0 to 1 where right; NaN where the table has no value."""
    end_s: Floats | None
    """Shape (n,): end of each record of a layout whose records add up; else None."""
    invalid: int
    """Values that stand for an invalid one; their samples have no value."""
    lines: int
    dropped: Dropped
    understood: str
    """Layouts, and which column is what."""

    def by_server(self) -> Iterable[tuple[int, slice]]:
        """Sort the samples by server, and give the place of each server's."""
        order = np.argsort(self.server, kind="stable")
        self.server, self.time_s, self.share = self.server[order], self.time_s[order], self.share[order]
        self.end_s = None if self.end_s is None else self.end_s[order]
        bounds = np.searchsorted(self.server, np.arange(len(self.servers) + 1)).tolist()
        return [(number, slice(bounds[number], bounds[number + 1])) for number in range(len(self.servers))]


@dataclass(slots=True)
class _Part:
    """The samples of one file."""

    path: Path
    layout: Layout
    names: Any
    """pyarrow dictionary array, shape (n,)."""
    time_s: Floats
    cpu: Floats
    end_s: Floats | None
    dropped: Dropped
    understood: str


def read_samples(
    paths: Iterable[Path], options: Options, *, percent: bool | None = None, align_s: float = 0.0
) -> Samples:
    """Samples of all files.

    Args:
        paths: tables, or folders of tables; a table without a column of servers is one server, called after the file.
        options: layout, columns and style, where they are to be given.
        percent: whether utilisation counts to 100; None as the layout has it, and of values above 1.
        align_s: above 0, every file begins when the earliest does, moved by whole multiples of this, and the time that
            all files have is kept.

    Raises:
        InputError: a file cannot be read; too many of its lines are left out; its values may be percent or shares.
    """
    options = replace(options, layout=OLDER_NAMES.get(options.layout, options.layout))
    parts = [_part(path, options) for path in parts_of(paths)]
    if align_s:
        parts = _aligned(parts, align_s)
    if all(bool(np.isnan(part.cpu).all()) for part in parts):
        found = counted(sum(len(part.cpu) for part in parts), "sample") + " without a value"
        raise InputError("holds no value of utilisation", file=parts[0].path, found=found)
    dropped = Dropped()
    for part in parts:
        dropped += part.dropped
    names = pa.chunked_array([part.names for part in parts]).unify_dictionaries().combine_chunks()
    servers, server = _sorted_names(names)
    cpu = np.concatenate([part.cpu for part in parts])
    marked = np.concatenate([np.full(len(part.cpu), part.layout.marked) for part in parts])
    with np.errstate(invalid="ignore"):
        invalid = marked & ((cpu < 0) | (cpu > 100))
    cpu[invalid] = np.nan
    with np.errstate(invalid="ignore"):
        negative = int((cpu < 0).sum())
    if negative > _MOST_ODD * len(cpu):
        found = f"{negative:,} of {counted(len(cpu), 'sample')} below 0"
        remedy = "Name the column of its utilisation: --column cpu=NAME"
        raise InputError(
            "has another column for its utilisation", file=parts[0].path, found=found, remedy=remedy
        )
    ends = [part.end_s for part in parts if part.end_s is not None]
    factor = _factor(parts, cpu, percent)
    understood = "; ".join(dict.fromkeys(part.understood for part in parts))
    understood += f", in {'percent' if factor < 1 else 'shares'}"
    return Samples(
        servers,
        server,
        np.concatenate([part.time_s for part in parts]),
        cpu * factor,
        np.concatenate(ends) if len(ends) == len(parts) else None,
        int(invalid.sum()),
        len(cpu) + dropped.total,
        dropped,
        understood,
    )


def _sorted_names(names: Any) -> tuple[list[str], Ints]:
    dictionary = names.dictionary.to_pylist()
    check_limit("nodes", len(dictionary), place="servers")
    order = sorted(range(len(dictionary)), key=dictionary.__getitem__)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    codes = np.asarray(names.indices.to_numpy(zero_copy_only=False))
    return [dictionary[number] for number in order], rank[codes]


def _factor(parts: Sequence[_Part], cpu: Floats, percent: bool | None) -> float:
    """By which values become shares.

    Raises:
        InputError: neither the layout nor the values show it.
    """
    known = {part.layout.percent for part in parts} if percent is None else {percent}
    if len(known) > 1:
        names = ", ".join(dict.fromkeys(part.layout.form.name for part in parts))
        raise InputError("are of layouts with percent and with shares", file=parts[0].path, found=names)
    (in_percent,) = known
    if in_percent is None:
        known_values = cpu[np.isfinite(cpu)]
        above = int((known_values > 1).sum())
        if not above or above < _FEWEST_ABOVE * len(known_values):
            remedy = "Say which it is: --scale share, or --scale percent"
            most = f"no value above {float(np.max(known_values)):g}"
            found = f"{above:,} of {counted(len(known_values), 'value')} above 1" if above else most
            raise InputError("may have percent or shares", file=parts[0].path, found=found, remedy=remedy)
        in_percent = True
    return 0.01 if in_percent else 1.0


def _part(path: Path, options: Options) -> _Part:
    if options.layout == PROMETHEUS.form.name or (not options.layout and _is_range_query(path)):
        return _range_query(path, options)
    if options.layout and options.layout not in LAYOUTS:
        allowed = ", ".join([*LAYOUTS, PROMETHEUS.form.name])
        raise InputError("is not a layout", place="--layout", found=options.layout, allowed=allowed)
    table = read_table(path, [layout.form for layout in LAYOUTS.values()], options)
    layout = LAYOUTS[table.form.name]
    columns = table.columns
    names = columns.get("server")
    if names is None:
        own = pa.array([_stem(path)]).dictionary_encode().dictionary
        names = pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(table), np.int32), pa.int32()), own)
    time_s = columns["time"] if "time" in columns else _times_by_line(path, table, layout)
    if "server" not in columns:
        _refuse_several(path, time_s)
    _check_columns(path, table)
    end_s = columns["end"] if layout.added else None
    return _Part(path, layout, names, time_s, columns["cpu"], end_s, table.dropped, table.understood)


def _check_columns(path: Path, table: Table) -> None:
    """Refuse a table without a header whose columns fit by their kinds alone: another layout would be read as this one.

    Raises:
        InputError: servers never come again, or an average is not between the least and the largest value.
    """
    columns, name = table.columns, table.form.name
    if not table.form.order or not len(table):
        return
    servers = len(columns["server"].dictionary) if "server" in columns else 1
    if len(table) >= _SEVERAL and 2 * servers > len(table):
        found = f"{counted(servers, 'server')} in {counted(len(table), 'sample')}"
        raise InputError(
            f"is not of layout {name}: has another column for its server", file=path, found=found
        )
    if "lowest" in columns:
        between = (columns["lowest"] <= columns["cpu"]) & (columns["cpu"] <= columns["highest"])
        if between.mean() < 1 - _MOST_ODD:
            found = f"{int((~between).sum()):,} of {counted(len(table), 'line')}"
            message = f"is not of layout {name}: the average is not between the least and the largest value"
            raise InputError(message, file=path, found=found)


def _refuse_several(path: Path, time_s: Floats) -> None:
    """Refuse a table without a column of servers whose times come again, as those of several servers do."""
    again = len(time_s) - len(np.unique(time_s))
    if again > _MOST_ODD * len(time_s):
        found = f"{again:,} of {counted(len(time_s), 'sample')} at the time of another one"
        remedy = "Name the column of its servers: --column server=NAME"
        raise InputError(
            "has samples of several servers and no column that names them",
            file=path,
            found=found,
            remedy=remedy,
        )


def _stem(path: Path) -> str:
    """A server's name by its file: without what names a form or a packing."""
    name = path.name
    while (suffix := Path(name).suffix.lower()) in {
        ".csv",
        ".txt",
        ".tsv",
        ".gz",
        ".zst",
        ".lz4",
        ".bz2",
        ".parquet",
    }:
        name = name[: -len(suffix)]
    return name or path.name


def _times_by_line(path: Path, table: Table, layout: Layout) -> Floats:
    """Times of a layout that has none: a line a step, from the day on that its folder is called after."""
    day = convert(
        Column("day", kind=Kind.TIME), pa.array([path.parent.name]), replace(Options().style, dates=_DAY)
    )
    start_s = 0.0 if day.wrong[0] else float(day.values[0])
    times: Floats = start_s + (table.lines - 1).astype(np.float64) * layout.step_s
    return times


def _aligned(parts: Sequence[_Part], slot_s: float) -> list[_Part]:
    """Moved by whole slots to a common begin, and cut at the first end."""
    begins = [float(part.time_s.min()) for part in parts]
    moved = [
        part.time_s - (begin - min(begins)) // slot_s * slot_s
        for part, begin in zip(parts, begins, strict=True)
    ]
    end_s = min(float(times.max()) for times in moved)
    found = []
    for part, times in zip(parts, moved, strict=True):
        kept = times <= end_s
        names = part.names.filter(pa.array(kept))
        found.append(replace(part, names=names, time_s=times[kept], cpu=part.cpu[kept]))
    return found


def _is_range_query(path: Path) -> bool:
    with open_regular(path) as raw, unpacked(raw, path) as stream:
        head = stream.read(_HEAD_BYTES).lstrip()
    return (head[:1] == b"{" and (b'"resultType"' in head or b'"status"' in head[:40])) or (
        head[:1] == b"[" and b'"metric"' in head
    )


def _range_query(path: Path, options: Options) -> _Part:
    """The JSON of Prometheus' query_range: a series a server, named by a label.

    Raises:
        InputError: not that, or two series of one server.
    """
    try:
        document = json.loads(read_unpacked(path, limit_bytes=_LIMIT_BYTES))
        document = (
            {"result": document} if isinstance(document, list) else document
        )  # of a tool that shows series alone
        data = document.get("data", document)
        kind, result = data.get("resultType", "matrix"), data["result"]
        metrics = [dict(each["metric"]) for each in result]
        series = [[(float(time), str(value)) for time, value in each.get("values", ())] for each in result]
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError, OverflowError) as error:
        found = " ".join(str(error).split())[:80]
        raise InputError(
            "is not the answer to a range query of Prometheus", file=path, found=found
        ) from error
    if kind != "matrix" or not any(series):
        found = f"{kind}, {len(series)} series"
        raise InputError("has no series of a range query", file=path, found=found, allowed="matrix")
    check_limit("rows", sum(map(len, series)), file=path)
    label = _label(path, metrics, options.columns.get("server"))
    names = [str(metric.get(label, "")) for metric, pairs in zip(metrics, series, strict=True) for _ in pairs]
    times = np.array([time for pairs in series for time, _ in pairs], np.float64)
    if not (np.abs(times) <= LATEST_S).all():
        raise InputError("has a time that is not one", file=path, allowed="seconds since 1970")
    texts = pa.array([value for pairs in series for _, value in pairs], pa.string())
    values = convert(Column("cpu", kind=Kind.NUMBER, empty=True), texts, options.style).values
    understood = f"prometheus (server in label {label!r})" if label else "prometheus"
    encoded = pa.array(names, pa.string()).dictionary_encode()
    return _Part(path, PROMETHEUS, encoded, times, values, None, Dropped(), understood)


def _label(path: Path, metrics: Sequence[Mapping[str, Any]], given: str | None) -> str:
    """The label that names a server.

    Raises:
        InputError: there is none, or it does not tell the series apart.
    """
    present = {label for metric in metrics for label in metric}
    label = given or next((each for each in _LABELS if each in present), "")
    names = [metric.get(label, "") for metric in metrics]
    if len(set(names)) < len(names) or (len(names) > 1 and "" in names):
        query = f"avg by ({label or 'instance'}) (...)"
        remedy = f"Ask for one series a server: {query}; or name the label: --column server=LABEL"
        found = f"{len(names)} series with {len(set(names))} values of {label or 'a label of servers'}"
        raise InputError(
            "has several series of one server", file=path, found=found, allowed=", ".join(sorted(present)) or None,
            remedy=remedy,
        )  # fmt: skip
    return label
