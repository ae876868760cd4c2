"""The player without its sockets: programs, timers, calls in flight, connections as byte machines.

A shell (`driver`, or a simulated network in the tests) feeds it bytes and the time, and carries away what it
wants sent. Nothing here waits, so a play is a function of its inputs and can be run again exactly.

A connection that is lost is made again, and the calls in flight on it are sent again with the same client id and call
id and a higher retry count, as Hadoop's clients do. Only a target that takes no connection at all ends a play.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from itertools import chain

from froude.base.errors import TargetError
from froude.emulation.channel import Channel, Journal, Pending
from froude.emulation.controller import Controller
from froude.emulation.inbound import Inbound
from froude.emulation.outcomes import UNANSWERED, Outcomes
from froude.emulation.programs.events import (
    LOST,
    Answer,
    Begin,
    Called,
    Declined,
    Ended,
    Endpoint,
    Event,
    Failed,
    Forgone,
    MessageReceived,
    NodeId,
    Nodes,
    Note,
    Program,
    Reached,
    Reply,
    Send,
    SendMessage,
    Started,
    Stop,
    Timer,
    WakeAt,
)
from froude.emulation.tally import Tally
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Authenticated, Broken, Closed, ErrorResponse, FatalResponse, Response
from froude.hadoop.rpc.headers import MAX_CALL_ID
from froude.hadoop.rpc.states import State
from froude.hadoop.target import Target
from froude.workload.types import Moment

INTERVAL_S = 1.0
"""Length of an interval of the time series."""
RETRIES, RETRY_S = 10, 1.0  # ipc.client.connect.max.retries, ipc.client.connect.retry.interval
_CORE = -1
"""In place of a node's index: a timer of the core's own."""
_GONE: None = None


class Core:
    """One player; see the module."""

    def __init__(
        self,
        nodes: Nodes,
        controller: Controller,
        *,
        connect: Callable[[Endpoint, bytes | None], ClientConnection],
        tally: Tally | None = None,
        journal: Journal | None = None,
        call_timeout_s: float = 60.0,
        about: Callable[[Send], str | None] = lambda _: None,
    ) -> None:
        """Prepare a play; nothing starts before `begin`.

        Args:
            nodes: programs and connections of the nodes.
            controller: when they begin.
            connect: makes the protocol machine of a connection, with a client id of its own or the one given.
            tally: where calls are counted.
            journal: where calls are written down; None for nowhere.
            call_timeout_s: a target that leaves a call unanswered for so long hangs.
            about: says which path a call names; asked for the first call of each kind of failure.
        """
        self.tally = tally or Tally()
        self.failure: TargetError | None = None
        """What ended the play before its time."""
        self.opened: list[Channel] = []
        """Channels that the shell shall connect, for the first time or again; it empties the list."""
        self.dirty: list[Channel] = []
        """Channels with bytes to send; the shell empties the list."""
        self.channels: list[Channel] = []
        """Every channel of the play."""
        self.begun_s = 0.0
        self.inbound = Inbound(self._called)
        """What others call emulated nodes for."""
        self._nodes = nodes
        self._controller = controller
        self._connect = connect
        self._outcomes = Outcomes(self.tally, journal, about)
        self._timeout_s = call_timeout_s
        self._by_endpoint: dict[Endpoint, Channel] = {}
        self._ids: list[NodeId] = []
        self._programs: list[Program | None] = []
        self._client_ids: list[bytes | None] = []
        self._contexts: list[str | None] = []
        self._routes: list[tuple[str, str, Channel] | None] = []
        self._written: list[bool] = []
        self._index: dict[NodeId, int] = {}
        self._begun_by: dict[NodeId, int] = {}
        """Who let a node begin, and is told of its end."""
        self._timers: list[tuple[float, int, int, int, float]] = []
        """When, number, whose, token, and when it was asked for."""
        self._serial = 0
        self._last_call = 0
        self._inbox: deque[tuple[int, Event]] = deque()
        self._interval_s = 0.0
        self._finished = False

    # --- what the shell calls -----------------------------------------------------------------------------

    def begin(self, now_s: float) -> None:
        """The play begins."""
        self.begun_s = self._outcomes.begun_s = now_s
        self._interval_s = now_s + INTERVAL_S
        self._controller.begin(now_s)
        if self._controller.ramping:
            self.tally.begin_ramp()
        self.advance(now_s)

    def advance(self, now_s: float) -> None:
        """Let the time pass: begin nodes, fire timers, close intervals."""
        for node, at_s in self._controller.due(now_s):
            self._start(node, at_s, now_s)
        timers = self._timers
        while timers and timers[0][0] <= now_s:
            at_s, _, index, token, asked_s = heapq.heappop(timers)
            if index == _CORE:
                self._reconnect(self.channels[token], now_s)
                continue
            # A call that is due already when its node asks is late by the target's fault, not by the player's.
            self.tally.lags.append(now_s - max(at_s, asked_s))
            self._dispatch(index, Timer(token, at_s), now_s)
            for node, begin_s in self._controller.due(now_s):
                self._start(node, begin_s, now_s)
        if now_s >= self._interval_s:
            self._close_interval(now_s)

    def received(self, channel: Channel, data: bytes, now_s: float) -> None:
        """Bytes came.

        Args:
            channel: on which.
            data: the bytes.
            now_s: when.
        """
        pending = channel.pending
        channel.heard_s = now_s
        for event in channel.connection.receive(data):
            if type(event) is Response:
                call = pending.pop(event.call_id)
                call.series.answered += 1
                call.took(now_s)
                if self._written[call.node]:
                    who = self._ids[call.node]
                    self._outcomes.write(channel, event.call_id, (who, call), (now_s, event.body))
                channel.attempts = 0
                self._dispatch(call.node, Reply(call.send.token, event.body), now_s)
            else:
                self._unusual(channel, event, now_s)
        out = channel.connection.data_to_send()
        if out:
            self._queue(channel, out)

    def ended(self, channel: Channel, now_s: float) -> None:
        """The target closed a connection.

        Args:
            channel: which.
            now_s: when.
        """
        for event in channel.connection.receive_end():
            assert isinstance(event, Closed)
            self.lost(
                channel,
                "closed the connection" + (" in the middle of an answer" if event.torn else ""),
                now_s,
            )

    def lost(self, channel: Channel, how: str, now_s: float) -> None:
        """A connection was lost, or could not be made: if a call needs it, it is made again, at once, then every second.

        A target that never said a word, and one that takes no connection for as long as Hadoop's clients try, ends
        the play.

        Args:
            channel: which.
            how: what the target did, in words that can follow its address.
            now_s: when.
        """
        channel.up = False
        channel.out.clear()
        heard_s = self._heard_s(channel.endpoint.target)
        if heard_s is None:
            self.fail(TargetError(how, file=channel.endpoint.target.address or None), now_s)
            return
        self.tally.notes[f"connection lost: {how}"] += 1
        if not channel.pending and not channel.waiting:
            channel.attempts = 0
            return
        channel.attempts += 1
        if channel.attempts <= RETRIES:
            self._wake(now_s + (0.0 if channel.attempts == 1 else RETRY_S), _CORE, channel.number, now_s)
        elif now_s - heard_s >= RETRY_S * (RETRIES - 1):
            attempts = f"nothing else in {channel.attempts} attempts"
            self.fail(TargetError(how, file=channel.endpoint.target.address or None, found=attempts), now_s)
        else:
            self._give_up(channel, how, now_s)

    def _heard_s(self, target: Target) -> float | None:
        """When a target last said anything on any connection; None for never."""
        heard = (c.heard_s for c in self.channels if c.endpoint.target == target and c.heard_s is not None)
        return max(heard, default=None)

    def fail(self, error: TargetError, now_s: float) -> None:
        """The play ends here; what was in flight stays unanswered. The first failure stands.

        Args:
            error: what the target did.
            now_s: when.
        """
        if self.failure is None:
            self.failure = error
            self.finish(now_s)

    def finish(self, now_s: float) -> None:
        """Write down what is still in flight, and close the last interval.

        What was not answered, and what was due and could not be sent, counts with the time that it has waited: a play
        that ends while its target stands still would otherwise not show that it did. Done once.
        """
        if self._finished:
            return
        self._finished = True
        for channel in self.channels:
            for call_id, call in channel.pending.items():
                self._failed(channel, call_id, call, (UNANSWERED, ""), now_s, answered=False)
            channel.pending.clear()
            waiting = ((send.method, send.intended_s) for _, send in channel.waiting)
            self._outcomes.unsent(waiting, now_s)
            channel.waiting.clear()
        programs = (program for program in self._programs if program is not None)
        self._outcomes.unsent(chain.from_iterable(each.overdue(now_s) for each in programs), now_s)
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
        return len(self._ids)

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
                self._wake(instruction.time_s, index, instruction.token, now_s)  # type: ignore[union-attr]
            elif kind is SendMessage:
                self._send_message(instruction)  # type: ignore[arg-type]
            elif kind is Reached:
                self._reach(index, instruction.moment, now_s)  # type: ignore[union-attr]
            elif kind is Note:
                self.tally.notes[instruction.what] += 1  # type: ignore[union-attr]
            elif kind is Answer:
                self.inbound.answer(instruction)  # type: ignore[arg-type]
            elif kind is Declined:
                self._outcomes.declined(instruction, now_s)  # type: ignore[arg-type]
            else:
                self._told(index, instruction, now_s)  # type: ignore[arg-type]

    def _wake(self, at_s: float, index: int, token: int, now_s: float) -> None:
        self._serial += 1
        heapq.heappush(self._timers, (at_s, self._serial, index, token, now_s))

    def _send(self, index: int, send: Send, now_s: float) -> None:
        route = self._routes[index]
        if route is None or route[0] != send.protocol or route[1] != send.service:
            channel = self._channel(index, send)
            route = self._routes[index] = (send.protocol, send.service, channel)
        channel = route[2]
        if not channel.up or channel.connection.state is not State.READY:
            channel.waiting.append((index, send))
            if not channel.up and not channel.attempts:
                channel.attempts = 1
                self._reconnect(channel, now_s)
            return
        # One number for the whole play: a target knows calls by client id and call id, a connection by call id.
        call_id = self._last_call = self._last_call + 1 & MAX_CALL_ID
        series = self.tally.series.get(send.method) or self.tally.of(send.method)
        series.sent += 1
        self.tally.late.append(now_s - send.intended_s)
        self._put(channel, call_id, Pending(index, series, now_s, send))

    def _put(self, channel: Channel, call_id: int, call: Pending) -> None:
        """A call goes onto its connection."""
        send = call.send
        frame = channel.connection.request(
            call_id,
            send.method,
            send.body,
            protocol=send.protocol,
            retry=call.retry,
            client_id=self._client_ids[call.node],
            caller_context=self._contexts[call.node],
        )
        channel.pending[call_id] = call
        if not channel.out:
            self.dirty.append(channel)
        channel.out.append(frame)

    def _queue(self, channel: Channel, data: bytes) -> None:
        if not channel.out:
            self.dirty.append(channel)
        channel.out.append(data)

    def _send_message(self, instruction: SendMessage) -> None:
        index = self._index.get(instruction.node)
        if index is None or self._programs[index] is None:
            self.tally.notes["message to a node that is not there"] += 1
        else:
            self._inbox.append((index, MessageReceived(instruction.message)))

    def _called(self, node: NodeId, call: Called, now_s: float) -> None:
        """Somebody outside the play called a node."""
        index = self._index.get(node)
        if index is None or self._programs[index] is None:
            refused = f"{node.type} {node.number} is not at work".encode()
            self.inbound.answer(Answer(call.ticket, refused, "java.io.IOException"))
        else:
            self._dispatch(index, call, now_s)

    def _told(self, index: int, told: Begin | Stop | Forgone, now_s: float) -> None:
        """A node says what becomes of another one."""
        if isinstance(told, Begin):
            self._begun_by[told.node] = index
            self._start(told.node, now_s, now_s)
        elif isinstance(told, Stop):
            stopped = self._index.get(told.node)
            if stopped is not None:
                self._programs[stopped] = _GONE
        else:
            self._controller.reached(told.node, Moment.FINISHED, now_s)

    def _reach(self, index: int, moment: Moment, now_s: float) -> None:
        if moment is Moment.FINISHED:
            self._programs[index] = _GONE
            teller = self._begun_by.pop(self._ids[index], None)
            if teller is not None:
                self._inbox.append((teller, MessageReceived(Ended(self._ids[index]))))
        self._controller.reached(self._ids[index], moment, now_s)
        if self.tally.steady_from_s is None and not self._controller.ramping:
            self.tally.end_ramp(now_s - self.begun_s)

    def _start(self, node: NodeId, at_s: float, now_s: float) -> None:
        index = len(self._ids)
        self._index[node] = index
        self._ids.append(node)
        self._programs.append(self._nodes.program(node))
        self._client_ids.append(self._nodes.client_id(node))
        self._contexts.append(self._nodes.caller_context(node))
        self._routes.append(None)
        self._written.append(self._outcomes.wants(node))
        self._dispatch(index, Started(at_s), now_s)

    # --- connections ----------------------------------------------------------------------------------------

    def _channel(self, index: int, send: Send) -> Channel:
        endpoint = self._nodes.endpoint(self._ids[index], send.protocol, send.service)
        channel = self._by_endpoint.get(endpoint)
        if channel is None:
            channel = Channel(len(self.channels), endpoint, self._connect(endpoint, None))
            self._by_endpoint[endpoint] = channel
            self.channels.append(channel)
            self.opened.append(channel)
            self._queue(channel, channel.connection.open())
        return channel

    def _reconnect(self, channel: Channel, now_s: float) -> None:
        """Make a connection again; what needs it follows once it is ready."""
        channel.up = True
        channel.connection = self._connect(channel.endpoint, channel.client_id)
        self.opened.append(channel)
        self._queue(channel, channel.connection.open())
        if channel.connection.state is State.READY:
            self._ready(channel, now_s)

    def _ready(self, channel: Channel, now_s: float) -> None:
        self._send_again(channel)
        waiting, channel.waiting = channel.waiting, []
        for index, send in waiting:
            self._send(index, send, now_s)

    def _send_again(self, channel: Channel) -> None:
        """What was in flight on the connection before: the same client id and call id, one more retry."""
        in_flight, channel.pending = channel.pending, {}
        for call_id, call in in_flight.items():
            call.series.resent += 1
            self._put(channel, call_id, call._replace(retry=call.retry + 1))

    def _give_up(self, channel: Channel, how: str, now_s: float) -> None:
        """Every call of a connection that cannot be made fails; a later call tries again."""
        in_flight, channel.pending = channel.pending, {}
        waiting, channel.waiting = channel.waiting, []
        channel.attempts = 0
        for call_id, call in in_flight.items():
            self._failed(channel, call_id, call, (LOST, how), now_s, answered=False)
            self._dispatch(call.node, Failed(call.send.token, LOST, how), now_s)
        for index, send in waiting:
            self._outcomes.lost(send, how, now_s)
            self._dispatch(index, Failed(send.token, LOST, how), now_s)

    # --- what is not a plain answer -------------------------------------------------------------------------

    def _unusual(self, channel: Channel, event: object, now_s: float) -> None:
        if isinstance(event, ErrorResponse):
            self._refused(channel, event, now_s)
        elif isinstance(event, Authenticated):
            self._queue(channel, channel.connection.data_to_send())  # who calls, before any call
            self._ready(channel, now_s)
        elif isinstance(event, FatalResponse):
            what = f"refused the connection: {event.error_class}: {event.message}"
            self.fail(TargetError(what, file=channel.endpoint.target.address or None), now_s)
        elif isinstance(event, Broken):
            event.error.file = event.error.file or channel.endpoint.target.address or None
            self.fail(event.error, now_s)

    def _refused(self, channel: Channel, event: ErrorResponse, now_s: float) -> None:
        call = channel.pending.pop(event.call_id, None)
        if call is None:
            return
        call.series.answered += 1
        self._failed(channel, event.call_id, call, (event.error_class, event.message), now_s)
        channel.attempts = 0
        self._dispatch(call.node, Failed(call.send.token, event.error_class, event.message), now_s)

    def _failed(
        self,
        channel: Channel,
        call_id: int,
        call: Pending,
        error: tuple[str, str],
        now_s: float,
        *,
        answered: bool = True,
    ) -> None:
        """A call failed with this class and message of an error."""
        self._outcomes.failed(call, error, now_s)
        if self._written[call.node]:
            answered_s = now_s if answered else None
            self._outcomes.write(channel, call_id, (self._ids[call.node], call), (answered_s, error))

    def _close_interval(self, now_s: float) -> None:
        self.tally.close_interval(now_s - self.begun_s)
        while self._interval_s <= now_s:
            self._interval_s += INTERVAL_S
        for channel in self.channels:
            oldest = next(iter(channel.pending.values()), None)
            if oldest is not None and now_s - oldest.sent_s > self._timeout_s:
                waited_s = now_s - oldest.sent_s
                what = f"{oldest.series.key} unanswered for {waited_s:.0f} s"
                address = channel.endpoint.target.address or None
                self.fail(TargetError("does not answer", file=address, found=what), now_s)
                return
