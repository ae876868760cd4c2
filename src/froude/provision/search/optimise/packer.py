"""Packs one tier of a fixed choice: tries the cheap ways first, stops as soon as its two bounds meet.

With isolation no server is shared between hosts and workers, so both tiers are packed apart and their bounds
add up; without it, and where a server type is scarce, there is one tier.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from froude.provision.search.optimise.bounds import safe_bound
from froude.provision.search.optimise.branching import raise_bound
from froude.provision.search.optimise.cuts import Cut, quickest
from froude.provision.search.optimise.highs import INFINITY, Floats, Limits, Solver, Status, solve
from froude.provision.search.optimise.master import NOTHING, Master, Placed
from froude.provision.search.optimise.packing import Bound, Packing, Pool
from froude.provision.search.optimise.scope import Scope, ServerKind
from froude.provision.search.optimise.settle import Servers, content_at, cost_of, groups_of, settle
from froude.provision.search.optimise.tree import prove, proved_empty

FEW_SERVERS = 8
"""Up to here a program of single servers is solved at once."""
_VERY_FEW = 4
"""Up to here single servers are proved before patterns: beyond, patterns and branches on totals do more in less time."""
_NODES = 3000
_PLACED = 1000
"""Most nodes of HiGHS for placing things on very few servers; a tenth of it on more."""
_GROWN = 1.2
"""Times the patterns of the last rounding from which on another one is worth its time."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the packing of all tiers shares."""

    gap: float
    seed: int
    budget: float
    """No cluster worth considering costs more."""
    left_s: Callable[[], float]
    pool: Pool
    branches: int = 60
    """Most generations of a branch and price."""

    def limits(self, share: float = 1.0, *, nodes: int = _NODES, most_s: float = INFINITY) -> Limits:
        """Of a solve within the packing.

        Args:
            share: how much of the time that is left it may take, above 0 to 1.
            nodes: most nodes of its search tree.
            most_s: seconds that it may take at most, whatever is left.
        """
        return Limits(min(self.left_s() * share, most_s), self.gap / 10, nodes, self.seed)

    def expired(self) -> bool:
        """Is the time over?"""
        return self.left_s() <= 0


def tiers(of: Scope) -> list[Scope]:
    """The parts of a fixed scope that share no server, without what its choices cost besides."""
    of = replace(of, choices_paid=False)
    kinds = parts(of)
    scopes = [of]
    if len(kinds) > 1:
        scopes = [replace(of, kinds=kinds[0], tasks=()), replace(of, kinds=kinds[1], items=())]
    return [tier for tier in scopes if tier.items or tier.tasks]


def parts(of: Scope) -> list[tuple[ServerKind, ...]]:
    """The kinds of servers of each tier, hosts first."""
    scarce = any(server.max_count is not None for server in of.instance.servers)
    if not of.instance.isolation or scarce:
        return [of.kinds]
    return [tuple(k for k in of.kinds if k.host), tuple(k for k in of.kinds if not k.host)]


