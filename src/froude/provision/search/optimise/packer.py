"""Packs one tier of a fixed choice: tries the cheap ways first, stops as soon as its two bounds meet.

With isolation no server is shared between hosts and workers, so both tiers are packed apart and their bounds
add up; without it, and where a server type is scarce, there is one tier.

Where column generation leaves a gap, branch and price over totals raises what the choices cost at least. Every cluster
has a whole number of servers of each kind, of units of each copy, of cores and memory units; the fractional packing need
not. Parting one such total at a time and generating columns again on both sides gives bounds that hold (each is safe,
`RestrictedMaster.generate`), best bound first, so that it may stop at any time.

Source: Vanderbeck, branching on aggregated columns in branch and price (2000); the choice of totals is ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from froude.provision.search.best_first import BestFirst
from froude.provision.search.optimise.bounds import safe_bound
from froude.provision.search.optimise.branch_and_bound import prove, proved_empty
from froude.provision.search.optimise.column_generation import (
    ROUND_UP_FROM,
    Bound,
    ColumnPool,
    RestrictedMaster,
    TotalLimit,
)
from froude.provision.search.optimise.cuts import Cut, quickest
from froude.provision.search.optimise.highs import INFINITY, Floats, Solver, SolverOptions, Status, solve
from froude.provision.search.optimise.master import NOTHING, Master, Placed
from froude.provision.search.optimise.rounding import Servers, content_at, cost_of, groups_of, round_servers
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem

FEW_SERVERS = 8
"""Up to here a program of single servers is solved at once."""
_VERY_FEW = 4
"""Up to here single servers are proved before columns: beyond, columns and branches on totals do more in less time."""
_NODES = 3000
_PLACED = 1000
"""Most nodes of HiGHS for placing things on very few servers; a tenth of it on more."""
_GROWN = 1.2
"""Times the columns of the last rounding from which on another one is worth its time."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the packing of all tiers shares."""

    gap: float
    seed: int
    budget: float
    """No cluster worth considering costs more."""
    left_s: Callable[[], float]
    pool: ColumnPool
    branches: int = 60
    """Most generations of a branch and price."""

    def options(self, share: float = 1.0, *, nodes: int = _NODES, most_s: float = INFINITY) -> SolverOptions:
        """Of a solve within the packing.

        Args:
            share: how much of the time that is left it may take, above 0 to 1.
            nodes: most nodes of its search tree.
            most_s: seconds that it may take at most, whatever is left.
        """
        return SolverOptions(min(self.left_s() * share, most_s), self.gap / 10, nodes, self.seed)

    def expired(self) -> bool:
        """Is the time over?"""
        return self.left_s() <= 0


def tiers(sub: Subproblem) -> list[Subproblem]:
    """The parts of a fixed subproblem that share no server, without what its choices cost besides."""
    sub = replace(sub, choices_paid=False)
    kinds = parts(sub)
    scopes = [sub]
    if len(kinds) > 1:
        scopes = [replace(sub, kinds=kinds[0], tasks=()), replace(sub, kinds=kinds[1], items=())]
    return [tier for tier in scopes if tier.items or tier.tasks]


def parts(sub: Subproblem) -> list[tuple[ServerKind, ...]]:
    """The kinds of servers of each tier, hosts first."""
    scarce = any(server.max_count is not None for server in sub.instance.servers)
    if not sub.instance.isolation or scarce:
        return [sub.kinds]
    return [tuple(k for k in sub.kinds if k.host), tuple(k for k in sub.kinds if not k.host)]


