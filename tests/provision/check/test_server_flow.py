"""Bytes through a server's buses and network, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from froude.provision.check.demand import Demand
from froude.provision.check.server_flow import bus_flow, network_bytes
from froude.provision.types import Duplex
from froude.provision.types.plan import Group, Held, ProvisionPlan, Running, Status
from tests.support.provision.clusters import small

READ, WRITE = 40 * 50e3, 20 * 50e3
HOST = Group("box", 1, held=(Held("d", "disk", 1, 0.5),))
WORKER = Group("box", 1, running=(Running("t", 1, 0.5),))


def _demand(*chosen: str, **dataset: Any) -> Demand:
    problem = small(**dataset)
    problem = replace(problem, options=replace(problem.options, duplex=Duplex.FULL))
    return Demand(problem, ProvisionPlan(Status.GAP, (), {"d": chosen or ("disk",)}))


@pytest.mark.parametrize(
    ("dataset", "inward", "outward", "bus", "sent"),
    [
        ({}, WRITE, READ, (READ + WRITE, 40 + 20), WRITE),
        ({"replication": 3}, 3 * WRITE, READ + 2 * WRITE, (READ + 3 * WRITE, 40 + 3 * 20), WRITE),
        ({"erasure": (2, 1)}, 1.5 * WRITE, READ, (READ + 1.5 * WRITE, 2 * 40 + 3 * 20), 1.5 * WRITE),
    ],
)
def test_hosts_and_tasks(
    dataset: dict[str, Any], inward: float, outward: float, bus: tuple[float, float], sent: float
) -> None:
    """Replicas are passed on by the hosts, fragments sent by the task; half of all with half of the share."""
    demand = _demand(**dataset)
    assert network_bytes(demand, HOST, "p") == pytest.approx({"in": inward / 2, "out": outward / 2})
    assert network_bytes(demand, WORKER, "p") == pytest.approx({"in": READ / 2, "out": sent / 2})
    assert bus_flow(demand, HOST, "SAS", "p") == pytest.approx((bus[0] / 2, bus[1] / 2))
    assert bus_flow(demand, HOST, "DIMM", "p") == (0, 0)


def test_a_cache_before_a_service() -> None:
    """Its hosts take writes and fills in and give hits out; the service has no host."""
    demand = _demand("store", "ssd", hit_ratio=0.75)
    cache = Group("box", 1, held=(Held("d", "ssd", 1, 1.0, cache=True),))
    assert network_bytes(demand, cache, "p") == pytest.approx({"in": WRITE + READ / 4, "out": READ * 0.75})
    assert network_bytes(demand, WORKER, "p") == pytest.approx({"in": READ / 2, "out": WRITE / 2})
