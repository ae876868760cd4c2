"""What kind of table a header makes it, and its rows as values in SI units.

A layout is recognised by its columns alone. A name that is not known, or one whose unit the name does not tell, is
mapped by hand (`--column FIELD=NAME`): units are never guessed, except in a layout that is known whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from froude.base.errors import InputError, nearest
from froude.provision.prices.tables import Malformed, Table


class TableKind(Enum):
    """What the rows are."""

    INSTANCES = "instance types"
    VOLUMES = "attached volumes"
    DISKS = "disks"


FIELDS: dict[str, tuple[str, ...]] = {
    "name": ("instance_type", "machine_type", "api_name", "instance_name", "instance", "type", "name"),
    "price_hour": (
        "od_usd_h",
        "usd_h",
        "od_usd_hour",
        "usd_per_hour",
        "price_hour",
        "price_usd_h",
        "hour",
        "on_demand_hourly_rate",
        "on_demand_linux_pricing",
        "linux_on_demand_cost",
        "pricing.{region}.linux.ondemand",
    ),
    "price_month": ("usd_per_month", "price_month", "month"),
    "cpu": ("cpu", "cpus", "vcpu", "vcpus", "cores", "virtual_cpus"),
    "memory": ("memory", "instance_memory", "ram"),
    "memory_mib": ("memory_mib", "mem_mib", "ram_mib"),
    "memory_gib": ("memory_gib", "mem_gib", "ram_gib"),
    "memory_gb": ("memory_gb", "mem_gb", "ram_gb"),
    "local_gb": (
        "local_nvme",
        "local_nvme_gb",
        "local_gb",
        "local_ssd_gb",
        "disk_total_gb",
        "instance_storage",
        "storage",
    ),
    "local_count": ("disk_count", "disks", "devices", "storage_devices", "storage.devices"),
    "local_device_gb": ("disk_gb", "disk_size_gb", "device_gb", "storage_size_gb", "storage.size"),
    "network_mbps": ("network_bandwidth", "network_mbps", "network_performance", "network"),
    "network_gbps": ("network_gbps", "egress_gbps", "bandwidth_gbps"),
    "ebs_mbps": ("ebs_bandwidth", "ebs_mbps", "ebs_max_mbps", "ebs_max_bandwidth"),
    "ebs_baseline_mbps": ("ebs_baseline_bandwidth", "ebs_baseline_mbps"),
    "ebs_iops": ("ebs_iops", "ebs_max_iops"),
    "ebs_baseline_iops": ("ebs_baseline_iops",),
    "baseline_cpu": ("base_performance", "baseline_cpu"),
    "family": ("family", "series"),
    "generation": ("generation",),
    "arch": ("arch", "architecture"),
    "manufacturer": ("cpu_manufacturer", "manufacturer", "cpu_vendor"),
    "gpu": ("gpu_name", "gpu", "gpus", "gpu_count"),
}
"""Fields of an instance table → names of columns that are it, whatever their case and underscores."""


class Tariff(Enum):
    """How instance types are paid."""

    ON_DEMAND = "on-demand"
    RESERVED_1Y = "reserved-1y"
    RESERVED_3Y = "reserved-3y"
    SPOT = "spot"

    @property
    def years(self) -> int:
        """For which they must be paid."""
        return {"reserved-1y": 1, "reserved-3y": 3}.get(self.value, 0)


_LINUX = "pricing.{region}.linux."
TARIFFS: dict[Tariff, dict[str, tuple[str, ...]]] = {
    Tariff.RESERVED_1Y: {
        "price_hour": (
            "reserved_1y_usd_h",
            *(f"{_LINUX}reserved.yrTerm1Standard.{paid}" for paid in ("noUpfront", "partialUpfront")),
            f"{_LINUX}reserved.yrTerm1Standard.allUpfront",
        ),
        "price_month": ("month_1y", "usd_per_month_1y"),
    },
    Tariff.RESERVED_3Y: {
        "price_hour": (
            "reserved_3y_usd_h",
            *(f"{_LINUX}reserved.yrTerm3Standard.{paid}" for paid in ("noUpfront", "partialUpfront")),
            f"{_LINUX}reserved.yrTerm3Standard.allUpfront",
        ),
        "price_month": ("month_3y", "usd_per_month_3y"),
    },
    Tariff.SPOT: {
        "price_hour": ("spot_usd_h", f"{_LINUX}spot_avg"),
        "price_month": ("month_spot", "usd_per_month_spot"),
    },
}
"""Names of the columns of prices under the tariffs that are not on demand."""
_REGION = re.compile(r"pricing\.([a-z0-9-]+)\.linux\b.*")
_WHOLE: tuple[tuple[frozenset[str], dict[str, str]], ...] = (
    (
        frozenset({"instance_type", "od_usd_h", "local_nvme", "ebs_bandwidth", "memory"}),
        {"memory_mib": "memory"},
    ),
    (frozenset({"instance_type", "vCPU", "pretty_name", "memory"}), {"memory_gib": "memory"}),
)
"""Layouts that are known whole, so that a column without its unit in the name is known too."""
_VOLUMES = ("class", "region", "usd_per_gib_month")
_DISKS = ("model", "price")


@dataclass(frozen=True, slots=True)
class InstanceType:
    """One type of server that a cloud lets."""

    name: str
    family: str
    price_hour: float
    """Dollars."""
    cpu: int
    memory: float
    """Bytes."""
    local: float = 0.0
    """Bytes of local NVMe in all."""
    devices: int | None = None
    """Of the local NVMe, where the table says."""
    network: float | None = None
    """Bytes per second that hold; None where the table says nothing, or only "up to"."""
    network_burst: float | None = None
    """Bytes per second "up to"."""
    volume: float | None = None
    """Bytes per second to attached volumes that the table calls its figure; may be "up to"."""
    volume_baseline: float | None = None
    """Bytes per second to attached volumes that the table calls baseline."""
    volume_iops: float | None = None
    """Accesses of attached volumes per second; may be "up to" as `volume` is."""
    volume_iops_baseline: float | None = None
    baseline: float | None = None
    """Cores' worth that can be had all day, where the table has it: of burstable types."""
    generation: str = ""
    arch: str = ""
    manufacturer: str = ""
    gpu: bool = False

    @property
    def core(self) -> str:
        """Core type: architecture and manufacturer, as far as the table says."""
        return " ".join(word for word in (self.arch, self.manufacturer) if word) or "core"


