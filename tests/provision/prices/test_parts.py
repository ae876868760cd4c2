"""Storage units of prices and rates: what has both is bought, what lacks one is noted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.provision.prices.asked import Family
from froude.provision.prices.layouts import DiskPrice, InstanceType, Prices, VolumePrice
from froude.provision.prices.parts import (
    Notes,
    disks_of,
    local_of,
    memory_of,
    unit_of,
    volumes_of,
)
from froude.provision.prices.rates import Disk, Memory, Nvme, Rates, Speed
from froude.provision.prices.volumes import GIB, Ability, Volume
from froude.provision.types import StorageUnit

SPEED = Speed(100.0, 0.1, 200.0, 0.2)
TYPE = InstanceType("i9.large", "i9", 0.1, 2, 8e9)


def test_notes_name_some() -> None:
    """Three of them at once and all in whole, unless they were asked for; nothing is not noted."""
    notes = Notes()
    notes.add([], "types left out")
    notes.add(["a", "b", "c"], "types left out")
    notes.add([f"n{n}" for n in range(1234)], "disks left out")
    notes.add([f"n{n}" for n in range(4)], "filtered", asked=True)
    few = "3 types left out (a, b, c)"
    assert notes.lines[:2] == [few, "1,234 disks left out (n0, n1, n2, …)"]
    assert notes.whole[0] == few
    assert notes.whole[1].endswith("n1232, n1233)")
    assert notes.whole[2] == "4 filtered (n0, n1, n2, …)"


def test_what_a_server_includes_has_no_price() -> None:
    """Rates and gaps in their places; memory in pieces of 1 GiB, gone with the power."""
    unit = unit_of("nvme", "bus", 1e12, SPEED)
    assert unit == StorageUnit("nvme", 1e12, "bus", 100.0, 0.1, 200.0, 0.2, False, 0.0)
    memory = memory_of(Memory(SPEED, 5.0))
    assert memory == StorageUnit("memory", GIB, "memory", 100.0, 0.1, 200.0, 0.2, True, 0.0)


def _volume(name: str, price: float | None = None, region: str | None = None) -> Volume:
    return Volume(name, (10 * GIB, 20 * GIB), Ability(100.0), Ability(1e6), price, region, 10 * GIB, 20 * GIB)


def test_volumes_have_price_and_rates() -> None:
    """A price that is given with the rates counts before the table's; without either there is no volume."""
    classes = ("ssd", "plain", "given", "local-ssd", "snapshot")
    prices = Prices((TYPE,), volumes=tuple(VolumePrice(name, "here", 0.1) for name in classes))
    rates = Rates(
        volumes=(_volume("ssd"), _volume("given", 0.3), _volume("own", 0.4, "here"), _volume("unpriced"))
    )
    notes = Notes()
    volumes, missing = volumes_of(prices, rates, 730.0, None, notes)
    assert {unit.name.split()[0]: round(unit.price, 9) for unit in volumes if unit.capacity == 10 * GIB} == {
        "ssd": 1.0,
        "given": 3.0,
        "own": 4.0,
    }
    assert {(unit.bus, unit.volatile, unit.rate_w) for unit in volumes} == {("volume", False, 1e6)}
    assert missing == ("plain",)
    assert notes.lines == [
        "2 classes left out: no attached volumes (local-ssd, snapshot)",
        "1 classes of volumes left out: no rates (plain)",
        "1 classes of volumes at the prices of the rates, not of the table's date (own of here)",
    ]


def test_volumes_at_the_prices_of_another_region_are_left_out() -> None:
    """A class without a region of its own may be bought anywhere."""
    rates = Rates(volumes=(_volume("own", 0.4, "here"), _volume("any", 0.4)))
    notes = Notes()
    volumes, _ = volumes_of(Prices((TYPE,)), rates, 730.0, "there", notes)
    assert {unit.name.split()[0] for unit in volumes} == {"any"}
    assert notes.lines == ["1 classes of volumes left out: their prices are not of there (own of here)"]


