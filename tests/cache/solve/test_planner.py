"""What every plan keeps, whatever the policy."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.seeds import Seeds
from froude.cache.curves import MissRatioCurve
from froude.cache.solve.planner import Planning, advise, solve
from froude.cache.solve.policies import POLICIES, Policy, policy
from froude.cache.solve.state import Hypervisor, State, Vm
from tests.support.cache.solve.made import curve, state, vm

LOOP = MissRatioCurve((0, 60), (1.0, 0.0), 1)


def with_ssd(made: State, **fields: Any) -> State:
    """The same on an SSD with other figures."""
    return made.replaced(hypervisors=tuple(each.replaced(**fields) for each in made.hypervisors))


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from(POLICIES))
def test_no_plan_gives_more_than_an_ssd_has(seed: int, chosen: Policy) -> None:
    """Neither bytes nor IOPS, with floors that may not fit, budgets that may be short, and splits of before."""
    rng = random.Random(seed)
    vms = [
        vm(
            f"v{number}",
            hypervisor=f"h{number % 2}",
            curve=curve(rng) if rng.random() < 0.8 else None,
            floor_bytes=rng.choice([0, 0, 30]),
            reads_per_s=rng.choice([0.0, 50.0]),
            size_bytes=rng.choice([0, 10, 40]),
            writes_bytes_per_s=rng.choice([0, 3]),
            iops=rng.choice([0.0, 500.0]),
            chunk_bytes=1,
        )
        for number in range(6)
    ]
    made = with_ssd(
        state(vms, rng.randint(20, 100), granule_bytes=rng.choice([1, 4])),
        iops=rng.choice([None, 800.0]),
        writes_bytes_per_day=rng.choice([None, 0, 500_000]),
    )
    plan = solve(made, chosen, Planning(seeds=Seeds(seed)))
    assert [grant.vm for grant in plan.grants] == [each.name for each in vms]
    for ssd in made.hypervisors:
        grants = [grant for grant in plan.grants if grant.hypervisor == ssd.name]
        if not plan.shared:
            assert sum(grant.size_bytes for grant in grants) <= ssd.space_bytes
        caps = [grant.iops for grant in grants if grant.iops is not None]
        assert sum(caps) <= (ssd.iops or 0) + 1e-3
        assert (ssd.iops is None or chosen.name in {"none", "shared"}) == (not caps)
    assert all(grant.reason for grant in plan.grants)


def test_floors_that_do_not_fit_are_lowered_and_said() -> None:
    """In proportion; the SSD is never over-committed."""
    plan = solve(state([vm("a", floor_bytes=90), vm("b", floor_bytes=30)], 60), policy("exact"))
    assert plan.sizes() == {"a": 45, "b": 15}
    assert plan.remarks[0] == "floors of 120 B do not fit on h1's 60 B: all are lowered in proportion"


def test_sizes_are_whole_granules_and_what_is_left_is_said() -> None:
    """The rest goes to who misses, whether or not a curve tells yet what that brings; to all where nobody does."""
    half = MissRatioCurve((0, 200), (1.0, 0.5), 1)
    plan = solve(state([vm("a", curve=LOOP), vm("b", curve=half)], 103, granule_bytes=10), policy("exact"))
    assert plan.sizes() == {"a": 60, "b": 40}
    assert plan.grants[1].reason.endswith("; 40 B of it were left over")
    plan = solve(state([vm("a", curve=LOOP), vm("b")], 100), policy("exact"))
    assert plan.sizes() == {"a": 60, "b": 40}
    assert plan.remarks == ("no curve yet of b: what a cache would do for them is not known",)


def test_before_anything_is_read_all_get_the_same() -> None:
    """But for who has a ceiling."""
    idle = [vm("a", reads_per_s=0.0), vm("b", reads_per_s=0.0, ceiling_bytes=10), vm("c", reads_per_s=0.0)]
    assert solve(state(idle, 100), policy("exact")).sizes() == {"a": 45, "b": 10, "c": 45}


def test_an_ssd_lasts_as_long_as_it_shall() -> None:
    """Neither a split, nor what is left over, nor the split of now may write it more than it may be."""
    scan = MissRatioCurve((0, 50), (1.0, 0.99), 1)
    loop = vm("loop", curve=LOOP, chunk_bytes=1, size_bytes=40)
    other = vm("scan", curve=scan, chunk_bytes=1, size_bytes=50)
    made = state([loop, other], 90)
    assert solve(made, policy("exact")).sizes() == {"loop": 60, "scan": 30}
    plan = solve(with_ssd(made, writes_bytes_per_day=86400), policy("exact"))
    assert plan.sizes() == {"loop": 60, "scan": 0}
    assert plan.expected.written_bytes_per_s == 0
    assert plan.kept == ()


def test_what_is_left_over_goes_where_it_brings_something() -> None:
    """Not to a loop that it is too small for; to chunks that were read once, since a new job's are."""
    large = MissRatioCurve((0, 500), (1.0, 0.0), 1)
    made = state([vm("loop", curve=LOOP), vm("large", curve=large), vm("new", reads_per_s=1.0)], 100)
    assert solve(made, policy("exact")).sizes() == {"loop": 60, "large": 0, "new": 40}


