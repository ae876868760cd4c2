"""Which of many server types a search need look at, and what every cluster with another type costs at least.

A catalog of a cloud has hundreds of types that no other replaces; a master over all of them is a linear program
of half a million coefficients. Here it is solved over a few types, and the others are priced: with the duals of
the rows that servers share, no server of a type is worth more than its price by more than its *reduced cost* says.
Types whose reduced cost is below zero come in, until there is none. Then the few types have the optimum of all, and
a cluster with at least one server of a type left out costs at least that optimum and the type's reduced cost more.

The program has the rows of `tightening`: part of a server holds part of a whole one. Between narrower ends of some
variables it is solved again for `all_types`, types coming in as needed.

One program per role and core type prices all types: only its right sides differ, so that the duals found for one
type bound the others by a product of matrices. All bounds are recomputed from duals, as everywhere.

What it buys is in docs/design/2026-11-22-provision-sorted.md: of a catalog with 511 types that are needed, nothing is
found in 30 s without it; with it a cluster is within 1 % to 10 % of the bound in 20 s.

Source: reduced-cost fixing (Dantzig, Fulkerson and Johnson, 1954) on column generation; ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from froude.provision.model.instance import Instance, ServerType
from froude.provision.search.optimise.bounds import EPSILON, safe_bound
from froude.provision.search.optimise.branch_and_bound import proved_empty
from froude.provision.search.optimise.dominance import undominated
from froude.provision.search.optimise.highs import (
    INFINITY,
    Arrays,
    Floats,
    Program,
    SolveOutcome,
    Solver,
    SolverOptions,
    Status,
)
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.server_rows import ServerRows
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem, subproblem
from froude.provision.search.optimise.tightening import add_totals, hold_parts, tighten

MANY_TYPES = 12
"""More server types than these are selected from."""
_KEPT = 6
"""As many types are searched over, or all that the linear program uses where these are more."""
_ROUNDS = 30
_COMMON = 0.1
"""Share of the types that a bus must have for the selection to begin with types that have much of it."""
_MORE = 4
"""Types of a class that come in at once."""
_SOME = 1e-6
"""Servers that count as some."""
_DEAR = 20.0
"""Price of a probe, in the dearest type's: so dear that it stands only where the types that are in cannot."""
_WIDE = 1e6
"""Servers' worth of bandwidth that a bus without a limit has."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The server types to search over."""

    servers: tuple[int, ...]
    outside: float
    """No cluster with a server of another type costs less; types that one of all replaces left aside."""
    everywhere: float = 0.0
    """No cluster costs less."""
    type_pricing: TypePricing | None = None
    """To raise the bound over all types further (`type_branching`)."""


@dataclass(frozen=True, slots=True)
class Priced:
    """The optimum of a linear program over all types."""

    bound: float
    """No cluster costs less."""
    x: dict[str, float]
    """Its variables by name: those that are not 0."""
    used: frozenset[int]
    """Types of which it has some."""
    worth: Floats
    """(types) what a server of each costs at least more than it is worth."""


Ends = Mapping[str, tuple[float, float]]
"""Least and greatest value of variables of the program over all types, by name."""


def select_types(
    instance: Instance, allowed: Sequence[Sequence[int]], left_s: Callable[[], float] = lambda: INFINITY
) -> Selection:
    """Select, where there are many types that no other replaces.

    Args:
        left_s: seconds left for it: what was not priced until then makes the bound outside 0.

    Returns:
        Those types; none named, and none outside, where there are few or the few have no cluster.
    """
    needed = undominated(instance)
    if len(needed) <= MANY_TYPES:
        return Selection((), INFINITY)
    return TypePricing(instance, allowed, needed).run(left_s)


