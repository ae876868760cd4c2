"""The Scenario: a whole experiment as one value, and as one YAML file.

Of each kind there is a value of its own, so that a field which does not belong to a kind cannot be given for it. What
its fields are is declared there and in `sections`, once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, Self, get_args

from pydantic import Field

from froude.base.units import Quantity, seconds_text
from froude.documents.forms import (
    Amount,
    FieldError,
    Number,
    Place,
    Plain,
    Seconds,
    Text,
    below,
)
from froude.documents.lineage import KIND, open_document, read_kind
from froude.documents.migrate import Migrations
from froude.documents.model import Change, Example, Flag, Model
from froude.documents.plain import Fields
from froude.documents.reading import dump_document
from froude.experiment.compare.finding import ALLOWED as STATED
from froude.experiment.compare.finding import parse_stated
from froude.experiment.compare.measures import (
    DEFAULT_LEVEL,
    DEFAULT_MARGIN,
    DEFAULT_PRIMARY,
    PRIMARY_TEXT,
    check_primary,
)
from froude.experiment.scenario.lowered_intervals import lowered
from froude.experiment.scenario.options import (
    Conditions,
    DuetLoad,
    DuetOptions,
    KneeOptions,
    NameNodeTarget,
    PlanLoad,
    PlayOptions,
    ReleaseTarget,
    Target,
    WorkloadLoad,
    check_conditions,
)
from froude.experiment.scenario.replay_options import MadeNamespace, ReplayLoad, ReplayNodes
from froude.experiment.scenario.run_lists import DATANODES, NODEMANAGERS, NODES, check_lists, scales_of
from froude.hadoop.cluster.faults import ALLOWED as FAULTS
from froude.hadoop.cluster.faults import check_nodes, parse_fault
from froude.hadoop.cluster.loopback import MOST_NODES
from froude.hadoop.settings.yarn import PREFIXES
from froude.workload.scale import Scale

MIGRATIONS = Migrations("scenario", 1)
_LEAST_SIZES = 3
_Nodes = Annotated[int, Number(1, MOST_NODES, whole=True)]
_SHORTEST_DUET_S = 120.0
"""Half of it for the warm-up, and twenty batches that are longer than most of what disturbs one of them."""


def _check_replicas(options: Conditions, *, namespace: bool) -> None:
    if options.nodes.datanodes.blocks is not None and not namespace:
        names, allowed = ("nodes", "datanodes", "blocks"), "with an image, whose replicas they are"
        raise FieldError("would all be deleted: there is no namespace", names=names, allowed=allowed)


class PlayScenario(PlayOptions):
    """Play a Plan against a NameNode that is started for it, or against daemons that run already."""

    kind: ClassVar[str] = "play"
    target: Target = Target()
    """Who is called."""
    load: PlanLoad
    """What is sent."""

    def check(self) -> None:
        """Refuse replicas of no namespace: a NameNode has all of them deleted.

        Raises:
            FieldError: so they are.
        """
        PlayOptions.check(self)
        _check_replicas(self, namespace=bool(self.target.image or self.target.running))

    def kept(self, folder: Path) -> str:
        """The scenario to keep in a run's folder."""
        return scenario_text(self, folder)


class KneeScenario(KneeOptions):
    """Raise the load of a workload until a NameNode, or a ResourceManager, breaks a limit."""

    kind: ClassVar[str] = "knee"
    target: NameNodeTarget = NameNodeTarget()
    """Who is called: a NameNode, or a ResourceManager, that stays up for the whole search."""
    load: WorkloadLoad
    """What is sent."""

    def check(self) -> None:
        """Refuse clients that arrive, and replicas of no namespace.

        Raises:
            FieldError: they are there.
        """
        KneeOptions.check(self)
        _check_replicas(self, namespace=self.target.image is not None)


