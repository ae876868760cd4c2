"""What a placement needs to know of servers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.harvest.place.grid import grid_of
from froude.harvest.place.layout import Layout, layout, layout_at
from tests.support.harvest.even import datacenter


def test_servers_inherit_from_their_tenants() -> None:
    """Environment, row and column are the tenant's."""
    known = datacenter(tenants=4, servers=2, environments=2)
    grid = grid_of(known, 0.0)
    made = layout(known, grid)
    assert made.environment.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
    assert made.row.tolist() == np.repeat(grid.row, 2).tolist()
    assert layout_at(known, 0.0).column.tolist() == made.column.tolist()
    assert made.servers == 8


def test_servers_of_no_known_rack_share_one() -> None:
    """It is none of the others."""
    known = datacenter(tenants=2, servers=2)
    unknown = replace(known, server_rack=np.array([0, -1, 1, -1], np.int32))
    assert layout_at(unknown, 0.0).rack.tolist() == [0, 2, 1, 2]


def test_arrays_are_of_one_length() -> None:
    """Every server has everything."""
    one, two = np.zeros(1, np.int32), np.zeros(2, np.int32)
    with pytest.raises(ValueError, match="each server has"):
        Layout(one, one, two, one, one)
