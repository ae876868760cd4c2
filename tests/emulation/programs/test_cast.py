"""Who is who in a play."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.cast import Cast
from froude.emulation.programs.events import NodeId
from froude.hadoop.distribution import Hadoop
from froude.workload.rules import Special
from froude.workload.types import Constant
from tests.emulation.plans import _call, plan


@pytest.fixture
def cast(hadoop: Hadoop) -> Cast:
    """Five DataNodes, two clients."""
    return Cast(plan(datanodes=5), hadoop.schema(), seeds=Seeds(3))


def test_datanodes_are_found_by_uuid(cast: Cast) -> None:
    """What a NameNode names leads back to the node."""
    node = NodeId("datanode", 4)
    uuid = str(cast.fact(node, "uuid"))
    assert cast.datanode(uuid) == node
    assert cast.owner("datanode", "uuid", uuid) == node
    assert cast.datanode("someone-else") is None


def test_facts(cast: Cast) -> None:
    """A DataNode has a storage and a port, a client neither; an unknown fact is none."""
    assert str(cast.fact(NodeId("datanode", 1), "storage")).startswith("DS-")
    assert cast.fact(NodeId("client", 1), "storage") is Special.UNRESOLVED
    assert cast.fact(NodeId("client", 1), "shoe size") is Special.UNRESOLVED
    assert cast.owner("client", "uuid", cast.fact(NodeId("client", 1), "uuid")) == NodeId("client", 1)
    assert cast.owner("client", "uuid", "nobody") is None


def test_names_depend_on_the_seed_alone(hadoop: Hadoop) -> None:
    """Two plays of one seed have the same nodes, of two seeds different ones."""
    ids = [Cast(plan(), hadoop.schema(), seeds=Seeds(s)).client_id(NodeId("client", 0)) for s in (1, 1, 2)]
    assert ids[0] == ids[1] != ids[2]


def test_a_request_that_does_not_fit_the_release_is_stated(cast: Cast) -> None:
    """A field that is not there, and a required one that is missing."""
    with pytest.raises(InputError, match="nonsense"):
        cast.fixed(_call("x", "getFileInfo", {"nonsense": Constant(1)}))
    with pytest.raises(InputError, match=r"lacks a field.*src"):
        cast.fixed(_call("y", "getFileInfo", {}))
