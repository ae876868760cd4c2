"""Plans and clusters as documents: JSON that `compile` writes, and YAML or JSON that a user gives to `evaluate`.

A user's cluster needs no shares, bounds or status, and no choices either: the units that hold a dataset tell
them, unless a service keeps it. What a document says and its groups show otherwise (choices, the number of servers,
the gap) is not believed. A server whose price includes parts has them without naming them: cores, DIMMs and
the units of what it holds are those included, where they are left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from froude.base.errors import ChangedError
from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures, open_document
from froude.documents.migrate import Migrations, same
from froude.documents.reading import STAMP, Section, dump_figures
from froude.provision.check.as_built import choice_of
from froude.provision.check.pieces import memory_of
from froude.provision.types import Bundle, Problem
from froude.provision.types.plan import Group, Held, LocalHeld, ProvisionPlan, Running, Status

MIGRATIONS = Migrations("cluster", 2, {1: same})
"""Version 2 has a place for the lineage; a cluster of a user's needs none."""
_MOST = 10**9
"""Largest count read, and seconds."""
_DEAREST = 1e30
"""Dollars: the most that is read."""


def plan_document(plan: ProvisionPlan) -> dict[str, Any]:
    """A plan as JSON takes it; a bound that is not finite is None."""
    return {
        STAMP: MIGRATIONS.stamp,
        "status": plan.status.value,
        "lower": plan.lower if math.isfinite(plan.lower) else None,
        "upper": plan.upper if math.isfinite(plan.upper) else None,
        "gap": plan.gap,
        "servers": plan.servers,
        "seconds": plan.seconds,
        "split": plan.split,
        "cpus": plan.cpus,
        "spread": plan.spread,
        "spares": plan.spares,
        "choices": {name: list(units) for name, units in plan.choices.items()},
        "groups": [_group_document(group) for group in plan.groups],
        "conflict": [{**asdict(conflict), "text": str(conflict)} for conflict in plan.conflict],
        "notes": list(plan.notes),
    }


def plan_json(plan: ProvisionPlan, origin: Origin | None = None) -> str:
    """The text of the document.

    Args:
        origin: how it came to be; without one, there is no lineage in it.
    """
    document = plan_document(plan)
    if origin is None:
        return dump_figures(MIGRATIONS.kind, MIGRATIONS.newest, document)
    return dump_sealed_figures(MIGRATIONS, document, origin)


def _group_document(group: Group) -> dict[str, Any]:
    """Its server first, and what is in it last, for people."""
    fields = asdict(group)
    inside = {name: fields.pop(name) for name in ("held", "local", "running")}
    return {**fields, **{name: list(part) for name, part in inside.items()}}


def read_cluster(path: Path, problem: Problem) -> ProvisionPlan:
    """A plan or a user's cluster, with names that stand in the inputs.

    Args:
        path: of the JSON or YAML.
        problem: the inputs, whose names it may use.

    Raises:
        ChangedError: it says by its lineage that Froude wrote it, and it is not what was written.
        InputError: not such a document, or a name, number or field that is wrong.
    """
    document = open_document(path, MIGRATIONS)
    root = document.root
    if document.edited:
        try:
            document.check()
        except ChangedError as error:
            error.remedy = "Restore it; or take its lineage away, and it is a cluster of your own"
            raise
    for name in ("gap", "servers", "conflict"):
        root.raw(name)
    status = root.value("status", Status, Status.GAP)
    names = _Names(problem)
    groups = tuple(names.group(section) for section in root.sections("groups"))
    if not groups:
        raise root.error("groups", "has no servers", allowed="at least one group")
    if status in {Status.INFEASIBLE, Status.UNDECIDED}:
        raise root.error("status", "says that there is no cluster", found=status.value, allowed="no groups")
    choices = names.choices(root, groups)
    plan = ProvisionPlan(
        status,
        groups,
        choices,
        lower=_dollars(root, "lower", 0.0),
        upper=_dollars(root, "upper", math.inf),
        seconds=root.value("seconds", float, 0.0, within=(0.0, _MOST)),
        split=_split(root.section("split"), problem),
        cpus=names.cpus(root.section("cpus")),
        spread=None if root.raw("spread") is None else _count(root, "spread", None),
        spares=names.spares(root.section("spares")),
        notes=tuple(map(str, root.items("notes"))),
    )
    root.finish()
    return plan


def _dollars(root: Section, name: str, default: float) -> float:
    return default if root.raw(name) is None else root.value(name, float, within=(0.0, _DEAREST))


