"""What a plan says of itself."""

from __future__ import annotations

import math

from froude.provision.types.plan import Conflict, Group, ProvisionPlan, Status


def test_gap_and_servers() -> None:
    """Relative to the cost; all of it without a cluster, none where nothing costs anything."""
    plan = ProvisionPlan(Status.GAP, (Group("a", 2), Group("b", 3)), lower=90.0, upper=100.0)
    assert (plan.gap, plan.servers, plan.found) == (0.1, 5, True)
    assert ProvisionPlan(Status.PROVED, lower=0.0, upper=0.0).gap == 0
    assert ProvisionPlan(Status.UNDECIDED).gap == 1


def test_found() -> None:
    """A cluster may have no servers, where services keep all data; none has no finite cost."""
    assert ProvisionPlan(Status.PROVED, choices={"d": ("store",)}, lower=5.0, upper=5.0).found
    assert not ProvisionPlan(Status.INFEASIBLE, lower=math.inf).found


def test_conflicts_in_words() -> None:
    """With numbers where there are some."""
    assert str(Conflict("slots of SAS", 5, 4)) == "slots of SAS: needs 5, at most 4 can be had"
    assert str(Conflict("no disk")) == "no disk"
