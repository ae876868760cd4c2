"""The same problem said in another way: in other units, by other names, in another order, beside what nobody buys.

None of it changes what the cheapest cluster is; its cost is in the other money.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar

from froude.provision.types import Compute, Problem, StorageUnit
from froude.provision.types.plan import ProvisionPlan, Status

_Part = TypeVar("_Part")
_POWERS: dict[str, tuple[int, int, int]] = {
    "capacity": (0, 1, 0),
    "size": (0, 1, 0),
    "cache_size": (0, 1, 0),
    "record_size": (0, 1, 0),
    "bytes": (0, 1, 0),
    "memory": (0, 1, 0),
    "host_memory": (0, 1, 0),
    "rate_r": (-1, 1, 0),
    "rate_w": (-1, 1, 0),
    "bandwidth": (-1, 1, 0),
    "rate": (-1, 0, 0),
    "gap_r": (1, 0, 0),
    "gap_w": (1, 0, 0),
    "time": (1, 0, 0),
    "latency": (1, 0, 0),
    "host_time": (1, 0, 0),
    "price": (0, 0, 1),
    "dollars_per_kwh": (0, 0, 1),
    "diversity": (0, 0, 1),
    "price_per_gb_month": (0, -1, 1),
    "price_per_gb_moved": (0, -1, 1),
    "price_per_read": (1, 0, 1),
    "price_per_write": (1, 0, 1),
}
"""Of each field, the powers of the units of time, of bytes and of money in it; the others have none."""


@dataclass(frozen=True)
class Variant:
    """A problem that has the same cluster."""

    name: str
    problem: Problem
    money: float = 1.0
    """Times the cost of the original."""


def variants(problem: Problem, seed: int = 0) -> Iterator[Variant]:
    """Seventeen of a problem.

    Args:
        problem: the original.
        seed: of the orders.
    """
    for power in (-6, -3, 3, 6):
        factor = 10.0**power
        yield Variant(f"time in 1e{power} s", _scaled(problem, (factor, 1.0, 1.0)))
        yield Variant(f"data in 1e{power} B", _scaled(problem, (1.0, factor, 1.0)))
        yield Variant(f"money in 1e{power} $", _scaled(problem, (1.0, 1.0, factor)), factor)
    yield Variant("renamed", _renamed(problem))
    for number in range(2):
        yield Variant(f"shuffled {number}", _shuffled(problem, random.Random(f"{seed} {number}")))
    yield Variant("a dearer server", _with_server(problem))
    yield Variant("a dearer unit", _with_unit(problem))


def contradiction(plain: ProvisionPlan, other: ProvisionPlan, money: float, gap: float) -> str:
    """What a variant's plan says against the original's; empty where both may be right.

    Args:
        plain: of the original.
        other: of the variant.
        money: as `Variant.money`.
        gap: relative; up to it, proved plans may differ.
    """
    slack = 1 + gap + 1e-9
    if plain.status is Status.PROVED and other.status is Status.PROVED:
        cost = other.upper / money
        if not plain.upper / slack <= cost <= plain.upper * slack:
            return f"costs {cost:.9g}, not {plain.upper:.9g}"
    for one, two in ((plain, other), (other, plain)):
        if one.status is Status.PROVED and not two.found:
            return f"{other.status.value}, not {plain.status.value}"
    if other.lower / money > plain.upper * slack or plain.lower > other.upper / money * slack:
        between = f"from {other.lower / money:.9g} to {other.upper / money:.9g}"
        return f"{between}, not from {plain.lower:.9g} to {plain.upper:.9g}"
    return ""


def _mapped(part: _Part, change: Callable[[str, Any], Any], field: str = "") -> _Part:
    """A value with every number and text in it changed, by the name of the field that it stands in."""
    value: Any = part
    if is_dataclass(value):
        new = {f.name: _mapped(getattr(value, f.name), change, f.name) for f in fields(value)}
        return replace(value, **new)  # type: ignore[type-var,return-value]
    if isinstance(value, tuple):
        return tuple(_mapped(item, change, field) for item in value)  # type: ignore[return-value]
    if isinstance(value, dict):
        items = value.items()
        return {change("name", key): _mapped(item, change, field) for key, item in items}  # type: ignore[return-value]
    return value if isinstance(value, Enum) or value is None else change(field, value)  # type: ignore[no-any-return]


def _scaled(problem: Problem, units: tuple[float, float, float]) -> Problem:
    def change(field: str, value: Any) -> Any:
        if isinstance(value, bool | str):
            return value
        for unit, power in zip(units, _POWERS.get(field, (0, 0, 0)), strict=True):
            value = value * unit**power if unit != 1 and power else value
        return value

    scaled = _mapped(problem, change)
    tasks = []
    for task in scaled.application.tasks:
        operations = [
            replace(op, times=tuple((cpu, time * units[0]) for cpu, time in op.times))
            if isinstance(op, Compute)
            else op
            for op in task.operations
        ]
        tasks.append(replace(task, operations=tuple(operations)))
    return replace(scaled, application=replace(scaled.application, tasks=tuple(tasks)))


def _renamed(problem: Problem) -> Problem:
    """By names in another order of the alphabet."""
    return _mapped(
        problem,
        lambda field, value: (
            value[::-1] + "~" if isinstance(value, str) and value and field != "prices_as_of" else value
        ),
    )


def _shuffled(problem: Problem, dice: random.Random) -> Problem:
    catalog, application, sla = problem.catalog, problem.application, problem.sla

    def order(items: tuple[_Part, ...]) -> tuple[_Part, ...]:
        return tuple(dice.sample(items, len(items)))

    kept = [unit for unit in catalog.units if unit.volatile]  # memory may be the first of them
    units = (*order(tuple(u for u in catalog.units if not u.volatile)), *kept)
    return replace(
        problem,
        catalog=replace(catalog, units=units, servers=order(catalog.servers)),
        application=replace(
            application, datasets=order(application.datasets), tasks=order(application.tasks)
        ),
        sla=replace(sla, targets=order(sla.targets)),
    )


def _with_server(problem: Problem) -> Problem:
    catalog = problem.catalog
    server = catalog.servers[0]
    most = None if server.max_count is None else 0
    dear = replace(server, name="dear", price=server.price * 1.5 + 1, owned=0, discounts=(), max_count=most)
    return replace(problem, catalog=replace(catalog, servers=(*catalog.servers, dear)))


def _with_unit(problem: Problem) -> Problem:
    catalog = problem.catalog
    unit: StorageUnit = next(u for u in catalog.units if not u.volatile)
    dear = replace(
        unit,
        name="dear",
        price=unit.price * 1.5 + 1,
        price_per_gb_month=unit.price_per_gb_month * 1.5,
        owned=0,
        discounts=(),
    )
    return replace(problem, catalog=replace(catalog, units=(*catalog.units, dear)))
