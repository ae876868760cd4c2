"""A node that follows the steps of its node type: clients, and every node without a program of its own.

It makes one call of its steps at a time, waits as long as the recorded nodes did, polls where they polled, makes
its periodic calls beside, and tells other nodes what its answers cause. To a DataNode of `programs.datanode` it
tells the blocks it writes, with the length that it will itself report when it closes them, since a NameNode
takes a replica of another length for corrupt.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import Message

from froude.base.units import Quantity
from froude.emulation.programs.blocks import Block
from froude.emulation.programs.cast import DATANODE, Cast
from froude.emulation.programs.datanode import BlockWritten
from froude.emulation.programs.events import (
    Event,
    Failed,
    Instruction,
    NodeId,
    Note,
    Reached,
    Reply,
    Send,
    Started,
    Tell,
    Timer,
    Told,
    WakeAt,
)
from froude.emulation.programs.paths import count_at, value_at
from froude.emulation.programs.script import Cursor, Loops
from froude.workload.generators import GENERATORS, generate
from froude.workload.rules import Special, Value, active, evaluate
from froude.workload.types import (
    CallTemplate,
    Effect,
    Flow,
    Generated,
    Moment,
    NodeType,
    Rule,
    Side,
    Unknown,
    Which,
)


class Caused(NamedTuple):
    """Another node's call was answered, and that makes this node act."""

    effect: int
    """Number of the effect in the acting node's type."""
    request: Message
    response: Message
    each: int
    """Element of the response's repeated field."""


class Cause(NamedTuple):
    """The call an effect hangs on, while its arguments are evaluated."""

    request: Message
    response: Message
    each: int


_STEP, _PERIODIC, _EFFECT = 0, 1 << 20, 2 << 20  # token ranges
_RETRIED = ("NotReplicatedYetException", "RetriableException", "SafeModeException")
_RETRIES, _RETRY_S = 8, 0.4  # as dfs.client.block.write.locateFollowingBlock: 400 ms, doubled each time
_POLLS = 100
"""Attempts after which a poll is given up; a real client gives up closing a file sooner."""
_LENGTHS = {"addBlock": "previous.numBytes", "complete": "last.numBytes"}


class NodeContext:
    """Where a call stands; what `rules.evaluate` asks."""

    __slots__ = ("_cursor", "_node", "cause", "making")

    def __init__(self, node: ScriptedNode, cursor: Cursor | None, cause: Cause | None = None) -> None:
        self._node = node
        self._cursor = cursor
        self.cause = cause
        """The call that made the node act, in an effect."""
        self.making: tuple[str, Mapping[str, Any]] = ("", {})
        """Id and arguments so far of the request being made, from which it may take values itself."""

    @property
    def scale(self) -> Mapping[str, Quantity]:
        """See `rules.Context`."""
        return self._node.cast.plan.scale

    @property
    def loops(self) -> Loops:
        """Iterations of the loops around the call."""
        return self._cursor.loops if self._cursor is not None else {}

    def index(self, name: str) -> int:
        """See `rules.Context`; 0 for a loop that the call does not stand in."""
        return self._node.id.number if name == "node" else self.loops.get(name, 0)

    def is_last(self, name: str) -> bool:
        """See `rules.Context`."""
        return self._cursor is None or self._cursor.is_last(name)

    def flow(self, rule: Flow) -> Value:
        """See `rules.Context`."""
        if rule.which is Which.CAUSE:
            if self.cause is None:
                return Special.UNRESOLVED
            message = self.cause.request if rule.side is Side.REQUEST else self.cause.response
            value = value_at(message, rule.path, self.cause.each)
            return value + rule.plus if rule.plus and isinstance(value, int) else value
        if rule.call == self.making[0] and rule.side is Side.REQUEST and rule.which is Which.SAME:
            return self.making[1].get(rule.path, Special.UNRESOLVED)  # type: ignore[no-any-return]
        return self._node.recall(rule, self.loops)

    def fact(self, name: str) -> Value:
        """See `rules.Context`."""
        return self._node.cast.fact(self._node.id, name)

    def generated(self, rule: Generated) -> Value:
        """See `rules.Context`."""
        if rule.generator not in GENERATORS:
            return Special.UNRESOLVED
        return generate(rule, self._node.rng, self._node.cast.epoch_s)


