"""Calls to a NameNode; a real one is in `tests/integration/test_placement.py`."""

from __future__ import annotations

import pytest

from froude.base.errors import GuardError, TargetError
from froude.hadoop.release.distribution import Hadoop
from froude.harvest.live.hdfs.namenode import NameNodeCalls
from froude.harvest.live.hdfs.plugin import POLICY
from testbed.virtual_clock import VirtualClock
from tests.support.harvest.live.hdfs.namenodes import NODES, REPLICATION, namenode


def test_who_it_is_and_what_it_has(hadoop: Hadoop) -> None:
    """Its id, its DataNodes by address, and that it is told to look again."""
    with namenode(hadoop.schema(), NODES[::-1]) as (host, port, calls):
        asked = NameNodeCalls(host, port, hadoop.schema(), user="root")
        assert asked.identity() == "CID-1"
        assert asked.datanodes() == NODES
        assert asked.replication() == REPLICATION
        asked.refresh_hosts()
        assert asked.read_settings(VirtualClock()) == {POLICY: ""}
    assert [call for call in calls if call != "versionRequest"] == [
        *("getDatanodeReport", "getServerDefaults", "refreshNodes"),
        *("startReconfiguration", "getReconfigurationStatus"),
    ]


def test_another_namenode_at_the_address_is_sent_nothing(hadoop: Hadoop) -> None:
    """Each connection shows first who answers."""
    with namenode(hadoop.schema()) as (host, port, calls):
        asked = NameNodeCalls(host, port, hadoop.schema(), user="root")
        asked.identity()
        asked._id = "CID-of-before"
        with pytest.raises(GuardError, match="is another NameNode now; found CID-1; allowed: CID-of-before"):
            asked.refresh_hosts()
    assert calls == ["versionRequest", "versionRequest"]


def test_what_it_does_not_take_up(hadoop: Hadoop) -> None:
    """By property, with its reason; and a reading that never ends is given up."""
    with namenode(hadoop.schema(), refused={"a": "no such class"}) as (host, port, _):
        assert NameNodeCalls(host, port, hadoop.schema()).read_settings(VirtualClock()) == {
            POLICY: "",
            "a": "no such class",
        }


def test_who_does_not_answer(hadoop: Hadoop) -> None:
    """Is named."""
    with namenode(hadoop.schema()) as (host, port, _):
        pass
    with pytest.raises(TargetError, match=str(port)):
        NameNodeCalls(host, port, hadoop.schema()).identity()
