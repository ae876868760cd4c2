"""`resources` become a catalog: defaults, what services and bundles may leave out, and every mistake with its place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.inputs.hardware import CATALOG, UNBOUNDED
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.types import (
    DOLLARS_PER_KWH,
    HOURS,
    Bundle,
    Bus,
    Catalog,
    Cpu,
    Discount,
    Profile,
    Server,
    StorageUnit,
)
from tests.support.provision.inputs.additions import TEXT, flaws_of, read
from tests.support.provision.inputs.elements import element, messages

SPEED = {"rateR": "100MBps", "gapR": "8ms", "rateW": "50MBps", "gapW": "9ms"}
UNIT = element("storage_unit", name="disk", capacity="1TB", bus="SAS", volatile="0", price="200", **SPEED)
CPU = element("cpu", price="85")
SERVER = element("server", name="box", price="1400", cpus="4", BW="1Gbps")


def _read(*children: Element, **fields: str) -> tuple[Catalog | None, list[str]]:
    flaws = Flaws()
    return CATALOG.read(element("resources", *children, **fields), flaws), messages(flaws)


def test_the_least_that_a_catalog_has() -> None:
    """Everything else has its default."""
    catalog, flaws = _read(UNIT, CPU, SERVER)
    assert flaws == []
    assert catalog == Catalog(
        (StorageUnit("disk", 1e12, "SAS", 1e8, 0.008, 5e7, 0.009, False, 200),),
        (Cpu(85, name="core"),),
        (Server("box", 1400, 4, 1.25e8, ()),),
        HOURS,
        DOLLARS_PER_KWH,
    )


def test_energy_is_paid_over_a_term() -> None:
    """Given in seconds, kept in hours."""
    energy = element("energy", time="365d", price="0.2", pue="1.5", load="0.25")
    catalog, flaws = _read(UNIT, CPU, SERVER, energy)
    assert flaws == []
    assert catalog is not None
    assert (catalog.hours, catalog.dollars_per_kwh, catalog.pue, catalog.mean_load) == (8760, 0.2, 1.5, 0.25)


def test_a_profile_changes_only_what_it_says() -> None:
    """The rest is the bare device's."""
    unit = replace(UNIT, children=(element("profile", name="hdfs", rateW="10MBps", gapR="1ms"),))
    catalog, flaws = _read(unit, CPU, SERVER)
    assert flaws == []
    assert catalog is not None
    assert catalog.units[0].profiles == (Profile("hdfs", None, 0.001, 1e7, None),)


def test_what_a_server_may_have() -> None:
    """Buses, a bundle, discounts; a number of which there are, and of which some are owned."""
    server = replace(
        SERVER,
        fields={
            **SERVER.fields,
            **element("x", max_count="9", owned="2", power="90W", idle_power="40W").fields,
        },
        children=(
            element("bus", name="SAS", slots="4", BW="6Gbps"),
            element("bundle", element("included", unit="disk", count="2"), cores="3"),
            element("discount", count="5", price="1300"),
        ),
    )
    catalog, flaws = _read(UNIT, CPU, server)
    assert flaws == []
    assert catalog is not None
    assert catalog.servers == (
        Server(
            "box",
            1400,
            4,
            1.25e8,
            (Bus("SAS", 4, 7.5e8),),
            90,
            9,
            None,
            Bundle(3, (("disk", 2),)),
            40,
            2,
            (Discount(5, 1300),),
        ),
    )


def test_a_service_needs_neither_capacity_nor_bus_nor_price() -> None:
    """It holds more than any dataset; an attached volume that is paid by its size needs no price either."""
    service = element("storage_unit", name="objects", service="1", **SPEED)
    volume = element(
        "storage_unit", name="vol", capacity="1TB", bus="b", volatile="0", price_per_GB_month="0.1", **SPEED
    )
    catalog, flaws = _read(UNIT, service, volume, CPU, SERVER)
    assert flaws == []
    assert catalog is not None
    _, objects, vol = catalog.units
    assert (objects.capacity, objects.bus, objects.price, objects.volatile) == (UNBOUNDED, "", 0, False)
    assert (vol.price, vol.price_per_gb_month) == (0, 0.1)