class Packer:
    """One tier: the cheapest servers found, and what they cost at least."""

    def __init__(self, sub: Subproblem, settings: Settings) -> None:
        self.sub, self.settings = sub, settings
        self.lower = 0.0
        self.cost = INFINITY
        self.servers: Servers | None = None
        self._counts: list[float] = []
        self._tried: list[float] = []
        self._restricted: RestrictedMaster | None = None
        self._generated: Bound | None = None
        self._rounded = 0

    @property
    def _near(self) -> bool:
        """Are the bounds so near that more work is wasted?"""
        return self.lower >= self.cost * (1 - self.settings.gap / 4)

    def attempt(self, counts: Mapping[ServerKind, float]) -> bool:
        """Pack into just so many servers, when they are few; true when that went."""
        self._counts = [round(counts.get(kind, 0.0)) for kind in self.sub.kinds]
        if not 0 < sum(self._counts) <= FEW_SERVERS:
            return False
        self._tried = self._counts
        return self._single(self.slots(self._counts))

    def aggregate_bound(self, enough: float) -> float:
        """The bound of contents summed per kind; `enough` is where it need go no further."""
        program = Master(self.sub, budget=self.settings.budget, whole=self.sub.load < ROUND_UP_FROM)
        outcome = solve(program.program, self.settings.options())
        goal = min(outcome.objective, enough)
        self._counts = program.counts_at(outcome.x) if outcome.found else []
        self.lower = max(self.lower, self._prove(program, goal))
        return self.lower

    def bound(self, *, deep: bool) -> None:
        """Raise the bound, by columns or single servers; few servers are packed on the way."""
        if not self._counts:
            return
        few = sum(self._counts) <= FEW_SERVERS + 0.5
        tried = [round(count) for count in self._counts] == self._tried
        if few and (self.servers is None or not (tried or deep)):
            # a choice of servers that sums cannot tell: perhaps one more of some kind
            self._single(self.slots(self._counts)) or self._single(self.slots(self._and_more()))
        if sum(self._counts) <= _VERY_FEW + 0.5 and not self._near:
            self.exact(INFINITY, nodes=_NODES if deep else _NODES // 10)
        if self._near:
            return
        self._restricted = RestrictedMaster(self.sub, self.settings.pool, self.settings.expired)
        enough = min(1e-3, self.settings.gap / 10)
        self._generated = self._restricted.generate(2 * self.settings.budget, enough)
        self.lower = max(self.lower, self._generated.lower)

    def transferable_cut(self, goal: float) -> Cut | None:
        """A bound for the quickest of the choices that share copies, up to a goal: it holds for many choices."""
        easier = quickest(self.sub)
        if easier is None:
            return None
        tier, more = easier
        restricted = RestrictedMaster(tier, self.settings.pool, self.settings.expired)
        bound = restricted.generate(2 * self.settings.budget, min(1e-3, self.settings.gap / 10))
        raised = self._raised(restricted, bound, lambda: goal, found=lambda: None)
        self.lower = max(self.lower, raised)
        return Cut(tier.kinds, raised, more)

    def _raised(
        self,
        restricted: RestrictedMaster,
        bound: Bound,
        target: Callable[[], float],
        found: Callable[[], None],
    ) -> float:
        return raise_bound(
            restricted,
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
        restricted, bound = self._restricted, self._generated
        if restricted is None or bound is None or not bound.fractions:
            return
        if sum(bound.fractions) >= ROUND_UP_FROM:
            self._offer_up(restricted, bound)
        if self.cost > bound.relaxed * (1 + self.settings.gap / 4):
            self._round(restricted, 300)
        if not self._near and self.sub.load < ROUND_UP_FROM:
            self._place_rest(restricted.rounded_down(bound.fractions))
        if self.servers is None:
            self._offer_up(restricted, bound)
        if deep and not self._near:
            raised = self._raised(
                restricted,
                bound,
                lambda: min(goal, self.cost * (1 - self.settings.gap / 4)),
                lambda: self._round_more(restricted),
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

    def slots(self, counts: list[float]) -> list[ServerKind]:
        """Single servers in place of counts."""
        return [kind for kind, n in zip(self.sub.kinds, counts, strict=True) for _ in range(round(n))]

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
        counts = self.most_servers(cap)
        if sum(counts) > FEW_SERVERS + 4:
            return
        program = Master(self.sub, slots=self.slots(counts))
        outcome = solve(program.program, self.settings.options(nodes=1000, most_s=3.0))
        if outcome.found:
            self._offer(single_servers(self.sub, program, outcome.x))
        cap = min(self.cost, worth)
        self.lower = max(self.lower, min(cap, self._prove(program, cap, nodes)))

    def most_servers(self, cap: float) -> list[float]:
        """How many servers of each kind a tier of this cost has at most, contents summed per kind.

        Args:
            cap: dollars.
        """
        program = Master(self.sub, whole=False, budget=cap)
        variables = [c.count for c in program.kinds if c.count is not None]
        program.program.row("no dearer", program.program.costs(), upper=cap)
        arrays = program.program.arrays()
        solver, cost = Solver(arrays, SolverOptions(presolve=False), relaxed=True), np.zeros(len(arrays.cost))
        most: list[float] = []
        for variable in variables:
            cost[variable] = -1.0
            solver.set_costs(range(len(cost)), cost)
            outcome, cost[variable] = solver.run(), 0.0
            if outcome.status is Status.INFEASIBLE and proved_empty(solver):
                return [0.0] * len(variables)
            bound = safe_bound(arrays, outcome.duals) if outcome.status is Status.OPTIMAL else -INFINITY
            most.append(min(float(math.floor(-bound + 1e-6)), arrays.upper[variable]))
        return most

    def _round(self, restricted: RestrictedMaster, nodes: int) -> None:
        self._rounded = len(restricted.columns)
        options = self.settings.options(0.5, nodes=nodes, most_s=5.0)
        whole = restricted.integer_solution(2 * self.settings.budget, options)
        if whole is not None:
            self._offer(whole)

    def _round_more(self, restricted: RestrictedMaster) -> None:
        """Round anew when there are many more columns than the last time: it takes longer than finding them."""
        if len(restricted.columns) > _GROWN * self._rounded:
            self._round(restricted, 100)

    def _offer_up(self, restricted: RestrictedMaster, bound: Bound) -> None:
        """Round a fractional packing up: dear, but there at once; not where a server type is scarce."""
        whole = restricted.rounded_up(bound.fractions)
        if whole is not None:
            self._offer(whole)

    def _place_rest(self, placed: Servers) -> None:
        """Keep the whole part of a fractional packing and place the rest on single servers."""
        done = placed_of(self.sub, placed)
        rest = Master(self.sub, budget=self.settings.budget, placed=done)
        outcome = solve(rest.program, self.settings.options(0.3, nodes=300))
        if not outcome.found:
            return
        counts = rest.counts_at(outcome.x)
        if sum(counts) > FEW_SERVERS + 4:
            return
        for more in ([], [kind for kind, n in zip(self.sub.kinds, counts, strict=True) if n > 0.5]):
            if self._single([*self.slots(counts), *more], placed):
                return

    def _single(self, slots: list[ServerKind], placed: Servers | None = None) -> bool:
        """Place everything (or the rest) on single servers; true when that went."""
        sub, nodes = self.sub, _PLACED if len(slots) <= _VERY_FEW else _PLACED // 10
        done = placed_of(sub, placed) if placed else NOTHING
        program = Master(sub, slots=sorted(slots, key=sub.kinds.index), placed=done)
        outcome = solve(program.program, self.settings.options(nodes=nodes, most_s=3.0))
        if not outcome.found:
            return False
        self._offer([*(placed or []), *single_servers(sub, program, outcome.x)])
        return True

    def _offer(self, servers: Servers) -> None:
        rounded = round_servers(self.sub, servers)
        cost = cost_of(self.sub, groups_of(self.sub, rounded))
        if cost < self.cost:
            self.cost, self.servers = cost, rounded


def single_servers(sub: Subproblem, program: Master, x: Floats) -> Servers:
    """Contents of the servers of a program of single servers.

    Args:
        program: of variables for every single server.
        x: a solution of it, shape (variables,).
    """
    return [
        (content_at(sub, variables, x), 1)
        for variables in program.kinds
        if variables.count is not None and x[variables.count] > 0.5
    ]


def placed_of(sub: Subproblem, servers: Servers) -> Placed:
    """What servers hold of a fixed subproblem.

    Args:
        sub: a fixed subproblem: one choice is open for each dataset.
    """
    placed = Placed({}, {}, {}, {}, {})
    for content, count in servers:
        kind = content.kind.server
        placed.servers[kind] = placed.servers.get(kind, 0) + count
        for i, share in content.shares.items():
            placed.load[i] = placed.load.get(i, 0.0) + share * count * sub.items[i].scale
        for i, units in content.units.items():
            placed.units[i] = placed.units.get(i, 0.0) + units * count
        for t, share in content.work.items():
            placed.work[t] = placed.work.get(t, 0.0) + share * count * sub.task_scale[t]
        for t, number in content.instances.items():
            placed.instances[t] = placed.instances.get(t, 0.0) + number * count
    return placed


def raise_bound(
    restricted: RestrictedMaster,
    root: Bound,
    *,
    target: Callable[[], float],
    penalty: float,
    nodes: int,
    found: Callable[[], None],
    expired: Callable[[], bool],
) -> float:
    """A lower bound of the packing's choices, at least the root's.

    Args:
        restricted: the columns so far; more are added.
        root: what generation ended with, without branches.
        target: the bound that is enough, asked again at each node.
        nodes: most generations; there are two a node.
        found: called after each generation: the columns have changed, a better cluster may be at hand.
    """
    open_: BestFirst[tuple[tuple[TotalLimit, ...], Bound]] = BestFirst()
    open_.push(((), root), root.lower)
    for (rows, bound), lower in open_.until(target, most=(nodes + 1) // 2, expired=expired):
        fractions = (*bound.fractions, *([0.0] * (len(restricted.columns) - len(bound.fractions))))
        split = restricted.fractional(fractions)
        if split is None:
            open_.close(lower)
            break
        total, amount = split
        for row in (TotalLimit(total, False, math.floor(amount)), TotalLimit(total, True, math.ceil(amount))):
            restricted.branching_rows = (*rows, row)
            child = restricted.generate(penalty, enough=1e-4)
            open_.push((restricted.branching_rows, child), max(lower, child.lower))
        restricted.branching_rows = ()
        found()
    return open_.lower
