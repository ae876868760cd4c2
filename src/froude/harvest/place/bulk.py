"""Millions of blocks at once, compiled: the same decisions as one at a time, from the same numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from froude.base.machine_code import compiled
from froude.harvest.place.choosing import place_block
from froude.harvest.place.layout import Layout
from froude.harvest.place.policies import ATTRIBUTES, Policy
from froude.harvest.place.rules import Rules, prepare
from froude.harvest.place.targets import Chance, Targets
from froude.harvest.telemetry.datacenter import Ints


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Blocks on servers."""

    replicas: Ints
    """Shape (blocks, replicas): the server of each; a row of -1 for a block that was refused."""
    targets: Targets
    """The servers as they are now."""
    rules: Rules
    refused: int
    """Blocks that no servers might have."""

    @property
    def relaxed(self) -> Mapping[str, int]:
        """By attribute: how many replicas broke it, for want of a server that would not."""
        return relaxations(self.targets)


def relaxations(targets: Targets) -> Mapping[str, int]:
    """By attribute: how many replicas broke it."""
    return {each.value: int(targets.relaxed[number]) for number, each in enumerate(ATTRIBUTES)}


def place_blocks(  # noqa: PLR0917 - as `prepare`, with blocks
    layout: Layout,
    policy: Policy,
    capacity: Ints,
    blocks: int,
    replicas: int,
    generator: np.random.Generator,
    seed: int = 0,
) -> Placed:
    """Place blocks whose writers are servers drawn with equal chance.

    Args:
        capacity: shape (servers,): replicas that each takes.
        replicas: of a block, from 1.
    """
    targets, rules = prepare(layout, policy, capacity, replicas, seed)
    writers = generator.integers(0, layout.servers, blocks, dtype=np.int32)
    servers = np.empty((blocks, replicas), np.int32)
    refused = _place_all(targets, rules, writers, servers, cast("Chance", generator))
    return Placed(servers, targets, rules, int(refused))


@compiled
def _place_all(targets: Targets, rules: Rules, writers: Ints, servers: Ints, chance: Chance) -> int:
    refused = 0
    for block in range(len(writers)):
        if not place_block(targets, rules, writers[block], servers[block], chance):
            servers[block, :] = -1
            refused += 1
    return refused
