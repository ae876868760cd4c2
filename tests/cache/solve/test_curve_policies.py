"""The policies that know curves."""

from __future__ import annotations

import random

import numpy as np
import pytest

from froude.base.seeds import Seeds
from froude.cache.curves import MissRatioCurve
from froude.cache.solve import deadlines
from froude.cache.solve.choices import Choices
from froude.cache.solve.curve_policies import EXACT, HULL, Deadline, completions, greedy
from froude.cache.solve.expectation import ratios
from froude.cache.solve.state import Application, State
from tests.support.cache.solve.curve_policies import runs
from tests.support.cache.solve.made import curve, state, vm


def test_the_steepest_part_of_any_hull_goes_first() -> None:
    """What gains nothing gets nothing."""
    steep = Choices(np.array([0, 2, 8]), np.array([10.0, 2.0, 1.0]))
    gentle = Choices(np.array([0, 5]), np.array([4.0, 0.0]))
    flat = Choices(np.array([0]), np.array([5.0]))
    assert greedy([steep, gentle, flat], 20) == [8, 5, 0]
    assert greedy([steep, gentle, flat], 2) == [2, 0, 0]
    assert greedy([steep, gentle, flat], 5) == [2, 3, 0]


def test_a_dent_in_the_curve_is_bridged() -> None:
    """The point above the line between its neighbours is no corner."""
    dented = Choices(np.array([0, 4, 5]), np.array([10.0, 9.0, 0.0]))
    other = Choices(np.array([0, 1]), np.array([1.9, 0.0]))
    assert greedy([dented, other], 5) == [5, 0]


def two_applications(*, slowest: bool, noise_s: float = 0.0) -> State:
    """One whose jobs tell what a miss costs, two VMs; and a VM on its own."""
    slow = MissRatioCurve((0, 60), (1.0, 0.5), 1)
    quick = MissRatioCurve((0, 10, 90), (1.0, 0.5, 0.0), 1)
    alone = MissRatioCurve((0, 30), (1.0, 0.0), 1)
    vms = [
        vm("slow", application="c", curve=slow, reads_per_s=1.0),
        vm("quick", application="c", curve=quick, reads_per_s=1.0),
        vm("alone", curve=alone, reads_per_s=1.0),
    ]
    reads = {"slow": 100.0 if slowest else 40.0, "quick": 100.0}
    jobs = runs(reads, 10, 1, slowest=slowest, noise_s=noise_s)
    return state(vms, 100, applications=(Application(name="c", runs=jobs),))


def test_deadlines_serve_the_slowest_vm_first() -> None:
    """Its jobs end after 60 s; the rest of the space goes to the VM on its own."""
    made = two_applications(slowest=True)
    shares = Deadline().split(made, Seeds(0))
    assert {name: share.size_bytes for name, share in shares.items()} == {
        "slow": 60,
        "quick": 10,
        "alone": 30,
    }
    assert shares["slow"].reason.startswith("60 B keep it within the 60.0 s of c's jobs; misses 50.0%")
    assert completions(made)["c"].slowest


def test_a_split_that_may_not_be_the_best_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many limits to compare every set of them."""
    made = two_applications(slowest=True)
    words = "not every set of deadlines could be compared"
    assert not any(words in share.reason for share in Deadline().split(made, Seeds(0)).values())
    monkeypatch.setattr(deadlines, "_MOST_SETS", 1)
    shares = Deadline().split(made, Seeds(0))
    assert [name for name, share in shares.items() if words in share.reason] == ["slow", "quick"]


def test_jobs_whose_work_moves_are_split_by_all_their_misses() -> None:
    """No deadline, but what their misses cost in seconds of a job."""
    made = two_applications(slowest=False)
    shares = Deadline().split(made, Seeds(0))
    assert {name: share.size_bytes for name, share in shares.items()} == {"slow": 0, "quick": 90, "alone": 0}
    assert not completions(made)["c"].slowest


def test_where_jobs_tell_nothing_deadlines_are_the_exact_split() -> None:
    """A poor fit, or none."""
    made = two_applications(slowest=True, noise_s=5000)
    assert completions(made) == {}
    assert Deadline().split(made, Seeds(0)) == EXACT.split(made, Seeds(0))


def test_each_minimises_its_own_cost() -> None:
    """Deadline that of jobs, exact that of misses: neither beats the other at its own."""
    for seed in range(15):
        rng = random.Random(seed)
        vms = [
            vm(f"{app}{n}", application=app, curve=curve(rng), reads_per_s=rng.uniform(1, 9))
            for app in "ab"
            for n in (1, 2)
        ]
        applications = tuple(
            Application(
                name=app, runs=runs({f"{app}{n}": rng.uniform(50, 99) for n in (1, 2)}, 5, 1, slowest=True)
            )
            for app in "ab"
        )
        made = state(vms, 50, applications=applications)
        found = {
            each.name: {vm: share.size_bytes for vm, share in each.split(made, Seeds(0)).items()}
            for each in (Deadline(), EXACT, HULL)
        }
        for policy, others in ((Deadline(), ("exact", "hull")), (EXACT, ("deadline", "hull"))):
            own = policy.cost_s(made, ratios(made, found[policy.name]))
            for other in others:
                cost = policy.cost_s(made, ratios(made, found[other]))
                assert own <= cost + 1e-9


def test_a_vm_that_has_gone_is_no_part_of_its_application() -> None:
    """Its reads tell nothing of a job without it; an application without any VM has no model."""
    made = two_applications(slowest=True)
    gone = State(hypervisors=made.hypervisors, vms=made.vms[1:], applications=made.applications)
    assert completions(gone)["c"].reads == pytest.approx({"quick": 100.0})
    assert (
        completions(State(hypervisors=made.hypervisors, vms=made.vms[2:], applications=made.applications))
        == {}
    )


def test_reasons_say_what_more_would_bring() -> None:
    """Or that nothing is read, or known."""
    shares = EXACT.split(
        state([vm("a", curve=MissRatioCurve((0, 40, 70), (1.0, 0.4, 0.1), 1))], 50), Seeds(0)
    )
    assert shares["a"].reason == (
        "misses 40.0% of 100/s reads instead of 100.0%; 30 B more would save 30/s, which saves less than elsewhere"
    )
    shares = EXACT.split(state([vm("a", reads_per_s=0.0), vm("b")], 50), Seeds(0))
    assert shares["a"].reason == "no reads of it are known"
    assert shares["b"].reason == "its 100/s reads have no curve yet"
