"""What fixed choices cost, by column generation, with a bound from duals that is always safe.

A column is what one server can hold. The restricted master picks how many servers have each column known so far, so
that every copy and every task is covered; the pricing problem of each kind of server finds the column of least reduced
cost under its duals. The bound at any time is `dual value / (1 + max over kinds of |rc| / price)`: with duals divided
so, no column of any kind is worth more than it costs. |rc| is how far below zero the reduced cost of a kind can be,
proved by our own tree (`branch_and_bound`), and the price is that of the kind's empty server. Farley's ratio taken at
the column of least reduced cost is not valid here, because servers cost unequally.

Source: Farley (1990) as corrected in spec 2.2; ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from froude.provision.search.optimise.branch_and_bound import Proof, prove
from froude.provision.search.optimise.highs import INFINITY, Floats, Program, SolverOptions, Status, solve
from froude.provision.search.optimise.rounding import Content, Servers, content_at
from froude.provision.search.optimise.server_rows import ServerRows, ServerVariables
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem

_ROUNDS = 120
ROUND_UP_FROM = 1e4
"""From so many servers on one more of each content is next to nothing, and HiGHS loses itself in whole numbers."""
_WORTH = 10.0
"""Servers that a load of one server's worth is worth where a server is filled with nothing else."""
_SOLVE_S = 20.0
"""For one linear program, which takes far less unless the solver is led astray."""
_NODES = 400
"""Most programs of the tree of a pricing problem."""
_IMPROVES = 1e-6
"""A column is worth having when its reduced cost is this share of its server's price below zero."""
TOLERANCE = 1e-9
"""Relative; taken off every bound for what rounding does to the sums of duals."""


@dataclass(frozen=True, slots=True)
class Column:
    """What one server holds, by the names of its variables: valid in every program that has these names."""

    kind: ServerKind
    values: tuple[tuple[str, float], ...]


class ColumnPool:
    """Patterns found so far, shared over choices and SLAs."""

    def __init__(self, most: int = 2000) -> None:
        self._columns: dict[Column, None] = {}
        self._most = most

    def add(self, column: Column) -> None:
        """Keep a column; the oldest goes when there are too many."""
        self._columns[column] = None
        if len(self._columns) > self._most:
            del self._columns[next(iter(self._columns))]

    def of_kind(self, kind: ServerKind) -> list[Column]:
        """Those of a kind."""
        return [column for column in self._columns if column.kind == kind]


@dataclass(frozen=True, slots=True)
class Bound:
    """What column generation ended with."""

    lower: float
    """No cluster with these choices costs less; infinite when there is none."""
    relaxed: float
    """Cost of the fractional packing."""
    fractions: tuple[float, ...]
    """Servers per column of `RestrictedMaster.columns`."""


@dataclass(frozen=True, slots=True)
class Total:
    """A whole number of any cluster: something summed over all servers."""

    what: str
    """`servers` of a type, servers of a `kind`, `units` of an item, `instances` of a task, `cores`, `dimms`."""
    key: int | ServerKind = 0


@dataclass(frozen=True, slots=True)
class TotalLimit:
    """A limit on a total."""

    total: Total
    at_least: bool
    amount: float