class TypePricing:
    """The types that are in, and the prices of those that are not."""

    def __init__(self, instance: Instance, allowed: Sequence[Sequence[int]], needed: Sequence[int]) -> None:
        """Begin with a handful of types.

        Args:
            needed: types that no other replaces.
        """
        self.allowed, self.needed = tuple(map(tuple, allowed)), tuple(needed)
        cpus = sorted({instance.servers[s].cpu for s in needed})
        probes = tuple(_probe(instance, needed, cpu) for cpu in cpus)
        self.instance = replace(instance, servers=(*instance.servers, *probes))
        self.probes = tuple(range(len(instance.servers), len(instance.servers) + len(probes)))
        sub = subproblem(self.instance, allowed, self.probes)
        self.classes = [_Class(sub, kind, self.needed) for kind in sub.kinds]
        self.inside = _first(instance, self.needed)
        self.dearest = max(float(class_.base.max()) for class_ in self.classes)
        self.budget = INFINITY
        """Bounds hold for clusters up to it."""
        self.totals: tuple[str, ...] = ()
        """Names of the variables that tell how many hosts and servers there are."""
        self.choices: tuple[tuple[str, ...], ...] = ()
        """Names of the variables of each dataset's choices."""
        self._program: tuple[Master, Solver] | None = None
        self._places: list[_Places] = []
        """Of each class in the program."""

    def run(self, left_s: Callable[[], float]) -> Selection:
        """Solve and price until nothing comes in."""
        optimum = self.priced({}, left_s)
        if optimum is None and left_s() <= 0:
            return Selection(tuple(sorted(self.inside)), 0.0, type_pricing=self)
        if optimum is None or optimum.bound == INFINITY or optimum.used & set(self.probes):
            return Selection((), INFINITY)
        return self._selection(optimum)

    def priced(self, ends: Ends, left_s: Callable[[], float]) -> Priced | None:
        """Solve over all types: those that are worth more than they cost come in, until there is none.

        Args:
            ends: narrower ends of some variables; of choices, numbers of servers, counts.

        Returns:
            None when there was no time, or the solver failed; an infinite bound where there is no cluster.
        """
        for _ in range(_ROUNDS):
            if left_s() <= 0:
                return None
            _, solver = self._master()
            solver.limit_time(left_s())
            outcome = self._between(ends)
            if outcome.status is Status.INFEASIBLE:
                return Priced(INFINITY, {}, frozenset(), np.zeros(len(self.needed)))
            if outcome.status is not Status.OPTIMAL:
                return None
            bound = min(self.budget, outcome.bound)
            priced = [
                class_.price(places, solver.program, outcome.duals, self.inside)
                for class_, places in zip(self.classes, self._places, strict=True)
            ]
            more = {self.needed[at] for prices in priced for at in _lowest(prices, self.inside, self.needed)}
            if not more:
                return self._optimum(bound, outcome, np.minimum.reduce(priced))
            self.inside |= more
            self._program = None
            if not ends:
                self.budget = min(self.budget, 3 * outcome.objective + 12 * self.dearest)
        return None

    def _master(self) -> tuple[Master, Solver]:
        """The program over the types that are in."""
        if self._program is None:
            sub = subproblem(self.instance, self.allowed, (*sorted(self.inside), *self.probes))
            master = Master(sub, whole=False, budget=self.budget)
            tighten(master)
            totals, names = add_totals(master), master.program.variable_names
            self.totals = tuple(names[at] for at in totals)
            self.choices = tuple(
                tuple(names[master.choice[d, c]] for c in open_) for d, open_ in enumerate(self.allowed)
            )
            self._places = [class_.places(names, master.program.row_names) for class_ in self.classes]
            arrays = self._any_number(master)
            self._program = master, Solver(arrays, SolverOptions(presolve=False), relaxed=True)
        return self._program

    def _any_number(self, master: Master) -> Arrays:
        """The program with as many probes as any cluster has servers: where it is empty, no types help."""
        arrays = master.program.arrays()
        cheapest = min(float(class_.base[class_.mine].min(initial=INFINITY)) for class_ in self.classes)
        most = self.budget / cheapest if cheapest > 0 and self.budget < INFINITY else master.sub.many
        for variables in master.kinds:
            if variables.kind.server in self.probes:
                server = master.sub.server(variables.kind)
                each = max(server.cores, *server.slots, 1)
                for variable in (
                    variables.count,
                    variables.cores,
                    variables.dimms,
                    *variables.units.values(),
                ):
                    if variable is not None and arrays.upper[variable] > 0:
                        arrays.upper[variable] = min(master.sub.many, math.ceil(most) * each)
        return arrays

    def _between(self, ends: Ends) -> SolveOutcome:
        """Solve the program between narrower ends, with a bound of ours; its own ends are as before afterwards."""
        master, solver = self._master()
        arrays = solver.program
        where = [(at, *ends[name]) for at, name in enumerate(master.program.variable_names) if name in ends]
        before = [(at, float(arrays.lower[at]), float(arrays.upper[at])) for at, _, _ in where]
        _bound(
            solver,
            [
                (at, max(low, old[1]), min(high, old[2]))
                for (at, low, high), old in zip(where, before, strict=True)
            ],
        )
        outcome = solver.run()
        if outcome.status is Status.OPTIMAL:
            outcome = replace(outcome, bound=safe_bound(arrays, outcome.duals))
        elif outcome.status is Status.INFEASIBLE and not proved_empty(solver):
            outcome = replace(outcome, status=Status.LIMIT)
        _bound(solver, before)
        return outcome

    def _optimum(self, bound: float, outcome: SolveOutcome, worth: Floats) -> Priced:
        master, solver = self._master()
        arrays = solver.program
        counts = list(zip(master.kinds, master.counts_at(outcome.x), strict=True))
        used = frozenset(variables.kind.server for variables, n in counts if n > _SOME)
        # of types that are in, a server more costs at least what the duals leave of its price
        left = (arrays.cost - arrays.transposed_at(outcome.duals)) * (1.0 - 1e-9)
        place = {server: at for at, server in enumerate(self.needed)}
        for variables, _ in counts:
            at = place.get(variables.kind.server)
            if at is not None and variables.count is not None:
                worth[at] = min(worth[at], max(0.0, float(left[variables.count])))
        names = zip(master.program.variable_names, outcome.x.tolist(), strict=True)
        return Priced(bound, {name: value for name, value in names if value}, used, worth)

    def _selection(self, optimum: Priced) -> Selection:
        """The types that the optimum uses, and the next best of the others."""
        worth = optimum.worth
        order = sorted(
            range(len(self.needed)), key=lambda at: (self.needed[at] not in optimum.used, worth[at])
        )
        kept = order[: max(len(optimum.used), _KEPT)]
        left = worth[order[len(kept) :]]
        outside = optimum.bound + max(0.0, float(left.min(initial=INFINITY)))
        return Selection(tuple(sorted(self.needed[at] for at in kept)), outside, optimum.bound, self)


