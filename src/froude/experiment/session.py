"""What Python users see: the values of all layers, with the methods that tie them together.

`froude.Hadoop`, `froude.Workload` and `froude.Workspace` are these. The values below them know nothing of what is
made from them, so that imports go down only; here is where a Hadoop becomes a cluster, and a Workload a Plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self, Unpack

from froude.base import parallel
from froude.base.errors import InputError
from froude.base.progress import Progress, Silent
from froude.base.units import Quantity
from froude.documents.store import Workspace as Store
from froude.emulation.run.files import read_run
from froude.emulation.run.run import Run
from froude.experiment.compare.compare import Comparison
from froude.experiment.figures.head import Part
from froude.experiment.figures.page import Page, page
from froude.experiment.play.execution import Execution
from froude.experiment.record import record as recording
from froude.experiment.runners import DuetRunner
from froude.experiment.scenario.scenario import DuetScenario, read_scenario
from froude.hadoop.cluster.cluster import Cluster, ClusterOptions
from froude.hadoop.cluster.namenode import NameNode, NameNodeOptions
from froude.hadoop.cluster.yarn_cluster import YarnCluster
from froude.hadoop.release import distribution
from froude.mining.traces import mine as mine_traces
from froude.trace.files import read_trace
from froude.trace.types import Trace
from froude.workload import review, types
from froude.workload.extrapolate import extrapolate
from froude.workload.mixture import mixture
from froude.workload.plan import Plan
from froude.workload.scale import Scale
from froude.workload.yaml_file import read_workload


@dataclass(frozen=True)
class Hadoop(distribution.Hadoop):
    """One Hadoop release that can be started here: `hadoop = fr.Hadoop.find()`."""

    def namenode(self, heap: str | int = "1 GB", **options: Unpack[NameNodeOptions]) -> NameNode:
        """A NameNode of its own, formatted and started when the `with` block is entered.

        Args:
            heap: its largest heap, such as `4 GB`.
        """
        return NameNode(self, heap=heap, **options)

    def cluster(self, datanodes: int = 3, replication: int = 2, **options: Unpack[ClusterOptions]) -> Cluster:
        """A NameNode and DataNodes on loopback, each with its own address; a context manager.

        Args:
            datanodes: how many, 1 to 240.
            replication: copies of each block.
        """
        return Cluster(self, datanodes=datanodes, replication=replication, **options)


@dataclass(frozen=True, slots=True, repr=False)
class Workload(types.Workload):
    """The scale-free pattern of a job, as `fr.mine` finds it."""

    @classmethod
    def of(cls, workload: types.Workload) -> Self:
        """The same pattern, with these methods."""
        return cls(**{field.name: getattr(workload, field.name) for field in fields(workload)})

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """A workload's YAML file.

        Raises:
            InputError: with file, line and field of what is wrong.
        """
        return cls.of(read_workload(Path(path)))

    @classmethod
    def mixed(cls, workloads: Mapping[str, types.Workload]) -> Self:
        """Several workloads as one, `fr.Workload.mixed({"upload": one, "read": other})`; see `mixture`."""
        return cls.of(mixture(workloads))

    def at(self, scale: Mapping[str, str | float | Quantity] | None = None, **variables: str | float) -> Plan:
        """The Plan at a Scale: `workload.at(datanodes=5000, files=20_000)`; see `extrapolate`."""
        return extrapolate(self, Scale.from_mapping({**(scale or {}), **variables}))

    def answer(self, question: types.Question | str, rule: types.Rule) -> Self:
        """The workload with a question settled; see `review.answer`."""
        return self.of(review.answer(self, question, rule))


def mine(
    traces: Sequence[Trace], *, progress: Progress | None = None, workers: parallel.Workers = 1
) -> Workload:
    """Mine the scale-free pattern of a job; see `mining.pipeline.mine`.

    Args:
        traces: one a run, at scales as different as possible.
        workers: decode the traces side by side.
    """
    return Workload.of(mine_traces(traces, progress=progress, workers=workers))


class Workspace:
    """A folder in which every artifact has its place; made when it is not there.

    Args:
        folder: an existing one must be empty or hold a `froude.toml`.

    Raises:
        InputError: the folder holds other things, or was made by a newer Froude.
    """

    def __init__(self, folder: Path | str = ".") -> None:
        self.store = Store(folder)
        """What lies where."""

    def record(
        self,
        cluster: Cluster | YarnCluster,
        *,
        scale: Mapping[str, str | float | Quantity],
        tags: Sequence[str] = (),
        settle_s: float = 0.0,
    ) -> AbstractContextManager[recording.Recording]:
        """Record what reaches a cluster's NameNode, with YARN all its daemons, while the block runs.

        See `experiment.record`.

        Args:
            cluster: entered, its nodes not yet started.
            tags: words by which the workspace finds the Trace.
            settle_s: how long to go on after the block.
        """
        return recording.record(cluster, self.store, scale=scale, tags=tags, settle_s=settle_s)

    def traces(self, tag: str | None = None, *, incomplete: bool = False) -> list[Trace]:
        """The traces kept here, oldest first.

        Args:
            incomplete: also those whose recording failed or was interrupted.
        """
        return [read_trace(path) for path in self.store.traces(tag, incomplete=incomplete)]

    def runs(self, tag: str | None = None, *, incomplete: bool = False) -> list[Run]:
        """The runs kept here, oldest first.

        Args:
            incomplete: also those that failed or were interrupted.
        """
        return [read_run(path) for path in self.store.runs(tag, incomplete=incomplete)]

    def report(self, *parts: Part, title: str = "") -> Page:
        """A page of Traces, Workloads, Plans, predictions and Runs: `ws.report(run).save("report.html")`.

        Args:
            parts: in the order in which they are shown.
        """
        return page(parts, title=title)


def duet(
    scenario: DuetScenario | Path | str, folder: Path | str, *, progress: Progress | None = None
) -> Comparison:
    """Play baseline and candidate at the same time, as `froude compare --duet` does; each arm's run is kept.

    Raises:
        InputError: it is a scenario of another kind.
    """
    asked = scenario if isinstance(scenario, DuetScenario) else read_scenario(Path(scenario)).scenario
    if not isinstance(asked, DuetScenario):
        raise InputError("is not a duet", place="kind", found=asked.kind, allowed=DuetScenario.kind)
    return DuetRunner.of(asked).run(Execution(Path(folder), progress=progress or Silent()))