class PricingProblem:
    """One kind: its program of one server, and what its variables cover."""

    def __init__(self, sub: Subproblem, kind: ServerKind) -> None:
        self.kind, self.base = kind, sub.base_cost(kind)
        program = Program()
        self.variables: ServerVariables = ServerRows(program, sub, kind).add()
        self.names = program.variable_names
        self.arrays = program.arrays()
        self.cost = self.arrays.cost.copy()
        self.possible = bool((self.arrays.lower <= self.arrays.upper).all())

    def cheapest(self, cost: Floats, target: float) -> tuple[float, Floats]:
        """(value, point) of the column of least cost; of any, or none, where all cost the target or more.

        Our own tree finds it sooner than HiGHS, which has been seen to miss it; HiGHS where the tree is too large.
        """
        proof = self._proof(cost, target)
        if proof.bound >= target:
            return INFINITY, np.empty(0)
        if proof.x is not None and proof.nodes < _NODES:
            return float(cost @ proof.x), proof.x
        outcome = solve(self.arrays, SolverOptions(gap=1e-4, nodes=_NODES))
        return (outcome.objective, outcome.x) if outcome.found else (INFINITY, outcome.x)

    def bound(self, cost: Floats, target: float) -> float:
        """The same from below."""
        return self._proof(cost, target).bound

    def _proof(self, cost: Floats, target: float) -> Proof:
        self.arrays.cost[:] = cost
        return prove(self.arrays, target, first=[list(self.variables.units.values())], nodes=_NODES)

    def place(self, total: Total) -> int | None:
        """The variable that a total sums, where it is one."""
        variables = self.variables
        if total.what == "units":
            return variables.units.get(int(total.key))  # type: ignore[arg-type]
        if total.what == "instances":
            return variables.instances.get(int(total.key))  # type: ignore[arg-type]
        return {"cores": variables.cores, "dimms": variables.dimms}.get(total.what)

    def counts(self, total: Total) -> bool:
        """Does a total count servers, these among them?"""
        return total in (Total("servers", self.kind.server), Total("kind", self.kind))

    def amount(self, total: Total, x: Floats) -> float:
        """What a server with this content adds to a total."""
        variable = self.place(total)
        return float(self.counts(total)) if variable is None else float(x[variable])

    def vector(self, column: Column) -> Floats | None:
        """A column of the pool as a point of this program, or None when it does not fit it."""
        values = dict(column.values)
        x = np.array([values.pop(name, 0.0) for name in self.names])
        if values or (x > self.arrays.upper + 1e-9).any():
            return None
        at = self.arrays.rows_at(x)
        fits = (at <= self.arrays.row_upper + 1e-9) & (at >= self.arrays.row_lower - 1e-9)
        return x if bool(fits.all()) else None