class DuetScenario(DuetOptions):
    """Play a workload against a baseline and a candidate at the same time: is the candidate slower?"""

    kind: ClassVar[str] = "duet"
    target: NameNodeTarget = NameNodeTarget()
    """The baseline: a NameNode, or a ResourceManager, that is started."""
    candidate: NameNodeTarget = NameNodeTarget()
    """What is judged, started next to it."""
    load: DuetLoad
    """What is sent to both."""

    def check(self) -> None:
        """Refuse a time in which hardly anything could be measured, and a warm-up that leaves less than half of it.

        A condition that no such time is enough for is refused, too.

        Raises:
            FieldError: so it is.
        """
        limit_s, warm_up_s = self.compare.time_limit_s, self.compare.warm_up_s
        if limit_s < _SHORTEST_DUET_S:
            names, allowed = ("compare", "time_limit"), f"{seconds_text(_SHORTEST_DUET_S)} and more"
            raise FieldError("is too short", names=names, found=seconds_text(limit_s), allowed=allowed)
        if warm_up_s > limit_s / 2:
            allowed = f"at most half of the time limit, {seconds_text(limit_s / 2)}"
            found = seconds_text(warm_up_s)
            raise FieldError(
                "leaves too little time", names=("compare", "warm_up"), found=found, allowed=allowed
            )
        check_conditions(self.abort_when, limit_s, "time limit")
        _check_replicas(self, namespace=None not in {self.target.image, self.candidate.image})


class Recording(Model):
    """What is recorded."""

    command: Annotated[tuple[str, ...], Field(min_length=1), Example(["./job.sh", "{files}"], active=True)]
    """What to run; {files} becomes that variable's value. A program that is a path is found from the file's folder."""
    datanodes: Annotated[tuple[_Nodes, ...], Field(min_length=1)] = (3,)
    """DataNodes of each run."""
    nodemanagers: Annotated[tuple[_Nodes, ...], Example([2, 3, 4])] = ()
    """NodeManagers of each run; with any, YARN runs beside HDFS, and its calls are recorded, too."""
    scales: Annotated[Mapping[str, tuple[Amount, ...]], Example({"files": [5, 12, 8]}, active=True)] = {}
    """A variable's value in each run; a single one is repeated."""
    cross: Flag = False
    """Whether every value runs with every other, instead of one after another."""
    repeats: Annotated[int, Number(1, 1000, whole=True)] = 1
    """How often all runs are made, one round after the other, so that a drift of the machine is shared by all."""
    replication: Annotated[int, Number(1, 512, whole=True)] = 2
    """Copies of each block."""
    properties: Annotated[Mapping[str, str], Example({"dfs.blocksize": "1048576"})] = {}
    """Further properties of daemons and clients, each a text: those that begin with yarn. or mapreduce. are YARN's."""
    intervals: Annotated[Mapping[str, Annotated[float, Seconds()]], Example({"blockReport": "20 s"})] = {}
    """Intervals that are lowered so that a recording sees them, by method; mining scales them back to the real ones."""
    faults: Annotated[
        tuple[Annotated[str, Text(parse_fault, FAULTS)], ...], Example(["kill datanode 0 after 20 s"])
    ] = ()
    """What happens to nodes while the command runs, counted from its start."""
    timeout_s: Annotated[float, Seconds()] = 1800.0
    """Longest time of one run of the command."""
    settle_s: Annotated[float | None, Seconds(), Example("10 s")] = None
    """How long each recording goes on after its command, so that the last calls of nodes are seen: 3.5 s by default, and
    10 s with YARN, whose application masters and containers end later than their clients."""
    fresh: Flag = False
    """Whether ids begin at Hadoop's first ones, instead of random ones."""
    name: Annotated[str | None, Example("monday")] = None
    """Of the Trace; of several NAME-1, NAME-2, ...; the next free numbers by default."""

    def moved(self, change: Change) -> Self:
        """The command's program moves, too, where it is a path; nobody knows which of its arguments are paths."""
        program, *arguments = self.command
        if "/" in program:
            program = str(change(Path(program)))
            program = program if "/" in program else f"./{program}"  # or it would be looked for on the PATH
        return super().moved(change).replaced(command=(program, *arguments))

    @property
    def runs(self) -> list[Scale]:
        """The Scale of each run.

        Raises:
            InputError: variables or their values that no runs can have.
        """
        datanodes = [Quantity(number) for number in self.datanodes]
        lists = {DATANODES: datanodes}
        if self.nodemanagers:
            lists[NODEMANAGERS] = [Quantity(number) for number in self.nodemanagers]
        lists |= {name: list(values) for name, values in self.scales.items()}
        check_lists(lists)
        return scales_of(lists, cross=self.cross) * self.repeats

    def check(self) -> None:
        """Refuse runs that cannot be.

        Raises:
            FieldError: so they are.
        """
        for name in NODES:
            if name in self.scales:
                message = "has a field of its own"
                raise FieldError(message, names=("scales",), found=name, allowed="other variables")
        of_yarn = next((key for key in self.properties if key.startswith(PREFIXES)), None)
        if of_yarn is not None and not self.nodemanagers:
            message = "is YARN's, which runs only where nodemanagers are given"
            raise FieldError(message, names=("properties",), found=of_yarn, allowed="properties of HDFS")
        with below("scales"):
            runs = self.runs
        with below("faults"):
            for scale in runs:
                check_nodes([parse_fault(text) for text in self.faults], scale)
        with below("intervals"):
            lowered(self.intervals, self.properties)


