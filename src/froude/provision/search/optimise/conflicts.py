"""Why no cluster meets an SLA: the constraints that cannot hold together, by an elastic second solve.

Every limit of a server may be exceeded at a price, as though a server had more of it; what the cheapest such
cluster exceeds is what is in the way. Things that fit no server at all show up as limits that even one server's
worth exceeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from froude.provision.model.instance import Instance
from froude.provision.search.optimise.highs import Floats, SolverOptions, Status, solve
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.run_time_rows import least_run_time
from froude.provision.search.optimise.server_rows import Excess
from froude.provision.search.optimise.subproblem import FIT, Subproblem, flow_of_one, subproblem
from froude.provision.types.plan import Conflict

_LEAST = 1e-6


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
    outcome = solve(master.program, SolverOptions(time_s=10.0, gap=0.01))
    if outcome.status is Status.INFEASIBLE:
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
        outcome = solve(replace(program, upper=upper), SolverOptions(time_s=5.0, gap=0.01))
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
