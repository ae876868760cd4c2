"""The chain from small runs to a play, with recorded traces in the place of clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.base.progress import Silent
from froude.documents.artifact import Origin
from froude.documents.store import Workspace, read_artifact
from froude.emulation.run.run import Run
from froude.experiment import main_job
from froude.experiment.knee.answer import Knee
from froude.experiment.main_job import SETTLE_S, YARN_SETTLE_S, MainJob, record_job, run_main_job
from froude.experiment.record.jobs import JobDefinition
from froude.experiment.scenario.options import KneeOptions, PlayOptions
from froude.mining.check.prediction import Prediction
from froude.trace.files import read_trace, write_trace
from froude.trace.types import Trace
from froude.workload.plan import Plan
from froude.workload.plan_file import read_plan
from froude.workload.scale import Scale
from froude.workload.types import Workload
from froude.workload.yaml_file import open_workload
from tests.support.cli.command_lines import recorded as mined
from tests.support.experiment.figures.prediction import PREDICTION
from tests.support.experiment.knees import two_plays
from tests.support.experiment.main_jobs import CLOSED, a_run
from tests.support.trace.making import small_trace

HADOOP: Any = SimpleNamespace(version="3.4.2")
SMALL = [Scale.of(datanodes=n, clients=n + 1, files=2) for n in (2, 3)]


class Stage:
    """What the chain asked of whom, in order; every cluster, recording and play is stood in for."""

    def __init__(self, folder: Path) -> None:
        """Nothing was asked."""
        self.said: list[tuple[Any, ...]] = []
        self.run = a_run()
        self.audit: Path | None = folder / "audit.log"

    @contextmanager
    def cluster(self, hadoop: Any, **options: Any) -> Iterator[Any]:
        """In the place of `Cluster`."""
        self.said.append(("start", options))
        try:
            yield SimpleNamespace(namenode=SimpleNamespace(audit_log=self.audit))
        finally:
            self.said.append(("stop",))

    @contextmanager
    def record(
        self, cluster: Any, workspace: Workspace, *, scale: Mapping[str, Any], **options: Any
    ) -> Iterator[Any]:
        """In the place of `record`: a small trace at the scale is written."""
        self.said.append(("record", options))
        path = workspace.new("trace")
        yield SimpleNamespace(trace=path)
        trace = small_trace()
        meta = replace(trace.meta, scale=dict(scale), notes={"path": path.name})
        write_trace(path, replace(trace, meta=meta), Origin(options["command"]))

    def job(self, recording: Any, scale: Scale, scratch: Path) -> None:
        """In the place of the clients."""
        assert scratch.is_dir()
        self.said.append(("work", dict(scale)))

    def closure(self, trace: Trace, audit: Path) -> Any:
        """In the place of the comparison with the audit log, while its cluster runs."""
        self.said.append(("closure", trace.meta.notes["path"], audit))
        return CLOSED

    def mine(self, traces: list[Trace]) -> Workload:
        """In the place of the miner, which has tests of its own."""
        self.said.append(("mine", [dict(trace.meta.scale) for trace in traces]))
        hashes = tuple(trace.lineage.content_hash for trace in traces if trace.lineage is not None)
        return replace(mined(), recorded=replace(mined().recorded, traces=hashes))

    def predict(self, workload: Workload, trace: Trace) -> Prediction:
        """In the place of the comparison."""
        self.said.append(("predict", dict(trace.meta.scale)))
        return PREDICTION

    @contextmanager
    def namenode(self, hadoop: Any, **options: Any) -> Iterator[str]:
        """In the place of the NameNode that is played against."""
        self.said.append(("namenode", options))
        yield "the namenode"

    def play(self, plan: Plan, target: str, asked: PlayOptions, *, progress: object, **options: Any) -> Run:
        """In the place of the play."""
        self.said.append(("play", dict(plan.counts), target, {"seed": asked.seed, **options}))
        return self.run

    def names(self) -> list[str]:
        """What was asked, by name."""
        return [each[0] for each in self.said]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Everything that costs time, stood in for."""
    chain = Stage(tmp_path)
    for name in ("record", "closure", "mine", "predict", "play"):
        monkeypatch.setattr(main_job, name, getattr(chain, name))
    monkeypatch.setattr(main_job, "Cluster", chain.cluster)
    monkeypatch.setattr(main_job, "NameNode", chain.namenode)
    monkeypatch.setattr(
        main_job, "warm_up", lambda namenode, seconds: chain.said.append(("warm-up", namenode))
    )
    return chain


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty one."""
    return Workspace(tmp_path / "w")


def definition(stage: Stage) -> JobDefinition:
    """A job at two small scales, one larger, and one to be played."""
    return JobDefinition(
        "small job",
        "It does little.",
        stage.job,
        tuple(SMALL),
        Scale.of(datanodes=5, clients=6, files=2),
        Scale.of(datanodes=50, clients=40, files=3),
    )


def chain(stage: Stage, workspace: Workspace, **options: Any) -> MainJob:
    """All of it."""
    return run_main_job(definition(stage), workspace, HADOOP, **options)


def test_the_chain_in_its_order(stage: Stage, workspace: Workspace) -> None:
    """The held-out size is recorded after the miner has spoken, so that it cannot have seen it."""
    done = chain(stage, workspace, seed=9, command="froude x")
    steps = ["start", "record", "work", "closure", "stop"]
    assert stage.names() == [*steps, *steps, "mine", *steps, "predict", "namenode", "warm-up", "play"]
    said = {each[0]: each[1:] for each in stage.said}
    assert said["mine"] == ([dict(scale) for scale in SMALL],)
    assert said["predict"] == (dict(done.job.held_out),)
    counts, target, options = said["play"]
    assert (counts, target) == ({"datanode": 50, "client": 40}, "the namenode")
    assert (options["seed"], options["command"]) == (9, "froude x")
    assert options["folder"].is_relative_to(workspace.folder)


def test_what_comes_of_it(stage: Stage, workspace: Workspace) -> None:
    """The values of every step, read back from where they are kept."""
    done = chain(stage, workspace)
    assert [recorded.trace.meta.scale for recorded in done.train] == [dict(scale) for scale in SMALL]
    assert dict(done.held_out.trace.meta.scale) == dict(done.job.held_out)
    assert all(each.trace == read_trace(each.path) for each in (*done.train, done.held_out))
    assert [each.closure for each in (*done.train, done.held_out)] == [CLOSED] * 3
    assert open_workload(done.workload_path).workload == done.workload
    assert (done.prediction, done.run) == (PREDICTION, stage.run)
    assert (done.plan.workload, done.plan.scale) == (done.workload, done.job.play)


@pytest.mark.parametrize(("command", "mining"), [("froude x", "froude x"), ("", "froude.mine(traces)")])
def test_every_artifact_names_what_it_was_made_from(
    command: str, mining: str, stage: Stage, workspace: Workspace
) -> None:
    """From traces to workload to plan; the command as typed, else the Python call."""
    done = chain(stage, workspace, command=command)
    traces = [read_artifact(each.path) for each in done.train]
    lineage = open_workload(done.workload_path).lineage
    assert lineage is not None
    assert lineage.inputs == tuple(each.lineage.content_hash for each in traces if each is not None)
    assert lineage.command == mining
    (folder,) = (path for path in workspace.folder.rglob("*") if (path / "plan.yaml").is_file())
    plan = read_artifact(folder)
    assert plan is not None
    assert plan.lineage.inputs == (lineage.content_hash,)
    assert plan.lineage.command == (command or f"workload.at({done.job.play})")
    assert read_plan(folder).counts == done.plan.counts


def test_an_interrupted_play_is_no_whole_job(stage: Stage, workspace: Workspace) -> None:
    """What was made until then stays."""
    stage.run = a_run(interrupted=True)
    with pytest.raises(KeyboardInterrupt):
        chain(stage, workspace)
    assert stage.names()[-1] == "play"
    assert len(list(workspace.folder.rglob("plan.yaml"))) == 1


def test_one_run_of_a_job(stage: Stage, workspace: Workspace) -> None:
    """On as many DataNodes as the scale says; the job's name finds it, and it goes on for more than a heartbeat."""
    scale = Scale.of(datanodes=4, files=7)
    said: list[str] = []
    task: Any = SimpleNamespace(say=said.append)
    options: dict[str, Any] = {
        "fast": False,
        "replication": 3,
        "aged": 5,
        "name": "own",
        "notes": {"a": "b"},
        "command": "froude x",
    }
    recorded = record_job(definition(stage), scale, workspace, HADOOP, task=task, **options)
    asked = {each[0]: each[1:] for each in stage.said}
    started = {"datanodes": 4, "replication": 3, "aged": 5, "fast": False, "conf": {}}
    assert asked["start"] == (started,)
    kept = {name: options[name] for name in ("name", "notes", "command")}
    assert asked["record"] == ({"tags": ("small job",), "settle_s": SETTLE_S, **kept},)
    assert SETTLE_S > 3
    assert asked["work"] == (dict(scale),)
    assert asked["closure"] == (recorded.path.name, stage.audit)
    assert said[1:] == ["start 4 DataNodes", "clients at work"]


