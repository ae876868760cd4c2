"""Samples of utilisation of many files as one, whatever their layout."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from froude.base.columns import Column, Kind, convert
from froude.base.dates import with_second_passes
from froude.base.dropped import Dropped
from froude.base.errors import InputError, nearest
from froude.base.forms import Options
from froude.base.input_limits import check_limit
from froude.base.summary import counted
from froude.base.tables import Table, head_of, holds_rows, parts_of, read_table, refuse_known
from froude.harvest.telemetry.answers import is_answer, read_answer
from froude.harvest.telemetry.datacenter import Floats, Ints
from froude.harvest.telemetry.idle import of_servers
from froude.harvest.telemetry.layouts import KINDS, LAYOUTS, METRICS, OLDER_NAMES, OTHERS, WIDE
from froude.harvest.telemetry.parts import (
    COLLECTD,
    Part,
    alike,
    named_by_folder,
    of_collectd,
    one_name,
    refuse_copies,
    stem_of,
    taken,
    without_totals,
)
from froude.harvest.telemetry.plausible import (
    MODES,
    in_shares,
    marks,
    refuse_metric,
    refuse_names,
    refuse_odd,
    refuse_others,
    shares_factor,
)
from froude.harvest.telemetry.wide import STATISTICS, read_wide, servers_in_header

pc: Any = pyarrow.compute
_HEAD_BYTES = 1 << 18
_DAY = re.compile(r"([0-9]{4})([-_.]?)([0-9]{2})\2([0-9]{2})")
"""A folder's name that is a day."""
_SEVERAL = 20
"""Samples from which on more servers than half of them mean that another column is the server."""
_FEW = 5
"""Numbered servers that may all be whole tens by chance."""
_FITS = 0.9
"""Share of the lines of a table without a header that are of its layout."""
_OF_MODES = ("mode", "state")
"""Kinds that name what a processor does, or something of the server that does not matter."""
_UTC = re.compile(
    r"(?i)(?:(?:etc/)?(?:utc|gmt|uct|zulu|universal|greenwich))?[+-]?0*:?0*|z|coordinated universal time"
)
"""What a column of time zones calls UTC."""
_NOT_READ = {
    begin: (f"is {what}, not read here", remedy)
    for begin, (what, remedy) in {
        rb"(?:#.*\n)*[a-z_]+(?:,[^ =]+=[^ ]+)? [^ =]+=\S+ [0-9]{10,19}\s": (
            "InfluxDB's line protocol without usage_idle of cpu=cpu-total, in nanoseconds",
            "Ask for CSV: influx query --raw",
        ),
        rb'\s*\{\s*"sysstat"': ("JSON of sysstat", "Take sadf -d"),
        rb"\s*<\?xml ": ("XML", "Export CSV; of rrdtool, take the rows of fetch"),
        rb"AAA,": (
            "of nmon",
            "Take the column of idle time of CPU_ALL, and the times of ZZZZ; or use sar -u",
        ),
        rb"Linux .*\(.*\)\s": ("text of another tool of sysstat", "Take sar -u, or mpstat"),
        rb"top - ": ("text of top", "Take sar -u, or vmstat -t"),
        rb"procs -": (
            "text of vmstat without times, or of a zone other than UTC",
            "TZ=UTC vmstat -t; or --layout vmstat",
        ),
        rb"# (?:HELP|TYPE) ": ("what Prometheus scrapes", "Ask Prometheus: /api/v1/query_range"),
        rb'"?(?:pcp-)?[dD]stat ': ("of dstat", "Use sar -u; or take 100 minus idl and wai, with the times"),
        rb"\s*\S.*\n\s*\n[0-9]{10}: ": (
            "of rrdtool fetch",
            "Name its columns: time, value, with commas between",
        ),
    }.items()
}
"""By a regular expression of the beginning of what is known and not read, what it is and what to do."""
_ALL = {**LAYOUTS, **OTHERS}


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
    """Layouts, which column is what, and how servers are called where it is not plain."""

    @property
    def span_s(self) -> float:
        """Seconds from the first sample to the last, or to its end."""
        return float((self.time_s if self.end_s is None else self.end_s).max() - self.time_s.min())

    def by_server(self) -> Iterable[tuple[int, slice]]:
        """Sort the samples by server, and give the place of each server's."""
        order = np.argsort(self.server, kind="stable")
        self.server, self.time_s, self.share = self.server[order], self.time_s[order], self.share[order]
        self.end_s = None if self.end_s is None else self.end_s[order]
        bounds = np.searchsorted(self.server, np.arange(len(self.servers) + 1)).tolist()
        return [(number, slice(bounds[number], bounds[number + 1])) for number in range(len(self.servers))]


