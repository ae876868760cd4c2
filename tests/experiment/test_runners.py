"""What runs a scenario: its inputs are read first, then all that can be known is checked, then it is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.base.errors import GuardError, InputError
from froude.documents.artifact import Origin
from froude.emulation.run.files import write_run
from froude.emulation.run.run import Run
from froude.emulation.settings import DatanodeSettings
from froude.experiment import runners as module
from froude.experiment.compare.compare import Outcome
from froude.experiment.knee import knee as search
from froude.experiment.play.execution import Execution
from froude.experiment.replay.dyno import DynoRunner
from froude.experiment.runners import (
    RUNNERS,
    KneeRunner,
    PlayRunner,
    RecordRunner,
    SweepRunner,
    runner_of,
)
from froude.experiment.scenario.options import (
    ANY,
    KneeSearch,
    NameNodeTarget,
    Nodes,
    PlanLoad,
    Running,
    Target,
    WorkloadLoad,
)
from froude.experiment.scenario.scenario import (
    KINDS,
    KneeScenario,
    PlayScenario,
    Recording,
    RecordScenario,
    SweepScenario,
)
from froude.hadoop.fsimage.block_lists import Cluster
from froude.hadoop.fsimage.placement import Topology
from froude.hadoop.release.distribution import Hadoop
from froude.workload.extrapolate import extrapolate
from froude.workload.plan_file import write_plan
from froude.workload.scale import Scale
from froude.workload.yaml_file import write_workload
from tests.support.cli.command_lines import SCALES, recorded
from tests.support.experiment.comparisons import run

AT = dict(Scale.of(datanodes=3, clients=2, files=2))
LOAD = PlanLoad(workload=Path("w.yaml"), at=AT)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a workload and a plan; no Hadoop is looked for."""
    monkeypatch.chdir(tmp_path)
    write_workload(Path("w.yaml"), recorded())
    write_plan(Path("p"), extrapolate(recorded(), Scale.of(datanodes=2, clients=1, files=2)))
    monkeypatch.setattr(Hadoop, "find", lambda release, **_: SimpleNamespace(version=release))


def test_every_kind_has_a_runner() -> None:
    """What can be written down can be run."""
    assert set(RUNNERS) == set(KINDS)


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
        ({"running": {ANY: Running(address="h:1")}}, GuardError, "h:1: "),
        ({"running": {ANY: Running(address="h:1", id="CID-source")}}, GuardError, "h:1: "),
        ({"conf": Path("nosuch")}, InputError, r"core-site\.xml"),
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


@pytest.mark.parametrize(
    ("storages", "held", "said"), [(1, 3, "lists of replicas"), (2, 4, "fewer DataNodes"), (2, 3, "")]
)
def test_datanodes_hold_all_replicas_of_a_play(
    storages: int, held: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that no DataNode reports would be missing, and nothing would say so."""
    lists = SimpleNamespace(cluster=Cluster(Topology(held, 1), ("DISK", "SSD")))
    monkeypatch.setattr(module, "open_block_lists", lambda _: lists)
    nodes = Nodes(datanodes=DatanodeSettings(blocks=Path("blocks"), storages=storages))
    runner = PlayRunner.of(PlayScenario(load=LOAD, target=Target(image=Path("name")), nodes=nodes))
    with pytest.raises(InputError, match=said) if said else nullcontext():
        runner.check()


def test_a_scenario_is_the_options_of_its_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the NameNode that it describes, or the daemons that it names."""
    played: list[tuple[Any, ...]] = []
    monkeypatch.setattr(module, "play", lambda *args, **more: played.append((*args, more)) or "run")
    monkeypatch.setattr(
        module, "started_for", lambda daemons, target, hadoop: nullcontext((target.heap, hadoop.version))
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
        with start() as heap:
            asked.append((options, at, heap))
        return "knee"

    monkeypatch.setattr(search, "knee", knee)
    monkeypatch.setattr(module, "started_for", lambda daemons, target, hadoop: nullcontext(target.heap))
    at = dict(Scale.of(clients=9))
    scenario = KneeScenario(
        load=WorkloadLoad(workload=Path("w.yaml"), at=at), target=NameNodeTarget(heap="2 GB")
    )
    runner = runner_of(scenario)
    assert isinstance(runner, KneeRunner)
    assert runner.run(Execution(Path("knee.json"))) == "knee"
    with pytest.raises(InputError, match=r"^--workers: a search plays on this machine"):
        runner.run(Execution(Path("knee.json"), workers="tcp://127.0.0.1:9"))
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
    for command, said in ((("nosuch",), "nosuch: "), (("sh", "{x}"), "is no variable")):
        with pytest.raises(InputError, match=said):
            RecordRunner.of(RecordScenario(record=Recording(command=command))).run(Execution(Path()))


SWEEP = SweepScenario(base=Path("base.yaml"), vary={"target.heap": ("1 GB", "4 GB")}, repeats=3, seed=5)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, str]]:
    """What a play was asked for: heap, seed and folder; its run is kept."""
    Path("base.yaml").write_text("froude: scenario/1\nkind: play\nload: {plan: p}\n")
    asked: list[tuple[str, int, str]] = []

    def play(_plan: Any, heap: str, options: Any, **more: Any) -> Run:
        number = len(asked)
        asked.append((heap, options.seed, str(more["folder"])))
        a_run = run(number, 2.0 if heap == "4 GB" else 1.0, spread=0.01, seed=options.seed)
        a_run.interrupted = number in stops
        write_run(more["folder"], a_run, Origin(inputs=a_run.inputs), scenario=options.kept(more["folder"]))
        return a_run

    stops: set[int] = set()
    monkeypatch.setattr(module, "play", play)
    monkeypatch.setattr(module, "started_for", lambda daemons, target, hadoop: nullcontext(target.heap))
    monkeypatch.setattr(module, "_stops", stops, raising=False)
    return asked


