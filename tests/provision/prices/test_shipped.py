"""Prices that ship: those of instances that HDFS is run on."""

from __future__ import annotations

import pytest

from froude.provision.prices.shipped import hdfs_instances


@pytest.mark.parametrize(
    ("name", "price_hour", "disk", "disks"),
    [
        ("d3.8xlarge", 3.99552, "hdd 1980GB d3", 24),
        ("d3en.2xlarge", 1.051, "hdd 13980GB d3en", 4),
        ("h1.8xlarge", 1.872, "hdd 2000GB h1", 4),
        ("i3en.24xlarge", 10.848, "nvme 7500GB i3en", 8),
        ("i4i.12xlarge", 4.118, "nvme 3750GB i4i", 3),
    ],
)
def test_each_has_its_disks(name: str, price_hour: float, disk: str, disks: int) -> None:
    """As Amazon lists them, paid for three years; there are no attached volumes."""
    imported, _, remark = hdfs_instances()
    catalog = imported.catalog()
    server = catalog.server(name)
    assert server.bundle is not None
    assert dict(server.bundle.units)[disk] == disks
    assert server.price == pytest.approx(price_hour * 26280)
    assert (len(catalog.servers), imported.notes.lines) == (32, [])
    assert "as of 2026-07" in remark
