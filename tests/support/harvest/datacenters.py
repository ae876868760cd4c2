"""Small datacenters for tests."""

from __future__ import annotations

from functools import cache

import numpy as np

from froude.base.seeds import Seeds
from froude.harvest.telemetry.datacenter import Datacenter, Reimages
from froude.harvest.telemetry.generate import generate
from froude.harvest.telemetry.profiles import Profile


def made(rows: np.ndarray, *, servers: int = 1, slot_s: float = 3600.0) -> Datacenter:
    """A tenant a row, each an environment of its own, with as many servers each."""
    count = len(rows)
    return Datacenter(
        tenants=[f"t{n}" for n in range(count)],
        tenant_environment=np.arange(count, dtype=np.int32),
        environments=[f"e{n}" for n in range(count)],
        servers=[f"s{n}" for n in range(count * servers)],
        server_tenant=np.repeat(np.arange(count, dtype=np.int32), servers),
        server_rack=np.zeros(count * servers, np.int32),
        utilisation=np.asarray(rows, np.float32),
        slot_s=slot_s,
        reimages=Reimages.none(),
    )


@cache
def drawn(days: int = 8, tenants: int = 24, servers: int = 200) -> Datacenter:
    """A generated one, with three months of reimages before and after its beginning."""
    profile = Profile("small", tenants=tenants, servers=servers)
    return generate(profile, Seeds(5), days=days, months_before=3, months_after=3)
