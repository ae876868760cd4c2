"""Clusters over the times of day."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.provision.check.checker import check
from froude.provision.search.schedule import MOVING, _around, moved_bytes, schedule
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Growth, Period, Problem, Schedule, StorageUnit
from froude.provision.types.plan import Group, Held, ProvisionPlan, Status
from testbed.problems import random_problem
from tests.support.provision.clusters import photoshare

pytest.importorskip("highspy")

DAY = (Period("day", 14, 1.0), Period("evening", 4, 0.5), Period("night", 6, 0.1))


def _with(problem: Problem, price: float, periods: tuple[Period, ...] = DAY) -> Problem:
    return replace(problem, sla=replace(problem.sla, schedule=Schedule(periods, price)))


def _plan(choices: dict[str, tuple[str, ...]], units: dict[str, int], upper: float = 1.0) -> ProvisionPlan:
    held = tuple(Held(name, choices[name][0], count, 1.0) for name, count in units.items())
    return ProvisionPlan(Status.PROVED, (Group("Server1", 1, held),), choices, upper=upper)


DISKS = {"photos": ("15KDisk",), "thumbs": ("SSD",), "tags": ("7.2KDisk", "DRAM")}


def test_what_moves() -> None:
    """All of a dataset to another type, a part with the number of units, replicas too, nothing on a service."""
    problem = photoshare()
    size = {dataset.name: dataset.size for dataset in problem.application.datasets}
    before = _plan(DISKS, {"photos": 4, "thumbs": 1, "tags": 1})
    assert moved_bytes(problem, before, before) == 0
    fewer = _plan(DISKS, {"photos": 3, "thumbs": 1, "tags": 1})
    assert moved_bytes(problem, before, fewer) == pytest.approx(size["photos"] / 4)
    assert moved_bytes(problem, fewer, before) == pytest.approx(size["photos"] / 4)
    other = _plan({**DISKS, "thumbs": ("15KDisk",)}, {"photos": 4, "thumbs": 2, "tags": 1})
    assert moved_bytes(problem, before, other) == pytest.approx(size["thumbs"])
    uncached = _plan({**DISKS, "tags": ("7.2KDisk",)}, {"photos": 4, "thumbs": 1, "tags": 1})
    assert moved_bytes(problem, before, uncached) == 0
    grown = replace(problem, sla=replace(problem.sla, growth=Growth(0.0, 1.0, 365 * 86400.0)))
    assert moved_bytes(grown, before, other) == pytest.approx(2 * size["thumbs"])
    twice = tuple(replace(dataset, replication=2) for dataset in problem.application.datasets)
    application = replace(problem.application, datasets=twice)
    assert moved_bytes(replace(problem, application=application), before, other) == pytest.approx(
        2 * size["thumbs"]
    )
    store = StorageUnit("store", 1e18, "", 1e8, 0.01, 1e8, 0.01, False, 0.0, service=True)
    served = replace(problem, catalog=replace(problem.catalog, units=(*problem.catalog.units, store)))
    kept = _plan({**DISKS, "thumbs": ("store",)}, {"photos": 4, "tags": 1})
    assert moved_bytes(served, kept, kept) == 0
    assert moved_bytes(served, before, kept) == pytest.approx(size["thumbs"])


@pytest.mark.parametrize("seed", range(20))
def test_the_way_around_is_the_cheapest(seed: int) -> None:
    """As by trying every combination of plans."""
    dice = random.Random(seed)
    hours = dice.choice([(24.0,), (20.0, 4.0), (6.0, 6.0, 12.0), (2.0, 6.0, 6.0, 10.0)])
    periods = Schedule(
        tuple(Period(f"p{at}", one, float(at)) for at, one in enumerate(hours)),
        dice.choice([0.0, 1e-4, 1e-2]),
    )
    problem = photoshare()
    fitting = {
        float(at): [
            _plan(
                {**DISKS, "thumbs": (dice.choice(["SSD", "15KDisk"]),)},
                {"photos": dice.randint(1, 6), "thumbs": dice.randint(1, 3), "tags": 1},
                dice.uniform(1e3, 1e4),
            )
            for _ in range(dice.randint(1, 4))
        ]
        for at in range(len(hours))
    }

    def dollars(plans: tuple[ProvisionPlan, ...]) -> float:
        run = sum(plan.upper * one / problem.catalog.hours for plan, one in zip(plans, hours, strict=True))
        moves = sum(moved_bytes(problem, a, b) for a, b in itertools.pairwise((*plans, plans[0])))
        return run + periods.price_per_gb_moved * moves / 1e9

    around = _around(problem, periods, fitting)
    best = min(dollars(plans) for plans in itertools.product(*fitting.values()))
    assert dollars(tuple(around)) == pytest.approx(best)


def test_a_day_of_the_example() -> None:
    """Free moves: each period's optimum. Dear moves: one cluster all day. Every plan is sound at its load."""
    free, dear = (schedule(_with(photoshare(), price)) for price in (0.0, 10.0))
    for day in (free, dear):
        assert day.proved
        assert day.lower_per_day <= day.per_day + 1e-9
        assert day.saving >= -1e-9
        assert sum(day.parts.values()) == pytest.approx(day.per_day)
        for slot in day.slots:
            there = replace(photoshare(), sla=photoshare().sla.scaled(slot.period.factor))
            assert check(there, slot.plan).sound
    assert free.gap < 0.011
    assert free.per_day < dear.per_day
    assert dear.parts[MOVING] == pytest.approx(0)
    assert dear.per_day == pytest.approx(dear.peak_per_day)
    assert dear.peak_per_day == pytest.approx(7329.09 / (3 * 365), rel=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_random_days_are_bounded(seed: int) -> None:
    """Between the bound and the peak's cluster, whatever the problem; or a period has no cluster."""
    problem = _with(random_problem(seed), 0.001, (Period("a", 12, 1.0), Period("b", 12, 0.3)))
    day = schedule(problem, SolveLimits(0.05, 5.0))
    if day.found:
        assert day.lower_per_day <= day.per_day <= day.peak_per_day * (1 + 1e-9)
    else:
        assert not day.proved


def test_what_cannot_be_scheduled() -> None:
    """No times of day, and what is owned."""
    with pytest.raises(InputError, match="no schedule"):
        schedule(photoshare())
    problem = _with(photoshare(), 0.0)
    servers = tuple(replace(server, owned=1) for server in problem.catalog.servers)
    with pytest.raises(InputError, match="by the hour"):
        schedule(replace(problem, catalog=replace(problem.catalog, servers=servers)))


def test_a_period_without_a_cluster() -> None:
    """Is said, with its conflict."""
    problem = _with(photoshare(), 0.0)
    server = replace(problem.catalog.servers[0], max_count=1)
    day = schedule(replace(problem, catalog=replace(problem.catalog, servers=(server,))))
    assert not day.found
    assert any(slot.plan.conflict for slot in day.slots)
