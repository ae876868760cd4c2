"""The requests of one node that follows a node type: made by the rules, and kept as far as later ones take values.

What a node sends and is answered is remembered here, so that the flows of its calls, and of others', find it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from google.protobuf.message import Message

from froude.emulation.notes import LEFT_OUT, UNRESOLVED
from froude.emulation.pacing import Pace
from froude.emulation.programs.compiled import Calls, Compiled, Kept
from froude.emulation.programs.context import NodeContext
from froude.emulation.programs.events import Instruction, NodeId, Note
from froude.emulation.programs.memory import Memory
from froude.emulation.programs.population import Population, service_named
from froude.hadoop.rpc.target import Target
from froude.messages.leaves import build
from froude.workload.occurrences import Loops, of_own_node, qualified
from froude.workload.paths import Values
from froude.workload.rules import Special, Value, evaluate, stand_in
from froude.workload.types import CALLEE_HOST, CALLEE_PORT, CallTemplate, Flow, NodeType, Side


class OfType(Protocol):
    """What the nodes of one type share, in a play."""

    node_type: NodeType
    population: Population

    @property
    def names(self) -> Collection[str]:
        """Leaves of its nodes' requests by which effects name a node."""
        ...

    def pace(self, number: int) -> Pace:
        """The due times of a node's steps."""
        ...

    def learn_names(self, number: int, values: Mapping[str, Any]) -> None:
        """Take note of what a node calls itself."""
        ...


