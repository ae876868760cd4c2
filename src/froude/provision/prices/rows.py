"""Rows of a table of prices as values in SI units; what is wrong with a row is noted, and the row left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

from froude.base.dropped import TOLERANCE
from froude.base.errors import InputError, nearest
from froude.provision.inputs.units import RANGES, Dimension
from froude.provision.prices.layouts import (
    FIELDS,
    TARIFFS,
    DiskPrice,
    InstanceType,
    Prices,
    TableKind,
    Tariff,
    VolumePrice,
    columns_of,
    kind_of,
    plain_name,
    regions_of,
)
from froude.provision.prices.tables import Malformed, Table, TableRow
from froude.provision.types import HOURS_PER_MONTH

GB, GIB, MIB, MEGABIT = 1e9, 2.0**30, 2.0**20, 1e6 / 8
X86, ARM = "x86_64", "arm64"
_ARCHITECTURES = {"amd64": X86, "x86_64": X86, "x86": X86, "arm64": ARM, "aarch64": ARM, "arm": ARM}
_MOST_CORES = 1e6
"""Of a server: beyond, the products of its rates are no rates."""
_DEFAULT_REGION = "us-east-1"
"""Of a table with columns per region, where none is asked for."""
_DOLLARS = {"", "USD", "US$", "$", "US DOLLAR", "US DOLLARS", "DOLLAR", "DOLLARS"}
"""What a column of a currency has, in capitals, where prices are in US dollars."""
_OTHER_PERIOD = re.compile(
    r"(?i).*(?:month|year|annual|minute|second|(?<![a-z])cents?(?![a-z])|daily|(?:per|/|_)[ _]?(?:day|mo|yr?)(?![a-z]))"
)
_OTHER_THAN_MONTH = re.compile(
    r"(?i).*(?:hour|year|annual|minute|second|(?<![a-z])cents?(?![a-z])|daily|(?:per|/|_)[ _]?(?:day|hr?|yr?)(?![a-z]))"
)
"""Titles of prices in cents, or of another time than an hour and a month."""
_USUAL = {
    "price": (2e-4, 2.0, "dollars an hour a core"),
    "memory": (2.0**26, 2.0**38, "bytes a core"),
    "network": (30 * MEGABIT, 4e6 * MEGABIT, "bytes a second"),
}
"""What the middle type of a table costs and has; for another unit the difference is larger."""
_LARGE = re.compile(
    r"(?i)(?:p|g|gr|f|u|x|inf|trn|dl|vt)[0-9-][a-z0-9-]*\.|(?:a[2-9]|g[2-9]|m[1-9])-|standard_[nm]"
)
"""Names of types of AWS, Google and Azure with accelerators, FPGAs or much memory."""
_MORE = 8.0
"""How many times the most of `_USUAL` those may have."""
_USUAL_VOLUME = (5e-4, 2.0)
"""Dollars a month of a GiB."""
_MEMORY_UNITS = {"mib": MIB, "gib": GIB, "gb": GB, "tib": 1024 * GIB}
_MEMORY = re.compile(r"(\d{1,6}(?:,\d{3})*(?:\.\d{1,9})?)\s*([MGT]iB|GB)", re.IGNORECASE | re.ASCII)
_DEVICES = re.compile(
    r"(?:[\d,]{1,9} GB )?\(?(\d{1,3})\s*[x*]\s*(\d{1,6}(?:\.\d{1,9})?)\b.*", re.IGNORECASE | re.ASCII
)
_GIGABIT = re.compile(r"(up to\s+)?(\d{1,9}(?:\.\d{1,9})?)\s*(gigabit|gbps|gpbs)", re.IGNORECASE | re.ASCII)


def read_prices(
    table: Table,
    *,
    mapping: Mapping[str, str] | None = None,
    region: str | None = None,
    tariff: Tariff = Tariff.ON_DEMAND,
) -> Prices:
    """The priced rows of a table.

    Args:
        table: of a kind that `kind_of` knows.
        mapping: field of `FIELDS` → column, for an instance table with other names.
        region: rows of other regions are passed over; needed where a table has several, unless its columns
            are of regions: then us-east-1 is the default, and said.
        tariff: how instance types are paid; volumes and disks have one price.

    Raises:
        InputError: of no known layout, a field is missing, or the region is.
    """
    _refuse_other_currencies(table)
    kind = kind_of(table, mapping)
    if kind is TableKind.VOLUMES:
        return _volumes(table, region)
    if kind is TableKind.DISKS:
        return _disks(table)
    return _instances(table, mapping or {}, region, tariff)


def _refuse_other_currencies(table: Table) -> None:
    """Refuse a table that says that its prices are not dollars."""
    columns = [column for column in table.columns if plain_name(column) in {"currency", "currencycode"}]
    found = {row.cells.get(column, "").upper() for row in table.rows for column in columns} - _DOLLARS
    if found:
        raise InputError(
            "has prices of another currency", file=table.file, found=", ".join(sorted(found)[:8]), allowed="USD",
            remedy="Keep the rows in dollars, or convert them",
        )  # fmt: skip


def _instances(table: Table, mapping: Mapping[str, str], region: str | None, tariff: Tariff) -> Prices:
    regions, said = regions_of(table), list[str]()
    if region is None and _DEFAULT_REGION in regions and len(regions) > 1 and "price_hour" not in mapping:
        region = _DEFAULT_REGION
        said.append(f"prices of {region} by default: --region chooses from {len(regions)}")
    elif regions:
        _known_region(table, regions, region)
    columns = columns_of(table, mapping, region or _DEFAULT_REGION, tariff)
    if not any(_MEMORY.fullmatch(row.cells.get(columns.get("memory", ""), "")) for row in table.rows):
        columns.pop("memory", None)
    _complete(table, columns, tariff)
    rows = [row for row in table.rows if region is None or row.cells.get("region", region) == region]
    instances: list[InstanceType] = []
    malformed, unpriced = list(table.malformed), []
    seen: dict[str, int] = {}
    for row in rows:
        name = row.cells.get(columns["name"], "")
        try:
            _named(name, "name", f"line {seen[name]}" if name in seen else None)
            instance = _instance(_Cells(row, columns), name)
            seen[name] = row.line
        except ValueError as error:
            malformed.append(Malformed(table.file, row.line, str(error)))
            continue
        if instance is None:
            unpriced.append(name)
        else:
            instances.append(instance)
    _refuse_several(table, columns, rows)
    _refuse_other_units(table, columns, mapping, instances)
    return Prices(tuple(instances), malformed=tuple(malformed), unpriced=tuple(unpriced), said=tuple(said))


def _named(name: str, column: str, before: str | None) -> None:
    """Refuse a row without a name of its own that can be written.

    Raises:
        ValueError: there is none, it stands elsewhere, or it has control characters.
    """
    if not name:
        raise ValueError(f"has no {column}")
    if not name.isprintable():
        raise ValueError(f"{column} cannot be printed, found {name[:40]!a}")
    if before is not None:
        raise ValueError(f"{name} stands on {before} already")


def _refuse_several(table: Table, columns: Mapping[str, str], rows: Sequence[TableRow]) -> None:
    """Refuse a table in which types have several prices, as of several operating systems: the first may be another."""
    costs: dict[str, dict[float, str]] = {}
    for row in rows:
        with suppress(ValueError):  # it is malformed, which is noted
            if (price := _Cells(row, columns).price()) is not None:
                paid = row.cells[columns.get("price_hour", columns.get("price_month", ""))]
                costs.setdefault(row.cells.get(columns["name"], ""), {}).setdefault(price, paid)
    several = {name: sorted(paid.values()) for name, paid in costs.items() if len(paid) > 1}
    if len(several) > TOLERANCE * len(rows):
        name, prices = next(iter(several.items()))
        remedy = "Keep one row of each type, such as those of one operating system"
        found = f"{name} at {' and '.join(prices[:2])}"
        raise InputError("has several prices of one type", file=table.file, found=found, remedy=remedy)


def _refuse_other_units(
    table: Table, columns: Mapping[str, str], mapping: Mapping[str, str], types: Sequence[InstanceType]
) -> None:
    """Refuse prices and memory of another unit than was named, as far as titles and the values by core show it.

    Of types with accelerators or much memory, more is usual. A column that has the name of its field, and is named by a
    person too, is not doubted.
    """
    usual = [each for each in types if not (each.gpu or _LARGE.match(each.name))]
    more = 1.0 if usual else _MORE
    types = usual or types
    paid = next(name for name in ("price_hour", "price_month") if name in columns)
    odd = _OTHER_PERIOD if paid == "price_hour" else _OTHER_THAN_MONTH
    found = {"price": f"column {columns[paid]}"} if odd.match(columns[paid]) else {}
    values = {
        "price": [each.price_hour / each.cpu for each in types],
        "memory": [each.memory / each.cpu for each in types],
        "network": [each.network for each in types if each.network is not None],
    }
    for name, (least, most, unit) in _USUAL.items():
        if values[name] and not least <= (middle := median(values[name])) <= most * more:
            found.setdefault(name, f"{middle:.3g} {unit}, half of the types more")
    sure = {
        field.split("_")[0] for field, column in mapping.items() if plain_name(column) == plain_name(field)
    }
    for name, text in found.items():
        if name in sure:
            continue
        names = [field for field in FIELDS if field.startswith(f"{name}_")]
        remedy = f"Convert it, or name what it is: {' or '.join(f'--column {field}=NAME' for field in names)}"
        remedy += f"; if it is right, call the column so and say it: --column {names[0]}={names[0]}"
        allowed = "{:.2g} to {:.2g} {}".format(*_USUAL[name])
        raise InputError(
            f"may have another unit for its {name}",
            file=table.file,
            found=text,
            allowed=allowed,
            remedy=remedy,
        )


def _known_region(table: Table, regions: Sequence[str], region: str | None) -> None:
    """Refuse a region that a table does not have, and none where it has several."""
    if region is None and len(regions) > 1:
        raise InputError(
            "has several regions",
            file=table.file,
            found=f"{len(regions)} of them",
            allowed="--region, one of " + ", ".join(regions[:60]),
        )
    if region is not None and region not in regions:
        raise InputError(
            f"has no region {region}{nearest(region, regions)}",
            file=table.file,
            place="--region",
            allowed=", ".join(regions[:60]),
        )


def _complete(table: Table, columns: Mapping[str, str], tariff: Tariff) -> None:
    """Refuse a table that lacks what no instance type can be without."""
    if tariff in TARIFFS and not {"price_hour", "price_month"} & columns.keys():
        raise InputError(
            f"has no prices of {tariff.value}",
            file=table.file,
            place="--tariff",
            allowed="a column " + " or ".join(n for names in TARIFFS[tariff].values() for n in names),
        )
    wanted = {
        "name": ("name",),
        "price_hour or price_month": ("price_hour", "price_month"),
        "cpu": ("cpu",),
        "memory_mib, memory_gib or memory_gb": ("memory_mib", "memory_gib", "memory_gb", "memory"),
    }
    missing = [said for said, fields in wanted.items() if not any(name in columns for name in fields)]
    if missing:
        raise InputError(
            f"has no column for {'; '.join(missing)}",
            file=table.file,
            place=1,
            found=f"columns {', '.join(table.columns[:40])}",
            allowed="; ".join(", ".join(FIELDS[said.split()[0].strip(",")][:6]) for said in missing),
            remedy=f"Say which it is: --column {missing[0].split()[0].strip(',')}=NAME",
        )


@dataclass(frozen=True, slots=True)
class _Cells:
    """The fields of a row."""

    row: TableRow
    columns: Mapping[str, str]

    def text(self, name: str) -> str:
        """Empty where there is no such column.

        Raises:
            ValueError: it cannot be printed, nor written to a catalog.
        """
        text = self.row.cells.get(self.columns.get(name, ""), "")
        if not text.isprintable():
            raise ValueError(f"{self.columns[name]} cannot be printed, found {text[:40]!a}")
        return text

    def number(self, name: str) -> float | None:
        """None where there is no such column, or nothing in it.

        Raises:
            ValueError: no number.
        """
        return self.row.number(self.columns[name]) if name in self.columns else None

    def price(self) -> float | None:
        """Dollars an hour.

        Raises:
            ValueError: no number.
        """
        if self.text("price_hour").upper().startswith("N/A"):
            return None
        hour, month = self.number("price_hour"), self.number("price_month")
        return month / HOURS_PER_MONTH if hour is None and month is not None else hour

    def memory(self) -> float | None:
        """Bytes.

        Raises:
            ValueError: no number.
        """
        for name, unit in (("memory_mib", MIB), ("memory_gib", GIB), ("memory_gb", GB)):
            value = self.number(name)
            if value is not None:
                return value * unit
        text = self.text("memory")
        match = _MEMORY.fullmatch(text)
        if text and match is None:
            raise ValueError(f"memory is not a size such as 16 GiB, found {text[:40]!r}")
        return None if match is None else float(match[1].replace(",", "")) * _MEMORY_UNITS[match[2].lower()]

    def local(self) -> tuple[float, int | None]:
        """Bytes of local storage, and its devices where the table says.

        Raises:
            ValueError: neither a number nor such as `2 x 800`.
        """
        names = ("local_gb", "local_device_gb", "local_count")
        for text in map(self.text, names):
            match = _DEVICES.fullmatch(text)
            if match is not None:
                return int(match[1]) * float(match[2]) * GB, int(match[1])
        if any("ebs" in self.text(name).lower() for name in names):  # as in "EBS only"
            return 0.0, None
        total, each, count = (self.number(name) for name in names)
        if total is None and each is not None:
            return each * (count or 0.0) * GB, int(count or 0)
        return (total or 0.0) * GB, None if not count else int(count)

    def network(self) -> tuple[float | None, float | None]:
        """Bytes per second that hold, and those "up to"; words such as `High` say nothing.

        Raises:
            ValueError: a number is not one.
        """
        gigabits = self.number("network_gbps")
        if gigabits:
            return gigabits * 1000 * MEGABIT, None
        text = self.text("network_mbps")
        match = _GIGABIT.fullmatch(text)
        if match is not None:
            rate = float(match[2]) * 1000 * MEGABIT
            return (None, rate) if match[1] else (rate, None)
        if not text or text[0].isalpha():
            return None, None
        megabits = self.number("network_mbps")
        return (megabits * MEGABIT if megabits else None), None


def _instance(cells: _Cells, name: str) -> InstanceType | None:
    """The type of a row; None when it has no price.

    Raises:
        ValueError: a cell is not what it should be.
    """
    cpu, memory, price = cells.number("cpu"), cells.memory(), cells.price()
    if not cpu or cpu != int(cpu):
        raise ValueError(f"cores are not a whole number of 1 or more, found {cells.text('cpu')!r}")
    if not memory:
        raise ValueError("has no memory")
    (local, devices), (network, burst) = cells.local(), cells.network()
    if max(memory, local) > RANGES[Dimension.SIZE][1]:
        raise ValueError(f"has more bytes than can be meant, found {max(memory, local):g}")
    if cpu > _MOST_CORES:
        raise ValueError(f"has more cores than can be meant, found {cpu:g}")
    volume, baseline = (cells.number(n) for n in ("ebs_mbps", "ebs_baseline_mbps"))
    iops, baseline_iops = (cells.number(n) for n in ("ebs_iops", "ebs_baseline_iops"))
    if not price:
        return None
    return InstanceType(
        name=name,
        family=_family(name, cells.text("family")),
        price_hour=price,
        cpu=int(cpu),
        memory=memory,
        local=local,
        devices=devices,
        network=network,
        network_burst=burst,
        volume=volume * MEGABIT if volume else None,
        volume_baseline=baseline * MEGABIT if baseline else None,
        volume_iops=iops or None,
        volume_iops_baseline=baseline_iops or None,
        baseline=cells.number("baseline_cpu"),
        generation=cells.text("generation"),
        arch=_arch(cells.text("arch")),
        manufacturer=cells.text("manufacturer").lower(),
        gpu=cells.text("gpu") not in {"", "0", "0.0"},
    )


def _family(name: str, said: str) -> str:
    """As the table says in one word, else what stands before the size."""
    if said and " " not in said:
        return said
    return name.split(".", maxsplit=1)[0] if "." in name else name.split("-", maxsplit=1)[0]


def _arch(said: str) -> str:
    words = said.lower().replace(",", " ").split()
    known = [_ARCHITECTURES[word] for word in words if word in _ARCHITECTURES]
    return known[-1] if known else said.lower().strip()


def _volumes(table: Table, region: str | None) -> Prices:
    regions = list(dict.fromkeys(row.cells["region"] for row in table.rows))
    _known_region(table, regions, region)
    rows = [row for row in table.rows if region is None or row.cells["region"] == region]
    priced, malformed, unpriced = _priced(table, rows, "class", "usd_per_gib_month")
    volumes = [VolumePrice(name, row.cells["region"], price) for name, (row, price) in priced.items()]
    middle = median(each.price_per_gib_month for each in volumes) if volumes else 1.0
    if not _USUAL_VOLUME[0] <= middle <= _USUAL_VOLUME[1]:
        found = f"{middle:.3g} dollars, half of the classes more"
        remedy = "Give dollars for a GiB and a month"
        raise InputError("may have another unit for its price", file=table.file, found=found, remedy=remedy)
    return Prices(volumes=tuple(volumes), malformed=malformed, unpriced=unpriced)


def _disks(table: Table) -> Prices:
    priced, malformed, unpriced = _priced(table, table.rows, "model", "price")
    disks = tuple(DiskPrice(model, price) for model, (_, price) in priced.items())
    return Prices(disks=disks, malformed=malformed, unpriced=unpriced)


def _priced(
    table: Table, rows: Iterable[TableRow], name_in: str, price_in: str
) -> tuple[dict[str, tuple[TableRow, float]], tuple[Malformed, ...], tuple[str, ...]]:
    """Rows with their prices by name, rows that cannot be read, names without a price."""
    priced: dict[str, tuple[TableRow, float]] = {}
    malformed, unpriced = list(table.malformed), []
    for row in rows:
        name = row.cells[name_in]
        try:
            price = row.number(price_in)
            _named(name, name_in, "a line above" if name in priced else None)
        except ValueError as error:
            malformed.append(Malformed(table.file, row.line, str(error)))
            continue
        if price:
            priced[name] = row, price
        else:
            unpriced.append(name)
    return priced, tuple(malformed), tuple(unpriced)