def test_a_split_stays_where_a_better_one_does_not_pay() -> None:
    """And says so; without hysteresis it moves."""
    one, other = vm("a", curve=LOOP, size_bytes=60), vm("b", curve=LOOP, reads_per_s=100.1)
    made = state([one, other], 100)
    plan = solve(made, policy("exact"))
    assert plan.sizes() == {"a": 60, "b": 0}
    assert plan.kept == ("h1",)
    assert plan.grants[0].reason == "stays at 60 B: a move would not pay for itself within 600 s"
    assert solve(made, policy("exact"), Planning(least_gain=None)).sizes()["b"] >= 60
    assert plan.now.misses_per_s == pytest.approx(100.1)


def test_iops_follow_demand_and_no_vm_is_left_without_any() -> None:
    """An idle VM keeps a hundredth of an even split, or it would hang when it wakes."""
    made = with_ssd(state([vm("a", iops=900, importance=1e6), vm("b", importance=0.0)]), iops=1000.0)
    grants = solve(made, policy("exact")).grants
    assert [grant.iops for grant in grants] == [995, 5]
    assert grants[0].reason.endswith("; at most 995 IOPS, of which it wants 900")
    capped = made.replaced(vms=(made.vms[0].replaced(ceiling_iops=100), made.vms[1]))
    assert solve(capped, policy("exact")).grants[0].iops == 100


def test_shared_and_none_are_plans_too() -> None:
    """The one shows the whole SSD to each and expects what each will hold; the other has nothing."""
    made = with_ssd(state([vm("a", curve=LOOP), vm("b", curve=LOOP)], 60), iops=100.0)
    plan = solve(made, policy("shared"))
    assert plan.shared
    assert plan.sizes() == {"a": 60, "b": 60}
    assert plan.expected.misses_per_s == pytest.approx(200)
    assert [grant.iops for grant in plan.grants] == [None, None]
    assert solve(made, policy("none")).expected.misses_per_s == 200


def test_advice_comes_with_the_plan() -> None:
    """An SSD that is wanted too much."""
    (ssd,) = with_ssd(state([vm("a", iops=200)]), iops=100.0).hypervisors
    second = Hypervisor(name="h2", space_bytes=10, iops=1000.0)
    plan = solve(State(hypervisors=(ssd, second), vms=(vm("a", iops=200),)), policy("exact"))
    assert (plan.advice[0].vm, plan.advice[0].to) == ("a", "h2")


def test_without_vms_there_is_nothing_to_grant() -> None:
    """An empty hypervisor is no error."""
    empty = State(hypervisors=(Hypervisor(name="h", space_bytes=5, iops=3.0),), vms=())
    for each in POLICIES:
        assert solve(empty, each).grants == ()


def placed(vms: list[Vm], iops: dict[str, float | None]) -> State:
    """On SSDs with those IOPS."""
    ssds = tuple(Hypervisor(name=name, space_bytes=1, iops=each) for name, each in iops.items())
    return State(hypervisors=ssds, vms=tuple(vms))


def test_the_least_vm_whose_move_is_enough_goes_where_most_is_to_spare() -> None:
    """A master only if no other will do."""
    vms = [
        vm("a", iops=900),
        vm("b", iops=400),
        vm("m", iops=350, master=True),
        vm("c", iops=100, hypervisor="h2"),
    ]
    made = placed(vms, {"h1": 1400, "h2": 1000, "h3": 700})
    (advice,) = advise(made)
    assert (advice.hypervisor, advice.vm, advice.to) == ("h1", "b", "h2")
    assert advice.text == (
        "its VMs want 1,650/s operations of the 1,400/s that its SSD serves; move b, which wants 400/s, to h2"
    )


def test_where_no_single_move_is_enough_the_largest_that_fits_is_a_beginning() -> None:
    """Or it is said that none fits."""
    vms = [vm("a", iops=900), vm("b", iops=800)]
    (advice,) = advise(placed(vms, {"h1": 500, "h2": 850}))
    assert (advice.vm, advice.to) == ("b", "h2")
    (advice,) = advise(placed(vms, {"h1": 500, "h2": 100}))
    assert (advice.vm, advice.to) == (None, None)
    assert advice.text.endswith("no other SSD has room for one of them")
    (advice,) = advise(placed(vms, {"h1": 500}))
    assert advice.vm is None


def test_each_place_is_given_away_once() -> None:
    """The second overloaded hypervisor does not move into what the first has filled."""
    vms = [
        vm("a", iops=300),
        vm("b", iops=300),
        vm("c", iops=250, hypervisor="h2"),
        vm("d", iops=250, hypervisor="h2"),
    ]
    found = advise(placed(vms, {"h1": 300, "h2": 300, "h3": 400}))
    assert [(each.vm, each.to) for each in found] == [("a", "h3"), (None, None)]


def test_nothing_is_said_of_ssds_that_serve_enough_or_are_not_known() -> None:
    """Silence is the good case."""
    assert advise(placed([vm("a", iops=5)], {"h1": 5})) == []
    assert advise(placed([vm("a", iops=5)], {"h1": None})) == []
