"""How an experiment that was written down is run: where, who sees it, and the NameNode that is started for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from zipfile import is_zipfile

from froude.base.errors import InputError
from froude.base.parallel import Workers
from froude.base.progress import Progress, Silent
from froude.experiment.play.admission import TargetLike, Targets
from froude.experiment.play.live import Live
from froude.experiment.scenario.options import ANY, NameNodeTarget, Running
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.resourcemanager import ResourceManager
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.release.jvm import Java
from froude.hadoop.site import read_site, strip_production

_SITES = ("core-site.xml", "hdfs-site.xml")


@dataclass(frozen=True, slots=True)
class Execution:
    """Where an experiment is run, and who sees what goes on."""

    output: Path
    """Folder of a run; what else an experiment gives, it returns."""
    workspace: Path = Path()
    """Folder around which Traces are kept."""
    progress: Progress = field(default_factory=Silent)
    command: str = ""
    """The command line as typed, for lineages."""
    live: Live = field(default_factory=Live)
    """Is told what goes on in a play."""
    java: Java | None = None
    """Runs the daemons; None for the first here that runs their release."""
    workers: Workers = 1
    """A scheduler whose workers play; numbers are not looked at here."""


class Runner(Protocol):
    """An experiment whose inputs were read."""

    def check(self) -> None:
        """Refuse what can be known to fail; nothing is started, and nobody is called.

        Raises:
            FroudeError: saying why.
        """
        ...

    def run(self, execution: Execution) -> Any:
        """Do it.

        Returns:
            What came of it: of one kind for each kind of scenario.
        """
        ...


def running_targets(targets: Mapping[str, Running]) -> Targets:
    """The targets of a scenario as a play takes them, by service."""
    return {"" if service == ANY else service: each for service, each in targets.items()}


def properties_of(target: NameNodeTarget) -> dict[str, str]:
    """The properties of a NameNode that is started: those of a folder without what points at its cluster, and its own.

    Raises:
        InputError: the folder has no configuration, or one that cannot be read.
    """
    files = [] if target.conf is None else [target.conf / name for name in _SITES]
    there = [file for file in files if file.is_file()]
    if files and not there:
        raise InputError("has no configuration", file=target.conf, allowed=" or ".join(_SITES))
    read = {name: value for file in there for name, value in read_site(file).items()}
    return {**strip_production(read)[0], **target.properties}


def patches_of(target: NameNodeTarget) -> list[Path]:
    """The jars whose classes take the place of the release's own, in the order of their names.

    Raises:
        InputError: the folder has none.
    """
    if target.jars is None:
        return []
    if not target.jars.is_dir():
        raise InputError("is no folder", file=target.jars, allowed="a folder with files *.jar")
    jars = sorted(target.jars.resolve().glob("*.jar"))
    if not jars:
        raise InputError("has no jars", file=target.jars, allowed="a folder with files *.jar")
    for each in jars:
        if ":" in str(each):
            raise InputError("cannot be on a class path, whose parts `:` separates", file=each)
        if not (each.is_file() and is_zipfile(each)):
            raise InputError("is no jar", file=each, allowed="a ZIP archive")
    return jars


@contextmanager
def started_for(
    daemons: Sequence[str], target: NameNodeTarget, hadoop: Hadoop
) -> Iterator[NameNode | dict[str, TargetLike]]:
    """The daemons of a scenario that a plan is played against: a NameNode, or by service, a ResourceManager among them.

    Args:
        daemons: which of them (`PlanFacts`).
        target: what the scenario says of them.

    Raises:
        InputError: their configuration cannot be read, or the release has no YARN.
        TargetError: one does not come up.
    """
    called, namenode = dict[str, TargetLike](), namenode_of(target, hadoop)
    with ExitStack() as stack:
        if "namenode" in daemons:
            stack.enter_context(namenode)
        if "resourcemanager" in daemons:
            conf, heap = target.properties, target.resourcemanager_heap
            master = ResourceManager(
                hadoop, heap=heap, conf=conf, flags=target.java_options, patches=patches_of(target)
            )
            called = {each: namenode if each == "namenode" else master for each in daemons}
            stack.enter_context(master)
        yield called or namenode


def namenode_of(target: NameNodeTarget, hadoop: Hadoop) -> NameNode:
    """The NameNode of a scenario, not yet entered.

    Raises:
        InputError: its configuration cannot be read.
    """
    conf = properties_of(target)
    return NameNode(
        hadoop,
        heap=target.heap,
        conf=conf,
        image=target.image,
        flags=target.java_options,
        patches=patches_of(target),
    )
