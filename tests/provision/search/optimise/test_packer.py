"""One tier is packed between its bounds: few servers at once, more by columns, each way on its own."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from froude.provision.model.instance import Choice, TaskNeed
from froude.provision.search.optimise.column_generation import ColumnPool, RestrictedMaster
from froude.provision.search.optimise.highs import solve
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.packer import (
    FEW_SERVERS,
    Packer,
    Settings,
    parts,
    placed_of,
    raise_bound,
    single_servers,
    tiers,
)
from froude.provision.search.optimise.rounding import Content, cost_of, groups_of, round_servers
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem, subproblem
from froude.provision.types import Placement
from tests.support.provision.search.optimise.column_generation import LIMITS, PENALTY
from tests.support.provision.search.optimise.examples import fixed
from tests.support.provision.search.optimise.fillings import random_scope
from tests.support.provision.search.optimise.hand import BOX, DATA, ON_SSD, SERVE, disks_only, hand, ten_disks

HOST, WORKER = ServerKind(0, host=True, tasks=False), ServerKind(0, host=False, tasks=True)


def _settings(budget: float = 1e5, left_s: float = 20.0, gap: float = 1e-3) -> Settings:
    return Settings(gap, 0, budget, lambda: left_s, ColumnPool())


def _packer(sub: Subproblem, budget: float = 1e5) -> Packer:
    return Packer(sub, _settings(budget))


def test_settings_limit_each_solve() -> None:
    """A share of the time that is left, a tenth of the gap; time is over at nothing left."""
    options = _settings(left_s=20.0, gap=0.1).options(0.5, nodes=7)
    assert (options.time_s, options.gap, options.nodes) == (10.0, pytest.approx(0.01), 7)
    assert _settings().options(most_s=3.0).time_s == 3.0
    assert not _settings(left_s=0.1).expired()
    assert _settings(left_s=0.0).expired()


def test_hosts_and_workers_are_apart_with_isolation() -> None:
    """Data on the ones, tasks on the others; what choices cost besides is in neither."""
    hosts, workers = tiers(disks_only())
    assert (hosts.kinds, hosts.tasks, len(hosts.items)) == ((HOST,), (), 1)
    assert (workers.kinds, workers.tasks, workers.items) == ((WORKER,), (0,), ())
    assert not hosts.choices_paid
    assert not workers.choices_paid


def test_a_tier_with_nothing_in_it_is_none() -> None:
    """Tasks without work leave the hosts alone."""
    idle: TaskNeed = replace(SERVE, rate=0.0)
    (hosts,) = tiers(disks_only(tasks=(idle,)))
    assert hosts.kinds == (HOST,)


@pytest.mark.parametrize("changes", [{"isolation": False}, {"servers": (replace(BOX, max_count=5),)}])
def test_what_is_shared_is_packed_in_one(changes: dict[str, object]) -> None:
    """Servers for both, or a type of which hosts and workers may have so many together."""
    sub = disks_only(**changes)
    assert parts(sub) == [sub.kinds]
    (whole,) = tiers(sub)
    assert (whole.items, whole.tasks) == (sub.items, sub.tasks)


def test_so_many_servers_are_attempted() -> None:
    """Three with ten disks between them cost 4180; two do not hold them, none and too many are not tried."""
    packer = _packer(ten_disks())
    assert not packer.attempt({HOST: 2.0})
    assert not packer.attempt({})
    assert not packer.attempt({HOST: FEW_SERVERS + 1.0})
    assert packer.servers is None
    assert packer.attempt({HOST: 3.0})
    assert packer.cost == pytest.approx(4180.0)
    assert packer.servers is not None
    assert sum(content.units[0] * count for content, count in packer.servers) == 10


def test_a_dearer_cluster_is_not_kept() -> None:
    """Three servers that cost 100 more each, after or before the cheap ones."""
    dear = replace(BOX, name="dear", cost=1100.0, cores=8)
    sub = ten_disks(servers=(BOX, dear))
    for order in ((0, 1), (1, 0)):
        packer = _packer(sub)
        for server in order:
            assert packer.attempt({replace(HOST, server=server): 3.0})
        assert packer.cost == pytest.approx(4180.0)
        assert packer.servers is not None
        assert {content.kind.server for content, _ in packer.servers} == {0}


def test_summed_contents_bound_a_tier() -> None:
    """Three whole servers and ten disks, or what is enough already; no more than the budget is claimed."""
    assert _packer(ten_disks()).aggregate_bound(math.inf) == pytest.approx(4180.0)
    assert _packer(ten_disks()).aggregate_bound(1000.0) >= 1000.0
    assert _packer(ten_disks(), budget=4000.0).aggregate_bound(math.inf) <= 4000.0


def test_single_servers_are_proved() -> None:
    """The bound is the cost, without any column; nothing is proved before there is a cost to be below."""
    packer = _packer(ten_disks())
    packer.exact(math.inf)
    assert packer.lower == 0.0
    packer.attempt({HOST: 3.0})
    packer.exact(math.inf)
    assert packer.lower == pytest.approx(packer.cost) == pytest.approx(4180.0)


def test_a_tier_that_is_of_no_use_is_proved_no_further() -> None:
    """From so many dollars on."""
    packer = _packer(ten_disks())
    packer.attempt({HOST: 3.0})
    packer.exact(2000.0)
    assert packer.lower == pytest.approx(2000.0)


@pytest.mark.parametrize("deep", [False, True])
def test_a_tier_by_hand_is_packed_at_its_cost(deep: bool) -> None:
    """Bound, then servers: 4180, proved where the work is deep."""
    packer = _packer(ten_disks())
    packer.aggregate_bound(math.inf)
    packer.bound(deep=deep)
    packer.pack(deep=deep)
    assert packer.cost == pytest.approx(4180.0)
    assert packer.lower <= packer.cost * (1 + 1e-9)
    assert packer.lower == pytest.approx(4180.0, rel=1e-3)


@pytest.mark.parametrize("rate", [100, 1500])
def test_a_tier_is_packed_between_its_bounds(rate: float) -> None:
    """Deep work closes a few servers, and leaves little of many."""
    for tier in tiers(fixed(rate)):
        packer = _packer(tier, budget=1e6)
        packer.aggregate_bound(math.inf)
        packer.bound(deep=True)
        packer.pack(deep=True)
        assert packer.servers is not None
        assert packer.lower <= packer.cost * (1 + 1e-9)
        assert packer.lower >= packer.cost * (0.99 if rate == 100 else 0.97)


def test_nothing_is_packed_without_a_bound() -> None:
    """Sums that no counts of servers meet leave nothing to do."""
    packer = _packer(ten_disks(host_cores=9))
    packer.aggregate_bound(math.inf)
    packer.bound(deep=True)
    packer.pack(deep=True)
    assert packer.servers is None
    assert packer.cost == math.inf


def test_a_bound_is_carried_where_servers_hold_both() -> None:
    """1500 on disks, also with as few instances as three SSDs in their slots need; those cost 450 more."""
    three = replace(ON_SSD, need=2.5, min_units=3)
    data = (replace(DATA, choices=(DATA.choices[0], Choice("ssd", (three,), names=("ssd",)))),)
    (tier,) = tiers(subproblem(hand(isolation=False, datasets=data), [(0,)]))
    packer = _packer(tier)
    cut = packer.transferable_cut(math.inf)
    assert cut is not None
    assert cut.kinds == tier.kinds
    assert cut.lower == packer.lower == pytest.approx(1500.0)
    assert cut.more == ({0: 0.0, 1: 450.0},)


def test_no_bound_is_carried_by_hosts_or_workers_alone() -> None:
    """Theirs holds for other choices as it is."""
    assert [_packer(tier).transferable_cut(math.inf) for tier in tiers(disks_only())] == [None, None]


def test_single_servers_are_read_off_a_point() -> None:
    """One content for each server in use, an empty one left out."""
    sub = ten_disks()
    program = Master(sub, slots=[HOST] * 4)
    servers = single_servers(sub, program, solve(program.program).x)
    assert [count for _, count in servers] == [1, 1, 1]
    assert sum(content.units[0] for content, _ in servers) == 10
    assert sum(content.shares[0] for content, _ in servers) == pytest.approx(1.0)


def test_what_is_placed_is_summed() -> None:
    """Loads and work in the units of the program, counts as they are."""
    sub = subproblem(hand(), [(0,)])
    host = Content(HOST, {0: 0.25}, {0: 2})
    worker = Content(WORKER, work={0: 0.5}, instances={0: 1})
    placed = placed_of(sub, [(host, 3), (host, 1), (worker, 2)])
    assert placed.servers == {0: 6}
    assert placed.load == pytest.approx({0: sub.items[0].scale})
    assert placed.units == {0: 8}
    assert placed.work == pytest.approx({0: sub.task_scale[0]})
    assert placed.instances == {0: 2}


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
