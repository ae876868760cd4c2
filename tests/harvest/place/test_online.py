"""One decision at a time."""

from __future__ import annotations

import random

import numpy as np

from froude.harvest.place.policies import preset
from testbed.placer import Placer
from tests.support.harvest.place.layouts import nine


def placer(space: int) -> Placer:
    """Algorithm 2 on nine tenants of two servers."""
    return Placer(nine(), preset("history"), np.full(18, space, np.int32), 3, random.Random(1))


def test_replicas_take_space_until_none_is_left() -> None:
    """Eighteen servers of one replica hold at most six blocks; some placements leave no three that differ."""
    made, held = placer(1), 0
    while (servers := made.place()) is not None:
        held += len(servers)
    assert held <= 18
    assert sum(made.room(server) for server in range(18)) == 18 - held


def test_space_that_is_freed_is_used_again() -> None:
    """A repair of survivors in two rows and columns goes to the third, if it has space."""
    made = placer(1)
    assert {made.repair([0, 8]), made.repair([0, 8])} == {16, 17}
    assert made.repair([0, 8]) is None
    made.free(17)
    assert made.repair([0, 8]) == 17
