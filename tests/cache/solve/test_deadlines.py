"""Deadlines against every split there is."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.cache.curves import MissRatioCurve
from froude.cache.solve import deadlines
from froude.cache.solve.completion import Completion
from froude.cache.solve.deadlines import Goal, Met, meet
from froude.cache.solve.sites import Site, sites
from tests.support.cache.solve.made import curve, state, vm

Problem = tuple[list[Site], list[Goal], dict[str, float]]


def problem(seed: int, space: int, applications: int = 2) -> Problem:
    """Applications with a VM on each of two hypervisors, and a VM of nobody on each."""
    rng = random.Random(seed)
    vms, goals = [], []
    for number in range(applications):
        reads = {}
        for site in (1, 2):
            name = f"a{number}h{site}"
            fields = {"curve": curve(rng, 8, 4), "floor_bytes": rng.randint(0, 1)}
            vms.append(vm(name, hypervisor=f"h{site}", application=f"a{number}", **fields))
            reads[name] = rng.uniform(0, 100)
        model = Completion(rng.uniform(0, 50), rng.uniform(0.1, 1), True, 1.0, reads)
        goals.append(Goal(f"a{number}", model, rng.choice([0.5, 1.0, 2.0])))
    vms += [vm(f"o{site}", hypervisor=f"h{site}", curve=curve(rng, 8, 4)) for site in (1, 2)]
    other = {each.name: rng.uniform(0, 60) for each in vms}
    return sites(state(vms, space)), goals, other


def cost(made: Problem, sizes: dict[str, int]) -> float:
    """Weighed seconds at some sizes."""
    on, goals, other = made
    vms = {each.name: each for site in on for each in site.vms}
    members = {name for goal in goals for name in goal.model.reads}
    ratios = {name: each.misses.at(sizes[name]) for name, each in vms.items()}
    own = sum(goal.weight * goal.model.time_s(ratios) for goal in goals)
    return own + sum(other[name] * ratios[name] for name in vms if name not in members)


def sizes_of(made: Problem, met: Met) -> dict[str, int]:
    """Bytes of every VM; no site gives more than it has."""
    on, _, _ = made
    for site in on:
        given_ = [met.steps[each.name] for each in site.vms]
        assert sum(given_) <= site.steps
        assert all(0 <= steps <= site.most(each) for steps, each in zip(given_, site.vms, strict=True))
    return {
        each.name: each.floor_bytes + met.steps[each.name] * site.step_bytes
        for site in on
        for each in site.vms
    }


def best_of_all(made: Problem) -> float:
    """Over every split of every site."""
    on, _, _ = made
    splits = []
    for site in on:
        most = range(site.steps + 1)
        splits.append([s for s in itertools.product(most, repeat=len(site.vms)) if sum(s) == site.steps])
    best = math.inf
    for chosen in itertools.product(*splits):
        sizes = {
            each.name: each.floor_bytes + steps
            for site, split in zip(on, chosen, strict=True)
            for each, steps in zip(site.vms, split, strict=True)
        }
        best = min(best, cost(made, sizes))
    return best


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(3, 8))
def test_no_split_ends_the_jobs_sooner(seed: int, space: int) -> None:
    """Times of jobs and costs of the others together, by brute force."""
    made = problem(seed, space)
    met = meet(*made)
    assert met.exact
    assert met.cost == pytest.approx(best_of_all(made))
    assert cost(made, sizes_of(made, met)) <= met.cost + 1e-9


def test_what_is_too_much_to_compare_comes_close(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four applications, improved two at a time, beside all sets of their limits."""
    for seed in range(10):
        made = problem(seed, 12, applications=4)
        exact = meet(*made)
        assert exact.exact
        with monkeypatch.context() as patched:
            patched.setattr(deadlines, "_MOST_SETS", 400)
            found = meet(*made)
        assert not found.exact
        assert exact.cost - 1e-9 <= found.cost <= exact.cost * 1.05
        assert cost(made, sizes_of(made, found)) <= found.cost + 1e-9


def test_many_applications_are_improved_one_at_a_time() -> None:
    """As many as there are; the split stays within each SSD."""
    made = problem(3, 60, applications=20)
    met = meet(*made)
    floors = {each.name: each.floor_bytes for site in made[0] for each in site.vms}
    assert met.cost < cost(made, floors)
    sizes_of(made, met)


def test_a_vm_gains_nothing_while_another_is_slower() -> None:
    """The space goes where the slowest VM needs it; what is left goes to the rest."""
    slow = MissRatioCurve((0, 60), (1.0, 0.5), 1)
    quick = MissRatioCurve((0, 10, 90), (1.0, 0.5, 0.0), 1)
    one, other = vm("slow", curve=slow), vm("quick", curve=quick)
    model = Completion(10, 1, True, 1, {"slow": 100.0, "quick": 100.0})
    met = meet(sites(state([one, other], 100)), [Goal("a", model, 1)], {})
    assert met.needed == {"slow": 60, "quick": 10}
    assert met.times == {"a": 60}
    assert met.steps["slow"] == 60


def test_without_goals_it_is_the_exact_split() -> None:
    """Of the others alone; and without VMs there is nothing to split."""
    one, other = (
        vm("a", curve=MissRatioCurve((0, 6), (1.0, 0.0), 1)),
        vm("b", curve=MissRatioCurve((0, 6), (1.0, 0.0), 1)),
    )
    met = meet(sites(state([one, other], 10)), [], {"a": 1.0, "b": 2.0})
    assert met.steps == {"a": 0, "b": 6}
    assert met.cost == 1