@pytest.mark.parametrize("seconds", [(None, YARN_SETTLE_S), (0.0, 0.0), (7.0, 7.0)])
def test_a_recording_goes_on_until_masters_have_ended(
    stage: Stage, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, seconds: tuple[float | None, float]
) -> None:
    """Longer with YARN, and as long as is asked for."""
    cluster = main_job.Cluster(HADOOP, datanodes=1)
    monkeypatch.setattr(main_job, "_cluster", lambda *_: cluster)
    scale = Scale.of(datanodes=1, nodemanagers=1)
    settle_s, expected_s = seconds
    record_job(definition(stage), scale, workspace, HADOOP, settle_s=settle_s)
    asked = {each[0]: each[1:] for each in stage.said}
    assert asked["record"][0]["settle_s"] == expected_s


def test_every_namespace_begins_with_other_ids(stage: Stage, workspace: Workspace) -> None:
    """What is checked as well as what is mined, so that no id looks as if clients chose it; the seed decides them."""
    seeds = []
    for seed in (1, 1, 2):
        stage.said.clear()
        chain(stage, workspace, seed=seed)
        seeds.append([each[1]["aged"] for each in stage.said if each[0] == "start"])
    assert seeds[0] == seeds[1]
    assert len({*seeds[0], *seeds[2]}) == 6


