"""The emulated application master: its own calls as recorded, and containers asked for, started and waited for.

It begins when its NodeManager starts its container, with the token that came with that. What it asks for comes in
stages: the containers of one are asked for when enough of those before have ended. A container that is given is started
on its NodeManager, which is one of the play, so that the call goes no further; what runs in it says itself when it is
through.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from froude.emulation.notes import APPLICATION_GIVEN_UP, CONTAINER_LOST, EMULATED_CALLEE, FAILED, NO_CONTAINER
from froude.emulation.programs.context import Cause, NodeContext, Place
from froude.emulation.programs.events import (
    Event,
    Failed,
    Forgone,
    Granted,
    Instruction,
    MessageReceived,
    NodeId,
    Note,
    Reply,
    Send,
    SendMessage,
    Timer,
    WakeAt,
)
from froude.emulation.programs.population import service_named
from froude.emulation.programs.requests import OfType
from froude.emulation.programs.scripted import ScriptedNode
from froude.emulation.programs.yarn.asks import Ask, Asks
from froude.emulation.programs.yarn.containers import (
    ContainerKey,
    ContainerOver,
    ContainerStarted,
    MayBegin,
    StartContainer,
)
from froude.emulation.programs.yarn.masters import FINISH, REGISTER, START, Masters, Stage
from froude.emulation.programs.yarn.protocols import (
    FAILED_APPLICATION,
    NODEMANAGER,
    SCHEDULER,
    SCHEDULER_SERVICE,
    SUCCESS,
)
from froude.workload.types import CallTemplate, Side

_ALLOCATE = 3
"""Token of the timer after which containers are asked for again."""
_PATIENCE_S = 300.0
"""A master that has waited so long, with nothing running and nothing given, gives its application up."""
_RACK = "/default-rack"
_SENT_AWAY = frozenset({"ApplicationAttemptNotFoundException", "InvalidApplicationMasterRequestException"})
"""Errors of `allocate` after which a real application master ends."""


class _Given(NamedTuple):
    """A container that was given and is not started yet."""

    request: bytes
    response: Any
    place: int
    """Its number among those of the answer."""
    beat: int
    stage: Stage
    number: int
    """Of the node that will run in it."""


class ApplicationMaster(ScriptedNode):
    """One application master; see the module."""

    __slots__ = (
        "_allocating", "_answered_steps", "_asked", "_asks", "_beat_number", "_ended", "_gave_up", "_given",
        "_last_request", "_masters", "_moved_s", "_over", "_paused", "_provided", "_response_id",
        "_running", "_said", "_stages", "_todo", "_unwanted",
    )  # fmt: skip

    def __init__(self, family: OfType, masters: Masters, number: int) -> None:
        """A node that has not started."""
        super().__init__(family, number)
        self._masters = masters
        self._stages = masters.stages(number)
        self._asks = Asks(_RACK)
        self._todo = {stage.node_type: deque(stage.numbers) for stage in self._stages}
        """Nodes that have no container yet, by type."""
        self._asked: set[str] = set()
        self._given: deque[_Given] = deque()
        self._running: dict[ContainerKey, tuple[Stage, int, NodeId]] = {}
        """What runs in each container, and on which NodeManager."""
        self._unwanted: list[bytes] = []
        self._said: tuple[list[Ask], list[bytes]] = ([], [])
        """What the last call of `allocate` asked for and gave back: said again if it fails."""
        """Ids of containers that go back with the next call."""
        self._ended: Counter[str] = Counter()
        self._provided = False
        self._answered_steps: set[str] = set()
        self._response_id = 0
        self._beat_number = 0
        self._allocating: int | None = None
        self._last_request = b""
        self._paused = False
        self._over = False
        """Whether no more containers are asked for."""
        self._gave_up = False
        self._moved_s = 0.0
        """When a container was given or ended last."""

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event; see `Program`."""
        out: list[Instruction] = []
        if isinstance(event, Timer) and event.token == _ALLOCATE:
            self._ask(event.intended_s, now_s, out)
        elif isinstance(event, Reply) and event.token == self._allocating:
            self._flying -= 1
            self._allocating = None
            self._take(bytes(event.body), now_s, out)
        elif isinstance(event, Failed) and event.token == self._allocating:
            self._flying -= 1
            self._allocating = None
            self._turned_away(event, now_s, out)
        elif isinstance(event, MessageReceived) and isinstance(event.message, ContainerStarted):
            self._keep_started(event.message.id)
        elif isinstance(event, MessageReceived) and isinstance(event.message, ContainerOver):
            self._ended_one(event.message, now_s, out)
        else:
            return super().handle(event, now_s)
        self._end_if_over(out)
        return out

    # --- its own calls --------------------------------------------------------------------------------------

    def _plan_step(self, now_s: float, out: list[Instruction]) -> None:
        call = self._cursor.call
        if call is not None and self._held_up(call):
            self._paused = True
            return
        super()._plan_step(now_s, out)

    def _held_up(self, call: CallTemplate) -> bool:
        """Whether a step has to wait for containers, or for the end of what runs in them."""
        if self._over:
            return False
        ended = () if call.awaits is None else call.awaits.ended
        if ended or call.method == FINISH:
            waited = ended or [stage.node_type for stage in self._stages]
            return any(
                self._ended[stage.node_type] < len(stage.numbers)
                for stage in self._stages
                if stage.node_type in waited
            )
        needs = call.awaits is not None or call.id in self._masters.needs
        return needs and not self._provided and any(len(stage.numbers) for stage in self._stages)

    def _resume(self, now_s: float, out: list[Instruction]) -> None:
        call = self._cursor.call
        if self._paused and call is not None and not self._held_up(call):
            self._paused = False
            self._go_on(now_s, out)

    def _send_step(self, intended_s: float, now_s: float, out: list[Instruction]) -> None:
        call = self._cursor.call
        assert call is not None
        if call.method == REGISTER and "host" in call.arguments:
            self.promise(call, "host", self._masters.applications.host(self.id) or "127.0.0.1")
        if call.method == FINISH:
            self._over = True
            if self._gave_up:
                self.promise(call, "final_application_status", FAILED_APPLICATION)
        super()._send_step(intended_s, now_s, out)

    def _send(self, call: CallTemplate, body: bytes, out: list[Instruction], **options: Any) -> bool:
        # What it stops, on whichever node, has ended: its steps waited for that.
        if service_named(call) == NODEMANAGER:
            out.append(Note(f"{EMULATED_CALLEE}{call.method}"))
            return False
        return super()._send(call, body, out, **options)

    def _learn(self, call: CallTemplate, reply: Reply, now_s: float, out: list[Instruction]) -> bool:
        answered = super()._learn(call, reply, now_s, out)
        if answered:
            self._answered_steps.add(call.id)
            if call.method == REGISTER:
                self._moved_s = now_s
                out.append(WakeAt(now_s + self._masters.every_s, _ALLOCATE))
            self._start_given(out)
        return answered

    # --- asking -----------------------------------------------------------------------------------------------

    def _ask(self, intended_s: float, now_s: float, out: list[Instruction]) -> None:
        """Call `allocate`, unless the call before is not answered yet."""
        if self._over:
            return
        out.append(WakeAt(max(intended_s + self._masters.every_s, now_s), _ALLOCATE))
        if self._allocating is not None:
            return
        for stage in self._stages:
            if stage.node_type not in self._asked and self._is_due(stage):
                self._asked.add(stage.node_type)
                for hosts in self._masters.hosts(self.id.number, stage, self.rng):
                    self._asks.want(stage.priority, hosts)
        template = self._masters.request
        context = NodeContext(self, Place({template.id: self._beat_number}, ()))
        if self._response_id != self._beat_number:
            self.promise(template, "response_id", self._response_id)
        rest = self._requests.body(template, context, out)
        assert rest is not None  # it has no required field
        self._said, self._unwanted = (self._asks.due(intended_s), self._unwanted), []
        body = self._last_request = self._masters.asked(*self._said) + rest
        self._allocating = next(self._tokens)
        self._flying += 1
        out.append(Send(SCHEDULER, template.method, body, self._allocating, intended_s, SCHEDULER_SERVICE))

    def _is_due(self, stage: Stage) -> bool:
        """Whether a stage's containers are to be asked for: enough of those before have ended, and all are given.

        Those that wait shall not take the place of those that they wait for.
        """
        if stage.container.after <= 0.0:
            return True
        before = [other for other in self._stages if other.node_type in self._asked]
        total = sum(len(other.numbers) for other in before)
        ended = sum(self._ended[other.node_type] for other in before)
        return bool(before) and self._asks.total == 0 and ended >= stage.container.after * total

    def _take(self, body: bytes, now_s: float, out: list[Instruction]) -> None:
        """Take the answer to `allocate`."""
        template = self._masters.request
        response: Any = self._requests.compiled(template).response(body)
        self._response_id = response.response_id
        if response.HasField("a_m_command"):
            self._give_up("told to end", out)
            self._resume(now_s, out)
            return
        for place in range(len(response.allocated_containers)):
            self._take_container(response, place, now_s, out)
        for status in response.completed_container_statuses:
            key = ContainerKey.of(status.container_id)
            if status.exit_status != SUCCESS and key in self._running:
                self._again(key, out)
        if self._given and response.allocated_containers:
            self._provided = True
            context = NodeContext(self, Place({template.id: self._beat_number}, ()))
            self._requests.keep(template, context, Side.RESPONSE, response)
            # Threads of a real one wait for each other less than the order of its steps says: what a NodeManager will
            # answer is known now, and it is taken from here.
            self._keep_started(response.allocated_containers[0].id.SerializeToString())
        self._beat_number += 1
        if response.allocated_containers:
            self._start_given(out)
            self._resume(now_s, out)
        if self._is_stuck(now_s):
            self._give_up("no container was given", out)
            self._resume(now_s, out)

    def _take_container(self, response: Any, place: int, now_s: float, out: list[Instruction]) -> None:
        """A container was given: it is some node's, or goes back."""
        self._moved_s = now_s
        container = response.allocated_containers[place]
        priority = container.priority.priority
        stage = next(
            (each for each in self._stages if each.priority == priority and self._todo[each.node_type]), None
        )
        asked_s = None if stage is None else self._asks.given(priority, container.nodeId.host)
        if stage is None or asked_s is None:
            self._unwanted.append(container.id.SerializeToString())
            return
        granted_s = min(self._masters.granted_s(container, now_s), now_s)
        out.append(Granted(max(0.0, granted_s - asked_s)))
        number = self._todo[stage.node_type].popleft()
        self._given.append(_Given(self._last_request, response, place, self._beat_number, stage, number))

    def _is_stuck(self, now_s: float) -> bool:
        """Whether nothing has moved for so long that nothing will."""
        waits = self._asks.total > 0 and not self._running and not self._given
        return waits and not self._over and now_s - self._moved_s > _PATIENCE_S

    def _turned_away(self, failure: Failed, now_s: float, out: list[Instruction]) -> None:
        """A call of `allocate` failed."""
        kind = failure.error.rpartition(".")[2]
        out.append(Note(f"{FAILED}{self._masters.request.id} allocate {kind}"))
        asks, released = self._said
        self._asks.again(asks)
        self._unwanted += released
        if kind in _SENT_AWAY:
            self._give_up(kind, out)
            self._resume(now_s, out)

    def _give_up(self, why: str, out: list[Instruction]) -> None:
        """End without those that have not begun: nobody shall wait for them."""
        out.append(Note(f"{APPLICATION_GIVEN_UP}{self.id.type}, {why}"))
        self._over = self._gave_up = True
        unbegun = [
            *(NodeId(name, number) for name, numbers in self._todo.items() for number in numbers),
            *(NodeId(given.stage.node_type, given.number) for given in self._given),
        ]
        out += [Forgone(node) for node in unbegun]
        self._given.clear()
        for numbers in self._todo.values():
            numbers.clear()

    # --- containers -------------------------------------------------------------------------------------------

    def _start_given(self, out: list[Instruction]) -> None:
        """Start what was given, once all is known that its start takes."""
        if self._given and self._masters.start_needs <= self._answered_steps:
            while self._given:
                self._start_one(self._given.popleft(), out)

    def _start_one(self, given: _Given, out: list[Instruction]) -> None:
        container = given.response.allocated_containers[given.place]
        node = self.population.called(container.nodeId.host)
        if node is None:
            out.append(Note(NO_CONTAINER))
            self._unwanted.append(container.id.SerializeToString())
            self._todo[given.stage.node_type].appendleft(given.number)
            self._asks.want(given.stage.priority)
            return
        key = ContainerKey.of(container.id)
        self._running[key] = (given.stage, given.number, node)
        waits = self._waits(given.stage)
        start = StartContainer(
            self.id,
            key,
            container.id.SerializeToString(),
            container.resource.SerializeToString(),
            self._launch(given, out),
            given.stage.process(given.number, self.population.settings.speed),
            waits,
            "" if self._masters.start is None else self._masters.start[1].call.id,
        )
        out += [Note(f"{EMULATED_CALLEE}{START}"), SendMessage(node, start)]

    def _launch(self, given: _Given, out: list[Instruction]) -> Any:
        """What the container is started with, as it was recorded."""
        start = self._masters.start
        if start is None:
            return self._masters.no_launch
        number, effect = start
        loops = {self._masters.request.id: given.beat}
        request = self._requests.compiled(self._masters.request).kinds.request.FromString(given.request)
        cause = Cause(number, request, given.response, (given.place,), loops, ())
        context = NodeContext(self, Place(loops, ()), cause)
        message: Any = self._requests.unsent(effect.call, context, out)
        if not message.start_container_request:
            return self._masters.no_launch
        return message.start_container_request[0].container_launch_context

    def _waits(self, stage: Stage) -> bool:
        """Whether nodes of a stage have to wait for others to end before they begin their work."""
        return any(
            self._ended[other.node_type] < len(other.numbers)
            for other in self._stages
            if other.node_type in stage.waits_for
        )

    def _keep_started(self, container: bytes) -> None:
        """Keep what a NodeManager answers that starts a container, for whoever takes values of it."""
        start = self._masters.start
        if start is None or not self.population.needs.wants(start[1].call.id, Side.RESPONSE):
            return
        number, effect = start
        method = self.population.schema.method(effect.call.protocol, effect.call.method)
        response: Any = method.response()
        response.succeeded_requests.add().ParseFromString(container)
        cause = Cause(number, response, response, (), {}, ())
        self._requests.keep(effect.call, NodeContext(self, Place({}, ()), cause), Side.RESPONSE, response)

    def _ended_one(self, over: ContainerOver, now_s: float, out: list[Instruction]) -> None:
        """What ran in a container has ended."""
        self._moved_s = now_s
        if over.killed:
            self._again(over.key, out)
            return
        running = self._running.pop(over.key, None)
        if running is None:
            return
        self._ended[running[0].node_type] += 1
        for key, (stage, _, node) in self._running.items():
            if running[0].node_type in stage.waits_for and not self._waits(stage):
                out.append(SendMessage(node, MayBegin(key)))
        self._resume(now_s, out)

    def _again(self, key: ContainerKey, out: list[Instruction]) -> None:
        """A container was lost before its end: another one is asked for, as for a further attempt."""
        running = self._running.pop(key, None)
        if running is None:
            return
        stage, number, _ = running
        if self._over:
            out.append(Forgone(NodeId(stage.node_type, number)))
            return
        out.append(Note(f"{CONTAINER_LOST}{stage.node_type}"))
        self._todo[stage.node_type].appendleft(number)
        self._asks.want(stage.priority)