def test_sizes_that_another_file_excludes() -> None:
    """Are refused, with the class."""
    rates = Rates(volumes=(Volume("own", sizes=(5 * GIB,)),)) + Rates(volumes=(_volume("own", 0.4),))
    with pytest.raises(InputError, match=r"volume own: sizes: has what cannot be bought; found 5"):
        volumes_of(Prices((TYPE,)), rates, 730.0, None, Notes())


def test_disks_have_price_and_rates() -> None:
    """The table's price, all else as given."""
    prices = Prices(disks=(DiskPrice("a", 160.0), DiskPrice("b", 90.0)))
    rates = Rates(disks=(Disk("a", 1e12, "SAS", SPEED, 7.0), Disk("other", 1e12, "SAS", SPEED, 7.0)))
    notes = Notes()
    expected = StorageUnit("a", 1e12, "SAS", 100.0, 0.1, 200.0, 0.2, False, 160.0, 7.0)
    assert disks_of(prices, rates, notes) == (expected,)
    assert notes.lines == ["1 disks left out: no rates (b)"]


def test_local_disks_are_the_types_own() -> None:
    """By the size that is given where the table has totals, by the number of disks where it has that."""
    types = [replace(TYPE, name=f"i9.{n}", local=size) for n, size in enumerate((468e9, 937e9, 3750e9))]
    known = replace(TYPE, name="d.x", family="d", local=4e12, devices=4)
    rates = Rates(nvme=(Nvme(("i9.[01]", "d.*"), SPEED, None), Nvme(("i9.*",), SPEED, 468e9)))
    local = local_of([*types, known, replace(TYPE, family="none")], rates, Notes())
    assert {name: (unit.capacity, count) for name, (unit, count) in local.of.items()} == {
        "i9.0": (468e9, 1),
        "i9.1": (468e9, 2),
        "i9.2": (468e9, 8),
        "d.x": (1e12, 4),
    }
    assert [unit.name for unit in local.units] == ["hdd 468GB i9", "hdd 1000GB d"]
    assert all(unit.volatile for unit in local.units)
    assert local.asked == {}


def test_disks_of_one_size_that_differ_in_speed_are_two_units() -> None:
    """The second is called by its type."""
    types = [replace(TYPE, local=900e9), replace(TYPE, name="i9.xlarge", local=900e9)]
    rates = Rates(nvme=(Nvme(("i9.large",), SPEED, 900e9), Nvme(("*",), replace(SPEED, gap_r=9.0), 900e9)))
    assert [unit.name for unit in local_of(types, rates, Notes()).units] == [
        "hdd 900GB i9",
        "hdd 900GB i9.xlarge",
    ]


def test_local_disks_that_the_table_does_not_have() -> None:
    """Are counted by the rates; what takes long between reads is a hard disk."""
    fast = replace(SPEED, gap_r=1e-5)
    rates = Rates(
        nvme=(
            Nvme(("i9.large",), SPEED, 13980e9, 2),
            Nvme(("d.*",), fast, 2e12, 4),
            Nvme(("e.*",), fast, 1e12),
        )
    )
    types = [TYPE, *(replace(TYPE, name=f"{family}.x", family=family) for family in "de")]
    local = local_of(types, rates, Notes())
    assert {name: (unit.name, count) for name, (unit, count) in local.of.items()} == {
        "i9.large": ("hdd 13980GB i9", 2),
        "d.x": ("nvme 2000GB d", 4),
    }
    assert local.asked == {}


def test_local_disks_of_no_known_size_are_asked_for() -> None:
    """Nothing divides a total into disks that nobody sells."""
    types = [
        replace(TYPE, local=468e9),
        replace(TYPE, name="i9.xlarge", local=936e9),
        replace(TYPE, name="odd-2", family="odd", local=1000e9, devices=2),
    ]
    notes = Notes()
    local = local_of(types, Rates(nvme=(Nvme(("i9.*",), SPEED, 400e9),)), notes)
    assert local.asked == {"i9.*": Family(2, told=False), "odd-*": Family(1, told=True)}
    assert (local.units, local.of) == ((), {})
    assert notes.lines == [
        "3 types without their local disks: no rates or no size of one for 2 families (i9.large, i9.xlarge, odd-2)"
    ]
