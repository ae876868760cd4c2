"""What a cluster decides before any daemon starts; the daemons are in `integration`."""

from __future__ import annotations

import random
import socket
from pathlib import Path

import pytest

from froude.base.errors import InputError, TargetError
from froude.experiment.session import Hadoop
from froude.hadoop import jvm, loopback, settings


@pytest.fixture
def nothing() -> Hadoop:
    """A Hadoop that is never started."""
    return Hadoop("3.5.0", [], jvm.Java(Path("/java"), "17", 17, "PATH"), "folder")


@pytest.mark.parametrize("datanodes", [-1, 241])
def test_a_number_of_nodes_that_does_not_fit_is_refused(nothing: Hadoop, datanodes: int) -> None:
    """One loopback network has room for 240."""
    with pytest.raises(InputError, match="0 to 240"):
        nothing.cluster(datanodes=datanodes)


def test_what_was_not_started_says_so(nothing: Hadoop) -> None:
    """Rather than fail somewhere inside."""
    cluster = nothing.cluster()
    with pytest.raises(TargetError, match="was not started"):
        _ = cluster.uri
    with pytest.raises(TargetError, match="was not started"):
        _ = nothing.namenode().pid
    cluster.stop()


def test_a_network_in_use_is_not_taken() -> None:
    """The draw goes on until every address can be bound; the same draw gives the same network."""
    first = loopback.free_network([1, 10], random.Random(3))
    assert loopback.free_network([1, 10], random.Random(3)) == first


def test_ports_are_free_on_every_address() -> None:
    """A port taken on one of them is no choice."""
    addresses = ["127.9.9.10", "127.9.9.11"]
    ports = loopback.free_ports(addresses, 3)
    assert len(set(ports)) == 3
    with socket.socket() as taken:
        taken.bind((addresses[1], ports[0]))
        assert not loopback._can_bind(addresses[1], ports[0])
        assert ports[0] not in loopback.free_ports(addresses, 3)


def test_only_the_namenode_is_told_where_it_listens() -> None:
    """A client that reads `dfs.namenode.rpc-address` would go round a capture proxy."""
    shared = settings.hdfs_site(replication=2, user="me", extra={})
    own = settings.namenode_site(rpc=("127.1.1.1", 1), http=("127.1.1.1", 2), folder="/x", extra={})
    assert not [key for key in shared if "address" in key]
    assert own["dfs.namenode.rpc-address"] == "127.1.1.1:1"


def test_further_properties_go_where_they_belong_and_win() -> None:
    """`dfs.*` to the one file, the rest to the other."""
    extra = {"dfs.replication": "7", "ipc.ping.interval": "1"}
    core = settings.core_site("hdfs://x:1", scratch="/s", user="me", extra=extra)
    hdfs = settings.hdfs_site(replication=2, user="me", extra=extra)
    assert core["ipc.ping.interval"] == "1"
    assert "dfs.replication" not in core
    assert hdfs["dfs.replication"] == "7"
    assert "ipc.ping.interval" not in hdfs


def test_hadoops_own_intervals_are_left_alone() -> None:
    """They shape behaviour: a scale model that beats faster than the ship tells nothing of it."""
    keys = {
        *settings.hdfs_site(replication=2, user="me", extra={}),
        *settings.datanode_site("127.1.1.10", ports=(1, 2, 3), folder="/x"),
    }
    assert not [key for key in keys if "interval" in key or "decommission" in key]


def test_the_audit_log_has_a_file_of_its_own() -> None:
    """And can be switched off."""
    assert "log4j.appender.AUDIT.File=/a.log" in settings.log4j(audit="/a.log")
    assert "audit=OFF" in settings.log4j()
