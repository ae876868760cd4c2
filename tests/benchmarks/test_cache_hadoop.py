"""What the experiment with Hadoop on caches decides without a cluster: what is measured next, and what it says."""

from __future__ import annotations

from typing import Any

from benchmarks.cache_hadoop import PARTS, POLICIES, order, pending, setup
from benchmarks.cache_hadoop_rows import rows_of
from benchmarks.cache_jobs import TABLE_2, workload
from benchmarks.cache_tenants import TENANTS
from froude.base.seeds import Seeds


def _unit(part: str, turn: int, policy: str, seconds: float) -> dict[str, Any]:
    names = PARTS[part]
    jobs = [
        [{"name": n, "tenant": t.name, "seconds": seconds} for n, t in zip(group, TENANTS, strict=True)]
        for group in names
    ]
    return {
        "part": part,
        "pass": turn,
        "policy": policy,
        "groups": [{"seconds": seconds, "jobs": each} for each in jobs],
        "statuses": [{"hits": 30, "misses": 10}],
        "processor": {"ours": 10.0, "all": 15.0, "there": 50.0},
        "setup": setup(),
    }


def test_each_pass_has_every_policy_and_begins_with_another() -> None:
    """So that no policy always runs on what another has left warm, or at the end."""
    passes = [order("schedule", turn, Seeds(1)) for turn in range(len(POLICIES))]
    assert all(sorted(each) == sorted(POLICIES) for each in passes)
    assert len({each[0] for each in passes}) == len(POLICIES)


def test_what_was_measured_is_not_measured_again() -> None:
    """An interrupted experiment goes on where it ended."""
    first, second, *_ = pending([], ["dfsio"], 1)
    left = list(pending([_unit(first.part, first.turn, first.policy, 1.0)], ["dfsio"], 1))
    assert left[0] == second
    assert len(left) == len(POLICIES) - 1


def test_policies_are_compared_pass_by_pass() -> None:
    """A machine that is twice as slow in one pass changes no ratio; what lies within chance is called so."""
    runs = [
        _unit("schedule", turn, policy, base * factor)
        for turn, base in enumerate((10.0, 20.0, 15.0))
        for policy, factor in (
            ("shared", 1.0),
            ("equal", 1.0 + 0.3 * (turn - 1)),
            ("exact", 0.8 + 0.001 * turn),
        )
    ]
    rows = {row.measure: row for row in rows_of(runs)}
    assert rows["Table 2's nine groups, all jobs: shared"].value == 129.8  # geometric mean of 90, 180 and 135
    exact = rows["Table 2's nine groups: exact against shared"]
    assert exact.value == -19.9
    assert exact.conditions.endswith("shorter")
    assert rows["Table 2's nine groups: equal against shared"].conditions.endswith("no difference")
    assert rows["processor time that others took meanwhile"].value == 0.1


def test_deadlines_become_the_default_only_beyond_chance() -> None:
    """By the paired difference of the schedule's total."""
    runs = [
        _unit("schedule", turn, policy, seconds)
        for turn, noise in enumerate((1.0, 1.1, 0.9))
        for policy, seconds in (("exact", 10 * noise), ("deadline", 9.9 if turn == 1 else 10.1))
    ]
    decided = next(row for row in rows_of(runs) if row.measure == "default policy by this")
    assert decided.value == "exact"


def test_every_job_of_table_2_is_one_that_hadoop_runs() -> None:
    """Each names its class, and its tenant's own folders."""
    for group in TABLE_2:
        for tenant, name in zip(TENANTS, group, strict=True):
            words = workload(name, tenant, "/out/x")
            assert words[0].startswith("org.apache.hadoop.")
            assert any(word.startswith(f"/{tenant.name}/") for word in words)
