"""Tables with a column a server, as Grafana and spreadsheets write them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import numpy as np
import pyarrow as pa

from froude.base.columns import Column, Kind
from froude.base.dates import titled_unit
from froude.base.errors import InputError
from froude.base.forms import Form, Options, cells_of, separator_of
from froude.base.summary import counted
from froude.base.tables import Table, read_table
from froude.harvest.telemetry.layouts import ADDRESSES, KINDS, METRICS, SERVERS, SHARES, TIMES, USAGES, WIDE
from froude.harvest.telemetry.plausible import refuse_others

_HEADER_LINES = 50
"""Among which the header is."""
_SHOWN = 3
_MEASURED = (
    "cpu|core|load|mem|swap|disk|dev|dm|sd[a-z]|x?vd[a-z]|nvme|eth|ens|[rt]x|req|err|lat|rate|util|usage|idle|bytes?|"
    "temp|fan|value|val|col|p(?=[0-9]{2})|user|users|system|sys|steal|nice|irq|softirq|guest|wait|iowait|io|iops|used|free|"
    "available|cached|buffers?|count|total|avg|mean|max|min|packets|reads|writes|time|uptime|processes"
)
"""Words of what is measured; those below are beginnings of words."""
_BEGUN = "memory|network|temperature|request|latenc|error|queue|connection|heap|thread|session|throughput|traffic|perc"
_SERVER = re.compile(
    rf"(?i)(?!.*(?<![a-z])(?:(?:{_MEASURED})(?![a-z])|{_BEGUN}))(?!.*%)(?![0-9]{{1,2}}$).*[0-9]"
)
"""Titles of columns that are names of servers, rather than what was measured of one."""


STATISTICS = frozenset({"average", "avg", "mean", "value", "max", "min", "total"})
"""Titles of a column that may be of the other columns, in lower case."""
_INDEX = re.compile("(?i)unnamed: ?[0-9]+|index|level_[0-9]+")
"""Titles of the numbers of rows, as pandas writes them."""
_LABELS = {"label": ("label",), "fulllabel": ("label",), "timeseriesid": ("instancename", "instanceid")}
"""By the first cell of what the consoles of CloudWatch and of Google's Monitoring write, the lines that name servers."""
_FROM_BROWSER = r"^(?P<value>[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9]{4} [0-9:]{8} GMT[+-][0-9]{4})"
"""A date as browsers write it, and its zone in words behind it."""
_PERFMON = re.compile(r"\(PDH-[CT]SV 4\.0\)(?: \(.*\)\((?P<west_min>-?[0-9]+)\))?")
"""The title of the times that Windows' Performance Monitor and typeperf write, with minutes from local time to UTC."""
_PROCESSOR = re.compile(
    r"(?i)\\\\([^\\]+)\\(?:Processor(?: Information)?|Physical Cpu)\(_Total\)\\% Processor (?:Time|Utility)"
)
"""The title of one of their counters, or of esxtop's, that is taken; others are not."""


