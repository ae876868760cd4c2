"""Two independent answers for small instances: enumeration without a solver, and one server at a time with scipy.

Neither shares code with the optimiser: they read the instance's rules.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from froude.provision.instance import Instance

SLACK = 1e-7


def assignments(instance: Instance) -> Iterator[tuple[int, ...]]:
    """Every choice per dataset."""
    yield from itertools.product(*(range(len(d.choices)) for d in instance.datasets))


def _up(amount: float) -> int:
    return math.ceil(amount * (1 - 5e-7))


def _spread(total: int, places: int) -> Iterator[tuple[int, ...]]:
    """All ways to put so many like things into places."""
    if places == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _spread(total - first, places - 1):
            yield (first, *rest)


def enumerated_uniform(instance: Instance, most: int) -> float:
    """Least cost over all choices, server sets of up to `most` and placements of whole units and instances."""
    best = math.inf
    for choices in assignments(instance):
        copies = [c for d, k in zip(instance.datasets, choices, strict=True) for c in d.choices[k].copies]
        wanted = [max(1, _up(p)) for p in instance.parallelism(choices)]
        for count in range(1, most + 1):
            for servers in itertools.combinations_with_replacement(range(len(instance.servers)), count):
                fixed = sum(instance.servers[s].cost for s in servers)
                fixed += sum(c.min_units * instance.units[c.unit].cost for c in copies)
                if fixed >= best:
                    continue
                units = itertools.product(*(_spread(c.min_units, count) for c in copies))
                for held in units:
                    for ran in itertools.product(*(_spread(n, count) for n in wanted)):
                        more = 0.0
                        for k, s in enumerate(servers):
                            more += _server(
                                instance, s, copies, [h[k] for h in held], [r[k] for r in ran], wanted
                            )
                            if fixed + more >= best:
                                break
                        best = min(best, fixed + more)
    return best


def _server(instance, s, copies, held, ran, wanted) -> float:  # noqa: PLR0917 - plain on purpose
    """Dollars bought for one server with these contents, infinite where they do not fit."""
    server, memory = instance.servers[s], instance.units[instance.memory_unit]
    host = any(held)
    if host and instance.isolation and any(ran):
        return math.inf
    shares = [n / w for n, w in zip(ran, wanted, strict=True)]
    slots = [0.0] * len(instance.buses)
    for copy, n in zip(copies, held, strict=True):
        slots[instance.units[copy.unit].bus] += n
    phases = range(len(instance.phases))
    cores = max(
        sum(t.cores[0] * x for t, x in zip(instance.tasks, shares, strict=True) if t.phase == p)
        for p in phases
    )
    held_bytes = max(
        sum(t.memory * n for t, n in zip(instance.tasks, ran, strict=True) if t.phase == p) for p in phases
    )
    bought = _up(cores) + (instance.host_cores if host else 0)
    dimms = _up((held_bytes + (instance.host_memory if host else 0)) / memory.capacity)
    slots[memory.bus] += dimms
    if bought > server.cores or any(n > have for n, have in zip(slots, server.slots, strict=True)):
        return math.inf
    for row in range(len(instance.network_rows)):
        flow = sum(c.nic_bytes[row] * n / c.min_units for c, n in zip(copies, held, strict=True))
        flow += sum(t.nic_bytes[row] * x for t, x in zip(instance.tasks, shares, strict=True))
        if flow > server.nic * (1 + SLACK):
            return math.inf
    for bus, phase in itertools.product(range(len(instance.buses)), phases):
        flow = sum(
            c.bus_bytes[phase] * n / c.min_units
            for c, n in zip(copies, held, strict=True)
            if instance.units[c.unit].bus == bus
        )
        if server.slots[bus] and flow > server.bus_bandwidth[bus] * (1 + SLACK):
            return math.inf
    return bought * server.core_cost + dimms * memory.cost


def joint_weighted(instance: Instance, most: int) -> float:
    """Least cost over all choices: for each, a mixed-integer program with a binary per server and type."""
    return min(_per_server(instance, choices, most) for choices in assignments(instance))


def _per_server(instance: Instance, choices: tuple[int, ...], most: int) -> float:  # noqa: C901, PLR0915 - one program, written out
    copies = [c for d, k in zip(instance.datasets, choices, strict=True) for c in d.choices[k].copies]
    wanted, tasks = instance.parallelism(choices), instance.tasks
    memory = instance.units[instance.memory_unit]
    types = len(instance.servers)
    width = types + 1 + 2 * len(copies) + 2 * len(tasks) + 2
    columns = most * width
    cost, upper, whole = np.zeros(columns), np.ones(columns), np.ones(columns)
    rows: list[tuple[dict[int, float], float, float]] = []

    def row(terms: dict[int, float], low: float, high: float) -> None:
        rows.append((terms, low, high))

    def at(k: int) -> tuple[list[int], int, list[int], list[int], list[int], list[int], int, int]:
        base = k * width
        z = list(range(base, base + types))
        h = base + types
        w = [h + 1 + i for i in range(len(copies))]
        g = [h + 1 + len(copies) + i for i in range(len(copies))]
        x = [h + 1 + 2 * len(copies) + t for t in range(len(tasks))]
        n = [h + 1 + 2 * len(copies) + len(tasks) + t for t in range(len(tasks))]
        return z, h, w, g, x, n, base + width - 2, base + width - 1

    for k in range(most):
        z, h, w, g, x, n, c, m = at(k)
        for s, column in enumerate(z):
            cost[column] = instance.servers[s].cost
        cost[h] = instance.host_cores * instance.servers[0].core_cost
        cost[c], cost[m] = instance.servers[0].core_cost, memory.cost
        upper[[c, m, *w, *n]] = 1e4
        whole[[*g, *x]] = 0
        row(dict.fromkeys(z, 1.0), 0, 1)
        for i, copy in enumerate(copies):
            cost[w[i]] = instance.units[copy.unit].cost
            row({w[i]: 1.0, g[i]: -copy.need}, 0, np.inf)
            row({w[i]: 1.0, h: -1e3}, -np.inf, 0)
            row({g[i]: 1.0, w[i]: -1.0}, -np.inf, 0)
        for t in range(len(tasks)):
            row({n[t]: 1.0, x[t]: -wanted[t]}, 0, np.inf)
            terms = {x[t]: 1.0, h: 1.0 if instance.isolation else 0.0}
            row(terms | dict.fromkeys(z, -1.0), -np.inf, 1.0 if not instance.isolation else 0.0)
            row({x[t]: 1.0} | dict.fromkeys(z, -1.0), -np.inf, 0)
            if instance.isolation:
                row({x[t]: 1.0, h: 1.0}, -np.inf, 1)
        row({h: 1.0} | dict.fromkeys(z, -1.0), -np.inf, 0)
        limit = {column: -float(instance.servers[s].cores) for s, column in enumerate(z)}
        row({c: 1.0, h: float(instance.host_cores)} | limit, -np.inf, 0)
        for p in range(len(instance.phases)):
            here = [t for t in range(len(tasks)) if tasks[t].phase == p]
            row({c: 1.0} | {x[t]: -tasks[t].cores[0] for t in here}, 0, np.inf)
            held = {n[t]: -tasks[t].memory / memory.capacity for t in here}
            row({m: 1.0, h: -instance.host_memory / memory.capacity} | held, 0, np.inf)
        for b in range(len(instance.buses)):
            on = [i for i, copy in enumerate(copies) if instance.units[copy.unit].bus == b]
            have = {column: -float(instance.servers[s].slots[b]) for s, column in enumerate(z)}
            more = {m: 1.0} if memory.bus == b else {}
            row({w[i]: 1.0 for i in on} | more | have, -np.inf, 0)
            for p in range(len(instance.phases)):
                wide = {column: -instance.servers[s].bus_bandwidth[b] / 1e8 for s, column in enumerate(z)}
                row({g[i]: copies[i].bus_bytes[p] / 1e8 for i in on} | wide, -np.inf, 0)
        for r in range(len(instance.network_rows)):
            flow = {g[i]: copy.nic_bytes[r] / 1e8 for i, copy in enumerate(copies)}
            flow |= {x[t]: task.nic_bytes[r] / 1e8 for t, task in enumerate(tasks)}
            wide = {column: -instance.servers[s].nic / 1e8 for s, column in enumerate(z)}
            row(flow | wide, -np.inf, 0)
    for i, copy in enumerate(copies):
        row({at(k)[3][i]: 1.0 for k in range(most)}, 1, 1)
        row({at(k)[2][i]: 1.0 for k in range(most)}, copy.min_units, np.inf)
    for t in range(len(tasks)):
        row({at(k)[4][t]: 1.0 for k in range(most)}, 1, 1)
    matrix = np.zeros((len(rows), columns))
    for i, (terms, _, _) in enumerate(rows):
        for column, value in terms.items():
            matrix[i, column] = value
    limits = LinearConstraint(matrix, [r[1] for r in rows], [r[2] for r in rows])
    found = milp(
        cost,
        integrality=whole,
        bounds=Bounds(np.zeros(columns), upper),
        constraints=limits,
        options={"mip_rel_gap": 1e-6, "time_limit": 20},
    )
    return float(found.fun) if found.success else math.inf
