"""Which program plays which node type."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.hdfs.datanode import EmulatedDatanode
from froude.emulation.programs.registry import KINDS, kind_of, populate
from froude.emulation.programs.scripted import ScriptedNode
from froude.hadoop.release.distribution import Hadoop
from froude.workload.types import SCRIPTED
from testbed.plans import plan


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_found_by_its_name(kind: object) -> None:
    """Which no two share; the scripted one has the name that a node type has by default."""
    assert kind_of(kind.name) is kind  # type: ignore[attr-defined]
    assert kind_of(SCRIPTED) is KINDS[0]


def test_nodes_get_the_program_of_their_type(hadoop: Hadoop) -> None:
    """DataNodes are emulated, others follow their steps."""
    population = populate(plan(), hadoop.schema(), seeds=Seeds(3))
    assert set(population.families) == {"datanode", "client"}
    assert isinstance(population.program(NodeId("datanode", 0)), EmulatedDatanode)
    assert isinstance(population.program(NodeId("client", 0)), ScriptedNode)


def test_an_unknown_program_is_refused(hadoop: Hadoop) -> None:
    """The error names those that there are."""
    planned = plan()
    strange = replace(planned.workload.node_types[0], program="mainframe")
    planned = replace(planned, workload=replace(planned.workload, node_types=(strange,)))
    with pytest.raises(InputError, match=r"mainframe.*scripted, datanode"):
        populate(planned, hadoop.schema(), seeds=Seeds(1))
