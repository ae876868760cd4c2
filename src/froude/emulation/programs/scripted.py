"""A node that follows the steps of its node type: clients, and every node without a program of its own.

It makes one call of its steps at a time, as `emulation.pacing` has them due, polls where the recorded nodes polled,
makes its periodic calls beside, and sends messages to the nodes on which its calls have effects.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import count

from google.protobuf.message import Message

from froude.emulation.notes import AS_RECORDED, FAILED, GIVEN_UP, LEFT_OUT, OCCUPIED, REMOVED, RETRIED
from froude.emulation.programs.beats import Beats
from froude.emulation.programs.compiled import Compiled
from froude.emulation.programs.context import Cause, NodeContext, Place
from froude.emulation.programs.coordination import Said, Waiting, caused
from froude.emulation.programs.events import (
    FALSE,
    Declined,
    Event,
    Failed,
    Instruction,
    MessageReceived,
    NodeId,
    Note,
    Reached,
    Reply,
    Send,
    SendMessage,
    Started,
    Timer,
    WakeAt,
)
from froude.emulation.programs.family import Step
from froude.emulation.programs.leftovers import Removal
from froude.emulation.programs.made import Ready
from froude.emulation.programs.requests import OfType, Requests
from froude.emulation.programs.retries import retry_s
from froude.emulation.programs.yarn.protocols import HDFS
from froude.hadoop.rpc.target import service_of
from froude.trace.failures import path_of
from froude.workload.cursor import Cursor
from froude.workload.occurrences import Loops
from froude.workload.paths import value_at
from froude.workload.rules import Value, evaluate, stand_in
from froude.workload.scale import at_node
from froude.workload.types import (
    CallTemplate,
    Flow,
    Moment,
    Side,
)

_STEP, _AGAIN, _PATIENCE, _PERIODIC = 0, 1, 2, 1 << 20  # tokens of timers, the last one for periodic call 0
_REMOVE = 1  # token of the calls that delete what clients before have left
_BESIDE = 1 << 20  # first token of the calls that the steps, which are `_STEP`, do not wait for
_POLLS = 100
"""Attempts after which a poll is given up."""


class ScriptedNode:
    """One node of a node type; see the module."""

    __slots__ = (
        "_awaited", "_beats", "_beside", "_body", "_call", "_compiled", "_context", "_cursor",
        "_due_s", "_family", "_flying", "_left", "_pace", "_removal", "_requests", "_retries", "_rng",
        "_started", "_tokens", "_transfers", "_type", "_waiting", "id", "population",
    )  # fmt: skip

    def __init__(self, family: OfType, number: int) -> None:
        """A node that has not started."""
        population, node_type = family.population, family.node_type
        self.population = population
        self.id = NodeId(node_type.name, number)
        self._family = family
        self._type = node_type
        seeds = population.seeds
        self._requests = requests = Requests(family, self.id)
        self._cursor = Cursor(
            node_type.steps,
            at_node(population.plan.scale, number),
            lambda: seeds.child("loops", node_type.name, number).value,
            requests.elements,
        )
        self._pace = family.pace(number)
        self._rng: random.Random | None = None
        self._call: CallTemplate | None = None
        self._compiled: Compiled | None = None
        """The step that was sent last, and where it stands."""
        self._context: NodeContext | None = None
        self._body = b""
        self._flying = 0
        self._due_s = 0.0
        self._transfers = False
        self._retries = 0
        self._beats = Beats(node_type.periodic)
        self._awaited: dict[int, int] = {}
        self._started = False
        self._waiting = Waiting(population.made, self.id)
        self._removal = population.common(Removal)
        self._left: Iterator[str] = iter(())
        """What clients before it have left, as far as it has yet to delete it."""
        self._tokens = count(_BESIDE)
        self._beside: dict[int, tuple[Compiled, NodeContext, bytes]] = {}

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
            elif isinstance(event.message, Ready) and self._waiting.fulfilled(event.message):
                self._go_on(now_s, out)
        elif isinstance(event, Failed):
            self._failed(event, now_s, out)
        return out

    def overdue(self, now_s: float) -> Iterator[tuple[str, float]]:
        """See `Program`."""
        for call, due_s in self._pace.overdue((step.call for step in self.ahead()), now_s):
            yield call.method, due_s

    def recall(self, rule: Flow, loops: Loops, element: int | None, *, effect: bool) -> Value:
        """See `requests.Requests`."""
        return self._requests.recall(rule, loops, element, effect=effect)

    def ahead(self) -> Iterator[Step]:
        """See `family.ScriptedView`."""
        cursor = self._cursor.copy()
        cursor.advance()
        while (call := cursor.call) is not None:
            yield Step(call, NodeContext(self, Place(cursor.loops, cursor)))
            cursor.advance()

    def promise(self, call: CallTemplate, path: str, value: Value) -> None:
        """See `family.ScriptedView`."""
        self._requests.promise(call, path, value)

    # --- steps ------------------------------------------------------------------------------------------

    def _begin(self, intended_s: float, out: list[Instruction]) -> None:
        self._pace.begin(intended_s)
        self._left = self._removal.take(self.id)
        self._remove(intended_s, out)
        self._plan_step(intended_s, out)
        for number in self._beats.from_start():
            self._beat(number, intended_s, out)

    def _remove(self, now_s: float, out: list[Instruction]) -> None:
        """Delete the next path that a client before it has left."""
        path = next(self._left, None)
        if path is not None:
            self._flying += 1
            request = self.population.schema.method(HDFS, "delete").request(src=path, recursive=False)
            out.append(Note(REMOVED))
            out.append(Send(HDFS, "delete", request.SerializeToString(), _REMOVE, now_s, service_of(HDFS)))

    def _plan_step(self, now_s: float, out: list[Instruction]) -> None:
        """Wait until the next step is due, or end."""
        call = self._cursor.call
        if call is not None and self._must_wait(call, now_s, out):
            return
        if call is not None:
            self._due_s = self._pace.due(call, now_s)
            earliest_s = self._pace.transferred(call, now_s) if self._transfers else self._due_s
            out.append(WakeAt(max(self._due_s, earliest_s), _STEP))
            self._transfers = False
        else:
            self._end_if_over(out)

    def _must_wait(self, call: CallTemplate, now_s: float, out: list[Instruction]) -> bool:
        """Whether a call has to wait for what another node has yet to make."""
        if call.after is None or self._waiting.impatient:
            return False
        value = stand_in(call.arguments[call.after.argument], self._here())
        return self._waiting.must_wait(call.after, value, _PATIENCE, now_s, out)

    def _here(self) -> NodeContext:
        """Where the next step stands."""
        return NodeContext(self, Place(self._cursor.loops, self._cursor))

    def _go_on(self, now_s: float, out: list[Instruction]) -> None:
        """The wait is over; what was planned before it is late by it, which is nobody's fault."""
        self._pace.begin(now_s)
        self._plan_step(now_s, out)

    def _send_step(self, intended_s: float, now_s: float, out: list[Instruction]) -> None:
        call = self._cursor.call
        assert call is not None
        self._call, self._retries = call, 0
        self._compiled = self._requests.compiled(call)
        context = self._context = self._here()
        body = self._requests.body(call, context, out)
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
        if reply.token == _REMOVE:
            self._remove(now_s, out)
            self._end_if_over(out)
            return
        if not self._started:
            self._started = True
            out.append(Reached(Moment.STARTED))
        if reply.token != _STEP:
            self._learn_beside(reply.token, bytes(reply.body), now_s, out)
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
        compiled, context = self._compiled, self._context
        assert compiled is not None
        assert context is not None
        said, declined = len(out), False
        if compiled.listens:
            response = compiled.response(reply.body)
            if call.poll is not None and not call.poll.ended_by(value_at(response, call.poll.path)):
                self._retries += 1
                if self._retries < _POLLS:
                    out.append(WakeAt(now_s + call.poll.every_s, _AGAIN))
                    return False
                out.append(Note(f"{GIVEN_UP}{call.id} {call.method}"))
            declined = call.confirmed_by is not None and value_at(response, call.confirmed_by) is False
            if declined:
                text = f"{call.confirmed_by}: false, and true whenever it was recorded"
                out.append(Declined(call.method, text, path_of(self._request(call))))
            self._requests.keep(call, context, Side.RESPONSE, response)
            for family in compiled.watchers:
                out += family.answered(self, call, response)
            self._cause(compiled, context, self._body, response, out)
        self._transfers = any(type(instruction) is SendMessage for instruction in out[said:])
        if call.method in self._removal.methods and not declined and reply.body != FALSE:
            self._removal.answered(self.id, call.method, self._request(call))
        if compiled.made is not None and not declined:
            self._tell_waiting(call, compiled.made, out)
        self._opened_or_closed(call, now_s, out)
        return True

    def _tell_waiting(self, call: CallTemplate, leaf: str, out: list[Instruction]) -> None:
        """Let nodes go on that wait for what a call has made."""
        path = value_at(self._request(call), leaf)
        if isinstance(path, str):
            out += self.population.make(self._type.name, call.method, path)

    def _request(self, call: CallTemplate) -> Message:
        """The request of the step that was sent last."""
        return self.population.schema.decode_request(call.protocol, call.method, self._body)

    def _failed(self, failure: Failed, now_s: float, out: list[Instruction]) -> None:
        self._flying -= 1
        if failure.token == _REMOVE:
            if failure.error.endswith("PathIsNotEmptyDirectoryException"):
                out.append(Note(f"{OCCUPIED}delete"))
            self._remove(now_s, out)
            self._end_if_over(out)
            return
        if failure.token != _STEP:
            self._learn_beside(failure.token, None, now_s, out)
            self._end_if_over(out)
            return
        call = self._call
        assert call is not None
        kind = failure.error.rpartition(".")[2]
        pause_s = retry_s(failure.error, self._retries) if call.fails is None else None
        if pause_s is not None:
            out.append(WakeAt(now_s + pause_s, _AGAIN))
            self._retries += 1
            out.append(Note(f"{RETRIED}{call.method} {kind}"))
            return
        as_recorded = call.fails == failure.error
        out.append(
            Note(f"{AS_RECORDED}{call.method}" if as_recorded else f"{FAILED}{call.id} {call.method} {kind}")
        )
        self._requests.keep(call, self._here(), Side.RESPONSE, None)
        for family in self.population.watchers(call.method):
            out += family.answered(self, call, None)
        self._cursor.advance()
        self._plan_step(now_s, out)

    def _timer(self, timer: Timer, now_s: float, out: list[Instruction]) -> None:
        if timer.token == _STEP:
            self._send_step(self._due_s, now_s, out)
        elif timer.token == _PATIENCE:
            if self._waiting.given_up(timer, out):
                self._go_on(now_s, out)
        elif timer.token == _AGAIN:
            assert self._call is not None
            at_s, context = timer.intended_s, self._here()
            self._send(self._call, self._body, out, token=_STEP, intended_s=at_s, context=context, again=True)
        else:
            self._send_periodic(timer.token - _PERIODIC, timer.intended_s, now_s, out)

    # --- periodic calls -----------------------------------------------------------------------------------

    def _beat(self, number: int, now_s: float, out: list[Instruction]) -> None:
        out.append(WakeAt(self._beats.next_s(number, now_s, self.rng), _PERIODIC + number))

    def _send_periodic(self, number: int, intended_s: float, now_s: float, out: list[Instruction]) -> None:
        if self._beats.is_over(number, at_work=self._cursor.call is not None):
            return
        periodic = self._type.periodic[number]
        context = NodeContext(self, self._beats.place(number))
        body = self._requests.body(periodic.call, context, out)
        if body is not None:
            self._beats.sent(number)
            token = self._send_beside(periodic.call, body, out, intended_s=intended_s, context=context)
            if token is not None and self._beats.waits(number):
                self._awaited[token] = number
                return
        # A player that fell behind makes up for one beat, not for all of them at once.
        self._beat(number, max(intended_s, now_s - periodic.every_s), out)

    def _opened_or_closed(self, call: CallTemplate, now_s: float, out: list[Instruction]) -> None:
        for number in self._beats.reached(call.id):
            self._beat(number, now_s, out)

    # --- effects ------------------------------------------------------------------------------------------

    def _cause(
        self,
        compiled: Compiled,
        context: NodeContext,
        body: bytes,
        response: Message | None,
        out: list[Instruction],
    ) -> None:
        """Send the effects of an answer to the nodes that act; without an answer, those of the request."""
        effects = compiled.effects[response is not None]
        if effects:
            said = Said(
                self.id, compiled.template, context, compiled.kinds.request.FromString(body), response
            )
            out += caused(effects, said, self.population, rng=lambda: self.rng)

    def _act(self, cause: Cause, now_s: float, out: list[Instruction]) -> None:
        effect = self._type.effects[cause.effect]
        context = NodeContext(self, Place(cause.loops, cause.last), cause)
        body = self._requests.body(effect.call, context, out)
        if body is not None:
            self._send_beside(effect.call, body, out, intended_s=now_s, context=context)

    # --- calls beside the steps -----------------------------------------------------------------------------

    def _send_beside(
        self,
        call: CallTemplate,
        body: bytes,
        out: list[Instruction],
        *,
        intended_s: float,
        context: NodeContext,
    ) -> int | None:
        """Send a call that the steps do not wait for; if its answer is kept, for the place where it stands now.

        Returns:
            The token of its answer; None where nobody will answer.
        """
        token = next(self._tokens)
        sent = self._send(call, body, out, token=token, intended_s=intended_s, context=context)
        if not sent:
            return None
        compiled = self._requests.compiled(call)
        self._cause(compiled, context, body, None, out)
        if compiled.effects[True] or Side.RESPONSE in compiled.kept:
            self._beside[token] = (compiled, context, body)
        return token

    def _learn_beside(self, token: int, body: bytes | None, now_s: float, out: list[Instruction]) -> None:
        """Take an answer, None for an error, to a call that the steps do not wait for."""
        if token in self._awaited:
            self._beat(self._awaited.pop(token), now_s, out)
        if token in self._beside:
            compiled, context, request = self._beside.pop(token)
            response = None if body is None else compiled.response(body)
            self._requests.keep(compiled.template, context, Side.RESPONSE, response)
            if response is not None:
                self._cause(compiled, context, request, response, out)

    def _send(
        self,
        call: CallTemplate,
        body: bytes,
        out: list[Instruction],
        *,
        token: int,
        intended_s: float,
        context: NodeContext,
        again: bool = False,
    ) -> bool:
        """Send a call, or hand it to the emulated node that it is addressed to; False where nobody will answer.

        A request that is made again, as polls and retries are, has had its effects.
        """
        compiled = self._requests.compiled(call)
        service = compiled.service
        if token == _STEP and not again:
            self._cause(compiled, context, body, None, out)
        if call.callee is not None and self.population.called(evaluate(call.callee, context)) is not None:
            out.append(Note(f"call to an emulated node, not sent: {call.method}"))
            return False
        if not compiled.served:
            reason = f"the play has no target for {service}"
            out.append(Note(f"{LEFT_OUT}{call.id} {call.method}, {reason}"))
            unmade = self.population.unmade(self._type.name, call.id, answered=token != _STEP)
            out += [Note(f"{LEFT_OUT}{each.id} {each.method}, {reason}") for each in unmade]
            return False
        self._flying += 1
        expected_s = self._pace.expected_s(call) if token == _STEP else 0.0
        out.append(Send(call.protocol, call.method, body, token, intended_s, service, expected_s))
        return True

    def _end_if_over(self, out: list[Instruction]) -> None:
        if self._cursor.call is None and self._flying == 0:
            self._removal.ended(self.id)
            out.append(Reached(Moment.FINISHED))
