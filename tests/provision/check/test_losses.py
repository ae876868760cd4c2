"""What is left after a lost server or rack, from a plan alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.check.demand import Demand
from froude.provision.check.load_lp import LoadLp
from froude.provision.check.losses import (
    least_spread,
    load_flaws,
    rack_flaws,
    rack_share,
    re_replication_times,
)
from froude.provision.types import Dataset, Lost, Options, Rack, RackLoss, ReReplication, Scope
from froude.provision.types.plan import Group, Held, ProvisionPlan, Running, Status
from tests.support.provision.small import DATA, DISK, small

_QUICK = replace(DISK, gap_r=0.0, gap_w=0.0)


def _demand(
    *groups: Group,
    data: Dataset | None = None,
    loss: RackLoss = RackLoss.NONE,
    re_replication: ReReplication | None = None,
    uplink: float = 1e9,
) -> Demand:
    problem = small(data=data or replace(DATA, replication=3), units=(_QUICK, small().catalog.units[1]))
    problem = replace(
        problem,
        catalog=replace(problem.catalog, rack=Rack(2, uplink)),
        sla=replace(problem.sla, re_replication=re_replication),
        options=Options(survive_rack=loss),
    )
    return Demand(problem, ProvisionPlan(Status.GAP, groups, {"data": ("disk",)}))


def _group(count: int, units: int, share: float) -> Group:
    return Group("box", count, (Held("data", "disk", units, share),), running=(Running("serve", 9, share),))


def test_a_lost_rack_leaves_room() -> None:
    """1800 bytes fill two disks of 1000; of five with one each, three are left, of two with three each none."""
    assert list(rack_flaws(_demand(_group(5, 1, 0.2), loss=RackLoss.DATA))) == []
    flaws = list(rack_flaws(_demand(_group(2, 3, 0.5), loss=RackLoss.DATA)))
    assert [(flaw.needed, flaw.allowed) for flaw in flaws] == [(2, 0)]
    assert list(rack_flaws(_demand(_group(2, 3, 0.5)))) == []


def test_the_share_of_a_rack() -> None:
    """2/3 of three replicas, 1/2 of two, 1/3 of 6+3; none of one replica; all where no rack may be lost."""

    def share(loss: RackLoss = RackLoss.DATA, **changes: object) -> float:
        data = replace(DATA, **changes)  # type: ignore[arg-type]
        return rack_share(_demand(_group(5, 1, 0.2), data=data, loss=loss), data)

    assert share(replication=3) == pytest.approx(2 / 3)
    assert share(replication=2) == pytest.approx(1 / 2)
    assert share(erasure=(6, 3)) == pytest.approx(1 / 3)
    assert share() == 0
    assert share(RackLoss.NONE) == 1
    assert share(RackLoss.SERVICE, remote=False, scope=Scope.REPLICATED) == 1
    assert share(RackLoss.DATA, remote=False, scope=Scope.REPLICATED) == 0
    flaws = list(rack_flaws(_demand(_group(5, 1, 0.2), data=DATA, loss=RackLoss.DATA)))
    assert [flaw.rule for flaw in flaws] == ["data that a lost rack takes along"]


def test_a_rack_of_two_needs_three_servers_for_three_replicas() -> None:
    """Two of three hold 2/3; with 6+3 it takes six."""

    def least(data: Dataset, loss: RackLoss = RackLoss.DATA) -> int:
        return least_spread(_demand(_group(5, 1, 0.2), data=data, loss=loss), "data")

    assert least(replace(DATA, replication=3)) == 3
    assert least(replace(DATA, erasure=(6, 3))) == 6
    assert least(replace(DATA, replication=3), RackLoss.NONE) == 1


def test_those_left_have_room_in_proportion() -> None:
    """18 disks of data over H = 5 of which 2 may be lost: 30 disks; loads stay as they are."""
    data = replace(DATA, replication=3, size=DATA.size * 10)
    demand = _demand(_group(5, 1, 0.2), data=data, loss=RackLoss.DATA)
    assert demand.sized("data", cache=False) == demand.need("data", cache=False)
    demand.plan = replace(demand.plan, spread=5)
    filled, _ = demand.need_parts("data", cache=False)
    assert demand.sized("data", cache=False) == pytest.approx(filled * 5 / 3)
    assert demand.reserve == 1


def test_no_rack_holds_too_much() -> None:
    """The two fullest servers hold 0.8 where 2/3 is allowed."""
    crowded = _demand(_group(2, 9, 0.4), _group(2, 1, 0.1), loss=RackLoss.DATA)
    flaws = [flaw for flaw in load_flaws(crowded) if flaw.rule == "share of a rack"]
    assert [(flaw.needed, flaw.allowed) for flaw in flaws] == [(pytest.approx(0.8), pytest.approx(2 / 3))]


def test_any_rack_fits_its_uplink() -> None:
    """The two busiest servers, though others send less."""
    groups = _group(2, 4, 0.3), _group(2, 4, 0.2)
    asked = [f.needed for f in load_flaws(_demand(*groups, uplink=1.0)) if f.rule.startswith("rack uplink")]
    assert asked == [pytest.approx(0.6 * 400)]
    assert list(load_flaws(_demand(*groups, uplink=240.1))) == []


def test_the_time_to_replicate_again() -> None:
    """The fullest server is lost, and the others' disks, networks, streams and uplinks do it."""
    re_replication = ReReplication(1.0, block_size=100.0, heartbeat=1.0, max_streams=2)
    demand = _demand(_group(1, 4, 0.4), _group(3, 2, 0.2), re_replication=re_replication)
    times = {what: taken for what, _, taken in re_replication_times(demand, re_replication)}
    lost = 0.4 * 1800
    assert times["disk"] == pytest.approx(lost * (1 / 100 + 1 / 50) / 6)
    assert times["network"] == pytest.approx(lost * 2 / 3e4)
    assert times["streams"] == pytest.approx(lost / (3 * 200))
    assert times["uplinks"] == pytest.approx(lost * 2 / 2e9)
    rules = [flaw.rule for flaw in load_flaws(demand)]
    assert rules == ["seconds to re-replicate (disk)", "seconds to re-replicate (streams)"]
    rack = replace(re_replication, of=Lost.RACK)
    assert {w: t for w, _, t in re_replication_times(demand, rack)}["disk"] == pytest.approx(
        0.6 * 1800 * 0.03 / 4
    )


def test_nothing_is_left_to_replicate_to() -> None:
    """A rack that is all there is."""
    re_replication = ReReplication(1.0, Lost.RACK)
    demand = _demand(_group(2, 4, 0.5), re_replication=re_replication)
    assert {taken for _, _, taken in re_replication_times(demand, re_replication)} == {float("inf")}


@pytest.mark.parametrize("shares", [(0.3, 0.2), (0.5, 0.0), (0.25, 0.25), (0.0, 0.5)])
def test_the_program_of_the_load_knows_the_fullest_rack(shares: tuple[float, float]) -> None:
    """It finds a spreading that is no worse than any given one, and holds any two servers against the uplink."""
    pytest.importorskip("scipy")
    groups = [replace(_group(2, 9, share), cores=9, dimms=9) for share in shares]
    demand = _demand(*groups, uplink=100.0)
    fraction, limits = LoadLp(demand).solve()
    busiest = max(f.needed or 0.0 for f in load_flaws(demand) if f.rule.startswith("rack uplink"))
    assert fraction >= 100.0 / busiest * (1 - 1e-9)
    # four alike servers bear a quarter each, two of them half of 400
    assert fraction == pytest.approx(100.0 / 200.0)
    assert limits[0].constraint.startswith("rack uplink")
