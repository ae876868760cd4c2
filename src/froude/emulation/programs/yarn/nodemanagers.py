"""All emulated NodeManagers of one node type: their names as functions of their number, both ways, and their messages.

Whatever is the same for every node lives here once, so that a node is small: tens of thousands fit in one process.
What a node says of itself is what the workload's rules say, where it was mined from recordings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from froude.base.errors import InputError
from froude.emulation.programs.addresses import node_address, number_at
from froude.emulation.programs.context import NodeContext, Place
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.population import Population
from froude.emulation.programs.yarn.containers import Held
from froude.emulation.programs.yarn.localisation import Fetch
from froude.emulation.programs.yarn.protocols import HDFS, TRACKER
from froude.workload.generators import generate
from froude.workload.occurrences import Loops, qualified
from froude.workload.rules import Special, Value, stand_in
from froude.workload.types import CallTemplate, Cases, Constant, Flow, Generated, NodeType, Rule, Side
from froude.workload.walk import templates

KIND = "nodemanager"
"""What a workload calls the program."""
REGISTER, HEARTBEAT = "registerNodeManager", "nodeHeartbeat"
_HEARTBEAT_S = 1.0  # yarn.resourcemanager.nodemanagers.heartbeat-interval-ms
_PREFETCH_BYTES = 10 * (128 << 20)  # a client asks for the places of ten blocks at once
_GAUGES = tuple(
    (group, name)
    for group in ("containers_utilization", "node_utilization")
    for name in ("pmem", "vmem", "cpu")
)


@dataclass(frozen=True, slots=True)
class NodemanagerSettings:
    """What the emulated NodeManagers have in common."""

    heartbeat_s: float | None = None
    """Between heartbeats; None takes what the ResourceManager asks for, as real ones do."""
    memory_mb: int | None = None
    """Memory for containers; None takes what was recorded, else 8 GiB."""
    cores: int | None = None
    """Virtual cores for containers; None takes what was recorded, else 8."""


def check_resources(node_type: NodeType) -> None:
    """Refuse NodeManagers without memory or cores: no ResourceManager takes them.

    Raises:
        InputError: a workload states an amount below one.
    """
    for call in templates(node_type):
        for name in ("resource.memory", "resource.virtual_cores") if call.method == REGISTER else ():
            rule = call.arguments.get(name)
            if isinstance(rule, Constant) and isinstance(rule.value, int) and rule.value < 1:
                place = f"{node_type.name}: {name}"
                raise InputError("is too small", place=place, found=rule.value, allowed="1 or more")


class Nodemanagers:
    """Names, numbers and messages of one type of emulated NodeManagers."""

    def __init__(
        self, node_type: NodeType, population: Population, settings: NodemanagerSettings, *, first: int = 0
    ) -> None:
        """Prepare the messages.

        Args:
            node_type: with the mined rules of what they say, if any.
            first: NodeManagers of other types before these, which have addresses of their own.

        Raises:
            InputError: the release does not know what they say.
        """
        self.type_name = node_type.name
        self.population = population
        self.settings = settings
        self.count = population.plan.counts.get(node_type.name, 0)
        self.recorded_s = next(
            (each.every_s for each in node_type.periodic if each.call.method == HEARTBEAT), _HEARTBEAT_S
        )
        """Between heartbeats until the ResourceManager says how often it wants them, seconds."""
        self._first = first
        schema = population.schema
        by_method: dict[str, CallTemplate] = {}
        for call in templates(node_type):  # reports of containers, which come last, are of heartbeats, too
            by_method.setdefault(call.method, call)
        self._register_template = by_method.get(REGISTER)
        self._beat_template = by_method.get(HEARTBEAT)
        self._prefetch = _constant(by_method.get("getBlockLocations"), "length", _PREFETCH_BYTES)
        self._kept = _kept(node_type, population)
        self._seeds = population.seeds.child("nodemanagers", node_type.name)
        self._register_type: Any = schema.method(TRACKER, REGISTER).request
        self._response_type: Any = schema.method(TRACKER, HEARTBEAT).response
        self._registered_type: Any = schema.method(TRACKER, REGISTER).response
        self._beat: Any = self._blank_beat()
        self._status_type: Any = type(self._beat.node_status.containersStatuses.add())
        self._beat.node_status.ClearField("containersStatuses")
        self._gauges = self._find_gauges()
        self._rng, self._gauge_seeds = self._seeds.random(), self._seeds.child("gauges").numbered()
        """Of all nodes together: one each would be most of what a node takes of memory. Each reading begins again."""

    # --- names ------------------------------------------------------------------------------------------

    def address(self, number: int) -> str:
        """The loopback address of a node: that of the emulated DataNode of the same number."""
        return node_address(self._first + number)

    def number(self, address: str) -> int | None:
        """The number of the node at an address; None if it is none of these."""
        place = number_at(address)
        number = None if place is None else place - self._first
        return number if number is not None and 0 <= number < self.count else None

    def phase(self, number: int) -> float:
        """Where in its interval a node's heartbeats fall, 0 to 1."""
        return self._seeds.child("phase", number).value / 2**64

    # --- what a node says -----------------------------------------------------------------------------------

    def register(self, number: int, held: Sequence[Held]) -> bytes:
        """The body of registerNodeManager.

        Args:
            held: the containers that it has, when it registers anew.
        """
        message = self._register_message(number)
        message.node_id.host, message.node_id.port = self.address(number), self.population.settings.port
        for status in (message.nodeStatus,) if message.HasField("nodeStatus") else ():
            status.node_id.CopyFrom(message.node_id)
            status.response_id = 0
        for each in held:
            status = message.container_statuses.add()
            status.container_id.ParseFromString(each.id)
            status.container_state, status.container_exit_status = each.state, each.exit_status
            status.resource.ParseFromString(each.resource)
            status.diagnostics, status.creation_time = "", self._now_ms()
            status.priority.priority = 0
        return message.SerializeToString()  # type: ignore[no-any-return]

    def heartbeat(
        self, number: int, *, response_id: int, keys: tuple[bytes, bytes], held: Sequence[Held]
    ) -> bytes:
        """The body of nodeHeartbeat; the same message is filled anew at every call.

        Args:
            keys: the two master keys that it has, as MasterKeyProto.
        """
        beat = self._beat
        status = beat.node_status
        status.node_id.host, status.node_id.port = self.address(number), self.population.settings.port
        status.response_id = response_id
        del status.containersStatuses[:]
        for each in held:
            if not each.status:
                each.status = self._status(each)
            status.containersStatuses.add().ParseFromString(each.status)
        if self._gauges:
            self._rng.seed(self._gauge_seeds(number << 32 | response_id))
        for part, name, rule in self._gauges:
            idle = part is status.containers_utilization and not held
            setattr(part, name, 0 if idle else generate(rule, self._rng, 0.0))
        beat.last_known_container_token_master_key.ParseFromString(keys[0])
        beat.last_known_nm_token_master_key.ParseFromString(keys[1])
        return beat.SerializeToString()  # type: ignore[no-any-return]

    def fetch(self, fetch: Fetch) -> bytes:
        """The body of a call that fetches a file."""
        request: Any = self.population.schema.method(HDFS, fetch.method).request
        if fetch.method == "getServerDefaults":
            return request().SerializeToString()  # type: ignore[no-any-return]
        if fetch.method == "getFileInfo":
            return request(src=fetch.path).SerializeToString()  # type: ignore[no-any-return]
        return request(src=fetch.path, offset=0, length=self._prefetch).SerializeToString()  # type: ignore[no-any-return]

    def fetched(self, number: int, cause: str, fetch: Fetch, body: bytes | None) -> None:
        """Keep a call that fetched a file, for whoever takes values of it.

        Args:
            body: its answer; None for an error.
        """
        for template in self._kept.get((cause, fetch.method), ()):
            place = qualified(self.type_name, number, {}, effect=True)
            schema = self.population.schema
            request = schema.decode_request(HDFS, fetch.method, self.fetch(fetch))
            response = None if body is None else schema.decode_response(HDFS, fetch.method, body)
            self.population.keep_message(template, place, Side.REQUEST, request)
            self.population.keep_message(template, place, Side.RESPONSE, response)

    # --- what it is told ------------------------------------------------------------------------------------

    def registered(self, number: int, body: bytes) -> Any:
        """The answer to registerNodeManager, kept for whoever takes values of it.

        Args:
            body: the answer's bytes.
        """
        response = self._registered_type.FromString(body)
        template = self._register_template
        if template is not None:
            place = qualified(self.type_name, number, {}, effect=False)
            self.population.keep_message(template.id, place, Side.RESPONSE, response)
        return response

    def answer(self, body: bytes) -> Any:
        """The answer to nodeHeartbeat.

        Args:
            body: its bytes.
        """
        return self._response_type.FromString(body)

    # --- parts ----------------------------------------------------------------------------------------------

    def _register_message(self, number: int) -> Any:
        template, settings = self._register_template, self.settings
        if template is None:
            message = self._register_type(http_port=0, nm_version="3")
        else:
            message = self.population.request(template, self._said(template.arguments, number))
        memory, cores = settings.memory_mb, settings.cores
        if memory is not None or not message.resource.memory:
            _set_resource(message.resource, "memory-mb", memory or 8192)
        if cores is not None or not message.resource.virtual_cores:
            _set_resource(message.resource, "vcores", cores or 8)
        return message

    def _said(self, rules: Mapping[str, Rule], number: int) -> dict[str, Any]:
        """What mined rules say of a node."""
        context = NodeContext(_Teller(NodeId(self.type_name, number), self), Place({}, ()))
        values = ((path, stand_in(rule, context)) for path, rule in rules.items())
        return {path: value for path, value in values if not isinstance(value, Special)}

    def _blank_beat(self) -> Any:
        """A heartbeat with all that never changes."""
        template = self._beat_template
        if template is None:
            beat: Any = self.population.schema.method(TRACKER, HEARTBEAT).request()
        else:
            fixed = {
                path: rule.value for path, rule in template.arguments.items() if isinstance(rule, Constant)
            }
            beat = self.population.request(template, fixed)
        health = beat.node_status.nodeHealthStatus
        health.is_node_healthy, health.health_report = True, ""
        health.last_health_report_time = self._now_ms()
        return beat

    def _find_gauges(self) -> list[tuple[Any, str, Generated]]:
        """Readings of the machine: message, field, and what draws them."""
        rules = {} if self._beat_template is None else self._beat_template.arguments
        found = []
        for group, name in _GAUGES:
            rule = rules.get(f"node_status.{group}.{name}")
            drawn = rule.otherwise if isinstance(rule, Cases) else rule
            if isinstance(drawn, Generated):
                found.append((getattr(self._beat.node_status, group), name, drawn))
        return found

    def _status(self, held: Held) -> bytes:
        status = self._status_type(state=held.state, exit_status=held.exit_status, diagnostics="")
        status.container_id.ParseFromString(held.id)
        names = status.DESCRIPTOR.fields_by_name
        if "capability" in names:
            status.capability.ParseFromString(held.resource)
        if "container_sub_state" in names:
            status.container_sub_state, status.executionType = held.sub_state, 1
        return status.SerializeToString()  # type: ignore[no-any-return]

    def _now_ms(self) -> int:
        return int(self.population.settings.epoch_s * 1000)


