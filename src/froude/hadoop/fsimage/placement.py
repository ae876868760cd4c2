"""On which nodes replicas lie, chosen as HDFS chooses them; pure, and for many blocks at once.

Nodes are numbered rack by rack, so a rack is a range of numbers. The first replica lies anywhere, as if clients were
spread over all nodes; the second in another rack; the third in the rack of the second; others anywhere, and no rack
takes more than its share while another has room. The internal blocks of a block group go to as many racks as there are.

Source: BlockPlacementPolicyDefault and BlockPlacementPolicyRackFaultTolerant in
org.apache.hadoop.hdfs.server.blockmanagement.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
_NONE = -1
_BEYOND = np.iinfo(np.int64).max
_DRAWS = 8
"""How often a node of a rack that has its share is drawn anew; then it stays, as in HDFS when it finds no better."""


@dataclass(frozen=True, slots=True)
class Topology:
    """Nodes in racks of about the same size."""

    nodes: int
    racks: int = 1
    """1 to `nodes`."""

    def __post_init__(self) -> None:
        if not 1 <= self.racks <= self.nodes:
            raise ValueError(f"{self.racks} racks for {self.nodes} nodes")

    @property
    def starts(self) -> Ints:
        """(racks + 1,) number of the first node of each rack, and of all nodes."""
        return np.arange(self.racks + 1, dtype=np.int64) * self.nodes // self.racks

    def rack(self, nodes: Ints) -> Ints:
        """The rack of each node; of -1 it is -1."""
        return np.searchsorted(self.starts, nodes, side="right") - 1


def place_replicas(topology: Topology, counts: Ints, rng: np.random.Generator) -> Ints:
    """(blocks, most) the nodes of each block's replicas; -1 where it has no more.

    Args:
        counts: (blocks,) replicas of each; at most as many as there are nodes are placed.
    """
    counts = np.minimum(counts, topology.nodes)
    placed = np.full((len(counts), int(counts.max(initial=0))), _NONE, np.int64)
    for number in range(placed.shape[1]):
        rows = np.flatnonzero(counts > number)
        placed[rows, number] = _next_node(topology, placed[rows, :number], counts[rows], rng)
    return placed


def place_groups(topology: Topology, groups: int, width: int, rng: np.random.Generator) -> Ints:
    """(groups, width) a node of each internal block; -1 where there are too few nodes.

    Args:
        width: internal blocks of each.
    """
    starts = topology.starts
    placed = np.full((groups, width), _NONE, np.int64)
    first = rng.integers(topology.racks, size=groups)
    for number in range(min(width, topology.nodes)):
        rack = (first + number) % topology.racks
        chosen = _draw(starts[rack], starts[rack + 1], placed[:, :number], rng)
        placed[:, number] = _or_anywhere(topology, chosen, placed[:, :number], rng)
    return placed


def _next_node(topology: Topology, taken: Ints, counts: Ints, rng: np.random.Generator) -> Ints:
    number = taken.shape[1]
    starts = topology.starts
    if number == 1:
        rack = topology.rack(taken[:, 0])
        size = starts[rack + 1] - starts[rack]
        chosen = _draw(np.zeros_like(size), topology.nodes - size, taken[:, :0], rng)
        chosen += np.where(chosen >= starts[rack], size, 0)
    elif number == 2:
        rack = topology.rack(taken[:, 1])
        chosen = _draw(starts[rack], starts[rack + 1], taken, rng)
    else:
        chosen = np.full(len(taken), _NONE, np.int64)
    chosen = _or_anywhere(topology, chosen, taken, rng)
    if number > 2 and topology.racks > 1:
        limit = (counts - 1) // topology.racks + 2
        racks = topology.rack(taken)
        for _ in range(_DRAWS):
            full = np.flatnonzero((racks == topology.rack(chosen)[:, None]).sum(axis=1) >= limit)
            if not len(full):
                break
            chosen[full] = _or_anywhere(topology, np.full(len(full), _NONE, np.int64), taken[full], rng)
    return chosen


def _or_anywhere(topology: Topology, chosen: Ints, taken: Ints, rng: np.random.Generator) -> Ints:
    """The chosen nodes, and where none was left to choose (-1), one of the whole cluster."""
    rows = np.flatnonzero(chosen < 0)
    if len(rows):
        low = np.zeros(len(rows), np.int64)
        chosen[rows] = _draw(low, low + topology.nodes, taken[rows], rng)
    return chosen


def _draw(low: Ints, high: Ints, taken: Ints, rng: np.random.Generator) -> Ints:
    """(n,) a node from `low` to below `high` that is not taken, each as likely; -1 where all are.

    Of the free ones a number is drawn; it moves on by one for each taken one below it.
    """
    inside = (taken >= low[:, None]) & (taken < high[:, None])
    between = np.sort(np.where(inside, taken, _BEYOND), axis=1)
    free = high - low - inside.sum(axis=1)
    node = low + (rng.random(len(low)) * free).astype(np.int64)
    for column in between.T:
        node += node >= column
    return np.where(free > 0, node, _NONE)