class ScriptedNode:
    """One node of a node type; see the module."""

    __slots__ = (
        "_body", "_call", "_cursor", "_first_answer", "_flying", "_heartbeats", "_memory", "_open", "_promised",
        "_retries", "_rng", "_type", "cast", "id",
    )  # fmt: skip

    def __init__(self, cast: Cast, node_type: NodeType, number: int) -> None:
        """A node that has not started.

        Args:
            cast: what all nodes share.
            node_type: what it follows.
            number: its number within the type.
        """
        self.cast = cast
        self.id = NodeId(node_type.name, number)
        self._type = node_type
        self._cursor = Cursor(node_type.steps, cast.plan.scale)
        self._memory = cast.memory(self.id)
        self._rng: random.Random | None = None
        self._promised: dict[tuple[str, str], int] = {}
        self._call: CallTemplate | None = None
        self._body = b""
        self._flying = 0
        self._retries = 0
        self._open = 0
        self._heartbeats: set[int] = set()
        self._first_answer = False

    @property
    def rng(self) -> random.Random:
        """Its own stream of random numbers."""
        if self._rng is None:
            self._rng = self.cast.random(self.id)
        return self._rng

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event; see `Program`."""
        out: list[Instruction] = []
        if isinstance(event, Reply):
            self._answered(event, now_s, out)
        elif isinstance(event, Timer):
            self._timer(event, now_s, out)
        elif isinstance(event, Started):
            self._plan_step(event.intended_s, out)
            for number, periodic in enumerate(self._type.periodic):
                if periodic.while_open is None:
                    self._beat(number, event.intended_s, out)
        elif isinstance(event, Told):
            if isinstance(event.message, Caused):
                self._act(event.message, now_s, out)
        else:
            self._failed(event, now_s, out)
        return out

    def recall(self, rule: Flow, loops: Loops) -> Value:
        """The value that a flow gives to a call of this node."""
        if rule.node_type is None or rule.node_type == self._type.name:
            return self._memory.flow(rule, loops)
        elder = self.cast.elder(rule.node_type, self.id.number)
        return Special.UNRESOLVED if elder is None else elder.flow(rule, loops)

    # --- steps ------------------------------------------------------------------------------------------

    def _plan_step(self, now_s: float, out: list[Instruction]) -> None:
        """Wait for the next step's time, or end."""
        call = self._cursor.call
        if call is not None:
            pause_s = max(0.0, call.interval.seconds.at(self.cast.plan.scale)) / self.cast.speed
            out.append(WakeAt(now_s + pause_s, _STEP))
        elif self._flying == 0:
            out.append(Reached(Moment.FINISHED))

    def _send_step(self, intended_s: float, out: list[Instruction]) -> None:
        call = self._cursor.call
        assert call is not None
        self._call, self._retries = call, 0
        body = self._encode(call, NodeContext(self, self._cursor), out)
        if body is None:
            self._cursor.advance()
            self._plan_step(intended_s, out)
            return
        self._body = body
        self._send(call, body, _STEP, intended_s, out)

    def _answered(self, reply: Reply, now_s: float, out: list[Instruction]) -> None:
        self._flying -= 1
        if not self._first_answer:
            self._first_answer = True
            out.append(Reached(Moment.STARTED))
        if reply.token != _STEP:
            self._end_if_over(out)
            return
        call = self._call
        assert call is not None
        if not self._learn(call, reply, now_s, out):
            return
        self._cursor.advance()
        self._plan_step(now_s, out)

    def _learn(self, call: CallTemplate, reply: Reply, now_s: float, out: list[Instruction]) -> bool:
        """Take what an answer says; False if the call is to be made again."""
        needs, name = self.cast.needs, self._type.name
        effects = self.cast.effects_of(name, call.id)
        writes = call.method == "addBlock" and bool(self.cast.fleets)
        if call.poll is not None or effects or writes or needs.response(name, call.id):
            response = self.cast.response(call, bytes(reply.body))
            if call.poll is not None and value_at(response, call.poll.path) != call.poll.until:
                self._retries += 1
                if self._retries < _POLLS:
                    out.append(WakeAt(now_s + call.poll.every_s, _STEP + 1))
                    return False
                out.append(Note(f"poll given up: {call.id} {call.method}"))
            self._memory.keep(needs, name, call.id, self._cursor.loops, request=None, response=response)
            if writes:
                self._tell_written(response, out)
            self._tell_caused(effects, call, response, out)
        self._opened_or_closed(call, now_s, out)
        return True

    def _failed(self, failure: Failed, now_s: float, out: list[Instruction]) -> None:
        self._flying -= 1
        if failure.token != _STEP:
            self._end_if_over(out)
            return
        call = self._call
        assert call is not None
        kind = failure.error.rpartition(".")[2]
        if kind in _RETRIED and call.fails is None and self._retries < _RETRIES:
            out.append(WakeAt(now_s + _RETRY_S * 2**self._retries, _STEP + 1))
            self._retries += 1
            out.append(Note(f"call retried after {kind}"))
            return
        if call.fails is None:
            out.append(Note(f"call failed: {call.id} {call.method} {kind}"))
        self._cursor.advance()
        self._plan_step(now_s, out)

    def _timer(self, timer: Timer, now_s: float, out: list[Instruction]) -> None:
        if timer.token == _STEP:
            self._send_step(timer.intended_s, out)
        elif timer.token == _STEP + 1:
            assert self._call is not None
            self._send(self._call, self._body, _STEP, timer.intended_s, out)
        elif timer.token < _EFFECT:
            self._send_periodic(timer.token - _PERIODIC, timer.intended_s, now_s, out)

    # --- periodic calls -----------------------------------------------------------------------------------

    def _beat(self, number: int, now_s: float, out: list[Instruction]) -> None:
        periodic = self._type.periodic[number]
        self._heartbeats.add(number)
        jitter_s = self.rng.uniform(-periodic.jitter_s, periodic.jitter_s)
        out.append(WakeAt(now_s + max(1e-3, periodic.every_s + jitter_s), _PERIODIC + number))

    def _send_periodic(self, number: int, intended_s: float, now_s: float, out: list[Instruction]) -> None:
        self._heartbeats.discard(number)
        periodic = self._type.periodic[number]
        over = self._cursor.call is None if periodic.while_open is None else self._open == 0
        if over:
            return
        body = self._encode(periodic.call, NodeContext(self, None), out)
        if body is not None:
            self._send(periodic.call, body, _PERIODIC + number, intended_s, out)
        self._beat(number, max(intended_s, now_s - periodic.every_s), out)

    def _opened_or_closed(self, call: CallTemplate, now_s: float, out: list[Instruction]) -> None:
        if call.method == "complete":
            self._open = max(0, self._open - 1)
        for number, periodic in enumerate(self._type.periodic):
            if periodic.while_open == call.id:
                self._open += 1
                if number not in self._heartbeats:
                    self._beat(number, now_s, out)

    # --- effects ------------------------------------------------------------------------------------------

    def _tell_caused(
        self,
        effects: Sequence[tuple[str, int, Effect]],
        call: CallTemplate,
        response: Message,
        out: list[Instruction],
    ) -> None:
        request: Any = None
        for acting, number, effect in effects:
            if self.cast.types[acting].program == DATANODE:
                continue  # emulated DataNodes know what follows from a block
            if request is None:
                request = self.cast.schema.decode_request(call.protocol, call.method, self._body)
            elements = 1 if effect.each is None else count_at(response, effect.each)
            for each in range(elements):
                node = self._acting(acting, effect, response, each)
                if node is None:
                    out.append(Note(f"effect {effect.call.id} names no node of the play"))
                else:
                    out.append(Tell(node, Caused(number, request, response, each)))

    def _acting(self, acting: str, effect: Effect, response: Message, each: int) -> NodeId | None:
        if not effect.owner:
            return self.id if acting == self.id.type else NodeId(acting, self.id.number)
        prefix = f"{effect.each}[{{each}}]." if effect.each else ""
        name = value_at(response, prefix + effect.owner, each)
        fact = "uuid" if effect.owner.lower().endswith("uuid") else "address"
        return self.cast.owner(acting, fact, name)

    def _act(self, caused: Caused, now_s: float, out: list[Instruction]) -> None:
        effect = self._type.effects[caused.effect]
        cause = Cause(caused.request, caused.response, caused.each)
        body = self._encode(effect.call, NodeContext(self, None, cause), out)
        if body is not None:
            self._send(effect.call, body, _EFFECT + caused.effect, now_s, out)

    def _tell_written(self, response: Any, out: list[Instruction]) -> None:
        """The DataNodes of a new block get it, at the length it will be closed with."""
        located = response.block
        length = self._length_ahead(out)
        block = Block(located.b.blockId, length, located.b.generationStamp)
        for position, location in enumerate(located.locs):
            node = self.cast.datanode(location.id.datanodeUuid)
            if node is None:
                out.append(Note("block placed on a node that is not emulated"))
                continue
            out.append(Tell(node, BlockWritten(block, located.storageIDs[position])))

    def _length_ahead(self, out: list[Instruction]) -> int:
        """The length that the next addBlock or complete will give the block; it is bound to that from here on."""
        ahead = self._cursor.copy()
        ahead.advance()
        while (call := ahead.call) is not None:
            path = _LENGTHS.get(call.method)
            rule = call.arguments.get(path) if path is not None else None
            if rule is not None and path is not None:
                value = stand_in(rule, NodeContext(self, ahead))
                if isinstance(value, int):
                    self._promised[(call.id, path)] = value
                    return value
            ahead.advance()
        out.append(Note("length of a block unknown"))
        return 0

    # --- parts ----------------------------------------------------------------------------------------------

    def _encode(self, call: CallTemplate, context: NodeContext, out: list[Instruction]) -> bytes | None:
        """A request's bytes; None where a call before it failed and left a required field without its value."""
        needs, name = self.cast.needs, self._type.name
        fixed = self.cast.fixed(call)
        if fixed is not None:
            if needs.of(name, call.id):
                message = self.cast.schema.decode_request(call.protocol, call.method, fixed)
                self._memory.keep(needs, name, call.id, context.loops, request=message, response=None)
            return fixed
        values: dict[str, Any] = {}
        context.making = (call.id, values)
        for path, rule in call.arguments.items():
            value: Value | int = self._promised.pop((call.id, path), Special.ABSENT)
            if value is Special.ABSENT:
                value = stand_in(rule, context)
            if value is Special.UNRESOLVED:
                out.append(Note(f"argument unresolved: {call.id} {path}"))
            elif value is not Special.ABSENT:
                values[path] = value
        message = self.cast.request(call, values)
        if not message.IsInitialized():
            out.append(Note(f"call left out: {call.id} {call.method}"))
            return None
        self._memory.keep(needs, name, call.id, context.loops, request=message, response=None)
        return self.cast.encode(call, message)

    def _send(
        self, call: CallTemplate, body: bytes, token: int, intended_s: float, out: list[Instruction]
    ) -> None:
        self._flying += 1
        out.append(Send(call.protocol, call.method, body, token, intended_s))

    def _end_if_over(self, out: list[Instruction]) -> None:
        if self._cursor.call is None and self._flying == 0:
            out.append(Reached(Moment.FINISHED))


def stand_in(rule: Rule, context: NodeContext) -> Value:
    """What a rule gives, or the first example where no rule is known."""
    value = evaluate(rule, context)
    if value is Special.UNRESOLVED:
        deciding = active(rule, context)
        if isinstance(deciding, Unknown) and deciding.examples:
            return deciding.examples[0]
    return value
