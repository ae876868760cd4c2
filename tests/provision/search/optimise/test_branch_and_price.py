"""Branches on totals raise a bound as far as it holds, and stop whenever they are told to."""

from __future__ import annotations

import math
import random

import pytest

from froude.provision.search.optimise.branch_and_price import raise_bound
from froude.provision.search.optimise.column_generation import ColumnPool, RestrictedMaster
from froude.provision.search.optimise.packer import tiers
from froude.provision.search.optimise.rounding import cost_of, groups_of, round_servers
from froude.provision.search.optimise.subproblem import Subproblem
from froude.provision.types import Placement
from tests.support.provision.search.optimise.column_generation import LIMITS, PENALTY
from tests.support.provision.search.optimise.examples import fixed
from tests.support.provision.search.optimise.fillings import random_scope
from tests.support.provision.search.optimise.hand import ten_disks


class _Branching:
    """Raises the bound of a subproblem, and counts how often columns were said to have changed."""

    def __init__(self, sub: Subproblem) -> None:
        self.restricted = RestrictedMaster(sub, ColumnPool())
        self.root = self.restricted.generate(PENALTY)
        self.changes = 0

    def raised(self, *, target: float = math.inf, nodes: int = 20, expired: bool = False) -> float:
        return raise_bound(
            self.restricted,
            self.root,
            target=lambda: target,
            penalty=PENALTY,
            nodes=nodes,
            found=self._changed,
            expired=lambda: expired,
        )

    def _changed(self) -> None:
        self.changes += 1
        assert self.restricted.branching_rows == ()


def test_whole_servers_cost_more_than_parts_of_them() -> None:
    """2.5 servers cost 3650; two do not suffice, and three cost 4180: one branch proves it, and ends the search."""
    branching = _Branching(ten_disks())
    assert branching.root.lower == pytest.approx(3650.0)
    assert branching.raised() == pytest.approx(4180.0)
    assert branching.changes == 1


@pytest.mark.parametrize("stop", [{"nodes": 0}, {"expired": True}, {"target": 3600.0}])
def test_it_may_stop_before_any_branch(stop: dict[str, float]) -> None:
    """No nodes, no time, or a bound that is enough: that of the root is left."""
    branching = _Branching(ten_disks())
    assert branching.raised(**stop) == branching.root.lower  # type: ignore[arg-type]
    assert branching.changes == 0


def test_the_target_is_asked_for_again_at_each_node() -> None:
    """A cluster that is found meanwhile lowers it."""
    branching = _Branching(fixed(300, ("SSD", "SSD", "SSD")))
    targets = iter([math.inf, math.inf])
    raise_bound(
        branching.restricted,
        branching.root,
        target=lambda: next(targets, 0.0),
        penalty=PENALTY,
        nodes=100,
        found=branching._changed,
        expired=lambda: False,
    )
    assert branching.changes == 2


@pytest.mark.parametrize("labels", [("SSD", "SSD", "SSD"), ("7.2KDisk", "15KDisk", "15KDisk")])
def test_more_nodes_raise_a_bound_no_further_than_a_cluster(labels: tuple[str, ...]) -> None:
    """On both tiers of PhotoShare, never down."""
    for tier in tiers(fixed(300, labels)):
        branching = _Branching(tier)
        bounds = [branching.root.lower, *(branching.raised(nodes=nodes) for nodes in (2, 6))]
        whole = branching.restricted.integer_solution(PENALTY, LIMITS)
        assert whole is not None
        assert bounds == sorted(bounds)
        assert bounds[-1] <= cost_of(tier, groups_of(tier, round_servers(tier, whole))) * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_a_raised_bound_holds_for_a_cluster_of_random_things(seed: int) -> None:
    """Whatever columns the branches have found, no cluster of them costs less."""
    sub = random_scope(random.Random(seed), Placement.WEIGHTED)
    branching = _Branching(sub)
    raised = branching.raised(nodes=2)
    whole = branching.restricted.integer_solution(PENALTY, LIMITS)
    assert raised >= branching.root.lower
    assert whole is None or raised <= cost_of(sub, groups_of(sub, round_servers(sub, whole))) * (1 + 1e-6)
