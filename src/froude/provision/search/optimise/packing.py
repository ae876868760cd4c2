"""What fixed choices cost: server patterns by column generation, with a bound from duals that is always safe.

A pattern is what one server can hold. The packing program picks how many servers have each pattern so that
every copy and every task is covered; pricing finds the pattern that its duals want most. The bound at any time
is `dual value / (1 + max over kinds of |rc| / price)`: with duals divided so, no pattern of any kind is worth
more than it costs. |rc| is how far below zero the reduced cost of a kind can be, proved by our own tree
(`froude.provision.search.optimise.tree`), and the price is that of the kind's empty server. Farley's ratio taken at
the pattern of least reduced cost is not valid here, because servers cost unequally.

Source: Farley (1990) as corrected in spec 2.2; ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from froude.provision.search.optimise.contents import MANY, Columns, Contents
from froude.provision.search.optimise.highs import INFINITY, Floats, Limits, Program, Status, solve
from froude.provision.search.optimise.scope import Scope, ServerKind
from froude.provision.search.optimise.settle import Content, Servers, content_at
from froude.provision.search.optimise.tree import Proof, prove

_ROUNDS = 120
_NODES = 400
"""Most programs of the tree of a pricing problem."""
_IMPROVES = 1e-6
"""A pattern is worth having when its reduced cost is this share of its server's price below zero."""
TOLERANCE = 1e-9
"""Relative; taken off every bound for what rounding does to the sums of duals."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What one server holds, by the names of its columns: valid in every program that has these names."""

    kind: ServerKind
    values: tuple[tuple[str, float], ...]


class Pool:
    """Patterns found so far, shared over choices and SLAs."""

    def __init__(self, most: int = 2000) -> None:
        self._patterns: dict[Pattern, None] = {}
        self._most = most

    def add(self, pattern: Pattern) -> None:
        """Keep a pattern; the oldest goes when there are too many."""
        self._patterns[pattern] = None
        if len(self._patterns) > self._most:
            del self._patterns[next(iter(self._patterns))]

    def of(self, kind: ServerKind) -> list[Pattern]:
        """Those of a kind."""
        return [pattern for pattern in self._patterns if pattern.kind == kind]


@dataclass(frozen=True, slots=True)
class Bound:
    """What column generation ended with."""

    lower: float
    """No cluster with these choices costs less; infinite when there is none."""
    relaxed: float
    """Cost of the fractional packing."""
    fractions: tuple[float, ...]
    """Servers per pattern of `Packing.patterns`."""


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


class _Pricer:
    """One kind: its program of one server, and what its columns cover."""

    def __init__(self, of: Scope, kind: ServerKind) -> None:
        self.kind, self.base = kind, of.base_cost(kind)
        program = Program()
        self.columns: Columns = Contents(program, of, kind).add()
        self.names = program.column_names
        self.arrays = program.arrays()
        self.cost = self.arrays.cost.copy()
        self.possible = bool((self.arrays.lower <= self.arrays.upper).all())

    def cheapest(self, cost: Floats, target: float) -> tuple[float, Floats]:
        """(value, point) of the pattern of least cost; of any, or none, where all cost the target or more.

        Our own tree finds it sooner than HiGHS, which has been seen to miss it; HiGHS where the tree is too large.
        """
        proof = self._proof(cost, target)
        if proof.bound >= target:
            return INFINITY, np.empty(0)
        if proof.x is not None and proof.nodes < _NODES:
            return float(cost @ proof.x), proof.x
        outcome = solve(self.arrays, Limits(gap=1e-4, nodes=_NODES))
        return (outcome.objective, outcome.x) if outcome.found else (INFINITY, outcome.x)

    def bound(self, cost: Floats, target: float) -> float:
        """The same from below."""
        return self._proof(cost, target).bound

    def _proof(self, cost: Floats, target: float) -> Proof:
        self.arrays.cost[:] = cost
        return prove(self.arrays, target, first=[list(self.columns.units.values())], nodes=_NODES)

    def place(self, total: Total) -> int | None:
        """The column that a total sums, where it is one."""
        columns = self.columns
        if total.what == "units":
            return columns.units.get(int(total.key))  # type: ignore[arg-type]
        if total.what == "instances":
            return columns.instances.get(int(total.key))  # type: ignore[arg-type]
        return {"cores": columns.cores, "dimms": columns.dimms}.get(total.what)

    def counts(self, total: Total) -> bool:
        """Does a total count servers, these among them?"""
        return total in (Total("servers", self.kind.server), Total("kind", self.kind))

    def amount(self, total: Total, x: Floats) -> float:
        """What a server with this content adds to a total."""
        column = self.place(total)
        return float(self.counts(total)) if column is None else float(x[column])

    def vector(self, pattern: Pattern) -> Floats | None:
        """A pooled pattern as a point of this program, or None when it does not fit it."""
        values = dict(pattern.values)
        x = np.array([values.pop(name, 0.0) for name in self.names])
        if values or (x > self.arrays.upper + 1e-9).any():
            return None
        at = self.arrays.rows_at(x)
        fits = (at <= self.arrays.row_upper + 1e-9) & (at >= self.arrays.row_lower - 1e-9)
        return x if bool(fits.all()) else None


