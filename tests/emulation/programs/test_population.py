"""Who is who in a play, and over which connections they call."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.seeds import Seeds
from froude.emulation.programs.context import NodeContext, Place
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.population import PlaySettings, Population
from froude.emulation.programs.registry import populate
from froude.emulation.settings import Connections, DatanodeSettings
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from froude.workload.rules import Special, Value
from froude.workload.types import Counter, Generated, Template
from testbed.plans import plan

SCHEMA = Schema({}, {})


@pytest.fixture
def population(hadoop: Hadoop) -> Population:
    """Six DataNodes, four clients."""
    return populate(plan(datanodes=6, clients=4), hadoop.schema(), seeds=Seeds(3))


def connected(hadoop: Hadoop, connections: Connections, **programs: object) -> Population:
    """The same with other connections."""
    settings = PlaySettings(
        {"namenode": Target("namenode", "a:1"), "": Target("", "b:2")}, connections, programs=programs
    )
    return populate(plan(datanodes=6, clients=4), hadoop.schema(), seeds=Seeds(3), settings=settings)


def test_nodes_are_known_by_what_they_call_themselves(population: Population) -> None:
    """What a NameNode names leads back to the DataNode; a name that nobody has leads nowhere."""
    node = NodeId("datanode", 4)
    assert population.owner("datanode", population.fact(node, "uuid")) == node
    assert population.owner("datanode", "someone-else") is None
    assert population.owner("datanode", Special.ABSENT) is None
    assert population.called("someone-else:8041") is None


def test_facts(population: Population) -> None:
    """A DataNode has a storage and a port, a client neither; an unknown fact is none."""
    assert str(population.fact(NodeId("datanode", 1), "storage")).startswith("DS-")
    assert population.fact(NodeId("client", 1), "storage") is Special.UNRESOLVED
    assert population.fact(NodeId("client", 1), "shoe size") is Special.UNRESOLVED


def of_play(hadoop: Hadoop, seed: int, nonce: str) -> Population:
    """The nodes of one play."""
    return populate(plan(), hadoop.schema(), seeds=Seeds(seed), settings=PlaySettings(nonce=nonce))


def test_names_depend_on_the_seed_alone(hadoop: Hadoop) -> None:
    """Two plays of one seed register the same nodes, of two seeds different ones; the processes are new in each play."""
    first, second, other = (of_play(hadoop, *each) for each in ((1, "aa"), (1, "bb"), (2, "aa")))
    for node in (NodeId("client", 0), NodeId("datanode", 2)):
        uuids = [each.fact(node, "uuid") for each in (first, second, other)]
        assert uuids[0] == uuids[1] != uuids[2]
        assert len({each.client_id(node) for each in (first, second, other)}) == 3
    assert first.fact(NodeId("datanode", 2), "storage") == second.fact(NodeId("datanode", 2), "storage")
    assert of_play(hadoop, 1, "aa").client_id(node) == first.client_id(node)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.binary(min_size=8, max_size=8)), unique=True, max_size=4),
    st.lists(st.integers(0, 1 << 20), unique=True, max_size=4),
)
def test_no_two_processes_of_any_plays_have_one_client_id(
    plays: list[tuple[int, bytes]], numbers: list[int]
) -> None:
    """Whatever seeds, nonces, types and numbers: a retry cache never takes the calls of one for those of another."""
    planned = plan()
    everyone = [NodeId(each.name, number) for each in planned.workload.node_types for number in numbers]
    ids = [
        population.client_id(node)
        for seed, nonce in plays
        for population in [
            Population(planned, SCHEMA, seeds=Seeds(seed), settings=PlaySettings(nonce=nonce.hex()))
        ]
        for node in everyone
    ]
    assert len(set(ids)) == len(ids) == len(plays) * len(everyone)
    assert all(len(each) == 16 for each in ids)


def test_a_lease_has_another_holder_in_each_play(hadoop: Hadoop) -> None:
    """As of a client that was started again; what else is drawn is the same, and so is all of one play again."""
    holder, gauge = Generated("dfs-client", {}), Generated("gauge", {"low": 0, "high": 1 << 40})

    def drawn(nonce: str) -> list[Value]:
        node = SimpleNamespace(population=of_play(hadoop, 1, nonce), rng=Random(7))
        context = NodeContext(cast("Any", node), Place({}, ()))
        return [context.generated(rule) for rule in (holder, gauge)]

    first, again, other = drawn("aa"), drawn("aa"), drawn("bb")
    assert first == again
    assert str(first[0]).startswith("DFSClient_NONMAPREDUCE_")
    assert first[0] != other[0]
    assert first[1] == other[1]


def test_every_node_has_an_id_of_its_own(population: Population) -> None:
    """Sixteen bytes."""
    ids = {population.client_id(NodeId(name, n)) for name in ("datanode", "client") for n in range(50)}
    assert len(ids) == 100
    assert {len(each) for each in ids} == {16}


def test_pools_share_and_no_pool_gives_each_its_own(hadoop: Hadoop) -> None:
    """A pool of two has two connections a protocol; without a pool no two nodes share."""
    pooled, single = (connected(hadoop, Connections(pool=pool, user="ada")) for pool in (2, 0))
    nodes = [NodeId(name, number) for name, count in pooled.plan.counts.items() for number in range(count)]
    assert len({pooled.endpoint(node, "p") for node in nodes}) == 2
    assert len({single.endpoint(node, "p") for node in nodes}) == len(nodes)
    assert pooled.endpoint(nodes[0], "p").user == "ada"


def test_services_have_targets_of_their_own(hadoop: Hadoop) -> None:
    """Two services are two connections; a service without a target goes to the one for all others."""
    population = connected(hadoop, Connections(pool=1))
    node = NodeId("client", 0)
    services = ("namenode", "resourcemanager", "")
    addresses = [population.endpoint(node, "p", service).target.address for service in services]
    assert addresses == ["a:1", "b:2", "b:2"]


def test_each_datanode_can_have_an_address(hadoop: Hadoop) -> None:
    """One node an address makes distinct loopback sources."""
    population = connected(hadoop, Connections(), datanode=DatanodeSettings(per_address=1))
    sources = {population.endpoint(NodeId("datanode", n), "p").source for n in range(300)}
    assert len(sources) == 300
    assert all(source is not None and source.startswith("127.16.") for source in sources)


def test_caller_contexts_and_users_follow_their_rules(population: Population) -> None:
    """Both are rules like any argument."""
    rule = Template(("job_", Counter(0, {"node": 1}, 2)))
    population.types["client"] = replace(population.types["client"], caller_context=rule, user=rule)
    assert population.caller_context(NodeId("client", 3)) == "job_03"
    assert population.endpoint(NodeId("client", 3), "p").user == "job_03"
    assert population.caller_context(NodeId("datanode", 3)) is None
