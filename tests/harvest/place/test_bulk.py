"""Millions of blocks at once."""

from __future__ import annotations

import numpy as np
import pytest

from froude.harvest.place.bulk import place_blocks
from froude.harvest.place.layout import layout_at
from froude.harvest.place.policies import PRESETS, Policy
from testbed.placer import Placer
from tests.support.harvest.even import datacenter

LAYOUT = layout_at(datacenter(), 0.0)
"""Three hundred servers of thirty tenants."""
POLICIES = (*PRESETS, *(policy.softened() for policy in PRESETS[5:7]))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_bulk_decides_as_one_at_a_time(policy: Policy) -> None:
    """From the same numbers come the same servers, so the two are equal in distribution; also when space runs out."""
    space, blocks = np.full(LAYOUT.servers, 5, np.int32), 550
    many = place_blocks(LAYOUT, policy, space, blocks, 3, np.random.default_rng(8), seed=4)
    chance = np.random.default_rng(8)
    writers = chance.integers(0, LAYOUT.servers, blocks, dtype=np.int32)
    single = Placer(LAYOUT, policy, space, 3, chance, seed=4)
    one_by_one = [single.place(writer) or (-1, -1, -1) for writer in writers.tolist()]
    assert many.replicas.tolist() == [list(each) for each in one_by_one]
    assert dict(many.relaxed) == dict(single.relaxed)
    assert many.refused == sum(each[0] < 0 for each in one_by_one)
    assert many.refused >= 50
