"""What no element can tell alone: names that lead nowhere, units without a bus, loops of calls without end.

Each part is checked against those that are there: one file of three can be validated alone. Racks, their loss and the
time to re-replicate ask for other parts as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sized

from froude.base.errors import nearest
from froude.provision.inputs.blanks import is_blank
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.model.rates import gain
from froude.provision.types import (
    Application,
    Batch,
    Bus,
    Catalog,
    Dataset,
    Io,
    Lost,
    Options,
    Persistence,
    RackLoss,
    Scope,
    Server,
    Sla,
    StorageUnit,
)


class Crosscheck:
    """Checks parts against each other and says where in the files they stand."""

    def __init__(self, elements: Iterable[Element], flaws: Flaws) -> None:
        self._elements = list(elements)
        self._flaws = flaws

    def catalog(self, catalog: Catalog) -> None:
        """Every unit has a bus that some server takes; servers name core types and bundle units that exist."""
        buses = self._names("bus", (bus.name for server in catalog.servers for bus in server.buses))
        for unit in catalog.units:
            if unit.bus not in buses and not unit.service:
                at = self._find("storage_unit", unit.name)
                hint = nearest(unit.bus, buses)
                self._flaws.add(
                    at,
                    f"is on no server{hint}",
                    name="bus",
                    found=repr(unit.bus),
                    allowed=_listed(buses),
                )
        cpus, units = self._cpus(catalog), {unit.name: unit for unit in catalog.units}
        elements = {e.fields["name"].text.strip(): e for e in self._elements if _has(e, "server", "name")}
        for server in catalog.servers:
            self._refers(elements[server.name], "cpu", cpus)
            self._bundle(server, elements[server.name], units)

    def _bundle(self, server: Server, at: Element, units: dict[str, StorageUnit]) -> None:
        """What a bundle includes exists, and has its slots."""
        included = server.bundle.units if server.bundle is not None else ()
        for child in (c for part in at.children if part.tag == "bundle" for c in part.children):
            self._refers(child, "unit", self._names("storage_unit", units))
            name = child.fields["unit"].text.strip() if "unit" in child.fields else ""
            if name in units and units[name].service:
                self._flaws.add(
                    child, "is a service, which no server includes", name="unit", found=repr(name)
                )
        pieces: Counter[str] = Counter()
        for name, count in included:
            if name in units and not units[name].service:
                pieces[units[name].bus] += count
        whole = len(server.buses) == sum(child.tag == "bus" for child in at.children)
        for bus, count in pieces.items() if whole else ():
            slots = (server.bus(bus) or _NO_BUS).slots
            if count > slots:
                self._flaws.add(
                    at, f"includes {count} units on bus {bus}", allowed=f"at most its {slots} slots"
                )

    def core_types(self, catalog: Catalog) -> None:
        """Times of compute operations name core types."""
        cpus = self._cpus(catalog)
        for child in self._elements:
            if child.tag == "on":
                self._refers(child, "cpu", cpus)

    def _cpus(self, catalog: Catalog) -> list[str]:
        return self._names("cpu", (cpu.name for cpu in catalog.cpus))

    def survival(self, options: Options, application: Application) -> None:
        """What must outlive failing servers stands on more of them than may fail.

        Args:
            options: how many servers may fail at once (`survive_hosts`); 0 asks for nothing.
            application: its persistent datasets must have a copy, or enough fragments, on the servers that are left.
        """
        failing = options.survive_hosts
        for dataset in application.datasets if failing else ():
            if dataset.persistent is Persistence.REQUIRED and not _outlives(dataset, failing):
                at = self._find("dataset", dataset.name)
                if dataset.remote:
                    name = "replication" if dataset.erasure is None else "erasure"
                    allowed = (
                        f"replication of {failing + 1} or more, or erasure with {failing} or more of parity"
                    )
                else:
                    name, allowed = "scope", "replicated, or remote with replication"
                self._flaws.add(
                    at,
                    "is persistent and does not outlive survive_hosts",
                    name=name,
                    found=f"survive_hosts {failing}",
                    allowed=allowed,
                )

    def racks(self, options: Options, catalog: Catalog) -> None:
        """A lost rack needs racks."""
        if not self._has_racks(catalog) and options.survive_rack is not RackLoss.NONE:
            at = self._find("options", None)
            message = "asks for racks, and resources has none"
            self._flaws.add(at, message, name="survive_rack", allowed="an element rack")

    def re_replication(self, catalog: Catalog, sla: Sla) -> None:
        """What is lost and re-replicated is there."""
        re_replication = sla.re_replication
        if re_replication is not None and re_replication.of is Lost.RACK and not self._has_racks(catalog):
            at = self._find("re_replication", None)
            message = "is of racks, and resources has none"
            self._flaws.add(at, message, name="of", allowed="server, or an element rack")

    def lost_rack(self, options: Options, application: Application) -> None:
        """What must outlive a rack has pieces in others.

        Args:
            application: its persistent datasets must have replicas or fragments, or be local to tasks that do.
        """
        loss = options.survive_rack
        for dataset in application.datasets if loss is not RackLoss.NONE else ():
            if dataset.persistent is Persistence.REQUIRED and not _outlives_rack(dataset, loss):
                allowed = "replication of 2 or more, or erasure"
                if not dataset.remote:
                    allowed = "scope replicated with survive_rack service, or remote with replication"
                self._flaws.add(
                    self._find("dataset", dataset.name),
                    "is persistent and does not outlive survive_rack",
                    name="replication" if dataset.remote else "scope",
                    found=f"survive_rack {loss.value}",
                    allowed=allowed,
                )

    def application(self, application: Application) -> None:
        """Operations lead to datasets and tasks that exist, and no loop of calls runs away."""
        datasets = self._names("dataset", (dataset.name for dataset in application.datasets))
        tasks = self._names("task", (task.name for task in application.tasks))
        before = bool(self._flaws)
        for child in self._elements:
            if child.tag == "io":
                self._refers(child, "dataset", datasets)
            elif child.tag == "dependency":
                self._refers(child, "task", tasks)
            elif child.tag == "dataset":
                self._refers(child, "local_to", tasks)
        self._owners(application)
        self._records(application)
        if not before and not self._flaws and gain(application) >= 1 - 1e-9:
            at = next(e for e in self._elements if e.tag == "dependency")
            self._flaws.add(
                at,
                "is part of a loop of calls without end",
                found=f"each round of calls causes {gain(application):.4g} more",
                allowed="less than 1",
            )

    def sla(self, sla: Sla, application: Application) -> None:
        """Targets name tasks; a batch job's phases have their share of the time.

        Args:
            sla: of a batch job, the split between the phases must be complete; two phases may leave it out.
            application: whose tasks and phases may be named.
        """
        tasks = [task.name for task in application.tasks]
        for child in self._elements:
            if child.tag in {"sla", "job"}:
                self._refers(child, "task", self._names("task", tasks))
            elif child.tag == "split":
                phases = (e.fields["phase"].text.strip() for e in self._elements if _has(e, "task", "phase"))
                self._refers(child, "phase", [*application.phases, *phases])
        whole = sla.batch is not None and self._all_sound("split", sla.batch.split)
        if sla.batch is not None and whole and all(t.task in tasks for t in sla.batch.targets):
            self._split(sla.batch, application)

    def options(self, options: Options, catalog: Catalog) -> None:
        """Memory is bought as a unit of the catalog.

        Args:
            options: without a memory unit, the catalog must have a volatile one to take.
            catalog: whose units may be named; no service.
        """
        names = self._names("storage_unit", (unit.name for unit in catalog.units))
        if options.memory_unit is not None:
            for child in self._elements:
                if child.tag == "options":
                    self._refers(child, "memory_unit", names)
                    self._memory(child, catalog)
        elif not any(unit.volatile for unit in catalog.units) and self._all_sound(
            "storage_unit", catalog.units
        ):
            at = self._find("resources", None)
            self._flaws.add(at, "has no volatile storage_unit to buy memory as", allowed="one, such as DRAM")

    def _memory(self, at: Element, catalog: Catalog) -> None:
        """Memory stands in slots of servers."""
        named = at.fields["memory_unit"].text.strip() if "memory_unit" in at.fields else None
        if any(unit.service and unit.name == named for unit in catalog.units):
            message = "is a service, and memory stands in servers"
            self._flaws.add(at, message, name="memory_unit", found=repr(named))

    def storable(self, catalog: Catalog, application: Application) -> None:
        """A persistent dataset needs a non-volatile unit; a local one, one that stands in servers.

        Args:
            catalog: units, services among them, that data may be stored on.
            application: its persistent datasets must have such a unit.
        """
        kept = [unit for unit in catalog.units if not unit.volatile]
        inside = any(not unit.service for unit in kept)
        for dataset in application.datasets if self._all_sound("storage_unit", catalog.units) else ():
            if dataset.persistent is Persistence.REQUIRED and not (kept and (dataset.remote or inside)):
                at = self._find("dataset", dataset.name)
                others = " or a service" if kept else ""
                message = f"is persistent and every storage_unit is volatile{others}"
                self._flaws.add(at, message, name="persistent")

    def profiles(self, catalog: Catalog, application: Application) -> None:
        """A dataset's profile is known to some unit.

        Args:
            catalog: whose units' profiles may be named.
            application: its datasets name at most one profile each.
        """
        known = self._names("profile", (profile.name for unit in catalog.units for profile in unit.profiles))
        for dataset in application.datasets:
            if dataset.profile is not None and dataset.profile not in known:
                at = self._find("dataset", dataset.name)
                self._flaws.add(
                    at,
                    f"is a profile of no storage_unit{nearest(dataset.profile, known)}",
                    name="profile",
                    found=repr(dataset.profile),
                    allowed=_listed(known),
                )

    def _refers(self, at: Element, name: str, known: Iterable[str]) -> None:
        names = list(known)
        if name in at.fields and at.fields[name].text.strip() not in names:
            text = at.fields[name].text
            message = f"leads nowhere{nearest(text, names)}"
            self._flaws.add(at, message, name=name, found=repr(text), allowed=_listed(names))

    def _owners(self, application: Application) -> None:
        """A local dataset stands beside one task, and it must be clear which."""
        for dataset in application.datasets:
            users = {
                task.name
                for task in application.tasks
                for op in task.operations
                if isinstance(op, Io) and op.dataset == dataset.name
            }
            at = self._find("dataset", dataset.name)
            if (
                not dataset.remote
                and dataset.local_to is None
                and len(users) != 1
                and self._all_run(application)
            ):
                self._flaws.add(
                    at,
                    f"is local and {len(users) or 'no'} tasks use it; local_to says beside which it stands",
                    name="remote",
                )
            elif dataset.remote and dataset.local_to is not None:
                self._flaws.add(at, "is given for a remote dataset", name="local_to")

    def _all_run(self, application: Application) -> bool:
        """Whether every task and operation was read."""
        asked = sum(len(e.children) for e in self._elements if e.tag == "task")
        read = sum(len(task.operations) for task in application.tasks)
        return asked == read and self._all_sound("task", application.tasks)

    def _records(self, application: Application) -> None:
        """A record is no larger than its dataset."""
        sizes = {dataset.name: dataset.size for dataset in application.datasets}
        for name in [name for name in sizes if self._is_blank("dataset", name, "size")]:
            del sizes[name]
        tasks = [e for e in self._elements if e.tag == "task"]
        if len(tasks) != len(application.tasks):
            return
        for element, task in zip(tasks, application.tasks, strict=True):
            if len(element.children) != len(task.operations):
                continue  # some are wrong already
            for child, op in zip(element.children, task.operations, strict=True):
                if isinstance(op, Io) and op.record_size > sizes.get(op.dataset, op.record_size):
                    self._flaws.add(
                        child,
                        f"is larger than dataset {op.dataset}",
                        name="record_size",
                        found=child.fields["record_size"].text,
                        allowed=f"at most {sizes[op.dataset]:g} bytes",
                    )

    def _split(self, batch: Batch, application: Application) -> None:
        worked = dict.fromkeys(application.task(t.task).phase for t in batch.targets)
        if not batch.split and len(worked) <= 2:
            return  # one phase has all the time; between two the compiler decides
        at = self._find("batch", None)
        for phase in worked:
            if phase not in batch.split:
                self._flaws.add(
                    at, f"gives phase {phase} no share of the time", allowed="an element split for each phase"
                )

    def _names(self, tag: str, sound: Iterable[str]) -> list[str]:
        """Those that are declared: what is wrong with one is told there, and not again wherever it is named."""
        flawed = (e.fields["name"].text.strip() for e in self._elements if _has(e, tag, "name"))
        return list(dict.fromkeys([*sound, *flawed]))

    def _all_sound(self, tag: str, sound: Sized) -> bool:
        return len(sound) >= sum(element.tag == tag for element in self._elements)

    def _has_racks(self, catalog: Catalog) -> bool:
        """Whether there are racks, or one that is wrong, which is an error already."""
        return catalog.rack is not None or any(element.tag == "rack" for element in self._elements)

    def _is_blank(self, tag: str, name: str, field: str) -> bool:
        text = self._find(tag, name).fields.get(field)
        return text is not None and is_blank(text.text)

    def _find(self, tag: str, name: str | None) -> Element:
        for element in self._elements:
            title = element.fields.get("name")
            if element.tag == tag and (name is None or (title is not None and title.text.strip() == name)):
                return element
        return self._elements[0]


_NO_BUS = Bus("", 0, 1.0)


def _has(element: Element, tag: str, field: str) -> bool:
    return element.tag == tag and field in element.fields


def _outlives(dataset: Dataset, failing: int) -> bool:
    """Is there a copy, or enough fragments, when so many servers are gone?"""
    if not dataset.remote:
        return dataset.scope is not Scope.PARTITIONED
    return dataset.replication > failing or (dataset.erasure is not None and dataset.erasure[1] >= failing)


def _outlives_rack(dataset: Dataset, loss: RackLoss) -> bool:
    if not dataset.remote:
        return dataset.scope is Scope.REPLICATED and loss is RackLoss.SERVICE
    return dataset.replication > 1 or dataset.erasure is not None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names)) or "none are declared"
