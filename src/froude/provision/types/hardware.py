"""What can be bought: storage units, cores, servers, and the Catalog of them.

Everything is in SI units: bytes, seconds, dollars, watts, bytes per second. Names are those of the paper's
XML; what the paper says only in prose, and what is ours, is said at the attribute.

Source: scc (FAST 2012), section 3 and Figure 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from froude.provision.types.hdfs import Rack
from froude.provision.types.ranges import named, not_negative, positive, share

HOURS = 3 * 365 * 24
"""Hours of the three years over which energy is paid (paper 5.1)."""
HOURS_PER_MONTH = 730.0
"""Of a price per month."""
DOLLARS_PER_KWH = 0.10
"""Price of energy (paper 5.1)."""


@dataclass(frozen=True, slots=True)
class Discount:
    """A lower price of every piece, when at least so many are bought (all-units quantity discount)."""

    count: int
    """From so many pieces on, at least 2."""
    price: float
    """Dollars each, of all of them."""

    def __post_init__(self) -> None:
        if self.count < 2:
            raise ValueError(f"count must be at least 2, got {self.count}")
        not_negative("price", self.price)


@dataclass(frozen=True, slots=True)
class Profile:
    """Rate and gap of a unit under one storage system, where they differ from the bare device's."""

    name: str
    rate_r: float | None = None
    gap_r: float | None = None
    rate_w: float | None = None
    gap_w: float | None = None

    def __post_init__(self) -> None:
        for rate in (self.rate_r, self.rate_w):
            positive("rate", 1.0 if rate is None else rate)
        for gap in (self.gap_r, self.gap_w):
            not_negative("gap", 0.0 if gap is None else gap)


@dataclass(frozen=True, slots=True)
class StorageUnit:
    """One disk, SSD or DIMM: what it holds, how fast it is, what it costs."""

    name: str
    capacity: float
    """Bytes."""
    bus: str
    rate_r: float
    """Bytes per second once an operation is under way."""
    gap_r: float
    """Seconds between operations."""
    rate_w: float
    gap_w: float
    volatile: bool
    price: float
    power: float = 0.0
    profiles: tuple[Profile, ...] = ()
    idle_power: float | None = None
    """Watts when nothing is asked of it; None draws `power` always."""
    price_per_gb_month: float = 0.0
    """Dollars per 10^9 bytes stored and month: an attached volume or an object store is paid by what it holds."""
    price_per_read: float = 0.0
    """Dollars per access of the device, over the whole term at the SLA's rate."""
    price_per_write: float = 0.0
    service: bool = False
    """Kept by a provider behind the network (object storage): no server, bus or slot, and any rate of requests."""
    owned: int = 0
    """Pieces that are there already: they cost their energy only."""
    discounts: tuple[Discount, ...] = ()
    """By ascending count."""

    def __post_init__(self) -> None:
        for name in ("capacity", "rate_r", "rate_w"):
            positive(name, getattr(self, name))
        paid = ("price", "price_per_gb_month", "price_per_read", "price_per_write")
        for name in ("gap_r", "gap_w", "power", "owned", *paid):
            not_negative(name, getattr(self, name))
        _idle(self.idle_power, self.power)
        _breaks(self.price, self.discounts)
        if self.service and (self.volatile or self.owned or self.bus):
            raise ValueError("a service is not volatile, not owned and on no bus")


@dataclass(frozen=True, slots=True)
class Cpu:
    """One core of a type."""

    price: float
    power: float = 0.0
    name: str = "core"
    """Servers name the type that they take; compute operations may have a time per type."""
    idle_power: float | None = None
    """Watts; None draws `power` always."""
    discounts: tuple[Discount, ...] = ()

    def __post_init__(self) -> None:
        not_negative("price", self.price)
        not_negative("power", self.power)
        _idle(self.idle_power, self.power)
        _breaks(self.price, self.discounts)


@dataclass(frozen=True, slots=True)
class Bus:
    """A controller of a server: how many units it takes and how many bytes a second pass it."""

    name: str
    slots: int
    bandwidth: float
    iops: float = math.inf
    """Accesses of its units in a second, in every phase: a cloud's type of server has a limit on those of volumes."""

    def __post_init__(self) -> None:
        not_negative("slots", self.slots)
        positive("BW", self.bandwidth)
        if not self.iops > 0:
            raise ValueError(f"IOPS must be above 0, got {self.iops:g}")


@dataclass(frozen=True, slots=True)
class Bundle:
    """What the price of a server includes: up to so much of each costs nothing more."""

    cores: int = 0
    units: tuple[tuple[str, int], ...] = ()
    """(storage unit, pieces); memory is pieces of the unit that memory is bought as."""

    def __post_init__(self) -> None:
        not_negative("cores", self.cores)
        for _, count in self.units:
            not_negative("count", count)


