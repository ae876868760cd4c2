"""Whether a move pays."""

from __future__ import annotations

import math
from typing import Any

from froude.cache.curves import MissRatioCurve
from froude.cache.solve.hysteresis import fill_s, kept
from froude.cache.solve.policies import policy
from froude.cache.solve.state import Hypervisor, State
from tests.support.cache.solve.made import state, vm

LOOP = MissRatioCurve((0, 60), (1.0, 0.0), 1)


def swapped(**fields: Any) -> State:
    """Two loops of which one fits; it is the wrong one that has its cache."""
    one, other = (
        vm("a", curve=LOOP, size_bytes=60, reads_per_s=100.0),
        vm("b", curve=LOOP, reads_per_s=150.0, chunk_bytes=1),
    )
    return state([one, other], 100, **fields)


def names(found: list[Hypervisor]) -> list[str]:
    """Of hypervisors."""
    return [each.name for each in found]


def test_a_move_pays_if_the_load_stays_long_enough() -> None:
    """The new cache is filled within half a second; until then its VM misses as before."""
    new = {"a": 0, "b": 60}
    assert fill_s(swapped().vms[1], 60) == 0.4
    assert names(kept(swapped(horizon_s=600), policy("exact"), new)) == []
    assert names(kept(swapped(horizon_s=0.5), policy("exact"), new)) == ["h1"]


def test_noise_moves_nothing() -> None:
    """A gain below a hundredth of the cost."""
    made = swapped()
    almost = state([made.vms[0], made.vms[1].replaced(reads_per_s=100.5)])
    assert names(kept(almost, policy("exact"), {"a": 0, "b": 60})) == ["h1"]
    assert names(kept(almost, policy("exact"), {"a": 0, "b": 60}, least_gain=0)) == []


def test_what_may_not_stay_moves() -> None:
    """No cache at all, more than there is, below a floor, above a ceiling."""
    made = swapped(horizon_s=0.5)
    new = {"a": 0, "b": 60}
    for fields in ({"size_bytes": 0}, {"size_bytes": 101}, {"floor_bytes": 61}, {"ceiling_bytes": 59}):
        changed = made.replaced(vms=(made.vms[0].replaced(**fields), made.vms[1]))
        assert names(kept(changed, policy("exact"), new)) == []


def test_rules_move_by_how_far_they_would() -> None:
    """They minimise nothing; a fiftieth of the SSD is not worth a resize."""
    made = swapped()
    assert names(kept(made, policy("equal"), {"a": 58, "b": 2})) == ["h1"]
    assert names(kept(made, policy("equal"), {"a": 50, "b": 50})) == []


def test_hypervisors_stay_one_by_one() -> None:
    """The second has nothing to gain."""
    made = swapped()
    third = made.vms[0].replaced(name="c", hypervisor="h2")
    both = state([*made.vms, third])
    assert names(kept(both, policy("exact"), {"a": 0, "b": 60, "c": 90})) == ["h2"]


def test_a_cache_that_nothing_fills_never_is() -> None:
    """And one that shrinks is full at once."""
    assert fill_s(vm("a", reads_per_s=0.0), 5) == math.inf
    assert fill_s(vm("a", size_bytes=9), 5) == 0