def test_a_sweep_runs_every_arm_in_rounds(played: list[tuple[str, int, str]]) -> None:
    """With one seed for a round; its runs lie by arm; two values of one field are compared."""
    swept = SweepRunner.of(SWEEP).run(Execution(Path("out")))
    rounds = [played[at : at + 2] for at in (0, 2, 4)]
    assert [{heap for heap, _, _ in each} for each in rounds] == [{"1 GB", "4 GB"}] * 3
    assert [len({seed for _, seed, _ in each}) for each in rounds] == [1, 1, 1]
    assert len({seed for _, seed, _ in played}) == 3
    assert {folder for *_, folder in played} == {f"out/heap={n}GB/{r}" for n in (1, 4) for r in (1, 2, 3)}
    assert [len(arm.runs) for arm in swept.arms] == [3, 3]
    assert [found.outcome for _, found in swept.compared] == [Outcome.WORSE]


def test_a_sweep_has_one_java_for_all_arms(
    played: list[tuple[str, int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of all its releases; it is chosen before anything is run."""
    java, asked = object(), list[list[str | None]]()
    used: list[tuple[str | None, object]] = []

    def find(release: str | None, **more: Any) -> SimpleNamespace:
        used.append((release, more["java"]))
        return SimpleNamespace(version=release)

    monkeypatch.setattr(module, "java_for", lambda releases, **_: asked.append(list(releases)) or java)
    monkeypatch.setattr(Hadoop, "find", find)
    sweep = SWEEP.replaced(vary={"target.release": ("3.4.1", "3.5.0")}, repeats=1)
    SweepRunner.of(sweep).run(Execution(Path("out")))
    assert asked == [["3.4.1", "3.5.0"]]
    assert sorted(used, key=str) == [("3.4.1", java), ("3.5.0", java)]


def test_a_sweep_goes_on_where_it_was_interrupted(played: list[tuple[str, int, str]]) -> None:
    """Whole runs are kept, the one that was interrupted is made again, and no other."""
    module._stops.add(2)  # type: ignore[attr-defined]
    runner = SweepRunner.of(SWEEP)
    first = runner.run(Execution(Path("out")))
    assert (first.interrupted, first.compared, len(played)) == (True, (), 3)
    assert len(list(Path("out").glob("*/*/run.json"))) == 2
    second = runner.run(Execution(Path("out")))
    assert (second.interrupted, second.kept, len(played)) == (False, 2, 7)
    assert played[2] == played[3]
    assert runner.run(Execution(Path("out"))).kept == 6
    assert len(played) == 7


def test_runs_of_another_sweep_are_not_taken_for_its_own(played: list[tuple[str, int, str]]) -> None:
    """One whose base or seed was changed since; nothing is replaced."""
    SweepRunner.of(SWEEP).run(Execution(Path("out")))
    other = SweepRunner.of(SWEEP.replaced(seed=6))
    with pytest.raises(InputError, match="is no run of this sweep as it is written now"):
        other.run(Execution(Path("out")))
    assert len(played) == 6


def test_inputs_of_a_replay_are_made_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For all arms and rounds that read the same; an arm with another image has its own."""
    Path("a.log").write_text("")
    Path("base.yaml").write_text("froude: scenario/1\nkind: dyno\nload: {audit_log: [a.log]}\n")
    ready: list[int] = []
    played: list[tuple[str, object]] = []
    monkeypatch.setattr(module, "prepare", lambda scenario, *_: ready.append(scenario.seed) or len(ready))
    monkeypatch.setattr(
        DynoRunner,
        "run_on",
        lambda runner, prepared, _hadoop, execution: (
            played.append((str(execution.output), prepared))
            or run(int(execution.output.name), scale={"of": str(prepared)})
        ),
    )
    sweep = SWEEP.replaced(vary={"target.heap": ("1 GB", "4 GB"), "nodes.datanodes.count": (3, 5)}, repeats=2)
    swept = SweepRunner.of(sweep).run(Execution(Path("out")))
    assert ready == [5, 5]
    assert len(played) == 8
    used = {arm.name: {prepared for name, prepared in played if arm.name in name} for arm in swept.arms}
    assert used["heap=1GB,count=3"] == used["heap=4GB,count=3"] != used["heap=1GB,count=5"]
