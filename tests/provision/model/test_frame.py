"""What follows from a problem directly."""

from __future__ import annotations

import math
from dataclasses import replace

from froude.provision.model.frame import Frame, owner
from froude.provision.types import Dataset, Duplex, Options, Persistence, RateTarget
from tests.support.provision.small import BOX, DISK, DRAM, STORE, small


def test_rows_and_buses() -> None:
    """A row per phase and direction counted; a service is on no bus."""
    frame = Frame.of(small(units=(STORE, DISK, DRAM), options=Options(duplex=Duplex.FULL)))
    assert [(row.phase, row.direction) for row in frame.rows] == [(0, "in"), (0, "out")]
    assert frame.buses == ("SAS", "DIMM")
    assert [frame.usable(unit) for unit in (STORE, DISK)] == [True, True]
    assert frame.capacity(DISK) == 1000


def test_slots_and_servers_of_a_bus() -> None:
    """The most slots of any server; the servers that can be had with any, all of them if one kind has no end."""
    few, more = replace(BOX, max_count=3), replace(BOX, name="more", max_count=2, buses=BOX.buses[:1])
    frame = Frame.of(small(servers=(few, more)))
    assert frame.slots == {"SAS": 4, "DIMM": 8}
    assert frame.hosts == {"SAS": 5, "DIMM": 3}
    assert Frame.of(small(servers=(few, BOX))).hosts["SAS"] == math.inf
    assert not frame.usable(replace(DISK, bus="NVMe"))


def test_accesses_wait_when_a_latency_is_bounded() -> None:
    """By any target."""
    assert not Frame.of(small()).waits
    assert Frame.of(small(target=RateTarget("serve", 1.0, latency=1.0))).waits


def test_an_owner_is_named_or_the_only_user() -> None:
    """None for a remote dataset, and for one that nobody uses."""
    local = Dataset("data", 1.0, Persistence.ANY, remote=False)
    assert owner(small(data=local), local) == "serve"
    assert owner(small(data=local), replace(local, local_to="other")) == "other"
    assert owner(small(), replace(local, name="unused")) is None
    assert owner(small(), replace(local, remote=True)) is None
