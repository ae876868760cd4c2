"""What the elements of `resources` hold, and the catalog of them; what is ours and not the paper's is said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Any

from froude.provision.inputs.fields import YES, Fields
from froude.provision.inputs.kinds import FLAG, TEXT, WHOLE, Children, Field, Kind, number
from froude.provision.inputs.tree import Flaws
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
_RATE, _TIME = number(Dimension.RATE, above_zero=True), number(Dimension.TIME)
_POWER, _ALWAYS_POWER = number(Dimension.POWER), number(Dimension.POWER, always=True)
_DOLLARS = number(Dimension.DOLLARS)
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")


def _bus(fields: Fields, name: str, default: Any) -> str:
    """A service is behind the network, everything else on a bus."""
    if default is MISSING:
        return fields.text(name)
    if fields.optional_text(name) is not None:
        fields.flaw("is given for a service, which is on no bus", name, allowed="no field bus")
    return ""


def _date(fields: Fields, name: str, _: Any) -> str | None:
    date = fields.optional_text(name)
    if date is not None and not _DATE.fullmatch(date):
        fields.flaw("is not a date", name, allowed="2026-07 or 2026-07-31")
    return date


def _pue(fields: Fields, name: str, default: float) -> float:
    pue = fields.number(name, Dimension.NUMBER, default)
    if pue < 1:
        fields.flaw("is out of range", name, allowed="1 or above")
    return pue


def _unit_defaults(texts: Mapping[str, str]) -> Mapping[str, Any]:
    """A service has no bus and no limit of its own; what is paid by what it holds needs no other price."""
    service = texts.get("service", "").strip().lower() in YES
    defaults: dict[str, Any] = {"price": 0.0} if service or "price_per_GB_month" in texts else {}
    return defaults | ({"capacity": UNBOUNDED, "bus": "", "volatile": False} if service else {})


@dataclass(frozen=True, slots=True)
class _Energy:
    """Ours: over how long energy is paid, at which price, for the building too, at which mean load."""

    time: float = HOURS * 3600.0
    price: float = DOLLARS_PER_KWH
    pue: float = 1.0
    load: float = 1.0


_SPEED = {"rateR": _RATE, "gapR": _TIME, "rateW": _RATE, "gapW": _TIME}
_DISCOUNT = Kind("discount", Discount, {"count": WHOLE, "price": _DOLLARS})
_DISCOUNTS = Children("discounts", (_DISCOUNT,))
_UNIT = Kind(
    "storage_unit",
    StorageUnit,
    {
        "name": TEXT,
        "capacity": number(Dimension.SIZE, above_zero=True),
        "bus": Field(_bus),
        **_SPEED,
        "volatile": FLAG,
        "price": _DOLLARS,
        "power": _ALWAYS_POWER,
        "idle_power": _POWER,
        "price_per_GB_month": _DOLLARS,
        "price_per_read": _DOLLARS,
        "price_per_write": _DOLLARS,
        "service": FLAG,
        "owned": WHOLE,
    },
    (Children("profiles", (Kind("profile", Profile, {"name": TEXT, **_SPEED}),), by="name"), _DISCOUNTS),
    defaults=_unit_defaults,
)
_CPU = Kind(
    "cpu",
    Cpu,
    {"name": TEXT, "price": _DOLLARS, "power": _ALWAYS_POWER, "idle_power": _POWER},
    (_DISCOUNTS,),
)
_BUS = Kind(
    "bus",
    Bus,
    {"name": TEXT, "slots": WHOLE, "BW": _RATE, "IOPS": number(Dimension.COUNT, above_zero=True)},
)
_INCLUDED = Kind("included", tuple, {"unit": TEXT, "count": WHOLE})
_BUNDLE = Kind(
    "bundle",
    Bundle,
    {"cores": Field(WHOLE.read, WHOLE.show, always=True)},
    (Children("units", (_INCLUDED,), by="unit"),),
)
_SERVER = Kind(
    "server",
    Server,
    {
        "name": TEXT,
        "price": _DOLLARS,
        "cpus": WHOLE,
        "BW": _RATE,
        "power": _POWER,
        "max_count": WHOLE,
        "cpu": TEXT,
        "idle_power": _POWER,
        "owned": WHOLE,
    },
    (Children("buses", (_BUS,), by="name"), Children("bundle", (_BUNDLE,), one=True), _DISCOUNTS),
)
_RACK = Kind(
    "rack",
    Rack,
    {"servers": WHOLE, "uplink": _RATE, "price": _DOLLARS, "power": _POWER, "idle_power": _POWER},
)
_ENERGY = Kind(
    "energy",
    _Energy,
    {"time": _TIME, "price": _DOLLARS, "pue": Field(_pue, _DOLLARS.show), "load": number(Dimension.SHARE)},
)


def _catalog(*, cpus: tuple[Cpu, ...], energy: _Energy | None, **parts: Any) -> Catalog | None:
    """None without a core type."""
    paid = energy or _Energy()
    hours, price = paid.time / 3600, paid.price
    return (
        Catalog(cpus=cpus, hours=hours, dollars_per_kwh=price, pue=paid.pue, mean_load=paid.load, **parts)
        if cpus
        else None
    )


def _energy_of(catalog: Catalog) -> Mapping[str, Any]:
    energy = _Energy(catalog.hours * 3600, catalog.dollars_per_kwh, catalog.pue, catalog.mean_load)
    return {"energy": None if energy == _Energy() else energy}


def _check_cpus(fields: Fields, flaws: Flaws) -> None:
    several = fields.children("cpu")
    for child in several if len(several) > 1 else ():
        if "name" not in child.fields:
            flaws.add(child, "has no name, and there are several core types", allowed="a field name")


CATALOG = Kind(
    "resources",
    Catalog,
    {"prices_as_of": Field(_date), "diversity": _DOLLARS},
    (
        Children("units", (_UNIT,), by="name", needed=True),
        Children("cpus", (_CPU,), by="name", needed=True),
        Children("servers", (_SERVER,), by="name", needed=True),
        Children("rack", (_RACK,), one=True),
        Children("energy", (_ENERGY,), one=True),
    ),
    make=_catalog,
    parts=_energy_of,
    check=_check_cpus,
)
