"""What storage costs by its use: bytes that are kept by the month, and requests."""

from __future__ import annotations

from collections.abc import Iterable

from froude.provision.model.copies import Work
from froude.provision.types import Catalog, StorageUnit


def dollars_of_bytes(catalog: Catalog, unit: StorageUnit, stored: float, fill: float) -> float:
    """Dollars over the term for bytes on a unit.

    Args:
        stored: bytes, with redundancy.
        fill: largest share of a volume that is filled, in (0, 1]; a service is paid by what it holds.
    """
    return catalog.cost_of_bytes(unit, stored if unit.service else stored / fill)


def dollars_of_requests(catalog: Catalog, unit: StorageUnit, works: Iterable[Work]) -> float:
    """Dollars over the term for accesses of the device, at the mean load of the phase with the dearest.

    Phases of a batch job follow each other, so this overstates what several of them cost.

    Args:
        catalog: gives the hours of the term and the mean load.
        unit: gives the prices of a read and of a write.
        works: of the device, one for each phase, in accesses per second.
    """
    per_second = max(
        (work.reads * unit.price_per_read + work.writes * unit.price_per_write for work in works), default=0.0
    )
    return per_second * 3600 * catalog.hours * catalog.mean_load
