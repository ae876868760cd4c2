"""The outer loop: master, packing, cut, until the bounds meet.

The master proposes choices and gives a bound over all of them; packing tells what the proposal costs, from
below and from above; a cut tells the master. Every bound used is proved here (`tree`, `packing`), HiGHS only
proposes points.

Source: logic-based Benders decomposition (Hooker and Ottosson, 2003), specialised; spec 2.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from froude.base.clock import Clock
from froude.provision.instance import Instance
from froude.provision.optimise.branching import raise_bound
from froude.provision.optimise.contents import Kind, Scope, scope
from froude.provision.optimise.highs import INFINITY, Floats, Limits, Outcome, solve
from froude.provision.optimise.master import NOTHING, Cut, Master, Placed
from froude.provision.optimise.packing import Packing, Pool
from froude.provision.optimise.settle import Servers, content_at, cost_of, groups_of, settle
from froude.provision.optimise.tree import prove
from froude.provision.plan import Group

MANY_SERVERS = 40
"""From here on counts are continuous in the master: rounding them matters less than the gap."""
FEW_SERVERS = 8
"""Up to here a program of single servers is solved at once."""
_NODES = 3000
_BRANCHES = 60


@dataclass(frozen=True, slots=True)
class Effort:
    """How far a search goes."""

    gap: float = 0.01
    time_limit_s: float = 60.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Best:
    """The cheapest cluster so far."""

    cost: float = INFINITY
    choices: tuple[int, ...] = ()
    groups: tuple[Group, ...] = ()


@dataclass(slots=True)
class Search:
    """One search over the open choices of an instance."""

    instance: Instance
    effort: Effort
    clock: Clock
    pool: Pool = field(default_factory=Pool)
    allowed: Sequence[Sequence[int]] | None = None
    best: Best = Best()
    lower: float = 0.0
    """No cluster costs less."""
    cuts: list[Cut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    feasible: bool = True
    _budget: float = INFINITY
    _end: float = INFINITY
    _scope: Scope | None = None

    def run(self) -> None:
        """Search until the gap is reached, the time is over, or nothing new is proposed."""
        self._end = self.clock.now() + self.effort.time_limit_s
        self._scope = of = scope(self.instance, self.allowed)
        root = Master(of, whole=False)
        relaxed = solve(root.program, relaxed=True)
        if not relaxed.found:
            self.feasible = False
            return
        self._budget = 3 * relaxed.objective + 12 * max(
            (of.base_cost(kind) for kind in of.kinds), default=0.0
        )
        whole = sum(root.counts_at(relaxed.x)) < MANY_SERVERS
        seen: dict[tuple[int, ...], int] = {}
        while not self.closed and not self.expired():
            choices = self._propose(of, whole=whole)
            if choices is None or seen.get(choices, 0) > 1:
                break
            if not self.closed:
                # a choice that comes back despite its cut deserves more work on its bound
                seen[choices] = seen.get(choices, 0) + 1
                self.cuts.append(Cut(choices, self.pack(choices, deep=seen[choices] > 1)))
        if not self.closed and math.isfinite(self.best.cost) and not self.expired():
            self.notes.append("no further choices were proposed; the bound of the packing stays open")

    @property
    def closed(self) -> bool:
        """Is the gap reached?"""
        return self.lower >= self.best.cost * (1 - self.effort.gap)

    def expired(self) -> bool:
        """Is the time over?"""
        return self.clock.now() >= self._end

    def left_s(self) -> float:
        """Seconds left."""
        return max(0.0, self._end - self.clock.now())

    def _limits(self, share: float = 1.0, gap: float | None = None, nodes: int | None = None) -> Limits:
        within = self.effort.gap / 4 if gap is None else gap
        return Limits(self.left_s() * share, within, nodes, self.effort.seed)

    def _propose(self, of: Scope, *, whole: bool) -> tuple[int, ...] | None:
        """The master's choices; raises the lower bound on the way."""
        master = Master(of, whole=whole, cuts=self.cuts, floor=self.lower, budget=self._budget)
        found = solve(master.program, self._limits())
        if not found.found:
            self._none_found(found)
            return None
        proved = self._prove(master, min(found.objective, self.best.cost) * (1 - self.effort.gap / 4))
        self.lower = max(self.lower, proved)
        return master.choices_at(found.x)

    def _none_found(self, found: Outcome) -> None:
        if found.status.value == "infeasible" and not math.isfinite(self.best.cost):
            self.feasible = False

    def _prove(self, master: Master, target: float) -> float:
        """A bound of a master, by our own tree; holds for all clusters, not only those in its box."""
        first = master.branch_first()
        proof = prove(master.program.arrays(), target, first=first, nodes=_NODES, expired=self.expired)
        return min(proof.bound, self._budget)

    # packing of one proposal

    def pack(self, choices: tuple[int, ...], *, deep: bool = False) -> float:
        """Find a cluster with these choices, and what any such cluster costs at least."""
        of = scope(self.instance, [(choice,) for choice in choices])
        fluid = Master(of, budget=self._budget)
        found = solve(fluid.program, self._limits(nodes=_NODES))
        if not found.found:
            return self._prove(fluid, INFINITY)
        lower = self._prove(fluid, min(found.objective, self.best.cost))
        if lower >= self.best.cost:
            return lower
        counts = fluid.counts_at(found.x)
        if sum(counts) <= FEW_SERVERS + 0.5:
            slots = [kind for kind, n in zip(of.kinds, counts, strict=True) for _ in range(round(n))]
            self._single(of, slots, choices)
            if self._near(lower):
                return lower
        return self._generate(of, choices, lower, deep=deep)

    def _near(self, lower: float) -> bool:
        """Are the best cluster and a bound so near that more work is wasted?"""
        return lower >= self.best.cost * (1 - self.effort.gap / 4)

    def _generate(self, of: Scope, choices: tuple[int, ...], lower: float, *, deep: bool) -> float:
        packing = Packing(of, self.pool, self.expired)
        penalty = 2 * self._budget
        bound = packing.generate(penalty, enough=min(1e-3, self.effort.gap / 10))
        lower = max(lower, bound.lower)
        if lower >= self.best.cost or not bound.fractions:
            return lower
        whole = packing.restricted(penalty, self._limits(0.5, self.effort.gap / 10, nodes=300))
        if whole is not None:
            self._offer(of, whole, choices)
        if not self._near(lower):
            self._residual(of, packing.floored(bound.fractions), choices)
        if self._near(lower) or not deep:
            return lower

        def again() -> None:
            better = packing.restricted(penalty, self._limits(0.2, self.effort.gap / 10, nodes=100))
            if better is not None:
                self._offer(of, better, choices)

        raised = raise_bound(
            packing,
            bound,
            target=lambda: self.best.cost * (1 - self.effort.gap / 4),
            penalty=penalty,
            nodes=_BRANCHES,
            found=again,
            expired=self.expired,
        )
        return max(lower, raised)

    def _residual(self, of: Scope, placed: Servers, choices: tuple[int, ...]) -> None:
        """Keep the whole part of a fractional packing and place the rest on single servers."""
        rest = Master(of, budget=self._budget, placed=placed_of(of, placed))
        found = solve(rest.program, self._limits(0.3, nodes=300))
        if not found.found:
            return
        counts = rest.counts_at(found.x)
        if sum(counts) > FEW_SERVERS + 4:
            return
        slots = [kind for kind, n in zip(of.kinds, counts, strict=True) for _ in range(round(n))]
        for more in ([], [kind for kind, n in zip(of.kinds, counts, strict=True) if n > 0.5]):
            if self._single(of, [*slots, *more], choices, placed):
                return

    def _single(
        self, of: Scope, slots: list[Kind], choices: tuple[int, ...], placed: Servers | None = None
    ) -> bool:
        """Place everything (or the rest) on single servers; true when a cluster was found."""
        slots = sorted(slots, key=of.kinds.index)
        done = placed_of(of, placed) if placed else NOTHING
        program = Master(of, slots=slots, placed=done)
        limits = Limits(min(self.left_s(), 3.0), self.effort.gap / 10, 1000, self.effort.seed)
        found = solve(program.program, limits)
        if not found.found:
            return False
        self._offer(of, [*(placed or []), *single_servers(of, program, found.x)], choices)
        return True

    def _offer(self, of: Scope, servers: Servers, choices: tuple[int, ...]) -> None:
        groups = groups_of(of, settle(of, servers))
        cost = cost_of(of, groups)
        if cost < self.best.cost * (1 - 1e-12) or not self.best.groups:
            self.best = Best(cost, choices, groups)


def single_servers(of: Scope, program: Master, x: Floats) -> Servers:
    """Contents of the servers of a program of single servers."""
    return [
        (content_at(of, columns, x), 1)
        for columns in program.kinds
        if columns.count is not None and x[columns.count] > 0.5
    ]


def placed_of(of: Scope, servers: Servers) -> Placed:
    """What servers hold of a fixed scope."""
    placed = Placed({}, {}, {}, {})
    for content, count in servers:
        for i, share in content.shares.items():
            placed.load[i] = placed.load.get(i, 0.0) + share * count * of.items[i].scale
        for i, units in content.units.items():
            placed.units[i] = placed.units.get(i, 0.0) + units * count
        for t, share in content.work.items():
            placed.work[t] = placed.work.get(t, 0.0) + share * count * of.task_scale[t]
        for t, number in content.instances.items():
            placed.instances[t] = placed.instances.get(t, 0.0) + number * count
    return placed
