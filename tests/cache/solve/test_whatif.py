"""Other sizes of the SSD."""

from __future__ import annotations

import math

from froude.cache.curves import MissRatioCurve
from froude.cache.solve.policies import policy
from froude.cache.solve.whatif import measured_to, what_if
from tests.support.cache.solve.made import state, table_1, vm

_FACTORS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)


def test_more_space_is_never_worse_where_the_split_is_exact() -> None:
    """From none to all: Table 1 of the paper, whose working sets are 20 GB and whose SSD is 5."""
    cases = what_if(table_1(), policy("exact"), _FACTORS)
    latencies = [case.plan.expected.latency_s for case in cases]
    assert latencies == sorted(latencies, reverse=True)
    assert latencies[0] == 1
    assert latencies[-1] == 0.1
    assert [case.space_bytes for case in cases] == [int(5e9 * factor) for factor in _FACTORS]


def test_a_split_of_now_is_no_reason_to_stay() -> None:
    """What if asks for the best, whatever the move costs."""
    loop = MissRatioCurve((0, 60), (1.0, 0.0), 1)
    made = state([vm("a", curve=loop, size_bytes=60), vm("b", curve=loop, reads_per_s=100.1)], 60)
    (case,) = what_if(made, policy("exact"), [1.0])
    assert case.plan.sizes() == {"a": 0, "b": 60}


def test_curves_end_where_they_were_measured() -> None:
    """By the hypervisor of which least is known."""
    loop = MissRatioCurve((0, 60), (1.0, 0.0), 1)
    made = state([vm("a", curve=loop), vm("b", curve=loop), vm("c", hypervisor="h2", curve=loop)], 40)
    assert measured_to(made) == 1.5
    assert measured_to(state([], 40)) == math.inf
