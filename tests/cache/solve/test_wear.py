"""SSDs that last as long as they shall."""

from __future__ import annotations

import random

import pytest

from froude.base.seeds import Seeds
from froude.cache.curves import MissRatioCurve
from froude.cache.solve.expectation import ratios
from froude.cache.solve.policies import POLICIES, Policy, Search, policy
from froude.cache.solve.state import DAY_S, State
from froude.cache.solve.wear import lasting, per_day, within
from tests.support.cache.solve.made import curve, state, vm

LOOP = MissRatioCurve((0, 60), (1.0, 0.0), 1)
SCAN = MissRatioCurve((0, 30), (1.0, 0.9), 1)
SLOW = MissRatioCurve((0, 30, 80), (1.0, 0.5, 0.05), 1)


def limited(made: State, bytes_per_s: float) -> State:
    """The same on SSDs that may be written so much."""
    most = int(bytes_per_s * DAY_S)
    return made.replaced(
        hypervisors=tuple(each.replaced(writes_bytes_per_day=most) for each in made.hypervisors)
    )


def sizes(made: State, name: str, remarks: list[str] | None = None) -> dict[str, int]:
    """What a policy gives within the limits."""
    _, shares = lasting(made, policy(name), Seeds(1), [] if remarks is None else remarks)
    return {vm: share.size_bytes for vm, share in shares.items()}


def test_a_search_gives_up_what_writes_most_for_its_hits() -> None:
    """A scan saves a tenth of its reads by writing the others; a loop that fits writes nothing."""
    made = state([vm("loop", curve=LOOP, chunk_bytes=1), vm("scan", curve=SCAN, chunk_bytes=1)], 100)
    assert sizes(made, "exact") == {"loop": 60, "scan": 30}
    remarks: list[str] = []
    assert sizes(limited(made, 50), "exact", remarks) == {"loop": 60, "scan": 0}
    (remark,) = remarks
    assert remark.startswith(
        "what is written to h1's SSD has a price, so that it is 0 B a day of the 4.32 MB"
    )
    assert remark.endswith("instead of 7.78 MB")


def test_a_larger_cache_writes_less() -> None:
    """Rather than none of two small ones, one that is large: a rule would take one away."""
    made = state([vm("a", curve=SLOW, chunk_bytes=1), vm("b", curve=SLOW, chunk_bytes=1, importance=0.9)], 80)
    assert sizes(made, "exact") == {"a": 30, "b": 30} or sizes(made, "exact") == {"a": 80, "b": 0}
    assert sizes(limited(made, 20), "exact") == {"a": 80, "b": 0}


@pytest.mark.parametrize(
    "chosen",
    [each for each in POLICIES if each.name not in {"shared", "ac-ssd-ga"}],
    ids=lambda each: each.name,
)
def test_every_policy_keeps_within_the_limit(chosen: Policy) -> None:
    """On random curves; a search loses no more than a rule of taking caches away would."""
    for seed in range(12):
        rng = random.Random(seed)
        vms = [
            vm(
                f"v{n}",
                hypervisor=f"h{n % 2}",
                curve=curve(rng),
                reads_per_s=rng.uniform(1, 9),
                chunk_bytes=1,
            )
            for n in range(6)
        ]
        made = limited(state(vms, 60), rng.uniform(0, 12))
        _, shares = lasting(made, chosen, Seeds(1), [])
        given = {name: share.size_bytes for name, share in shares.items()}
        assert all(within(made, each, given) for each in made.hypervisors)
        if isinstance(chosen, Search) and chosen.name == "exact":
            nothing = chosen.cost_s(made, ratios(made, dict.fromkeys(given, 0)))
            assert chosen.cost_s(made, ratios(made, given)) <= nothing


def test_floors_give_way_at_last() -> None:
    """Where nothing else keeps the SSD alive."""
    made = limited(state([vm("scan", curve=SCAN, floor_bytes=40, chunk_bytes=1)], 100), 10)
    remarks: list[str] = []
    assert sizes(made, "exact", remarks) == {"scan": 0}
    assert remarks[0].startswith("scan gets no cache: it would write 7.78 MB a day")


def test_an_ssd_without_a_limit_is_never_written_too_much() -> None:
    """And what is written is counted by the day."""
    made = state([vm("scan", curve=SCAN, chunk_bytes=1)], 100)
    (hypervisor,) = made.hypervisors
    assert within(made, hypervisor, {"scan": 30.0})
    assert per_day(made, hypervisor, {"scan": 30.0}) == pytest.approx(90 * DAY_S)
