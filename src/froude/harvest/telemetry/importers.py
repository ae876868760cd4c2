"""Utilisation tables of others → a Datacenter: CSV by a mapping of columns, with presets for known layouts."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import polars as pl

from froude.base.errors import InputError
from froude.base.input_limits import check_csv
from froude.base.packed import read_unpacked
from froude.base.summary import counted
from froude.harvest.telemetry.clean import Cleaned, on_slots
from froude.harvest.telemetry.correlation import Together, together
from froude.harvest.telemetry.datacenter import Datacenter, Floats, Ints, Reimages

LIMIT_BYTES = 8 << 30
LONGEST_SLOT_S = 86400.0
_LONGEST_SLOTS = 366 * 720
"""Slots of a year of two minutes: more is a mistake in a time."""
_SPARSE, _FEW_CELLS = 1000, 2_000_000
"""Cells of the grid of tenants and slots for each sample, and how many there may be of any number of samples."""
_MOST_SERVERS = 1_000_000
_LOOKED_AT = 50
"""Servers by which the time between samples is known."""
_INVALID = 101.0
"""The largest that published traces write where a value is invalid."""
_YEAR_FIRST = r"^\d{4}[-/]"
_QUOTED = re.compile(rb'"[^"\n]*"')


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a table of samples has what is needed."""

    columns: Mapping[str, str]
    """`time`, `cpu`, and `server` unless a file is one server: names, or numbers from 0 in a table without a header."""
    header: bool = True
    percent: bool = True
    """Whether utilisation counts to 100, not to 1."""
    fixed: bool = False
    """Whether its columns are those of a published trace, in which servers have names."""
    marked: bool = False
    """Whether a value below 0 or above 100 stands for an invalid one."""


def _columns(**names: str) -> Mapping[str, str]:
    return MappingProxyType(names)


LAYOUTS = {
    "csv": Layout(_columns(time="time", server="server", cpu="cpu")),
    "cloudwatch": Layout(_columns(time="timestamp", cpu="value")),
    "bitbrains": Layout(_columns(time="Timestamp [ms]", cpu="CPU usage [%]")),
    "azure": Layout(_columns(time="0", server="1", cpu="4"), header=False, fixed=True, marked=True),
    "alibaba": Layout(_columns(server="0", time="1", cpu="2"), header=False, fixed=True, marked=True),
}
"""Presets: `azure` is a vm_cpu_readings file of the Azure traces, `alibaba` machine_usage of the 2018 trace, `bitbrains`
a VM of fastStorage or Rnd, whose times are seconds whatever its header reads."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a table of servers says of each."""

    tenant: Mapping[str, str]
    environment: Mapping[str, str]
    """By tenant."""
    rack: Mapping[str, str]