@pytest.mark.parametrize("missing", range(3))
def test_a_catalog_has_each_kind_of_part(missing: int) -> None:
    """Units, cores and servers."""
    parts = [UNIT, CPU, SERVER]
    tag = parts.pop(missing).tag
    catalog, flaws = _read(*parts)
    assert catalog is None
    assert flaws == [f"f:1: resources: has no {tag}; allowed: at least one"]


@pytest.mark.parametrize("text", ["2026-13", "2026-07-32", "26-07", "2026-07-31T00", "July"])
def test_a_date_is_a_day_or_a_month(text: str) -> None:
    """Nothing else is one."""
    assert "prices_as_of: is not a date" in _read(UNIT, CPU, SERVER, prices_as_of=text)[1][0]


def test_two_energies_or_bundles_are_one_too_many() -> None:
    """Each stands once."""
    energy, bundle = element("energy"), element("bundle")
    _, flaws = _read(UNIT, CPU, replace(SERVER, children=(bundle, bundle)), energy, energy)
    assert flaws == [
        "f:1: server box: has 2 elements bundle; allowed: one",
        "f:1: resources: has 2 elements energy; allowed: one",
    ]


def test_every_field_beyond_the_paper_arrives() -> None:
    """Term and building, discounts, what is paid by use, core types and bundles."""
    parts, flaws = read(TEXT)
    assert flaws == []
    catalog = parts.catalog
    assert catalog is not None
    assert (catalog.pue, catalog.mean_load, catalog.diversity) == (1.3, 0.4, 500)
    assert catalog.prices_as_of == "2026-07"
    nvme, volume, objects, _ = catalog.units
    assert (nvme.idle_power, nvme.discounts) == (3, (Discount(10, 80), Discount(100, 70)))
    assert (volume.price, volume.price_per_gb_month) == (0, 0.08)
    assert (objects.service, objects.bus, objects.capacity, objects.volatile) == (True, "", UNBOUNDED, False)
    assert (objects.price_per_read, objects.price_per_write) == (4e-7, 5e-6)
    assert [cpu.name for cpu in catalog.cpus] == ["x86", "arm"]
    (server,) = catalog.servers
    assert (server.cpu, server.bundle) == ("arm", Bundle(4, (("NVMe", 2), ("DRAM", 4))))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{unit: NVMe, count: 2}", "{unit: DRAM, count: 2}", "included: unit: stands on line"),
        ("bundle: {cores: 4", "bundle: {cores: 5", "bundle has 5 cores where cpus is 4"),
        ("{name: x86, price: 0}", "{price: 0}", "cpu: has no name, and there are several core types"),
        ("{name: x86, price: 0}", "{name: arm, price: 0}", "cpu arm: name: stands on line"),
        ("name: objects", "name: NVMe", "storage_unit NVMe: name: stands on line"),
        ("service: 1,", "service: 1, bus: pcie,", "bus: is given for a service"),
        ("service: 1,", "service: 1, volatile: 1,", "a service is not volatile"),
        ("service: 1,", "service: 1, owned: 2,", "not owned and on no bus"),
        ("volatile: 0, price_per_GB_month: 0.08", "volatile: 0", "storage_unit volume: price is missing"),
        ("count: 100, price: 70", "count: 100, price: 85", "ascending counts and falling prices"),
        ("count: 10, price: 80", "count: 1, price: 80", "count must be at least 2"),
        ("idle_power: 3W", "idle_power: 10W", "idle_power must lie in [0, power=9]"),
        ("pue: 1.3", "pue: 0.9", "energy: pue: is out of range; found '0.9'; allowed: 1 or above"),
        ("prices_as_of: 2026-07", "prices_as_of: July", "prices_as_of: is not a date"),
    ],
)
def test_mistakes_beyond_the_paper(old: str, new: str, message: str) -> None:
    """Each is stated with file, line and field."""
    flaws = flaws_of(old, new)
    assert any(message in flaw for flaw in flaws), flaws