def _bound(solver: Solver, ends: Sequence[tuple[int, float, float]]) -> None:
    if ends:
        at, low, high = zip(*ends, strict=True)
        solver.bound_variables(at, low, high)


def _lowest(worth: Floats, inside: set[int], needed: Sequence[int]) -> list[int]:
    """Those that are worth more than they cost, the most first."""
    below = [at for at in np.flatnonzero(worth < 0.0).tolist() if needed[at] not in inside]
    return sorted(below, key=lambda at: float(worth[at]))[:_MORE]


def _probe(instance: Instance, needed: Sequence[int], cpu: int) -> ServerType:
    """A server that has the most of everything and is very dear: its variables stand for any type's.

    That it may stand in the programs only lowers their bounds, and lets each have a point before its types are in.
    """
    of_type = [instance.servers[s] for s in needed if instance.servers[s].cpu == cpu]
    return ServerType(
        f"any with {instance.cpus[cpu]}",
        _DEAR * max(1.0, *(instance.servers[s].cost for s in needed)),
        max(server.cores for server in of_type),
        max(server.nic for server in of_type),
        tuple(map(max, zip(*(server.slots for server in of_type), strict=True))),
        tuple(map(max, zip(*(server.bus_bandwidth for server in of_type), strict=True))),
        None,
        min(server.core_cost for server in of_type),
        cpu,
        instance.host_cores + 1,
        (1,) * len(instance.units),
        tuple(_most_accesses(of_type, bus) for bus in range(len(instance.buses))),
    )


