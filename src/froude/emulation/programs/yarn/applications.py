"""The applications of a play: which client submitted which, which application master it is, and where that runs.

A ResourceManager numbers applications itself, and starts an application master wherever it likes. So a client's own
calls tell which number its application has, and the call by which the ResourceManager starts the application master
tells where; with that call comes the token that opens the way back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from froude.base.errors import InputError
from froude.emulation.notes import FOREIGN_APPLICATION, MASTER_KILLED
from froude.emulation.programs.events import Called, Forgone, Instruction, NodeId, Note, SendMessage
from froude.emulation.programs.population import Population
from froude.emulation.programs.yarn.containers import (
    ContainerKey,
    ContainerOver,
    Launched,
    Process,
    StartContainer,
)
from froude.emulation.programs.yarn.protocols import CONTAINERS, SCHEDULER_SERVICE, TOKEN_IDENTIFIER
from froude.hadoop.rpc.credentials import MASTER, read_credentials
from froude.hadoop.rpc.sasl import Token
from froude.workload.types import NodeType
from froude.workload.walk import calls

_REFUSED = "org.apache.hadoop.yarn.exceptions.YarnException"


def share_of(number: int, masters: int, tasks: int) -> range:
    """The numbers of the nodes of a type that belong to one of those who have them started.

    Args:
        number: which one, from 0.
        masters: how many there are; at least one.
        tasks: how many nodes the type has.
    """
    return range(number * tasks // masters, (number + 1) * tasks // masters)


class AllOver(NamedTuple):
    """To whoever waits for it: no application master of the play will work any more."""


class Applications:
    """All of them, in one play."""

    def __init__(self, population: Population) -> None:
        """None has been submitted."""
        self._population = population
        self._schema = population.schema
        self._ids: dict[NodeId, int] = {}
        """Number of the application that a client was given last."""
        self._told: dict[tuple[NodeId, str], list[tuple[str, ...]]] = {}
        """The machines of each block that a client was told of, by its call."""
        self._clients: dict[NodeId, NodeId] = {}
        """Who submitted the application of an application master."""
        self._submitted: dict[NodeId, int] = {}
        self._masters: dict[int, NodeId] = {}
        self._hosts: dict[NodeId, str] = {}
        self._cause = ""
        """Of these, that of the application master that was launched last."""
        self._left = {
            NodeId(node_type.name, number)
            for node_type in population.types.values()
            if node_type.container is not None and node_type.container.priority is None
            for number in range(population.plan.counts.get(node_type.name, 0))
        }
        self._waiting: list[NodeId] = []
        """Nodes of this player that are told when all have."""
        self._launches = (
            call.id
            for node_type in population.types.values()
            for call in calls(node_type.steps)
            if call.method == "startContainers"
        )
        """Templates of the ResourceManager's own calls that start application masters, one after another."""
        self._share = population.share
        self._share.copies |= {
            "blocks": self._take_blocks,
            "submitted": self._take_submitted,
            "launched": self._take_launched,
            "master gone": self._take_gone,
        }

    # --- clients ----------------------------------------------------------------------------------------

    def given(self, client: NodeId, application: int) -> None:
        """A client was given the number of a new application."""
        self._ids[client] = application

    def told(self, client: NodeId, call: str, blocks: Iterable[Iterable[str]]) -> None:
        """A client was told where blocks lie."""
        found = [tuple(hosts) for hosts in blocks]
        self._share.spread("blocks", client, call, found)
        self._take_blocks(client, call, found)

    def _take_blocks(self, client: NodeId, call: str, blocks: Sequence[tuple[str, ...]]) -> tuple[()]:
        self._told.setdefault((client, call), []).extend(blocks)
        return ()

    def blocks(self, master: NodeId, call: str) -> Sequence[tuple[str, ...]]:
        """The machines of each block of an application's input, as its client was told."""
        client = self._clients.get(master)
        return () if client is None else self._told.get((client, call), ())

    def submitted(self, client: NodeId, *, taken: bool) -> list[Instruction]:
        """A client has submitted its application."""
        place = self._submitted.get(client, 0)
        self._submitted[client] = place + 1
        master = self._nth_master(client, place)
        if master is None:
            return [Note("application without an application master in the plan")]
        if not taken:
            return list(self._forgone(master))
        application = self._ids.get(client, 0)
        self._share.spread("submitted", client, master, application)
        self._take_submitted(client, master, application)
        return []

    def _take_submitted(self, client: NodeId, master: NodeId, application: int) -> tuple[()]:
        self._masters[application] = master
        self._clients[master] = client
        return ()

    def _nth_master(self, client: NodeId, place: int) -> NodeId | None:
        """The application master of the nth application that a client submits."""
        counts = self._population.plan.counts
        clients = counts.get(client.type, 1)
        for node_type in self.masters_of(client.type):
            numbers = share_of(client.number, clients, counts.get(node_type.name, 0))
            if place < len(numbers):
                return NodeId(node_type.name, numbers[place])
            place -= len(numbers)
        return None

    # --- who belongs to whom ------------------------------------------------------------------------------

    def masters_of(self, client_type: str) -> Iterator[NodeType]:
        """The types of application masters whose applications a type of clients submits."""
        for node_type in self._population.types.values():
            container = node_type.container
            if container is not None and container.priority is None and container.of == client_type:
                yield node_type

    def tasks_of(self, master: NodeId) -> Iterator[tuple[NodeType, range]]:
        """The types of nodes that an application master has started, and which nodes of each are its own."""
        counts = self._population.plan.counts
        for node_type in self._population.types.values():
            container = node_type.container
            if container is not None and container.priority is not None and container.of == master.type:
                number, masters = master.number, counts.get(master.type, 1)
                yield node_type, share_of(number, masters, counts.get(node_type.name, 0))

    def host(self, master: NodeId) -> str | None:
        """Where an application master runs; None before it does."""
        return self._hosts.get(master)

    # --- what NodeManagers are called for -------------------------------------------------------------------

    def launched(self, node: NodeId, call: Called) -> Launched:
        """Read a call to a NodeManager."""
        try:
            if call.protocol == CONTAINERS and call.method == "startContainers":
                return self._started(node, call)
            if call.protocol == CONTAINERS and call.method == "stopContainers":
                return self._stopped(call)
        except InputError as error:
            return Launched(str(error).encode(), _REFUSED)
        return Launched(f"{call.method} is not emulated".encode(), _REFUSED)

    def over(self, over: ContainerOver) -> Sequence[Instruction]:
        """An application master's own container has ended.

        Args:
            over: which; one that was ended before its end leaves tasks that nobody will start.
        """
        if over.process is None:
            return ()
        if over.killed:
            return [Note(MASTER_KILLED), *self._forgone(over.process.node)]
        return list(self._without(over.process.node))

    def tell_when_over(self, node: NodeId) -> bool:
        """Let a node know, by an `AllOver`, when no application master will work any more.

        Returns:
            Whether it is so already.
        """
        if self._left:
            self._waiting.append(node)
        return not self._left

    def _without(self, master: NodeId) -> Iterator[Instruction]:
        """An application master has ended, or will not begin."""
        self._share.spread("master gone", master)
        yield from self._take_gone(master)

    def _take_gone(self, master: NodeId) -> Sequence[SendMessage]:
        self._population.tokens.pop((master, SCHEDULER_SERVICE), None)
        self._left.discard(master)
        waiting = [] if self._left else [SendMessage(node, AllOver()) for node in self._waiting]
        self._waiting = self._waiting if self._left else []
        return waiting

    def _started(self, node: NodeId, call: Called) -> Launched:
        request: Any = self._schema.decode_request(call.protocol, call.method, call.body)
        response: Any = self._schema.method(call.protocol, call.method).response()
        identifiers: Any = self._schema.message(TOKEN_IDENTIFIER)
        started: list[StartContainer] = []
        told: list[Instruction] = []
        for each in request.start_container_request:
            identifier = identifiers.FromString(each.container_token.identifier)
            container = identifier.containerId.SerializeToString()
            key = ContainerKey.of(identifier.containerId)
            response.succeeded_requests.add().ParseFromString(container)
            process = self._process(node, key, each.container_launch_context)
            if process is None:
                told.append(Note(FOREIGN_APPLICATION))
            resource = identifier.resource.SerializeToString()
            launch = each.container_launch_context
            cause = self._cause if process is not None else ""
            started.append(StartContainer(None, key, container, resource, launch, process, cause=cause))
        return Launched(response.SerializeToString(), started=started, told=told)

    def _process(self, node: NodeId, key: ContainerKey, launch: Any) -> Process | None:
        """The application master that runs in a container, with what it needs to call the ResourceManager."""
        master = self._masters.get(key.application)
        if master is None:
            return None
        population = self._population
        stored = read_credentials(launch.tokens, self._schema)
        tokens = [each.token for each in stored if each.kind == MASTER]
        launched = master, str(population.fact(node, "address")), tokens
        self._share.spread("launched", *launched)
        self._take_launched(*launched)
        container = population.types[master.type].container
        return Process(master, 0.0 if container is None else container.delay_s / population.settings.speed)

    def _take_launched(self, master: NodeId, host: str, tokens: Sequence[Token]) -> tuple[()]:
        for token in tokens:
            self._population.tokens[master, SCHEDULER_SERVICE] = token
        self._hosts[master] = host
        self._cause = next(self._launches, "")
        return ()

    def _stopped(self, call: Called) -> Launched:
        request: Any = self._schema.decode_request(call.protocol, call.method, call.body)
        response: Any = self._schema.method(call.protocol, call.method).response()
        for each in request.container_id:
            response.succeeded_requests.add().CopyFrom(each)
        stopped = [ContainerKey.of(each) for each in request.container_id]
        return Launched(response.SerializeToString(), stopped=stopped)

    def _forgone(self, master: NodeId) -> Iterator[Instruction]:
        """An application master will not work, nor will those that it would have started."""
        yield Forgone(master)
        yield from self._without(master)
        for node_type, numbers in self.tasks_of(master):
            yield from (Forgone(NodeId(node_type.name, number)) for number in numbers)
