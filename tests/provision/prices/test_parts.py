"""Storage units of prices and rates: what has both is bought, what lacks one is noted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.prices.asked import Family
from froude.provision.prices.layouts import DiskPrice, InstanceType, Prices, VolumePrice
from froude.provision.prices.parts import (
    GIB,
    Notes,
    disks_of,
    local_of,
    memory_of,
    unit_of,
    volumes_of,
)
from froude.provision.prices.rates import Disk, Memory, Nvme, Rates, Speed, Volume
from froude.provision.types import StorageUnit

SPEED = Speed(100.0, 0.1, 200.0, 0.2)
TYPE = InstanceType("i9.large", "i9", 0.1, 2, 8e9)


def test_notes_name_some() -> None:
    """Three of them at most; nothing is not noted."""
    notes = Notes()
    notes.add([], "types left out")
    notes.add(["a", "b", "c"], "types left out")
    notes.add([f"n{n}" for n in range(1234)], "disks left out")
    assert notes.lines == ["3 types left out (a, b, c)", "1,234 disks left out (n0, n1, n2, …)"]


def test_what_a_server_includes_has_no_price() -> None:
    """Rates and gaps in their places; memory in pieces of 1 GiB, gone with the power."""
    unit = unit_of("nvme", "bus", 1e12, SPEED)
    assert unit == StorageUnit("nvme", 1e12, "bus", 100.0, 0.1, 200.0, 0.2, False, 0.0)
    memory = memory_of(Memory(SPEED, 5.0))
    assert memory == StorageUnit("memory", GIB, "memory", 100.0, 0.1, 200.0, 0.2, True, 0.0)


def test_volumes_have_price_and_rates() -> None:
    """A price that is given with the rates counts before the table's; without either there is no volume."""
    classes = ("ssd", "plain", "given", "local-ssd", "snapshot")
    prices = Prices(volumes=tuple(VolumePrice(name, "here", 0.1) for name in classes))
    rates = Rates(
        volumes=(
            Volume("ssd", 1e12, SPEED),
            Volume("given", 1e12, SPEED, 0.3),
            Volume("own", 1e12, SPEED, 0.4),
            Volume("unpriced", 1e12, SPEED),
        )
    )
    notes = Notes()
    volumes, missing = volumes_of(prices, rates, notes)
    assert {unit.name: unit.price_per_gb_month for unit in volumes} == {"ssd": 0.1, "given": 0.3, "own": 0.4}
    assert {(unit.bus, unit.price, unit.capacity, unit.rate_w) for unit in volumes} == {
        ("volume", 0.0, 1e12, 200.0)
    }
    assert missing == ("plain",)
    assert notes.lines == [
        "2 classes left out: no attached volumes (local-ssd, snapshot)",
        "1 classes of volumes left out: no rates (plain)",
    ]


def test_disks_have_price_and_rates() -> None:
    """The table's price, all else as given."""
    prices = Prices(disks=(DiskPrice("a", 160.0), DiskPrice("b", 90.0)))
    rates = Rates(disks=(Disk("a", 1e12, "SAS", SPEED, 7.0), Disk("other", 1e12, "SAS", SPEED, 7.0)))
    notes = Notes()
    expected = StorageUnit("a", 1e12, "SAS", 100.0, 0.1, 200.0, 0.2, False, 160.0, 7.0)
    assert disks_of(prices, rates, notes) == (expected,)
    assert notes.lines == ["1 disks left out: no rates (b)"]


def test_local_storage_is_in_pieces_of_its_family() -> None:
    """468, 937 and 1875 GB are one, two and four devices; a number of devices that is known divides first."""
    types = [replace(TYPE, name=str(n), local=size) for n, size in enumerate((468e9, 937e9, 1875e9))]
    known = replace(TYPE, name="d", family="d", local=4e12, devices=4)
    rates = Rates(nvme=(Nvme(("i9", "d"), SPEED),))
    local = local_of([*types, known, replace(TYPE, family="none")], rates, Notes())
    assert {family: unit.name for family, unit in local.of.items()} == {"i9": "nvme i9", "d": "nvme d"}
    assert [unit.capacity for unit in local.units] == pytest.approx([468e9, 1e12])
    assert local.asked == {}


def test_families_of_one_device_share_the_unit() -> None:
    """Where its size is given."""
    types = [replace(TYPE, local=900e9), replace(TYPE, name="g9", family="g9", local=1800e9)]
    local = local_of(types, Rates(nvme=(Nvme(("i9", "g9"), SPEED, 900e9),)), Notes())
    (unit,) = local.units
    assert (unit.name, unit.bus, unit.capacity) == ("nvme i9 g9", "nvme i9 g9", 900e9)
    assert local.of == {"i9": unit, "g9": unit}


def test_a_size_that_is_given_need_not_divide_the_totals() -> None:
    """Whole devices of it are what there is."""
    types = [replace(TYPE, local=1000e9), replace(TYPE, name="i9.xlarge", local=1013e9)]
    local = local_of(types, Rates(nvme=(Nvme(("i9",), SPEED, 500e9),)), Notes())
    assert local.of["i9"].capacity == 500e9
    assert local.asked == {}


def test_local_storage_without_rates_is_asked_for() -> None:
    """With the pieces that the totals divide into; where they do not, the size is asked for, whatever the rates."""
    types = [
        replace(TYPE, local=468e9),
        replace(TYPE, name="i9.xlarge", local=936e9),
        replace(TYPE, name="odd", family="odd", local=1000e9),
        replace(TYPE, name="odder", family="odd", local=1013e9),
    ]
    notes = Notes()
    local = local_of(types, Rates(nvme=(Nvme(("odd",), SPEED),)), notes)
    assert local.asked == {"i9": Family(2, 468e9), "odd": Family(2, None)}
    assert (local.units, local.of) == ((), {})
    assert notes.lines == [
        "4 types without their local storage: no rates for 2 families (i9.large, i9.xlarge, odd, …)"
    ]
