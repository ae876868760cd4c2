"""What leaves a rack, against the placement of HDFS by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.model.copies import Redundancy, Role
from froude.provision.model.racks import away, client_crossing, host_crossing, uplink_weight
from froude.provision.model.service import Access
from froude.provision.types import Catalog, Rack
from tests.support.provision.small import BOX, READ, SERVE, STORE, WRITE, small


def _catalog(**changes: object) -> Catalog:
    return replace(small().catalog, rack=Rack(4, 1e4), **changes)  # type: ignore[arg-type]


def _access(io: object, **changes: object) -> Access:
    return Access(SERVE, replace(io, **changes), 10.0)  # type: ignore[type-var,arg-type]


def test_the_part_that_leaves() -> None:
    """(R - 1) / R; all of it with any number of racks; nothing where there are none."""
    assert [away(_catalog(), racks) for racks in (1, 2, 5, None)] == [0.0, 0.5, 0.8, 1.0]
    assert away(small().catalog, 5) == 0.0


def test_a_full_rack_shares_its_uplink() -> None:
    """Four servers of 1e4 bytes a second over an uplink of 1e4: each byte out of a rack counts as four."""
    assert uplink_weight(_catalog()) == 4
    wider = replace(BOX, name="wider", bandwidth=2e4)
    assert uplink_weight(_catalog(servers=(BOX, wider))) == 8
    assert uplink_weight(small().catalog) == 0


@pytest.mark.parametrize(("replicas", "further"), [(1, 0), (2, 1), (3, 1), (4, 2), (6, 4)])
def test_the_pipeline_crosses_once(replicas: int, further: int) -> None:
    """100 bytes a second: half leave for the first replica; the second is elsewhere, the third beside it."""
    role = Role(600.0, redundancy=Redundancy(replicas))
    flows = [host_crossing(_catalog(), role, where, [_access(WRITE)], 0.5) for where in ("in", "out", "both")]
    assert flows == [50 + 100 * further, 100 * further, 50 + 200 * further]


def test_fragments_stand_all_over() -> None:
    """6+3 sends 1.5 times the bytes from the task; no task is near them all."""
    code = Redundancy(9, 6, pipelined=False)
    access = _access(WRITE, rack_local=1.0)
    assert client_crossing(_catalog(), code, "out", access, 0.5) == 75
    assert host_crossing(_catalog(), Role(600.0, redundancy=code), "both", [access], 0.5) == 75


def test_reads_in_the_tasks_rack() -> None:
    """What has a replica near leaves no rack; with a service in the catalog nothing is near."""
    access = _access(READ, rack_local=0.8)
    role = Role(600.0)
    assert host_crossing(_catalog(), role, "out", [access], 0.5) == pytest.approx(10)
    assert client_crossing(_catalog(), role.redundancy, "in", access, 0.5) == pytest.approx(10)
    outside = _catalog(units=(*small().catalog.units, STORE))
    assert client_crossing(outside, role.redundancy, "in", access, 0.5) == 100
