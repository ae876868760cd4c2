"""Servers with space, by class and group."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from froude.harvest.place.targets import Targets, make_targets, put, take
from testbed.placer import as_lists

GROUP = np.array([0, 1, 1, 2, 2, 2], np.int32)
CELL = np.array([0, 1, 1], np.int32)


def made(capacity: list[int]) -> Targets:
    """Six servers of three groups in two classes."""
    nothing = np.zeros(6, np.int32)
    return as_lists(make_targets((nothing,) * 4, GROUP, CELL, 2, np.array(capacity, np.int32)))


def open_servers(targets: Targets) -> set[int]:
    """Those that a draw can reach, by class and group."""
    found = set()
    for cell in range(len(targets.cell_open)):
        for number in range(targets.cell_open[cell]):
            group = targets.groups[targets.cell_start[cell] + number]
            first = targets.group_start[group]
            found |= {targets.servers[first + place] for place in range(targets.group_open[group])}
    return found


def test_servers_without_space_cannot_be_drawn() -> None:
    """A group without any is gone from its class, too."""
    targets = made([0, 1, 0, 1, 1, 1])
    assert open_servers(targets) == {1, 3, 4, 5}
    assert targets.cell_open == [0, 2]
    assert targets.cell_servers == [0, 4]


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=80))
def test_who_has_space_can_be_drawn(steps: list[tuple[int, bool]]) -> None:
    """After any replicas came and went, drawable are just those servers whose space is above 0."""
    targets = made([2] * 6)
    for server, more in steps:
        if more and targets.free[server] > 0:
            put(targets, server)
        elif not more and targets.free[server] < 2:
            take(targets, server, 1)
    free = {server for server in range(6) if targets.free[server] > 0}
    assert open_servers(targets) == free
    assert targets.cell_servers == [len(free & {0}), len(free - {0})]
