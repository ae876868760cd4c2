"""A model of a ResourceManager: what an emulated cluster sees of one, with a virtual clock and no sockets.

It is as strict as the real one in what it was seen to insist on: response ids, tokens, start before end. Containers are
given at a node's heartbeat, one after another, to whoever asked first, and only where there is room.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from froude.base.seeds import Seeds
from froude.emulation.controller import Controller
from froude.emulation.core import Core
from froude.emulation.identification import Identification
from froude.emulation.inbound import Accepted
from froude.emulation.programs.events import Endpoint, NodeId
from froude.emulation.programs.population import PlaySettings
from froude.emulation.programs.registry import groups_of, populate
from froude.emulation.programs.yarn.nodemanagers import KIND
from froude.emulation.programs.yarn.protocols import (
    CLIENT,
    CONTAINERS,
    HDFS,
    SCHEDULER,
    TOKEN_IDENTIFIER,
    TRACKER,
)
from froude.emulation.settings import Connections, NodemanagerSettings, Pacing, Turnover
from froude.emulation.sharing import Codec, Relay
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import ErrorResponse, Request, Response
from froude.hadoop.rpc.sasl import DigestMd5Client
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from froude.workload.plan import Plan
from tests.support.hadoop.rpc.token_server import DigestMd5Server, TokenServer

STAMP = 1_700_000_000_000
SERVICES = ("namenode", "resourcemanager", "resourcemanager-tracker", "resourcemanager-scheduler")
LIMIT_S = 600.0
PASSWORD = b"password of an application master"
SCHEDULER_SERVICE = SERVICES[3]
IDS = {"namenode": "CID-model"}
"""Who the servers say they are, where it is not the stamp."""


class RefusedError(Exception):
    """An error that the model answers."""

    def __init__(self, kind: str, text: str = "no") -> None:
        super().__init__(text)
        self.kind = kind


@dataclass
class App:
    """One application."""

    number: int
    master_mb: int = 512
    registered: bool = False
    finished: bool = False
    ended: bool = False
    status: int = 0
    host: str = ""
    wanted: deque[tuple[int, int]] = field(default_factory=deque)
    """Priority and memory of each container that is asked for."""
    given: list[bytes] = field(default_factory=list)
    completed: list[bytes] = field(default_factory=list)
    response_id: int = 0
    containers: int = 0
    asks: list[list[tuple[int, str, int]]] = field(default_factory=list)
    """What each call of `allocate` asked for."""
    released: int = 0


@dataclass
class Node:
    """One NodeManager."""

    host: str
    port: int
    memory: int
    response_id: int = 0
    used: dict[bytes, int] = field(default_factory=dict)
    cleanup: list[bytes] = field(default_factory=list)
    told: list[list[tuple[int, int, int]]] = field(default_factory=list)
    """What each heartbeat told: application, container, state."""
    registered: int = 1
    resync: bool = False


class ModelMaster:
    """A play against the model; `run()` plays it to the end."""

    def __init__(
        self,
        plan: Plan,
        schema: Schema,
        *,
        services: tuple[str, ...] = SERVICES,
        pacing: Pacing = Pacing.CLOSED,
        connections: Connections | None = None,
        players: int = 1,
        turnover: Turnover | None = None,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._limit_s = limit_s
        targets = {service: Target(service, "model:1", IDS.get(service, str(STAMP))) for service in services}
        settings = PlaySettings(
            targets,
            connections or Connections(),
            pacing=pacing,
            programs={KIND: NodemanagerSettings()},
            port=18041,
            turnover=turnover or Turnover(),
        )
        self.schema = schema
        self.cores: list[Core] = []
        for player in range(players):
            population = populate(plan, schema, seeds=Seeds(3), settings=settings)
            core = Core(
                population,
                Controller(groups_of(population)),
                connect=self._connect,
                identification=Identification(schema),
                share=population.share.take(player, players),
            )
            self.cores.append(core)
        self.population, self.core = population, self.cores[0]
        self._relay, self._codec = Relay(players), Codec(schema)
        self.apps: dict[int, App] = {}
        self.nodes: dict[str, Node] = {}
        self.calls: Counter[str] = Counter()
        self.paths: list[tuple[str, str]] = []
        """What the NameNode was asked about: method and path."""
        self.now_s = 0.0
        self._next = 7  # never as it was recorded
        self.stamp = STAMP
        """Of the server that answers as the tracker."""
        self.refuses: str = ""
        """Method that is answered with an error."""
        self.extra = 0
        """Containers given beyond those that are asked for."""
        self.lost: set[int] = set()
        """Numbers of containers that are killed when they run first."""
        self.hung_up: list[Accepted] = []
        self._servers: dict[tuple[Core, int], ServerConnection] = {}
        self._to_launch: deque[tuple[App, Node]] = deque()
        self._clients: dict[str, tuple[ClientConnection, Accepted, Core]] = {}
        self._serial = 0

    # --- the play ---------------------------------------------------------------------------------------

    def run(self) -> ModelMaster:
        """Play to the end, or to the limit."""
        for core in self.cores:
            core.begin(0.0)
        while not self.done and self.now_s < self._limit_s:
            self._carry()
            if self.done:
                break
            self.now_s = max(self.now_s, min(core.next_s for core in self.cores))
            for core in self.cores:
                core.advance(self.now_s)
        for core in self.cores:
            core.finish(self.now_s)
            assert core.failure is None, core.failure
        return self

    @property
    def done(self) -> bool:
        """Whether all players have ended."""
        return all(core.done for core in self.cores)

    @property
    def notes(self) -> Counter[str]:
        """Of all players."""
        return sum((core.tally.notes for core in self.cores), Counter())

    def _connect(self, endpoint: Endpoint, client_id: bytes | None) -> ClientConnection:
        token = () if endpoint.token is None else (DigestMd5Client(endpoint.token, b"c" * 16),)
        return ClientConnection(
            endpoint.protocol, client_id=client_id or bytes(16), user="u", mechanisms=token
        )

    def _carry(self) -> None:
        while self._to_launch or any(
            core.dirty or core.inbound.dirty or core.share.out for core in self.cores
        ):
            for core in self.cores:
                self._carry_calls(core)
            self._notify()
            while self._to_launch:
                self._launch(*self._to_launch.popleft())
            for core in self.cores:
                self._take_inbound(core)

    def _carry_calls(self, core: Core) -> None:
        core.opened.clear()
        dirty, core.dirty[:] = list(core.dirty), []
        for channel in dirty:
            data = b"".join(channel.out)
            channel.out.clear()
            server = self._servers.get((core, channel.number))
            if server is None:
                server = self._servers[core, channel.number] = _server(channel.endpoint)
            for event in server.receive(data):
                if isinstance(event, Request):
                    core.received(channel, self._answer(server, event), self.now_s)
            out = server.data_to_send()
            if out:
                core.received(channel, out, self.now_s)

    def _notify(self) -> None:
        """Let players know what the others did."""
        for sender, core in enumerate(self.cores):
            notices, core.share.out[:] = self._codec.loads(self._codec.dumps(core.share.out)), []
            for notice in self._relay.hand_on(notices, sender):
                self.core.hear(notice, self.now_s)
        for player, waiting in self._relay.out.items():
            notices, waiting[:] = list(waiting), []
            for notice in notices:
                self.cores[player].hear(notice, self.now_s)

    def _answer(self, server: ServerConnection, request: Request) -> bytes:
        self.calls[request.method] += 1
        message = self.schema.decode_request(request.protocol, request.method, request.body)
        response: Any = self.schema.method(request.protocol, request.method).response()
        try:
            if request.method == self.refuses:
                raise RefusedError("org.apache.hadoop.yarn.exceptions.YarnException")
            handle = getattr(self, f"_{request.method}", None)
            if request.protocol == HDFS:
                self.paths.append((request.method, getattr(message, "src", "")))
            elif handle is not None:
                app = self.apps.get(int(server.identifier or 0)) if isinstance(server, TokenServer) else None
                handle(message, response, *(() if request.protocol != SCHEDULER else (app,)))
        except RefusedError as error:
            return server.fail(request.call_id, error.kind, str(error))
        return server.respond(request.call_id, response.SerializePartialToString())

    # --- being called -------------------------------------------------------------------------------------

    def call_node(self, host: str, method: str, message: Any) -> None:
        """Call a NodeManager, as the real one does: by SASL that comes to SIMPLE.

        Args:
            host: its address.
            method: what for.
            message: the request.
        """
        if host not in self._clients:
            node = self.population.called(host)
            assert node is not None
            core = self.cores[node.number % len(self.cores)]
            accepted = core.inbound.accept(node)
            client = ClientConnection(CONTAINERS, client_id=bytes(16), user="appattempt", sasl=True)
            self._clients[host] = client, accepted, core
            core.inbound.received(accepted, client.open(), self.now_s)
            self._take_inbound(core)
        client, accepted, core = self._clients[host]
        self._serial += 1
        frame = client.request(self._serial, method, message.SerializeToString())
        core.inbound.received(accepted, frame, self.now_s)

    def _take_inbound(self, core: Core) -> None:
        inbound = core.inbound
        dirty, inbound.dirty[:] = list(inbound.dirty), []
        for accepted in dirty:
            data = b"".join(accepted.out)
            accepted.out.clear()
            client = next(each for each, other, _ in self._clients.values() if other is accepted)
            for event in client.receive(data):
                if isinstance(event, Response | ErrorResponse):
                    self.calls[f"called:{type(event).__name__}"] += 1
            out = client.data_to_send()
            if out:
                inbound.received(accepted, out, self.now_s)

    def _launch(self, app: App, node: Node) -> None:
        """Start an application master, with its token."""
        request: Any = self.schema.method(CONTAINERS, "startContainers").request()
        start = request.start_container_request.add()
        launch = start.container_launch_context
        identifier, kind = str(app.number).encode(), b"YARN_AM_RM_TOKEN"
        fields = (b"", identifier, PASSWORD, kind, b"")
        launch.tokens = b"HDTS\0\x01" + b"".join(bytes([len(each)]) + each for each in fields) + b"\0"
        resource = launch.localResources.add()
        resource.key = "job.jar"
        resource.value.resource.scheme, resource.value.resource.file = (
            "hdfs",
            f"/staging/{app.number}/job.jar",
        )
        resource.value.timestamp, resource.value.visibility = 1, 3
        token: Any = self.schema.message(TOKEN_IDENTIFIER)()
        self._fill_id(token.containerId, app, 1)
        token.resource.memory = app.master_mb
        start.container_token.identifier = token.SerializePartialToString()
        start.container_token.password = b"p"
        start.container_token.kind = start.container_token.service = "ContainerToken"
        self.call_node(node.host, "startContainers", request)

    def kill_master(self, app: App) -> None:
        """Let the node of an application master end it with its next heartbeat.

        Args:
            app: whose.
        """
        message: Any = self.schema.message("hadoop.yarn.ContainerIdProto")()
        self._fill_id(message, app, 1)
        self.nodes[app.host].cleanup.append(message.SerializeToString())

    @staticmethod
    def _fill_id(message: Any, app: App, number: int) -> None:
        attempt = message.app_attempt_id
        attempt.application_id.id, attempt.application_id.cluster_timestamp = app.number, STAMP
        attempt.attemptId, message.id = 1, number

    # --- the tracker --------------------------------------------------------------------------------------

    @staticmethod
    def _versionRequest(_request: Any, response: Any) -> None:
        response.info.storageInfo.clusterID = IDS["namenode"]

    def _registerNodeManager(self, request: Any, response: Any) -> None:
        response.container_token_master_key.key_id, response.container_token_master_key.bytes = 1, b"k"
        response.nm_token_master_key.key_id, response.nm_token_master_key.bytes = 2, b"n"
        response.rm_identifier = self.stamp
        host = request.node_id.host
        if host in self.nodes:
            self.nodes[host].registered += 1
            self.nodes[host].response_id, self.nodes[host].resync = 0, False
            return
        self.nodes[host] = Node(host, request.node_id.port, request.resource.memory)

    def _nodeHeartbeat(self, request: Any, response: Any) -> None:
        node = self.nodes[request.node_status.node_id.host]
        response.nodeAction = 0
        if node.resync or request.node_status.response_id != node.response_id:
            response.nodeAction = 1
            return
        assert request.last_known_nm_token_master_key.bytes == b"n"
        node.response_id += 1
        response.response_id, response.nextHeartBeatInterval = node.response_id, 1000
        told = []
        for status in request.node_status.containersStatuses:
            number, app = (
                status.container_id.id,
                self.apps[status.container_id.app_attempt_id.application_id.id],
            )
            told.append((app.number, number, status.state))
            name = status.container_id.SerializeToString()
            if status.state == 3 and name in node.used:
                del node.used[name]
                if number != 1:
                    app.completed.append(status.SerializeToString())
                response.containers_to_be_removed_from_nm.add().CopyFrom(status.container_id)
                if number == 1:
                    app.ended = True
                    if not app.finished:
                        app.status = 2
            elif number in self.lost:
                self.lost.discard(number)
                node.cleanup.append(name)
        node.told.append(told)
        for name in node.cleanup:
            response.containers_to_cleanup.add().ParseFromString(name)
        node.cleanup.clear()
        self._assign(node)

    def _assign(self, node: Node) -> None:
        for app in self.apps.values():
            if app.ended or app.finished:
                continue
            if not app.host:
                self._give(app, node, 0, app.master_mb)
                app.host = node.host
                self._to_launch.append((app, node))
            while app.wanted and self._has_room(node, app.wanted[0][1]):
                app.given.append(self._give(app, node, *app.wanted.popleft()))

    @staticmethod
    def _has_room(node: Node, memory: int) -> bool:
        return sum(node.used.values()) + memory <= node.memory

    def _give(self, app: App, node: Node, priority: int, memory: int) -> bytes:
        app.containers += 1
        container: Any = self.schema.message("hadoop.yarn.ContainerProto")()
        self._fill_id(container.id, app, app.containers)
        container.nodeId.host, container.nodeId.port = node.host, node.port
        container.priority.priority, container.resource.memory = priority, memory
        container.node_http_address = f"{node.host}:0"
        node.used[container.id.SerializeToString()] = memory
        return container.SerializePartialToString()  # type: ignore[no-any-return]

    # --- clients ------------------------------------------------------------------------------------------

    def _getNewApplication(self, _: Any, response: Any) -> None:
        response.application_id.id, response.application_id.cluster_timestamp = self._next, STAMP
        self._next += 1

    def _submitApplication(self, request: Any, _: Any) -> None:
        context = request.application_submission_context
        number = context.application_id.id
        known = 7 <= number < self._next and number not in self.apps
        if not known or context.application_id.cluster_timestamp != STAMP:
            raise RefusedError("org.apache.hadoop.yarn.exceptions.YarnException", "an unknown application")
        self.apps[number] = App(number)

    def _getApplicationReport(self, request: Any, response: Any) -> None:
        app = self.apps.get(request.application_id.id)
        if app is None:
            raise RefusedError("org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException")
        report = response.application_report
        report.yarn_application_state = 6 if app.finished else 5 if app.registered else 4

    # --- application masters ------------------------------------------------------------------------------

    def _registerApplicationMaster(self, request: Any, _: Any, app: App) -> None:
        assert request.host == app.host
        app.registered = True

    def _allocate(self, request: Any, response: Any, app: App) -> None:
        if not app.registered or app.finished or app.ended:
            raise RefusedError("org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException")
        if request.response_id != app.response_id:
            raise RefusedError("org.apache.hadoop.yarn.exceptions.InvalidApplicationMasterRequestException")
        app.response_id += 1
        response.response_id = app.response_id
        app.asks.append([(a.priority.priority, a.resource_name, a.num_containers) for a in request.ask])
        for ask in request.ask:
            if ask.resource_name == "*":
                others = [each for each in app.wanted if each[0] != ask.priority.priority]
                number = ask.num_containers + (self.extra if ask.num_containers else 0)
                wanted = [(ask.priority.priority, ask.capability.memory)] * number
                app.wanted = deque([*others, *wanted])
        for container in request.release:
            app.released += 1
            for node in self.nodes.values():
                node.used.pop(container.SerializeToString(), None)
        for container in app.given:
            response.allocated_containers.add().ParseFromString(container)
        for status in app.completed:
            response.completed_container_statuses.add().ParseFromString(status)
        app.given, app.completed = [], []

    def _finishApplicationMaster(self, request: Any, response: Any, app: App) -> None:
        response.isUnregistered = app.finished
        app.finished, app.status = True, request.final_application_status


def _server(endpoint: Endpoint) -> ServerConnection:
    """The scheduler takes nobody without a token, the others everybody."""
    if endpoint.protocol not in {SCHEDULER, CLIENT, TRACKER, HDFS}:
        raise AssertionError(endpoint)
    if endpoint.target.service != SCHEDULER_SERVICE:
        return ServerConnection()
    token = DigestMd5Server(lambda identifier: PASSWORD if identifier.isdigit() else None, b"n" * 16)
    return TokenServer(token)


def begun(master: ModelMaster, node_type: str) -> int:
    """How many nodes of a type have begun.

    Args:
        master: the play.
        node_type: the type's name.
    """
    return sum(
        node.type == node_type for core in master.cores for node in core._index if isinstance(node, NodeId)
    )
