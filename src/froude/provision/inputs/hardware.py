"""From the elements of `resources` to a catalog; names and defaults of every field stand here."""

from __future__ import annotations

import math
import re

from froude.provision.inputs.fields import Fields, at_least_one, at_most_one, distinct, every
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.inputs.units import Dimension
from froude.provision.types import (
    DOLLARS_PER_KWH,
    HOURS,
    Bundle,
    Bus,
    Catalog,
    Cpu,
    Discount,
    Profile,
    Rack,
    Server,
    StorageUnit,
)

UNBOUNDED = 1e18
"""Bytes that a service holds when no capacity is given: an exabyte, more than any dataset here."""
DEFAULT_CPU = "core"
"""Name of the only core type, where it has none."""
_SIZE, _RATE, _TIME, _POWER = Dimension.SIZE, Dimension.RATE, Dimension.TIME, Dimension.POWER
_DOLLARS, _NUMBER, _SHARE = Dimension.DOLLARS, Dimension.NUMBER, Dimension.SHARE
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")


def read_catalog(element: Element, flaws: Flaws) -> Catalog | None:
    """`resources`.

    Args:
        element: a `resources`.
        flaws: takes what is wrong with it and all in it.

    Returns:
        The catalog of what is sound in it; None without a core type, or where a field of its own is wrong.
    """
    fields = Fields(element, flaws)
    units = tuple(every(fields, "storage_unit", _storage_unit, flaws))
    cpus = tuple(every(fields, "cpu", _cpu, flaws))
    servers = tuple(every(fields, "server", _server, flaws))
    energies = every(fields, "energy", _energy, flaws)
    diversity = fields.number("diversity", _DOLLARS, 0.0)
    as_of = _date(fields)
    racks = every(fields, "rack", _rack, flaws)
    at_most_one(fields, "energy", "rack")
    at_least_one(fields, "storage_unit", "cpu", "server")
    distinct(fields, flaws, "storage_unit", "cpu", "server")
    several = fields.children("cpu")
    for child in several if len(several) > 1 else ():
        if "name" not in child.fields:
            flaws.add(child, "has no name, and there are several core types", allowed="a field name")
    fields.finish("storage_unit", "cpu", "server", "rack", "energy")
    hours, price, pue, load = energies[0] if energies else (HOURS, DOLLARS_PER_KWH, 1.0, 1.0)
    if not cpus:
        return None
    rack = racks[0] if racks else None
    return fields.make(lambda: Catalog(units, cpus, servers, hours, price, pue, load, diversity, as_of, rack))


def _date(fields: Fields) -> str | None:
    date = fields.optional_text("prices_as_of")
    if date is not None and not _DATE.fullmatch(date):
        fields.flaw("is not a date", "prices_as_of", allowed="2026-07 or 2026-07-31")
    return date


def _energy(fields: Fields, _flaws: Flaws) -> tuple[float, float, float, float]:
    """Ours: over how long energy is paid, at which price, for the building too, at which mean load."""
    time = fields.number("time", _TIME, HOURS * 3600.0)
    price = fields.number("price", _DOLLARS, DOLLARS_PER_KWH)
    pue, load = fields.number("pue", _NUMBER, 1.0), fields.number("load", _SHARE, 1.0)
    if pue < 1:
        fields.flaw("is out of range", "pue", allowed="1 or above")
    fields.finish()
    return time / 3600, price, max(1.0, pue), load


def _storage_unit(fields: Fields, flaws: Flaws) -> StorageUnit | None:
    name, service = fields.text("name"), fields.flag("service", False)
    capacity = fields.number("capacity", _SIZE, UNBOUNDED if service else None, above_zero=True)
    bus = _bus_of(fields, service=service)
    rate_r, gap_r = fields.number("rateR", _RATE, above_zero=True), fields.number("gapR", _TIME)
    rate_w, gap_w = fields.number("rateW", _RATE, above_zero=True), fields.number("gapW", _TIME)
    volatile = fields.flag("volatile", False if service else None)
    by_size = "price_per_GB_month" in fields.element.fields
    price = fields.number("price", _DOLLARS, 0.0 if service or by_size else None)
    power, idle = fields.number("power", _POWER, 0.0), fields.optional_number("idle_power", _POWER)
    month = fields.number("price_per_GB_month", _DOLLARS, 0.0)
    read = fields.number("price_per_read", _DOLLARS, 0.0)
    write = fields.number("price_per_write", _DOLLARS, 0.0)
    owned = fields.whole("owned", 0)
    profiles = tuple(every(fields, "profile", _profile, flaws))
    discounts = tuple(every(fields, "discount", _discount, flaws))
    distinct(fields, flaws, "profile")
    fields.finish("profile", "discount")
    return fields.make(
        lambda: StorageUnit(
            name,
            capacity,
            bus,
            rate_r,
            gap_r,
            rate_w,
            gap_w,
            volatile,
            price,
            power,
            profiles,
            idle,
            month,
            read,
            write,
            service,
            owned,
            discounts,
        )
    )


