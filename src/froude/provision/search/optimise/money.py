"""The unit of money that the optimiser counts in.

Tolerances of the solver are absolute, so prices of a millionth of a dollar and of a million would be rounded unlike:
the same inputs in cents, or in millions, must have the same cluster. Prices are divided by a power of two, which loses
nothing, so that a server costs about a thousand. Below `solve` every cost and bound is in this unit, not in dollars.
"""

from __future__ import annotations

import math
from dataclasses import replace

from froude.provision.model.instance import Choice, Instance

_SERVER = 2.0**10
"""About what the dearest server costs then."""


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
