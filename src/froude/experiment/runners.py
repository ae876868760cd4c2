"""What runs a scenario of each kind: `froude run` and every other caller find it in one table, `RUNNERS`.

A runner is made of a scenario: it reads what the scenario names, so that a file that is missing or wrong is said first.
`check` refuses all that can be known to fail without starting anything; `run` does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from froude.base.errors import InputError
from froude.base.files import atomic_write_text, kind_of_place, remove_folder, stated_os_errors
from froude.base.progress import Progress
from froude.base.scratch import Scratch
from froude.base.summary import counted
from froude.documents.store import PLACES, Workspace
from froude.emulation.facts import facts_of
from froude.emulation.programs.hdfs.datanodes import KIND as DATANODE
from froude.emulation.run.files import SCENARIO, read_run
from froude.emulation.run.run import Run
from froude.experiment.compare.comparable import Sample
from froude.experiment.compare.compare import Comparison
from froude.experiment.duet.comparison import comparison_of
from froude.experiment.duet.duet import duet, load_of
from froude.experiment.knee import knee as search
from froude.experiment.knee.answer import Knee
from froude.experiment.knee.loads import Loads, first_scale
from froude.experiment.main_job import Recorded
from froude.experiment.own_job import OwnJob, claim_places, record_runs
from froude.experiment.play.admission import check_targets
from froude.experiment.play.execution import (
    Execution,
    Runner,
    patches_of,
    properties_of,
    running_targets,
    started_for,
)
from froude.experiment.play.play import play
from froude.experiment.play.playable import check_play, limits_of, replayed_nonce
from froude.experiment.replay.block_lists import open_block_lists
from froude.experiment.replay.dyno import DynoRunner, inputs_of
from froude.experiment.replay.heap import HeapRunner
from froude.experiment.replay.preparation import Prepared, prepare
from froude.experiment.scenario.lowered_intervals import lowered
from froude.experiment.scenario.scenario import (
    DuetScenario,
    DynoScenario,
    HeapScenario,
    KneeScenario,
    PlayScenario,
    RecordScenario,
    Scenario,
    SweepScenario,
    read_scenario,
    scenario_text,
)
from froude.experiment.sweep.result import Swept, outcome_of
from froude.experiment.sweep.sweep import Arm, Turn, arms_of, turns
from froude.hadoop.cluster import cds_build
from froude.hadoop.cluster.faults import parse_fault
from froude.hadoop.cluster.launcher import PROGRAMS, YARN_PROGRAMS
from froude.hadoop.cluster.program import find_program
from froude.hadoop.release.distribution import Hadoop, java_for
from froude.hadoop.release.jvm import Java
from froude.hadoop.release.yarn_jars import YarnJars
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.plan_file import read_plan
from froude.workload.scale import Scale
from froude.workload.yaml_file import WorkloadFile, open_workload, read_workload


@dataclass(frozen=True)
class PlayRunner:
    """`kind: play`."""

    scenario: PlayScenario
    plan: Plan

    @classmethod
    def of(cls, scenario: PlayScenario) -> PlayRunner:
        """With the plan, or the workload at its Scale."""
        load = scenario.load
        if load.plan is not None:
            return cls(scenario, read_plan(load.plan))
        assert load.workload is not None  # one of the two is given
        return cls(scenario, extrapolate(read_workload(load.workload), Scale(load.at)))

    @property
    def source(self) -> Path:
        """What is played: a plan, or a workload."""
        source = self.scenario.load.plan or self.scenario.load.workload
        assert source is not None  # one of the two is given
        return source

    def check(self) -> None:
        """As a play does, and whether its targets could be admitted."""
        target = self.scenario.target
        check_play(self.plan, self.scenario.load, limits_of(self.scenario))
        check_targets(running_targets(target.running), self.plan.workload.recorded.source_ids)
        replayed_nonce(self.scenario)
        properties_of(target)
        datanodes = self.scenario.nodes.datanodes
        if datanodes.blocks is not None:
            _check_lists(datanodes.blocks, datanodes.storages, self.plan)

    def run(self, execution: Execution) -> Run:
        """Play it; its run is kept in the output, with the scenario."""
        target = self.scenario.target
        if target.running:  # the play itself asks them who they are, and checks the rest
            return self._play(nullcontext(running_targets(target.running)), execution)
        self.check()
        hadoop = Hadoop.find(target.release, progress=execution.progress, java=execution.java)
        return self._play(started_for(facts_of(self.plan).daemons, target, hadoop), execution)

    def _play(self, started: Any, execution: Execution) -> Run:
        with started as called:
            return play(
                self.plan,
                called,
                self.scenario,
                folder=execution.output,
                progress=execution.progress,
                command=execution.command,
                live=execution.live,
                workers=execution.workers,
            )


def _check_here(execution: Execution, what: str) -> None:
    """Refuse workers where they would not play.

    Raises:
        InputError: the execution names a scheduler.
    """
    if isinstance(execution.workers, str):
        message, found = f"{what} plays on this machine, on daemons that it starts", execution.workers
        raise InputError(message, place="--workers", found=found, allowed="a number")


def _check_lists(folder: Path, storages: int, plan: Plan) -> None:
    """Refuse lists of replicas of which the DataNodes of a plan would not report all."""
    cluster = open_block_lists(folder).cluster
    if len(cluster.storages) != storages:
        place, allowed = "nodes.datanodes.storages", f"{len(cluster.storages)}, as {folder} has"
        raise InputError(
            "are not those of the lists of replicas", place=place, found=storages, allowed=allowed
        )
    programs = {each.name: each.program for each in plan.workload.node_types}
    count = sum(number for name, number in plan.counts.items() if programs[name] == DATANODE)
    if count < cluster.topology.nodes:
        allowed = f"{cluster.topology.nodes:,} or more"
        raise InputError(
            "are fewer DataNodes than hold its replicas", file=folder, found=count, allowed=allowed
        )


@dataclass(frozen=True)
class KneeRunner:
    """`kind: knee`."""

    scenario: KneeScenario
    opened: WorkloadFile

    @classmethod
    def of(cls, scenario: KneeScenario) -> KneeRunner:
        """With the workload."""
        return cls(scenario, open_workload(scenario.load.workload))

    @property
    def source(self) -> Path:
        """The workload."""
        return self.scenario.load.workload

    @cached_property
    def prepared(self) -> tuple[Loads, tuple[str, ...]]:
        """The loads, and all limits that they must keep.

        Raises:
            InputError: something of the search cannot be.
        """
        return search.prepare(self.opened.workload, self.scenario, at=self.scenario.load.at)

    def check(self) -> None:
        """As the search does."""
        _ = self.prepared
        properties_of(self.scenario.target)

    def run(self, execution: Execution) -> Knee:
        """Search; the caller writes the knee."""
        _check_here(execution, "a search")
        self.check()
        target = self.scenario.target
        hadoop = Hadoop.find(target.release, progress=execution.progress)
        daemons = facts_of(self.prepared[0].plan(1.0)).daemons
        return search.knee(
            self.opened.workload,
            lambda: started_for(daemons, target, hadoop),
            self.scenario,
            at=self.scenario.load.at,
            progress=execution.progress,
        )


@dataclass(frozen=True)
class DuetRunner:
    """`kind: duet`."""

    scenario: DuetScenario
    opened: WorkloadFile

    @classmethod
    def of(cls, scenario: DuetScenario) -> DuetRunner:
        """With the workload."""
        return cls(scenario, open_workload(scenario.load.workload))

    @property
    def source(self) -> Path:
        """The workload."""
        return self.scenario.load.workload

    @cached_property
    def plan(self) -> Plan:
        """What both are called with.

        Raises:
            InputError: the workload has no such Scale.
        """
        workload = self.opened.workload
        return extrapolate(workload, first_scale(workload, self.scenario.load.at))

    def check(self) -> None:
        """As the plays do."""
        for target in (self.scenario.target, self.scenario.candidate):
            properties_of(target)
            patches_of(target)
        check_play(self.plan, load_of(self.scenario), limits_of(self.scenario))

    def run(self, execution: Execution) -> Comparison:
        """Play both, and compare them; the run of each arm is kept in a folder of the output."""
        _check_here(execution, "a duet")
        self.check()
        targets = self.scenario.target, self.scenario.candidate
        java = java_for([each.release for each in targets], progress=execution.progress)
        daemons = facts_of(self.plan).daemons
        starts = [
            partial(
                started_for, daemons, each, Hadoop.find(each.release, progress=execution.progress, java=java)
            )
            for each in targets
        ]
        found = duet(
            self.plan,
            (starts[0], starts[1]),
            self.scenario,
            folder=execution.output,
            progress=execution.progress,
            command=execution.command,
        )
        with stated_os_errors(execution.output):
            atomic_write_text(execution.output / SCENARIO, scenario_text(self.scenario, execution.output))
        return comparison_of(found, self.scenario, targets)


@dataclass(frozen=True)
class RecordRunner:
    """`kind: record`."""

    scenario: RecordScenario
    job: OwnJob
    scales: list[Scale]

    @classmethod
    def of(cls, scenario: RecordScenario) -> RecordRunner:
        """With the Scale of each run."""
        asked = scenario.record
        return cls(scenario, OwnJob(asked.command, asked.timeout_s), asked.runs)

    def check(self) -> None:
        """Its command, and its variables."""
        self.job.check(self.scales[0])
        program, yarn = self.job.words[0], bool(self.scenario.record.nodemanagers)
        if program in PROGRAMS or (yarn and program in YARN_PROGRAMS):
            return  # each cluster brings its own
        try:
            find_program(program)
        except InputError as error:
            if program not in YARN_PROGRAMS:
                raise
            remedy = "Say how many NodeManagers each run has, such as --nodemanagers 2"
            raise InputError("is there only where YARN runs", file=program, remedy=remedy) from error

    def claim(self, workspace: Path) -> None:
        """Make sure that its Traces can be kept; nothing is made.

        Raises:
            InputError: a name or a place is taken.
        """
        around = Workspace.around(workspace)
        folder = workspace / PLACES["trace"] if around is None else around.place("trace")
        claim_places(folder, self.scenario.record.name, len(self.scales))

    def run(self, execution: Execution) -> Iterator[Recorded]:
        """Start with a Hadoop; then each run is recorded when it is asked for, and kept in the workspace."""
        self.check()
        self.claim(execution.workspace)
        asked = self.scenario.record
        properties, notes = lowered(asked.intervals, asked.properties)
        hadoop = Hadoop.find(self.scenario.target.release, progress=execution.progress)
        if asked.nodemanagers:
            YarnJars.find(hadoop, progress=execution.progress)
        cds_build.prepare(hadoop, execution.progress)
        return record_runs(
            self.job,
            self.scales,
            Workspace.begin(execution.workspace),
            hadoop,
            progress=execution.progress,
            name=asked.name,
            seed=None if asked.fresh else self.scenario.seed,
            replication=asked.replication,
            settle_s=asked.settle_s,
            properties=properties,
            faults=[parse_fault(text) for text in asked.faults],
            notes=notes,
            command=execution.command,
        )


@dataclass(frozen=True)
class SweepRunner:
    """`kind: sweep`."""

    scenario: SweepScenario
    arms: list[Arm]
    runners: Mapping[str, PlayRunner | DynoRunner]
    """By arm; what they read is read once."""

    @classmethod
    def of(cls, scenario: SweepScenario) -> SweepRunner:
        """With every combination, and what each reads."""
        arms = arms_of(scenario, read_scenario(scenario.base).scenario)
        runners: dict[str, PlayRunner | DynoRunner] = {
            arm.name: PlayRunner.of(arm.scenario)
            if isinstance(arm.scenario, PlayScenario)
            else DynoRunner.of(arm.scenario)
            for arm in arms
        }
        return cls(scenario, arms, runners)

    def java(self, progress: Progress | None = None) -> Java | None:
        """The one Java of all arms, fetched with `progress` (see `java_for`); None where no arm starts a daemon."""
        targets = [arm.scenario.target for arm in self.arms]
        releases = [target.release for target in targets if not target.running]
        return java_for(releases, progress=progress) if releases else None

    def check(self) -> None:
        """As the run of each arm does."""
        for runner in self.runners.values():
            runner.check()

    def runs_there(self, output: Path) -> dict[Path, Run]:
        """The runs of this sweep that are there already, by folder; one that was interrupted counts as none.

        Raises:
            InputError: something else stands in the place of a run.
        """
        there = {}
        for turn in turns(self.scenario, self.arms):
            folder = turn.folder(output)
            if kind_of_place(folder) is None:
                continue
            run = read_run(folder)
            file = folder / SCENARIO
            if not file.is_file() or file.read_text() != scenario_text(turn.scenario, folder):
                message = "is no run of this sweep as it is written now"
                raise InputError(message, file=folder, remedy="Choose another folder with --output")
            if not run.interrupted:
                there[folder] = run
        return there

    def run(self, execution: Execution) -> Swept:
        """Make every run that is not there yet; an interrupt keeps the whole ones."""
        self.check()
        execution = replace(execution, java=self.java(execution.progress))
        there = self.runs_there(execution.output)
        kept = len(there)
        every = list(turns(self.scenario, self.arms))
        label = counted(len(every), "run")
        interrupted = False
        with (
            Scratch("sweep") as scratch,
            execution.progress.task(f"Sweeping, {label}", total=len(every)) as task,
        ):
            prepared: dict[object, Prepared] = {}
            task.advance(kept)
            for turn in every:
                folder = turn.folder(execution.output)
                if folder in there:
                    continue
                task.say(f"{turn.arm.name}, run {turn.round} of {self.scenario.repeats}")
                try:
                    run = self._run(turn, replace(execution, output=folder), scratch, prepared)
                except KeyboardInterrupt:
                    interrupted = True
                    break
                if run.interrupted:
                    remove_folder(folder)
                    interrupted = True
                    break
                there[folder] = run
                task.advance()
        runs: dict[str, list[Sample]] = {arm.name: [] for arm in self.arms}
        for turn in every:
            folder = turn.folder(execution.output)
            if folder in there:
                runs[turn.arm.name].append(Sample(str(folder), there[folder]))
        return outcome_of(self.scenario, self.arms, runs, kept=kept, interrupted=interrupted)

    def _run(self, turn: Turn, execution: Execution, scratch: Path, prepared: dict[object, Prepared]) -> Run:
        remove_folder(execution.output)  # of a run that was interrupted
        with stated_os_errors(execution.output.parent):
            execution.output.parent.mkdir(parents=True, exist_ok=True)
        read, scenario = self.runners[turn.arm.name], turn.scenario
        if isinstance(scenario, PlayScenario):
            assert isinstance(read, PlayRunner)  # of one kind with its scenario
            return PlayRunner(scenario, read.plan).run(execution)
        hadoop = Hadoop.find(scenario.target.release, progress=execution.progress, java=execution.java)
        key = inputs_of(scenario)
        if key not in prepared:
            place = scratch / str(len(prepared))
            place.mkdir()
            # With the sweep's own seed: every round has the same blocks.
            shared = scenario.replaced(seed=self.scenario.seed)
            prepared[key] = prepare(shared, hadoop, place, execution.progress)
        return DynoRunner(scenario).run_on(prepared[key], hadoop, execution)


RUNNERS: Mapping[str, Callable[[Any], Runner]] = {
    PlayScenario.kind: PlayRunner.of,
    KneeScenario.kind: KneeRunner.of,
    DuetScenario.kind: DuetRunner.of,
    RecordScenario.kind: RecordRunner.of,
    DynoScenario.kind: DynoRunner.of,
    SweepScenario.kind: SweepRunner.of,
    HeapScenario.kind: HeapRunner.of,
}
"""By kind of scenario, what makes its runner."""


def runner_of(scenario: Scenario) -> Runner:
    """The runner of a scenario with paths as seen from here; its inputs are read.

    Raises:
        InputError: an input cannot be read.
    """
    return RUNNERS[scenario.kind](scenario)
