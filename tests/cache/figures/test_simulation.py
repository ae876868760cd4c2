"""The pages of simulations, as values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from froude.base.dropped import Dropped
from froude.base.seeds import Seeds
from froude.cache.figures.simulation import replay_report, simulation_report
from froude.cache.simulate.play import JobTime
from froude.cache.simulate.replay import Replay, replay_all
from froude.cache.simulate.scenario import read_scenario
from froude.render import Callout, Chart, Table
from tests.support.cache.simulate.compare import outcome
from tests.support.cache.simulate.replay import CHUNK, loops
from tests.support.cache.simulate.scenario import SMALL


def test_policies_stand_side_by_side(tmp_path: Path) -> None:
    """Means over the runs, what they gain over one cache for all, and each job's time."""
    file = tmp_path / "s.yaml"
    file.write_text(SMALL)
    jobs = (JobTime(0, "c1", "scan", 30.0),)
    outcomes = [
        replace(outcome(name, number, total_s + number), jobs=jobs)
        for number in range(2)
        for name, total_s in (("shared", 100.0), ("exact", 80.0))
    ]
    page = simulation_report(read_scenario(file).scenario, outcomes, {})
    assert page.lede.startswith("All jobs end soonest under **exact**: after 80.5 s. That is 19.9% sooner")
    assert page.subtitle == "1 jobs of 1 clusters, 4 MB of SSD, 2 times"
    table, chart = page.sections[0].blocks
    assert isinstance(table, Table)
    assert isinstance(chart, Chart)
    assert [row[:2] for row in table.rows] == [("shared", 100.5), ("exact", 80.5)]
    assert table.rows[0][2] is None
    assert "exact: the least time lost to misses" in table.note
    assert "2 runs of this scenario)." in page.lede
    (times,) = page.sections[1].blocks
    assert isinstance(times, Table)
    assert list(times.rows) == [("1", "c1", "scan", 30.0, 30.0)]


def test_one_run_has_no_interval(tmp_path: Path) -> None:
    """Its mean alone is no range in which the true one lies."""
    file = tmp_path / "s.yaml"
    file.write_text(SMALL)
    jobs = (JobTime(0, "c1", "scan", 30.0),)
    outcomes = [
        replace(outcome(name, 0, total_s), jobs=jobs)
        for name, total_s in (("shared", 100.0), ("exact", 80.0))
    ]
    page = simulation_report(read_scenario(file).scenario, outcomes, {})
    assert page.lede.endswith(
        "20.0% sooner than with one cache for all (1 run of this scenario: no interval)."
    )
    (table,) = page.sections[0].blocks
    assert isinstance(table, Table)
    assert table.rows[1][3] is None


def test_policies_that_cannot_be_told_apart_are_not_ranked(tmp_path: Path) -> None:
    """Where the interval of the soonest reaches 0."""
    file = tmp_path / "s.yaml"
    file.write_text(SMALL)
    jobs = (JobTime(0, "c1", "scan", 30.0),)
    outcomes = [
        replace(outcome(name, number, total_s), jobs=jobs)
        for name, each in {"shared": (100.0, 80.0), "exact": (70.0, 95.0)}.items()
        for number, total_s in enumerate(each)
    ]
    page = simulation_report(read_scenario(file).scenario, outcomes, {})
    assert page.lede.startswith(
        "These runs show no difference from one cache for all: the soonest, **exact**"
    )


def test_without_the_baseline_nothing_is_compared(tmp_path: Path) -> None:
    """A single policy is a page, too."""
    file = tmp_path / "s.yaml"
    file.write_text(SMALL)
    page = simulation_report(read_scenario(file).scenario, [outcome("exact", 0, 80.0)], {})
    assert page.lede == "All jobs end under **exact**: after 80 s."
    assert len(page.sections[0].blocks) == 1


def test_policies_that_miss_alike_are_told_so() -> None:
    """A tie is nobody's success."""
    trace = loops({"a": 30, "b": 500})
    how = Replay(space_bytes=0, chunk_bytes=CHUNK, windows=4)
    found = replay_all(trace, how, ["shared", "equal", "exact"], Seeds(1))
    lede = replay_report(trace, how, found, {}).lede
    assert lede == "100.0% of 4,000 reads miss, whatever the policy."
    both = [replace(found[0], misses={"a": 0, "b": 0}), replace(found[1], misses={"a": 0, "b": 0}), found[2]]
    assert replay_report(trace, how, both, {}).lede.startswith(
        "Reads miss least under **shared and equal**: 0.0%"
    )
    assert replay_report(trace, how, both[1:2], {}).lede == "0.0% of 4,000 reads miss under **equal**."


def test_a_trace_shows_misses_by_policy_and_volume() -> None:
    """And lines that were none."""
    dropped = Dropped()
    dropped.add("size is 0", "t:7", count=3)
    trace = replace(loops({"a": 30, "b": 500}), dropped=dropped)
    how = Replay(space_bytes=40 * CHUNK, chunk_bytes=CHUNK, windows=4)
    found = replay_all(trace, how, ["shared", "equal", "exact"], Seeds(1))
    page = replay_report(trace, how, found, {})
    assert page.lede.startswith("Reads miss least under **exact**")
    assert "With one cache for all volumes it is" in page.lede
    callout, table = page.sections[0].blocks
    assert isinstance(callout, Callout)
    assert isinstance(table, Table)
    assert callout.title == "3 lines are left out"
    assert [row[0] for row in table.rows] == ["shared", "equal", "exact"]
    (volumes,) = page.sections[1].blocks
    assert isinstance(volumes, Table)
    assert [row[:2] for row in volumes.rows] == [("a", 2000), ("b", 2000)]
