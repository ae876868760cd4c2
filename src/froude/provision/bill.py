"""The bill of materials of a plan: what to buy, how many, for how much; its lines add up to the plan's cost."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass

from froude.provision.model import memory_unit
from froude.provision.plan import Plan
from froude.provision.types import Cpu, Problem, Server, StorageUnit


@dataclass(frozen=True, slots=True)
class Line:
    """One kind of part."""

    kind: str
    """`server`, `storage`, `core` or `memory`."""
    item: str
    quantity: int
    price: float
    """Dollars for one, without energy."""
    energy: float
    """Dollars for one's energy."""

    @property
    def total(self) -> float:
        """Dollars for all."""
        return self.quantity * (self.price + self.energy)


def bill(problem: Problem, plan: Plan) -> tuple[Line, ...]:
    """The lines of a plan, by kind and in the catalog's order."""
    servers: Counter[str] = Counter()
    units: Counter[str] = Counter()
    cores = dimms = 0
    for group in plan.groups:
        servers[group.server] += group.count
        cores += group.count * group.cores
        dimms += group.count * group.dimms
        for name, count in [(h.unit, h.units) for h in group.held] + [(h.unit, h.units) for h in group.local]:
            units[name] += group.count * count
    catalog, memory = problem.catalog, memory_unit(problem)
    lines = [_line(problem, "server", s.name, servers[s.name], s) for s in catalog.servers]
    lines += [_line(problem, "storage", u.name, units[u.name], u) for u in catalog.units]
    lines.append(_line(problem, "core", "CPU core", cores, catalog.cpu()))
    lines.append(_line(problem, "memory", memory.name, dimms, memory))
    return tuple(line for line in lines if line.quantity)


def _line(problem: Problem, kind: str, item: str, quantity: int, thing: StorageUnit | Cpu | Server) -> Line:
    return Line(kind, item, quantity, thing.price, problem.catalog.cost(thing) - thing.price)


def bill_csv(lines: tuple[Line, ...]) -> str:
    """The lines as a spreadsheet reads them, with their sum; a name that begins like a formula is quoted."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["kind", "item", "quantity", "price_dollars", "energy_dollars", "each_dollars", "total_dollars"]
    )
    for line in lines:
        item = f"'{line.item}" if line.item[:1] in "=+-@\t" else line.item
        each = line.price + line.energy
        money = [f"{amount:.2f}" for amount in (line.price, line.energy, each, line.total)]
        writer.writerow([line.kind, item, line.quantity, *money])
    writer.writerow(["total", "", "", "", "", "", f"{sum(line.total for line in lines):.2f}"])
    return out.getvalue()