class RestrictedMaster:
    """Column generation for one fixed subproblem."""

    def __init__(
        self, sub: Subproblem, pool: ColumnPool, expired: Callable[[], bool] = lambda: False
    ) -> None:
        """Take the pool's columns that still fit.

        Args:
            sub: a fixed subproblem: one choice is open for each dataset.
            pool: columns from earlier runs, which new ones are added to.
            expired: whether time is up, asked between steps.
        """
        self.sub, self._pool, self._expired = sub, pool, expired
        self.pricing_problems = [p for p in (PricingProblem(sub, kind) for kind in sub.kinds) if p.possible]
        self._limited = tuple(
            TotalLimit(Total("servers", at), at_least=False, amount=float(server.max_count))
            for at, server in enumerate(sub.instance.servers)
            if server.max_count is not None
        )
        self.branching_rows: tuple[TotalLimit, ...] = ()
        """Rows of the node at hand (see `packer`)."""
        self.needed = self._needs()
        self.columns: list[tuple[PricingProblem, Floats]] = []
        self._covers: list[Floats] = []
        self._costs: list[float] = []
        for pricing in self.pricing_problems:
            for column in pool.of_kind(pricing.kind):
                x = pricing.vector(column)
                if x is not None:
                    self._append(pricing, x)

    def _needs(self) -> Floats:
        items = self.sub.items
        loads = [item.scale for item in items]
        units = [float(item.copy.min_units) for item in items]
        work = [self.sub.task_scale[task] for task in self.sub.tasks]
        return np.array([*loads, *units, *work])

    def _cover(self, pricing: PricingProblem, x: Floats) -> Floats:
        """What a server with this content covers of `needed`."""
        variables, items = pricing.variables, range(len(self.sub.items))
        loads = [x[variables.load[i]] if i in variables.load else 0.0 for i in items]
        units = [x[variables.units[i]] if i in variables.units else 0.0 for i in items]
        work = [x[variables.work[t]] if t in variables.work else 0.0 for t in self.sub.tasks]
        return np.array([*loads, *units, *work])

    def _append(self, pricing: PricingProblem, x: Floats) -> None:
        self.columns.append((pricing, x))
        self._covers.append(self._cover(pricing, x))
        self._costs.append(pricing.base + float(pricing.cost @ x))

    def _add_column(self, pricing: PricingProblem, x: Floats) -> None:
        """A new column, for here and for the pool; counts exactly whole."""
        x = np.where(pricing.arrays.integer, np.round(x), x)
        self._append(pricing, x)
        named = tuple((n, float(v)) for n, v in zip(pricing.names, x, strict=True) if v)
        self._pool.add(Column(pricing.kind, named))

    def _program(self, *, whole: bool, penalty: float) -> Program:
        program, many = Program(self.sub.unit), self.sub.many
        for at, cost in enumerate(self._costs):
            program.variable(f"column {at}", cost=cost, upper=many, integer=whole)
        matrix = np.array(self._covers).reshape(len(self._covers), len(self.needed))
        for row, needed in enumerate(self.needed):
            terms = [(int(c), float(matrix[c, row])) for c in np.flatnonzero(matrix[:, row])]
            missing = program.variable(f"missing {row}", cost=penalty / needed, upper=float(needed))
            program.row(f"cover {row}", [*terms, (missing, 1.0)], lower=float(needed))
        for at, limit in enumerate(self._rows):
            terms = [(c, p.amount(limit.total, x)) for c, (p, x) in enumerate(self.columns)]
            if limit.at_least:
                missing = program.variable(
                    f"missing in {at}", cost=penalty / limit.amount, upper=limit.amount
                )
                program.row(f"limit {at}", [*terms, (missing, 1.0)], lower=limit.amount)
            else:
                program.row(f"limit {at}", terms, upper=limit.amount)
        return program

    @property
    def _rows(self) -> tuple[TotalLimit, ...]:
        return (*self._limited, *self.branching_rows)

    def generate(self, penalty: float, enough: float = 1e-5) -> Bound:
        """Add columns until none is worth it.

        Args:
            penalty: dollars for covering nothing of a copy or task; above any cluster worth considering.
            enough: relative distance of bound and fractional cost at which it may stop.
        """
        lower, outcome = 0.0, None
        if self.sub.load >= ROUND_UP_FROM:
            self._cover_each()
        for _ in range(_ROUNDS):
            outcome = solve(
                self._program(whole=False, penalty=penalty), SolverOptions(_SOLVE_S, presolve=False)
            )
            if outcome.status is not Status.OPTIMAL:
                return Bound(lower, INFINITY, ())
            duals, known = outcome.duals, len(self.columns)
            worst = self._price(duals)
            if worst < _IMPROVES or outcome.objective / (1.0 + worst) >= outcome.objective * (1.0 - enough):
                break
            if self._expired():
                break
        assert outcome is not None
        lower = max(lower, self._safe(outcome.duals))
        # The last pricing may have found columns that this solution does not know.
        fractions = (*outcome.x[:known].tolist(), *(0.0 for _ in self.columns[known:]))
        return Bound(lower, outcome.objective, fractions)

    def _cover_each(self) -> None:
        """Columns full of one thing each, so that a cluster is at hand however early time is over."""
        covers = np.array(self._covers).reshape(len(self._covers), len(self.needed))
        covered = np.asarray(covers.sum(axis=0) > 0)
        items, tasks = len(self.sub.items), len(self.sub.tasks)
        for row in (*range(items), *range(2 * items, 2 * items + tasks)):
            for pricing in self.pricing_problems if not covered[row] else ():
                duals = np.zeros(len(self.needed) + len(self._rows))
                duals[row] = _WORTH * pricing.base
                program = replace(pricing.arrays, cost=self._reduced_costs(pricing, duals)[0])
                outcome = solve(program, SolverOptions(_SOLVE_S, 0.01, _NODES))
                if outcome.found and self._cover(pricing, outcome.x)[row] > 0:
                    self._add_column(pricing, outcome.x)

    def _reduced_costs(self, pricing: PricingProblem, duals: Floats) -> tuple[Floats, float]:
        """(costs of the pricing problem's variables, constant) under duals."""
        cost, variables, items = pricing.cost.copy(), pricing.variables, len(self.sub.items)
        for i, variable in variables.load.items():
            cost[variable] -= duals[i]
        for i, variable in variables.units.items():
            cost[variable] -= duals[items + i]
        for at, task in enumerate(self.sub.tasks):
            if task in variables.work:
                cost[variables.work[task]] -= duals[2 * items + at]
        constant = pricing.base
        for row, dual in zip(self._rows, duals[len(self.needed) :].tolist(), strict=True):
            place = pricing.place(row.total)
            if place is not None:
                cost[place] -= dual
            elif pricing.counts(row.total):
                constant -= dual
        return cost, constant

    def _price(self, duals: Floats) -> float:
        """Add the best column of each kind; returns the largest |rc| / price."""
        worst = 0.0
        for pricing in self.pricing_problems:
            cost, constant = self._reduced_costs(pricing, duals)
            price = max(pricing.base, 1e-9)
            value, x = pricing.cheapest(cost, -constant - _IMPROVES * price)
            if value + constant < -_IMPROVES * price:
                worst = max(worst, -(value + constant) / price)
                self._add_column(pricing, x)
        return worst

    def _safe(self, duals: Floats) -> float:
        """The bound of these duals, everything computed here."""
        clean = duals.copy()
        upward = np.array([*(True for _ in self.needed), *(row.at_least for row in self._rows)])
        clean = np.where(upward, np.maximum(clean, 0.0), np.minimum(clean, 0.0))
        value = float(clean @ np.array([*self.needed, *(row.amount for row in self._rows)]))
        worst = 0.0
        for pricing in self.pricing_problems:
            cost, constant = self._reduced_costs(pricing, clean)
            below = pricing.bound(cost, -constant) + constant
            if below < 0:
                worst = max(worst, -below / pricing.base if pricing.base > 0 else INFINITY)
        return max(0.0, value / (1.0 + worst) * (1.0 - TOLERANCE))

    def fractional(self, fractions: tuple[float, ...]) -> tuple[Total, float] | None:
        """The total that is furthest from whole at a fractional packing, counts of servers first.

        Those of a type first, whatever its servers do: else one more host for one worker less would evade it.
        """
        used = [(p, x, n) for (p, x), n in zip(self.columns, fractions, strict=True) if n > 1e-9]
        kinds = [Total("kind", pricing.kind) for pricing in self.pricing_problems]
        types = [
            Total("servers", server)
            for server in sorted({pricing.kind.server for pricing in self.pricing_problems})
        ]
        things = [Total("units", i) for i in range(len(self.sub.items))]
        tasks = [Total("instances", t) for t in self.sub.tasks]
        for totals in (types, kinds, [*things, Total("cores"), Total("dimms")], tasks):
            amounts = [(sum(p.amount(t, x) * n for p, x, n in used), t) for t in totals]
            away = [(abs(amount - round(amount)), -at) for at, (amount, _) in enumerate(amounts)]
            most, at = max(away, default=(0.0, 0))
            if most > 1e-5:
                return amounts[-at][1], amounts[-at][0]
        return None

    def integer_solution(self, penalty: float, options: SolverOptions) -> Servers | None:
        """The best whole numbers of the columns at hand, or None when they cannot cover everything.

        Args:
            penalty: dollars for covering nothing of a copy or task; above any cluster worth considering.
        """
        outcome = solve(self._program(whole=True, penalty=penalty), options)
        missing = outcome.x[len(self.columns) :] if outcome.found else np.ones(1)
        if missing.max(initial=0.0) > 1e-9:
            return None
        return self._servers(np.round(outcome.x[: len(self.columns)]))

    def rounded_down(self, fractions: tuple[float, ...]) -> Servers:
        """The whole part of a fractional packing."""
        return self._servers(np.floor(np.array(fractions) + 1e-9))

    def rounded_up(self, fractions: tuple[float, ...]) -> Servers | None:
        """A fractional packing rounded up; None when it leaves something out or takes too many servers."""
        counts = np.ceil(np.array(fractions) - 1e-9)
        covers = counts @ np.array(self._covers)
        scarce = [
            sum(p.amount(row.total, x) * n for (p, x), n in zip(self.columns, counts, strict=True))
            > row.amount
            for row in self._limited
        ]
        if (covers < self.needed * (1 - 1e-7)).any() or any(scarce):
            return None
        return self._servers(counts)

    def _servers(self, counts: Floats) -> Servers:
        servers: list[tuple[Content, int]] = []
        for (pricing, x), count in zip(self.columns, counts.tolist(), strict=True):
            if count:
                servers.append((content_at(self.sub, pricing.variables, x), int(count)))
        return servers
