"""The pieces of a plan, and what they cost: what servers' prices include, owned ones, discounts, spares.

Used by the bill and by the check; energy and quantities are computed here apart from `Catalog` and the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from froude.provision.check.executions import core_type
from froude.provision.types import Catalog, Cpu, Problem, Rack, Server, StorageUnit
from froude.provision.types.plan import Group


@dataclass(frozen=True, slots=True)
class Line:
    """One kind of part."""

    kind: str
    """`server`, `rack`, `storage`, `core`, `memory`, `bytes`, `requests` or `diversity`."""
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


@dataclass
class Pieces:
    """How many of each are used that no bundle includes, by name."""

    servers: Counter[str] = field(default_factory=Counter)
    cores: Counter[str] = field(default_factory=Counter)
    storage: Counter[str] = field(default_factory=Counter)
    memory: Counter[str] = field(default_factory=Counter)
    """Pieces bought as memory of tasks and storage system, by the one unit that they are."""


def energy_of(catalog: Catalog, thing: StorageUnit | Cpu | Server | Rack) -> float:
    """Dollars of one over the term.

    Args:
        catalog: gives the term, the price of energy, the mean load and the PUE.
        thing: with its power in watts, idle and at the peak.
    """
    idle = thing.power if thing.idle_power is None else thing.idle_power
    mean = catalog.mean_load * thing.power + (1 - catalog.mean_load) * idle
    return mean * catalog.pue * catalog.hours / 1000 * catalog.dollars_per_kwh


def memory_of(problem: Problem) -> StorageUnit:
    """The unit that memory is bought as: the named one, else the volatile one that is cheapest per byte.

    Of several as cheap the one with the least gaps, then with the highest rates, then the first by name.
    """
    catalog = problem.catalog
    if problem.options.memory_unit is not None:
        return catalog.unit(problem.options.memory_unit)
    volatile = [unit for unit in catalog.units if unit.volatile]

    def order(unit: StorageUnit) -> tuple[float, float, float, str]:
        cost = (unit.price + energy_of(catalog, unit)) / unit.capacity
        return cost, unit.gap_r + unit.gap_w, -unit.rate_r - unit.rate_w, unit.name

    return min(volatile, key=order)


def racks_for(catalog: Catalog, servers: int) -> int:
    """How many racks so many servers fill, one after the other; 0 where the catalog has none."""
    return 0 if catalog.rack is None else -(-servers // catalog.rack.servers)


def pieces_of(problem: Problem, groups: tuple[Group, ...]) -> Pieces:
    """Count a cluster; what a server's price includes is taken from its memory first, then its storage."""
    pieces = Pieces()
    memory = memory_of(problem).name
    for group in groups:
        server = problem.catalog.server(group.server)
        bundle = server.bundle
        included = Counter(dict(bundle.units)) if bundle else Counter[str]()
        used: Counter[str] = Counter()
        for name, count in [
            *((h.unit, h.units) for h in group.held),
            *((h.unit, h.units) for h in group.local),
        ]:
            used[name] += count
        dimms = max(0, group.dimms - included[memory])
        included[memory] = max(0, included[memory] - group.dimms)
        pieces.servers[group.server] += group.count
        cores = max(0, group.cores - (bundle.cores if bundle else 0))
        pieces.cores[core_type(problem, group.server).name] += group.count * cores
        pieces.memory[memory] += group.count * dimms
        for name, count in used.items():
            pieces.storage[name] += group.count * max(0, count - included[name])
    return pieces


def piece_lines(problem: Problem, groups: tuple[Group, ...], spares: dict[str, int]) -> Iterator[Line]:
    """What the pieces of a cluster cost; the same unit as storage and as memory has two lines and one price.

    Args:
        spares: pieces that are bought without being used, by name.
    """
    catalog, pieces = problem.catalog, pieces_of(problem, groups)
    spare = Counter(spares)
    for server in catalog.servers:
        yield from _lines(catalog, server, {"server": pieces.servers[server.name]}, spare)
    if catalog.rack is not None:
        racks = racks_for(catalog, sum(group.count for group in groups))
        if racks:
            yield Line("rack", "rack", racks, catalog.rack.price, energy_of(catalog, catalog.rack))
    memory: list[Line] = []
    for unit in catalog.units:
        kinds = {"storage": pieces.storage[unit.name], "memory": pieces.memory[unit.name]}
        for line in _lines(catalog, unit, kinds, spare):
            if line.kind == "memory":
                memory.append(line)
            else:
                yield line
    for cpu in catalog.cpus:
        yield from _lines(catalog, cpu, {"core": pieces.cores[cpu.name]}, spare)
    yield from memory
    types = sum(count > 0 for count in pieces.servers.values())
    types += len({name for used in (pieces.storage, pieces.memory) for name in +used})
    if catalog.diversity and types:
        yield Line("diversity", "type of server or storage", types, catalog.diversity, 0.0)


def _lines(
    catalog: Catalog, thing: StorageUnit | Cpu | Server, kinds: dict[str, int], spare: Counter[str]
) -> Iterator[Line]:
    """The first pieces are those that are owned; all others have the price of the number that is bought."""
    owned = 0 if isinstance(thing, Cpu) else thing.owned
    used, more = sum(kinds.values()), spare.pop(thing.name, 0)
    bought = max(0, used - owned) + more
    price = thing.price
    for step in thing.discounts:
        price = step.price if bought >= step.count else price
    energy = energy_of(catalog, thing)
    name = "CPU core" if isinstance(thing, Cpu) and len(catalog.cpus) == 1 else thing.name
    for kind, count in kinds.items():
        there = min(count, owned)
        owned -= there
        parts = ((f"{name} (owned)", there, 0.0, energy), (name, count - there, price, energy))
        yield from (Line(kind, *part) for part in parts if part[1])
    if more:
        yield Line(next(iter(kinds)), f"{name} (spare)", more, price, 0.0)
