"""The nodes of a plan as a core plays them: their programs, and which connection each takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from froude.emulation.controller import Group
from froude.emulation.core import Endpoint
from froude.emulation.programs.cast import DATANODE, Cast
from froude.emulation.programs.client import NodeContext, ScriptedNode, stand_in
from froude.emulation.programs.datanode import EmulatedDatanode
from froude.emulation.programs.events import NodeId, Program
from froude.workload.rules import evaluate
from froude.workload.types import Moment, StartRule


@dataclass(frozen=True, slots=True)
class Connections:
    """How nodes share connections."""

    pool: int = 4
    """Connections by protocol, user and source address; 0 gives each node its own, as real ones have."""
    user: str | None = None
    """Effective user of nodes whose type names none."""


class Troupe:
    """Programs and connections of a plan's nodes; a `core.Population`."""

    def __init__(self, cast: Cast, connections: Connections) -> None:
        """Bind the cast to connections.

        Args:
            cast: the nodes.
            connections: how they share.
        """
        self.cast = cast
        self._connections = connections

    def program(self, node: NodeId) -> Program:
        """A fresh program for a node."""
        fleet = self.cast.fleets.get(node.type)
        if fleet is not None:
            return EmulatedDatanode(fleet, node.number)
        return ScriptedNode(self.cast, self.cast.types[node.type], node.number)

    def endpoint(self, node: NodeId, protocol: str) -> Endpoint:
        """The connection of a node's calls of a protocol."""
        fleet = self.cast.fleets.get(node.type)
        source = fleet.source(node.number) if fleet else None
        user = self._user(node) or self._connections.user
        pool = self._connections.pool
        slot = node.number % pool if pool else self._own_slot(node)
        return Endpoint(protocol, user, source, slot)

    def client_id(self, node: NodeId) -> bytes:
        """The node's own id."""
        return self.cast.client_id(node)

    def caller_context(self, node: NodeId) -> str | None:
        """What the node's type says it is."""
        rule = self.cast.types[node.type].caller_context
        if rule is None or node.type in self.cast.fleets:
            return None
        value = evaluate(
            rule, NodeContext(ScriptedNode(self.cast, self.cast.types[node.type], node.number), None)
        )
        return value if isinstance(value, str) else None

    def _user(self, node: NodeId) -> str | None:
        rule = self.cast.types[node.type].user
        if rule is None or isinstance(rule, str):
            return rule
        program = ScriptedNode(self.cast, self.cast.types[node.type], node.number)
        value = stand_in(rule, NodeContext(program, None))
        return value if isinstance(value, str) else None

    def _own_slot(self, node: NodeId) -> int:
        types = list(self.cast.types)
        return node.number * len(types) + types.index(node.type)


def groups_of(cast: Cast, counts: Mapping[str, int], *, ramp_per_s: float = 3000.0) -> list[Group]:
    """The groups of a plan for a controller.

    DataNodes whose start rule gives no spacing begin one after another at `ramp_per_s`, so that a NameNode is not
    met by thousands of registrations at once. Nodes that write blocks wait for the emulated DataNodes, unless
    their type has a start rule of its own.
    """
    groups = []
    fleets = [name for name in cast.fleets if counts.get(name)]
    for name, node_type in cast.types.items():
        rule, endless = node_type.start, node_type.program == DATANODE
        if endless and rule.spacing_s == 0:
            rule = StartRule(rule.after, rule.moment, rule.every, rule.delay_s, 1.0 / ramp_per_s)
        groups.append(Group(name, counts.get(name, 0), rule, endless))
    return [_waiting(group, fleets) for group in groups]


def _waiting(group: Group, fleets: list[str]) -> Group:
    if not fleets or group.endless or group.rule.after is not None:
        return group
    rule = StartRule(fleets[0], Moment.STARTED, True, group.rule.delay_s, group.rule.spacing_s)
    return Group(group.name, group.count, rule)
