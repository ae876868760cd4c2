"""The player without its sockets: programs, timers, calls in flight, connections as byte machines.

A shell (`driver`, or a simulated network in the tests) feeds it bytes and the time, and carries away what it
wants sent. Nothing here waits, so a play is a function of its inputs and can be run again exactly.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol

from froude.base.errors import TargetError
from froude.emulation.controller import Controller
from froude.emulation.programs.events import (
    Event,
    Failed,
    NodeId,
    Note,
    Program,
    Reached,
    Reply,
    Send,
    Started,
    Tell,
    Timer,
    Told,
    WakeAt,
)
from froude.emulation.tally import Series, Tally
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Authenticated, Broken, Closed, ErrorResponse, FatalResponse, Response
from froude.hadoop.rpc.states import State
from froude.workload.types import Moment

LOST = "ConnectionLost"
"""Error class of calls whose connection ended before their answer."""
INTERVAL_S = 1.0
"""Length of an interval of the time series."""
_GONE: None = None


class Endpoint(NamedTuple):
    """Which connection a call takes; calls with equal ones share it."""

    protocol: str
    """Protocol that the connection is opened for."""
    user: str | None = None
    """Effective user."""
    source: str | None = None
    """Own address to connect from; None for any."""
    slot: int = 0
    """Number within a pool."""


class Population(Protocol):
    """Who plays."""

    def program(self, node: NodeId) -> Program:
        """A fresh program for a node that begins."""
        ...

    def endpoint(self, node: NodeId, protocol: str) -> Endpoint:
        """The connection that a node's calls of a protocol take."""
        ...

    def client_id(self, node: NodeId) -> bytes | None:
        """The 16 bytes that a node calls itself; None to go by its connection's."""
        ...

    def caller_context(self, node: NodeId) -> str | None:
        """What a node says it is, for the audit log."""
        ...


class PlayedCall(NamedTuple):
    """One call as its player saw it."""

    node: NodeId
    channel: int
    call_id: int
    protocol: str
    method: str
    intended_s: float
    sent_s: float
    answered_s: float | None
    """None when no answer came."""
    request: bytes
    response: bytes | None
    error: str | None
    message: str | None


class Journal(Protocol):
    """Where calls are written down."""

    def wants(self, node: NodeId) -> bool:
        """Whether this node's calls are."""
        ...

    def call(self, played: PlayedCall) -> None:
        """Write one down."""
        ...


class Pending(NamedTuple):
    """A call in flight."""

    node: int
    token: int
    series: Series
    intended_s: float
    sent_s: float
    send: Send | None
    """Kept only for calls that are written down."""


class Channel:
    """One connection as the core sees it."""

    __slots__ = ("connection", "endpoint", "next_call", "number", "out", "pending", "waiting")

    def __init__(self, number: int, endpoint: Endpoint, connection: ClientConnection) -> None:
        self.number = number
        """Number within the play."""
        self.endpoint = endpoint
        self.connection = connection
        self.next_call = 0
        self.out: list[bytes] = []
        """Bytes for the shell to send."""
        self.pending: dict[int, Pending] = {}
        """Calls in flight, in order of sending."""
        self.waiting: list[tuple[int, Send]] = []
        """Calls that wait for the end of authentication."""