def read_samples(
    paths: Iterable[Path], options: Options, *, percent: bool | None = None, align_s: float = 0.0
) -> Samples:
    """Samples of all files.

    Args:
        paths: tables, or folders of tables; a table without a column of servers is one server, called after the file. In
            a folder, files without a row are left out, and only the first need have a header.
        options: layout, columns and style, where they are to be given.
        percent: whether utilisation counts to 100; None as the layout has it, and of values above 1.
        align_s: above 0, every file begins when the earliest does, moved by whole multiples of this, and the time that
            all files have is kept.

    Raises:
        InputError: a file cannot be read; too many of its lines are left out; its values may be percent or shares, or
            are no utilisation of servers.
    """
    options = replace(options, layout=OLDER_NAMES.get(options.layout, options.layout))
    if options.layout and options.layout not in _ALL:
        message = f"is not a layout{nearest(options.layout, _ALL)}"
        raise InputError(message, place="--layout", found=options.layout, allowed=", ".join(_ALL))
    tables, left = _tables(paths, options)
    parts = [_part(path, table, options) for path, table in tables]
    files = [part.path for part in parts]
    refuse_copies(parts)
    if align_s:
        parts = _aligned(parts, align_s)
    remarks = [f"left out: {', '.join(left)[:80]}"] if left else []
    remarks += named_by_folder(parts)
    parts, totals = without_totals(parts)
    remarks += totals
    file = str(files[0]) + (f", and {len(files) - 1:,} more" if len(files) > 1 else "")
    dropped = Dropped()
    for part in parts:
        dropped += part.dropped
    names = pa.chunked_array([part.names for part in parts]).unify_dictionaries().combine_chunks()
    servers, server = _sorted_names(names)
    remarks += alike(servers)
    if not (options.layout or "server" in options.columns):
        refuse_names(file, servers)
    cpu = np.concatenate([part.cpu for part in parts])
    invalid, missing = _invalid(parts, cpu)
    remarks += [f"{each:g} taken for a missing value" for each in missing]
    cpu[invalid] = np.nan
    if np.isnan(cpu).all():
        found = f"{counted(len(cpu), 'sample')} without a value"
        raise InputError("holds no value of utilisation", file=file, found=found)
    ends = [part.end_s for part in parts if part.end_s is not None]
    taken_s = np.concatenate([part.time_s for part in parts])
    time_s = with_second_passes(taken_s, server, options.style.zone)
    if time_s is not taken_s:
        remarks.append("the hour that a clock has twice is two")
    if not ends:
        refuse_odd(file, server, time_s, cpu)
    plain = any(part.layout.percent is None for part in parts)
    known = _in_percent(parts, cpu, percent)
    factor = shares_factor(file, cpu, known, plain=plain)
    low, high = _extremes(servers, server, cpu)
    if known is None and factor < 1 and (remark := in_shares(servers, low, high)):
        remarks.append(remark)
    if len(cpu) > _SEVERAL and (low == high).all() and low.min() < low.max():
        remarks.append("each server has one value: is it of another column?")
    understood = "; ".join(dict.fromkeys(part.understood for part in parts))
    understood += f", in {'percent' if factor < 1 else 'shares'}"
    return Samples(
        servers,
        server,
        time_s,
        cpu * factor,
        np.concatenate(ends) if len(ends) == len(parts) else None,
        int(invalid.sum()),
        len(cpu) + dropped.total,
        dropped,
        "; ".join([understood, *remarks]),
    )


def _invalid(parts: Sequence[Part], cpu: Floats) -> tuple[npt.NDArray[np.bool_], list[float]]:
    """Where values mark that there is none, as a layout has it, else as they show it; and the latter's values."""
    marked = np.concatenate([np.full(len(part.cpu), part.layout.marked) for part in parts])
    missing = marks(cpu[~marked])
    with np.errstate(invalid="ignore"):
        outside = (cpu < 0) | (cpu > 100)
    return np.where(marked, outside, np.isin(cpu, missing)), missing.tolist()