class RecordScenario(Model):
    """Run a job on small real clusters, and record every call."""

    kind: ClassVar[str] = "record"
    target: ReleaseTarget = ReleaseTarget()
    """Whose daemons are started."""
    record: Recording
    """What is recorded."""
    seed: Annotated[int, Number(whole=True)] = 0
    """Root of every random choice."""


class HeapScenario(Model):
    """Measure the heap of NameNodes with namespaces of several sizes → a law, and what it says of published clusters."""

    kind: ClassVar[str] = "heap"
    target: ReleaseTarget = ReleaseTarget()
    """Whose NameNodes are started."""
    inodes: Annotated[
        tuple[Annotated[int, Number(10_000, 10**8, whole=True)], ...], Example([300_000, 600_000, 1_200_000])
    ] = ()
    """Files and folders of each namespace, three sizes or more; by default three as large as the free memory allows, of
    12 million at most."""
    seed: Annotated[int, Number(whole=True)] = 0
    """Root of every random choice."""

    def check(self) -> None:
        """Refuse sizes from which no law follows.

        Raises:
            FieldError: they are fewer than three.
        """
        if 0 < len(set(self.inodes)) < _LEAST_SIZES:
            raise FieldError(
                "are too few", names=("inodes",), found=len(set(self.inodes)), allowed="three sizes or more"
            )


class DynoScenario(PlayOptions):
    """Do what clients did at a NameNode again, on its image, with emulated DataNodes that hold its blocks."""

    kind: ClassVar[str] = "dyno"
    target: Target = Target()
    """Who is called."""
    namespace: MadeNamespace = MadeNamespace()
    """What it starts from, in place of `target.image`."""
    load: ReplayLoad
    """What is done again."""
    nodes: ReplayNodes = ReplayNodes()
    """Emulated nodes."""
    warm_up_s: Annotated[float, Seconds(zero=True, most_s=3600)] = 10.0
    """How long a NameNode that is started is asked, before it is measured."""

    def check(self) -> None:
        """Refuse to grow a load without its namespace, and to make a load up on none.

        Raises:
            FieldError: what it plays on cannot grow, or is not there, or is there twice.
        """
        PlayOptions.check(self)
        made, growth = self.namespace.profile, self.load.growth
        images = [each for each in (self.target.image, made) if each is not None]
        if made and (self.target.running or len(images) > 1):
            message = "stands beside a namespace that is there"
            allowed = "without target.image and target.running"
            raise FieldError(message, names=("namespace", "profile"), allowed=allowed)
        if self.load.made.rate is not None and not images:
            message = "needs an image, on whose paths the log is made up"
            allowed = "with target.image or namespace.profile"
            raise FieldError(message, names=("load", "made", "rate"), allowed=allowed)
        if growth.namespace > 1 and not images:
            message = "needs an image that grows"
            allowed = "with target.image or namespace.profile"
            raise FieldError(message, names=("load", "growth", "namespace"), allowed=allowed)
        grown = next((name for name in ("clients", "namespace") if getattr(growth, name) > 1), None)
        if grown is None:
            return
        names = ("load", "growth", grown)
        if self.target.running:
            message = "needs a namespace that grows, and that of a NameNode which runs already does not"
            raise FieldError(message, names=names, allowed="a NameNode that Froude starts")
        if self.nodes.datanodes.blocks is not None:
            message = "makes more blocks than lists hold that were made before"
            raise FieldError(message, names=names, allowed="without nodes.datanodes.blocks")

    def kept(self, folder: Path) -> str:
        """The scenario to keep in a run's folder."""
        return scenario_text(self, folder)


