"""Every policy on small states, and the paper's first table."""

from __future__ import annotations

import math
import random
from collections import OrderedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.cache.curves import MissRatioCurve, Shards
from froude.cache.solve.expectation import expected
from froude.cache.solve.policies import DEFAULT, POLICIES, Policy, Search, natural_split, policy
from froude.cache.solve.state import State
from tests.support.cache.solve.made import GB, curve, state, table_1, vm


def sizes(made: State, name: str) -> dict[str, int]:
    """What a policy gives."""
    return {vm: share.size_bytes for vm, share in policy(name).split(made, Seeds(1)).items()}


def latency(made: State, given_: dict[str, float]) -> float:
    """By importance, in units of the disk's: as the paper's first table counts."""
    total = sum(each.importance for each in made.vms)
    missed = (
        sum(each.importance * (1 - min(1.0, given_[each.name] / each.working_set)) for each in made.vms)
        / total
    )
    return missed + 0.1 * (1 - missed)


def nodes(*gigabytes: float) -> dict[str, float]:
    """Sizes of the paper's five."""
    return {f"Node-{number}": size * GB for number, size in enumerate(gigabytes, 1)}


def test_table_1_of_the_paper() -> None:
    """Both latencies exactly, its own rounding as well, and the better optimum that it overlooks."""
    made = table_1()
    by_working_set, by_importance = sizes(made, "working-set"), sizes(made, "importance")
    assert by_working_set == pytest.approx(nodes(1.25, 0.25, 1, 0.75, 1.75), abs=1)
    assert by_importance == pytest.approx(nodes(0.5, 2, 0.5, 1.5, 0.5), abs=1)
    assert latency(made, by_working_set) == pytest.approx(0.775, abs=1e-12)
    assert latency(made, by_importance) == pytest.approx(0.478321, abs=5e-7)
    printed = (
        0.1 * 0.9 + 0.4 * 0 + 0.1 * 0.875 + 0.3 * 0.5 + 0.1 * 0.929
    )  # Table 1(b) rounds a miss rate to 92.9 %
    assert printed + 0.1 * (1 - printed) == pytest.approx(0.47836, abs=1e-12)
    best = sizes(made, "exact")
    assert best == nodes(0, 1, 1, 3, 0)
    assert expected(made, best).latency_s == pytest.approx(0.3475, abs=1e-9)
    assert sizes(made, "hull") == best


def test_equal_and_none_and_shared() -> None:
    """By hypervisor; shared is what each will hold."""
    made = state([vm("a", curve=MissRatioCurve((0,), (1.0,), 1)), vm("b"), vm("c", hypervisor="h2")], 90)
    assert sizes(made, "equal") == {"a": 45, "b": 45, "c": 90}
    assert sizes(made, "none") == {"a": 0, "b": 0, "c": 0}
    assert sizes(made, "shared") == {"a": 45, "b": 45, "c": 90}
    assert [each.name for each in POLICIES if each.shares] == ["shared"]


def test_the_papers_weights_split_each_hypervisor() -> None:
    """Weights are of the platform, bytes of the hypervisor; idle VMs divide nothing by zero."""
    busy = {"cpu_s": 10, "io_s": 30, "iops": 100, "disk_bytes_per_s": 1000, "network_bytes_per_s": 500}
    made = state([vm("a", **busy), vm("b"), vm("c", hypervisor="h2", **busy)], 90)
    assert sizes(made, "ac-ssd") == {"a": 90, "b": 0, "c": 90}
    idle = state([vm("a"), vm("b")], 90)
    assert sizes(idle, "ac-ssd") == {"a": 45, "b": 45}
    assert sum(sizes(idle, "ac-ssd-ga").values()) in (89, 90)
    assert sizes(state([], 90), "ac-ssd") == {}


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from(POLICIES))
def test_no_policy_gives_more_than_there_is_or_less_than_the_floor(seed: int, chosen: Policy) -> None:
    """On any state whose floors fit; every share has a reason."""
    import random

    rng = random.Random(seed)
    vms = [
        vm(
            f"v{number}",
            hypervisor=f"h{number % 2}",
            application=f"c{number % 3}",
            curve=curve(rng) if rng.random() < 0.8 else None,
            floor_bytes=(floor := rng.randint(0, 9)),
            ceiling_bytes=rng.choice([None, floor, floor + 20]),
            importance=rng.choice([0.0, 1.0, 4.0]),
            reads_per_s=rng.choice([0.0, 5.0, 500.0]),
            cpu_s=rng.random(),
            io_s=rng.random(),
        )
        for number in range(6)
    ]
    made = state(vms, rng.randint(30, 100))
    shares = chosen.split(made, Seeds(seed))
    assert set(shares) == {each.name for each in vms}
    for hypervisor in made.hypervisors:
        assert sum(shares[each.name].size_bytes for each in made.on(hypervisor)) <= hypervisor.space_bytes
    for each in vms:
        share = shares[each.name]
        assert share.reason
        if chosen.name not in {"none", "shared"}:
            assert each.floor_bytes <= share.size_bytes
            assert each.ceiling_bytes is None or share.size_bytes <= each.ceiling_bytes


