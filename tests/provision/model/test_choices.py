"""The ways to store a dataset, beyond the paper's: redundancy, services, volumes, levels."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.model.choices import (
    Part,
    Stored,
    counted,
    dollars_of_bytes,
    dollars_of_requests,
    levels,
    local_choices,
    mean_wait,
    remote_choices,
    stored_seconds,
)
from froude.provision.model.copies import Work
from froude.provision.model.frame import Frame
from froude.provision.types import CacheMedia, Dataset, Options, Persistence, Problem, RateTarget, Scope
from tests.support.provision.small import BOX, DATA, DISK, DRAM, READ, STORE, WRITE, small

ONE = Work(0.5, 5.0, 0.0, 0.05)
"""Five accesses of 0.1 s a second."""
CATALOG = small().catalog
ALL = (DISK, DRAM, STORE)
BESIDE = Dataset("data", 150.0, Persistence.ANY, remote=False, local_to="serve")


def _found(problem: Problem) -> dict[tuple[str, ...], Stored]:
    """The first level of each, by names of units."""
    every = remote_choices(Frame.of(problem), problem.application.datasets[0])
    return {way.names: way for way in reversed(every)}


def _alone(problem: Problem, unit: str = "disk") -> Part:
    return _found(problem)[(unit,)].parts[0]


def test_a_fill_asks_for_more_units() -> None:
    """6,000 bytes on disks of 1,000 are 6 units, 8 when filled to 75 %; 3.3 that are busy stay."""
    data = replace(DATA, size=6000.0)
    assert _alone(small(data=data)).need == pytest.approx(6)
    assert _alone(small(data=data, options=Options(peak_fill=0.75))).need == pytest.approx(8)
    assert _alone(small(options=Options(peak_fill=0.75))).need == pytest.approx(3.3)


def test_replicas_need_as_many_units() -> None:
    """1.1 for reads and 3 times 2.2 for writes; without load one unit for each replica."""
    part = _alone(small(data=replace(DATA, replication=3)))
    assert (part.need, part.units) == pytest.approx((7.7, 8))
    idle = _alone(small(data=replace(DATA, replication=3), target=RateTarget("serve", 0.0)))
    assert (idle.need, idle.units) == pytest.approx((1.8, 3))


def test_fragments_are_side_by_side() -> None:
    """Of (2, 1): 1.2 for reads and 3.6 for writes; a record takes what one of its halves takes."""
    part = _alone(small(data=replace(DATA, erasure=(2, 1))))
    assert (part.need, part.units) == pytest.approx((4.8, 5))
    assert part.seconds(READ, None) == pytest.approx(5 / 100 + 0.01)
    assert part.seconds(WRITE, None) == pytest.approx(5 / 50 + 0.02)


def test_hosts_work_for_each_access_of_a_device() -> None:
    """10 reads and 3 times 10 writes at 0.05 core seconds: 2 cores; fragments of (2, 1): 20 and 30."""
    replicated = replace(DATA, replication=3, host_time=0.05)
    assert _alone(small(data=replicated)).cores == pytest.approx((2.0,))
    assert _alone(small(data=replace(DATA, erasure=(2, 1), host_time=0.05))).cores == pytest.approx((2.5,))
    assert _alone(small()).cores == ()


def test_a_service_keeps_alone_and_behind_a_cache_but_never_caches() -> None:
    """It stands last as the catalog has it, and no unit is cached by it although it might be faster."""
    quick = replace(STORE, gap_r=0.0, rate_r=1e9)
    assert list(_found(small(units=ALL)))[::-1] == [
        ("disk",),
        ("store",),
        ("disk", "dram"),
        ("store", "disk"),
        ("store", "dram"),
    ]
    assert ("disk", "store") not in _found(small(units=(DISK, DRAM, quick)))
    assert ("store", "disk") not in _found(small(units=ALL, options=Options(cache_media=CacheMedia.VOLATILE)))


def test_a_service_needs_no_units_and_has_no_queue() -> None:
    """Nothing but dollars: 600 bytes for 36 months at $2 a GB, and 10 reads and 10 writes a second."""
    part = _alone(
        small(units=ALL, data=replace(DATA, replication=3), target=RateTarget("serve", 10, 9.0)), "store"
    )
    assert (part.need, part.units, part.wait_s) == (0, math.inf, 0)
    assert part.dollars == pytest.approx(600e-9 * 72 + 10 * 1.1e-5 * 3600 * 730 * 36)
    assert part.seconds(replace(READ, num_records=5, parallel=True), None) == pytest.approx(0.25)


def test_a_pair_on_a_service_reads_by_hits_and_misses() -> None:
    """At 90 % hits: 0.9 of the disk's 0.11 s and 0.1 of the service's 0.25 s; writes wait for the slower."""
    ways = [_found(small(units=ALL, data=replace(DATA, hit_ratio=0.9)))["store", "disk"]]
    assert stored_seconds(ways, READ, None) == pytest.approx([0.9 * 0.11 + 0.1 * 0.25])
    assert stored_seconds(ways, WRITE, None) == pytest.approx([0.25])
    assert stored_seconds(ways, replace(READ, parallel=True), None) == pytest.approx([0.25])


def test_volumes_are_paid_by_what_they_hold() -> None:
    """3 replicas of 600 bytes over a fill of 90 %: 2,000 bytes for 36 months."""
    disk = replace(DISK, price_per_gb_month=1e9)
    data = replace(DATA, replication=3)
    part = _alone(small(units=(disk, DRAM), data=data, options=Options(peak_fill=0.9)))
    assert part.dollars == pytest.approx(2000 * 36)


def test_too_few_servers_for_the_replicas() -> None:
    """With two servers there are no three replicas on them; a service keeps the data all the same."""
    servers = (replace(BOX, max_count=2),)
    assert set(_found(small(units=ALL, servers=servers, data=replace(DATA, replication=3)))) == {
        ("store",),
        ("store", "disk"),
        ("store", "dram"),
    }


def test_levels_have_their_number_as_need() -> None:
    """3.3 busy disks: 4, at which an access waits; both copies of a pair are at the same step."""
    problem = small(target=RateTarget("serve", 10.0, latency=5.0))
    ways = remote_choices(Frame.of(problem), DATA)
    levels = [way.parts[0] for way in ways if way.names == ("disk",)]
    squares = 10 * 0.11**2 + 10 * 0.22**2
    assert [part.need for part in levels] == [4, 5, 6, 7, 8, 9, 10, 11, 12, 15]
    assert [part.units for part in levels] == [part.need for part in levels]
    assert levels[0].wait_s == pytest.approx(squares / (2 * (4 - 3.3)))
    assert levels[0].seconds(READ, None) == pytest.approx(0.11 + levels[0].wait_s)
    pairs = [[part.units for part in way.parts] for way in ways if way.names == ("disk", "dram")]
    assert pairs == [[3, 6], [4, 6], [5, 6], [6, 6], [7, 6], [8, 6], [9, 6], [10, 6], [11, 6]]


def test_local_bytes_are_paid_once_or_by_each_instance() -> None:
    """Partitioned: 200 bytes (150 at 75 %) in all; replicated: as much for each instance."""
    disk = replace(DISK, price_per_gb_month=1e9)
    options = Options(peak_fill=0.75)
    whole = small(data=BESIDE, units=(disk,), options=options)
    split = small(data=replace(BESIDE, scope=Scope.PARTITIONED), units=(disk,), options=options)
    each = local_choices(Frame.of(whole), BESIDE, lambda _: 1e9)[0]
    once = local_choices(Frame.of(split), split.application.datasets[0], lambda _: 1e9)[0]
    assert (each.dollars_each, each.dollars) == pytest.approx((200 * 36, 0))
    assert (once.dollars_each, once.dollars) == pytest.approx((0, 200 * 36))


def test_local_units_wait_by_the_number_of_instances() -> None:
    """3.3 busy units: four instances with one each, two with two each, and more of both."""
    problem = small(data=BESIDE, units=(DISK,), target=RateTarget("serve", 10.0, latency=5.0))
    frame = Frame.of(problem)
    choices = local_choices(frame, BESIDE, lambda _: 0.0)
    squares = 10 * 0.11**2 + 10 * 0.22**2
    ones = [way for way in choices if way.per_instance == 1]
    assert [way.floor for way in ones][:3] == [pytest.approx(4.0), 5.0, 6.0]
    for way in choices:
        assert way.wait_s == pytest.approx(squares / (2 * (way.floor * way.per_instance - 3.3)))
    assert max(way.per_instance for way in choices) == 4
    assert next(way.floor for way in choices if way.per_instance == 2) == 2.0


@given(st.integers(1, 6), st.integers(1, 6), st.floats(0.1, 100))
def test_more_replicas_never_cost_fewer_units(fewer: int, more: int, rate: float) -> None:
    """Need and units grow with replication at any load; one replica is as none."""
    fewer, more = sorted((fewer, more))
    target = RateTarget("serve", rate)
    small_one, large = (
        _alone(small(data=replace(DATA, replication=count), target=target)) for count in (fewer, more)
    )
    assert small_one.need <= large.need
    assert small_one.units <= large.units
    assert (
        _alone(small(data=replace(DATA, replication=1), target=target)).need
        == _alone(small(target=target)).need
    )


@given(st.floats(0.1, 30.0), st.floats(0.1, 30.0))
def test_waits_rise_with_the_load_at_as_many_units(first: float, second: float) -> None:
    """At a level that both loads have, the larger waits at least as long, and need is the level."""
    low, high = ({p.units: p for p in _levels(rate)} for rate in sorted((first, second)))
    for units in low.keys() & high.keys():
        assert low[units].wait_s <= high[units].wait_s * (1 + 1e-12)
        assert high[units].need == units


def _levels(rate: float) -> list[Part]:
    problem = small(target=RateTarget("serve", rate, latency=5.0))
    return [w.parts[0] for w in remote_choices(Frame.of(problem), DATA) if w.names == ("disk",)]


def test_counts_forgive_rounding() -> None:
    """A hair above a whole number is that number; nothing is one."""
    assert (counted(3.0000000001), counted(3.001), counted(0.0)) == (3, 4, 1)


def test_bytes_by_the_month() -> None:
    """5 GB at $2 for 36 months: $360; a volume that is filled to 80 % is a quarter larger."""
    volume = replace(DISK, price_per_gb_month=2.0)
    assert dollars_of_bytes(CATALOG, volume, 5e9, 1.0) == pytest.approx(360)
    assert dollars_of_bytes(CATALOG, volume, 5e9, 0.8) == pytest.approx(450)
    assert dollars_of_bytes(CATALOG, STORE, 5e9, 0.8) == pytest.approx(360)
    assert dollars_of_bytes(CATALOG, DISK, 5e9, 1.0) == 0


def test_requests_of_the_dearest_phase_at_the_mean_load() -> None:
    """30 reads and 2 writes a second cost 5e-5 a second; another phase with 10 reads less."""
    catalog = replace(CATALOG, mean_load=0.5)
    works = [Work(reads=30.0, writes=2.0), Work(reads=10.0)]
    assert dollars_of_requests(catalog, STORE, works) == pytest.approx(5e-5 * 3600 * 730 * 36 / 2)
    assert dollars_of_requests(catalog, STORE, []) == 0


def test_one_unit_with_constant_service() -> None:
    """M/D/1 at half load waits half a service: 5 * 0.01 / (2 * 0.5) = 0.05 s; two units: 0.05 / (2 * 1.5)."""
    assert mean_wait([ONE], 1) == pytest.approx(0.05)
    assert mean_wait([ONE], 2) == pytest.approx(0.05 / 3)


def test_exponential_service_waits_twice_as_long() -> None:
    """M/M/1: E[sigma^2] = 2 / mu^2, so W = rho / (mu - lambda) = 0.5 / 5 = 0.1 s."""
    assert mean_wait([Work(0.5, 5.0, 0.0, 5 * 2 * 0.1**2)], 1) == pytest.approx(0.1)


def test_the_longest_wait_of_any_phase() -> None:
    """Few long accesses make others wait longer than many short ones that keep the unit as busy."""
    assert mean_wait([ONE, Work(0.5, 0.5, 0.0, 0.5)], 1) == pytest.approx(0.5)


def test_full_units_never_serve() -> None:
    """At a load of all the time the queue grows for ever; without accesses there is none."""
    assert mean_wait([Work(3.0, 30.0, 0.0, 0.3)], 3) == math.inf
    assert mean_wait([Work()], 1) == 0
    assert mean_wait([], 1) == 0


def test_levels_are_the_next_eight_and_then_by_a_quarter() -> None:
    """From 10: 11 to 18, then 23, 29, 37; 47 is more than four times as many."""
    heavy = [Work(9.5, 95.0, 0.0, 95 * 0.1)]
    assert list(levels(heavy, 10)) == [*range(10, 19), 23, 29, 37]
    assert list(levels(heavy, 9)) == [*range(10, 19), 23, 29, 37]
    assert next(levels([Work(10.0, 95.0, 0.0, 9.5)], 10)) == 11


def test_no_more_units_than_a_wait_asks_for() -> None:
    """Without accesses one level; with few, until the wait is a thousandth of the service."""
    assert list(levels([Work()], 3)) == [3]
    quick = [Work(1e-6, 1.0, 0.0, 1e-12)]
    assert list(levels(quick, 1)) == [1]


def test_broken_numbers_go_on_whole() -> None:
    """A number of instances may be broken to begin with."""
    assert list(levels([ONE], 1.5))[:3] == [1.5, 2.0, 3.0]


@given(st.floats(0.01, 0.98), st.floats(0.01, 0.98), st.floats(1e-4, 1.0), st.floats(1.0, 5.0))
def test_waits_rise_with_load_and_fall_with_units(a: float, b: float, sigma: float, spread: float) -> None:
    """More accesses never wait less; more units never more; any spread of service times waits at least as long."""
    low, high = sorted((a, b))

    def at(load: float, factor: float = 1.0) -> Work:
        return Work(load, load / sigma, 0.0, load * sigma * factor)

    assert mean_wait([at(low)], 1) <= mean_wait([at(high)], 1)
    assert mean_wait([at(high)], 2) <= mean_wait([at(high)], 1)
    assert mean_wait([at(low)], 1) <= mean_wait([at(low, spread)], 1)