def _bus_of(fields: Fields, *, service: bool) -> str:
    """A service stands behind the network, everything else on a bus."""
    if not service:
        return fields.text("bus")
    if fields.optional_text("bus") is not None:
        fields.flaw("is given for a service, which is on no bus", "bus", allowed="no field bus")
    return ""


def _profile(fields: Fields, _flaws: Flaws) -> Profile | None:
    name = fields.text("name")
    rates = [fields.optional_number(n, _RATE, above_zero=True) for n in ("rateR", "rateW")]
    gaps = [fields.optional_number(n, _TIME) for n in ("gapR", "gapW")]
    fields.finish()
    return fields.make(lambda: Profile(name, rates[0], gaps[0], rates[1], gaps[1]))


def _discount(fields: Fields, _flaws: Flaws) -> Discount | None:
    count, price = fields.whole("count"), fields.number("price", _DOLLARS)
    fields.finish()
    return fields.make(lambda: Discount(count, price))


def _cpu(fields: Fields, flaws: Flaws) -> Cpu | None:
    name = fields.text("name", DEFAULT_CPU)
    price, power = fields.number("price", _DOLLARS), fields.number("power", _POWER, 0.0)
    idle = fields.optional_number("idle_power", _POWER)
    discounts = tuple(every(fields, "discount", _discount, flaws))
    fields.finish("discount")
    return fields.make(lambda: Cpu(price, power, name, idle, discounts))


def _server(fields: Fields, flaws: Flaws) -> Server | None:
    name = fields.text("name")
    price, power = fields.number("price", _DOLLARS), fields.number("power", _POWER, 0.0)
    cpus = fields.whole("cpus")
    bandwidth = fields.number("BW", _RATE, above_zero=True)
    most = fields.optional_whole("max_count")
    cpu, idle = fields.optional_text("cpu"), fields.optional_number("idle_power", _POWER)
    owned = fields.whole("owned", 0)
    buses = tuple(every(fields, "bus", _bus, flaws))
    bundles = every(fields, "bundle", _bundle, flaws)
    discounts = tuple(every(fields, "discount", _discount, flaws))
    at_most_one(fields, "bundle")
    distinct(fields, flaws, "bus")
    fields.finish("bus", "bundle", "discount")
    bundle = bundles[0] if bundles else None
    return fields.make(
        lambda: Server(name, price, cpus, bandwidth, buses, power, most, cpu, bundle, idle, owned, discounts)
    )


def _rack(fields: Fields, _flaws: Flaws) -> Rack | None:
    """Ours: `servers`, their shared `uplink`, what a rack with its switch costs."""
    servers, uplink = fields.whole("servers"), fields.number("uplink", _RATE, above_zero=True)
    price, power = fields.number("price", _DOLLARS, 0.0), fields.number("power", _POWER, 0.0)
    idle = fields.optional_number("idle_power", _POWER)
    fields.finish()
    return fields.make(lambda: Rack(servers, uplink, price, power, idle))


def _bus(fields: Fields, _flaws: Flaws) -> Bus | None:
    name, slots = fields.text("name"), fields.whole("slots")
    bandwidth = fields.number("BW", _RATE, above_zero=True)
    accesses = fields.optional_number("IOPS", Dimension.COUNT, above_zero=True)
    fields.finish()
    return fields.make(lambda: Bus(name, slots, bandwidth, math.inf if accesses is None else accesses))


def _bundle(fields: Fields, flaws: Flaws) -> Bundle | None:
    """Ours: `cores`, and `included` with `unit` and `count`."""
    cores = fields.whole("cores", 0)
    units = tuple(every(fields, "included", _included, flaws))
    distinct(fields, flaws, "included", by="unit")
    fields.finish("included")
    return fields.make(lambda: Bundle(cores, units))


def _included(fields: Fields, _flaws: Flaws) -> tuple[str, int] | None:
    unit, count = fields.text("unit"), fields.whole("count")
    fields.finish()
    return fields.make(lambda: (unit, count))