class Comparing(Model):
    """How every arm of a sweep is compared with the first; to be chosen before the runs are made."""

    primary: Annotated[str, Text(check_primary, PRIMARY_TEXT)] = DEFAULT_PRIMARY
    """The measure to which half of the chance of error is given."""
    margin: Annotated[float, Number(0.001, 1)] = DEFAULT_MARGIN
    """Share by which an arm may differ and still count as the same."""
    level: Annotated[float, Number(0.0001, 0.5)] = DEFAULT_LEVEL
    """Chance of one false difference or more, among all arms and all measures that decide."""
    limited: Flag = False
    """Whether runs that player or busy machine limited count as well; such limits are the same for all arms."""


class Finding(Model):
    """What others have found, to be looked for in a sweep: the answer begins with whether it was reproduced."""

    claim: Annotated[str | None, Example("a block takes longer to place the more DataNodes there are")] = None
    """What is claimed, in words."""
    limits: Annotated[
        tuple[Annotated[str, Text(parse_stated, STATED)], ...], Example(["last/first: p50(addBlock) > 1.2"])
    ] = ()
    """What holds of the first arm, of the last, or of the last beside the first, if it is so. A run that breaks limits
    of the base does not count."""

    def check(self) -> None:
        """Refuse a claim that nothing decides, and limits that decide nothing.

        Raises:
            FieldError: so it is.
        """
        if (self.claim is None) == bool(self.limits):
            name, other = ("limits", "claim") if self.claim else ("claim", "limits")
            raise FieldError("is missing", names=(name,), allowed=f"{other} and {name}, or neither")


class SweepScenario(Model):
    """The same experiment with some of its fields varied."""

    kind: ClassVar[str] = "sweep"
    base: Annotated[Place, Example("base.yaml", active=True)]
    """File of the scenario that is varied."""
    vary: Annotated[
        Mapping[str, Annotated[tuple[Annotated[Any, Plain()], ...], Field(min_length=1)]],
        Example({"target.heap": ["1 GB", "4 GB"]}, active=True),
    ]
    """Values of its fields, by their names, sections before a dot; every value with every other. One with a single
    value is the same in all arms."""
    repeats: Annotated[int, Number(1, 1000, whole=True)] = 3
    """Runs of each combination, in turns, so that a drift of the machine is shared by all."""
    seed: Annotated[int, Number(whole=True)] = 0
    """Root of every random choice."""
    compare: Comparing = Comparing()
    """How every arm is compared with the first."""
    finding: Finding = Finding()
    """What it is to show."""

    @property
    def varied(self) -> tuple[str, ...]:
        """The fields by which arms differ; those with one value are the same in all."""
        return tuple(names for names, values in self.vary.items() if len(values) > 1)


Scenario = (
    PlayScenario | KneeScenario | DuetScenario | RecordScenario | DynoScenario | SweepScenario | HeapScenario
)
KINDS: Mapping[str, type[Scenario]] = {each.kind: each for each in get_args(Scenario)}
"""The value of each kind."""


class Opened(NamedTuple):
    """A scenario that was read."""

    scenario: Scenario
    """With paths as seen from here."""
    content: str
    """The hash of its file's content."""


def read_scenario(path: Path) -> Opened:
    """Read a scenario; relative paths in it become relative to the current folder.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    opened = open_document(path, MIGRATIONS)
    return Opened(scenario_of(opened.root.fields, path), opened.content)


def scenario_of(fields: Fields, path: Path) -> Scenario:
    """A scenario of the fields of its document, with paths as seen from here.

    Args:
        path: the document's, for errors and for paths in it.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    return read_kind(KINDS, fields, path)


def scenario_text(scenario: Scenario, folder: Path) -> str:
    """The YAML text of a scenario, with its paths as seen from where it lies.

    Args:
        scenario: with paths as seen from here.
    """
    start = os.path.realpath(folder)
    placed = scenario.moved(lambda path: Path(os.path.relpath(os.path.realpath(path), start)))
    return dump_document(MIGRATIONS.kind, MIGRATIONS.newest, {KIND: scenario.kind, **placed.plain()})
