"""Configuration of YARN: who is called what where, what containers get, what a user may override."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.settings import yarn as yarn_settings
from froude.hadoop.settings.yarn import Containers


def _read(text: str) -> dict[str, list[str]]:
    """Names by address, as a JVM reads a hosts file."""
    return {words[0]: words[1:] for words in map(str.split, text.splitlines())}


def test_a_nodes_names_lead_to_its_own_address() -> None:
    """And an address is called by its digits first: in turn, a node is its address."""
    names = {"namenode": "127.1.1.10", "resourcemanager": "127.1.1.10", "jobhistory": "127.1.1.3"}
    assert _read(yarn_settings.hosts("127.1.1.10", names, machine="vm")) == {
        "127.1.1.10": ["127.1.1.10", "vm", "namenode", "resourcemanager"],
        "127.0.0.1": ["127.0.0.1", "localhost"],
        "127.1.1.3": ["127.1.1.3", "jobhistory"],
    }


@given(st.integers(0, 3), st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3)))
def test_every_name_stands_once(self_at: int, names: dict[str, int]) -> None:
    """At its own address, whichever coincide; no address has two lines."""
    addresses = {name: f"127.0.0.{host + 1}" for name, host in names.items()}
    text = yarn_settings.hosts(f"127.0.0.{self_at + 1}", addresses, machine="vm")
    read = _read(text)
    assert len(read) == len(text.splitlines())
    all_names = [name for words in read.values() for name in words]
    assert len(all_names) == len(set(all_names))
    assert all(name in read[address] for name, address in addresses.items())
    assert all(words[0] == address for address, words in read.items())


def test_masters_are_names_for_clients_and_addresses_for_themselves() -> None:
    """What a client puts into a job's configuration is the same on every node."""
    shared = yarn_settings.yarn_site("127.1.1", containers=Containers(), jars="/lib/*", extra={})
    own = yarn_settings.resourcemanager_site("127.1.1", folder="/run")
    assert shared["yarn.resourcemanager.scheduler.address"] == "resourcemanager:8030"
    assert own["yarn.resourcemanager.scheduler.address"] == "127.1.1.2:8030"
    assert shared["yarn.resourcemanager.webapp.address"] == "127.1.1.2:8088"
    jobs = yarn_settings.mapred_site("127.1.1", containers=Containers(), extra={})
    assert jobs["mapreduce.jobhistory.address"] == "jobhistory:10020"
    assert yarn_settings.jobhistory_site("127.1.1")["mapreduce.jobhistory.address"] == "127.1.1.3:10020"


def test_a_nodemanager_behind_a_proxy_is_known_by_its_address() -> None:
    """It listens elsewhere, and its own localizers find it there."""
    site = yarn_settings.nodemanager_site(
        "127.1.1.10", folder="/run/n", containers_java=[], behind="127.9.9.10"
    )
    assert site["yarn.nodemanager.address"] == "127.1.1.10:8041"
    assert site["yarn.nodemanager.bind-host"] == "127.9.9.10"
    assert site["yarn.nodemanager.localizer.address"] == "127.9.9.10:8040"
    plain = yarn_settings.nodemanager_site("127.1.1.10", folder="/run/n", containers_java=[])
    assert "yarn.nodemanager.bind-host" not in plain


def test_every_jvm_in_a_container_reads_the_nodes_names() -> None:
    """Through a variable that the launcher of each JVM reads, each flag a word of its own, no comma within."""
    java = yarn_settings.container_flags("/run/n/conf/hosts")
    site = yarn_settings.nodemanager_site("127.1.1.10", folder="/run/n", containers_java=java)
    variables = dict(each.split("=", 1) for each in site["yarn.nodemanager.admin-env"].split(","))
    flags = re.findall("'([^']*)'", variables["JDK_JAVA_OPTIONS"])
    assert flags == java
    assert "-Djdk.net.hosts.file=/run/n/conf/hosts" in flags
    ports = [value for key, value in site.items() if re.search(r"(manager|localizer|webapp)\.address", key)]
    assert sorted(ports) == ["127.1.1.10:8040", "127.1.1.10:8041", "127.1.1.10:8042"]


def test_heaps_fit_into_their_containers() -> None:
    """With room for the rest of a JVM."""
    containers = Containers(node_mb=2048, master_mb=1024, task_mb=512)
    jobs = yarn_settings.mapred_site("127.1.1", containers=containers, extra={})
    for heap, container in (
        ("yarn.app.mapreduce.am.command-opts", "yarn.app.mapreduce.am.resource.mb"),
        ("mapreduce.map.java.opts", "mapreduce.map.memory.mb"),
        ("mapreduce.reduce.java.opts", "mapreduce.reduce.memory.mb"),
    ):
        assert 0.4 < int(jobs[heap].removeprefix("-Xmx").removesuffix("m")) / int(jobs[container]) < 0.75


def test_properties_of_ones_own_go_first() -> None:
    """Each into the file of its prefix."""
    extra = {"yarn.scheduler.minimum-allocation-mb": "64", "mapreduce.map.memory.mb": "128", "dfs.x": "1"}
    shared = yarn_settings.yarn_site("127.1.1", containers=Containers(), jars="/lib/*", extra=extra)
    jobs = yarn_settings.mapred_site("127.1.1", containers=Containers(), extra=extra)
    assert shared["yarn.scheduler.minimum-allocation-mb"] == "64"
    assert jobs["mapreduce.map.memory.mb"] == "128"
    assert "dfs.x" not in shared | jobs
    assert "mapreduce.map.memory.mb" not in shared


def test_a_node_must_hold_a_job() -> None:
    """An application master and one task."""
    with pytest.raises(InputError, match=r"found 700 MiB; allowed: 768 MiB or more \(512 \+ 256\)"):
        Containers(node_mb=700)
    assert Containers(node_mb=768).node_mb == 768


def test_one_queue_takes_every_job() -> None:
    """No share of it is kept from application masters."""
    queues = yarn_settings.capacity_scheduler()
    assert queues["yarn.scheduler.capacity.maximum-am-resource-percent"] == "1.0"
    assert queues["yarn.scheduler.capacity.root.queues"] == "default"
