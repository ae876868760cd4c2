"""All replicas of a block."""

from __future__ import annotations

import random

import numpy as np

from froude.harvest.place.choosing import choose, place_block
from froude.harvest.place.policies import preset
from testbed.placer import prepare_lists
from tests.support.harvest.place.layouts import nine


def test_the_writer_holds_the_first_replica_while_it_has_space() -> None:
    """Then another server does."""
    targets, rules = prepare_lists(nine(), preset("history"), np.ones(18, np.int32), 3)
    taken, chance = [-1] * 3, random.Random(1)
    assert place_block(targets, rules, 4, taken, chance)
    assert taken[0] == 4
    assert place_block(targets, rules, 4, taken, chance)
    assert taken[0] != 4


def test_a_refused_block_takes_no_space() -> None:
    """Two classes cannot hold three replicas that differ in row."""
    space = np.zeros(18, np.int32)
    space[[0, 8]] = 3
    targets, rules = prepare_lists(nine(), preset("history"), space, 3)
    assert not place_block(targets, rules, 0, [-1] * 3, random.Random(1))
    assert list(targets.free) == space.tolist()  # type: ignore[call-overload]


def test_every_kind_chooses() -> None:
    """Each by its own rule."""
    for name in ("random", "stock", "copyset"):
        targets, rules = prepare_lists(nine(), preset(name), np.ones(18, np.int32), 3)
        assert choose(targets, rules, [0], 1, random.Random(1)) > 0