def _most_accesses(servers: Sequence[ServerType], bus: int) -> float:
    """Of those with a limit, so that there is a row for it; infinite where none has one."""
    limits = [server.most_accesses(bus) for server in servers]
    return max(filter(math.isfinite, limits), default=math.inf)


def _first(instance: Instance, needed: Sequence[int]) -> set[int]:
    """The cheapest types, and those with most of something, in all and for the money.

    A bus that only some types have, such as that of their own disks, brings none in: there may be dozens of them.
    """
    servers = [(s, instance.servers[s]) for s in needed]
    sizes: list[Callable[[ServerType], float]] = [lambda server: server.cores, lambda server: server.nic]
    often = [sum(server.slots[b] > 0 for _, server in servers) for b in range(len(instance.buses))]
    common = [b for b, count in enumerate(often) if count > _COMMON * len(servers)]
    sizes += [lambda server, b=b: server.slots[b] for b in common]  # type: ignore[misc]
    chosen = {min(servers, key=lambda pair: pair[1].cost)[0]}
    for size in sizes:
        chosen.add(max(servers, key=lambda pair: size(pair[1]))[0])
        chosen.add(max(servers, key=lambda pair: size(pair[1]) / max(pair[1].cost, 1e-9))[0])
    return chosen


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the contents of a probe stand in a program over several types."""

    shared: npt.NDArray[np.bool_]
    """(rows) those that servers share."""
    contents: npt.NDArray[np.int_]
    """Variables of the probe, in the order of its class's."""
    count: int
    """Variable of how many there are."""