class Packing:
    """Column generation for one fixed scope."""

    def __init__(self, of: Scope, pool: Pool, expired: Callable[[], bool] = lambda: False) -> None:
        """Take the pool's patterns that still fit.

        Args:
            of: a fixed scope: one choice is open for each dataset.
            pool: patterns of servers from earlier packings, which new ones are added to.
            expired: whether time is up, asked between steps.
        """
        self.scope, self._pool, self._expired = of, pool, expired
        self.pricers = [p for p in (_Pricer(of, kind) for kind in of.kinds) if p.possible]
        self._limited = tuple(
            TotalLimit(Total("servers", at), at_least=False, amount=float(server.max_count))
            for at, server in enumerate(of.instance.servers)
            if server.max_count is not None
        )
        self.branch: tuple[TotalLimit, ...] = ()
        """Rows of the node at hand (see `froude.provision.search.optimise.branching`)."""
        self.needed = self._needs()
        self.patterns: list[tuple[_Pricer, Floats]] = []
        self._covers: list[Floats] = []
        self._costs: list[float] = []
        for pricer in self.pricers:
            for pattern in pool.of(pricer.kind):
                x = pricer.vector(pattern)
                if x is not None:
                    self._take(pricer, x)

    def _needs(self) -> Floats:
        items = self.scope.items
        loads = [item.scale for item in items]
        units = [float(item.copy.min_units) for item in items]
        work = [self.scope.task_scale[task] for task in self.scope.tasks]
        return np.array([*loads, *units, *work])

    def _cover(self, pricer: _Pricer, x: Floats) -> Floats:
        """What a server with this content covers of `needed`."""
        columns, items = pricer.columns, range(len(self.scope.items))
        loads = [x[columns.load[i]] if i in columns.load else 0.0 for i in items]
        units = [x[columns.units[i]] if i in columns.units else 0.0 for i in items]
        work = [x[columns.work[t]] if t in columns.work else 0.0 for t in self.scope.tasks]
        return np.array([*loads, *units, *work])

    def _take(self, pricer: _Pricer, x: Floats) -> None:
        self.patterns.append((pricer, x))
        self._covers.append(self._cover(pricer, x))
        self._costs.append(pricer.base + float(pricer.cost @ x))

    def _find(self, pricer: _Pricer, x: Floats) -> None:
        """A new pattern, for here and for the pool; counts exactly whole."""
        x = np.where(pricer.arrays.integer, np.round(x), x)
        self._take(pricer, x)
        named = tuple((n, float(v)) for n, v in zip(pricer.names, x, strict=True) if v)
        self._pool.add(Pattern(pricer.kind, named))

    def _program(self, *, whole: bool, penalty: float) -> Program:
        program = Program()
        for at, cost in enumerate(self._costs):
            program.column(f"pattern {at}", cost=cost, upper=MANY, integer=whole)
        matrix = np.array(self._covers).reshape(len(self._covers), len(self.needed))
        for row, needed in enumerate(self.needed):
            terms = [(int(c), float(matrix[c, row])) for c in np.flatnonzero(matrix[:, row])]
            missing = program.column(f"missing {row}", cost=penalty / needed, upper=float(needed))
            program.row(f"cover {row}", [*terms, (missing, 1.0)], lower=float(needed))
        for at, limit in enumerate(self._rows):
            terms = [(c, p.amount(limit.total, x)) for c, (p, x) in enumerate(self.patterns)]
            if limit.at_least:
                missing = program.column(f"missing in {at}", cost=penalty / limit.amount, upper=limit.amount)
                program.row(f"limit {at}", [*terms, (missing, 1.0)], lower=limit.amount)
            else:
                program.row(f"limit {at}", terms, upper=limit.amount)
        return program

    @property
    def _rows(self) -> tuple[TotalLimit, ...]:
        return (*self._limited, *self.branch)

    def generate(self, penalty: float, enough: float = 1e-5) -> Bound:
        """Add patterns until none is worth it.

        Args:
            penalty: dollars for covering nothing of a copy or task; above any cluster worth considering.
            enough: relative distance of bound and fractional cost at which it may stop.
        """
        lower, outcome = 0.0, None
        for _ in range(_ROUNDS):
            outcome = solve(self._program(whole=False, penalty=penalty), Limits(presolve=False))
            if outcome.status is not Status.OPTIMAL:
                return Bound(lower, INFINITY, ())
            duals, known = outcome.duals, len(self.patterns)
            worst = self._price(duals)
            if worst < _IMPROVES or outcome.objective / (1.0 + worst) >= outcome.objective * (1.0 - enough):
                break
            if self._expired():
                break
        assert outcome is not None
        lower = max(lower, self._safe(outcome.duals))
        # The last pricing may have found patterns that this solution does not know.
        fractions = (*outcome.x[:known].tolist(), *(0.0 for _ in self.patterns[known:]))
        return Bound(lower, outcome.objective, fractions)

    def _reduced(self, pricer: _Pricer, duals: Floats) -> tuple[Floats, float]:
        """(costs of the pricer's columns, constant) under duals."""
        cost, columns, items = pricer.cost.copy(), pricer.columns, len(self.scope.items)
        for i, column in columns.load.items():
            cost[column] -= duals[i]
        for i, column in columns.units.items():
            cost[column] -= duals[items + i]
        for at, task in enumerate(self.scope.tasks):
            if task in columns.work:
                cost[columns.work[task]] -= duals[2 * items + at]
        constant = pricer.base
        for row, dual in zip(self._rows, duals[len(self.needed) :].tolist(), strict=True):
            place = pricer.place(row.total)
            if place is not None:
                cost[place] -= dual
            elif pricer.counts(row.total):
                constant -= dual
        return cost, constant

    def _price(self, duals: Floats) -> float:
        """Add the best pattern of each kind; returns the largest |rc| / price."""
        worst = 0.0
        for pricer in self.pricers:
            cost, constant = self._reduced(pricer, duals)
            price = max(pricer.base, 1e-9)
            value, x = pricer.cheapest(cost, -constant - _IMPROVES * price)
            if value + constant < -_IMPROVES * price:
                worst = max(worst, -(value + constant) / price)
                self._find(pricer, x)
        return worst

    def _safe(self, duals: Floats) -> float:
        """The bound of these duals, everything computed here."""
        clean = duals.copy()
        upward = np.array([*(True for _ in self.needed), *(row.at_least for row in self._rows)])
        clean = np.where(upward, np.maximum(clean, 0.0), np.minimum(clean, 0.0))
        value = float(clean @ np.array([*self.needed, *(row.amount for row in self._rows)]))
        worst = 0.0
        for pricer in self.pricers:
            cost, constant = self._reduced(pricer, clean)
            below = pricer.bound(cost, -constant) + constant
            if below < 0:
                worst = max(worst, -below / pricer.base if pricer.base > 0 else INFINITY)
        return max(0.0, value / (1.0 + worst) * (1.0 - TOLERANCE))

    def fractional(self, fractions: tuple[float, ...]) -> tuple[Total, float] | None:
        """The total that is furthest from whole at a fractional packing, counts of servers first.

        Those of a type first, whatever its servers do: else one more host for one worker less would evade it.
        """
        used = [(p, x, n) for (p, x), n in zip(self.patterns, fractions, strict=True) if n > 1e-9]
        kinds = [Total("kind", pricer.kind) for pricer in self.pricers]
        types = [
            Total("servers", server) for server in sorted({pricer.kind.server for pricer in self.pricers})
        ]
        things = [Total("units", i) for i in range(len(self.scope.items))]
        tasks = [Total("instances", t) for t in self.scope.tasks]
        for totals in (types, kinds, [*things, Total("cores"), Total("dimms")], tasks):
            amounts = [(sum(p.amount(t, x) * n for p, x, n in used), t) for t in totals]
            away = [(abs(amount - round(amount)), -at) for at, (amount, _) in enumerate(amounts)]
            most, at = max(away, default=(0.0, 0))
            if most > 1e-5:
                return amounts[-at][1], amounts[-at][0]
        return None

    def restricted(self, penalty: float, limits: Limits) -> Servers | None:
        """The best whole numbers of the patterns at hand, or None when they cannot cover everything.

        Args:
            penalty: dollars for covering nothing of a copy or task; above any cluster worth considering.
            limits: of the solve.
        """
        outcome = solve(self._program(whole=True, penalty=penalty), limits)
        missing = outcome.x[len(self.patterns) :] if outcome.found else np.ones(1)
        if missing.max(initial=0.0) > 1e-9:
            return None
        return self._servers(np.round(outcome.x[: len(self.patterns)]))

    def floored(self, fractions: tuple[float, ...]) -> Servers:
        """The whole part of a fractional packing."""
        return self._servers(np.floor(np.array(fractions) + 1e-9))

    def ceiled(self, fractions: tuple[float, ...]) -> Servers | None:
        """A fractional packing rounded up; None when it leaves something out or takes too many servers."""
        counts = np.ceil(np.array(fractions) - 1e-9)
        covers = counts @ np.array(self._covers)
        scarce = [
            sum(p.amount(row.total, x) * n for (p, x), n in zip(self.patterns, counts, strict=True))
            > row.amount
            for row in self._limited
        ]
        if (covers < self.needed * (1 - 1e-7)).any() or any(scarce):
            return None
        return self._servers(counts)

    def _servers(self, counts: Floats) -> Servers:
        servers: list[tuple[Content, int]] = []
        for (pricer, x), count in zip(self.patterns, counts.tolist(), strict=True):
            if count:
                servers.append((content_at(self.scope, pricer.columns, x), int(count)))
        return servers
