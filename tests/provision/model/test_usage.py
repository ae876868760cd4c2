"""What is paid by use: 36 months in the small catalog."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.model.copies import Work
from froude.provision.model.usage import dollars_of_bytes, dollars_of_requests
from tests.support.provision.small import DISK, STORE, small

CATALOG = small().catalog


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