def test_reasons_carry_the_figures() -> None:
    """Of what the policy went by."""
    made = state(
        [vm("a", importance=3.0, working_set_bytes=50), vm("b", working_set_bytes=30, floor_bytes=40)], 100
    )
    reasons = {each.name: each.split(made, Seeds(1))["b"].reason for each in POLICIES}
    assert reasons["equal"] == "as much as any other; 50.0% of h1's 100 B"
    assert reasons["working-set"] == "a working set of 30 B; 37.5% of h1's 100 B, raised to its floor"
    assert reasons["importance"] == "importance 1; 25.0% of h1's 100 B, raised to its floor"
    assert "between its share of I/O sensitivity (0.5000) and of importance (0.5000)" in reasons["ac-ssd"]
    assert reasons["exact"] == "misses 0.0% of 100/s reads instead of 100.0%; more would save nothing"
    ceiling = made.vms[0].replaced(ceiling_bytes=10)
    capped = made.replaced(vms=(ceiling, made.vms[1]))
    assert policy("equal").split(capped, Seeds(1))["a"].reason.endswith(", at its ceiling")


def test_policies_are_found_by_name() -> None:
    """Or all names are told."""
    assert policy(DEFAULT).name == DEFAULT
    with pytest.raises(InputError, match="is no policy; found fair; allowed: none, shared, equal"):
        policy("fair")
    assert all(each.about for each in POLICIES)
    assert [each.name for each in POLICIES if isinstance(each, Search)] == ["hull", "exact", "deadline"]


def test_who_misses_more_holds_more() -> None:
    """Of two scans without end, by their speed; one whose reads all hit stays at what it needs."""
    scan = MissRatioCurve((0,), (1.0,), 1)
    small = MissRatioCurve((0, 100), (1.0, 0.0), 1)
    fast, slow = vm("a", curve=scan, reads_per_s=30), vm("b", curve=scan, reads_per_s=10)
    assert natural_split([fast, slow], 1000) == pytest.approx([750, 250])
    assert natural_split([fast, vm("c", curve=small)], 1000) == pytest.approx([900, 100])
    assert natural_split([vm("c", curve=small)], 1000) == pytest.approx([100])
    assert natural_split([vm("d", curve=small, reads_per_s=0)], 1000) == [0]


def test_it_is_what_an_lru_cache_for_both_does() -> None:
    """Two power laws at different speeds: each VM's misses in a shared cache, as its own curve has them."""
    rng, chunks, reads, size = random.Random(4), 600, 60_000, 300
    weights = [[1 / (rank + 1) ** power for rank in range(chunks)] for power in (0.6, 1.1)]
    drawn = [iter(rng.choices(range(chunks), weight, k=reads)) for weight in weights]
    own, cache = [Shards(), Shards()], OrderedDict[tuple[int, int], None]()
    counts, misses = [0, 0], [0, 0]
    for number in range(reads):
        who = 0 if rng.random() < 0.25 else 1
        chunk = next(drawn[who])
        own[who].access(chunk)
        if number > reads // 4:
            counts[who] += 1
            misses[who] += (who, chunk) not in cache
        cache[who, chunk] = None
        cache.move_to_end((who, chunk))
        if len(cache) > size:
            cache.popitem(last=False)
    vms = [
        vm(name, curve=shards.curve(1), reads_per_s=speed, chunk_bytes=1)
        for name, shards, speed in zip("ab", own, (25, 75), strict=True)
    ]
    parts = natural_split(vms, size)
    assert sum(parts) == pytest.approx(size)
    for each, part, missed, count in zip(vms, parts, misses, counts, strict=True):
        assert math.isclose(each.misses.at(part), missed / count, abs_tol=0.03)
