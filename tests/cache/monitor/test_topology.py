"""Which VMs form an application, and who is its master."""

from __future__ import annotations

import pytest

from froude.cache.monitor.topology import Application, Flow, applications, role_of
from tests.support.cache.monitor import figure5

_NAMENODE = "org.apache.hadoop.hdfs.server.namenode.NameNode"
_ALL = [f"vm{number}" for number in range(1, 21)]


def _expected() -> list[Application]:
    return sorted(
        (Application(m, tuple(sorted(figure5.names(m))), m) for m in figure5.CLUSTERS), key=lambda a: a.name
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_papers_three_clusters_by_traffic_alone(seed: int) -> None:
    """Without any role: the master is who is called by most."""
    found = applications(figure5.flows(seed), dict.fromkeys(_ALL, ()), least_bytes_per_s=1.0)
    assert list(found) == _expected()


def test_by_roles() -> None:
    """A NameNode makes its VM the master, whoever calls whom most."""
    busy = [
        Flow("vm3", "vm6", 1e9, calls=True),
        Flow("vm11", "vm6", 1e9, calls=True),
        Flow("vm16", "vm6", 1, calls=True),
    ]
    roles = dict.fromkeys(_ALL, ("DataNode",)) | dict.fromkeys(figure5.CLUSTERS, ("NameNode",))
    found = applications([*figure5.flows(), *busy], roles, least_bytes_per_s=1.0)
    assert list(found) == _expected()


def test_shared_services_would_join_all() -> None:
    """What they exchange is not given (only Hadoop's is): with it there would be one application."""
    names = [Flow(vm, "vm99", 100.0, calls=True) for vm in _ALL]
    (one,) = applications([*figure5.flows(), *names], {}, least_bytes_per_s=1.0)
    assert len(one.vms) == 21


def test_a_lone_probe_joins_nobody() -> None:
    """Flows below the least are none."""
    probe = Flow("vm1", "vm7", 0.5, calls=True)
    found = applications([*figure5.flows(), probe], {}, least_bytes_per_s=1.0)
    assert list(found) == _expected()


def test_vms_on_their_own() -> None:
    """One with a role is an application of itself; one without is in none; nobody talks to oneself."""
    found = applications([Flow("a", "a", 1e6)], {"a": ("NameNode",), "b": ()})
    assert found == (Application("a", ("a",), "a"),)


def test_a_cluster_whose_masters_are_apart() -> None:
    """NameNode and ResourceManager on two VMs: the NameNode's is the application's."""
    calls = [Flow("w", "nn", 10, calls=True), Flow("w", "rm", 10, calls=True)]
    (found,) = applications(calls, {"nn": ("NameNode",), "rm": ("ResourceManager",), "w": ("DataNode",)})
    assert found.master == "nn"


@pytest.mark.parametrize(
    ("command", "role"),
    [
        (["/usr/bin/java", "-Xmx1g", "-cp", "a:b", _NAMENODE], "NameNode"),
        (["java", "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"], "ResourceManager"),
        (["java", "org.apache.hadoop.mapred.YarnChild", "127.0.0.1", "4711", "attempt_1"], "Task"),
        (["java", "org.apache.hadoop.mapreduce.v2.app.MRAppMaster"], "MRAppMaster"),
        (["jsvc.java", "org.apache.hadoop.hdfs.server.datanode.SecureDataNodeStarter"], "DataNode"),
        (["java", f"-Dmain={_NAMENODE}", "com.example.Other"], ""),
        (["grep", _NAMENODE], ""),
        (["java", "-jar", "x.jar"], ""),
        ([], ""),
    ],
)
def test_the_main_class_is_a_word_of_its_own(command: list[str], role: str) -> None:
    """Neither an option that names it, nor a search for it, is a daemon."""
    assert role_of(command) == role