def _kept(node_type: NodeType, population: Population) -> dict[tuple[str, str], list[str]]:
    """Templates of what its nodes fetch of which somebody takes values, by cause and method."""
    kept: dict[tuple[str, str], list[str]] = {}
    for effect in node_type.effects:
        if effect.call.id in population.needs.shared and effect.carried_by is None:
            kept.setdefault((effect.cause, effect.call.method), []).append(effect.call.id)
    return kept


class _Teller:
    """A node as rules see it that says who it is: before it has called anybody."""

    def __init__(self, node: NodeId, nodemanagers: Nodemanagers) -> None:
        self.id = node
        self.population = nodemanagers.population
        self.rng = nodemanagers.population.seeds.child("node", *node).random()

    def recall(self, rule: Flow, loops: Loops, element: int | None, *, effect: bool) -> Value:  # noqa: ARG002
        """Nothing has been said yet."""
        return Special.UNRESOLVED


def _set_resource(resource: Any, name: str, amount: int) -> None:
    """Say how much of something there is, in both forms in which a ResourceProto says it."""
    setattr(resource, "memory" if name == "memory-mb" else "virtual_cores", amount)
    for entry in resource.resource_value_map:
        if entry.key == name:
            entry.value = amount


def _constant(template: CallTemplate | None, path: str, usual: int) -> int:
    rule = None if template is None else template.arguments.get(path)
    return rule.value if isinstance(rule, Constant) and isinstance(rule.value, int) else usual