def _tables(paths: Iterable[Path], options: Options) -> tuple[list[tuple[Path, Table]], list[str]]:
    """Files and their rows; and the names of files in folders that have none.

    Raises:
        InputError: a file cannot be read, or none has a row.
    """
    given = list(paths)
    every = parts_of(given)
    files = of_collectd(every)
    tables = [(path, _table(path, options)) for path in files if path in given]
    folders: dict[Path, Table] = {}
    for path in (each for each in files if each not in given and holds_rows(each)):
        table = _table(path, options, empty=True, first=folders.get(path.parent))
        if len(table):
            tables.append((path, table))
            folders.setdefault(path.parent, table)
    read = {path for path, _ in tables}
    left = [path.name for path in files if path not in read]
    left += (
        [f"{counted(len(every) - len(files), 'other file')} of collectd"] if len(files) < len(every) else []
    )
    if not tables:
        raise InputError("has no table", file=files[0].parent, found=", ".join(left)[:80])
    return tables, left


def _extremes(servers: Sequence[str], server: Ints, value: Floats) -> tuple[Floats, Floats]:
    """The least and the largest value of each server, shape (servers,); NaN without a value."""
    low, high = np.full(len(servers), np.nan), np.full(len(servers), np.nan)
    np.fmin.at(low, server, value)
    np.fmax.at(high, server, value)
    return low, high


def _sorted_names(names: Any) -> tuple[list[str], Ints]:
    dictionary = names.dictionary.to_pylist()
    check_limit("nodes", len(dictionary), place="servers")
    order = sorted(range(len(dictionary)), key=dictionary.__getitem__)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    codes = np.asarray(names.indices.to_numpy(zero_copy_only=False))
    return [dictionary[number] for number in order], rank[codes]


def _in_percent(parts: Sequence[Part], cpu: Floats, percent: bool | None) -> bool | None:
    """Whether utilisation counts to 100; None if the values are to show it.

    Raises:
        InputError: the layouts do not agree.
    """
    known = {part.percent for part in parts} if percent is None else {percent}
    if len(known) > 1:
        names = ", ".join(dict.fromkeys(part.layout.form.name for part in parts))
        remedy = "Say what all count in: --scale; or read them apart"
        message = "are of layouts with percent and with shares"
        raise InputError(message, file=parts[0].path, found=names, remedy=remedy)
    ordered = percent is None and known == {True} and all(part.layout.form.order for part in parts)
    if ordered and np.nanmax(cpu) <= 1 and (np.nan_to_num(cpu) % 1).any():
        return None  # without a header it may be a table of another one, who counts in shares
    return known.pop()


def _part(path: Path, table: Table, options: Options) -> Part:
    _check_columns(path, table, options)
    layout, columns, stem = _ALL[table.form.name], dict(table.columns), stem_of(path)
    if collectd := COLLECTD.fullmatch(str(path.absolute())):
        stem = collectd["host"]
        columns |= {"idle": columns["cpu"]} if collectd["what"].endswith("idle") else {}
    if "field" in columns and columns["field"].dictionary.to_pylist() == ["usage_idle"]:
        del columns["field"]
        columns["idle"] = columns["cpu"]
    if layout is LAYOUTS["influx-line"]:
        columns["server"] = pc.replace_substring_regex(
            columns["server"].cast(pa.string()), r"\\(.)", r"\1"
        ).dictionary_encode()
    columns = of_servers(path, columns, options.style)
    time_s, understood = columns.get("time"), table.understood
    if "idle" in columns:
        understood += f" (100 - {' - '.join(name for name in ('idle', 'iowait') if name in columns)})"
    title = table.titles.get("cpu", "")
    understood += _metric(path, columns, title)
    refuse_others(str(path), title)
    _refuse_zones(path, columns, options)
    if time_s is None:
        start_s = _day_s(path, options)
        last = np.flatnonzero(np.isfinite(columns["cpu"]))[-1:] + 1  # behind it are blank lines
        columns["cpu"] = columns["cpu"][: int(last.sum())]
        time_s = (start_s or 0.0) + (table.lines[: len(columns["cpu"])] - 1).astype(
            np.float64
        ) * layout.step_s
        understood += "" if start_s is not None else ", times from 0 as its folder is not called after a day"
    names = columns.get("server")
    if names is None:
        names = one_name(stem, len(columns["cpu"]))
    end_s = columns["end"] if layout.added else None
    percent = True if "cpu" in table.percent or _of_unit(path, columns) else layout.percent
    stem = "" if "server" in columns else stem
    return Part(path, layout, names, time_s, columns["cpu"], end_s, table.dropped, understood, percent, stem)