@dataclass(frozen=True, slots=True)
class Server:
    """A box without cores, disks and memory, which are bought one by one; or, with a bundle, one that has some."""

    name: str
    price: float
    cpus: int
    """Most cores that it takes."""
    bandwidth: float
    """Of its network, bytes per second."""
    buses: tuple[Bus, ...]
    power: float = 0.0
    """Ours; the paper counts the components' power only."""
    max_count: int | None = None
    """How many can be had; None means any number."""
    cpu: str | None = None
    """Type of the cores that it takes; None means the first of the catalog."""
    bundle: Bundle | None = None
    idle_power: float | None = None
    """Watts; None draws `power` always."""
    owned: int = 0
    """Pieces that are there already, empty: they cost their energy only."""
    discounts: tuple[Discount, ...] = ()

    def __post_init__(self) -> None:
        for name in ("price", "cpus", "power", "owned"):
            not_negative(name, getattr(self, name))
        positive("BW", self.bandwidth)
        _idle(self.idle_power, self.power)
        _breaks(self.price, self.discounts)
        if self.bundle is not None and self.bundle.cores > self.cpus:
            raise ValueError(f"bundle has {self.bundle.cores} cores where cpus is {self.cpus}")
        if self.max_count is not None:
            not_negative("max_count", self.max_count)

    def bus(self, name: str) -> Bus | None:
        """The bus of a name, or None."""
        return next((b for b in self.buses if b.name == name), None)


@dataclass(frozen=True, slots=True)
class Catalog:
    """What can be bought."""

    units: tuple[StorageUnit, ...]
    cpus: tuple[Cpu, ...]
    """At least one."""
    servers: tuple[Server, ...]
    hours: float = HOURS
    """Of the term: over which energy, stored bytes and requests are paid."""
    dollars_per_kwh: float = DOLLARS_PER_KWH
    pue: float = 1.0
    """Power usage effectiveness: what the building draws per watt of the machines, 1 or more."""
    mean_load: float = 1.0
    """Mean load over the term as a share of the peak: between idle power and power."""
    diversity: float = 0.0
    """Dollars for each distinct type of server and of storage unit in use (spares, training, images)."""
    prices_as_of: str | None = None
    """Date of the prices, as 2026-07 or 2026-07-31; None where nobody said."""
    rack: Rack | None = None
    """What servers stand in; None where racks do not matter."""

    def __post_init__(self) -> None:
        not_negative("price", self.dollars_per_kwh)
        not_negative("time", self.hours)
        share("load", self.mean_load)
        not_negative("diversity", self.diversity)
        if not (self.pue >= 1 and math.isfinite(self.pue)):
            raise ValueError(f"pue must be 1 or above and finite, got {self.pue:g}")

    def unit(self, name: str) -> StorageUnit:
        """The unit of a name.

        Raises:
            KeyError: there is none.
        """
        return named(self.units, name)

    def server(self, name: str) -> Server:
        """The server type of a name.

        Raises:
            KeyError: there is none.
        """
        return named(self.servers, name)

    def cpu(self, name: str | None = None) -> Cpu:
        """The core type of a name; the first without one.

        Raises:
            KeyError: there is none.
        """
        return self.cpus[0] if name is None else named(self.cpus, name)

    def energy(self, thing: StorageUnit | Cpu | Server | Rack) -> float:
        """Dollars of energy for one over the term: mean watts * PUE."""
        idle = thing.power if thing.idle_power is None else thing.idle_power
        watts = idle + (thing.power - idle) * self.mean_load
        return watts / 1000 * self.pue * self.hours * self.dollars_per_kwh

    def cost(self, thing: StorageUnit | Cpu | Server | Rack) -> float:
        """Dollars for one that is bought at its list price: price plus energy."""
        return thing.price + self.energy(thing)

    def cost_of_bytes(self, unit: StorageUnit, stored: float) -> float:
        """Dollars over the term for bytes kept on units that are paid by what they hold.

        Args:
            stored: bytes, all copies included.
        """
        return stored / 1e9 * unit.price_per_gb_month * self.hours / HOURS_PER_MONTH


def _idle(idle: float | None, power: float) -> None:
    if idle is not None and not 0 <= idle <= power:
        raise ValueError(f"idle_power must lie in [0, power={power:g}], got {idle:g}")


def _breaks(price: float, discounts: tuple[Discount, ...]) -> None:
    """Counts ascend and prices fall."""
    steps = [(1, price), *((discount.count, discount.price) for discount in discounts)]
    for (fewer, dearer), (more, cheaper) in pairwise(steps):
        if more <= fewer or cheaper > dearer:
            raise ValueError("discounts must have ascending counts and falling prices")
