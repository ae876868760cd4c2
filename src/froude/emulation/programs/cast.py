"""What all nodes of one play share: the plan made ready, who is who, and what a node can ask of the others."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import EncodeError, Message

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.fleet import Fleet, FleetSettings
from froude.emulation.programs.script import Memory, Needs
from froude.hadoop.leaves import build
from froude.hadoop.schema import Schema
from froude.workload.plan import Plan
from froude.workload.rules import Special, Value
from froude.workload.types import Absent, CallTemplate, Constant, Effect, NodeType

DATANODE = "datanode"
"""Name of the program of emulated DataNodes."""


class Cast:
    """The nodes of a plan."""

    def __init__(
        self,
        plan: Plan,
        schema: Schema,
        *,
        seeds: Seeds,
        speed: float = 1.0,
        fleet: FleetSettings | None = None,
        epoch_s: float = 1.7e9,
    ) -> None:
        """Make a plan ready.

        Args:
            plan: what is played.
            schema: of the target's release.
            seeds: every random choice of the play.
            speed: 2 halves every pause between calls.
            fleet: what emulated DataNodes have in common.
            epoch_s: wall time of the play, seconds since the epoch, for generators that need one.
        """
        self.plan = plan
        self.schema = schema
        self.seeds = seeds
        self.speed = speed
        self.epoch_s = epoch_s
        self.needs = Needs(plan.workload)
        self.types: dict[str, NodeType] = {each.name: each for each in plan.workload.node_types}
        self.fleets: dict[str, Fleet] = {}
        for name, node_type in self.types.items():
            if node_type.program == DATANODE:
                period_s = next(
                    (p.every_s for p in node_type.periodic if p.call.method == "sendHeartbeat"), None
                )
                recorded_s = None if period_s is None else max(0.1, round(period_s, 1))
                self.fleets[name] = Fleet(schema, fleet, seeds=seeds, type_name=name, recorded_s=recorded_s)
        self._memories: dict[NodeId, Memory] = {}
        self._effects: dict[tuple[str, str], list[tuple[str, int, Effect]]] = {}
        for name, node_type in self.types.items():
            for number, effect in enumerate(node_type.effects):
                key = (effect.cause_type, effect.cause)
                self._effects.setdefault(key, []).append((name, number, effect))
        self._fixed: dict[str, bytes] = {}
        self._owners: dict[tuple[str, str], dict[Value, int]] = {}

    # --- who is who -------------------------------------------------------------------------------------

    def fact(self, node: NodeId, fact: str) -> Value:
        """A fact of an emulated node; UNRESOLVED for one that it does not have."""
        fleet = self.fleets.get(node.type)
        if fact == "storage":
            return fleet.storage(node.number) if fleet else Special.UNRESOLVED
        if fact == "uuid":
            return fleet.uuid(node.number) if fleet else str(uuid.UUID(bytes=self.client_id(node)))
        if fact in ("port", "ipc_port"):
            return fleet.port(node.number) if fleet else 0
        if fact == "info_port":
            return 0
        if fact in ("address", "hostname"):
            return (fleet.source(node.number) if fleet else None) or "127.0.0.1"
        return Special.UNRESOLVED

    def client_id(self, node: NodeId) -> bytes:
        """The 16 bytes a node calls itself: one process, one id, as with Hadoop's own clients."""
        family = self.seeds.child("client id", node.type).value
        return family.to_bytes(8, "big") + node.number.to_bytes(8, "big")

    def datanode(self, datanode_uuid: str) -> NodeId | None:
        """The emulated DataNode of that uuid."""
        for name, fleet in self.fleets.items():
            number = fleet.number(datanode_uuid)
            if number is not None:
                return NodeId(name, number)
        return None

    def owner(self, node_type: str, fact: str, value: Value) -> NodeId | None:
        """The node of a type of which a fact has that value."""
        if node_type in self.fleets and isinstance(value, str) and fact == "uuid":
            return self.datanode(value)
        known = self._owners.get((node_type, fact))
        if known is None:
            numbers = range(self.plan.counts.get(node_type, 0))
            known = {self.fact(NodeId(node_type, number), fact): number for number in numbers}
            self._owners[(node_type, fact)] = known
        return NodeId(node_type, known[value]) if value in known else None

    def random(self, node: NodeId) -> random.Random:
        """A node's own stream."""
        return self.seeds.child("node", node.type, node.number).random()

    def memory(self, node: NodeId) -> Memory:
        """What a node remembers; kept beyond its end only where nodes of other types ask for it."""
        if node.type not in self.needs.asked:
            return Memory()
        found = self._memories.get(node)
        if found is None:
            found = self._memories[node] = Memory()
        return found

    def elder(self, node_type: str, number: int) -> Memory | None:
        """What the node of another type with this number remembers, or that type's first."""
        return self._memories.get(NodeId(node_type, number)) or self._memories.get(NodeId(node_type, 0))

    def effects_of(self, node_type: str, call: str) -> list[tuple[str, int, Effect]]:
        """Effects that a call's answer has: acting type, the effect's number there, the effect."""
        return self._effects.get((node_type, call), [])

    # --- messages ---------------------------------------------------------------------------------------

    def request(self, template: CallTemplate, values: Mapping[str, Any]) -> Message:
        """The request message of evaluated arguments.

        Raises:
            InputError: the release under test has no such method, or the arguments do not fit it.
        """
        return build(self.schema.method(template.protocol, template.method).request, values)

    def encode(self, template: CallTemplate, message: Message) -> bytes:
        """A request's bytes.

        Raises:
            InputError: a required field is missing.
        """
        try:
            return message.SerializeToString()
        except EncodeError as error:
            raise InputError(
                "a request lacks a field", place=f"call {template.id}", found=str(error)
            ) from error

    def fixed(self, template: CallTemplate) -> bytes | None:
        """A request's bytes where every argument is constant; None where they must be made anew."""
        found = self._fixed.get(template.id)
        if found is None and all(
            isinstance(rule, (Constant, Absent)) for rule in template.arguments.values()
        ):
            values = {p: rule.value for p, rule in template.arguments.items() if isinstance(rule, Constant)}
            found = self._fixed[template.id] = self.encode(template, self.request(template, values))
        return found

    def response(self, template: CallTemplate, body: bytes) -> Message:
        """A response message."""
        return self.schema.decode_response(template.protocol, template.method, bytes(body))
