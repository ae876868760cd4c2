"""What runs a scenario: its inputs are read first, then all that can be known is checked, then it is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.base.errors import GuardError, InputError
from froude.experiment import knee as search
from froude.experiment import runners as module
from froude.experiment.execution import Execution
from froude.experiment.runners import (
    RUNNERS,
    KneeRunner,
    PlayRunner,
    RecordRunner,
    runner_of,
)
from froude.experiment.scenario import (
    KINDS,
    KneeScenario,
    PlayScenario,
    Recording,
    RecordScenario,
    SweepScenario,
)
from froude.experiment.sections import (
    ANY,
    KneeSearch,
    NameNodeTarget,
    PlanLoad,
    Running,
    Target,
    WorkloadLoad,
)
from froude.hadoop.distribution import Hadoop
from froude.workload.extrapolate import extrapolate
from froude.workload.plan_file import write_plan
from froude.workload.scale import Scale
from froude.workload.yaml_file import write_workload
from tests.cli.command_lines import SCALES, recorded

AT = dict(Scale.of(datanodes=3, clients=2, files=2))
LOAD = PlanLoad(workload=Path("w.yaml"), at=AT)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a workload and a plan; no Hadoop is looked for."""
    monkeypatch.chdir(tmp_path)
    write_workload(Path("w.yaml"), recorded())
    write_plan(Path("p"), extrapolate(recorded(), Scale.of(datanodes=2, clients=1, files=2)))
    monkeypatch.setattr(Hadoop, "find", lambda release, **_: SimpleNamespace(version=release))


def test_every_runner_is_of_a_kind() -> None:
    """A kind that nothing runs yet is one clear error."""
    assert set(RUNNERS) <= set(KINDS)
    scenario = SweepScenario(base=Path("b"), vary={"target.heap": ("1 GB",)})
    if scenario.kind not in RUNNERS:
        with pytest.raises(InputError, match=rf"cannot be run yet; found {scenario.kind}; allowed: play"):
            runner_of(scenario)


def test_a_plan_or_a_workload_is_played() -> None:
    """The latter at its Scale."""
    of_workload, of_plan = (
        runner_of(PlayScenario(load=LOAD)),
        runner_of(PlayScenario(load=PlanLoad(plan=Path("p")))),
    )
    assert isinstance(of_workload, PlayRunner)
    assert isinstance(of_plan, PlayRunner)
    assert of_workload.plan.counts == {"datanode": 3, "client": 2}
    assert of_plan.plan.counts == {"datanode": 2, "client": 1}
    assert (of_workload.source, of_plan.source) == (Path("w.yaml"), Path("p"))
    with pytest.raises(InputError, match="nosuch"):
        runner_of(PlayScenario(load=PlanLoad(plan=Path("nosuch"))))


@pytest.mark.parametrize(
    ("target", "error", "said"),
    [
        ({"running": {ANY: Running(address="h:1")}}, GuardError, "was not started by Froude here"),
        ({"running": {ANY: Running(address="h:1", id="CID-source")}}, GuardError, "never played against"),
        ({"conf": Path("nosuch")}, InputError, "has no configuration.*core-site.xml or hdfs-site.xml"),
    ],
)
def test_a_play_that_could_only_fail(target: dict[str, Any], error: type[Exception], said: str) -> None:
    """Is refused by the check, and before anything is started."""
    runner = PlayRunner.of(PlayScenario(load=LOAD, target=Target(**target)))
    with pytest.raises(error, match=said):
        runner.check()
    if not runner.scenario.target.running:  # of which the play asks who they are
        with pytest.raises(error, match=said):
            runner.run(Execution(Path("run")))


def test_a_scenario_is_the_options_of_its_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the NameNode that it describes, or the daemons that it names."""
    played: list[tuple[Any, ...]] = []
    monkeypatch.setattr(module, "play", lambda *args, **more: played.append((*args, more)) or "run")
    monkeypatch.setattr(
        module, "namenode_of", lambda target, hadoop: nullcontext((target.heap, hadoop.version))
    )
    started = PlayRunner.of(PlayScenario(load=LOAD, target=Target(heap="2 GB", release="3.4.1")))
    assert started.run(Execution(Path("run"), command="froude run s.yaml")) == "run"
    plan_, target, options, more = played[0]
    assert (plan_, target, options) == (started.plan, ("2 GB", "3.4.1"), started.scenario)
    assert (more["folder"], more["command"]) == (Path("run"), "froude run s.yaml")
    one = {ANY: Running(address="h:1", id="CID-1"), "resourcemanager": Running(address="h:2", id="1@h:2")}
    running = PlayRunner.of(PlayScenario(load=LOAD, target=Target(running=one)))
    running.run(Execution(Path("run")))
    assert played[1][1] == {"": one[ANY], "resourcemanager": one["resourcemanager"]}


def test_a_knee_is_searched_for_as_its_scenario_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its options, from where it begins, each time on a NameNode of its own."""
    asked: list[Any] = []

    def knee(workload: Any, start: Any, options: Any, *, at: Any, progress: Any) -> str:
        asked.append((options, at, start()._heap))
        return "knee"

    monkeypatch.setattr(search, "knee", knee)
    at = dict(Scale.of(clients=9))
    scenario = KneeScenario(
        load=WorkloadLoad(workload=Path("w.yaml"), at=at), target=NameNodeTarget(heap="2 GB")
    )
    runner = runner_of(scenario)
    assert isinstance(runner, KneeRunner)
    assert runner.run(Execution(Path("knee.json"))) == "knee"
    assert asked == [(scenario, at, "2 GB")]
    assert runner.prepared[0].base == Scale.of(clients=9, datanodes=4, files=5)
    assert SCALES[1]["files"].value == 5
    with pytest.raises(InputError, match="cannot be raised"):
        KneeRunner.of(KneeScenario(load=scenario.load, knee=KneeSearch(raise_=("x",)))).check()


def test_runs_are_recorded_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be refused is refused before a Hadoop is looked for; each run is done when it is asked for."""
    begun: list[Any] = []

    def record_runs(job: Any, scales: Any, workspace: Any, hadoop: Any, **more: Any) -> Iterator[Scale]:
        for scale in scales:
            begun.append((job.words, hadoop.version, more["seed"], more["name"]))
            yield scale

    monkeypatch.setattr(module, "record_runs", record_runs)
    monkeypatch.setattr(module.cds_build, "prepare", lambda *_: None)
    asked = Recording(
        command=("sh", "{files}"), scales={"files": tuple(Scale.of(a=1, b=2).values())}, name="r"
    )
    runner = runner_of(RecordScenario(record=asked, seed=4))
    assert isinstance(runner, RecordRunner)
    runs = runner.run(Execution(Path(), Path("ws")))
    assert begun == []
    assert list(runs) == [Scale.of(datanodes=3, files=1), Scale.of(datanodes=3, files=2)]
    assert begun == [(("sh", "{files}"), None, 4, "r")] * 2
    monkeypatch.setattr(Hadoop, "find", lambda *_, **__: pytest.fail("was looked for"))
    for command, said in ((("nosuch",), "is no program"), (("sh", "{x}"), "is no variable")):
        with pytest.raises(InputError, match=said):
            RecordRunner.of(RecordScenario(record=Recording(command=command))).run(Execution(Path()))
