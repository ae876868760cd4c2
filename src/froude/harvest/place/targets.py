"""Servers that have space for a replica, drawn in constant time by class and group.

Servers stand in one list by group (a tenant, a rack or a class), groups in one by class; the open ones come first in
their part of the list. A server that fills up, or that has space again, swaps places with its neighbour at the
border: no memory is asked for, and a draw is an index. The same functions run on lists, as plain Python, and on
arrays, compiled.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, cast

import numpy as np

from froude.base.machine_code import shared
from froude.harvest.telemetry.datacenter import Ints


class Numbers(Protocol):
    """A list or an array of whole numbers."""

    def __getitem__(self, index: int, /) -> int: ...

    def __setitem__(self, index: int, value: int, /) -> None: ...

    def __len__(self) -> int: ...


class Chance(Protocol):
    """A generator of Python's or of numpy's: both give the same here, from numbers in [0, 1)."""

    def random(self) -> float:
        """The next one."""


class Targets(NamedTuple):
    """The state of a placement; its lists change in place."""

    environment: Numbers
    """By server, as are rack, row, column, capacity, free and group."""
    rack: Numbers
    row: Numbers
    column: Numbers
    capacity: Numbers
    """Replicas that an empty server takes."""
    free: Numbers
    """Replicas that it takes now."""
    group: Numbers
    servers: Numbers
    """All, by group."""
    server_at: Numbers
    """By server: where it stands in `servers`."""
    group_start: Numbers
    """By group: where its servers begin."""
    group_open: Numbers
    """By group: how many of them have space."""
    cell: Numbers
    """By group: its class."""
    groups: Numbers
    """All, by class."""
    group_at: Numbers
    """By group: where it stands in `groups`."""
    cell_start: Numbers
    """By class: where its groups begin."""
    cell_open: Numbers
    """By class: how many of its groups have space."""
    cell_servers: Numbers
    """By class: how many servers have space."""
    relaxed: Numbers
    """By attribute: how many replicas broke it, for want of a server that would not."""


def make_targets(
    arrays: tuple[Ints, Ints, Ints, Ints], group: Ints, cell: Ints, cells: int, capacity: Ints
) -> Targets:
    """Empty servers; n log n in them.

    Args:
        arrays: environment, rack, row and column, shape (servers,) each.
        group: shape (servers,): in which each stands, from 0 without gaps.
        cell: shape (groups,): the class of each group.
        capacity: shape (servers,): replicas that each takes, from 0.
    """
    servers, start, sizes = _lined_up(group, len(cell))
    groups, cell_start, cell_sizes = _lined_up(cell, cells)
    in_cell = np.bincount(cell, sizes, cells).astype(np.int32)
    lines = (servers, _positions(servers), start, sizes, cell)
    outer = (groups, _positions(groups), cell_start, cell_sizes, in_cell, np.zeros(4))
    whole = [each.astype(np.int32) for each in (*arrays, capacity, capacity, group, *lines, *outer)]
    targets = Targets(*cast("list[Numbers]", whole))
    for empty in np.flatnonzero(sizes == 0).tolist():
        _shut_group(targets, empty)
    for server in np.flatnonzero(capacity == 0).tolist():
        _shut(targets, server)
    return targets


@shared
def put(targets: Targets, server: int) -> None:
    """A replica more on a server that has space."""
    targets.free[server] -= 1
    if targets.free[server] == 0:
        _shut(targets, server)


@shared
def take(targets: Targets, server: int, replicas: int) -> None:
    """So many replicas less on a server, 0 or more."""
    if targets.free[server] == 0 and replicas > 0:
        _reopen(targets, server)
    targets.free[server] += replicas


@shared
def _shut(targets: Targets, server: int) -> None:
    group = targets.group[server]
    targets.group_open[group] -= 1
    _swap(targets.servers, targets.server_at, server, targets.group_start[group] + targets.group_open[group])
    targets.cell_servers[targets.cell[group]] -= 1
    if targets.group_open[group] == 0:
        _shut_group(targets, group)


@shared
def _shut_group(targets: Targets, group: int) -> None:
    cell = targets.cell[group]
    targets.cell_open[cell] -= 1
    _swap(targets.groups, targets.group_at, group, targets.cell_start[cell] + targets.cell_open[cell])


@shared
def _reopen(targets: Targets, server: int) -> None:
    group = targets.group[server]
    cell = targets.cell[group]
    if targets.group_open[group] == 0:
        _swap(targets.groups, targets.group_at, group, targets.cell_start[cell] + targets.cell_open[cell])
        targets.cell_open[cell] += 1
    targets.cell_servers[cell] += 1
    _swap(targets.servers, targets.server_at, server, targets.group_start[group] + targets.group_open[group])
    targets.group_open[group] += 1


@shared
def _swap(line: Numbers, places: Numbers, one: int, at: int) -> None:
    """Bring one to a place of the line, and who stood there to where it was."""
    other, was = line[at], places[one]
    line[was] = other
    places[other] = was
    line[at] = one
    places[one] = at


def _lined_up(key: Ints, keys: int) -> tuple[Ints, Ints, Ints]:
    """Everyone by key, where each key begins, and how many it has."""
    sizes = np.bincount(key, minlength=keys).astype(np.int32)
    start = (np.cumsum(sizes) - sizes).astype(np.int32)
    return np.argsort(key, kind="stable").astype(np.int32), start, sizes


def _positions(line: Ints) -> Ints:
    places = np.empty(len(line), np.int32)
    places[line] = np.arange(len(line), dtype=np.int32)
    return places
