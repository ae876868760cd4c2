"""Two independent answers for small instances: enumeration without a solver, and one server at a time with scipy.

Neither shares code with the optimiser: they read the instance's rules.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from froude.provision.model.instance import Instance

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
        copies, _, cpus = chosen(instance, choices)
        copies = [copy for _, copy in copies]
        wanted = [
            max(1, _up(p), _up(1 / t.most_share))
            for p, t in zip(instance.parallelism(choices), instance.tasks, strict=True)
        ]
        if not in_time(instance, choices):
            continue
        constant = sum(d.choices[k].cost for d, k in zip(instance.datasets, choices, strict=True))
        for count in range(1, most + 1):
            for servers in itertools.combinations_with_replacement(range(len(instance.servers)), count):
                fixed = constant + sum(instance.servers[s].cost for s in servers)
                if not any(s.included_units for s in instance.servers):
                    fixed += sum(c.min_units * instance.units[c.unit].cost for c in copies)
                if fixed >= best:
                    continue
                units = itertools.product(*(_spread(c.min_units, count) for c in copies))
                for held in units:
                    for ran in itertools.product(*(_spread(n, count) for n in wanted)):
                        more = 0.0
                        for k, s in enumerate(servers):
                            more += _server(
                                instance, s, copies, [h[k] for h in held], [r[k] for r in ran], wanted, cpus
                            )
                            if fixed + more >= best:
                                break
                        best = min(best, fixed + more)
    return best


def _server(instance, s, copies, held, ran, wanted, cpus) -> float:  # noqa: C901, PLR0917 - plain on purpose
    """Dollars bought for one server with these contents, infinite where they do not fit."""
    server, memory = instance.servers[s], instance.units[instance.memory_unit]
    host = any(held)
    if host and instance.isolation and any(ran):
        return math.inf
    shares = [n / w for n, w in zip(ran, wanted, strict=True)]
    for n, x, task, cpu in zip(ran, shares, instance.tasks, cpus, strict=True):
        if x > task.most_share * (1 + SLACK) or (n and cpu not in (None, server.cpu)):
            return math.inf
    if any(n > c.most_share * c.min_units * (1 + SLACK) for c, n in zip(copies, held, strict=True)):
        return math.inf
    slots = [0.0] * len(instance.buses)
    for copy, n in zip(copies, held, strict=True):
        slots[instance.units[copy.unit].bus] += n
    phases = range(len(instance.phases))
    cores = max(
        sum(t.cores[server.cpu] * x for t, x in zip(instance.tasks, shares, strict=True) if t.phase == p)
        + sum(c.cores[p] * n / c.min_units for c, n in zip(copies, held, strict=True) if c.cores)
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
        asked = sum(
            c.accesses[phase] * n / c.min_units
            for c, n in zip(copies, held, strict=True)
            if c.accesses and instance.units[c.unit].bus == bus
        )
        if asked > server.most_accesses(bus) * (1 + SLACK):
            return math.inf
    cost = max(0, bought - server.included_cores) * server.core_cost
    if not any(server.included_units for server in instance.servers):
        return cost + dimms * memory.cost
    used = [0] * len(instance.units)
    used[instance.memory_unit] += dimms
    for copy, n in zip(copies, held, strict=True):
        used[copy.unit] += n
    free = server.included_units or [0] * len(used)
    return cost + sum(u.cost * max(0, n - f) for u, n, f in zip(instance.units, used, free, strict=True))


def joint_weighted(instance: Instance, most: int) -> float:
    """Least cost over all choices: for each, a mixed-integer program with a binary per server and type."""
    best = math.inf
    for choices in assignments(instance):
        if in_time(instance, choices):
            best = min(best, _per_server(instance, choices, most))
    return best


def in_time(instance: Instance, choices: tuple[int, ...]) -> bool:
    """Does every task keep its latency?"""
    times = instance.run_times(choices)
    return all(t.latency is None or r <= t.latency for t, r in zip(instance.tasks, times, strict=True))


def chosen(instance: Instance, choices: tuple[int, ...]):
    """(copies, local ones as (task, units), core type per task or None) of a choice per dataset."""
    kept = [(d, d.choices[k], k) for d, k in zip(instance.datasets, choices, strict=True)]
    copies = [(d.name, copy) for d, choice, _ in kept for copy in choice.copies]
    local = [(d.local_to, d.name, choice.local) for d, choice, _ in kept if choice.local is not None]
    cpu = {d.cpu_of: k for d, _, k in kept if d.cpu_of is not None}
    return copies, local, [cpu.get(t) for t in range(len(instance.tasks))]


class _Program:
    """Named variables and rows, dense."""

    def __init__(self) -> None:
        self.cost: list[float] = []
        self.upper: list[float] = []
        self.whole: list[int] = []
        self.rows: list[tuple[dict[int, float], float, float]] = []

    def variable(self, cost: float = 0.0, upper: float = 1.0, *, whole: bool = True) -> int:
        self.cost.append(cost)
        self.upper.append(upper)
        self.whole.append(int(whole))
        return len(self.cost) - 1

    def row(self, terms: dict[int, float], low: float, high: float) -> None:
        self.rows.append((terms, low, high))

    def least(self) -> float:
        matrix = np.zeros((len(self.rows), len(self.cost)))
        for i, (terms, _, _) in enumerate(self.rows):
            for variable, value in terms.items():
                matrix[i, variable] += value
        options = LinearConstraint(matrix, [r[1] for r in self.rows], [r[2] for r in self.rows])
        solution = milp(
            self.cost,
            integrality=self.whole,
            bounds=Bounds(np.zeros(len(self.cost)), self.upper),
            constraints=options,
            options={"mip_rel_gap": 1e-6, "time_limit": 20},
        )
        return float(solution.fun) if solution.success else math.inf


def _per_server(instance: Instance, choices: tuple[int, ...], most: int) -> float:  # noqa: C901, PLR0912, PLR0915 - one program, written out
    copies, local, cpus = chosen(instance, choices)
    wanted, tasks, servers = instance.parallelism(choices), instance.tasks, instance.servers
    units, memory = instance.units, instance.units[instance.memory_unit]
    program, free, big = _Program(), math.inf, 1e4
    constant = sum(d.choices[k].cost for d, k in zip(instance.datasets, choices, strict=True))
    all_g, all_w, all_x = [], [], []
    for _ in range(most):
        z = [program.variable(s.cost) for s in servers]
        h = program.variable()
        w = [program.variable(upper=big) for _ in copies]
        g = [program.variable(upper=copy.most_share, whole=False) for _, copy in copies]
        x = [program.variable(upper=task.most_share, whole=False) for task in tasks]
        n = [program.variable(upper=big) for _ in tasks]
        c, m = program.variable(upper=big), program.variable(upper=big)
        there = dict.fromkeys(z, -1.0)
        program.row(dict.fromkeys(z, 1.0), 0, 1)
        program.row({h: 1.0} | there, -free, 0)
        for s, variable in enumerate(z):
            paid = program.variable(servers[s].core_cost, big, whole=False)
            program.row({paid: 1.0, c: -1.0, variable: -big}, -servers[s].included_cores - big, free)
        for i, (_, copy) in enumerate(copies):
            program.row({w[i]: 1.0, g[i]: -copy.need}, 0, free)
            program.row({w[i]: 1.0, h: -1e3}, -free, 0)
            program.row({g[i]: 1.0, w[i]: -1.0}, -free, 0)
        for t in range(len(tasks)):
            program.row({n[t]: 1.0, x[t]: -wanted[t]}, 0, free)
            fit = [q for q, s in zip(z, servers, strict=True) if cpus[t] in (None, s.cpu)]
            program.row({x[t]: 1.0} | dict.fromkeys(fit, -1.0), -free, 0)
            if instance.isolation:
                program.row({x[t]: 1.0, h: 1.0}, -free, 1)
        for t, _, held in local:
            program.cost[n[t]] += held.cost
        used: list[dict[int, float]] = [{} for _ in units]
        used[instance.memory_unit][m] = 1.0
        for i, (_, copy) in enumerate(copies):
            used[copy.unit][w[i]] = 1.0
        for t, _, held in local:
            used[held.unit][n[t]] = used[held.unit].get(n[t], 0.0) + held.per_instance
        for u, terms in enumerate(used):
            paid = program.variable(units[u].cost, big, whole=False)
            with_it = {
                q: float(s.included_units[u]) for q, s in zip(z, servers, strict=True) if s.included_units
            }
            program.row({paid: 1.0} | {k: -v for k, v in terms.items()} | with_it, 0, free)
        program.row({c: 1.0} | {q: -float(s.cores) for q, s in zip(z, servers, strict=True)}, -free, 0)
        for p in range(len(instance.phases)):
            here = [t for t in range(len(tasks)) if tasks[t].phase == p]
            # a task runs on servers of one type only, so its cores are known
            burnt = {x[t]: -tasks[t].cores[cpus[t] or 0] for t in here}
            burnt |= {g[i]: -copy.cores[p] for i, (_, copy) in enumerate(copies) if copy.cores}
            program.row({c: 1.0, h: -float(instance.host_cores)} | burnt, 0, free)
            held_in = {n[t]: -tasks[t].memory / memory.capacity for t in here}
            program.row({m: 1.0, h: -instance.host_memory / memory.capacity} | held_in, 0, free)
        for b in range(len(instance.buses)):
            terms: dict[int, float] = {}
            for u, used_units in enumerate(used):
                for k, v in used_units.items() if units[u].bus == b else ():
                    terms[k] = terms.get(k, 0.0) + v
            have = {q: -float(s.slots[b]) for q, s in zip(z, servers, strict=True)}
            program.row(terms | have, -free, 0)
            for p in range(len(instance.phases)):
                flow = {
                    g[i]: copy.bus_bytes[p] / 1e8
                    for i, (_, copy) in enumerate(copies)
                    if units[copy.unit].bus == b
                }
                for t, _, held in local:
                    if units[held.unit].bus == b:
                        flow[x[t]] = flow.get(x[t], 0.0) + held.bus_bytes[p] / 1e8
                wide = {q: -s.bus_bandwidth[b] / 1e8 for q, s in zip(z, servers, strict=True)}
                program.row(flow | wide, -free, 0)
                if any(math.isinf(s.most_accesses(b)) for s in servers):
                    continue
                asked = {
                    g[i]: copy.accesses[p] / 1e3
                    for i, (_, copy) in enumerate(copies)
                    if units[copy.unit].bus == b
                }
                for t, _, held in local:
                    if units[held.unit].bus == b:
                        asked[x[t]] = asked.get(x[t], 0.0) + held.accesses[p] / 1e3
                most = {q: -s.most_accesses(b) / 1e3 for q, s in zip(z, servers, strict=True)}
                program.row(asked | most, -free, 0)
        for r in range(len(instance.network_rows)):
            flow = {g[i]: copy.nic_bytes[r] / 1e8 for i, (_, copy) in enumerate(copies)}
            flow |= {x[t]: task.nic_bytes[r] / 1e8 for t, task in enumerate(tasks)}
            wide = {q: -s.nic / 1e8 for q, s in zip(z, servers, strict=True)}
            program.row(flow | wide, -free, 0)
        all_g.append(g)
        all_w.append(w)
        all_x.append(x)
    for i, (_, copy) in enumerate(copies):
        program.row({g[i]: 1.0 for g in all_g}, 1, 1)
        program.row({w[i]: 1.0 for w in all_w}, copy.min_units, free)
    for t in range(len(tasks)):
        program.row({x[t]: 1.0 for x in all_x}, 1, 1)
    return constant + program.least()


def violations(instance: Instance, choices: tuple[int, ...], groups) -> list[str]:  # noqa: C901 - one rule after the other
    """What a cluster breaks of the instance's rules, from its groups alone."""
    copies, local, cpus = chosen(instance, choices)
    wanted, tasks = instance.parallelism(choices), {t.name: t for t in instance.tasks}
    names, broken = [t.name for t in instance.tasks], []
    unit_of = {u.name: k for k, u in enumerate(instance.units)}
    memory = instance.units[instance.memory_unit]

    def expect(rule: str, needed: float, allowed: float) -> None:
        if needed > allowed + 1e-6 * max(abs(needed), abs(allowed), 1e-12):
            broken.append(f"{rule}: {needed:.6g} > {allowed:.6g}")

    for name, copy in copies:
        held = [(g, h) for g in groups for h in g.held if h.dataset == name and h.cache == copy.cache]
        expect(f"all of {name}", abs(sum(g.count * h.share for g, h in held) - 1), 1e-6)
        expect(f"units of {name}", copy.min_units, sum(g.count * h.units for g, h in held))
        for _, h in held:
            expect(f"unit of {name}", abs(unit_of[h.unit] - copy.unit), 0)
            expect(f"carry {name}", copy.need * h.share, h.units)
            expect(f"spread {name}", h.share, copy.most_share)
    for t, task in enumerate(instance.tasks):
        runs = [(g, r) for g in groups for r in g.running if r.task == task.name]
        if task.rate > 0:
            expect(f"all of {task.name}", abs(sum(g.count * r.share for g, r in runs) - 1), 1e-6)
        for g, r in runs:
            expect(f"spread {task.name}", r.share, task.most_share)
            expect(f"instances {task.name}", wanted[t] * r.share, r.instances)
            cpu = next(s for s in instance.servers if s.name == g.server).cpu
            expect(f"core type of {task.name}", 0 if cpus[t] in (None, cpu) else 1, 0)
    for g in groups:
        server = next(s for s in instance.servers if s.name == g.server)
        host = bool(g.held)
        mine = [
            (copy, sum(h.share for h in g.held if h.dataset == name and h.cache == copy.cache))
            for name, copy in copies
        ]
        share = {r.task: r.share for r in g.running}
        number = {r.task: r.instances for r in g.running}
        expect("isolation", host and instance.isolation and bool(g.running), 0)
        for t, name, held in local:
            units = sum(b.units for b in g.local if b.dataset == name)
            expect(f"beside {name}", abs(units - held.per_instance * number.get(names[t], 0)), 0)
        expect("cores of server", g.cores, server.cores)
        for p in range(len(instance.phases)):
            burnt = sum(tasks[k].cores[server.cpu] * v for k, v in share.items() if tasks[k].phase == p)
            burnt += sum(copy.cores[p] * v for copy, v in mine if copy.cores)
            expect("cores", burnt + instance.host_cores * host, g.cores)
            held_in = sum(tasks[k].memory * v for k, v in number.items() if tasks[k].phase == p)
            expect("memory", held_in + instance.host_memory * host, g.dimms * memory.capacity)
        for b in range(len(instance.buses)):
            slots = sum(h.units for h in (*g.held, *g.local) if instance.units[unit_of[h.unit]].bus == b)
            expect("slots", slots + g.dimms * (memory.bus == b), server.slots[b])
            for p in range(len(instance.phases)):
                flow = sum(copy.bus_bytes[p] * v for copy, v in mine if instance.units[copy.unit].bus == b)
                flow += sum(
                    held.bus_bytes[p] * share.get(names[t], 0.0)
                    for t, _, held in local
                    if instance.units[held.unit].bus == b
                )
                expect("bus", flow, server.bus_bandwidth[b])
                asked = sum(
                    copy.accesses[p] * v
                    for copy, v in mine
                    if copy.accesses and instance.units[copy.unit].bus == b
                )
                asked += sum(
                    held.accesses[p] * share.get(names[t], 0.0)
                    for t, _, held in local
                    if held.accesses and instance.units[held.unit].bus == b
                )
                expect("accesses", asked, server.most_accesses(b))
        for r in range(len(instance.network_rows)):
            flow = sum(copy.nic_bytes[r] * v for copy, v in mine)
            flow += sum(tasks[k].nic_bytes[r] * v for k, v in share.items())
            expect("network", flow, server.nic)
    return broken