def _table(path: Path, options: Options, *, empty: bool = False, first: Table | None = None) -> Table:
    """The rows of a table, which has some unless `empty`; `first` may have the header of both."""
    head = head_of(path, _HEAD_BYTES)
    if options.layout in OTHERS or (not options.layout and is_answer(head, options)):
        wide = read_wide(path, head, options) if options.layout == WIDE.form.name else None
        return read_answer(path, options) if wide is None else wide
    forms = [layout.form for layout in LAYOUTS.values()]
    try:
        table = read_table(path, forms, options, empty=empty)
        if not options.columns.keys() - {"time"} and not options.layout:
            # What is refused here is read below, where its columns are surely servers.
            _refuse_wide(path, head, table, options)
        return table
    except InputError:
        if first is not None and first.titles:
            places = replace(options, layout=first.form.name, columns=first.places)
            with suppress(InputError):
                if not (later := read_table(path, forms, places)).titles:
                    return later
        wide = None if options.layout or options.columns.keys() - {"time"} else read_wide(path, head, options)
        if wide is None and not options.layout:
            refuse_known(path, head, _NOT_READ)
        if wide is None:
            raise
        return wide


def _refuse_wide(path: Path, head: bytes, table: Table, options: Options) -> None:
    """Refuse a table without servers whose value is a statistic of columns that may be servers.

    Raises:
        InputError: it has such columns.
    """
    title = table.titles.get("cpu", "")
    if "server" in table.columns or title.lower() not in STATISTICS:
        return
    others = servers_in_header(head, options)
    if len(others) > 1:
        found = f"{title}, and {', '.join(others)[:60]}"
        remedy = f"Are those servers: --layout {WIDE.form.name}; or not: --column cpu={title}"
        raise InputError("may have a column for each server", file=path, found=found, remedy=remedy)


def _metric(path: Path, columns: Mapping[str, Any], title: str) -> str:
    """What a column of metrics says that the values are, in words; nothing without such a column.

    Args:
        title: of the values; where it is of CPUs, kinds describe the server.

    Raises:
        InputError: values are of several metrics.
    """
    said = ""
    for metric in (name for name in (*METRICS, *KINDS) if name in columns):
        names, codes, most = columns[metric].dictionary.to_pylist(), np.asarray(columns[metric].indices), 1
        if metric in _OF_MODES and not any(re.fullmatch(MODES, name.lower()) for name in names):
            continue  # such as the state of an alarm
        if (
            metric in KINDS and "server" in columns
        ):  # it may describe the server, and has one value for each then
            servers = np.asarray(columns["server"].indices, np.int64)
            codes, most = servers * len(names) + codes, len(columns["server"].dictionary)
        if len(np.unique(codes)) > most:
            found = f"{counted(len(names), 'value')} of {metric}, such as {names[0]!r} and {names[1]!r}"
            remedy = f"Keep the rows of one; or if it names servers: --column server={metric}"
            raise InputError("has several metrics", file=path, found=found, remedy=remedy)
        if len(names) == 1:
            if metric in METRICS or metric in _OF_MODES or "cpu" not in title.lower():
                refuse_metric(str(path), names[0], may_describe=metric in KINDS and metric not in _OF_MODES)
            said += f" of {metric} {names[0]!r}"
    return said


