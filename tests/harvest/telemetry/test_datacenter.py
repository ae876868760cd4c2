"""The datacenter and its reimages."""

from __future__ import annotations

from dataclasses import replace

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


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"tenant_environment": np.array([0, 1], np.int32)}, "tenant_environment has a number"),
        ({"tenant_environment": np.array([0, -1], np.int32)}, "tenant_environment"),
        ({"server_rack": np.array([0, -2, 1], np.int32)}, "server_rack"),
        ({"reimages": Reimages(np.array([3], np.int32), np.zeros(1))}, "reimages"),
        ({"slot_s": 0.0}, "slot_s is 1 ms to 1 day"),
        ({"slot_s": float("inf")}, "slot_s"),
        ({"start_s": float("nan")}, "start_s"),
        ({"cores": 0}, "cores and memory_mb are 1 to"),
        ({"memory_mb": 10**400}, "memory_mb"),
        ({"utilisation": np.full((2, 4), 1.1, np.float32)}, "utilisation is 0 to 1"),
        ({"utilisation": np.full((2, 4), -0.1, np.float32)}, "utilisation"),
        (
            {"utilisation": np.array([[np.nan] * 4, [np.nan, np.inf, 0, 0]], np.float32)},
            "utilisation",
        ),
        ({"tenants": ("web", "web")}, "two tenants have one name"),
        ({"servers": ("a", "b", "a")}, "two servers"),
        ({"environments": ("search", "search")}, "two environments"),
    ],
)
def test_what_no_datacenter_holds(odd: dict[str, object], said: str) -> None:
    """A folder may be made by others, with its hashes."""
    with pytest.raises(ValueError, match=said):
        replace(two_tenants(), **odd)  # type: ignore[arg-type]


def test_what_was_not_measured_and_a_last_digit_are_no_fault() -> None:
    """NaN, a float a little above 1, a rack that is not known."""
    series = np.array([[np.nan] * 4, [np.nan, 1.0000005, 0, 0]], np.float32)
    unknown = np.full(3, -1, np.int32)
    assert replace(two_tenants(), utilisation=series, server_rack=unknown).slots == 4


@pytest.mark.parametrize("time_s", [np.nan, np.inf])
def test_a_reimage_happens_at_some_time(time_s: float) -> None:
    """A NaN is in no order."""
    with pytest.raises(ValueError, match="finite time"):
        Reimages(np.zeros(2, np.int32), np.array([0.0, time_s]))
