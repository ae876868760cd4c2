"""DataNodes in maintenance while they are busy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.harvest.live.hdfs.hosts import with_maintenance
from tests.support.harvest.live.hdfs.namenodes import NODES

HOSTS = [
    {"hostName": "s0"},
    {"hostName": "10.0.0.1", "port": 9866, "upgradeDomain": "a"},
    {"hostName": "s2", "adminState": "DECOMMISSIONED"},
    {"hostName": "elsewhere"},
]
ALL = [node.address for node in NODES]


def test_busy_ones_until_a_time_and_back() -> None:
    """What else stands there stays, and whom somebody else took out of service stays so."""
    text, marked = with_maintenance(json.dumps(HOSTS), NODES, ALL, (), 1000.5)
    assert marked == ("10.0.0.0:9866", "10.0.0.1:9866")
    away = {"adminState": "IN_MAINTENANCE", "maintenanceExpireTimeInMS": 1000500}
    assert json.loads(text) == [HOSTS[0] | away, HOSTS[1] | away, *HOSTS[2:]]
    text, still = with_maintenance(text, NODES, ALL[:1], marked, 2000)
    assert still == ("10.0.0.0:9866",)
    later = HOSTS[0] | away | {"maintenanceExpireTimeInMS": 2000000}
    assert json.loads(text) == [later, *HOSTS[1:]]
    assert json.loads(with_maintenance(text, NODES, (), still, 0)[0]) == HOSTS


@pytest.mark.parametrize("busy", [(), ALL])
def test_who_was_taken_out_of_service_since_stays_so(busy: Sequence[str]) -> None:
    """Somebody else decided: it is no longer ours, whether it is busy or not."""
    entry = {"hostName": "s0", "adminState": "DECOMMISSIONED"}
    text, marked = with_maintenance(json.dumps([entry]), NODES, busy, ALL, 1)
    assert (json.loads(text), marked) == ([entry], ())
    _, marked = with_maintenance(json.dumps(HOSTS[:1]), NODES, (), ALL, 1)
    assert marked == ()


def test_an_entry_of_several_is_left_alone() -> None:
    """One line for all DataNodes of a host cannot say which is busy."""
    two = (*NODES, replace(NODES[0], port=9867))
    assert with_maintenance(json.dumps(HOSTS), two, ALL, (), 1)[1] == ("10.0.0.1:9866",)


@pytest.mark.parametrize("text", ["s0\ns1\n", "{}", '[{"host": "s0"}]', "[1]"])
def test_what_is_no_list_of_hosts(text: str) -> None:
    """A plain file of hosts knows no maintenance."""
    with pytest.raises(InputError, match=r"dfs\.hosts: is no file of hosts"):
        with_maintenance(text, NODES, (), (), 0)