def read_wide(path: Path, head: bytes, options: Options) -> Table | None:
    """The samples of a table with times in one column and a server in each other one.

    Args:
        head: how it begins, unpacked.
        options: how it is written; its columns may name that of the times.

    Returns:
        Columns `time`, `server` and `cpu`, of shape (lines times servers,); None if the table is of another form, and no
        person says that it is of this one.

    Raises:
        InputError: its columns may as well be what was measured of one server; it cannot be read.
    """
    named = options.layout == WIDE.form.name
    times = {*map(_plain, TIMES), _plain(options.columns.get("time", "time"))}
    above = _labels(path, head)
    cells = _named_by(above) or _header(head, options.separator, times)
    at = next((number for number, cell in enumerate(cells) if _is_time(cell, times)), 0)
    titles = {cell: number for number, cell in enumerate(cells) if cell and number != at}
    statistics = [title for title in titles if title.lower() in STATISTICS or _INDEX.fullmatch(title)]
    if len(list(filter(_SERVER.match, titles))) > 1:
        for title in statistics:
            del titles[title]
    else:
        statistics = []
    perfmon = _PERFMON.fullmatch(cells[0]) if cells else None
    if perfmon:
        titles = {
            counter[1]: number for number, cell in enumerate(cells) if (counter := _PROCESSOR.fullmatch(cell))
        }
        options = replace(options, style=replace(options.style, dates="%m/%d/%Y %H:%M:%S"))
        if perfmon["west_min"]:
            options = replace(options, style=replace(options.style, zone=UTC))
    sure = named or bool(perfmon) or all(map(_SERVER.match, titles))
    if not named and (
        not titles or not (_OTHERS.isdisjoint(map(_plain, titles)) and (sure or len(titles) > 1))
    ):
        return None
    if not titles or (not perfmon and len(titles) + len(statistics) < len(cells) - 1 - cells.count("")):
        found, allowed = ", ".join(cells)[:80], "a time, and names of servers that differ"
        raise InputError("has another header", file=path, place=1, found=found, allowed=allowed)
    if all("idle" in title.lower() for title in titles):
        refuse_others(str(path), next(iter(titles)))
    numbers = [Column(title, kind=Kind.NUMBER, empty=True) for title in titles]
    ignored = "|".join(f'"?{re.escape(row[0])}"?,.*' for row in above)
    time = Column("time", kind=Kind.TIME, within=_FROM_BROWSER, titled=True)
    form = Form(WIDE.form.name, (time, *numbers), ignored=ignored)
    if above and re.search(f"(?m){_FROM_BROWSER}", head.decode("utf-8", "replace")):
        options = replace(options, style=replace(options.style, dates="%a %b %d %Y %H:%M:%S GMT%z"))
    places = {"time": str(at), **{title: str(number) for title, number in titles.items()}}
    try:
        table = read_table(path, [form], replace(options, layout="", columns=places))
    except InputError:
        if sure:
            raise
        return None
    shown = ", ".join([*map(repr, list(titles)[:_SHOWN]), *(["…"] if len(titles) > _SHOWN else [])])
    if not sure:
        message = "may have a server in each column, or what was measured of one"
        remedy = "Say so with --layout wide, or name the column of the utilisation: --column cpu=NAME"
        raise InputError(message, file=path, found=shown, remedy=remedy)
    table.columns["time"] += 60 * int((perfmon and perfmon["west_min"]) or 0)
    of_time = f"column {at}" if above else repr(cells[at])
    understood = f"wide (time in {of_time}, {counted(len(titles), 'server')} in columns {shown})"
    understood += f", without {', '.join(map(repr, statistics))}" if statistics else ""
    return _long(replace(table, understood=understood), list(titles))


def _long(table: Table, titles: list[str]) -> Table:
    """A row for each sample, of a table with a column for each server."""
    codes = np.repeat(np.arange(len(titles), dtype=np.int32), len(table))
    columns = {
        "time": np.tile(table.columns["time"], len(titles)),
        "server": pa.DictionaryArray.from_arrays(codes, pa.array(titles)),
        "cpu": np.concatenate([table.columns[title] for title in titles]),
    }
    percent = frozenset({"cpu"}) if table.percent >= set(titles) else frozenset[str]()
    return replace(table, columns=columns, lines=np.tile(table.lines, len(titles)), percent=percent)


def _labels(path: Path, head: bytes) -> list[list[str]]:
    """The cells of the lines above the samples that a console writes; none of other tables.

    Raises:
        InputError: a unit among them is not that of a utilisation.
    """
    found: list[list[str]] = []
    for line in head.decode("utf-8-sig", "replace").splitlines()[:_HEADER_LINES]:
        row = cells_of(line, ",") or [""]
        name = _plain(row[0])
        if not (found or name in _LABELS) or name[:1].isdigit() or re.match(_FROM_BROWSER, row[0]):
            break
        found.append(row)
        if name == "unit" and (others := sorted({*row[1:]} - {"Percent", ""})):
            units = f"unit {', '.join(others)}"
            raise InputError("is not a utilisation", file=path, found=units, allowed="Percent")
    return found


def _named_by(above: list[list[str]]) -> list[str]:
    """The line that names servers, among those of a console; else the first, if there is one."""
    names = _LABELS[_plain(above[0][0])] if above else ()
    return [*(row for name in names for row in above if _plain(row[0]) == name), *above, []][0]


def servers_in_header(head: bytes, options: Options) -> list[str]:
    """Titles of a table's header that are names of servers, where another one is that of the times."""
    times = {*map(_plain, TIMES), _plain(options.columns.get("time", "time"))}
    return list(filter(_SERVER.match, _header(head, options.separator, times)))


def _header(head: bytes, separator: str, times: set[str]) -> list[str]:
    """The cells of the first line that has a name of the times; none without it."""
    lines = head.decode("utf-8-sig", "replace").split("\n")[:-1]
    for line in lines[:_HEADER_LINES]:
        cells = cells_of(line, separator or separator_of(line))
        if any(_is_time(cell, times) or _PERFMON.fullmatch(cell) for cell in cells):
            return cells
    return []


def _is_time(title: str, times: set[str]) -> bool:
    return not times.isdisjoint({_plain(title), titled_unit(_plain(title))[0]})


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


_OTHERS = frozenset(map(_plain, (*SERVERS, *ADDRESSES, *SHARES, *METRICS, *KINDS, *USAGES)))
"""Names of columns of a table that is not of this form."""