def test_a_job_that_fails_leaves_no_cluster(stage: Stage, workspace: Workspace) -> None:
    """And nothing is mined."""

    def failing(*_: object) -> None:
        raise KeyError

    with pytest.raises(KeyError):
        run_main_job(replace(definition(stage), run=failing), workspace, HADOOP)
    assert stage.names() == ["start", "record", "stop"]


def test_what_is_measured_runs_at_full_speed(stage: Stage, workspace: Workspace) -> None:
    """Quick start-up flags are for what is recorded, never for a NameNode that is played against."""
    chain(stage, workspace)
    assert [each[1]["fast"] for each in stage.said if each[0] == "start"] == [True] * 3
    measured = [each[1] for each in stage.said if each[0] == "namenode"]
    assert measured
    assert not any(options.get("fast") for options in measured)


def test_a_short_search_runs_at_full_speed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is on a NameNode with the JVM's own flags, and ends in its time."""

    def search(_: Workload, start: Any, options: KneeOptions, **__: object) -> Knee:
        with start():
            assert (options.repeats, options.time_limit_s) == (1, 160)
        return two_plays()

    monkeypatch.setattr(main_job, "search_knee", search)
    main_job.short_knee(mined(), Scale.of(nodes=2), HADOOP, seed=0, progress=Silent())
    assert [each for each in stage.said if each[0] == "namenode"] == [("namenode", {"heap": "1 GB"})]
