"""The outer loop: master, packing, next proposal, until the bounds meet.

The master proposes choices and gives a bound over all that were not packed yet; packing tells what the proposal
costs, from below and from above. The least of the master's bound and of those of the packed choices holds for
all. Every bound used is proved here (`branch_and_bound`, `column_generation`), HiGHS only proposes points.

Source: logic-based Benders decomposition (Hooker and Ottosson, 2003), specialised; spec 2.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from froude.base.clock import Clock
from froude.provision.model.instance import Instance, Open
from froude.provision.search.optimise.bounds import safe_bound
from froude.provision.search.optimise.branch_and_bound import prove, proved_empty
from froude.provision.search.optimise.column_generation import ColumnPool
from froude.provision.search.optimise.consolidate import consolidate, merged
from froude.provision.search.optimise.cuts import Cut, lifted
from froude.provision.search.optimise.highs import (
    INFINITY,
    SolveOutcome,
    Solver,
    SolverOptions,
    Status,
    solve,
)
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.packer import Packer, Settings, parts, tiers
from froude.provision.search.optimise.presolve import breaks_latency, presolve, standing, undominated_choices
from froude.provision.search.optimise.rounding import Servers, cost_of, groups_of, round_servers
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem, subproblem
from froude.provision.search.optimise.tightening import tighten
from froude.provision.search.optimise.type_branching import TypeBranching
from froude.provision.search.optimise.type_pricing import select_types
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types.plan import Group

CONTINUOUS_FROM = 400
"""From here on counts are continuous in the master: rounding them matters less than the gap."""
_NODES = 3000
_FEW = 50
_DEAR = 1000.0
"""Times the cost of the relaxation up to which clusters are looked for where cheaper ones are proved not to be."""
_SURELY = 0.98
"""Share of the gap to which the bound of packed choices is raised, so that rounding leaves it closed."""
_BRANCHES = 60
_DEEPEST = 3
"""How often the bound of the same choices is worked on, each time with four times as many branches."""
_LEAST_S = 1.0
"""For the linear program that all begins with, though time is over: without it nothing is known."""
_SELECTING = 0.4
"""Share of the time limit for the selection of server types: without the rest there is no cluster."""
_ALL_TYPES = 0.5
"""Share of the time left for the bound over all types."""
_MORE_TYPES = 6
"""As many further types are searched over then."""
_SINGLY, _MORE_SERVERS = 9, 5
"""Servers of a cluster up to which single ones are proved at last, and further ones that a cheaper one may have."""
_LATE = 0.4
"""Share of the time limit from which on the master's bound is proved whenever it is raised, and of the time left
that a master may take: the rest is for proof and packing."""


@dataclass(frozen=True, slots=True)
class Best:
    """The cheapest cluster so far."""

    cost: float = INFINITY
    choices: tuple[int, ...] = ()
    sub: Subproblem | None = None
    """Of these choices alone; None where there is no cluster yet."""
    servers: Servers = field(default_factory=list)

    def groups(self) -> tuple[Group, ...]:
        """The cluster by name: each thing on as few servers as costs no more, servers alike in one group."""
        return () if self.sub is None else merged(groups_of(self.sub, consolidate(self.sub, self.servers)))

    def paid(self, groups: Sequence[Group]) -> float:
        """What they cost in its stead, at most its cost: consolidating can spare a piece, such as one of memory."""
        return self.cost if self.sub is None else self.sub.constant + cost_of(self.sub, groups)


@dataclass(slots=True)
class BendersSearch:
    """One search over the open choices of an instance."""

    instance: Instance
    limits: SolveLimits
    clock: Clock
    pool: ColumnPool = field(default_factory=ColumnPool)
    allowed: Sequence[Sequence[int]] | None = None
    best: Best = Best()
    lower: float = 0.0
    """No cluster costs less."""
    packed: dict[tuple[int, ...], float] = field(default_factory=dict)
    """Choices that were packed, each with its bound: the master proposes them no more."""
    cuts: dict[tuple[tuple[int, ...], tuple[ServerKind, ...]], Cut] = field(default_factory=dict)
    """What the bounds of packed tiers say of all choices, by the choices and kinds packed."""
    servers: tuple[int, ...] | None = None
    """Types that are searched over; None before the search, and where there are few."""
    outside: float = INFINITY
    """No cluster with a server of another type costs less."""
    notes: list[str] = field(default_factory=list)
    feasible: bool = True
    """False where our own arithmetic proves that there is no cluster."""
    _master_bound: float = 0.0
    """No cluster with choices that the master may propose costs less."""
    _solver_bound: float = 0.0
    """HiGHS's own bound of the master: tells what to do next, is part of no answer."""
    _tried: float = INFINITY
    """The least bound that a proof of this master was asked for."""
    _master: Master | None = None
    _cheapest: dict[tuple[tuple[int, ...], tuple[ServerKind, ...]], tuple[float, Servers | None]] = field(
        default_factory=dict
    )
    """The cheapest servers of each packed tier."""
    _times_raised: dict[tuple[int, ...], int] = field(default_factory=dict)
    """How often the bound of packed choices was worked on."""
    _type_branching: TypeBranching | None = None
    """Raises the bound over all types; None where all are searched over."""
    _open: Open = ()
    """Choices that are searched over."""
    _looked: bool = False
    """Further types were looked for."""
    _more: tuple[int, ...] = ()
    """Further types worth searching over."""
    _budget: float = INFINITY
    _dearer: bool = False
    """Every cluster was proved to cost more than the budget."""
    _end: float = INFINITY

    def run(self) -> None:
        """Search until the gap is reached, the time is over, or nothing new is proposed."""
        self._end = self.clock.now() + self.limits.time_limit_s
        open_ = presolve(self.instance, self.allowed)
        if not all(open_):
            self.feasible = False
            return
        open_ = undominated_choices(self.instance, open_)
        later = (1 - _SELECTING) * self.limits.time_limit_s
        selection = select_types(self.instance, open_, lambda: self.left_s() - later)
        self.servers, self.outside = selection.servers, selection.outside
        if selection.type_pricing is not None:
            self._type_branching = TypeBranching(selection.type_pricing)
        self.lower = max(self.lower, selection.everywhere)
        self._search_types(open_)
        if self._more and not self.closed and not self.expired():
            self._widen()
            self._search_types(open_)
        self._prove_singly(open_)
        self._branch_over_types(1.0)
        if not self.closed and math.isfinite(self.best.cost) and not self.expired():
            bound = "server types left out" if self.lower >= self.outside else "packing"
            self.notes.append(f"no further choices were proposed; the bound of the {bound} stays open")

    def _search_types(self, open_: Open) -> None:
        """Search over the server types at hand, and over what may stand in them."""
        if self.servers:
            open_ = undominated_choices(self.instance, standing(self.instance, open_, self.servers))
        if not all(open_):
            return  # the time was over before all types that are needed were found
        self._open = open_
        sub = subproblem(self.instance, open_, self.servers)
        root = Master(sub, whole=False)
        relaxed = solve(root.program, SolverOptions(max(_LEAST_S, self.left_s())), relaxed=True)
        if not relaxed.found:
            # a program that the solver could not do says nothing of whether there is a cluster, nor does its word alone
            self.feasible = self.feasible and not (
                relaxed.status is Status.INFEASIBLE and self._nothing_yet and _empty(root)
            )
            return
        dearest = max((sub.base_cost(kind) for kind in sub.kinds), default=0.0)
        whole = sum(root.counts_at(relaxed.x)) < CONTINUOUS_FROM
        bound = safe_bound(root.program.arrays(), relaxed.duals)
        for budget in (3 * relaxed.objective + 12 * dearest, _DEAR * (relaxed.objective + dearest), INFINITY):
            self._budget, self._dearer = budget, False
            self._raise(min(budget, bound))
            if self.servers and not math.isfinite(self.best.cost):
                # of a large catalog the master may take all the time: a cluster is at hand before
                self._try(root.choices_at(relaxed.x), {})
            self._search_budget(sub, whole=whole)
            if not self._dearer:
                return
            self._forget()
        self.feasible = False

    @property
    def _nothing_yet(self) -> bool:
        """Was no cluster found, and is none of other types left to be looked for?"""
        return not math.isfinite(self.best.cost) and self.outside == INFINITY

    def _search_budget(self, sub: Subproblem, *, whole: bool) -> None:
        """Search up to the budget; `_dearer` where every cluster is proved to cost more."""
        while not self.closed and not self._enough(self._master_bound) and not self.expired():
            choices, counts = self._propose(sub, whole=whole)
            if choices is None:
                break
            self._raise_weakest(below=self._solver_bound)
            if self._enough(self._solver_bound):
                break
            if not self.closed:
                self._try(choices, counts)
                self._look_for_types()
        self._look_for_types()
        self._raise_weakest(below=INFINITY)

    def _try(self, choices: tuple[int, ...], counts: Mapping[ServerKind, float]) -> None:
        """Pack choices, and see what that proves."""
        floor = self._master_bound
        self.packed[choices] = max(floor, self.pack(choices, counts))
        self._prove_claim()

    def _prove_singly(self, open_: Open) -> None:
        """The last step for clusters of few servers: all choices at once over single servers.

        As many servers of each kind stand in the program as anything cheaper has at most: its bound holds for all.
        """
        few = sum(count for _, count in self.best.servers) <= _SINGLY
        if self.closed or not math.isfinite(self.best.cost) or not few or self.outside < INFINITY:
            return
        sub = subproblem(self.instance, open_, self.servers)
        packer = Packer(
            sub, Settings(self.limits.gap, self.limits.seed, self._budget, self.left_s, self.pool)
        )
        counts = packer.most_servers(self.best.cost)
        if sum(counts) <= _SINGLY + _MORE_SERVERS:
            self._master = Master(sub, slots=packer.slots(counts))
            target = self.best.cost * (1 - self.limits.gap)
            self.lower = max(self.lower, min(self._prove(target), self.best.cost))

    def _look_for_types(self) -> None:
        """Once there is a cluster: which types of those left out may be worth searching over, too."""
        if not self._looked and not self.closed and math.isfinite(self.best.cost):
            self._looked = True
            used = self._branch_over_types(_ALL_TYPES)
            more = [server for server in used if server not in (self.servers or ())]
            self._more = tuple(more[:_MORE_TYPES])

    def _branch_over_types(self, share: float) -> tuple[int, ...]:
        """Raise what any cluster costs at least, whatever its types, in a share of the time left; types of such ones."""
        if self._type_branching is None or self.closed or not math.isfinite(self.best.cost):
            return ()
        end = self.clock.now() + share * self.left_s()
        target = self.best.cost * (1 - self.limits.gap)
        raised = self._type_branching.raise_bound(target, left_s=lambda: end - self.clock.now())
        self.lower = max(self.lower, raised.bound)
        return raised.used

    def _widen(self) -> None:
        """Take the further types in; what was learnt without them holds no more."""
        self.servers, self._more = tuple(sorted({*(self.servers or ()), *self._more})), ()
        self.cuts = {}
        self._forget()

    def _forget(self) -> None:
        """Begin anew with choices: what was learnt of each holds no more, or only up to a lower budget."""
        self.packed, self._times_raised = {}, {}
        self._master_bound, self._solver_bound, self._tried, self._master = self.lower, 0.0, INFINITY, None

    @property
    def closed(self) -> bool:
        """Is the gap reached?"""
        return self._enough(self.lower)

    def _enough(self, bound: float) -> bool:
        return bound >= self.best.cost * (1 - self.limits.gap)

    def _raise_weakest(self, *, below: float) -> None:
        """Work on the bounds of packed choices that may be what keeps the gap open: the least worked on, the lowest."""
        while not self.closed and not self.expired():
            weak = [
                (self._times_raised.get(choices, 0), bound, choices)
                for choices, bound in self.packed.items()
                if bound < below and not self._enough(bound)
            ]
            times, bound, choices = min(weak, default=(_DEEPEST, 0.0, ()))
            if times >= (_DEEPEST if below == INFINITY else 1):
                return
            if self._master_bound < self._target():
                self._raise(self._prove(self._target(), 10 * _FEW))
            self._times_raised[choices] = times + 1
            self.packed[choices] = max(bound, self.pack(choices, {}, deep=True))
            self._prove_claim()

    def expired(self) -> bool:
        """Is the time over?"""
        return self.clock.now() >= self._end

    def left_s(self) -> float:
        """Seconds left."""
        return max(0.0, self._end - self.clock.now())

    def _options(
        self, share: float = 1.0, gap: float | None = None, nodes: int | None = None
    ) -> SolverOptions:
        within = self.limits.gap / 4 if gap is None else gap
        return SolverOptions(self.left_s() * share, within, nodes, self.limits.seed)

    def _propose(
        self, sub: Subproblem, *, whole: bool
    ) -> tuple[tuple[int, ...] | None, dict[ServerKind, float]]:
        """The master's choices and servers per kind, of those that were not packed yet."""
        first = self._master is None
        cuts = [cut for cut in self.cuts.values() if cut.kinds in parts(sub)]
        master = Master(sub, whole=whole, never=self.packed, cuts=cuts, budget=self._budget)
        if whole and self.outside < INFINITY:
            tighten(master)
        outcome = solve(master.program, self._options(_LATE))
        self._master = master
        if not outcome.found:
            self._none_found(outcome)
            return None, {}
        self._solver_bound, self._tried = min(outcome.bound, outcome.objective), INFINITY
        if first or self.left_s() < _LATE * self.limits.time_limit_s:
            # a few programs give a bound at once; towards the end there may be no later
            self._raise(self._prove(self._target(), nodes=_FEW if first else _NODES))
        self._prove_claim()
        return master.choices_at(outcome.x), dict(zip(sub.kinds, master.counts_at(outcome.x), strict=True))

    def _target(self) -> float:
        near = min(self._solver_bound, self.best.cost) * (1 - self.limits.gap / 4)
        enough = self.best.cost * (1 - self.limits.gap)
        # beyond the bound of the types left out nothing is gained
        return min(self.outside, max(near, enough) if self._enough(self._solver_bound) else near)

    def _prove_claim(self) -> None:
        """Prove what HiGHS claims of the master as soon as that is enough: not before, a proof takes longer."""
        target = self._target()
        if self._enough(self._solver_bound) and not self._enough(self._master_bound) and target < self._tried:
            self._tried = target
            self._raise(self._prove(target, 4 * _NODES))
        else:
            self._raise(self._master_bound)

    def _raise(self, floor: float) -> None:
        """Nothing that the master may propose costs less, and what was packed has a bound of its own."""
        self._master_bound = max(self._master_bound, floor)
        self.lower = max(self.lower, min(self._master_bound, self.outside, *self.packed.values()))
        if self.limits.watch is not None:
            self.limits.watch(self.lower, self.best.cost)

    def _none_found(self, outcome: SolveOutcome) -> None:
        """No further choices, or none at all: infeasible is what our own tree proves, not what HiGHS says."""
        if outcome.status is Status.INFEASIBLE:
            self._raise(self._prove(INFINITY))
            packed = min(self.packed.values(), default=INFINITY)
            self._dearer = self._nothing_yet and min(packed, self._master_bound) >= self._budget

    def _prove(self, target: float, nodes: int = _NODES) -> float:
        """A bound of the master, by our own tree; holds for all clusters, not only those in its box."""
        master = self._master
        assert master is not None
        proof = prove(
            master.program.arrays(),
            target,
            first=master.branch_first(),
            one_of=master.one_of(),
            nodes=nodes,
            expired=self.expired,
        )
        return min(proof.bound, self._budget)

    def pack(
        self, choices: tuple[int, ...], counts: Mapping[ServerKind, float], *, deep: bool = False
    ) -> float:
        """Find a cluster with these choices, and what any such cluster costs at least.

        Args:
            choices: one per dataset.
            counts: servers per kind that the master would take: few are tried as they are.
            deep: work on the bound of the choices too.
        """
        if breaks_latency(self.instance, choices):
            return INFINITY
        sub = subproblem(self.instance, [(choice,) for choice in choices], self.servers)
        packers = self._packers(sub, choices)
        for packer in packers:
            packer.lower = self._known(packer, choices)
            packer.cost, packer.servers = self._cheapest.get((choices, packer.sub.kinds), (INFINITY, None))
        lower = self._sum(sub, packers)
        if self._enough(lower):
            return lower
        attempts = [packer.attempt(counts) for packer in packers]
        if all(attempts):
            self._gather(sub, packers, choices)
            self._prove_claim()
            if self._enough(self._master_bound):
                return self._master_bound
        self._work(sub, packers, choices, deep=deep)
        for packer in packers:
            self._learn(packer, choices)
        return sub.constant + sum(packer.lower for packer in packers)

    def _work(
        self, sub: Subproblem, packers: Sequence[Packer], choices: tuple[int, ...], *, deep: bool
    ) -> None:
        """Bounds and servers of each tier, until they are near or cannot be much better than the best cluster."""
        for packer in packers:
            packer.aggregate_bound(self.best.cost)
        if self._sum(sub, packers) >= self.best.cost:
            return
        for packer in packers:
            packer.bound(deep=deep)
        if self._sum(sub, packers) >= self.best.cost * (1 - self.limits.gap / 10):
            return  # a cluster with these choices cannot be much better
        for packer in packers:
            goal = self.best.cost * (1 - _SURELY * self.limits.gap) - self._sum(sub, packers) + packer.lower
            transferable_cut = packer.transferable_cut(goal) if deep else None
            if transferable_cut is not None:
                self._keep((*choices, -1), transferable_cut)
            if packer.lower < goal:
                packer.pack(deep=deep, goal=goal)
        self._gather(sub, packers, choices)
        for packer in packers if deep else ():
            lower = self._sum(sub, packers)
            if not self._enough(lower):
                packer.exact(self.best.cost - (lower - packer.lower))
        self._gather(sub, packers, choices)

    @staticmethod
    def _sum(sub: Subproblem, packers: Sequence[Packer]) -> float:
        return sub.constant + sum(packer.lower for packer in packers)

    def _known(self, packer: Packer, choices: tuple[int, ...]) -> float:
        """What the bounds of other choices say of a tier."""
        kinds = packer.sub.kinds
        return max((cut.at(choices) for cut in self.cuts.values() if cut.kinds == kinds), default=0.0)

    def _learn(self, packer: Packer, choices: tuple[int, ...]) -> None:
        """Keep a tier's bound, and raise those of the packed choices that it holds for."""
        key = (choices, packer.sub.kinds)
        self._cheapest[key] = (packer.cost, packer.servers)
        if not 0 < packer.lower < INFINITY or packer.lower <= self._known(packer, choices):
            return
        self._keep(choices, lifted(packer.sub, packer.lower, self._open))

    def _keep(self, choices: tuple[int, ...], cut: Cut) -> None:
        self.cuts[choices, cut.kinds] = cut
        for packed, bound in self.packed.items():
            self.packed[packed] = max(bound, self._from_cuts(packed))

    def _from_cuts(self, choices: tuple[int, ...]) -> float:
        """What the bounds of tiers say of choices: the most of each tier, and what the choices cost besides."""
        most: dict[tuple[ServerKind, ...], float] = {}
        for cut in self.cuts.values():
            most[cut.kinds] = max(most.get(cut.kinds, 0.0), cut.at(choices))
        datasets = self.instance.datasets
        return sum(most.values()) + sum(d.choices[c].cost for d, c in zip(datasets, choices, strict=True))

    def _packers(self, sub: Subproblem, choices: tuple[int, ...]) -> list[Packer]:
        branches = _BRANCHES * 4 ** max(0, self._times_raised.get(choices, 0) - 1)
        settings = Settings(self.limits.gap, self.limits.seed, self._budget, self.left_s, self.pool, branches)
        return [Packer(tier, settings) for tier in tiers(sub)]

    def _gather(self, sub: Subproblem, packers: Sequence[Packer], choices: tuple[int, ...]) -> None:
        """The tiers' servers as one cluster, where all have some."""
        if all(packer.servers is not None for packer in packers):
            self._offer(sub, [pair for packer in packers for pair in packer.servers or []], choices)

    def _offer(self, sub: Subproblem, servers: Servers, choices: tuple[int, ...]) -> None:
        servers = round_servers(sub, servers)
        cost = sub.constant + cost_of(sub, groups_of(sub, servers))
        if cost < self.best.cost * (1 - 1e-12) or not math.isfinite(self.best.cost):
            self.best = Best(cost, choices, sub, servers)


def _empty(root: Master) -> bool:
    """Is the relaxation proved to have no point?"""
    solver = Solver(root.program.arrays(), SolverOptions(presolve=False), relaxed=True)
    return solver.run().status is Status.INFEASIBLE and proved_empty(solver)
