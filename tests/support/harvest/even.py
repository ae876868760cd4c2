"""A datacenter of tenants of equal size, for tests of placement and of simulations."""

from __future__ import annotations

import numpy as np

from froude.harvest.telemetry.datacenter import Datacenter, Reimages

DAY_S = 86_400.0


def datacenter(  # noqa: PLR0917 - sizes
    tenants: int = 30,
    servers: int = 10,
    environments: int = 15,
    seed: int = 1,
    days: float = 200,
    per_month: float = 0.5,
) -> Datacenter:
    """Tenants of equal size in racks of ten, with one day of utilisation, then days of reimages that are independent.

    Args:
        tenants: how many.
        servers: of each tenant.
        environments: over which tenants are dealt out.
        seed: of everything drawn.
        days: of reimages; half of them before the first slot.
        per_month: mean reimages of a server; tenants have 0.2 to 1.8 times as many.
    """
    draw = np.random.default_rng(seed)
    total = tenants * servers
    owner = np.repeat(np.arange(tenants, dtype=np.int32), servers)
    eager = np.linspace(0.2, 1.8, tenants)[draw.permutation(tenants)][owner]
    counts = draw.poisson(per_month * days / 30 * eager)
    wiped = np.repeat(np.arange(total, dtype=np.int32), counts)
    times = draw.uniform(-days / 2 * DAY_S, days / 2 * DAY_S, len(wiped))
    order = np.argsort(times)
    base, slots = draw.uniform(0.05, 0.7, tenants), np.arange(720) / 720
    swing = draw.uniform(0.0, 0.3, tenants)[:, None] * np.sin(
        2 * np.pi * (slots + draw.uniform(0, 1, (tenants, 1)))
    )
    return Datacenter(
        tenants=[f"t{number}" for number in range(tenants)],
        tenant_environment=(np.arange(tenants) % environments).astype(np.int32),
        environments=[f"e{number}" for number in range(environments)],
        servers=[f"s{number}" for number in range(total)],
        server_tenant=owner,
        server_rack=(np.arange(total) // 10).astype(np.int32),
        utilisation=np.clip(base[:, None] + swing, 0, 1).astype(np.float32),
        reimages=Reimages(wiped[order], times[order]),
    )
