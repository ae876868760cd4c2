"""`kind: dyno`: what clients did at a NameNode, again, on its image, with emulated DataNodes that hold its blocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import InputError
from froude.base.progress import Progress
from froude.base.scratch import Scratch
from froude.emulation.abort import parse_condition
from froude.emulation.limits import parse_limit
from froude.emulation.run.run import Run
from froude.emulation.settings import Mode
from froude.experiment.play.admission import check_targets
from froude.experiment.play.execution import Execution, properties_of, running_targets
from froude.experiment.play.play import play
from froude.experiment.play.playable import replayed_nonce
from froude.experiment.play.warm_up import warm_up
from froude.experiment.replay.image import profile_of
from froude.experiment.replay.preparation import Prepared, prepare
from froude.experiment.scenario.options import PlayOptions
from froude.experiment.scenario.scenario import DynoScenario
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.release.distribution import Hadoop
from froude.workload.plan import Plan


def inputs_of(scenario: DynoScenario) -> object:
    """What is made ready before a run depends on: scenarios in which this is equal may share it.

    Where its blocks lie depends on the seed, too: runs that share them hold the same ones.
    """
    load, nodes = scenario.load, scenario.nodes.datanodes
    again = (load.mode is Mode.ONCE, load.leftovers)
    read = (load.audit_log, load.trace, load.made, load.edits, load.time_zone, load.cut, load.growth)
    return (
        scenario.target.release,
        scenario.target.image,
        scenario.namespace,
        read,
        again,
        nodes.count,
        nodes.storages,
        nodes.racks,
        nodes.blocks,
    )


@dataclass(frozen=True)
class DynoRunner:
    """`kind: dyno`."""

    scenario: DynoScenario

    @classmethod
    def of(cls, scenario: DynoScenario) -> DynoRunner:
        """Its inputs are large, and read when it runs."""
        return cls(scenario)

    @property
    def sources(self) -> list[Path]:
        """What it reads."""
        target, load, nodes = self.scenario.target, self.scenario.load, self.scenario.nodes
        profile = profile_of(self.scenario.namespace)
        others = (load.trace, load.edits, target.image, profile, nodes.datanodes.blocks)
        return [*load.audit_log, *(path for path in others if path is not None)]

    @property
    def what(self) -> str:
        """What is played again, and on what, in words."""
        target, load, profile = self.scenario.target, self.scenario.load, profile_of(self.scenario.namespace)
        logs = ", ".join(path.name for path in load.audit_log)
        what = logs or ("a made-up log" if load.trace is None else load.trace.name)
        if target.running:
            return f"{what} again on a NameNode that runs already"
        if target.image is not None:
            return f"{what} again on a NameNode started from {target.image.name}"
        start = "an empty namespace" if profile is None else f"a namespace made up by {profile.name}"
        return f"{what} again on a NameNode started from {start}"

    def check(self) -> None:
        """Whether all that it reads is there, and its targets could be admitted."""
        for path in self.sources:
            if not path.exists():
                raise InputError("does not exist", file=path)
            if not (path.is_file() or path.is_dir()):
                raise InputError("is neither a file nor a folder", file=path)
        for text in self.scenario.limits:
            parse_limit(text)
        for text in self.scenario.abort_when:
            parse_condition(text)
        replayed_nonce(self.scenario)
        check_targets(running_targets(self.scenario.target.running), ())
        properties_of(self.scenario.target)
        if self.scenario.load.edits is not None and self.scenario.target.image is None:
            raise InputError(
                "are for a log that is cut at an image", place="load.edits", allowed="with target.image"
            )

    def run(self, execution: Execution) -> Run:
        """Play it; its run is kept in the output, with the scenario."""
        self.check()
        release = self.scenario.target.release
        hadoop = Hadoop.find(release, progress=execution.progress, java=execution.java)
        with Scratch("dyno") as scratch:
            prepared = prepare(self.scenario, hadoop, scratch, execution.progress)
            return self.run_on(prepared, hadoop, execution)

    def run_on(self, prepared: Prepared, hadoop: Hadoop, execution: Execution) -> Run:
        """Play it on inputs that are ready.

        Args:
            prepared: of this scenario, or of another with the same `inputs_of`.
        """
        target, options = self.scenario.target, prepared.options(self.scenario)
        if target.running:
            return _play(prepared.plan, running_targets(target.running), options, execution)
        with self._namenode(prepared, hadoop, execution.progress) as namenode:
            return _play(prepared.plan, namenode, options, execution)

    @contextmanager
    def _namenode(self, prepared: Prepared, hadoop: Hadoop, progress: Progress) -> Iterator[NameNode]:
        target = self.scenario.target
        namenode = NameNode(
            hadoop,
            heap=target.heap,
            conf={**prepared.properties, **properties_of(target)},
            image=prepared.image,
            flags=target.java_options,
        )
        with ExitStack() as stack:
            with progress.task("Starting the NameNode"):
                stack.enter_context(namenode)
            with progress.task(f"Warming up for {self.scenario.warm_up_s:g} s"):
                warm_up(namenode, self.scenario.warm_up_s, changes=prepared.image is None)
            yield namenode


def _play(plan: Plan, called: object, options: PlayOptions, execution: Execution) -> Run:
    return play(
        plan,
        called,  # type: ignore[arg-type]
        options,
        folder=execution.output,
        progress=execution.progress,
        command=execution.command,
        live=execution.live,
        workers=execution.workers,
    )