class Requests:
    """A node's requests, and its memory of them; see the module."""

    __slots__ = ("_compiled", "_family", "_memory", "_node", "_population", "_promised")

    def __init__(self, family: OfType, node: NodeId) -> None:
        """Of a node that has sent nothing."""
        self._family = family
        self._population = family.population
        self._compiled = self._population.common(Calls)
        self._node = node
        self._memory = Memory()
        self._promised: dict[str, dict[str, Value]] = {}

    def recall(self, rule: Flow, loops: Loops, element: int | None, *, effect: bool) -> Value:
        """The value that a flow gives to a call of this node.

        Args:
            element: number of the element that is taken, of a flow from a list.
            effect: the call is an effect; the loops are its cause's.
        """
        if of_own_node(rule, self._node.type):
            return self._memory.flow(rule, loops, element)
        return self._population.shared.flow(rule, qualified(*self._node, loops, effect=effect), element)

    def elements(self, rule: Flow, loops: Loops) -> int | None:
        """How many elements the list has that a flow takes from: 0 after an error, None where it is not there yet."""
        return self._memory.elements(rule, loops)

    def promise(self, call: CallTemplate, path: str, value: Value) -> None:
        """Bind an argument of the next request of a call; see `family.ScriptedView`."""
        self._promised.setdefault(call.id, {})[path] = value

    def compiled(self, call: CallTemplate) -> Compiled:
        """A call of the node's type, compiled."""
        return self._compiled.of(call, self._node.type)

    def body(self, call: CallTemplate, context: NodeContext, out: list[Instruction]) -> bytes | None:
        """A request's bytes; None where a call before it failed and left a required field without its value."""
        compiled = self._compiled.of(call, self._node.type)
        promised = self._promised.get(call.id)
        if promised and not compiled.binds(promised):
            message = self.message(call, context, out)
            return None if message is None else message.SerializeToString()
        values = self._values(compiled, context)
        body = None if compiled.encode is None else compiled.encode(*values)
        kept = compiled.kept.get(Side.REQUEST)
        if body is None:
            return self._unusual(compiled, values, context, out)
        if self._family.names:
            self._family.learn_names(self._node.number, compiled.named(values))
        if kept is not None:
            taken = (
                kept.read(compiled.kinds.request.FromString(body))
                if compiled.pick is None
                else compiled.pick(*values)
            )
            self._remember(compiled, kept, context, taken)
        return body

    def unsent(self, call: CallTemplate, context: NodeContext, out: list[Instruction]) -> Message | None:
        """A request that no server gets, so that required fields may be missing; kept as others are."""
        compiled = self._compiled.of(call, self._node.type)
        if not compiled.binds(self._promised.get(call.id, {})):
            return self.message(call, context, out, sent=False)
        values = self._values(compiled, context)
        body = None if compiled.encode is None or self._family.names else compiled.encode(*values)
        if body is None:
            return self._built(compiled, compiled.named(values), context, out, sent=False)
        message = compiled.kinds.request.FromString(body)
        self.keep(call, context, Side.REQUEST, message)
        return message

    def _values(self, compiled: Compiled, context: NodeContext) -> tuple[Value, ...]:
        """The varying values of a request, with those that are promised."""
        values = compiled.make(
            self._node.number, context.loops, context, self._memory, self._population.shared
        )
        call = compiled.template
        promised = self._promised.pop(call.id, None)
        if promised:
            values = tuple(map(promised.get, compiled.paths, values))
        if call.callee is not None:  # whose rule may take of the request itself
            context.making = (call.id, _given(compiled.named(values)))
        return values

    def _unusual(
        self, compiled: Compiled, values: tuple[Value, ...], context: NodeContext, out: list[Instruction]
    ) -> bytes | None:
        """The bytes of a request in which some leaf is not there, or is of another type than its field."""
        given = tuple(type(value) is not Special for value in values)
        encode = compiled.shape(given) if not all(given) else None
        body = None if encode is None else encode(*values)
        if body is None or self._family.names or Special.UNRESOLVED in values:
            message = self._built(compiled, compiled.named(values), context, out)
            return None if message is None else message.SerializeToString()
        kept = compiled.kept.get(Side.REQUEST)
        if kept is not None:
            self._remember(compiled, kept, context, kept.read(compiled.kinds.request.FromString(body)))
        return body

    def message(
        self, call: CallTemplate, context: NodeContext, out: list[Instruction], *, sent: bool = True
    ) -> Message | None:
        """A request by the evaluator of rules, kept as far as somebody takes values of it: what `body` is to equal.

        Args:
            sent: whether it is to be sent, and not to equal what `unsent` gives.
        """
        values: dict[str, Any] = {}
        context.making = (call.id, given := {})
        promised = self._promised.pop(call.id, {})
        for path, rule in call.arguments.items():
            values[path] = promised[path] if path in promised else stand_in(rule, context)
            if not isinstance(values[path], Special):
                given[path] = values[path]
        return self._built(self._compiled.of(call, self._node.type), values, context, out, sent=sent)

    def _built(
        self,
        compiled: Compiled,
        values: Mapping[str, Value],
        context: NodeContext,
        out: list[Instruction],
        *,
        sent: bool = True,
    ) -> Message | None:
        """The request of these values, those that are missing left out; kept as far as somebody takes values of it."""
        call = compiled.template
        out += [
            Note(f"{UNRESOLVED}{call.id} {path}")
            for path, value in values.items()
            if value is Special.UNRESOLVED
        ]
        given = _given(values)
        self._family.learn_names(self._node.number, given)
        message: Message = build(compiled.kinds.request, given)
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
        compiled = self._compiled.of(call, self._node.type)
        kept = compiled.kept.get(side)
        if kept is not None:
            self._remember(compiled, kept, context, kept.nothing if message is None else kept.read(message))

    def _remember(self, compiled: Compiled, kept: Kept, context: NodeContext, values: Values) -> None:
        loops = context.loops
        if kept.addressed:
            callee = self._callee(compiled.template, context)
            if callee is not None:
                values = {**values, CALLEE_HOST: callee.host, CALLEE_PORT: callee.port}
        if kept.own is not None:
            self._memory.add(kept.key, kept.own, loops, values)
        if kept.shared is not None:
            place = qualified(*self._node, loops, effect=context.cause is not None)
            self._population.keep(kept.key, kept.shared, place, values)

    def _callee(self, call: CallTemplate, context: NodeContext) -> Target | None:
        """Who is called: the daemon that a rule names, else the play's target."""
        address = None if call.callee is None else evaluate(call.callee, context)
        if isinstance(address, str):
            return Target(call.service, address, "")
        return self._population.target(service_named(call))


def _given(values: Mapping[str, Value]) -> dict[str, Any]:
    return {path: value for path, value in values.items() if not isinstance(value, Special)}
