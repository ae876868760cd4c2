"""The emulated NodeManager: everything a ResourceManager sees of one, and nothing that runs in its containers but nodes.

It registers, tells of its containers in every heartbeat, and obeys the answers. It is called: by a real
ResourceManager, which starts application masters on it, and by application masters of the play, whose calls no process
sees. What a container's process needs it fetches from the NameNode first, where the play has one.

Source: NodeStatusUpdaterImpl, ContainerManagerImpl, ResourceLocalizationService of Hadoop; recordings of real nodes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from froude.emulation.notes import NODE_REFUSED
from froude.emulation.programs.beats import next_due, on_grid
from froude.emulation.programs.events import (
    LOST,
    Answer,
    Begin,
    Called,
    Ended,
    Event,
    Failed,
    Instruction,
    Interrupted,
    MessageReceived,
    NodeId,
    Note,
    Reached,
    Repeat,
    Reply,
    Send,
    SendMessage,
    Started,
    Stop,
    Timer,
    WakeAt,
)
from froude.emulation.programs.yarn.containers import (
    ContainerKey,
    ContainerOver,
    ContainerStarted,
    Held,
    Launched,
    MayBegin,
    StartContainer,
)
from froude.emulation.programs.yarn.localisation import Localised
from froude.emulation.programs.yarn.nodemanagers import HEARTBEAT, REGISTER, Nodemanagers
from froude.emulation.programs.yarn.protocols import (
    HDFS,
    KILLED,
    NAMENODE,
    NORMAL,
    RESYNC,
    SHUTDOWN,
    SUCCESS,
    TRACKER,
    TRACKER_SERVICE,
)
from froude.workload.types import Moment

METHODS = frozenset({REGISTER, HEARTBEAT, "getFileInfo", "getBlockLocations", "getServerDefaults"})
_RETRY_S = 1.0
_REGISTER, _HEARTBEAT, _FIRST_CONTAINER = 2, 1, 16
"""Tokens of calls and timers; from the last one on each belongs to a container."""


class Masters(Protocol):
    """Who knows what the ResourceManager's calls to a node mean, and whose application masters run where."""

    def launched(self, node: NodeId, call: Called) -> Launched:
        """Read a call to a node.

        Args:
            call: what the ResourceManager, or another client, called it for.
        """
        ...

    def over(self, over: ContainerOver) -> Sequence[Instruction]:
        """What follows from the end of an application master's own container."""
        ...


