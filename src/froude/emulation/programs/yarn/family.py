"""Emulated NodeManagers, application masters and the ResourceManager's launcher as kinds of program.

They act by themselves only where a play has a ResourceManager. Against a NameNode alone they are scripted, as mined.

The launcher is the ResourceManager's own calls to NodeManagers. Others may be known to start with these calls, or after
them; so in a play where a real one makes them it begins like any other node, and ends when no application master is at
work any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from froude.emulation.programs.events import (
    Event,
    Instruction,
    MessageReceived,
    NodeId,
    Program,
    Reached,
    Started,
)
from froude.emulation.programs.family import Family, PlainFamily, ScriptedView
from froude.emulation.programs.population import Population
from froude.emulation.programs.scripted_family import ScriptedFamily
from froude.emulation.programs.yarn.applications import AllOver, Applications
from froude.emulation.programs.yarn.master import ApplicationMaster
from froude.emulation.programs.yarn.masters import Masters
from froude.emulation.programs.yarn.nodemanager import METHODS, EmulatedNodemanager
from froude.emulation.programs.yarn.nodemanagers import KIND, Nodemanagers
from froude.emulation.programs.yarn.protocols import (
    CONTAINERS,
    CREDENTIALS,
    HDFS,
    SCHEDULER_SERVICE,
    TOKEN_IDENTIFIER,
    TRACKER,
    TRACKER_SERVICE,
)
from froude.emulation.settings import NodemanagerSettings
from froude.workload.rules import Special, Value
from froude.workload.types import LAUNCHER, SCRIPTED, CallTemplate, Moment, NodeType
from froude.workload.walk import templates

_NEW, _SUBMIT = "getNewApplication", "submitApplication"
_NO_TOKENS = b"HDTS\0\0\0"
"""A token storage with nothing in it."""
_TOKENS = "application_submission_context.am_container_spec.tokens"


class NodemanagerFamily(PlainFamily):
    """The emulated NodeManagers of one type."""

    autonomous = True

    def __init__(self, nodemanagers: Nodemanagers) -> None:
        """Play NodeManagers of these names and messages."""
        self.nodemanagers = nodemanagers
        self._applications = nodemanagers.population.common(Applications)

    def program(self, number: int) -> Program:
        """A NodeManager that has not started."""
        return EmulatedNodemanager(self.nodemanagers, number, self._applications)

    def fact(self, number: int, name: str) -> Value:
        """What a real one would read from its machine; UNRESOLVED for what no NodeManager has.

        Args:
            number: which node, from 0.
            name: `address`, `hostname` or `port`.
        """
        if name in {"address", "hostname"}:
            return self.nodemanagers.address(number)
        return self.nodemanagers.population.settings.port if name == "port" else Special.UNRESOLVED

    def owner(self, name: str) -> int | None:
        """The NodeManager at an address."""
        return self.nodemanagers.number(name)


class NodemanagerKind:
    """The kind `nodemanager`."""

    name = KIND
    called = True
    endless = True
    needed_first = True
    protocols: Collection[str] = (TRACKER, CONTAINERS, HDFS)
    messages: Collection[str] = (TOKEN_IDENTIFIER, CREDENTIALS)

    def methods(self, node_type: NodeType) -> Collection[str]:
        """See `ProgramKind`."""
        return METHODS | {call.method for call in templates(node_type)}

    def family(self, node_type: NodeType, population: Population) -> Family:
        """See `ProgramKind`."""
        if population.target(TRACKER_SERVICE) is None:
            return ScriptedFamily(node_type, population)
        settings = population.settings.programs.get(self.name)
        before = 0
        for each in population.types.values():
            if each.name == node_type.name:
                break
            before += population.plan.counts.get(each.name, 0) if each.program == self.name else 0
        known = settings if isinstance(settings, NodemanagerSettings) else NodemanagerSettings()
        return NodemanagerFamily(Nodemanagers(node_type, population, known, first=before))


class MasterFamily(ScriptedFamily):
    """The emulated application masters of one type."""

    def __init__(self, node_type: NodeType, population: Population) -> None:
        """Bind a node type to a play with a ResourceManager."""
        self._masters = Masters(node_type, population)
        super().__init__(self._masters.node_type, population)
        # One of them sees what clients do for all.
        first = next(each for each in population.types.values() if _is_master(each, population))
        self._inputs = {near.call for near in self._masters.inputs.values()}
        listing = {
            call.method
            for each in population.types.values()
            for call in templates(each)
            if call.id in self._inputs
        }
        self.watches = {*listing, *((_NEW, _SUBMIT) if first.name == node_type.name else ())}

    def program(self, number: int) -> Program:
        """A fresh node."""
        return ApplicationMaster(self, self._masters, number)

    def answered(self, node: ScriptedView, call: CallTemplate, response: Any) -> Sequence[Instruction]:
        """A client was told where its input lies, was given the number of an application, or has submitted one.

        Args:
            response: the answer; None for an error.
        """
        applications = self._masters.applications
        if call.method == _SUBMIT:
            return applications.submitted(node.id, taken=response is not None)
        if response is None:
            return ()
        if call.id in self._inputs:
            applications.told(node.id, call.id, _blocks(response))
        elif call.method == _NEW:
            applications.given(node.id, response.application_id.id)
            _promise(node, response.application_id)
        return ()


class ScriptedKind:
    """The kind of node types that name no program."""

    name = SCRIPTED
    called = False
    endless = False
    needed_first = False
    protocols: Collection[str] = ()
    messages: Collection[str] = ()

    def methods(self, node_type: NodeType) -> Collection[str]:
        """See `ProgramKind`."""
        return {call.method for call in templates(node_type)}

    def family(self, node_type: NodeType, population: Population) -> Family:
        """See `ProgramKind`; of application masters where a ResourceManager of the play starts them."""
        return (MasterFamily if _is_master(node_type, population) else ScriptedFamily)(node_type, population)


def _is_master(node_type: NodeType, population: Population) -> bool:
    """Whether its nodes are application masters that a ResourceManager of the play starts."""
    container = node_type.container
    return container is not None and container.priority is None and population.contained(node_type)


class LauncherFamily(ScriptedFamily):
    """The ResourceManager's own calls to NodeManagers, which the real one makes itself."""

    autonomous = True

    def program(self, number: int) -> Program:
        """What stands for them, for those who wait for their beginning or end."""
        node = NodeId(self.node_type.name, number)
        return Launcher(self.population.common(Applications), node)


