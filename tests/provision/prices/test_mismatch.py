"""What does not belong together is said."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.provision.prices.layouts import DiskPrice, InstanceType, Prices, VolumePrice
from froude.provision.prices.mismatch import distinct, note_mismatch, unmatched
from froude.provision.prices.parts import Notes, unit_of
from froude.provision.prices.rates import Disk, Nvme, Rates, Speed, TypeFigures
from froude.provision.prices.volumes import Volume
from froude.provision.types import Bus, Server

SPEED = Speed(1e9, 1e-6, 1e9, 1e-6)
TYPE = InstanceType("m5.large", "m5", 0.1, 2, 8e9)


def test_entries_that_fit_nothing() -> None:
    """Of every kind; a class of volumes with a price in another file is bought."""
    own = Rates(
        nvme=(Nvme(("m5*", "m6*"), SPEED),),
        volumes=(Volume("gp3"), Volume("gp4"), Volume("ssd")),
        disks=(Disk("st8", 1e12, "SAS", SPEED, 1.0), Disk("st9", 1e12, "SAS", SPEED, 1.0)),
        types=(TypeFigures("m5.*", volumes=1), TypeFigures("m5.lrge", volumes=1)),
    )
    prices = Prices((TYPE,), (VolumePrice("ssd", "here", 0.1),), (DiskPrice("st8", 9.0),))
    rates = own + Rates(volumes=(Volume("gp3", price_per_gib_month=0.1),))
    assert unmatched(own, rates, prices) == ["type m5.lrge", "nvme m6*", "volume gp4", "disk st9"]
    assert unmatched(Rates(types=own.types), rates, Prices()) == []


@pytest.mark.parametrize(
    ("server", "volume", "count"),
    [
        ("m5.large", "balanced 1TiB", 1),
        ("m5.large", "gp3 1TiB", 0),
        ("n2-standard-4", "gp3 1TiB", 1),
        ("n2-standard-4", "balanced 1TiB", 0),
        ("n2-standard-4", "mine 1TiB", 0),
    ],
)
def test_volumes_of_another_provider(server: str, volume: str, count: int) -> None:
    """Are told by their class, and the servers by their names."""
    notes = Notes()
    servers = [Server(server, 1.0, 1, 1e9, (Bus("volume", 1, 1e9),))]
    note_mismatch([unit_of(volume, "volume", 1e12, SPEED)], servers, notes)
    assert len(notes.lines) == count


@pytest.mark.parametrize(("gap", "count"), [(1e-7, 1), (1e-5, 0)])
def test_local_disks_as_fast_as_memory(gap: float, count: int) -> None:
    """Would be taken for it."""
    notes = Notes()
    disk = unit_of("nvme", "nvme", 1e12, Speed(1e9, gap, 1e9, gap), volatile=True)
    note_mismatch([unit_of("memory", "memory", 1e9, SPEED, volatile=True), disk], [], notes)
    assert len(notes.lines) == count


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        (Prices((TYPE, TYPE)), "type m5.large: stands in several tables"),
        (Prices(volumes=(VolumePrice("ssd", "here", 0.1),) * 2), "volume ssd: "),
        (Prices(disks=(DiskPrice("a", 1.0), DiskPrice("b", 1.0)) * 2), r"disk a \(and 1 more\): "),
    ],
)
def test_what_two_tables_sell(prices: Prices, message: str) -> None:
    """Is refused: one of the prices is wrong."""
    with pytest.raises(InputError, match=message):
        distinct(prices)
