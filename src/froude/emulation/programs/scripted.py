"""A node that follows the steps of its node type: clients, and every node without a program of its own.

It makes one call of its steps at a time, as `emulation.pacing` has them due, polls where the recorded nodes polled,
makes its periodic calls beside, and sends messages to the nodes on which its calls have effects.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from froude.emulation.pacing import Pace
from froude.emulation.programs.context import Cause, NodeContext, Place, stand_in
from froude.emulation.programs.events import (
    Event,
    Failed,
    Instruction,
    MessageReceived,
    NodeId,
    Note,
    Program,
    Reached,
    Reply,
    Send,
    SendMessage,
    Started,
    Timer,
    WakeAt,
)
from froude.emulation.programs.family import Family, ScriptedView, Step
from froude.emulation.programs.memory import Cursor, Memory
from froude.emulation.programs.paths import count_at, value_at
from froude.emulation.programs.population import Population, service_named
from froude.workload.occurrences import Loops, of_own_node, qualified
from froude.workload.rules import Special, Value, evaluate
from froude.workload.types import (
    SCRIPTED,
    Actor,
    CallTemplate,
    Effect,
    Flow,
    Moment,
    NodeType,
    Periodic,
    Rule,
    Side,
)

_STEP, _AGAIN, _PERIODIC, _EFFECT = 0, 1, 1 << 20, 2 << 20  # token ranges
_RETRIED = ("NotReplicatedYetException", "RetriableException", "SafeModeException")
_RETRIES, _RETRY_S = 8, 0.4  # as dfs.client.block.write.locateFollowingBlock: 400 ms, doubled each time
_POLLS = 100
"""Attempts after which a poll is given up; a real client gives up closing a file sooner."""


class ScriptedNode:
    """One node of a node type; see the module."""

    __slots__ = (
        "_beating", "_beats", "_body", "_call", "_cursor", "_family", "_flying", "_memory", "_open", "_pace",
        "_promised", "_retries", "_rng", "_started", "_type", "id", "population",
    )  # fmt: skip

    def __init__(self, family: ScriptedFamily, number: int) -> None:
        """A node that has not started.

        Args:
            family: its type, in a play.
            number: its number within the type.
        """
        population, node_type = family.population, family.node_type
        self.population = population
        self.id = NodeId(node_type.name, number)
        self._family = family
        self._type = node_type
        self._cursor = Cursor(node_type.steps, population.plan.scale)
        self._pace = family.pace(number)
        self._memory = Memory()
        self._rng: random.Random | None = None
        self._promised: dict[tuple[str, str], Value] = {}
        self._call: CallTemplate | None = None
        self._body = b""
        self._flying = 0
        self._retries = 0
        self._open: dict[int, int] = {}
        self._beating: set[int] = set()
        self._beats: dict[int, int] = {}
        self._started = False

    @property
    def rng(self) -> random.Random:
        """Its own stream of random numbers."""
        if self._rng is None:
            self._rng = self.population.seeds.child("node", *self.id).random()
        return self._rng

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event; see `Program`."""
        out: list[Instruction] = []
        if isinstance(event, Reply):
            self._answered(event, now_s, out)
        elif isinstance(event, Timer):
            self._timer(event, now_s, out)
        elif isinstance(event, Started):
            self._begin(event.intended_s, out)
        elif isinstance(event, MessageReceived):
            if isinstance(event.message, Cause):
                self._act(event.message, now_s, out)
        else:
            self._failed(event, now_s, out)
        return out

    def recall(self, rule: Flow, loops: Loops) -> Value:
        """The value that a flow gives to a call of this node.

        Args:
            rule: the flow.
            loops: where the call stands.
        """
        if of_own_node(rule, self.id.type):
            return self._memory.flow(rule, loops)
        return self.population.shared.flow(rule, qualified(*self.id, loops))

    def ahead(self) -> Iterator[Step]:
        """See `family.ScriptedView`."""
        cursor = self._cursor.copy()
        cursor.advance()
        while (call := cursor.call) is not None:
            yield Step(call, NodeContext(self, Place(cursor.loops, cursor)))
            cursor.advance()

    def promise(self, call: CallTemplate, path: str, value: Value) -> None:
        """See `family.ScriptedView`."""
        self._promised[(call.id, path)] = value

    # --- steps ------------------------------------------------------------------------------------------

    def _begin(self, intended_s: float, out: list[Instruction]) -> None:
        self._pace.begin(intended_s)
        self._plan_step(intended_s, out)
        for number, periodic in enumerate(self._type.periodic):
            if not periodic.opened_by:
                self._beat(number, intended_s, out)

    def _plan_step(self, now_s: float, out: list[Instruction]) -> None:
        """Wait until the next step is due, or end."""
        call = self._cursor.call
        if call is not None:
            out.append(WakeAt(self._pace.due(call, now_s), _STEP))
        elif self._flying == 0:
            out.append(Reached(Moment.FINISHED))

    def _send_step(self, intended_s: float, now_s: float, out: list[Instruction]) -> None:
        call = self._cursor.call
        assert call is not None
        self._call, self._retries = call, 0
        context = NodeContext(self, Place(self._cursor.loops, self._cursor))
        body = self._encode(call, context, out)
        if body is None:
            self._skip(call, now_s, out)
            return
        self._body = body
        if not self._send(call, body, out, token=_STEP, intended_s=intended_s, context=context):
            self._skip(call, now_s, out)

    def _skip(self, call: CallTemplate, now_s: float, out: list[Instruction]) -> None:
        """Go on without a call that is not sent to any target; what it would have opened or closed is so."""
        self._opened_or_closed(call, now_s, out)
        self._cursor.advance()
        self._plan_step(now_s, out)

    def _answered(self, reply: Reply, now_s: float, out: list[Instruction]) -> None:
        self._flying -= 1
        if not self._started:
            self._started = True
            out.append(Reached(Moment.STARTED))
        if reply.token != _STEP:
            if _PERIODIC <= reply.token < _EFFECT:
                self._keep_beat(reply.token - _PERIODIC, bytes(reply.body))
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
        population = self.population
        effects = population.effects_of(self._type.name, call.id)
        watchers = population.watchers(call.method)
        kept = population.needs.wants(call.id, Side.RESPONSE)
        if call.poll is not None or effects or watchers or kept:
            response = population.response(call, bytes(reply.body))
            if call.poll is not None and value_at(response, call.poll.path) != call.poll.until:
                self._retries += 1
                if self._retries < _POLLS:
                    out.append(WakeAt(now_s + call.poll.every_s, _AGAIN))
                    return False
                out.append(Note(f"poll given up: {call.id} {call.method}"))
            self._keep(call, self._cursor.loops, Side.RESPONSE, response)
            for family in watchers:
                out += family.answered(self, call, response)
            context = NodeContext(self, Place(self._cursor.loops, self._cursor))
            self._cause(effects, call, context, response, out)
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
            out.append(WakeAt(now_s + _RETRY_S * 2**self._retries, _AGAIN))
            self._retries += 1
            out.append(Note(f"call retried after {kind}"))
            return
        if call.fails is None:
            out.append(Note(f"call failed: {call.id} {call.method} {kind}"))
        self._keep(call, self._cursor.loops, Side.RESPONSE, None)
        self._cursor.advance()
        self._plan_step(now_s, out)

    def _timer(self, timer: Timer, now_s: float, out: list[Instruction]) -> None:
        if timer.token == _STEP:
            self._send_step(timer.intended_s, now_s, out)
        elif timer.token == _AGAIN:
            assert self._call is not None
            context = NodeContext(self, Place(self._cursor.loops, self._cursor))
            self._send(self._call, self._body, out, token=_STEP, intended_s=timer.intended_s, context=context)
        elif timer.token < _EFFECT:
            self._send_periodic(timer.token - _PERIODIC, timer.intended_s, now_s, out)

    # --- periodic calls -----------------------------------------------------------------------------------

    def _beat(self, number: int, now_s: float, out: list[Instruction]) -> None:
        periodic = self._type.periodic[number]
        self._beating.add(number)
        jitter_s = self.rng.uniform(-periodic.jitter_s, periodic.jitter_s)
        out.append(WakeAt(now_s + max(1e-3, periodic.every_s + jitter_s), _PERIODIC + number))

    def _send_periodic(self, number: int, intended_s: float, now_s: float, out: list[Instruction]) -> None:
        self._beating.discard(number)
        periodic = self._type.periodic[number]
        over = not self._open.get(number) if periodic.opened_by else self._cursor.call is None
        if over:
            return
        context = NodeContext(self, self._beat_place(periodic, self._beats.get(number, 0)))
        body = self._encode(periodic.call, context, out)
        if body is not None:
            self._beats[number] = self._beats.get(number, 0) + 1
            token = _PERIODIC + number
            self._send(periodic.call, body, out, token=token, intended_s=intended_s, context=context)
        # A player that fell behind makes up for one beat, not for all of them at once.
        self._beat(number, max(intended_s, now_s - periodic.every_s), out)

    @staticmethod
    def _beat_place(periodic: Periodic, beat: int) -> Place:
        """A periodic call stands in a loop of its own, named as the call is."""
        return Place({periodic.call.id: beat}, ())

    def _keep_beat(self, number: int, body: bytes) -> None:
        call = self._type.periodic[number].call
        if self.population.needs.wants(call.id, Side.RESPONSE):
            place = self._beat_place(self._type.periodic[number], self._beats[number] - 1)
            self._keep(call, place.loops, Side.RESPONSE, self.population.response(call, body))

    def _opened_or_closed(self, call: CallTemplate, now_s: float, out: list[Instruction]) -> None:
        for number, periodic in enumerate(self._type.periodic):
            if call.id in periodic.closed_by:
                self._open[number] = max(0, self._open.get(number, 0) - 1)
            if call.id in periodic.opened_by:
                self._open[number] = self._open.get(number, 0) + 1
                if number not in self._beating:
                    self._beat(number, now_s, out)

    # --- effects ------------------------------------------------------------------------------------------

    def _cause(
        self,
        effects: Sequence[tuple[str, int, Effect]],
        call: CallTemplate,
        context: NodeContext,
        response: Message | None,
        out: list[Instruction],
    ) -> None:
        """Send the effects of an answer to the nodes that act; without an answer, those of the request."""
        chosen = [e for e in effects if (e[2].actor is Actor.CALLEE) is (response is None)]
        if not chosen:
            return
        request = self.population.schema.decode_request(call.protocol, call.method, self._body)
        for acting, number, effect in chosen:
            message = request if response is None else response
            elements = 1 if effect.each is None else count_at(message, effect.each)
            for each in range(elements):
                if effect.share < 1.0 and self.rng.random() >= effect.share:
                    continue
                node = self._acting(acting, effect, call, context=context, message=message, each=each)
                if node is None:
                    out.append(Note(f"effect {effect.call.id} names no node of the play"))
                    continue
                place = self._seen_by(acting, context)
                cause = Cause(number, request, response, each, place.loops, tuple(place.last))  # type: ignore[arg-type]
                out.append(SendMessage(node, cause))

    def _seen_by(self, acting: str, context: NodeContext) -> Place:
        """A place of this node as nodes of another type know it: by loops of other names than their own."""
        prefix = "" if acting == self.id.type else f"{self.id.type}."
        last = [prefix + loop for loop in context.loops if context.is_last(loop)]
        return Place({prefix + loop: number for loop, number in context.loops.items()}, last)

    def _acting(
        self,
        acting: str,
        effect: Effect,
        call: CallTemplate,
        *,
        context: NodeContext,
        message: Message,
        each: int,
    ) -> NodeId | None:
        if effect.actor is Actor.SELF:
            return self.id if acting == self.id.type else NodeId(acting, self.id.number)
        if effect.actor is Actor.CALLEE:
            address = Special.UNRESOLVED if call.callee is None else evaluate(call.callee, context)
            node = self.population.called(address)
            return node if node is not None and node.type == acting else None
        prefix = f"{effect.each}[{{each}}]." if effect.each else ""
        return self.population.owner(acting, value_at(message, f"{prefix}{effect.owner}", each))

    def _act(self, cause: Cause, now_s: float, out: list[Instruction]) -> None:
        effect = self._type.effects[cause.effect]
        context = NodeContext(self, Place(cause.loops, cause.last), cause)
        body = self._encode(effect.call, context, out)
        if body is not None:
            token = _EFFECT + cause.effect
            self._send(effect.call, body, out, token=token, intended_s=now_s, context=context)

    # --- parts ----------------------------------------------------------------------------------------------

    def _encode(self, call: CallTemplate, context: NodeContext, out: list[Instruction]) -> bytes | None:
        """A request's bytes; None where a call before it failed and left a required field without its value."""
        population = self.population
        fixed = population.fixed(call)
        if fixed is not None:
            if population.needs.wants(call.id, Side.REQUEST):
                request = population.schema.decode_request(call.protocol, call.method, fixed)
                self._keep(call, context.loops, Side.REQUEST, request)
            return fixed
        values: dict[str, Any] = {}
        context.making = (call.id, values)
        for path, rule in call.arguments.items():
            value = self._promised.pop((call.id, path), Special.ABSENT)
            if value is Special.ABSENT:
                value = stand_in(rule, context)
            if value is Special.UNRESOLVED:
                out.append(Note(f"argument unresolved: {call.id} {path}"))
            elif value is not Special.ABSENT:
                values[path] = value
        self._family.learn_names(self.id.number, values)
        message = population.request(call, values)
        if not message.IsInitialized():
            out.append(Note(f"call left out: {call.id} {call.method}"))
            return None
        self._keep(call, context.loops, Side.REQUEST, message)
        return population.encode(call, message)

    def _keep(self, call: CallTemplate, loops: Loops, side: Side, message: Message | None) -> None:
        needs = self.population.needs
        self._memory.keep(needs.own, call.id, loops, side, message)
        self.population.shared.keep(needs.shared, call.id, qualified(*self.id, loops), side, message)

    def _send(
        self,
        call: CallTemplate,
        body: bytes,
        out: list[Instruction],
        *,
        token: int,
        intended_s: float,
        context: NodeContext,
    ) -> bool:
        """Send a call, or hand it to the emulated node that it is addressed to; False where nobody will answer."""
        service = service_named(call)
        effects = self.population.effects_of(self._type.name, call.id) if token == _STEP else ()
        self._cause(effects, call, context, None, out)
        if call.callee is not None and self.population.called(evaluate(call.callee, context)) is not None:
            out.append(Note(f"call to an emulated node, not sent: {call.method}"))
            return False
        if self.population.target(service) is None:
            out.append(Note(f"call left out: {call.id} {call.method}, the play has no target for {service}"))
            return False
        self._flying += 1
        expected_s = self._pace.expected_s(call) if token == _STEP else 0.0
        out.append(Send(call.protocol, call.method, body, token, intended_s, service, expected_s))
        return True

    def _end_if_over(self, out: list[Instruction]) -> None:
        if self._cursor.call is None and self._flying == 0:
            out.append(Reached(Moment.FINISHED))


