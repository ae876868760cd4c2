"""The entry: an instance in, a plan with its bounds out; or why there is no plan.

Below `solve` every cost and bound is in a unit of money of its own, not in dollars. Tolerances of the solver are
absolute, so prices of a millionth of a dollar and of a million would be rounded differently: the same inputs in cents,
or in millions, must have the same cluster. Prices are divided by a power of two, which loses nothing, so that a server
costs about a thousand.

Where no cluster meets an SLA, an elastic second solve shows the constraints that cannot hold together. Every limit of a
server may be exceeded at a price, as though a server had more of it; what the cheapest such cluster exceeds is what is
in the way. Things that fit no server at all show up as limits that even the worth of one server exceeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from froude.base.clock import Clock, RealClock
from froude.provision.model.instance import Choice, Instance
from froude.provision.search.optimise.benders import BendersSearch
from froude.provision.search.optimise.column_generation import ColumnPool
from froude.provision.search.optimise.highs import Floats, SolverOptions
from froude.provision.search.optimise.highs import Status as ProgramStatus
from froude.provision.search.optimise.highs import solve as solve_program
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.run_time_rows import least_run_time
from froude.provision.search.optimise.server_rows import Excess
from froude.provision.search.optimise.subproblem import FIT, Subproblem, flow_of_one, subproblem
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types.plan import Conflict, ProvisionPlan, Status

_LEAST = 1e-6
_SERVER = 2.0**10
"""About what the dearest server costs then."""
EXACT = 1e-6
"""Relative gap that counts as none: what the solver's tolerances and rounding leave between equal bounds."""


def solve(
    instance: Instance,
    limits: SolveLimits | None = None,
    *,
    allowed: Sequence[Sequence[int]] | None = None,
    pool: ColumnPool | None = None,
    clock: Clock | None = None,
) -> ProvisionPlan:
    """The cheapest cluster between two bounds.

    The same arguments give the same plan, unless the time limit cuts the search short or a used pool is given.

    Args:
        limits: a gap below `EXACT` is that.
        allowed: open choices per dataset, for what-if questions; None opens all.
        pool: columns kept from neighbouring SLAs; filled further.

    Raises:
        SolverError: HiGHS failed.
        ValueError: a gap outside [0, 1) or a time limit not above 0.
    """
    limits = limits or SolveLimits()
    if not 0 <= limits.gap < 1 or not limits.time_limit_s > 0:
        raise ValueError(f"gap must lie in [0, 1) and time_limit_s above 0, got {limits}")
    clock = clock or RealClock()
    begin = clock.now()
    unit = money_unit(instance)
    instance = in_money(instance, unit)
    watch = limits.watch
    in_dollars = watch and (lambda lower, upper: watch(lower * unit, upper * unit))
    limits = replace(limits, gap=max(limits.gap, EXACT), watch=in_dollars)
    search = BendersSearch(instance, limits, clock, pool or ColumnPool(), allowed)
    search.run()
    plan = _plan(instance, search, clock.now() - begin)
    return replace(plan, lower=plan.lower * unit, upper=plan.upper * unit)


def _plan(instance: Instance, search: BendersSearch, seconds: float) -> ProvisionPlan:
    best = search.best
    if math.isfinite(best.cost):
        chosen = list(zip(instance.datasets, best.choices, strict=True))
        status = Status.PROVED if search.closed else Status.GAP
        groups = best.groups()
        upper = best.paid(groups)
        return ProvisionPlan(
            status,
            groups,
            {dataset.name: dataset.choices[c].names for dataset, c in chosen if dataset.cpu_of is None},
            lower=min(search.lower, upper),
            upper=upper,
            seconds=seconds,
            notes=tuple(search.notes),
            cpus={instance.tasks[d.cpu_of].name: instance.cpus[c] for d, c in chosen if d.cpu_of is not None},
        )
    if not search.feasible:
        reasons = conflicts(instance, search.allowed)
        return ProvisionPlan(Status.INFEASIBLE, conflict=reasons, lower=math.inf, seconds=seconds)
    return ProvisionPlan(Status.UNDECIDED, lower=search.lower, seconds=seconds, notes=tuple(search.notes))


def money_unit(instance: Instance) -> float:
    """Dollars that prices are divided by, a power of two; 1 where nothing costs."""
    servers = [server.cost for server in instance.servers]
    pieces = [unit.cost for unit in instance.units] + [server.core_cost for server in instance.servers]
    dearest = max(servers, default=0.0) or max(pieces, default=0.0)
    return 2.0 ** round(math.log2(dearest / _SERVER)) if dearest > 0 else 1.0


