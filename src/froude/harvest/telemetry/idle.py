"""Utilisation from the idle time that tools of an operating system print, and times from days and clocks apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from froude.base.columns import Column, Kind, Style, convert
from froude.base.errors import InputError

pc: Any = pyarrow.compute
ALL = ("all", "-1", "cpu-total")
"""What tools call all processors of a server together."""
_ROUNDED = 0.015
"""Percent by which idle time and waiting may be above 100, since each is rounded to two digits."""
_HALF_A_DAY_S = 43_200.0
_NUMBERS = re.compile(r"([0-9]{2})[/.]([0-9]{2})[/.]([0-9]{2}|[0-9]{4})")
_YEAR_FIRST = re.compile(r"[0-9]{4}(\D)[0-9]{2}(\D)[0-9]{2}(\D?)")
_OF_CPU = re.compile(r"CPU\s+%usr?(?:er)?\s+%nice\s+%sys(?:tem)?\s+%iowait\s.*%idle\s*")
"""Titles of the columns that sar prints of processors; it has tables of something else with lines of `all`."""
_EVENT = re.compile(r"LINUX.RESTART|COM\s")
"""What it prints between the lines of a table."""


def of_servers(path: Path, columns: Mapping[str, Any], style: Style) -> dict[str, Any]:
    """The columns `time`, `server` and `cpu` of a table, whose `cpu` may be what is not idle.

    Args:
        columns: its columns by what they are; `idle` and `iowait` in percent; `day` and `hour` where a line has the day
            of those below it; and `processor`.

    Raises:
        InputError: it has processors without all of them together, or the day cannot be read.
    """
    found = dict(columns)
    if "hour" in found:
        found = _dated(path, found, style)
    if "processor" in found:
        names = found["processor"].dictionary.to_pylist()
        own = np.asarray(found["processor"].indices)
        together = np.isin(own, [code for code, name in enumerate(names) if name in ALL])
        apart = np.isin(own, [code for code, name in enumerate(names) if name and name not in ALL])
        servers = np.asarray(found["server"].indices) if "server" in found else np.zeros(len(own))
        alone = apart & ~np.isin(servers, servers[together])
        if alone.any():
            shown = ", ".join(dict.fromkeys(names[code] for code in np.unique(own[alone])[:3]))
            if "server" in found:
                shown += f" of {found['server'][int(np.argmax(alone))].as_py()}"
            remedy = f"Keep the rows of all together ({', '.join(ALL)}), or take the mean of them"
            raise InputError("has the processors of a server apart", file=path, found=shown, remedy=remedy)
        if together.any():
            found = _rows(found, together)
    if "idle" in found:
        waits = (np.nan_to_num(found[each]) for each in ("iowait", "before") if each in found)
        busy = 100.0 - found["idle"] - sum(waits, np.zeros(len(found["idle"])))
        found["cpu"] = np.where((busy < 0) & (busy > -_ROUNDED), 0.0, busy)
    return found


def _rows(columns: Mapping[str, Any], rows: npt.NDArray[np.bool_]) -> dict[str, Any]:
    return {
        what: values[rows] if isinstance(values, np.ndarray) else values.filter(pa.array(rows))
        for what, values in columns.items()
    }


def _dated(path: Path, columns: Mapping[str, Any], style: Style) -> dict[str, Any]:
    """The samples, with times from their clocks, and days and servers from the line that is last above each.

    Raises:
        InputError: there is no such line above one, or its day may be two.
    """
    day, hour, titles, server = (
        pc.cast(columns[what], pa.string()).to_numpy(zero_copy_only=False).astype(str)
        for what in ("day", "hour", "titles", "server")
    )
    numbers = np.arange(len(day))
    head = np.maximum.accumulate(np.where(day != "", numbers, -1))
    if head[0] < 0:
        remedy = "Give the whole output: its first line has the day"
        raise InputError("has no day above its first sample", file=path, found=hour[0], remedy=remedy)
    table = [row for row in np.flatnonzero(titles != "").tolist() if not _EVENT.match(titles[row])]
    of_cpu = day != ""  # a person may have cut off the titles
    of_cpu[[row for row in table if _OF_CPU.fullmatch(titles[row])]] = True
    last = np.maximum.accumulate(np.where(np.isin(numbers, table), numbers, head))
    samples = (day == "") & (titles == "") & of_cpu[last]
    if not samples.any():
        raise InputError("has no sample of all processors", file=path, allowed="what sar -u or mpstat prints")
    days = dict.fromkeys(day[day != ""].tolist())
    halves = hour[samples][0].endswith("M")
    dates = f"{_order(path, list(days), style, halves=halves)} {'%I:%M:%S %p' if halves else '%H:%M:%S'}"
    head = head[samples]
    texts = pa.array([f"{each} {time}" for each, time in zip(day[head], hour[samples], strict=True)])
    converted = convert(Column("time", kind=Kind.TIME), texts, replace(style, dates=dates))
    if converted.wrong.any():
        found = texts[int(np.argmax(converted.wrong))].as_py()
        raise InputError("has a line that is not of a time", file=path, found=found, allowed=dates)
    time_s = converted.values
    back = np.append(False, (np.diff(time_s) < -_HALF_A_DAY_S) & (np.diff(head) == 0))
    passed = np.cumsum(back) - np.cumsum(back)[np.searchsorted(head, head)]
    names = pa.array(server[head].tolist()).dictionary_encode()
    return {**_rows(columns, samples), "time": time_s + 86_400.0 * passed, "server": names}


def _order(path: Path, days: list[str], style: Style, *, halves: bool) -> str:
    """The format of days: of 03/04/2026 it is not known which is the month, unless its clock has a.m. and p.m.

    Those of 03/04/26 are of India too, where the day is first.

    Raises:
        InputError: it is not known.
    """
    if style.dates:
        return style.dates
    signs = [match.groups() for match in map(_YEAR_FIRST.fullmatch, days) if match]
    if len(signs) == len(days) and len(set(signs)) == 1:
        return "%Y{}%m{}%d{}".format(*signs[0])
    parts = [match for match in map(_NUMBERS.fullmatch, days) if match]
    month_first = any(int(each[2]) > 12 for each in parts)
    day_first = any(int(each[1]) > 12 for each in parts)
    if halves and not day_first:
        month_first |= all(len(each[3]) == 4 for each in parts)
    if len(parts) < len(days) or month_first == day_first:
        remedy = "Say how it is written: --date-format '%m/%d/%Y', or '%d/%m/%Y'; %y for a year of two digits"
        raise InputError("may have another day", file=path, place=1, found=days[0], remedy=remedy)
    between = days[0][2]
    year = "%Y" if len(parts[0][3]) == 4 else "%y"
    return between.join(("%m", "%d", year) if month_first else ("%d", "%m", year))
