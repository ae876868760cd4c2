"""The requests of one node that follows a node type: made by the rules, and kept as far as later ones take values.

What a node sends and is answered is remembered here, so that the flows of its calls, and of others', find it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from google.protobuf.message import Message

from froude.emulation.notes import LEFT_OUT, UNRESOLVED
from froude.emulation.pacing import Pace
from froude.emulation.programs.context import NodeContext, stand_in
from froude.emulation.programs.events import Instruction, NodeId, Note
from froude.emulation.programs.memory import Memory
from froude.emulation.programs.population import Population, service_named
from froude.hadoop.rpc.target import Target
from froude.workload.occurrences import Loops, of_own_node, qualified
from froude.workload.rules import Special, Value, evaluate
from froude.workload.types import CallTemplate, Flow, NodeType, Side


class OfType(Protocol):
    """What the nodes of one type share, in a play."""

    node_type: NodeType
    population: Population

    def pace(self, number: int) -> Pace:
        """The due times of a node's steps."""
        ...

    def learn_names(self, number: int, values: Mapping[str, Any]) -> None:
        """Take note of what a node calls itself."""
        ...


class Requests:
    """A node's requests, and its memory of them; see the module."""

    __slots__ = ("_family", "_memory", "_node", "_population", "_promised")

    def __init__(self, family: OfType, node: NodeId) -> None:
        """Of a node that has sent nothing.

        Args:
            family: its type, in a play.
        """
        self._family = family
        self._population = family.population
        self._node = node
        self._memory = Memory()
        self._promised: dict[tuple[str, str], Value] = {}

    def recall(self, rule: Flow, loops: Loops, element: int | None, *, effect: bool) -> Value:
        """The value that a flow gives to a call of this node.

        Args:
            loops: where the call stands.
            element: number of the element that is taken, of a flow from a list.
            effect: the call is an effect; the loops are its cause's.
        """
        if of_own_node(rule, self._node.type):
            return self._memory.flow(rule, loops, element)
        return self._population.shared.flow(rule, qualified(*self._node, loops, effect=effect), element)

    def promise(self, call: CallTemplate, path: str, value: Value) -> None:
        """Bind an argument of the next request of a call; see `family.ScriptedView`.

        Args:
            path: leaf path of the argument.
            value: what it will be.
        """
        self._promised[(call.id, path)] = value

    def body(self, call: CallTemplate, context: NodeContext, out: list[Instruction]) -> bytes | None:
        """A request's bytes; None where a call before it failed and left a required field without its value.

        Args:
            out: takes notes of what is missing.
        """
        population = self._population
        promised = any(of == call.id for of, _ in self._promised)
        fixed = None if promised else population.fixed(call)
        if fixed is not None:
            if population.needs.wants(call.id, Side.REQUEST):
                request = population.schema.decode_request(call.protocol, call.method, fixed)
                self.keep(call, context, Side.REQUEST, request)
            return fixed
        message = self.message(call, context, out)
        return None if message is None else population.encode(call, message)

    def message(
        self, call: CallTemplate, context: NodeContext, out: list[Instruction], *, sent: bool = True
    ) -> Message | None:
        """A request, kept as far as somebody takes values of it.

        Args:
            out: takes notes of what is missing.
            sent: it is to be sent, so its required fields have to be there.

        Returns:
            None as for `body`, where it is to be sent.
        """
        values: dict[str, Any] = {}
        context.making = (call.id, values)
        for path, rule in call.arguments.items():
            value = self._promised.pop((call.id, path), Special.ABSENT)
            if value is Special.ABSENT:
                value = stand_in(rule, context)
            if value is Special.UNRESOLVED:
                out.append(Note(f"{UNRESOLVED}{call.id} {path}"))
            elif value is not Special.ABSENT:
                values[path] = value
        self._family.learn_names(self._node.number, values)
        message = self._population.request(call, values)
        if sent and not message.IsInitialized():
            out.append(Note(f"{LEFT_OUT}{call.id} {call.method}"))
            return None
        self.keep(call, context, Side.REQUEST, message)
        return message

    def keep(self, call: CallTemplate, context: NodeContext, side: Side, message: Message | None) -> None:
        """Remember a message, as far as somebody takes values of it.

        Args:
            message: the message; None for a response that was an error.
        """
        needs, loops = self._population.needs, context.loops
        place = qualified(*self._node, loops, effect=context.cause is not None)
        addressed = side is Side.REQUEST and call.id in needs.addressed
        callee = self._callee(call, context) if addressed else None
        self._memory.keep(needs.own, call.id, loops, side, message, callee=callee)
        self._population.shared.keep(needs.shared, call.id, place, side, message, callee=callee)

    def _callee(self, call: CallTemplate, context: NodeContext) -> Target | None:
        """Who is called: the daemon that a rule names, else the play's target."""
        address = None if call.callee is None else evaluate(call.callee, context)
        if isinstance(address, str):
            return Target(call.service, address, "")
        return self._population.target(service_named(call))
