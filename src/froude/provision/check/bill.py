"""The bill of materials of a plan: what to buy, how many, for how much; its lines add up to the plan's cost."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from froude.provision.check.demand import Demand
from froude.provision.check.pieces import Line, piece_lines
from froude.provision.types import Op, Problem, Scope, StorageUnit
from froude.provision.types.plan import ProvisionPlan

__all__ = ["Line", "bill", "bill_csv"]

_COLUMNS = ("kind", "item", "quantity", "price_dollars", "energy_dollars", "each_dollars", "total_dollars")
_HOURS_PER_MONTH = 730.0
_BY_USE = frozenset({"bytes", "requests"})
"""Kinds that are left out where nothing is asked for them."""


def bill(problem: Problem, plan: ProvisionPlan) -> tuple[Line, ...]:
    """The lines of a plan, by kind and in the catalog's order.

    What a server's price includes has no line. Stored bytes, requests and diversity stand last.

    Args:
        plan: what to buy; without a cluster there are no lines.
    """
    lines = [*piece_lines(problem, plan.groups, plan.spares), *_stored_and_asked(problem, plan)]
    services = {name for chosen in plan.choices.values() for name in chosen}
    used = sum(unit.service and unit.name in services for unit in problem.catalog.units)
    if used and problem.catalog.diversity:
        lines.append(Line("diversity", "type of service", used, problem.catalog.diversity, 0.0))
    return tuple(line for line in lines if line.quantity and (line.total or line.kind not in _BY_USE))


def _stored_and_asked(problem: Problem, plan: ProvisionPlan) -> Iterator[Line]:
    """Bytes and requests that are paid by what is stored and asked, per dataset and unit."""
    paid = {
        unit.name
        for unit in problem.catalog.units
        if unit.price_per_gb_month or unit.price_per_read or unit.price_per_write
    }
    if not any(paid.intersection(chosen) for chosen in plan.choices.values()):
        return
    demand = Demand(problem, plan)
    for dataset in demand.problem.application.datasets:
        for number, name in enumerate(plan.choices.get(dataset.name, ())):
            if name in paid:
                unit, what = problem.catalog.unit(name), f"{dataset.name} on {name}"
                stored = _stored_bytes(demand, dataset.name, number)
                yield Line(
                    "bytes", f"{what}, {stored / 1e9:,.1f} GB", 1, _of_bytes(problem, unit, stored), 0.0
                )
                yield Line("requests", what, 1, _of_requests(demand, dataset.name, number), 0.0)


def _stored_bytes(demand: Demand, name: str, number: int) -> float:
    """Size of the volumes: what is to be stored over how far they may be filled; each instance its own.

    A service is paid by what it holds.
    """
    dataset, plan = demand.problem.application.dataset(name), demand.plan
    fill = 1.0 if demand.units_of(name)[number].service else demand.problem.options.peak_fill
    stored = demand.stored(name, cache=number == 1) / fill
    if dataset.remote or dataset.scope is Scope.PARTITIONED:
        return stored
    task = demand.owner(name)
    return stored * sum(r.instances * g.count for g in plan.groups for r in g.running if r.task == task)


def _of_bytes(problem: Problem, unit: StorageUnit, stored: float) -> float:
    months = problem.catalog.hours / _HOURS_PER_MONTH
    return stored / 1e9 * months * unit.price_per_gb_month


def _of_requests(demand: Demand, name: str, number: int) -> float:
    """Accesses over the term at the mean load, in the dearest phase."""
    unit, catalog = demand.units_of(name)[number], demand.problem.catalog
    prices = {Op.READ: unit.price_per_read, Op.WRITE: unit.price_per_write}
    a_second = max(
        sum(stream.rate * prices[stream.op] for stream in demand.streams(name, phase, cache=number == 1))
        for phase in demand.phases
    )
    return a_second * catalog.mean_load * catalog.hours * 3600


def bill_csv(lines: tuple[Line, ...]) -> str:
    """The lines as a spreadsheet reads them, with their sum; a name that begins like a formula is quoted."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for line in lines:
        item = f"'{line.item}" if line.item[:1] in "=+-@\t" else line.item
        each = line.price + line.energy
        money = [f"{amount:.2f}" for amount in (line.price, line.energy, each, line.total)]
        writer.writerow([line.kind, item, line.quantity, *money])
    writer.writerow(["total", "", "", "", "", "", f"{sum(line.total for line in lines):.2f}"])
    return out.getvalue()
