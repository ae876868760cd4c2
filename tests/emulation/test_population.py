"""Who plays, and over which connections."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.seeds import Seeds
from froude.emulation.population import Connections, Troupe, groups_of
from froude.emulation.programs.cast import Cast
from froude.emulation.programs.client import ScriptedNode
from froude.emulation.programs.datanode import EmulatedDatanode
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.fleet import FleetSettings
from froude.hadoop.distribution import Hadoop
from froude.workload.types import Counter, Moment, StartRule, Template
from tests.emulation.plans import plan


@pytest.fixture
def cast(hadoop: Hadoop) -> Cast:
    """Six DataNodes and four clients."""
    return Cast(plan(datanodes=6, clients=4), hadoop.schema(), seeds=Seeds(1))


def test_nodes_get_the_program_of_their_type(cast: Cast) -> None:
    """DataNodes are emulated, others follow their steps."""
    troupe = Troupe(cast, Connections())
    assert isinstance(troupe.program(NodeId("datanode", 0)), EmulatedDatanode)
    assert isinstance(troupe.program(NodeId("client", 0)), ScriptedNode)


def test_pools_share_and_no_pool_gives_each_its_own(cast: Cast) -> None:
    """A pool of two has two connections a protocol; without a pool no two nodes share."""
    nodes = [NodeId(name, number) for name, count in cast.plan.counts.items() for number in range(count)]
    pooled, single = Troupe(cast, Connections(2, "ada")), Troupe(cast, Connections(0, "ada"))
    assert len({pooled.endpoint(node, "p") for node in nodes}) == 2
    assert len({single.endpoint(node, "p") for node in nodes}) == len(nodes)
    assert pooled.endpoint(nodes[0], "p").user == "ada"


def test_each_datanode_can_have_an_address(hadoop: Hadoop) -> None:
    """One node an address makes distinct loopback sources."""
    cast = Cast(plan(datanodes=300), hadoop.schema(), seeds=Seeds(1), fleet=FleetSettings(per_address=1))
    troupe = Troupe(cast, Connections())
    sources = {troupe.endpoint(NodeId("datanode", n), "p").source for n in range(300)}
    assert len(sources) == 300
    assert all(source is not None and source.startswith("127.16.") for source in sources)


def test_every_node_has_an_id_of_its_own(cast: Cast) -> None:
    """Sixteen bytes, the same for one seed."""
    ids = {cast.client_id(NodeId(name, n)) for name in ("datanode", "client") for n in range(50)}
    assert len(ids) == 100
    assert {len(one) for one in ids} == {16}


def test_caller_contexts_follow_their_rule(cast: Cast) -> None:
    """A context is a rule like any argument."""
    rule = Template(("job_", Counter(0, {"node": 1}, 2)))
    cast.types["client"] = replace(cast.types["client"], caller_context=rule)
    assert Troupe(cast, Connections()).caller_context(NodeId("client", 3)) == "job_03"
    assert Troupe(cast, Connections()).caller_context(NodeId("datanode", 3)) is None


def test_clients_wait_for_datanodes_unless_told_otherwise(cast: Cast) -> None:
    """Emulated DataNodes are spread out and never end; who has no rule begins when all of them have started."""
    datanodes, clients = groups_of(cast, cast.plan.counts, ramp_per_s=1000)
    assert (datanodes.endless, datanodes.rule.spacing_s) == (True, 0.001)
    assert (clients.rule.after, clients.rule.moment, clients.rule.every) == ("datanode", Moment.STARTED, True)
    own = StartRule("datanode", Moment.STARTED, every=False, delay_s=2)
    cast.types["client"] = replace(cast.types["client"], start=own)
    assert groups_of(cast, cast.plan.counts)[1].rule == own
    assert groups_of(cast, {"client": 4})[1].rule == own