def _refuse_zones(path: Path, columns: Mapping[str, Any], options: Options) -> None:
    """Refuse a column of time zones, unless a person says which zone dates are of, or times do not depend on it.

    Raises:
        InputError: it has another zone than UTC.
    """
    zones = columns["zone"].dictionary.to_pylist() if "zone" in columns else []
    others = [zone for zone in zones if not _UTC.fullmatch(zone)]
    if others and str(options.style.zone) == "UTC":
        elsewhere = replace(options, style=replace(options.style, zone=ZoneInfo("Etc/GMT+1")))
        with suppress(InputError):
            if np.array_equal(_table(path, elsewhere).columns["time"], columns["time"]):
                return  # seconds, or dates with their offset
        remedy = "Say which its dates are of: --zone NAME; or write them with their offset from UTC"
        raise InputError("has a column of time zones", file=path, found=", ".join(others[:3]), remedy=remedy)


def _of_unit(path: Path, columns: Mapping[str, Any]) -> bool:
    """Whether a column of units says that values are in percent.

    Raises:
        InputError: it says something else.
    """
    every = columns["unit"].dictionary.to_pylist() if "unit" in columns else []
    units = {unit for unit in every if unit.lower() not in {"", "none", "1", "ratio", "share"}}
    others = sorted(unit for unit in units if unit.lower() not in {"%", "percent", "percentage", "pct"})
    if units and not others and not units.issuperset(filter(None, every)):
        others = sorted(filter(None, every))
    if others:
        found = f"unit {', '.join(others[:3])}"
        raise InputError("is not a utilisation", file=path, found=found, allowed="Percent")
    return bool(units)


def _check_columns(path: Path, table: Table, options: Options) -> None:
    """Refuse a table without a header whose columns fit by their kinds alone: another layout would be read as this one.

    Raises:
        InputError: servers never come again or are called as times; an average is not between the least and the largest
            value; records are of parts of a second.
    """
    columns, name = table.columns, table.form.name
    if "end" in columns and len(table) and np.median(columns["end"] - columns["time"]) < 1:
        found = f"records of {np.median(columns['end'] - columns['time']):g} s"
        remedy = "Say in what its times count, if not in microseconds: --date-format s or ms"
        raise InputError("may have times of another unit", file=path, found=found, remedy=remedy)
    if not table.form.order or not len(table):
        return
    servers = len(columns["server"].dictionary) if "server" in columns else 1
    if len(table) >= _SEVERAL and 2 * servers > len(table):
        found = f"{counted(servers, 'server')} in {counted(len(table), 'sample')}"
        raise InputError(
            f"is not of layout {name}: has another column for its server", file=path, found=found
        )
    numbers = columns["server"].dictionary.to_pylist() if "server" in columns else []
    if len(numbers) >= _FEW and not options.layout and all(re.fullmatch("[0-9]*0", each) for each in numbers):
        found = f"{counted(len(numbers), 'server')}, such as {numbers[0]} and {numbers[1]}"
        remedy = f"Name its columns: --column server=NUMBER; or the layout: --layout {name}"
        raise InputError("may have times for its servers", file=path, found=found, remedy=remedy)
    if "lowest" in columns:
        between = (columns["lowest"] <= columns["cpu"]) & (columns["cpu"] <= columns["highest"])
        if between.mean() < _FITS:
            found = f"{int((~between).sum()):,} of {counted(len(table), 'line')}"
            message = f"is not of layout {name}: the average is not between the least and the largest value"
            raise InputError(message, file=path, found=found)


def _day_s(path: Path, options: Options) -> float | None:
    """The day that the folder of a file is called after; None if it is not."""
    named = _DAY.fullmatch(path.absolute().parent.name)
    day = "" if named is None else "".join(named.group(1, 3, 4))
    found = convert(Column("day", kind=Kind.TIME), pa.array([day]), replace(options.style, dates="%Y%m%d"))
    return None if found.wrong[0] else float(found.values[0])


def _aligned(parts: Sequence[Part], slot_s: float) -> list[Part]:
    """Moved by whole slots to a common begin, and cut at the first end."""
    begins = [float(part.time_s.min()) for part in parts]
    moved = [
        part.time_s - (begin - min(begins)) // slot_s * slot_s
        for part, begin in zip(parts, begins, strict=True)
    ]
    end_s = min(float(times.max()) for times in moved)
    found = []
    for part, times in zip(parts, moved, strict=True):
        found.append(taken(replace(part, time_s=times), times <= end_s))
    return found