class ScriptedFamily:
    """The nodes of one type that follow its steps."""

    autonomous = False
    watches: Collection[str] = ()

    def __init__(self, node_type: NodeType, population: Population) -> None:
        """Bind a node type to a play.

        Args:
            node_type: what the nodes follow.
            population: all nodes of the play.
        """
        self.node_type = node_type
        self.population = population
        self._names: dict[str, int] = {}

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
        )

    def source(self, number: int) -> str | None:  # noqa: ARG002 - see `Family`
        """None: any address will do."""
        return None

    def fact(self, number: int, name: str) -> Value:
        """Its client id as a uuid; this machine's address, and no ports."""
        if name == "uuid":
            return self.population.client_uuid(NodeId(self.node_type.name, number))
        if name in ("address", "hostname"):
            return "127.0.0.1"
        return 0 if name in ("port", "ipc_port", "info_port") else Special.UNRESOLVED

    def owner(self, name: str) -> int | None:
        """The node that called itself so in a request of its own."""
        return self._names.get(name)

    def learn_names(self, number: int, values: Mapping[str, Any]) -> None:
        """Take note of what a node calls itself, where effects go by that name.

        Args:
            number: which node.
            values: arguments of a request of its own, by leaf path.
        """
        for path in self.population.needs.names[self.node_type.name]:
            if isinstance(values.get(path), str):
                self._names[values[path]] = number

    def answered(self, node: ScriptedView, call: CallTemplate, response: Any) -> Sequence[Instruction]:  # noqa: ARG002
        """Nothing: effects say what follows."""
        return ()

    def identity(self, number: int, rule: Rule) -> str | None:
        """What a rule of the node type gives for a node that has not begun: its user, its caller context.

        Args:
            number: which node.
            rule: the rule.
        """
        context = NodeContext(ScriptedNode(self, number), Place({}, ()))
        value = stand_in(rule, context)
        return value if isinstance(value, str) else None


class ScriptedKind:
    """The kind of node types that name no program."""

    name = SCRIPTED
    endless = False
    needed_first = False
    protocols: Collection[str] = ()

    def family(self, node_type: NodeType, population: Population) -> Family:
        """See `ProgramKind`."""
        return ScriptedFamily(node_type, population)