@dataclass(frozen=True, slots=True)
class VolumePrice:
    """A class of attached volumes in one region."""

    name: str
    region: str
    price_per_gib_month: float


@dataclass(frozen=True, slots=True)
class DiskPrice:
    """A model of disk."""

    model: str
    price: float


@dataclass(frozen=True, slots=True)
class Prices:
    """What tables hold, in the order of their rows."""

    instances: tuple[InstanceType, ...] = ()
    volumes: tuple[VolumePrice, ...] = ()
    disks: tuple[DiskPrice, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    unpriced: tuple[str, ...] = field(default=())
    """Names of rows without a price."""
    said: tuple[str, ...] = field(default=())
    """What was taken by default."""

    def __add__(self, other: Prices) -> Prices:
        return Prices(
            self.instances + other.instances,
            self.volumes + other.volumes,
            self.disks + other.disks,
            self.malformed + other.malformed,
            self.unpriced + other.unpriced,
            self.said + other.said,
        )


def kind_of(table: Table, mapping: Mapping[str, str] | None = None) -> TableKind:
    """What the table is.

    Args:
        mapping: field of an instance table → its column; any makes it one, if it is not of volumes or disks.

    Raises:
        InputError: of no known layout; says which columns were found and what is wanted.
    """
    header = set(table.columns)
    if header.issuperset(_VOLUMES):
        return TableKind.VOLUMES
    if header.issuperset(_DISKS) and "cpu" not in columns_of(table, {}, ""):
        return TableKind.DISKS
    columns = columns_of(table, mapping or {}, "")
    if {"name", "cpu"} <= columns.keys() or mapping:
        return TableKind.INSTANCES
    raise InputError(
        "is a table of no known layout",
        file=table.file,
        found=f"columns {', '.join(table.columns[:40]) or 'none'}",
        allowed=f"instance types ({', '.join(FIELDS)}), volumes ({', '.join(_VOLUMES)}) or disks ({', '.join(_DISKS)})",
        remedy="Name the columns of an instance table with --column FIELD=NAME",
    )


def regions_of(table: Table) -> list[str]:
    """Whose prices an instance table has, in columns of each or in rows; none where it does not say."""
    named = [match[1] for match in map(_REGION.fullmatch, table.columns) if match]
    return list(dict.fromkeys(named or [r.cells["region"] for r in table.rows if r.cells.get("region")]))


def columns_of(
    table: Table, mapping: Mapping[str, str], region: str, tariff: Tariff = Tariff.ON_DEMAND
) -> dict[str, str]:
    """Field of an instance table → its column, as far as known.

    Args:
        mapping: field → column, as said by the user; wins over what is known.
        region: stands in the names of some columns of prices, such as `us-east-1`.

    Raises:
        InputError: the mapping names a field or a column that is not there.
    """
    for name, column in mapping.items():
        if name not in FIELDS:
            hint = nearest(name, FIELDS)
            raise InputError(
                f"is no field of an instance table{hint}",
                place="--column",
                found=name,
                allowed=", ".join(FIELDS),
            )
        if column not in table.columns:
            hint = nearest(column, table.columns)
            listed = f"columns {', '.join(table.columns[:40])}"
            raise InputError(f"has no column {column}{hint}", file=table.file, place="--column", found=listed)
    columns: dict[str, str] = {}
    plain = {plain_name(column): column for column in reversed(table.columns)}
    for name, names in (FIELDS | TARIFFS.get(tariff, {})).items():
        known = [plain_name(n.replace("{region}", region)) for n in names]
        present = [plain[column] for column in known if column in plain]
        columns |= {name: present[0]} if present else {}
    for header, meant in _WHOLE:
        if set(map(plain_name, header)) <= plain.keys():
            columns |= {name: plain[plain_name(column)] for name, column in meant.items()}
    for name, column in mapping.items():
        if name.startswith(
            ("memory_", "price_")
        ):  # one of several units: what is said replaces what was found
            columns = {f: c for f, c in columns.items() if f.split("_")[0] != name.split("_")[0]}
        columns[name] = column
    return columns


def plain_name(column: str) -> str:
    """A name of a column without case, and without what joins its words."""
    return re.sub(r"[\s_()-]+", "", column).lower()