class Core:
    """One player; see the module."""

    def __init__(
        self,
        population: Population,
        controller: Controller,
        *,
        connect: Callable[[Endpoint], ClientConnection],
        tally: Tally | None = None,
        journal: Journal | None = None,
        call_timeout_s: float = 60.0,
    ) -> None:
        """Prepare a play; nothing starts before `begin`.

        Args:
            population: programs and connections of the nodes.
            controller: when they begin.
            connect: makes the protocol machine of a new connection.
            tally: where calls are counted.
            journal: where calls are written down; None for nowhere.
            call_timeout_s: a target that leaves a call unanswered for so long hangs.
        """
        self.tally = tally or Tally()
        self.failure: TargetError | None = None
        """What ended the play before its time."""
        self.opened: list[Channel] = []
        """Channels that the shell shall connect; it empties the list."""
        self.dirty: list[Channel] = []
        """Channels with bytes to send; the shell empties the list."""
        self.channels: list[Channel] = []
        """Every channel of the play."""
        self.begun_s = 0.0
        self._population = population
        self._controller = controller
        self._connect = connect
        self._journal = journal
        self._timeout_s = call_timeout_s
        self._by_endpoint: dict[Endpoint, Channel] = {}
        self._nodes: list[NodeId] = []
        self._programs: list[Program | None] = []
        self._client_ids: list[bytes | None] = []
        self._contexts: list[str | None] = []
        self._routes: list[tuple[str, Channel] | None] = []
        self._written: list[bool] = []
        self._index: dict[NodeId, int] = {}
        self._timers: list[tuple[float, int, int, int]] = []
        self._serial = 0
        self._inbox: deque[tuple[int, Event]] = deque()
        self._interval_s = 0.0

    # --- what the shell calls -----------------------------------------------------------------------------

    def begin(self, now_s: float) -> None:
        """The play begins."""
        self.begun_s = now_s
        self._interval_s = now_s + INTERVAL_S
        self._controller.begin(now_s)
        self.advance(now_s)

    def advance(self, now_s: float) -> None:
        """Let the time pass: begin nodes, ring timers, close intervals."""
        for node, at_s in self._controller.due(now_s):
            self._start(node, at_s, now_s)
        timers = self._timers
        while timers and timers[0][0] <= now_s:
            at_s, _, index, token = heapq.heappop(timers)
            self.tally.lags.append(now_s - at_s)
            self._dispatch(index, Timer(token, at_s), now_s)
            for node, begin_s in self._controller.due(now_s):
                self._start(node, begin_s, now_s)
        if now_s >= self._interval_s:
            self._close_interval(now_s)

    def received(self, channel: Channel, data: bytes, now_s: float) -> None:
        """Bytes came."""
        pending = channel.pending
        for event in channel.connection.receive(data):
            if type(event) is Response:
                call = pending.pop(event.call_id)
                index, token, series, intended_s, sent_s, send = call
                series.answered += 1
                series.actual.append(now_s - sent_s)
                series.intended.append(now_s - intended_s)
                if send is not None:
                    self._write(channel, event.call_id, call, now_s, event.body)
                self._dispatch(index, Reply(token, event.body), now_s)
            else:
                self._unusual(channel, event, now_s)
        out = channel.connection.data_to_send()
        if out:
            self._queue(channel, out)

    def ended(self, channel: Channel, now_s: float) -> None:
        """The target closed the connection."""
        for event in channel.connection.receive_end():
            assert isinstance(event, Closed)
            how = "in the middle of an answer" if event.torn else "the connection"
            self.fail(TargetError(f"closed {how} with {event.unanswered} calls unanswered"), now_s)

    def fail(self, error: TargetError, now_s: float) -> None:
        """The play ends here; what was in flight stays unanswered. The first failure stands."""
        if self.failure is None:
            self.failure = error
            self.finish(now_s)

    def finish(self, now_s: float) -> None:
        """Write down what is still in flight, and close the last interval."""
        for channel in self.channels:
            for call_id, call in channel.pending.items():
                call.series.errors["Unanswered"] += 1
                if call.send is not None:
                    self._write(channel, call_id, call, None, ("Unanswered", ""))
            channel.pending.clear()
        self.tally.close_interval(now_s - self.begun_s)

    @property
    def done(self) -> bool:
        """Whether every node that ends by itself has, or the target failed."""
        return self.failure is not None or self._controller.done

    @property
    def next_s(self) -> float:
        """When `advance` is needed at the latest."""
        times = [self._interval_s]
        if self._timers:
            times.append(self._timers[0][0])
        if self._controller.next_s is not None:
            times.append(self._controller.next_s)
        return min(times)

    @property
    def in_flight(self) -> int:
        """Calls without an answer yet."""
        return sum(len(channel.pending) + len(channel.waiting) for channel in self.channels)

    @property
    def nodes(self) -> int:
        """Nodes that have begun."""
        return len(self._nodes)

    def program(self, node: NodeId) -> Program | None:
        """A node's program while it lives."""
        index = self._index.get(node)
        return None if index is None else self._programs[index]

    # --- instructions -------------------------------------------------------------------------------------

    def _dispatch(self, index: int, event: Event, now_s: float) -> None:
        self._handle(index, event, now_s)
        inbox = self._inbox
        while inbox:
            self._handle(*inbox.popleft(), now_s)

    def _handle(self, index: int, event: Event, now_s: float) -> None:
        program = self._programs[index]
        if program is None:
            return
        for instruction in program.handle(event, now_s):
            kind = type(instruction)
            if kind is Send:
                self._send(index, instruction, now_s)  # type: ignore[arg-type]
            elif kind is WakeAt:
                self._serial += 1
                heapq.heappush(self._timers, (instruction.time_s, self._serial, index, instruction.token))  # type: ignore[union-attr]
            elif kind is Tell:
                self._tell(instruction)  # type: ignore[arg-type]
            elif kind is Reached:
                self._reach(index, instruction.moment, now_s)  # type: ignore[union-attr]
            elif kind is Note:
                self.tally.notes[instruction.what] += 1  # type: ignore[union-attr]

    def _send(self, index: int, send: Send, now_s: float) -> None:
        route = self._routes[index]
        if route is None or route[0] != send.protocol:
            route = self._routes[index] = (send.protocol, self._channel(index, send.protocol))
        channel = route[1]
        if channel.connection.state is not State.READY:
            channel.waiting.append((index, send))
            return
        call_id = channel.next_call = channel.next_call + 1 & 0x7FFFFFFF
        frame = channel.connection.request(
            call_id,
            send.method,
            send.body,
            protocol=send.protocol,
            client_id=self._client_ids[index],
            caller_context=self._contexts[index],
        )
        series = self.tally.series.get(send.method) or self.tally.of(send.method)
        series.sent += 1
        intended_s = send.intended_s
        self.tally.late.append(now_s - intended_s)
        kept = send if self._written[index] else None
        channel.pending[call_id] = Pending(index, send.token, series, intended_s, now_s, kept)
        if not channel.out:
            self.dirty.append(channel)
        channel.out.append(frame)

    def _queue(self, channel: Channel, data: bytes) -> None:
        if not channel.out:
            self.dirty.append(channel)
        channel.out.append(data)

    def _tell(self, tell: Tell) -> None:
        index = self._index.get(tell.node)
        if index is None or self._programs[index] is None:
            self.tally.notes["told a node that is not there"] += 1
        else:
            self._inbox.append((index, Told(tell.message)))

    def _reach(self, index: int, moment: Moment, now_s: float) -> None:
        if moment is Moment.FINISHED:
            self._programs[index] = _GONE
        self._controller.reached(self._nodes[index], moment, now_s)

    def _start(self, node: NodeId, at_s: float, now_s: float) -> None:
        index = len(self._nodes)
        self._index[node] = index
        self._nodes.append(node)
        self._programs.append(self._population.program(node))
        self._client_ids.append(self._population.client_id(node))
        self._contexts.append(self._population.caller_context(node))
        self._routes.append(None)
        self._written.append(self._journal is not None and self._journal.wants(node))
        self._dispatch(index, Started(at_s), now_s)

    def _channel(self, index: int, protocol: str) -> Channel:
        endpoint = self._population.endpoint(self._nodes[index], protocol)
        channel = self._by_endpoint.get(endpoint)
        if channel is None:
            channel = Channel(len(self.channels), endpoint, self._connect(endpoint))
            self._by_endpoint[endpoint] = channel
            self.channels.append(channel)
            self.opened.append(channel)
            self._queue(channel, channel.connection.open())
        return channel

    # --- what is not a plain answer -------------------------------------------------------------------------

    def _unusual(self, channel: Channel, event: object, now_s: float) -> None:
        if isinstance(event, ErrorResponse):
            call = channel.pending.pop(event.call_id, None)
            if call is None:
                return
            call.series.answered += 1
            call.series.errors[event.error_class] += 1
            call.series.actual.append(now_s - call.sent_s)
            call.series.intended.append(now_s - call.intended_s)
            if call.send is not None:
                why = (event.error_class, event.message)
                self._write(channel, event.call_id, call, now_s, why)
            self._dispatch(call.node, Failed(call.token, event.error_class, event.message), now_s)
        elif isinstance(event, Authenticated):
            waiting, channel.waiting = channel.waiting, []
            for index, send in waiting:
                self._send(index, send, now_s)
        elif isinstance(event, FatalResponse):
            self.fail(TargetError(f"refused the connection: {event.error_class}: {event.message}"), now_s)
        elif isinstance(event, Broken):
            self.fail(event.error, now_s)

    def _close_interval(self, now_s: float) -> None:
        self.tally.close_interval(now_s - self.begun_s)
        while self._interval_s <= now_s:
            self._interval_s += INTERVAL_S
        for channel in self.channels:
            oldest = next(iter(channel.pending.values()), None)
            if oldest is not None and now_s - oldest.sent_s > self._timeout_s:
                waited_s = now_s - oldest.sent_s
                found = f"{oldest.series.key} unanswered for {waited_s:.0f} s"
                self.fail(TargetError("does not answer", found=found), now_s)
                return

    def _write(
        self,
        channel: Channel,
        call_id: int,
        call: Pending,
        answered_s: float | None,
        said: bytes | tuple[str, str],
    ) -> None:
        """Write a call down, with its response, or the class and message of its error."""
        send = call.send
        assert self._journal is not None
        assert send is not None
        error, message = (None, None) if isinstance(said, bytes) else said
        self._journal.call(
            PlayedCall(
                self._nodes[call.node], channel.number, call_id, send.protocol, send.method, send.intended_s,
                call.sent_s, answered_s, send.body, said if isinstance(said, bytes) else None, error, message,
            )
        )  # fmt: skip
