"""The nodes of one scripted type: what they share in a play, and what other nodes may know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address
from typing import Any

from froude.emulation.pacing import Pace
from froude.emulation.programs.context import NodeContext, Place
from froude.emulation.programs.events import NodeId, Program, SendMessage
from froude.emulation.programs.family import PlainFamily
from froude.emulation.programs.population import Population
from froude.emulation.programs.scripted import ScriptedNode
from froude.workload.rules import Special, Value, stand_in
from froude.workload.timing import Duration
from froude.workload.types import NodeType, Rule

_FIRST_ADDRESS = IPv4Address("127.0.0.10")


class ScriptedFamily(PlainFamily):
    """The nodes of one type that follow its steps."""

    autonomous = False

    def __init__(self, node_type: NodeType, population: Population) -> None:
        """Bind a node type to a play."""
        self.node_type = node_type
        self.population = population
        self.told = population.contained(node_type)
        self.names = population.needs.names[node_type.name]
        """Leaves of its nodes' requests by which effects name a node."""
        self._names: dict[str, int] = {}
        population.share.copies[f"names of {node_type.name}"] = self._learn_name
        self._times: dict[str, tuple[Duration, Duration]] = {}

    def program(self, number: int) -> Program:
        """A fresh node."""
        return ScriptedNode(self, number)

    def pace(self, number: int) -> Pace:
        """The due times of a node's steps."""
        settings, seeds = self.population.settings, self.population.seeds
        return Pace(
            settings.pacing,
            self.population.plan.scale,
            speed=settings.speed,
            seeds=seeds.child("pace", self.node_type.name, number),
            times=self._times,
        )

    def fact(self, number: int, name: str) -> Value:
        """Its client id as a uuid; an address of this machine that no other node of its type has, and no ports.

        Args:
            name: `uuid`, `address`, `hostname`, `port`, `ipc_port` or `info_port`; others are UNRESOLVED.
        """
        if name == "uuid":
            return self.population.uuid(NodeId(self.node_type.name, number))
        if name in ("address", "hostname"):
            return str(_FIRST_ADDRESS + number)
        return 0 if name in ("port", "ipc_port", "info_port") else Special.UNRESOLVED

    def owner(self, name: str) -> int | None:
        """The node that called itself so in a request of its own."""
        return self._names.get(name)

    def learn_names(self, number: int, values: Mapping[str, Any]) -> None:
        """Take note of what a node calls itself, where effects go by that name.

        Args:
            values: arguments of a request of its own, by leaf path.
        """
        for path in self.names:
            name = values.get(path)
            if isinstance(name, str) and self._names.get(name) != number:
                self._names[name] = number
                self.population.share.spread(f"names of {self.node_type.name}", name, number)

    def _learn_name(self, name: str, number: int) -> Sequence[SendMessage]:
        self._names[name] = number
        return ()

    def identity(self, number: int, rule: Rule) -> str | None:
        """What a rule of the node type gives for a node that has not begun: its user, its caller context."""
        context = NodeContext(ScriptedNode(self, number), Place({}, ()))
        value = stand_in(rule, context)
        return value if isinstance(value, str) else None
