"""Scenarios that are shipped: each is valid, and each arm of each sweep is another NameNode or another load."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.emulation.facts import facts_of
from froude.emulation.limits import YARN_LIMITS, check_limits
from froude.experiment.compare.finding import parse_stated
from froude.experiment.record.variation import variation
from froude.experiment.runners import KneeRunner, PlayRunner, SweepRunner
from froude.experiment.scenario.scenario import (
    DynoScenario,
    KneeScenario,
    PlayScenario,
    RecordScenario,
    SweepScenario,
    read_scenario,
)
from froude.experiment.scenario.shipped import complete, files_of, ready, shipped
from froude.experiment.sweep.sweep import arms_of

RECORDINGS = ["mapreduce", "mapreduce-streaming", "spark"]
FINDINGS = ["containers-per-node", "heartbeat-burst", "placement-time", "startup-containers"]
SWEEPS = [
    name for name in shipped() if name not in ("replay", "containers", "datanodes", "giants", *RECORDINGS)
]


def test_each_says_what_it_asks() -> None:
    """In its first line."""
    assert set(SWEEPS) - set(FINDINGS) == {
        "fair-lock",
        "fine-grained-lock",
        "garbage-collectors",
        "queue-wait",
        "two-releases",
    }
    assert all(question.endswith("?") for name, question in shipped().items() if name != "replay")


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_comes_with_the_program_that_it_runs(name: str, tmp_path: Path) -> None:
    """Beside it; its runs are the sizes from which a pattern can be mined."""
    for path, text in files_of(name, tmp_path / "mine.yaml").items():
        path.write_text(text)
    scenario = read_scenario(tmp_path / "mine.yaml").scenario
    assert isinstance(scenario, RecordScenario)
    assert Path(scenario.record.command[0]).parent == tmp_path
    assert (tmp_path / "mapreduce_jobs.py").is_file()
    assert [str(scale) for scale in scenario.record.runs] == [
        f"datanodes={datanodes}, nodemanagers={managers}"
        for datanodes, managers in ((2, 2), (3, 3), (4, 4), (4, 2))
    ]
    assert not variation(scenario.record.runs).together


def test_the_search_comes_with_its_workload(tmp_path: Path) -> None:
    """Whose applications a ResourceManager alone can be asked for, as many as follow each other."""
    for path, text in files_of("containers", tmp_path / "mine.yaml").items():
        path.write_text(text)
    scenario = read_scenario(tmp_path / "mine.yaml").scenario
    assert isinstance(scenario, KneeScenario)
    assert scenario.load.workload.parent == tmp_path
    loads, limits = KneeRunner.of(scenario).prepared
    assert (loads.raised, loads.obstacle, limits) == (("apps",), "", YARN_LIMITS)
    assert str(loads.base) == "nodes=100, apps=10, tasks=20"
    assert not loads.plan(8.0).refusals


def test_the_play_comes_with_its_workload(tmp_path: Path) -> None:
    """Which has DataNodes alone; its limits decide."""
    for path, text in files_of("datanodes", tmp_path / "mine.yaml").items():
        path.write_text(text)
    scenario = read_scenario(tmp_path / "mine.yaml").scenario
    assert isinstance(scenario, PlayScenario)
    runner = PlayRunner.of(scenario)
    runner.check()
    assert (dict(runner.plan.counts), runner.plan.refusals) == ({"datanode": 10_000}, ())
    assert scenario.limits


@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_comes_with_what_it_varies(name: str, tmp_path: Path) -> None:
    """Where it is put, under the names that it has there."""
    for path, text in files_of(name, tmp_path / "mine.yaml").items():
        path.write_text(text)
    sweep = read_scenario(tmp_path / "mine.yaml").scenario
    assert isinstance(sweep, SweepScenario)
    base = read_scenario(sweep.base).scenario
    assert isinstance(base, DynoScenario | PlayScenario)
    arms = arms_of(sweep, base)
    assert len({str(arm.scenario) for arm in arms}) == len(arms) > 1
    assert all("arm-" not in arm.name for arm in arms)


@pytest.mark.parametrize("name", FINDINGS)
def test_a_finding_runs_as_it_is(name: str, tmp_path: Path) -> None:
    """Its limits are on what its plays have, and those of its base keep out runs of another load."""
    for path, text in files_of(name, tmp_path / "mine.yaml").items():
        path.write_text(text)
    sweep = read_scenario(tmp_path / "mine.yaml").scenario
    assert isinstance(sweep, SweepScenario)
    assert complete(name)
    assert sweep.finding.claim
    runner = SweepRunner.of(sweep)
    for arm in runner.arms:
        assert arm.scenario.limits
        if isinstance(arm.scenario, PlayScenario):
            plan = PlayRunner.of(arm.scenario).plan
            check_limits([parse_stated(text).limit for text in sweep.finding.limits], facts_of(plan))
            assert plan.playable


def test_one_that_needs_nothing_is_run_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless a file has it."""
    monkeypatch.chdir(tmp_path)
    assert ready(Path("giants")).is_file()
    Path("giants").touch()
    assert [ready(Path(name)) for name in ("giants", "s.yaml")] == [Path("giants"), Path("s.yaml")]


@pytest.mark.parametrize("name", ["fair-lock", "mapreduce"])
def test_another_one_is_written_first(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what it varies, or the program that it runs."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=f"froude scenario new {name}"):
        ready(Path(name))


def test_a_comparison_of_replays_needs_what_is_the_users() -> None:
    """An image, and a log."""
    assert not complete("fair-lock")
