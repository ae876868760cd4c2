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
    local_choices,
    remote_choices,
    stored_seconds,
)
from froude.provision.model.frame import Frame
from froude.provision.types import CacheMedia, Dataset, Options, Persistence, Problem, RateTarget, Scope
from tests.support.provision.small import BOX, DATA, DISK, DRAM, READ, STORE, WRITE, small

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
