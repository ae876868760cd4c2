"""The datacenter and its reimages."""

from __future__ import annotations

import numpy as np
import pytest

from froude.harvest.telemetry.datacenter import Datacenter, Reimages


def two_tenants() -> Datacenter:
    """Two tenants of one environment, three servers, four slots."""
    return Datacenter(
        tenants=("web", "index"),
        tenant_environment=np.zeros(2, np.int32),
        environments=("search",),
        servers=("a", "b", "c"),
        server_tenant=np.array([0, 1, 1], np.int32),
        server_rack=np.array([0, 0, 1], np.int32),
        utilisation=np.arange(8, dtype=np.float32).reshape(2, 4) / 10,
        reimages=Reimages(np.array([2, 0], np.int32), np.array([-50.0, 250.0])),
    )


def test_counts_servers_of_tenants() -> None:
    """Servers are counted by their owner."""
    assert two_tenants().tenant_servers.tolist() == [1, 2]


def test_reimages_between_times() -> None:
    """The start belongs to the span, the end does not."""
    reimages = two_tenants().reimages
    assert reimages.between(-50, 250).server.tolist() == [2]
    assert reimages.between(-49, 251).server.tolist() == [0]


def test_a_part_of_the_slots_counts_time_from_its_own_start() -> None:
    """Utilisation is cut; reimages keep their moment."""
    later = two_tenants().slots_between(2, 4)
    assert later.slots == 2
    assert later.start_s == 240
    assert later.reimages.time_s.tolist() == [-290.0, 10.0]


def test_shapes_must_agree() -> None:
    """A tenant without utilisation, a server of nobody, and reimages out of order are the caller's mistake."""
    good = two_tenants()
    with pytest.raises(ValueError, match="utilisation has shape"):
        Datacenter(
            good.tenants, good.tenant_environment, good.environments, good.servers, good.server_tenant,
            good.server_rack, good.utilisation[:1],
        )  # fmt: skip
    with pytest.raises(ValueError, match="in order of time"):
        Reimages(np.zeros(2, np.int32), np.array([2.0, 1.0]))
    with pytest.raises(ValueError, match="not there"):
        Datacenter(
            good.tenants, good.tenant_environment, good.environments, good.servers, good.server_tenant + 1,
            good.server_rack, good.utilisation,
        )  # fmt: skip
