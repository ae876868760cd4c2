"""Results as JSON."""

from __future__ import annotations

import json
import math

from froude.provision.analyses.designs import Pair
from froude.provision.analyses.documents import document
from froude.provision.analyses.vary import Edge
from froude.provision.search.architecture import architecture_of
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.support.provision.clusters import paper_plan


def test_values_become_plain() -> None:
    """Architectures by dataset, plans in short, enumerations by value; nothing that JSON cannot say."""
    edge = Edge(1.0, math.inf, architecture_of(paper_plan()), "cheaper")
    none = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots"),))
    plain = json.loads(
        json.dumps(document({"edge": edge, "pair": Pair(2.0, paper_plan(), none)}), allow_nan=False)
    )
    assert plain["edge"]["gone"] is None
    assert plain["edge"]["next"]["tags"] == ["7.2KDisk", "DRAM"]
    assert plain["pair"]["first"]["cost"] == paper_plan().upper
    assert plain["pair"]["second"] == {
        "status": "infeasible",
        "cost": None,
        "lower": 0.0,
        "gap": 1.0,
        "servers": 0,
        "choices": {},
        "cpus": {},
        "conflict": ["slots"],
    }
