"""A policy, a layout and a number of replicas, made ready for the functions that choose."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from froude.harvest.place.layout import Layout
from froude.harvest.place.policies import ATTRIBUTES, Attribute, Constraints, Draw, Kind, Policy
from froude.harvest.place.targets import Numbers, Targets, make_targets
from froude.harvest.telemetry.datacenter import Ints

CONSTRAINED, PAPER_STOCK, HDFS_STOCK, COPYSET = range(4)
ENVIRONMENT, RACK, ROW, COLUMN = (1 << number for number in range(4))
"""Bits of a mask, in the order of `ATTRIBUTES`."""
LARGEST_GRID = 60
"""Classes that fit into the bits of a number."""


class Rules(NamedTuple):
    """What a policy demands, as numbers."""

    kind: int
    """Which rule chooses, in the order of `Kind`."""
    by_servers: int
    """1 if a class is drawn in proportion to its servers that have space, 0 if all have the same chance."""
    rows: int
    """Rows of classes; 1 where rows are not constrained."""
    columns: int
    """Columns of classes; 1 where columns are not constrained."""
    masks: Numbers
    """Constraints as bits, tried one after the other: all, then without the least important soft one, and so on."""
    row_bits: Numbers
    """By row: its classes as bits."""
    column_bits: Numbers
    """By column: its classes as bits."""
    per_rack: int
    """Most replicas of a block in a rack, for stock HDFS."""
    width: int
    """Servers of a copyset: the number of replicas, unless there are fewer servers."""
    permuted: Numbers
    """Servers in permutations, one after the other, for copysets."""
    places: Numbers
    """By permutation and server: where it stands in the permutation."""


def prepare(
    layout: Layout, policy: Policy, capacity: Ints, replicas: int, seed: int = 0
) -> tuple[Targets, Rules]:
    """Empty servers and the rules for them.

    Args:
        capacity: shape (servers,): replicas that each takes.
        replicas: of a block, from 1.

    Raises:
        ValueError: no replica, not a capacity for each server, or more classes than fit.
    """
    if replicas < 1 or len(capacity) != layout.servers or layout.rows * layout.columns > LARGEST_GRID:
        raise ValueError(f"replicas from 1, a capacity for each server, at most {LARGEST_GRID} classes")
    constraints = policy.constraints if policy.kind is Kind.CONSTRAINED else Constraints(())
    rows = layout.rows if Attribute.PEAK_ROW in constraints.distinct else 1
    columns = layout.columns if Attribute.REIMAGE_COLUMN in constraints.distinct else 1
    cell = (layout.row if rows > 1 else 0) * columns + (layout.column if columns > 1 else 0)
    cells = np.broadcast_to(np.asarray(cell, np.int32), layout.tenant.shape)
    group, cell_of_group = _groups(layout, policy, cells, rows * columns)
    arrays = (layout.environment, layout.rack, layout.row, layout.column)
    targets = make_targets(arrays, group, cell_of_group, rows * columns, capacity)
    racks = int(layout.rack.max(initial=0)) + 1
    permuted, places = _permutations(layout.servers, policy, replicas, seed)
    rules = Rules(
        list(Kind).index(policy.kind),
        int(policy.draw is Draw.SERVER),
        rows,
        columns,
        cast("Numbers", np.array(_masks(constraints), np.int64)),
        cast("Numbers", np.array([((1 << columns) - 1) << row * columns for row in range(layout.rows)])),
        cast("Numbers", np.array([_column_bits(column, rows, columns) for column in range(layout.columns)])),
        (replicas - 1) // racks + 2,
        min(replicas, layout.servers),
        cast("Numbers", permuted),
        cast("Numbers", places),
    )
    return targets, rules


def _column_bits(column: int, rows: int, columns: int) -> int:
    return sum(1 << row * columns + column for row in range(rows))


def _masks(constraints: Constraints) -> list[int]:
    bits = {each: 1 << number for number, each in enumerate(ATTRIBUTES)}
    masks = [sum(bits[each] for each in constraints.distinct)]
    for each in reversed(constraints.distinct):
        if each in constraints.soft:
            masks.append(masks[-1] - bits[each])
    return masks


def _groups(layout: Layout, policy: Policy, cell: Ints, cells: int) -> tuple[Ints, Ints]:
    """The group of each server, and the class of each group."""
    if policy.kind in {Kind.PAPER_STOCK, Kind.HDFS_STOCK}:
        return layout.rack, np.zeros(int(layout.rack.max(initial=0)) + 1, np.int32)
    if policy.kind is Kind.COPYSET or policy.draw is not Draw.TENANT:
        return cell, np.arange(cells, dtype=np.int32)
    of_tenant = np.zeros(int(layout.tenant.max(initial=0)) + 1, np.int32)
    of_tenant[layout.tenant] = cell
    present, group = np.unique(layout.tenant, return_inverse=True)  # a tenant without servers has no chance
    return group.astype(np.int32), of_tenant[present]


def _permutations(servers: int, policy: Policy, replicas: int, seed: int) -> tuple[Ints, Ints]:
    """Permutations of the servers, enough for the scatter width, and where each server stands in each.

    Source: Cidon et al., Copysets, USENIX ATC 2013, section 4: width / (replicas - 1) permutations.
    """
    count = -(-policy.scatter // max(replicas - 1, 1)) if policy.kind is Kind.COPYSET else 0
    generator = np.random.default_rng(seed)
    permuted = np.empty((count, servers), np.int32)
    places = np.empty((count, servers), np.int32)
    for number in range(count):
        permuted[number] = generator.permutation(servers)
        places[number, permuted[number]] = np.arange(servers)
    return permuted.reshape(-1), places.reshape(-1)
