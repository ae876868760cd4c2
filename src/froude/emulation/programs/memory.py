"""What a node of a type must remember in a play.

`Needs` says which values of which calls some later rule takes, so that
a node keeps those and forgets the rest; `Memory` keeps them and answers a `Flow`, as `workload.occurrences` defines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from google.protobuf.message import Message

from froude.workload.occurrences import History, Loops, key_of, of_own_node
from froude.workload.paths import CALLEE, Values, taken
from froude.workload.rules import Special, Value, derived, picked
from froude.workload.types import (
    Flow,
    NodeType,
    Side,
    Which,
    Workload,
)
from froude.workload.walk import flows, rules


@dataclass(slots=True)
class Wanted:
    """What later rules take of one side of a call."""

    paths: set[str] = field(default_factory=set)
    asked: set[Which] = field(default_factory=set)
    walked: bool = True
    """Whether takers follow the order of the call's loops; see `History`."""

    def values(self, message: Message | None) -> Values:
        """What is taken of a message; of an error, which has none, every leaf is absent."""
        return {path: Special.ABSENT if message is None else taken(message, path) for path in self.paths}


Kept = Mapping[str, Mapping[Side, Wanted]]
"""By call id and side."""


class Needs:
    """Which values of which calls are taken later; computed once for a workload."""

    def __init__(self, workload: Workload) -> None:
        """Look through every rule of every node type."""
        own: dict[str, dict[Side, Wanted]] = {}
        shared: dict[str, dict[Side, Wanted]] = {}
        self.own: Kept = own
        """What a node takes of its own calls."""
        self.shared: Kept = shared
        """What nodes take of the calls of a type that they name, be it their own."""
        self.addressed: set[str] = set()
        """Calls of which it is taken whom they are addressed to."""
        self.names: dict[str, frozenset[str]] = {}
        """Leaf paths in the requests of each node type by which effects name a node of it."""
        for node_type in workload.node_types:
            for flow in (flow for rule in rules(node_type) for flow in flows(rule)):
                if flow.which is not Which.CAUSE:
                    kept = own if of_own_node(flow, node_type.name) else shared
                    sides = kept.setdefault(flow.call, {})
                    wanted = sides.setdefault(flow.side, Wanted())
                    wanted.paths.add(flow.path)
                    wanted.asked.add(flow.which)
                    if flow.path in CALLEE:
                        self.addressed.add(flow.call)
            self.names[node_type.name] = frozenset(e.owner_fact for e in node_type.effects if e.owner_fact)
            for call in _scattered(node_type) & own.keys():
                for wanted in own[call].values():
                    wanted.walked = False

    def wants(self, call: str, side: Side) -> bool:
        """Whether something of that side of a call is kept."""
        return side in self.own.get(call, ()) or side in self.shared.get(call, ())


def _scattered(node_type: NodeType) -> set[str]:
    """Calls from which a node takes values in another order than that of their loops.

    An effect stands in its cause's loops, and causes come in any order; where a node of its own type is the cause, the
    effect takes from the node's steps at a place that the node may have passed.
    """
    within_type = [effect.call for effect in node_type.effects if effect.cause_type == node_type.name]
    taken = {flow.call for call in within_type for rule in call.arguments.values() for flow in flows(rule)}
    return taken | {effect.call.id for effect in node_type.effects}


class Memory:
    """What one node keeps of its calls, or what all keep for each other."""

    __slots__ = ("_histories",)

    def __init__(self) -> None:
        self._histories: dict[str, History[Values]] = {}

    def add(self, key: str, wanted: Wanted, loops: Loops, values: Values) -> None:
        """Keep values of one side of a call.

        Args:
            key: of the side (`key_of`).
            values: by leaf path; at least those that are wanted.
        """
        history = self._histories.get(key)
        if history is None:
            history = self._histories[key] = History(wanted.asked, walked=wanted.walked)
        history.add(loops, values)

    def find(self, key: str, which: Which, loops: Loops) -> Values | None:
        """What is kept of the occurrence that a taking call means; None where there is none.

        Args:
            key: of a side of the source call (`key_of`).
        """
        history = self._histories.get(key)
        return None if history is None else history.find(which, loops)

    def flow(self, flow: Flow, loops: Loops, element: int | None = None) -> Value:
        """The value a flow gives to a taking call; UNRESOLVED if there is none.

        Args:
            element: number of the element that is taken, of a flow from a list.
        """
        values = self.find(key_of(flow.call, flow.side), flow.which, loops)
        return derived(picked(values, flow.path, element), flow)

    def elements(self, flow: Flow, loops: Loops) -> int | None:
        """How many elements the list has that a flow takes from: 0 after an error, None where it is not there yet."""
        values = self.find(key_of(flow.call, flow.side), flow.which, loops)
        listed = None if values is None else values[flow.path]
        return None if values is None else len(listed) if isinstance(listed, tuple) else 0
