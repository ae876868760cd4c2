"""Plays of small scenarios."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.seeds import Seeds
from froude.cache.simulate.play import play
from froude.cache.simulate.scenario import Scenario, read_scenario
from froude.cache.solve.policies import POLICIES, policy
from tests.support.cache.simulate.scenario import SMALL


@pytest.fixture
def small(tmp_path: Path) -> Scenario:
    """One cluster of three VMs on two hypervisors, two jobs; a cache holds half of the data."""
    file = tmp_path / "scenario.yaml"
    file.write_text(SMALL)
    return read_scenario(file).scenario


@pytest.mark.parametrize("name", [each.name for each in POLICIES])
def test_every_policy_plays_every_job(small: Scenario, name: str) -> None:
    """The same reads under each; the same seed, the same outcome."""
    outcome = play(small, policy(name), Seeds(3))
    assert [(job.group, job.job) for job in outcome.jobs] == [(0, "scan"), (1, "kmeans")]
    assert outcome.total_s == pytest.approx(sum(job.time_s for job in outcome.jobs))
    assert outcome.reads == play(small, policy("none"), Seeds(3)).reads
    assert outcome == play(small, policy(name), Seeds(3))


def test_without_a_cache_every_read_misses(small: Scenario) -> None:
    """And with one for all the data only the first ones."""
    nothing = play(small, policy("none"), Seeds(3))
    assert nothing.misses == nothing.reads
    everything = play(small.replaced(space_bytes=10_000_000), policy("equal"), Seeds(3))
    assert everything.misses < 0.5 * everything.reads
    assert everything.total_s < nothing.total_s
    assert everything.wait_s < nothing.wait_s


def test_time_is_that_of_reads_one_after_the_other() -> None:
    """One VM alone that only misses: its reads times disk and processor; a master beside it that does little."""
    scenario = Scenario(
        hypervisors=[{"name": "h", "vms": ["m", "a"]}],  # type: ignore[list-item]
        clusters=[{"name": "c", "master": "m", "vms": ["m", "a"]}],  # type: ignore[list-item]
        groups=[{"c": "scan"}],
        data_bytes=20_000_000,
        uneven=0.0,
        disks=1000,
        space_bytes=0,
    )
    outcome = play(scenario, policy("none"), Seeds(1))
    assert outcome.plans == 0
    (job,) = outcome.jobs
    # the slave reads by far the most: 20 ms of disk and 8 ms of processor for each
    slave = round(job.time_s / 0.028)
    assert slave < outcome.reads
    assert job.time_s == pytest.approx(slave * 0.028, rel=0.02)


def test_a_cap_of_iops_slows_hits(small: Scenario) -> None:
    """An SSD that serves little makes VMs wait for one another."""
    large = small.replaced(space_bytes=10_000_000)
    quick, slow = (play(large.replaced(ssd_iops=iops), policy("exact"), Seeds(3)) for iops in (1e6, 50.0))
    assert slow.total_s > quick.total_s


def test_curves_beat_equal_parts_where_loads_differ(small: Scenario) -> None:
    """Loops that fit or not; the split is looked at every second."""
    longer = small.replaced(passes=6.0, groups=({"c1": "kmeans"},) * 2)
    exact, equal = (play(longer, policy(name), Seeds(3)) for name in ("exact", "equal"))
    assert exact.plans > 0
    assert exact.moved_bytes > 0
    assert exact.misses < equal.misses