class EmulatedNodemanager:
    """One emulated NodeManager; see the module."""

    __slots__ = (
        "_busy", "_due_s", "_ended", "_held", "_id", "_interval_s", "_keys", "_localised", "_masters", "_nodes",
        "_number", "_processes", "_response_id", "_started", "_statuses", "_token", "_works",
    )  # fmt: skip

    def __init__(self, nodemanagers: Nodemanagers, number: int, masters: Masters) -> None:
        """A node that has not started."""
        self._nodes = nodemanagers
        self._number = number
        self._id = NodeId(nodemanagers.type_name, number)
        self._masters = masters
        self._busy = False
        self._started = False
        self._due_s: float | None = None
        self._interval_s = nodemanagers.settings.heartbeat_s or nodemanagers.recorded_s
        self._response_id = 0
        self._keys = (b"", b"")
        self._held: dict[ContainerKey, Held] = {}
        """Its containers, until the ResourceManager has heard of their ends."""
        self._ended: list[ContainerKey] = []
        """Whose ends the heartbeat under way tells."""
        self._statuses = b""
        """Of its containers, as the last heartbeat had them."""
        self._localised: Localised | None = None
        self._works: dict[int, Held] = {}
        """Containers whose processes are not up yet, by token."""
        self._processes: dict[NodeId, ContainerKey] = {}
        self._token = _FIRST_CONTAINER

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event; see `Program`."""
        if type(event) is Reply:
            return self._answered(event, now_s)
        if type(event) is Timer:
            return self._timer(event, now_s)
        if type(event) is MessageReceived:
            return self._received(event.message, now_s)
        if type(event) is Called:
            return self._called(event, now_s)
        if type(event) is Failed:
            return self._failed(event, now_s)
        if type(event) is Interrupted:
            self._busy = event.calling
            return [WakeAt(event.due_s, _HEARTBEAT)]
        assert type(event) is Started
        return [self._register(event.intended_s)]

    def overdue(self, now_s: float) -> Sequence[tuple[str, float]]:  # noqa: ARG002 - see `Program`
        """The heartbeat that waits for the one under way; later ones are skipped, as a real node's are."""
        return () if self._due_s is None else ((HEARTBEAT, self._due_s),)

    # --- registration and heartbeats ------------------------------------------------------------------------

    def _register(self, intended_s: float) -> Send:
        self._busy, self._response_id = True, 0
        body = self._nodes.register(self._number, self._reported())
        return Send(TRACKER, REGISTER, body, _REGISTER, intended_s, TRACKER_SERVICE)

    def _answered(self, reply: Reply, now_s: float) -> Sequence[Instruction]:
        if reply.token >= _FIRST_CONTAINER:
            return self._fetched(reply.token, bytes(reply.body), now_s)
        body = bytes(reply.body)
        if reply.token == _REGISTER:
            return self._on_registered(self._nodes.registered(self._number, body), now_s)
        self._busy = False
        response_id = self._nodes.plain(body, self._interval_s)
        if response_id is None or self._ended:
            return self._go_on(self._obey(self._nodes.answer(body), now_s))
        self._response_id = response_id
        return self._go_on([])

    def _on_registered(self, response: Any, now_s: float) -> Sequence[Instruction]:
        if response.nodeAction != NORMAL:  # it never speaks again
            return [Note(f"{NODE_REFUSED}{response.diagnostics_message}"), Reached(Moment.FINISHED)]
        self._busy = False
        self._keys = self._nodes.keys(response)
        if self._started:
            return []
        self._started = True
        first_s = now_s + self._nodes.phase(self._number) * self._interval_s
        return [Reached(Moment.STARTED), WakeAt(on_grid(first_s), _HEARTBEAT)]

    def _obey(self, answer: Any, now_s: float) -> list[Instruction]:
        """Do what the answer to a heartbeat says."""
        if answer.nodeAction == RESYNC:
            return [Note("command obeyed: resync"), self._register(now_s)]
        if answer.nodeAction == SHUTDOWN:
            self._busy = True
            return [Note(f"{NODE_REFUSED}{answer.diagnostics_message}"), Reached(Moment.FINISHED)]
        self._response_id = answer.response_id
        self._interval_s = self._nodes.interval_s(answer.nextHeartBeatInterval, self._interval_s)
        self._keys = self._nodes.keys(answer, self._keys)
        # Whoever changes a node's resource keeps it in the ResourceManager; a node that registers anew says its own.
        out: list[Instruction] = [Note("command obeyed: resource")] if answer.HasField("resource") else []
        out += self._told(self._ended)
        for message in answer.containers_to_cleanup:
            out += self._kill(ContainerKey.of(message))
        for application in answer.applications_to_cleanup:
            for key in [key for key in self._held if key.application == application.id]:
                out += self._kill(key)
            if self._localised is not None:
                self._localised.forget(application.id)
        return out + self._told(map(ContainerKey.of, answer.containers_to_be_removed_from_nm))

    def _reported(self) -> list[Held]:
        """The containers that a heartbeat tells of, by id."""
        return [each for _, each in sorted(self._held.items())]

    def _told(self, keys: Iterable[ContainerKey]) -> list[Instruction]:
        """The ResourceManager has heard of the ends of containers; that of an application master is over with it."""
        out: list[Instruction] = []
        for key in keys:
            held = self._held.pop(key, None)
            if held is not None and held.master is None:
                killed = held.exit_status == KILLED
                out += self._masters.over(ContainerOver(held.key, held.process, killed=killed))
        return out

    def _timer(self, timer: Timer, now_s: float) -> Sequence[Instruction]:
        if timer.token >= _FIRST_CONTAINER:
            return self._begin_process(timer.token)
        if timer.token == _REGISTER:
            return [self._register(timer.intended_s)]
        if self._due_s is None:
            self._due_s = timer.intended_s
        before = self._statuses
        next_s = next_due(timer.intended_s, self._interval_s, now_s)
        out = self._go_on([WakeAt(next_s, _HEARTBEAT)])
        send = out[-1]
        if type(send) is Send and self._statuses == before and not self._ended:
            return [Repeat(send, self._interval_s, self._again)]
        return out

    def _again(self, beat: Send, answer: bytes) -> Send | None:
        """The heartbeat after one that is repeated; None where its answer asks for something."""
        response_id = self._nodes.plain(answer, self._interval_s)
        if response_id is None:
            return None
        self._response_id = response_id
        return self._heartbeat(beat.intended_s)

    def _heartbeat(self, intended_s: float) -> Send:
        body = self._nodes.heartbeat(
            self._number, response_id=self._response_id, keys=self._keys, statuses=self._statuses
        )
        return Send(TRACKER, HEARTBEAT, body, _HEARTBEAT, intended_s, TRACKER_SERVICE, self._interval_s)

    def _go_on(self, out: list[Instruction]) -> list[Instruction]:
        """Add the heartbeat that is due, if no call is under way."""
        if self._busy or self._due_s is None:
            return out
        intended_s, self._due_s = self._due_s, None
        self._busy = True
        held = self._reported()
        self._ended = [each.key for each in held if each.over]
        self._statuses = self._nodes.statuses(held)
        out.append(self._heartbeat(intended_s))
        return out

    def _failed(self, failure: Failed, now_s: float) -> Sequence[Instruction]:
        if failure.token >= _FIRST_CONTAINER:
            kind = failure.error.rpartition(".")[2]
            return [Note(f"localisation failed: {kind}"), *self._fetched(failure.token, None, now_s)]
        if failure.token == _REGISTER:
            if failure.error == LOST:
                return [WakeAt(now_s + _RETRY_S, _REGISTER)]
            return [Note(f"{NODE_REFUSED}{failure.error.rpartition('.')[2]}"), Reached(Moment.FINISHED)]
        self._busy = False
        return self._go_on([])

    # --- containers -----------------------------------------------------------------------------------------

    def _called(self, call: Called, now_s: float) -> Sequence[Instruction]:
        """The ResourceManager starts an application master here, or cleans up after one."""
        launched = self._masters.launched(self._id, call)
        answer = Answer(call.ticket, launched.body, launched.error)
        out: list[Instruction] = [Note(f"called by another process: {call.method}"), answer, *launched.told]
        for start in launched.started:
            out += self._start(start, now_s)
        for key in launched.stopped:
            out += self._kill(key)
        return out

    def _received(self, message: object, now_s: float) -> Sequence[Instruction]:
        if isinstance(message, StartContainer):
            assert message.master is not None
            taken = ContainerStarted(message.key, message.id)
            return [SendMessage(message.master, taken), *self._start(message, now_s)]
        if isinstance(message, MayBegin):
            return self._may_begin(message.key)
        if isinstance(message, Ended):
            key = self._processes.pop(message.node, None)
            return [] if key is None else self._end(key, SUCCESS)
        return []

    def _start(self, start: StartContainer, now_s: float) -> list[Instruction]:
        if start.key in self._held:
            return [Note("container started twice")]
        localised = self._localised = self._localised or Localised()
        fetches = localised.fetch(start.launch.localResources, start.key.application)
        ours = start.process is not None or start.master is not None
        if fetches and (not ours or self._nodes.population.target(NAMENODE) is None):
            fetches = []
        held = self._held[start.key] = Held(
            start.key, start.id, start.resource, start.process, start.master,
            waits=start.waits, cause=start.cause, fetches=deque(fetches),
        )  # fmt: skip
        self._token += 1
        self._works[self._token] = held
        return self._prepare(self._token, now_s)

    def _at_work(self, token: int) -> Held | None:
        """The container of a token; None where it has ended."""
        held = self._works.get(token)
        if held is None or held.over or held.key not in self._held:
            self._works.pop(token, None)
            return None
        return held

    def _prepare(self, token: int, now_s: float) -> list[Instruction]:
        """Fetch the next file, or let the process come up."""
        held = self._at_work(token)
        if held is None:
            return []
        if held.fetches:
            fetch = held.under_way = held.fetches.popleft()
            return [Send(HDFS, fetch.method, self._nodes.fetch(fetch), token, now_s, NAMENODE)]
        held.runs()
        if held.process is None:
            del self._works[token]
            return self._end(held.key, SUCCESS)
        return [WakeAt(now_s + held.process.delay_s, token)]

    def _fetched(self, token: int, body: bytes | None, now_s: float) -> Sequence[Instruction]:
        """A call that fetches a file was answered; None for an error."""
        held = self._works.get(token)
        if held is not None and held.under_way is not None:
            self._nodes.fetched(self._number, held.cause, held.under_way, body)
        return self._prepare(token, now_s)

    def _begin_process(self, token: int) -> Sequence[Instruction]:
        held = self._at_work(token)
        if held is None:
            return []
        del self._works[token]
        held.up = True
        return self._begin(held)

    def _may_begin(self, key: ContainerKey) -> Sequence[Instruction]:
        """What a process waits for has come."""
        held = self._held.get(key)
        if held is None or held.over:
            return []
        held.waits = False
        return self._begin(held)

    def _begin(self, held: Held) -> Sequence[Instruction]:
        """Let a process begin that is up and waits for nothing."""
        if not held.up or held.waits or held.begun or held.process is None:
            return []
        held.begun = True
        self._processes[held.process.node] = held.key
        return [Begin(held.process.node)]

    def _kill(self, key: ContainerKey) -> list[Instruction]:
        """End a container where it stands."""
        held = self._held.get(key)
        if held is None or held.over:
            return []
        out: list[Instruction] = []
        if held.begun and held.process is not None:
            self._processes.pop(held.process.node, None)
            out.append(Stop(held.process.node))
        return [*out, *self._end(key, KILLED)]

    def _end(self, key: ContainerKey, exit_status: int) -> list[Instruction]:
        held = self._held.get(key)
        if held is None or held.over:
            return []
        held.ends(exit_status)
        if held.master is None:
            return []
        return [SendMessage(held.master, ContainerOver(key, held.process, killed=exit_status == KILLED))]