class LauncherKind(ScriptedKind):
    """The kind `container-launcher`."""

    name = LAUNCHER

    def family(self, node_type: NodeType, population: Population) -> Family:
        """See `ProgramKind`."""
        played = population.target(SCHEDULER_SERVICE) is not None
        return LauncherFamily(node_type, population) if played else ScriptedFamily(node_type, population)


def _blocks(response: Any) -> Iterator[list[str]]:
    """The machines of each block in an answer about one file, or about those of a folder."""
    fields = response.DESCRIPTOR.fields_by_name
    files = [each.locations for each in response.dirList.partialListing] if "dirList" in fields else []
    for located in (*files, *((response.locations,) if "locations" in fields else ())):
        for block in located.blocks:
            yield [location.id.hostName for location in block.locs]


def _promise(client: ScriptedView, application: Any) -> None:
    """Let a client's calls up to its next application name this one."""
    for step in client.ahead():
        if step.call.method == _NEW:
            return
        for path in step.call.arguments:
            if path.endswith("application_id.id"):
                client.promise(step.call, path, application.id)
            elif path.endswith("application_id.cluster_timestamp"):
                client.promise(step.call, path, application.cluster_timestamp)
            elif path == _TOKENS:
                client.promise(step.call, path, _NO_TOKENS)


class Launcher:
    """One such node; see the module."""

    __slots__ = ("_applications", "_id")

    def __init__(self, applications: Applications, node: NodeId) -> None:
        """A node that has not started."""
        self._applications = applications
        self._id = node

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:  # noqa: ARG002 - it knows no time
        """Take an event; see `Program`."""
        if isinstance(event, Started):
            over = self._applications.tell_when_over(self._id)
            return [Reached(Moment.STARTED), *([Reached(Moment.FINISHED)] if over else [])]
        if isinstance(event, MessageReceived) and isinstance(event.message, AllOver):
            return [Reached(Moment.FINISHED)]
        return []

    def overdue(self, now_s: float) -> Sequence[tuple[str, float]]:  # noqa: ARG002 - see `Program`
        """Nothing: it calls nobody."""
        return ()
