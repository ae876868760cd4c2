"""Why no cluster meets an SLA: the constraints that cannot hold together, by an elastic second solve.

Every limit of a server may be exceeded at a price, as though a server had more of it; what the cheapest such
cluster exceeds is what is in the way. Things that fit no server at all show up as limits that even one server's
worth exceeds.
"""

from __future__ import annotations

from collections.abc import Sequence

from froude.provision.instance import Instance
from froude.provision.optimise.contents import scope
from froude.provision.optimise.highs import Limits, solve
from froude.provision.optimise.master import Master
from froude.provision.plan import Conflict

_LEAST = 1e-6


def conflicts(instance: Instance, allowed: Sequence[Sequence[int]] | None = None) -> tuple[Conflict, ...]:
    """The limits that the least-exceeding cluster exceeds; empty when limits summed per kind exclude nothing.

    Args:
        instance: the numeric problem.
        allowed: open choices per dataset; None opens all.
    """
    if not instance.servers:
        return (Conflict("number of servers", 1, 0),)
    master = Master(scope(instance, allowed), elastic=True)
    found = solve(master.program, Limits(time_s=10.0, gap=0.01))
    if not found.found:
        return (Conflict("the constraints of the servers, taken together"),)
    named: dict[str, Conflict] = {}
    for excess in sorted(master.elastic or (), key=lambda one: -float(found.x[one.column])):
        over = float(found.x[excess.column])
        if over > _LEAST:
            servers = 1.0 if excess.count is None else max(1.0, float(found.x[excess.count]))
            needed = excess.capacity + over / servers
            unit = "" if excess.count is None else "per server"
            named.setdefault(excess.constraint, Conflict(excess.constraint, needed, excess.capacity, unit))
    return tuple(named.values())