def read_samples(
    paths: Sequence[Path],
    layout: Layout,
    *,
    slot_s: float,
    name: str,
    inventory: Inventory | None = None,
    align: bool = False,
) -> tuple[Datacenter, Cleaned]:
    """Samples of servers as a Datacenter.

    Args:
        paths: tables; in a layout without `server` each is one server, called after the file.
        layout: where they have what is needed.
        slot_s: length of a slot; the mean of a server's samples in it counts.
        inventory: tenants, environments and racks; without it each server is a tenant and an environment of its own.
        align: every table begins when the earliest does, and the time that all of them have is kept: for series that
            were recorded at different times. Hours of the day are then those since each began.

    Returns:
        The datacenter, and what was cleaned.

    Raises:
        InputError: a table cannot be read, lacks a column, has a value that is none, or spans too long a time.
    """
    if not 1 <= slot_s <= LONGEST_SLOT_S:
        raise InputError("is out of range", place="slot", found=slot_s, allowed="1 s to 1 day")
    tables = [_samples(path, layout) for path in paths]
    if align:
        tables = _aligned(tables, slot_s)
    samples = pl.concat(tables)
    start_s = float(np.floor(_least(samples["time"]) / slot_s) * slot_s)
    slots = int((float(samples["time"].max()) - start_s) // slot_s) + 1  # type: ignore[arg-type]
    if slots > _LONGEST_SLOTS:
        found = f"{slots * slot_s / 86400:,.0f} days in slots of {slot_s:g} s"
        raise InputError(
            "spans too long a time", file=paths[0], found=found, allowed=f"{_LONGEST_SLOTS} slots"
        )
    servers = samples["server"].unique().sort().to_list()
    frame = _Frame(servers, inventory or _alone(servers))
    _refuse_sparse(len(samples), len(frame.tenants), slots, paths[0])
    total = np.zeros((len(frame.tenants), slots))
    seen = np.zeros((len(frame.tenants), slots), np.int32)
    cleaned = Cleaned()
    for server, times, shares in _by_server(samples):
        series, found_wrong = on_slots(times, shares, start_s=start_s, slot_s=slot_s, slots=slots)
        cleaned += found_wrong
        there = ~np.isnan(series)
        row = frame.tenant_of[server]
        total[row, there] += series[there]
        seen[row] += there
    cleaned = replace(cleaned, apart_s=_apart_s(samples, servers[:_LOOKED_AT]))
    with np.errstate(invalid="ignore"):
        utilisation = (total / seen).astype(np.float32)
    return replace(frame.datacenter(utilisation, name), slot_s=slot_s, start_s=start_s), cleaned


def _refuse_sparse(samples: int, tenants: int, slots: int, path: Path) -> None:
    """Refuse a grid of tenants and slots that hardly any sample is in: one wrong time makes it, and it fills memory."""
    if tenants * slots > max(_SPARSE * samples, _FEW_CELLS):
        found = f"{counted(samples, 'sample')} for {counted(tenants, 'tenant')} in {slots:,} slots"
        remedy = "Look for a time that is wrong, or give a longer --slot"
        raise InputError("spans too long a time for its samples", file=path, found=found, remedy=remedy)


def read_inventory(path: Path) -> Inventory:
    """A table with columns `server` and `tenant`, and if it has them `environment` and `rack`.

    Raises:
        InputError: unreadable, without one of the first two, with a server twice, or a tenant in two environments.
    """
    table = _table(path, header=True)
    _require(path, table, ("server", "tenant"))
    servers = table["server"].to_list()
    if None in servers or len(set(servers)) != len(servers):
        counts = Counter(servers)
        twice = next((each for each in servers if each is None or counts[each] > 1), None)
        raise InputError("has a server twice, or without a name", file=path, found=twice)
    tenants = table["tenant"].to_list()
    if not all(tenants):
        number = next(number for number, each in enumerate(tenants) if not each)
        raise InputError("has a server without a tenant", file=path, found=servers[number])
    environment: dict[str, str] = {}
    if "environment" in table.columns:
        for tenant, own in zip(tenants, table["environment"].to_list(), strict=True):
            if environment.setdefault(tenant, own or tenant) != (own or tenant):
                raise InputError("has a tenant in two environments", file=path, found=tenant)
    racks = table["rack"].to_list() if "rack" in table.columns else []
    return Inventory(
        dict(zip(servers, tenants, strict=True)),
        environment or {tenant: tenant for tenant in tenants},
        {server: rack for server, rack in zip(servers, racks, strict=False) if rack},
    )


def with_reimages(datacenter: Datacenter, path: Path) -> tuple[Datacenter, int]:
    """The datacenter with the wipes that a table with columns `server` and `time` lists.

    Returns:
        It, and how many lines name a server that it does not have; they are left out.

    Raises:
        InputError: unreadable, or a time is none.
    """
    table = _table(path, header=True)
    _require(path, table, ("server", "time"))
    times = _times(path, table["time"])
    number = {server: n for n, server in enumerate(datacenter.servers)}
    known = [
        (time_s, number[server])
        for time_s, server in zip(times, table["server"], strict=True)
        if server in number
    ]
    known.sort()
    reimages = Reimages(
        np.array([server for _, server in known], np.int32),
        np.array([time_s - datacenter.start_s for time_s, _ in known], np.float64),
    )
    return replace(datacenter, reimages=reimages), len(times) - len(known)


def read_failures(path: Path) -> tuple[Together, int]:
    """How the failures of a table with columns `server`, `rack` and `time` come together, by rack and day.

    Args:
        path: the table; may be packed.

    Returns:
        That, and how many lines were read.

    Raises:
        InputError: unreadable, without a column, or without a server or rack somewhere.
    """
    table = _table(path, header=True)
    _require(path, table, ("server", "rack", "time"))
    number = {}
    for name in ("server", "rack"):
        if table[name].null_count():
            row = int(table[name].is_null().arg_max() or 0)
            raise InputError(f"names no {name}", file=path, place=f"line {row + 2}")
        number[name] = table[name].rank("dense").cast(pl.Int64).to_numpy()
    day = (_times(path, table["time"]) // 86400).astype(np.int64)
    return together(number["server"], number["rack"], day), len(table)


def _aligned(tables: Sequence[pl.DataFrame], slot_s: float) -> list[pl.DataFrame]:
    """Moved by whole slots to a common begin, and cut at the first end."""
    earliest = min(_least(table["time"]) for table in tables)
    moved = [
        table.with_columns(pl.col("time") - (_least(table["time"]) - earliest) // slot_s * slot_s)
        for table in tables
    ]
    end_s = min(float(table["time"].max()) for table in moved)  # type: ignore[arg-type]
    return [table.filter(pl.col("time") <= end_s) for table in moved]


class _Frame:
    """Tenants, environments and racks of servers, numbered by their names."""

    def __init__(self, servers: Sequence[str], inventory: Inventory) -> None:
        if len(servers) > _MOST_SERVERS:
            raise InputError("are too many servers", found=len(servers), allowed=f"{_MOST_SERVERS}")
        missing = [server for server in servers if server not in inventory.tenant]
        if missing:
            raise InputError(
                "does not name every server",
                place="inventory",
                found=f"{missing[0]}, and {len(missing) - 1} more",
            )
        self.servers = servers
        owner = [inventory.tenant[server] for server in servers]
        self.tenants = sorted(set(owner))
        numbers = {tenant: n for n, tenant in enumerate(self.tenants)}
        self.tenant_of = {server: numbers[tenant] for server, tenant in zip(servers, owner, strict=True)}
        environment = [inventory.environment[tenant] for tenant in self.tenants]
        self.environments = sorted(set(environment))
        self.tenant_environment = _numbered(environment, self.environments)
        racks = [inventory.rack.get(server) for server in servers]
        self.rack = _numbered(racks, sorted({rack for rack in racks if rack is not None}))

    def datacenter(self, utilisation: np.ndarray, name: str) -> Datacenter:
        return Datacenter(
            tenants=self.tenants,
            tenant_environment=self.tenant_environment,
            environments=self.environments,
            servers=self.servers,
            server_tenant=np.array([self.tenant_of[server] for server in self.servers], np.int32),
            server_rack=self.rack,
            utilisation=utilisation,
            name=name,
        )


def _numbered(names: Sequence[str | None], order: Sequence[str]) -> Ints:
    numbers = {name: n for n, name in enumerate(order)}
    return np.array([-1 if name is None else numbers[name] for name in names], np.int32)


def _alone(servers: Sequence[str]) -> Inventory:
    own = {server: server for server in servers}
    return Inventory(own, own, {})


def _by_server(samples: pl.DataFrame) -> Iterator[tuple[str, Floats, Floats]]:
    for (server,), part in samples.group_by("server"):
        yield str(server), part["time"].to_numpy(), part["cpu"].to_numpy()


def _apart_s(samples: pl.DataFrame, servers: Sequence[str]) -> float:
    """Median time between two samples of some servers that have a value; 0 where none has two."""
    some = samples.filter(pl.col("cpu").is_not_nan() & pl.col("server").is_in(servers))
    valued = some.unique(["server", "time"]).sort("server", "time")
    gaps = valued.select(pl.col("time").diff().over("server"))["time"]
    return float(gaps.median() or 0.0)  # type: ignore[arg-type]


def _samples(path: Path, layout: Layout) -> pl.DataFrame:
    """Columns `server`, `time` in seconds, `cpu` as a share, NaN where empty."""
    table = _table(path, header=layout.header)
    names = {what: _named(path, table, name) for what, name in layout.columns.items()}
    cpu = table[names["cpu"]]
    empty = cpu.is_null() | cpu.str.to_lowercase().is_in(["nan", "null", "na", "-"])
    numbers = cpu.cast(pl.Float64, strict=False)
    wrong = (numbers.is_null() & ~empty) | numbers.is_infinite().fill_null(value=False)
    if wrong.any():
        row, place = _first(wrong, layout)
        allowed = "a number with a decimal point (not a comma) and without a unit, or nothing"
        raise InputError("is no utilisation", file=path, place=place, found=cpu[row], allowed=allowed)
    if layout.fixed:
        _check_fixed(path, table, names, numbers)
    if layout.marked:
        numbers = numbers.set(((numbers < 0) | (numbers > 100)).fill_null(value=False), None)
    shares = numbers.fill_null(float("nan")) / (100.0 if layout.percent else 1.0)
    server = table[names["server"]] if "server" in names else pl.Series([path.name.split(".")[0]] * len(cpu))
    if server.null_count():
        raise InputError("names no server", file=path, place=_first(server.is_null(), layout)[1])
    times = _times(path, table[names["time"]], first=2 if layout.header else 1)
    return pl.DataFrame({"server": server.cast(pl.String), "time": times, "cpu": shares})


def _check_fixed(path: Path, table: pl.DataFrame, names: Mapping[str, str], numbers: pl.Series) -> None:
    """In another order of columns a table without a header would be read without a word: a time as a server."""
    server = table[names["server"]]
    is_number = server.cast(pl.Float64, strict=False).is_not_null()
    for what, column, wrong, allowed in (
        ("server", server, is_number, "a name"),
        ("cpu", table[names["cpu"]], (numbers > _INVALID).fill_null(value=False), f"at most {_INVALID:g}"),
    ):
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            message = f"is of another layout: column {table.columns.index(names[what])} is not the {what}"
            remedy = "Say which columns they are: --column"
            raise InputError(
                message, file=path, place=f"line {row + 1}", found=column[row], allowed=allowed, remedy=remedy
            )


def _table(path: Path, *, header: bool) -> pl.DataFrame:
    """Texts without blanks around them, by which tables are joined; None for an empty one."""
    data = read_unpacked(path, limit_bytes=LIMIT_BYTES)
    head = _QUOTED.sub(b"", data[: data.find(b"\n") + 1] or data)
    # Numbers with decimal commas are in tables with another separator.
    separator = next((each for each in ";\t" if each.encode() in head), ",")
    check_csv(data, path, separator)
    try:
        table = pl.read_csv(io.BytesIO(data), has_header=header, infer_schema=False, separator=separator)
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise InputError("is no table", file=path, found=str(error).splitlines()[0][:200]) from error
    if header:
        table = table.rename({name: name.strip() for name in table.columns}, strict=False)
    if not len(table):
        raise InputError("holds no line", file=path)
    return table.with_columns(pl.all().str.strip_chars().replace("", None))


def _named(path: Path, table: pl.DataFrame, name: str) -> str:
    if name.isascii() and name.isdecimal() and name not in table.columns:
        if int(name) < len(table.columns):
            return str(table.columns[int(name)])
    elif name in table.columns:
        return name
    raise InputError("has no such column", file=path, found=name, allowed=", ".join(table.columns[:20]))


def _require(path: Path, table: pl.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        _named(path, table, name)


def _times(path: Path, column: pl.Series, *, first: int = 2) -> Floats:
    """Seconds: numbers as they are, dates since 1970 in UTC unless they say a zone."""
    numbers = column.cast(pl.Float64, strict=False)
    if numbers.null_count():
        moments = column.str.to_datetime(time_unit="ms", time_zone="UTC", strict=False)
        numbers = moments.dt.epoch("ms").cast(pl.Float64) / 1000
        # Of 3/4/2026 nobody can say which is the month.
        numbers = numbers.set(~column.str.contains(_YEAR_FIRST).fill_null(value=False), None)
    wrong = numbers.is_null() | ~numbers.is_finite() | (numbers.abs() > 1e11)
    if wrong.fill_null(value=True).any():
        row = int(wrong.fill_null(value=True).arg_max() or 0)
        raise InputError(
            "is no time",
            file=path,
            place=f"line {row + first}",
            found=column[row],
            allowed="seconds, or a date as 2026-01-31 23:59:00",
        )
    return numbers.to_numpy()


def _first(wrong: pl.Series, layout: Layout) -> tuple[int, str]:
    """The row that is wrong first, and its line in the file."""
    row = int(wrong.arg_max() or 0)
    return row, f"line {row + (2 if layout.header else 1)}"


def _least(column: pl.Series) -> float:
    return float(column.min())  # type: ignore[arg-type]
