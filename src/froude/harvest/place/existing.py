"""Replicas that lie somewhere already: which constraints their blocks break, and how they stand on servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from froude.base.machine_code import compiled
from froude.harvest.place.bulk import Placed
from froude.harvest.place.layout import Layout
from froude.harvest.place.policies import ATTRIBUTES, Attribute, Policy
from froude.harvest.place.rules import prepare
from froude.harvest.place.targets import Targets, put
from froude.harvest.telemetry.datacenter import Ints

Bools = npt.NDArray[np.bool_]
ABSENT = -2
"""In place of a server where a block has fewer replicas than others; a lost one is -1."""
PART = 1 << 18
"""Blocks looked at together."""


@dataclass(frozen=True, slots=True, eq=False)
class Existing:
    """Blocks as they lie."""

    replicas: Ints
    """Shape (blocks, most replicas): the server of each; `ABSENT` where a block has no more."""
    layout: Layout
    """Of the servers."""
    unknown: tuple[str, ...] = ()
    """Addresses that are on no known server: each stands for a server of its own, the last ones of the layout."""

    @property
    def blocks(self) -> int:
        """How many there are, with any replica."""
        return len(self.replicas)


@dataclass(frozen=True, slots=True)
class Broken:
    """How many blocks break a constraint."""

    attribute: Attribute
    blocks: int
    """With more replicas of one value than there must be."""
    replicas: int
    """So many would have to move."""


def existing(layout: Layout, addresses: Sequence[str], server: Ints, placed: Ints) -> Existing:
    """Blocks on servers, from blocks on addresses.

    Args:
        layout: of the known servers.
        addresses: of DataNodes.
        server: shape (addresses,): the server of each; -1 where it is not known.
        placed: shape (blocks, most replicas): numbers of addresses; -1 where there is no more.
    """
    strange = np.flatnonzero(server < 0)
    number = server.copy()
    number[strange] = layout.servers + np.arange(len(strange), dtype=np.int32)
    wide = _widened(layout, len(strange)) if len(strange) else layout
    replicas = np.where(placed >= 0, np.append(number, ABSENT)[placed], ABSENT).astype(np.int32)
    return Existing(replicas, wide, tuple(addresses[n] for n in strange.tolist()))


def broken(found: Existing) -> tuple[Broken, ...]:
    """By attribute: the blocks that break its constraint, whether a policy has it or not.

    Args:
        found: blocks as they lie.
    """
    layout, width = found.layout, found.replicas.shape[1]
    values = (layout.environment, layout.rack, layout.row, layout.column)
    kinds = (width, width, layout.rows, layout.columns)
    counts = []
    for attribute, array, most in zip(ATTRIBUTES, values, kinds, strict=True):
        over = np.zeros(found.blocks, np.int64)
        for begin in range(0, found.blocks, PART):
            over[begin : begin + PART] = _over(found.replicas[begin : begin + PART], array, most)
        counts.append(Broken(attribute, int((over > 0).sum()), int(over.sum())))
    return tuple(counts)


def as_placed(found: Existing, policy: Policy, fill: float, seed: int = 0) -> Placed:
    """The same, ready for a simulation in which a policy places what is copied again.

    Args:
        found: blocks as they lie.
        policy: of repairs.
        fill: share of the space that the replicas take, above 0 to 1; a server that holds more than its share of
            the space has just room for what it holds.
        seed: of the permutations of copysets.
    """
    layout, there = found.layout, found.replicas[found.replicas >= 0]
    used = np.bincount(there, minlength=layout.servers)
    room = max(1, round(len(there) / fill / layout.servers))
    capacity = np.maximum(used, room).astype(np.int32)
    targets, rules = prepare(layout, policy, capacity, found.replicas.shape[1], seed)
    replicas = np.ascontiguousarray(found.replicas.copy())
    _stand(targets, replicas.reshape(-1))
    return Placed(replicas, targets, rules, 0)


@compiled
def _stand(targets: Targets, replicas: Ints) -> None:
    for slot in range(len(replicas)):
        if replicas[slot] >= 0:
            put(targets, replicas[slot])


def _over(replicas: Ints, value: Ints, kinds: int) -> npt.NDArray[np.int64]:
    """Shape (blocks,): replicas beyond what a value may have: n / kinds, rounded up, of a block's n."""
    there = replicas >= 0
    number = there.sum(axis=1)
    own = np.where(there, value[replicas], -1)
    may = -(-number // kinds)
    same = np.zeros(own.shape, np.int64)
    for place in range(own.shape[1]):
        same[:, place] = (own[:, : place + 1] == own[:, place : place + 1]).sum(axis=1)
    over: npt.NDArray[np.int64] = ((same > may[:, None]) & there).sum(axis=1)
    return over


def _widened(layout: Layout, more: int) -> Layout:
    """With servers of which nothing is known but that they are others."""

    def own(array: Ints) -> Ints:
        first = int(array.max(initial=-1)) + 1
        return np.append(array, np.arange(first, first + more)).astype(np.int32)

    def none(array: Ints) -> Ints:
        return np.append(array, np.zeros(more)).astype(np.int32)

    return replace(
        layout,
        tenant=own(layout.tenant),
        environment=own(layout.environment),
        rack=own(layout.rack),
        row=none(layout.row),
        column=none(layout.column),
    )


def by_block(ids: npt.NDArray[np.int64], node: Ints) -> Ints:
    """Shape (blocks, most replicas): nodes by block, from a list of replicas; n log n.

    Args:
        ids: shape (replicas,): of blocks.
        node: shape (replicas,): where each is.
    """
    order = np.argsort(ids, kind="stable")
    first = np.flatnonzero(np.diff(ids[order], prepend=ids[order][:1] - 1))
    sizes = np.diff(np.append(first, len(ids)))
    placed = np.full((len(first), int(sizes.max(initial=0))), -1, np.int32)
    row = np.repeat(np.arange(len(first)), sizes)
    placed[row, np.arange(len(ids)) - np.repeat(first, sizes)] = node[order]
    return placed
