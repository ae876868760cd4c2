"""What runs a scenario of each kind: `froude run` and every other caller find it in one table, `RUNNERS`.

A runner is made of a scenario: it reads what the scenario names, so that a file that is missing or wrong is said first.
`check` refuses all that can be known to fail without starting anything; `run` does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from froude.base.errors import InputError
from froude.emulation.limits import parse_limit
from froude.emulation.run import Run
from froude.experiment import knee as search
from froude.experiment.admission import check_targets
from froude.experiment.dyno import DynoRunner
from froude.experiment.execution import Execution, Runner, namenode_of, properties_of, running_targets
from froude.experiment.knee import Knee
from froude.experiment.knee_loads import Loads
from froude.experiment.main_job import Recorded
from froude.experiment.own_job import (
    OwnJob,
    claim_places,
    record_runs,
)
from froude.experiment.play import play
from froude.experiment.playable import check_play
from froude.experiment.scenario import DynoScenario, KneeScenario, PlayScenario, RecordScenario, Scenario
from froude.hadoop import cds_build
from froude.hadoop.distribution import Hadoop
from froude.hadoop.program import find_program
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.plan_file import read_plan
from froude.workload.scale import Scale
from froude.workload.yaml_file import WorkloadFile, open_workload, read_workload
from froude.workspace.store import PLACES, Workspace


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
        check_play(self.plan, self.scenario.load, [parse_limit(text) for text in self.scenario.limits])
        check_targets(running_targets(target.running), self.plan.workload.recorded.source_ids)
        properties_of(target)

    def run(self, execution: Execution) -> Run:
        """Play it; its run is kept in the output, with the scenario."""
        target = self.scenario.target
        if target.running:  # the play itself asks them who they are, and checks the rest
            return self._play(nullcontext(running_targets(target.running)), execution)
        self.check()
        hadoop = Hadoop.find(target.release, progress=execution.progress)
        return self._play(namenode_of(target, hadoop), execution)

    def _play(self, started: Any, execution: Execution) -> Run:
        with started as called:
            return play(
                self.plan,
                called,
                self.scenario,
                folder=execution.output,
                progress=execution.progress,
                command=execution.command,
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
        self.check()
        target = self.scenario.target
        hadoop = Hadoop.find(target.release, progress=execution.progress)
        return search.knee(
            self.opened.workload,
            lambda: namenode_of(target, hadoop),
            self.scenario,
            at=self.scenario.load.at,
            progress=execution.progress,
        )


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
        find_program(self.job.words[0])

    def claim(self, workspace: Path) -> None:
        """Make sure that its Traces can be kept; nothing is made.

        Args:
            workspace: the folder around which they are kept.

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
        hadoop = Hadoop.find(self.scenario.target.release, progress=execution.progress)
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
            command=execution.command,
        )


RUNNERS: Mapping[str, Callable[[Any], Runner]] = {
    PlayScenario.kind: PlayRunner.of,
    KneeScenario.kind: KneeRunner.of,
    RecordScenario.kind: RecordRunner.of,
    DynoScenario.kind: DynoRunner.of,
}
"""By kind of scenario, what makes its runner."""


def runner_of(scenario: Scenario) -> Runner:
    """The runner of a scenario with paths as seen from here; its inputs are read.

    Raises:
        InputError: there is none for its kind; or an input cannot be read.
    """
    if scenario.kind not in RUNNERS:
        raise InputError(
            "is of a kind that cannot be run yet",
            place="kind",
            found=scenario.kind,
            allowed=", ".join(RUNNERS),
        )
    return RUNNERS[scenario.kind](scenario)
