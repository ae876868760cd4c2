"""What is known of a plan before it is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.emulation.facts import facts_of
from froude.emulation.programs.yarn.protocols import CONTAINERS, SCHEDULER, TRACKER
from froude.workload.plan import Plan
from froude.workload.scale import Count
from froude.workload.types import CallTemplate, NodeType, Timing
from testbed.plans import CLIENT, plan
from tests.support.emulation.yarn_plans import plan as yarn_plan

TEMPLATES = frozenset({"create", "addBlock", "complete", "getFileInfo", "getListing", "delete", "renewLease"})
YARN_TYPES = yarn_plan().workload.node_types
TYPES = (*plan().workload.node_types, *(replace(each, name=f"yarn-{each.name}") for each in YARN_TYPES))
"""Of both plans, so that types of HDFS and YARN are mixed."""


def mixed(counts: Mapping[str, int], types: Sequence[NodeType] = TYPES) -> Plan:
    """Nodes of these types."""
    return replace(plan(), workload=replace(plan().workload, node_types=tuple(types)), counts=counts)


ABSENT = facts_of(mixed({}))
ONE = {each.name: facts_of(mixed({each.name: 1})) for each in TYPES}
"""The facts of a node of each type."""


def test_clients_and_datanodes() -> None:
    """Emulated DataNodes call by themselves; absent nodes call nothing, but their program is prepared."""
    both, clients, datanodes = facts_of(plan()), facts_of(plan(datanodes=0)), facts_of(plan(clients=0))
    assert clients.methods == TEMPLATES
    assert both.methods >= TEMPLATES | {"registerDatanode", "sendHeartbeat", "blockReport"}
    assert "create" not in datanodes.methods
    assert both.nodes == clients.nodes + datanodes.nodes
    assert (both.endless, clients.endless, datanodes.endless) == (False, False, True)
    assert not both.called
    assert clients.protocols == both.protocols > {CLIENT}
    assert clients.services == {"namenode"}


def test_a_yarn_job() -> None:
    """Daemons call its NodeManagers, whose programs read messages of their own."""
    facts = facts_of(yarn_plan())
    assert facts.called
    assert not facts.endless
    assert facts.methods >= {"nodeHeartbeat", "allocate", "getBlockLocations", "startContainers"}
    assert facts.protocols >= {SCHEDULER, TRACKER, CONTAINERS}
    assert facts.services > {"resourcemanager", "resourcemanager-scheduler", "namenode"}
    assert len(facts.messages) == 2


def test_clients_of_an_audit_log() -> None:
    """They have no steps, and call a NameNode whatever is in the log."""
    facts = facts_of(mixed({"client": 2}, [NodeType("client", Count(2), (), program="audit")]))
    assert facts.methods > {"create", "rename2"}
    assert (facts.daemons, facts.services, facts.untimed) == (("namenode",), frozenset(), None)
    assert (facts.nodes, facts.endless) == (2, False)


def test_the_daemons_of_a_plan() -> None:
    """Those that its nodes call: a NameNode where nothing shows another, a ResourceManager, or both."""
    both = yarn_plan()
    nodemanagers = tuple(
        replace(each, effects=()) for each in both.workload.node_types if each.program == "nodemanager"
    )
    datanodes = NodeType("dn", Count(1), (), program="datanode")
    alone = replace(both, workload=replace(both.workload, node_types=nodemanagers))
    together = replace(both, workload=replace(both.workload, node_types=(*nodemanagers, datanodes)))
    assert facts_of(plan()).daemons == ("namenode",)
    assert facts_of(both).daemons == ("namenode", "resourcemanager")
    assert facts_of(alone).daemons == ("resourcemanager",)
    assert facts_of(together).daemons == ("resourcemanager",)
    assert facts_of(replace(together, counts={**both.counts, "dn": 1})).daemons == (
        "namenode",
        "resourcemanager",
    )


def test_the_first_step_without_a_service_time() -> None:
    """Of nodes that there are: periodic calls and effects have periods and causes instead."""
    look = CallTemplate("client.look", CLIENT, "getFileInfo", {}, Timing(Count(1.0)))
    client = NodeType("client", Count(1), (look, replace(look, id="client.again")))
    assert facts_of(plan()).untimed is None
    assert facts_of(mixed({"client": 1}, [client])).untimed == "client.look"
    assert facts_of(mixed({"client": 0}, [client])).untimed is None


def test_an_unknown_program_is_refused() -> None:
    """Even of a type without nodes, since a play prepares its program."""
    strange = NodeType("host", Count(0), (), program="mainframe")
    with pytest.raises(InputError, match=r"mainframe.*scripted, datanode"):
        facts_of(mixed({}, [strange]))


@given(st.dictionaries(st.sampled_from([each.name for each in TYPES]), st.integers(0, 3)))
def test_facts_of_all_nodes_follow_from_those_of_each_type(counts: dict[str, int]) -> None:
    """What nodes do is the union over types with nodes; what a play prepares is the same for all counts."""
    facts = facts_of(mixed(counts))
    each = [ONE[name] for name, count in counts.items() if count]
    assert facts.methods == frozenset().union(*(one.methods for one in each))
    assert facts.called == any(one.called for one in each)
    assert facts.endless == all(one.endless for one in each)
    assert facts.nodes == sum(counts.values())
    assert facts == replace(
        ABSENT,
        **{name: getattr(facts, name) for name in ("methods", "called", "endless", "nodes", "daemons")},
    )


@given(st.permutations(TYPES), st.integers(1, 10**9))
def test_neither_the_order_of_types_nor_their_size_counts(types: list[NodeType], count: int) -> None:
    """But for the number of nodes itself."""
    counts = dict.fromkeys(ONE, count)
    facts = facts_of(mixed(dict.fromkeys(ONE, 1)))
    assert facts_of(mixed(counts, types)) == replace(facts, nodes=len(TYPES) * count)
