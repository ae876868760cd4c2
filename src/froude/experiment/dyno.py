"""`kind: dyno`: the log of a NameNode played again, on its image, with emulated DataNodes that hold its blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from froude.base.errors import InputError
from froude.base.progress import Progress
from froude.base.scratch import Scratch
from froude.base.units import parse_zone
from froude.emulation.limits import parse_limit
from froude.emulation.programs.audit.lines import Head
from froude.emulation.run import Run
from froude.experiment.accounts import account_properties, owners
from froude.experiment.admission import check_targets
from froude.experiment.block_lists import open_block_lists, write_block_lists
from froude.experiment.execution import Execution, properties_of, running_targets
from froude.experiment.growth import Growth, plan_growth
from froude.experiment.play import play
from froude.experiment.replay import make_ready, replay_plan
from froude.experiment.scenario import DynoScenario
from froude.experiment.sections import PlayOptions, ReplayedDatanodes, ReplayLoad
from froude.experiment.warm_up import warm_up
from froude.hadoop.distribution import Hadoop
from froude.hadoop.fsimage.block_lists import Cluster
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.namespace import Namespace, read_namespace
from froude.hadoop.fsimage.oiv import open_any
from froude.hadoop.fsimage.placement import Topology
from froude.hadoop.fsimage.replicas import fullest_storage
from froude.hadoop.fsimage.saving import transaction_of
from froude.hadoop.fsimage.sections import Reader
from froude.hadoop.fsimage.striping import Scheme, scheme, schemes
from froude.hadoop.name_directory import newest_image
from froude.hadoop.namenode import NameNode
from froude.render.format import size
from froude.trace.audit.cut import Cut
from froude.trace.audit.files import AuditLog, open_audit
from froude.trace.importers.audit_log import import_audit
from froude.trace.importers.audit_pieces import Options
from froude.trace.importers.image_cut import cut_by_edits, cut_by_namespace
from froude.workload.plan import Plan

_ACCOUNTS = (
    "Permissions are checked. Each user is in the group of its own name, and in those that it owns something with in "
    "the image; the owner of / is a superuser."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options(PlayOptions):
    """Those of a scenario whose blocks were laid down for this run."""

    scenario: DynoScenario

    def kept(self, folder: Path) -> str:
        """The scenario as it was asked for.

        Args:
            folder: the run's.
        """
        return self.scenario.kept(folder)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Inputs that were read and made ready, for one run or for several that have them in common."""

    plan: Plan
    datanodes: ReplayedDatanodes
    """With the blocks that they hold."""
    image: Path | None
    """Alone: what edits hold behind it is in the log, too."""
    properties: dict[str, str]
    """Of the NameNode: the accounts of the log."""

    def options(self, scenario: DynoScenario) -> PlayOptions:
        """How a scenario is played on these inputs.

        Args:
            scenario: one of the same `inputs_of`.
        """
        ours = self.datanodes
        datanodes = replace(
            scenario.nodes.datanodes,
            blocks=ours.blocks,
            count=ours.count,
            storages=ours.storages,
            capacity_bytes=max(ours.capacity_bytes, scenario.nodes.datanodes.capacity_bytes),
        )
        return _Options(
            load=scenario.load,
            nodes=replace(scenario.nodes, datanodes=datanodes),
            seed=scenario.seed,
            record=scenario.record,
            limits=scenario.limits,
            check_counts=scenario.check_counts,
            scenario=scenario,
        )


