"""Rows that make a part of a server hold a part of what a whole one could: sharper, and kept by every cluster."""

from __future__ import annotations

import pytest

from froude.provision.search.optimise.highs import solve
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.subproblem import subproblem
from froude.provision.search.optimise.tightening import add_totals, tighten
from tests.support.provision.search.optimise.examples import built, photoshare


@pytest.mark.parametrize("isolation", [True, False])
def test_whole_servers_cost_the_same_and_parts_of_them_more(isolation: bool) -> None:
    """The integer optimum stays; the linear one rises where there are few servers."""
    sub = subproblem(built(photoshare(60, servers=2, isolation=isolation)))
    plain, tight = Master(sub, budget=1e5), Master(sub, budget=1e5)
    tighten(tight)
    assert solve(tight.program).objective == pytest.approx(solve(plain.program).objective, rel=1e-3)
    linear = [solve(master.program, relaxed=True).objective for master in (plain, tight)]
    assert linear[1] > linear[0] * 1.01


def test_totals_count_the_servers() -> None:
    """They are the hosts and all servers, and change nothing else."""
    sub = subproblem(built(photoshare(60, servers=2)))
    plain, counted = Master(sub, budget=1e5), Master(sub, budget=1e5)
    hosts, servers = add_totals(counted)
    solution = solve(counted.program)
    assert solution.objective == pytest.approx(solve(plain.program).objective, rel=1e-3)
    counts = dict(zip(sub.kinds, counted.counts_at(solution.x), strict=True))
    assert solution.x[servers] == pytest.approx(sum(counts.values()))
    assert solution.x[hosts] == pytest.approx(sum(n for kind, n in counts.items() if kind.host))
