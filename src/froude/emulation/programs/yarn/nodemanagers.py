"""All emulated NodeManagers of one node type: their names as functions of their number, both ways, and their messages.

Whatever is the same for every node lives here once, so that a node is small: tens of thousands fit in one process.
What a node says of itself is what the workload's rules say, where it was mined from recordings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from froude.base.errors import InputError
from froude.emulation.programs.addresses import node_address, number_at
from froude.emulation.programs.context import NodeContext, Place
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.population import Population
from froude.emulation.programs.yarn.containers import Held
from froude.emulation.programs.yarn.localisation import Fetch
from froude.emulation.programs.yarn.protocols import HDFS, NORMAL, TRACKER
from froude.emulation.settings import NodemanagerSettings
from froude.messages.encoder import Encoded, Slot, encoding
from froude.messages.leaves import build, leaves
from froude.messages.wire import delimited, read_varint
from froude.workload.generators import generate
from froude.workload.occurrences import Loops, qualified
from froude.workload.rules import Special, Value, stand_in
from froude.workload.types import CallTemplate, Cases, Constant, Flow, Generated, NodeType, Rule, Side
from froude.workload.walk import templates

KIND = NodemanagerSettings.kind
REGISTER, HEARTBEAT = "registerNodeManager", "nodeHeartbeat"
_HEARTBEAT_S = 1.0  # yarn.resourcemanager.nodemanagers.heartbeat-interval-ms
_PREFETCH_BYTES = 10 * (128 << 20)  # a client asks for the places of ten blocks at once
_LOADS = ("containers_utilization", "node_utilization")
_GAUGES = ("pmem", "vmem", "cpu")
_READINGS = 256
_KEYS = ("container_token_master_key", "nm_token_master_key")
_ASKED = {
    *_KEYS, "resource", "containers_to_cleanup", "applications_to_cleanup", "containers_to_be_removed_from_nm",
}  # fmt: skip
"""Fields of an answer to a heartbeat that give a node something to do."""
_MOST_ANSWERS = 64


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
        beats = by_method.get(HEARTBEAT)
        self._beat_rules = {} if beats is None else beats.arguments
        self._prefetch = _constant(by_method.get("getBlockLocations"), "length", _PREFETCH_BYTES)
        self._kept = _kept(node_type, population)
        self._seeds = population.seeds.child("nodemanagers", node_type.name)
        self._register_type: Any = schema.method(TRACKER, REGISTER).request
        beat = self._blank_beat()
        self._loads = [self._readings(beat.node_status, load) for load in _LOADS]
        """Of containers and of the machine, as they are in a heartbeat."""
        self._no_load = self._readings(beat.node_status, _LOADS[0], idle=True)[0]
        self._encode_beat = self._beat_encoding(beat)
        self._encode_status = self._status_encoding(type(beat.node_status.containersStatuses.add()))
        self._answers: dict[bytes, int] = {}
        """Interval that it asks for, milliseconds, by an answer without its response id that asks for nothing else."""

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
        self, number: int, *, response_id: int, keys: tuple[bytes, bytes], statuses: bytes
    ) -> bytes:
        """The body of nodeHeartbeat.

        Args:
            keys: the two master keys that it has (`keys`).
            statuses: of its containers (`statuses`).
        """
        containers, machine = self._loads
        reading = hash((number, response_id)) % _READINGS
        load = containers[reading] if statuses else self._no_load
        address = self.address(number), self.population.settings.port
        return self._encode_beat(*address, response_id, statuses, load, machine[reading], *keys)

    def statuses(self, held: Sequence[Held]) -> bytes:
        """What a heartbeat says of containers, as it is in one."""
        for each in held:
            if not each.status:
                sub_state = each.sub_state
                each.status = self._encode_status(
                    delimited(1, each.id),
                    each.state,
                    each.exit_status,
                    delimited(5, each.resource),
                    sub_state,
                )
        return b"".join(each.status for each in held)

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
        response = self.population.schema.decode_response(TRACKER, REGISTER, body)
        template = self._register_template
        if template is not None:
            place = qualified(self.type_name, number, {}, effect=False)
            self.population.keep_message(template.id, place, Side.RESPONSE, response)
        return response

    def answer(self, body: bytes) -> Any:
        """The answer to nodeHeartbeat.

        Raises:
            InputError: it does not decode.
        """
        return self.population.schema.decode_response(TRACKER, HEARTBEAT, body)

    def plain(self, body: bytes, interval_s: float) -> int | None:
        """The response id of an answer to nodeHeartbeat that asks for nothing; None of any other one.

        Most differ in this id alone, which comes first.
        """
        try:
            response_id, at = read_varint(body, 1) if body[:1] == b"\x08" else (0, 0)
        except (IndexError, ValueError):
            return None  # reading it will state what is wrong
        rest = bytes(body[at:])
        asked_ms = self._answers.get(rest)
        if asked_ms is None:
            answer = self.answer(bytes(body))
            fields = {field.name for field, _ in answer.ListFields()}
            if answer.nodeAction != NORMAL or fields & _ASKED or answer.response_id != response_id:
                return None
            if len(self._answers) >= _MOST_ANSWERS:
                self._answers.clear()
            asked_ms = self._answers[rest] = answer.nextHeartBeatInterval
        return response_id if self.interval_s(asked_ms, interval_s) == interval_s else None

    def interval_s(self, asked_ms: int, before_s: float) -> float:
        """Between heartbeats of a node.

        Args:
            asked_ms: what the ResourceManager asks for, if it is positive.
        """
        return self.settings.heartbeat_s or (asked_ms / 1e3 if asked_ms > 0 else before_s)

    def keys(self, answer: Any, before: tuple[bytes, bytes] = (b"", b"")) -> tuple[bytes, bytes]:
        """The master keys of an answer, as a heartbeat has them; those of before where it has none."""
        container, nm = (
            delimited(number, getattr(answer, name).SerializeToString()) if answer.HasField(name) else known
            for number, name, known in zip((2, 3), _KEYS, before, strict=True)
        )
        return container, nm

    # --- parts ----------------------------------------------------------------------------------------------

    def _register_message(self, number: int) -> Any:
        template, settings = self._register_template, self.settings
        if template is None:
            message = self._register_type(http_port=0, nm_version="3")
        else:
            message = build(self._register_type, self._said(template.arguments, number))
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
        fixed = {path: rule.value for path, rule in self._beat_rules.items() if isinstance(rule, Constant)}
        beat: Any = build(self.population.schema.method(TRACKER, HEARTBEAT).request, fixed)
        health = beat.node_status.nodeHealthStatus
        health.is_node_healthy, health.health_report = True, ""
        health.last_health_report_time = self._now_ms()
        return beat

    def _readings(self, status: Any, load: str, *, idle: bool = False) -> list[bytes]:
        """Readings of the machine, as rules draw them, from which heartbeats take theirs.

        Args:
            status: the NodeStatusProto of a blank heartbeat.
            idle: the drawn ones are 0.
        """
        rng, drawn = self._seeds.child(load).random(), dict[str, Generated]()
        for name in _GAUGES:
            rule = self._beat_rules.get(f"node_status.{load}.{name}")
            rule = rule.otherwise if isinstance(rule, Cases) else rule
            if isinstance(rule, Generated):
                drawn[name] = rule
        if not drawn and not status.HasField(load):
            return [b""] * _READINGS
        number, message = status.DESCRIPTOR.fields_by_name[load].number, getattr(status, load)
        readings = []
        for _ in range(_READINGS):
            for name, rule in drawn.items():
                setattr(message, name, 0 if idle else generate(rule, rng, 0.0))
            readings.append(delimited(number, message.SerializeToString()))
        return readings

    def _beat_encoding(self, beat: Any) -> Callable[..., bytes]:
        """From address, port, response id, statuses, loads and keys."""
        for name in ("node_id", "response_id", "containersStatuses", *_LOADS):
            beat.node_status.ClearField(name)
        varying = ("node_status.containersStatuses", *(f"node_status.{load}" for load in _LOADS))
        keys = tuple(f"last_known_{key}" for key in _KEYS)
        for key in keys:
            beat.ClearField(key)
        said: dict[str, Any] = {**leaves(beat), "node_status.node_id.host": Slot(0)}
        said |= {"node_status.node_id.port": Slot(1), "node_status.response_id": Slot(2)}
        said.update((path, Encoded(number)) for number, path in enumerate((*varying, *keys), 3))
        return encoding(type(beat), said, 8)

    def _status_encoding(self, kind: Any) -> Callable[..., bytes]:
        """From a container's id, state, exit status, capability and substate: a status, as it is in a heartbeat."""
        said: dict[str, Any] = {
            "container_id": Encoded(0),
            "state": Slot(1),
            "diagnostics": "",
            "exit_status": Slot(2),
        }
        newer = {"capability": Encoded(3), "container_sub_state": Slot(4), "executionType": 1}
        said |= {name: leaf for name, leaf in newer.items() if name in kind.DESCRIPTOR.fields_by_name}
        encode = encoding(kind, said, 5)
        return lambda *values: delimited(3, encode(*values))

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
