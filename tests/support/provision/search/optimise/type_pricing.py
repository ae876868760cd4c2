"""Catalogs of many server types."""

from __future__ import annotations

import random
from dataclasses import replace

from froude.provision.model.instance import Instance
from tests.support.provision.search.optimise.examples import built, photoshare


def many(seed: int, *, isolation: bool = True, types: int = 16) -> Instance:
    """PhotoShare on types of all sizes that none replaces: each is a little cheaper or larger somewhere."""
    rng = random.Random(seed)
    instance = built(photoshare(300, servers=2, isolation=isolation))
    servers = []
    for number in range(types):
        size = rng.uniform(0.5, 4)
        base = instance.servers[number % 2]
        servers.append(
            replace(
                base,
                name=f"type {number}",
                cost=base.cost * size * rng.uniform(0.9, 1.1),
                cores=max(3, round(base.cores * size * rng.uniform(0.7, 1.4))),
                nic=base.nic * size * rng.uniform(0.7, 1.4),
                slots=tuple(max(1, round(n * size * rng.uniform(0.7, 1.4))) for n in base.slots),
                included_cores=rng.choice((0, 0, 2, 4)),
                included_units=tuple(rng.choice((0, 0, 1)) for _ in instance.units),
            )
        )
    return replace(instance, servers=tuple(servers))