class _Class:
    """A role with a core type: one program of one server, whose right sides make it any of its types."""

    def __init__(self, sub: Subproblem, probe: ServerKind, needed: Sequence[int]) -> None:
        program = Program()
        contents = ServerRows(program, sub, probe)
        hold_parts(program, sub, contents.add(), contents.label)
        self.label, self.names = contents.label, program.variable_names
        self.arrays = program.arrays()
        self.cost = self.arrays.cost.copy()
        self.servers = [sub.instance.servers[s] for s in needed]
        self.mine = np.array([server.cpu == sub.server(probe).cpu for server in self.servers])
        kinds = [ServerKind(s, probe.host, probe.tasks) for s in needed]
        self.base = np.array([sub.base_cost(kind) for kind in kinds])
        self.needed = needed
        self.low, self.high = self._sides(sub, probe, kinds, program.row_names)
        self._solver = Solver(program.arrays(), SolverOptions(presolve=False), relaxed=True)

    def _sides(
        self, sub: Subproblem, probe: ServerKind, kinds: Sequence[ServerKind], rows: Sequence[str]
    ) -> tuple[Floats, Floats]:
        """(types, rows) the right sides of each type."""
        most, instance = sub.server(probe), sub.instance
        low = np.tile(self.arrays.row_lower, (len(kinds), 1))
        high = np.tile(self.arrays.row_upper, (len(kinds), 1))
        cores = sub.instance.host_cores if probe.host else 0
        buses, units = instance.buses, instance.units
        for row, name in enumerate(rows):
            rest = name.removeprefix(f"{self.label}:")
            if rest == "cores":
                high[:, row] = [server.cores - cores for server in self.servers]
            elif rest == "included: cores":
                low[:, row] = [-float(sub.spare_cores(kind)) for kind in kinds]
            elif rest.startswith(("network (", "rack uplink (")):
                high[:, row] = [server.nic / most.nic for server in self.servers]
            for b, bus in enumerate(buses):
                if rest == f"slots of {bus}":
                    high[:, row] = [server.slots[b] for server in self.servers]
                elif rest.startswith(f"bandwidth of {bus} in "):
                    width = most.bus_bandwidth[b]
                    high[:, row] = [
                        w / width if (w := server.bus_bandwidth[b]) > 0 else _WIDE for server in self.servers
                    ]
                elif rest.startswith(f"IOPS of {bus} in "):
                    accesses = most.most_accesses(b)
                    high[:, row] = [min(server.most_accesses(b) / accesses, _WIDE) for server in self.servers]
            for u, unit in enumerate(units):
                if rest == f"included unit {unit.name}":
                    low[:, row] = [
                        -float(server.included_units[u] if server.included_units else 0)
                        for server in self.servers
                    ]
        return low, high

    def places(self, variables: Sequence[str], rows: Sequence[str]) -> _Places:
        """Where its contents stand in a program over several types."""
        at = {name: place for place, name in enumerate(variables) if name.startswith(self.label)}
        own = (f"{self.label}:", "count of any with")
        shared = np.array([not name.startswith(own) for name in rows])
        return _Places(shared, np.array([at[name] for name in self.names]), at[f"{self.label}:count"])

    def price(self, places: _Places, arrays: Arrays, duals: Floats, inside: set[int]) -> Floats:
        """(types) how far the price of a server is above all that it can be worth, from below; at least.

        Types that are in, and those of another core type, have infinity.
        """
        pull, of_count = _pull(places, arrays, duals)
        cost = self.cost - pull
        worth = np.where(self.mine, -INFINITY, INFINITY)
        worth[[at for at, server in enumerate(self.needed) if server in inside]] = INFINITY
        self._solver.set_costs(range(len(cost)), cost)
        tolerance, solved, below = 1e-7 * self.base, set(), 0
        while below < _MORE:
            open_ = [at for at in np.flatnonzero(worth < -tolerance).tolist() if at not in solved]
            if not open_:
                break
            at = min(open_, key=lambda place: float(worth[place]))
            solved.add(at)
            y = self._duals(at)
            worth = np.maximum(worth, self._bounds(cost, y) + self.base - of_count)
            below += bool(worth[at] < -tolerance[at])
        return np.where((worth < 0) & (worth >= -tolerance), 0.0, worth)

    def _duals(self, at: int) -> Floats:
        """Of the program of one type."""
        self._solver.bound_rows(self.low[at], self.high[at])
        outcome = self._solver.run()
        return outcome.duals if outcome.status is Status.OPTIMAL else np.zeros(self.low.shape[1])

    def _bounds(self, cost: Floats, y: Floats) -> Floats:
        """(types) what any content costs at least, by duals of one of them: weak duality holds for all."""
        arrays = self.arrays
        ends = np.where(y > 0, self.low, np.where(y < 0, self.high, 0.0))
        # a row without an end on that side cannot have such a dual: it then is left out
        known = np.isfinite(ends).all(axis=0)
        y, ends = np.where(known, y, 0.0), np.where(known, ends, 0.0)
        rows = np.asarray(ends @ y, dtype=np.float64)
        reduced = cost - arrays.transposed_at(y)
        size = np.abs(cost) + np.bincount(
            arrays.index, np.abs(arrays.value * y[arrays.row_of]), minlength=len(cost)
        )
        error = EPSILON * (np.bincount(arrays.index, minlength=len(cost)) + 2) * size
        variables = float(np.minimum(0.0, (reduced - error) * arrays.upper).sum())
        slack = EPSILON * ends.shape[1] * (np.abs(y).sum() + np.abs(variables))
        bounds: Floats = rows + (variables - slack)
        return bounds


def _pull(places: _Places, arrays: Arrays, duals: Floats) -> tuple[Floats, float]:
    """What the duals of shared rows pay for each variable of a server, and for a server itself."""
    ends = np.where(duals > 0, arrays.row_lower, arrays.row_upper)
    paid = arrays.transposed_at(np.where(places.shared & np.isfinite(ends), duals, 0.0))
    return paid[places.contents], float(paid[places.count])