class Packer:
    """One tier: the cheapest servers found, and what they cost at least."""

    def __init__(self, of: Scope, settings: Settings) -> None:
        self.scope, self.settings = of, settings
        self.lower = 0.0
        self.cost = INFINITY
        self.servers: Servers | None = None
        self._counts: list[float] = []
        self._tried: list[float] = []
        self._packing: Packing | None = None
        self._generated: Bound | None = None
        self._rounded = 0

    @property
    def _near(self) -> bool:
        """Are the bounds so near that more work is wasted?"""
        return self.lower >= self.cost * (1 - self.settings.gap / 4)

    def attempt(self, counts: Mapping[ServerKind, float]) -> bool:
        """Pack into just so many servers, when they are few; true when that went."""
        self._counts = [round(counts.get(kind, 0.0)) for kind in self.scope.kinds]
        if not 0 < sum(self._counts) <= FEW_SERVERS:
            return False
        self._tried = self._counts
        return self._single(self._slots(self._counts))

    def fluid(self, enough: float) -> float:
        """The bound of contents summed per kind; `enough` is where it need go no further."""
        program = Master(self.scope, budget=self.settings.budget)
        outcome = solve(program.program, self.settings.limits())
        goal = min(outcome.objective, enough)
        self._counts = program.counts_at(outcome.x) if outcome.found else []
        self.lower = max(self.lower, self._prove(program, goal))
        return self.lower

    def bound(self, *, deep: bool) -> None:
        """Raise the bound, by patterns or single servers; few servers are packed on the way."""
        if not self._counts:
            return
        few = sum(self._counts) <= FEW_SERVERS + 0.5
        tried = [round(count) for count in self._counts] == self._tried
        if few and (self.servers is None or not (tried or deep)):
            # a choice of servers that sums cannot tell: perhaps one more of some kind
            self._single(self._slots(self._counts)) or self._single(self._slots(self._and_more()))
        if sum(self._counts) <= _VERY_FEW + 0.5 and not self._near:
            self.exact(INFINITY, nodes=_NODES if deep else _NODES // 10)
        if self._near:
            return
        self._packing = Packing(self.scope, self.settings.pool, self.settings.expired)
        enough = min(1e-3, self.settings.gap / 10)
        self._generated = self._packing.generate(2 * self.settings.budget, enough)
        self.lower = max(self.lower, self._generated.lower)

    def carried(self, goal: float) -> Cut | None:
        """A bound for the quickest of the choices that share copies, up to a goal: it holds for many choices."""
        easier = quickest(self.scope)
        if easier is None:
            return None
        tier, more = easier
        packing = Packing(tier, self.settings.pool, self.settings.expired)
        bound = packing.generate(2 * self.settings.budget, min(1e-3, self.settings.gap / 10))
        raised = self._raised(packing, bound, lambda: goal, found=lambda: None)
        self.lower = max(self.lower, raised)
        return Cut(tier.kinds, raised, more)

    def _raised(
        self, packing: Packing, bound: Bound, target: Callable[[], float], found: Callable[[], None]
    ) -> float:
        return raise_bound(
            packing,
            bound,
            target=target,
            penalty=2 * self.settings.budget,
            nodes=self.settings.branches,
            found=found,
            expired=self.settings.expired,
        )

    def pack(self, *, deep: bool, goal: float = INFINITY) -> None:
        """Find servers; `deep` works on the bound too, up to a goal.

        Args:
            deep: whether to raise the bound too, by branch and price, when the two do not meet.
            goal: dollars; a bound as high as this is enough.
        """
        packing, bound = self._packing, self._generated
        if packing is None or bound is None or not bound.fractions:
            return
        self._round(packing, 300)
        if not self._near:
            self._residual(packing.floored(bound.fractions))
        if self.servers is None:
            self._offer_up(packing, bound)
        if deep and not self._near:
            raised = self._raised(
                packing,
                bound,
                lambda: min(goal, self.cost * (1 - self.settings.gap / 4)),
                lambda: self._round_more(packing),
            )
            self.lower = max(self.lower, raised)

    def _prove(self, program: Master, goal: float, nodes: int = _NODES) -> float:
        proof = prove(
            program.program.arrays(),
            goal,
            first=program.branch_first(),
            nodes=nodes,
            expired=self.settings.expired,
        )
        return min(proof.bound, self.settings.budget)

    def _slots(self, counts: list[float]) -> list[ServerKind]:
        return [kind for kind, n in zip(self.scope.kinds, counts, strict=True) for _ in range(round(n))]

    def _and_more(self) -> list[float]:
        """One server more of each kind, where kinds are few, else of those that are there."""
        every = len(self._counts) <= FEW_SERVERS
        return [count + 1 if every or count > 0.5 else count for count in self._counts]

    def exact(self, worth: float, nodes: int = _NODES) -> None:
        """Single servers, as many as anything cheaper could have: its bound holds for this tier.

        Args:
            worth: dollars from which on a tier is of no use: the bound need not be raised further.
            nodes: most programs of the proof.
        """
        cap = min(self.cost, worth)
        if not math.isfinite(cap):
            return
        counts = self._most(cap)
        if sum(counts) > FEW_SERVERS + 4:
            return
        program = Master(self.scope, slots=self._slots(counts))
        outcome = solve(program.program, self.settings.limits(nodes=1000, most_s=3.0))
        if outcome.found:
            self._offer(single_servers(self.scope, program, outcome.x))
        cap = min(self.cost, worth)
        self.lower = max(self.lower, min(cap, self._prove(program, cap, nodes)))

    def _most(self, cap: float) -> list[float]:
        """How many servers of each kind a tier of this cost has at most, contents summed per kind."""
        program = Master(self.scope, whole=False, budget=cap)
        columns = [c.count for c in program.kinds if c.count is not None]
        program.program.row("no dearer", program.program.costs(), upper=cap)
        arrays = program.program.arrays()
        solver, cost = Solver(arrays, Limits(presolve=False), relaxed=True), np.zeros(len(arrays.cost))
        most: list[float] = []
        for column in columns:
            cost[column] = -1.0
            solver.price_columns(range(len(cost)), cost)
            outcome, cost[column] = solver.run(), 0.0
            if outcome.status is Status.INFEASIBLE and proved_empty(solver):
                return [0.0] * len(columns)
            bound = safe_bound(arrays, outcome.duals) if outcome.status is Status.OPTIMAL else -INFINITY
            most.append(min(float(math.floor(-bound + 1e-6)), arrays.upper[column]))
        return most

    def _round(self, packing: Packing, nodes: int) -> None:
        self._rounded = len(packing.patterns)
        limits = self.settings.limits(0.5, nodes=nodes, most_s=5.0)
        whole = packing.restricted(2 * self.settings.budget, limits)
        if whole is not None:
            self._offer(whole)

    def _round_more(self, packing: Packing) -> None:
        """Round anew when there are many more patterns than the last time: it takes longer than finding them."""
        if len(packing.patterns) > _GROWN * self._rounded:
            self._round(packing, 100)

    def _offer_up(self, packing: Packing, bound: Bound) -> None:
        """Round a fractional packing up: dear, but there at once; not where a server type is scarce."""
        whole = packing.ceiled(bound.fractions)
        if whole is not None:
            self._offer(whole)

    def _residual(self, placed: Servers) -> None:
        """Keep the whole part of a fractional packing and place the rest on single servers."""
        done = placed_of(self.scope, placed)
        rest = Master(self.scope, budget=self.settings.budget, placed=done)
        outcome = solve(rest.program, self.settings.limits(0.3, nodes=300))
        if not outcome.found:
            return
        counts = rest.counts_at(outcome.x)
        if sum(counts) > FEW_SERVERS + 4:
            return
        for more in ([], [kind for kind, n in zip(self.scope.kinds, counts, strict=True) if n > 0.5]):
            if self._single([*self._slots(counts), *more], placed):
                return

    def _single(self, slots: list[ServerKind], placed: Servers | None = None) -> bool:
        """Place everything (or the rest) on single servers; true when that went."""
        of, nodes = self.scope, _PLACED if len(slots) <= _VERY_FEW else _PLACED // 10
        done = placed_of(of, placed) if placed else NOTHING
        program = Master(of, slots=sorted(slots, key=of.kinds.index), placed=done)
        outcome = solve(program.program, self.settings.limits(nodes=nodes, most_s=3.0))
        if not outcome.found:
            return False
        self._offer([*(placed or []), *single_servers(of, program, outcome.x)])
        return True

    def _offer(self, servers: Servers) -> None:
        settled = settle(self.scope, servers)
        cost = cost_of(self.scope, groups_of(self.scope, settled))
        if cost < self.cost:
            self.cost, self.servers = cost, settled


def single_servers(of: Scope, program: Master, x: Floats) -> Servers:
    """Contents of the servers of a program of single servers.

    Args:
        of: a fixed scope.
        program: of columns for every single server.
        x: a solution of it, shape (columns,).
    """
    return [
        (content_at(of, columns, x), 1)
        for columns in program.kinds
        if columns.count is not None and x[columns.count] > 0.5
    ]


def placed_of(of: Scope, servers: Servers) -> Placed:
    """What servers hold of a fixed scope.

    Args:
        of: a fixed scope: one choice is open for each dataset.
        servers: contents, each with its number of servers.
    """
    placed = Placed({}, {}, {}, {}, {})
    for content, count in servers:
        kind = content.kind.server
        placed.servers[kind] = placed.servers.get(kind, 0) + count
        for i, share in content.shares.items():
            placed.load[i] = placed.load.get(i, 0.0) + share * count * of.items[i].scale
        for i, units in content.units.items():
            placed.units[i] = placed.units.get(i, 0.0) + units * count
        for t, share in content.work.items():
            placed.work[t] = placed.work.get(t, 0.0) + share * count * of.task_scale[t]
        for t, number in content.instances.items():
            placed.instances[t] = placed.instances.get(t, 0.0) + number * count
    return placed
