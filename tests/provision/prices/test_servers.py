"""Instance types as servers: their limits, and why some are left out."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from froude.provision.prices.bandwidth import Bandwidth
from froude.provision.prices.layouts import InstanceType, Tariff
from froude.provision.prices.parts import Local, Notes
from froude.provision.prices.rates import Memory, Rates, Speed, TypeFigures
from froude.provision.prices.servers import Lack, Servers
from froude.provision.prices.wanted import Wanted
from froude.provision.types import Bundle, Bus

TYPE = InstanceType("m5.large", "m5", 0.1, 2, 8 * 2**30, network=1e8, volume=6e8, volume_iops=9000.0)
RATES = Rates(memory=Memory(Speed(1e9, 0.0, 1e9, 0.0), 1e9), volume_slots=9)


def _servers(*figures: TypeFigures, bandwidth: Bandwidth = Bandwidth.SUSTAINED) -> Servers:
    rates = RATES + Rates(types=figures)
    wanted = Wanted("2026-07", bandwidth=bandwidth)
    return Servers(rates, wanted, Local((), {}, {}), attached=True)


@pytest.mark.parametrize(
    ("instance", "figures", "bandwidth", "bus"),
    [
        (TYPE, TypeFigures("*", to_volumes=6e8, volume_iops=9000), Bandwidth.SUSTAINED, (9, 6e8, 9000)),
        (
            TYPE,
            TypeFigures("*", to_volumes=8e7, volume_iops=3600, volumes=5),
            Bandwidth.SUSTAINED,
            (5, 8e7, 3600),
        ),
        (
            replace(TYPE, volume_baseline=8e7, volume_iops_baseline=70.0),
            None,
            Bandwidth.SUSTAINED,
            (9, 8e7, 70),
        ),
        (
            replace(TYPE, volume_baseline=8e7, volume_iops_baseline=70.0),
            TypeFigures("*", volume_iops=60.0),
            Bandwidth.SUSTAINED,
            (9, 8e7, 60),
        ),
        (replace(TYPE, volume_iops=None), None, Bandwidth.UP_TO, (9, 6e8, math.inf)),
        (TYPE, None, Bandwidth.UP_TO, (9, 6e8, 9000)),
    ],
)
def test_limits_of_the_way_to_volumes(
    instance: InstanceType,
    figures: TypeFigures | None,
    bandwidth: Bandwidth,
    bus: Bus | tuple[int, float, float],
) -> None:
    """How many, how many bytes and how many accesses: what the rates say counts before the table."""
    servers = _servers(*([figures] if figures else []), bandwidth=bandwidth)
    server = servers.of(instance)
    assert server is not None
    assert server.bus("volume") == (bus if isinstance(bus, Bus) else Bus("volume", *bus))
    assert servers.unlimited == (["m5.large"] if instance.volume_iops is None else [])


def test_accesses_are_only_up_to_where_the_bandwidth_is() -> None:
    """It is no limit that holds, unless it is asked for."""
    server = _servers(TypeFigures("*.large", to_volumes=8e7)).of(TYPE)
    assert server is not None
    assert server.bus("volume") == Bus("volume", 9, 8e7)
    taken = _servers(bandwidth=Bandwidth.UP_TO)
    taken.of(TYPE)
    assert taken.taken == ["m5.large"]


def test_reserved_servers_are_paid_for_whole_terms() -> None:
    """18 months of a year's are two years, of three years' three."""
    for tariff, hours, years in (
        (Tariff.RESERVED_1Y, 13140.0, 2),
        (Tariff.RESERVED_1Y, 8760.0, 1),
        (Tariff.RESERVED_3Y, 35040.0, 6),
        (Tariff.ON_DEMAND, 13140.0, 1.5),
    ):
        servers = _servers()
        servers.wanted = Wanted("2026-07", hours, tariff=tariff)
        server = servers.of(TYPE)
        assert server is not None
        assert server.price == pytest.approx(0.1 * 8760 * years)


@pytest.mark.parametrize(("lack", "count"), [(Lack.TO_VOLUMES, 9), (Lack.VOLUMES, None)])
def test_a_type_of_which_too_little_is_known_has_no_volumes(lack: Lack, count: int | None) -> None:
    """It computes all the same; which these are is said."""
    instance = replace(TYPE, volume=None) if count else TYPE
    servers, notes = _servers(), Notes()
    servers.rates = replace(servers.rates, volume_slots=count)
    server = servers.of(instance)
    assert server is not None
    assert server.bus("volume") is None
    servers.note([instance], notes)
    assert f"1 {lack.value} ({instance.name})" in notes.whole


def test_a_type_that_takes_no_volumes() -> None:
    """Needs no way to them."""
    servers = _servers(TypeFigures("*", volumes=0))
    for instance in (replace(TYPE, volume=None), replace(TYPE, volume_baseline=8e7)):
        server = servers.of(instance)
        assert server is not None
        assert server.bus("volume") is None
        assert instance.name not in servers.left[Lack.VOLUMES] + servers.left[Lack.TO_VOLUMES]


def test_memory_is_sold_in_whole_pieces() -> None:
    """Of 3.75 GiB three are counted, and what is not is said."""
    instance, servers, notes = replace(TYPE, memory=3.75 * 2**30), _servers(), Notes()
    server = servers.of(instance)
    assert server is not None
    assert server.bundle == Bundle(2, (("memory", 3),))
    servers.note([instance], notes)
    assert notes.whole[-1].startswith(
        "1 types whose memory is no whole number of GiB: the rest is not counted"
    )


@pytest.mark.parametrize(
    ("instance", "lack"),
    [
        (replace(TYPE, network=None), Lack.NETWORK),
        (replace(TYPE, name="t3.large", family="t3"), Lack.BASELINE),
        (replace(TYPE, baseline=0.9), Lack.SHARE),
        (replace(TYPE, memory=1e9), Lack.SMALL),
    ],
)
def test_each_type_is_left_out_for_its_reason(instance: InstanceType, lack: Lack) -> None:
    """By name."""
    servers, notes = _servers(), Notes()
    assert servers.of(instance) is None
    servers.note([instance], notes)
    assert f"1 {lack.value} ({instance.name})" in notes.whole


def test_a_burstable_type_has_its_baseline() -> None:
    """In whole cores, of which the rates know more than the table."""
    burstable = replace(TYPE, cpu=8, baseline=3.2)
    for figures, cores in (
        ((), 3),
        ((TypeFigures("*", baseline=2.0),), 2),
        ((TypeFigures("*", baseline=99.0),), 8),
    ):
        server = _servers(*figures).of(burstable)
        assert server is not None
        assert (server.cpus, server.bundle and server.bundle.cores) == (cores, cores)
