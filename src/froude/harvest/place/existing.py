"""Replicas that lie somewhere already: which constraints their blocks break, and how they stand on servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from froude.base.machine_code import compiled
from froude.harvest.place.bulk import Placed
from froude.harvest.place.grid import MONTH_S
from froude.harvest.place.layout import Layout
from froude.harvest.place.policies import ATTRIBUTES, Attribute, Policy
from froude.harvest.place.rules import prepare
from froude.harvest.place.targets import Targets, put
from froude.harvest.telemetry.datacenter import Datacenter, Ints

Bools = npt.NDArray[np.bool_]
ABSENT = -2
"""In place of a server where a block has fewer replicas than others; a lost one is -1."""
PART = 1 << 18
"""Blocks looked at together."""


@dataclass(frozen=True, eq=False)
class Existing:
    """Blocks as they lie."""

    replicas: Ints
    """Shape (blocks, most replicas): the server of each; `ABSENT` where a block has no more."""
    layout: Layout
    unknown: tuple[str, ...] = ()
    """Addresses that are on no known server: each stands for a server of its own, the last ones of the layout."""
    known: Mapping[Attribute, Bools] = field(default_factory=dict)
    """Shape (servers,): whether an attribute of each server is known; absent where it is of all."""

    @property
    def blocks(self) -> int:
        """How many there are, with any replica."""
        return len(self.replicas)

    @cached_property
    def counts(self) -> dict[int, int]:
        """Blocks by how many replicas they have."""
        numbers, blocks = np.unique((self.replicas != ABSENT).sum(axis=1), return_counts=True)
        return dict(zip(numbers.tolist(), blocks.tolist(), strict=True))

    @property
    def few(self) -> int:
        """Blocks with fewer replicas than most have: whether that is as their files want it, nobody tells."""
        counts = self.counts
        usual = max(counts, key=lambda number: (counts[number], number), default=0)
        return sum(blocks for number, blocks in counts.items() if number < usual)


@dataclass(frozen=True, slots=True)
class Broken:
    """How many blocks break a constraint."""

    attribute: Attribute
    blocks: int
    """With more replicas of one value than there must be."""
    replicas: int
    """So many would have to move."""
    judged: float = 1.0
    """Share of the replicas whose attribute is known: of the others nothing is counted."""


def known_of(datacenter: Datacenter, moment_s: float, months: float = 3.0) -> dict[Attribute, Bools]:
    """Which attributes of which servers are told by a datacenter, rather than made up to fill a layout.

    Args:
        moment_s: on the datacenter's own time; reimages from then on are not looked at.
        months: of reimages before it that count.

    Returns:
        By attribute, shape (servers,). Nobody's reimages are known where none was recorded in that time.
    """
    wiped = len(datacenter.reimages.between(moment_s - months * MONTH_S, moment_s).server) > 0
    measured = np.array([not np.isnan(row).all() for row in datacenter.utilisation], bool)
    return {
        Attribute.ENVIRONMENT: np.ones(len(datacenter.servers), bool),
        Attribute.RACK: datacenter.server_rack >= 0,
        Attribute.PEAK_ROW: measured[datacenter.server_tenant],
        Attribute.REIMAGE_COLUMN: np.full(len(datacenter.servers), wiped),
    }


def existing(
    layout: Layout,
    addresses: Sequence[str],
    server: Ints,
    placed: Ints,
    known: Mapping[Attribute, Bools] | None = None,
) -> Existing:
    """Blocks on servers, from blocks on addresses.

    Args:
        server: shape (addresses,): the server of each; -1 where it is not known.
        placed: shape (blocks, most replicas): numbers of addresses; -1 where there is no more.
        known: of the servers of the layout, as `known_of`; None where all is known.
    """
    strange = np.flatnonzero(server < 0)
    number = server.copy()
    number[strange] = layout.servers + np.arange(len(strange), dtype=np.int32)
    wide = _widened(layout, len(strange)) if len(strange) else layout
    replicas = np.where(placed >= 0, np.append(number, ABSENT)[placed], ABSENT).astype(np.int32)
    all_known = np.ones(layout.servers, bool)
    nothing = np.zeros(len(strange), bool)
    told = {each: np.append((known or {}).get(each, all_known), nothing) for each in ATTRIBUTES}
    return Existing(replicas, wide, tuple(addresses[n] for n in strange.tolist()), told)


def broken(found: Existing) -> tuple[Broken, ...]:
    """By attribute: the blocks that break its constraint for certain, whether a policy has it or not.

    What is not known of a server could be that of any other, or of none: it is not counted.
    """
    layout, width = found.layout, found.replicas.shape[1]
    values = (layout.environment, layout.rack, layout.row, layout.column)
    kinds = (width, width, layout.rows, layout.columns)
    counts = []
    held = max(1, int(np.count_nonzero(found.replicas >= 0)))
    for attribute, value, most in zip(ATTRIBUTES, values, kinds, strict=True):
        known = found.known.get(attribute, np.ones(layout.servers, bool))
        array = np.where(known, value, int(value.max(initial=-1)) + 1 + np.arange(layout.servers))
        judged = 0
        over = np.zeros(found.blocks, np.int64)
        for begin in range(0, found.blocks, PART):
            part = found.replicas[begin : begin + PART]
            over[begin : begin + PART] = _over(part, array, most)
            judged += int(np.count_nonzero(known[part] & (part >= 0)))
        counts.append(Broken(attribute, int((over > 0).sum()), int(over.sum()), judged / held))
    return tuple(counts)


def as_placed(found: Existing, policy: Policy, fill: float, seed: int = 0) -> Placed:
    """The same, ready for a simulation in which a policy places what is copied again.

    Args:
        fill: share of the space that the replicas take, above 0 to 1; a server that holds more than its share of
            the space has just room for what it holds.
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