def inputs_of(scenario: DynoScenario) -> object:
    """What is made ready before a run depends on: scenarios in which this is equal may share it.

    Where its blocks lie depends on the seed, too: runs that share them hold the same ones.

    Args:
        scenario: of the run.
    """
    load, nodes = scenario.load, scenario.nodes.datanodes
    read = (load.audit_log, load.edits, load.time_zone, load.cut, load.growth)
    return (
        scenario.target.release,
        scenario.target.image,
        read,
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
        return [
            *load.audit_log,
            *(path for path in (load.edits, target.image, nodes.datanodes.blocks) if path is not None),
        ]

    def check(self) -> None:
        """Whether all that it reads is there, and its targets could be admitted."""
        for path in self.sources:
            if not path.exists():
                raise InputError("does not exist", file=path)
            if not (path.is_file() or path.is_dir()):
                raise InputError("is neither a file nor a folder", file=path)
        for text in self.scenario.limits:
            parse_limit(text)
        check_targets(running_targets(self.scenario.target.running), ())
        properties_of(self.scenario.target)
        if self.scenario.load.edits is not None and self.scenario.target.image is None:
            raise InputError(
                "are for a log that is cut at an image", place="load.edits", allowed="with target.image"
            )

    def run(self, execution: Execution) -> Run:
        """Play it; its run is kept in the output, with the scenario."""
        self.check()
        hadoop = Hadoop.find(self.scenario.target.release, progress=execution.progress)
        with Scratch("dyno") as scratch:
            prepared = prepare(self.scenario, hadoop, scratch, execution.progress)
            return self.run_on(prepared, hadoop, execution)

    def run_on(self, prepared: Prepared, hadoop: Hadoop, execution: Execution) -> Run:
        """Play it on inputs that are ready.

        Args:
            prepared: of this scenario, or of another with the same `inputs_of`.
            hadoop: the release.
            execution: where it is run.
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
                warm_up(namenode, self.scenario.warm_up_s, changes=target.image is None)
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
    )


def prepare(scenario: DynoScenario, hadoop: Hadoop, scratch: Path, progress: Progress) -> Prepared:
    """Read the image, lay down its blocks, read the log.

    Args:
        scenario: what is read.
        hadoop: the release, for its schema.
        scratch: an empty folder, which stays while it is played.
        progress: shows what goes on.

    Raises:
        InputError: one of the inputs is not what it should be.
    """
    schema = hadoop.schema()
    image = None if scenario.target.image is None else newest_image(scenario.target.image)
    namespace: Namespace | None = None
    nodes, remarks, cut, known = scenario.nodes, list[str](), None, dict[int, Scheme]()
    if image is not None:
        with progress.task(f"Reading {image.name}"):
            (scratch / "image").mkdir()
            opened = open_any(image, schema, scratch / "image")
            namespace = read_namespace(opened, schema, scratch / "image")
        known = dict(schemes(Reader(opened, schema)))
        _check_room(namespace, known, nodes.datanodes.count, image)
        if scenario.load.cut and not scenario.load.imported:
            with progress.task("Looking where the log is to be cut"):
                edits = scenario.load.edits
                cut = (
                    cut_by_namespace(opened, schema, namespace)
                    if edits is None
                    else cut_by_edits(image, edits, schema, hadoop)
                )
    log = _log(scenario.load, cut, scratch, progress)
    growth: Growth | None = None
    if scenario.load.growth.clients > 1:
        with progress.task("Looking which clients belong together"):
            growth = plan_growth(log, scenario.load.growth.clients, namespace, scenario.seed)
        if namespace is not None and image is not None:
            with progress.task("Writing the grown image"):
                image = scratch / f"fsimage_{transaction_of(image):019d}"
                growth.write_image(opened, namespace, schema, image)
                (scratch / "grown").mkdir()
                namespace = read_namespace(open_image(image, schema), schema, scratch / "grown")
    if namespace is not None and nodes.datanodes.blocks is None and nodes.datanodes.count:
        with progress.task("Placing its blocks"):
            topology = Topology(nodes.datanodes.count, nodes.datanodes.racks)
            cluster = Cluster(topology, ("DISK",) * nodes.datanodes.storages)
            write_block_lists(scratch / "blocks", namespace, known, cluster, seed=scenario.seed)
        nodes = replace(nodes, datanodes=replace(nodes.datanodes, blocks=scratch / "blocks"))
    if nodes.datanodes.blocks is not None:
        held = _with_room(nodes.datanodes)
        if held.capacity_bytes > nodes.datanodes.capacity_bytes:
            remarks.append(
                f"The fullest storage holds {size(held.capacity_bytes // 2)}; all have been given a capacity of "
                f"{size(held.capacity_bytes)}, so that there is room."
            )
        nodes = replace(nodes, datanodes=held)
    with progress.task("Making the log ready"):
        lines = log.lines() if growth is None else growth.lines()
        head = make_ready(lines, scratch / "lines.json")
    if growth is not None:
        remarks = [*growth.remarks(), *remarks]
    if not scenario.target.running:
        remarks.insert(0, _ACCOUNTS)
    if log.meta.cut:
        remarks.insert(0, f"The log was cut {log.meta.cut}.")
    plan = replay_plan(scratch / "lines.json", head, datanodes=nodes.datanodes.count, remarks=remarks)
    return Prepared(plan, nodes.datanodes, image, _accounts(head, namespace))


def _with_room(datanodes: ReplayedDatanodes) -> ReplayedDatanodes:
    """DataNodes as many and as large as the lists of their blocks want."""
    lists = open_block_lists(datanodes.blocks or Path())
    return replace(
        datanodes,
        count=lists.cluster.topology.nodes,
        storages=len(lists.cluster.storages),
        capacity_bytes=max(datanodes.capacity_bytes, 2 * fullest_storage(lists.lists)),
    )


def _check_room(namespace: Namespace, known: Mapping[int, Scheme], datanodes: int, image: Path) -> None:
    """Refuse DataNodes that cannot hold the blocks, so that their NameNode never left safe mode."""
    policies = np.unique(namespace.column("erasure"))
    least = max((scheme(int(each), known).data for each in policies if each >= 0), default=1)
    if namespace.blocks.num_rows and datanodes < least:
        held = "erasure-coded blocks" if least > 1 else "blocks"
        raise InputError(
            f"has {held} that need more DataNodes", file=image, found=datanodes, allowed=f"{least} or more"
        )


def _accounts(head: Head, namespace: Namespace | None) -> dict[str, str]:
    if namespace is None:
        return account_properties(head.clients, {})
    groups, owner = owners(namespace)
    return account_properties(head.clients, groups, [owner])


def _log(load: ReplayLoad, cut: Cut | None, scratch: Path, progress: Progress) -> AuditLog:
    """The log, as it was imported, or imported here and cut at the image."""
    if load.imported:
        if len(load.audit_log) > 1 or load.edits is not None:
            raise InputError(
                "is an imported log, which is whole and cut already",
                file=load.audit_log[0],
                allowed="it alone, without edits",
            )
        return open_audit(load.audit_log[0])
    options = Options(zone=parse_zone(load.time_zone))
    try:
        return import_audit(load.audit_log, scratch / "audit", options, cut=cut, progress=progress)
    except InputError as error:
        if error.file == str(scratch / "audit"):  # which nobody has named
            error.file = ", ".join(map(str, load.audit_log))
        raise