class _Names:
    """Reads the parts of a cluster; every name must stand in the inputs."""

    def __init__(self, problem: Problem) -> None:
        catalog, application = problem.catalog, problem.application
        self.problem, self.catalog = problem, catalog
        self.memory = memory_of(problem).name
        self.units = [unit.name for unit in catalog.units]
        self.servers = [server.name for server in catalog.servers]
        self.core_types = [cpu.name for cpu in catalog.cpus]
        self.standing = [unit.name for unit in catalog.units if not unit.service]
        self.datasets = [dataset.name for dataset in application.datasets]
        self.remote = [dataset.name for dataset in application.datasets if dataset.remote]
        self.beside = [dataset.name for dataset in application.datasets if not dataset.remote]
        self.tasks = [task.name for task in application.tasks]

    def group(self, section: Section) -> Group:
        server = self._name(section, "server", self.servers)
        bundle = self.catalog.server(server).bundle or Bundle()
        held, local = list(section.sections("held")), list(section.sections("local"))
        left = _left(bundle, [*held, *local])
        group = Group(
            server,
            _count(section, "count", 1),
            tuple(self._held(part, left) for part in held),
            tuple(self._local(part, left) for part in local),
            tuple(self._running(running) for running in section.sections("running")),
            _count(section, "cores", bundle.cores),
            _count(section, "dimms", max(0, left[self.memory])),
        )
        if group.count < 1:
            raise section.error("count", "is out of range", found=group.count, allowed="1 or above")
        section.finish()
        return group

    def cpus(self, section: Section) -> dict[str, str]:
        """Core type per task."""
        for task in section.names():
            if task not in self.tasks:
                raise section.error(task, "leads nowhere", found=repr(task), allowed=self.tasks)
        return {task: self._name(section, task, self.core_types) for task in section.names()}

    def spares(self, section: Section) -> dict[str, int]:
        """Pieces beyond those in the servers."""
        known = [*self.servers, *self.units, *self.core_types]
        for name in section.names():
            if name not in known:
                raise section.error(name, "leads nowhere", found=repr(name), allowed=known)
        return {name: _count(section, name, None) for name in section.names()}

    def choices(self, root: Section, groups: tuple[Group, ...]) -> dict[str, tuple[str, ...]]:
        """Those of the units that hold each dataset; as given for what stands on no server."""
        given = root.section("choices")
        stored: dict[str, tuple[str, ...]] = {}
        for name in self.datasets:
            said = tuple(map(str, given.items(name)))
            chosen = choice_of(self.problem, groups, name, said)
            unknown = [unit for unit in (*chosen, *said) if unit not in self.units]
            if unknown or not 1 <= len(chosen) <= 2:
                section, place = (given, name) if unknown else (root, "groups")
                raise section.error(
                    place,
                    f"dataset {name} is stored on no unit, or on more than a unit and its cache",
                    found=", ".join(unknown or chosen) or "nothing",
                    allowed="one of " + ", ".join(self.units) + ", or two of them",
                )
            stored[name] = chosen
        given.finish()
        return stored

    def _held(self, section: Section, left: Counter[str]) -> Held:
        unit = self._unit(section)
        held = Held(
            self._dataset(section, self.remote, "a remote dataset"),
            unit,
            _units(section, unit, left),
            _share(section),
            section.value("cache", bool, False),
        )
        section.finish()
        return held

    def _local(self, section: Section, left: Counter[str]) -> LocalHeld:
        unit = self._unit(section)
        held = LocalHeld(
            self._dataset(section, self.beside, "a dataset that is not remote"),
            unit,
            _units(section, unit, left),
        )
        section.finish()
        return held

    def _running(self, section: Section) -> Running:
        running = Running(
            self._name(section, "task", self.tasks), _count(section, "instances", None), _share(section)
        )
        section.finish()
        return running

    def _unit(self, section: Section) -> str:
        name = self._name(section, "unit", self.units)
        if name not in self.standing:
            allowed = self.standing
            raise section.error("unit", "is a service, and stands in no server", found=name, allowed=allowed)
        return name

    def _dataset(self, section: Section, fitting: list[str], what: str) -> str:
        name = self._name(section, "dataset", self.datasets)
        if name not in fitting:
            allowed = f"{what}: {', '.join(fitting) or 'none'}"
            raise section.error("dataset", "does not belong here", found=name, allowed=allowed)
        return name

    @staticmethod
    def _name(section: Section, field: str, known: list[str]) -> str:
        name = section.value(field, str)
        if name not in known:
            raise section.error(field, "leads nowhere", found=repr(name), allowed=known)
        return name


def _left(bundle: Bundle, stored: Sequence[Section]) -> Counter[str]:
    """Included pieces that are not named by their number."""
    left = Counter(dict(bundle.units))
    for section in stored:
        if isinstance(section.raw("units"), int):
            left[str(section.raw("unit"))] -= section.raw("units")
    return left


def _units(section: Section, unit: str, left: Counter[str]) -> int:
    """As given, or all that is left of what the server's price includes."""
    if "units" in section or left[unit] <= 0:
        return _count(section, "units", None)
    count, left[unit] = left[unit], 0
    return count


def _split(section: Section, problem: Problem) -> dict[str, float]:
    shares = {name: section.value(name, float) for name in section.names()}
    batch = problem.sla.batch
    targets = batch.targets if batch is not None else ()
    phases = list(dict.fromkeys(problem.application.task(target.task).phase for target in targets))
    for name, share in shares.items():
        if name not in phases:
            message = "leads nowhere" if phases else "leads nowhere: there is no batch job"
            raise section.error(name, message, found=name, allowed=phases)
        if not 0 < share <= 1:
            raise section.error(name, "is out of range", found=share, allowed="above 0 and at most 1")
    if shares and len(shares) < len(phases):
        missing = ", ".join(phase for phase in phases if phase not in shares)
        raise section.error(None, f"has no share for {missing}", allowed="one for each phase")
    if sum(shares.values()) > 1 + 1e-9:
        raise section.error(
            None, "adds up to more than all the time", found=sum(shares.values()), allowed="1"
        )
    return shares


def _count(section: Section, name: str, default: int | None) -> int:
    return section.value(name, int, default, within=(0, _MOST))


def _share(section: Section) -> float:
    return section.value("share", float, 0.0, within=(0, 1))