def in_money(instance: Instance, unit: float) -> Instance:
    """The same problem with prices in that unit.

    Args:
        unit: dollars, a power of two.
    """

    def choice(of: Choice) -> Choice:
        local = None if of.local is None else replace(of.local, cost=of.local.cost / unit)
        return replace(of, cost=of.cost / unit, local=local)

    return replace(
        instance,
        units=tuple(replace(u, cost=u.cost / unit) for u in instance.units),
        servers=tuple(replace(s, cost=s.cost / unit, core_cost=s.core_cost / unit) for s in instance.servers),
        datasets=tuple(replace(d, choices=tuple(map(choice, d.choices))) for d in instance.datasets),
    )


def conflicts(instance: Instance, allowed: Sequence[Sequence[int]] | None = None) -> tuple[Conflict, ...]:
    """The limits that the least-exceeding cluster exceeds; empty when limits summed per kind exclude nothing.

    Empty, too, when the time was over before any such cluster was found: then nothing is known.

    Args:
        allowed: open choices per dataset; None opens all.
    """
    if not instance.servers:
        return (Conflict("number of servers", 1, 0),)
    sub = subproblem(instance, allowed)
    alone = (*_too_large_for_one(sub), *_too_late(sub))
    if alone:
        return alone
    master = Master(sub, elastic=True)
    excesses = master.elastic or []
    outcome = solve_program(master.program, SolverOptions(time_s=10.0, gap=0.01))
    if outcome.status is ProgramStatus.INFEASIBLE:
        return (Conflict("the constraints of the servers, taken together"),)
    if not outcome.found:
        return ()
    named: dict[str, float] = {}
    for excess in excesses:
        named[excess.constraint] = named.get(excess.constraint, 0.0) + float(outcome.x[excess.variable])
    guilty = [name for name, over in sorted(named.items(), key=lambda pair: pair[1]) if over > _LEAST]
    x = _fewest(master, excesses, guilty) if guilty else outcome.x
    return tuple(_conflicts_at(excesses, x))


def _too_large_for_one(sub: Subproblem) -> tuple[Conflict, ...]:
    """Tasks of which, with uniform placement, a single instance has more traffic than any network carries."""
    if not sub.uniform:
        return ()
    widest = max(server.nic for server in sub.instance.servers)
    return tuple(
        Conflict(
            f"network of one instance of task {sub.instance.tasks[task].name}",
            flow,
            widest,
            "bytes per second",
        )
        for task in sub.tasks
        if (flow := flow_of_one(sub, task)) > widest * (1 + FIT)
    )


def _too_late(sub: Subproblem) -> Iterable[Conflict]:
    """Tasks whose latency no choices keep, whatever they cost."""
    quickest = sub.instance.run_times_among(sub.allowed)
    for at, (task, time) in enumerate(zip(sub.instance.tasks, quickest, strict=True)):
        if task.latency is not None:
            least = max(time, least_run_time(sub, at))
            if least > task.latency * (1 + FIT):
                yield Conflict(f"latency of task {task.name}", least, task.latency, "seconds")


def _fewest(master: Master, excesses: list[Excess], guilty: list[str]) -> Floats:
    """Close one limit after the other again, the least exceeded first, as long as the rest suffices."""
    closed = {excess.constraint for excess in excesses} - set(guilty)
    program = master.program.arrays()
    last = None
    for name in [None, *guilty]:
        attempt = closed if name is None else closed | {name}
        shut = [excess.variable for excess in excesses if excess.constraint in attempt]
        upper = program.upper.copy()
        upper[shut] = 0.0
        outcome = solve_program(replace(program, upper=upper), SolverOptions(time_s=5.0, gap=0.01))
        if outcome.found:
            closed, last = attempt, outcome.x
    assert last is not None  # nothing is closed at first that was exceeded
    return last


def _conflicts_at(excesses: list[Excess], x: Floats) -> Iterable[Conflict]:
    """What is exceeded at a point, the furthest first, each limit once."""
    seen: set[str] = set()
    for excess in sorted(excesses, key=lambda over_limit: -float(x[over_limit.variable])):
        over = float(x[excess.variable])
        if over <= _LEAST or excess.constraint in seen:
            continue
        seen.add(excess.constraint)
        servers = 1.0 if excess.count is None else max(1.0, float(x[excess.count]))
        allowed = excess.capacity + excess.taken
        needed = allowed + over / servers
        yield Conflict(excess.constraint, needed * excess.scale, allowed * excess.scale, excess.unit)
