"""The player without its sockets: programs, timers, calls in flight, connections as byte machines.

A shell (`driver`, or a simulated network in the tests) feeds it bytes and the time, and carries away what it
wants sent. Nothing here waits, so a play is a function of its inputs and can be run again exactly.

Calls and their connections are the matter of `calls`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import chain

from froude.base.errors import FroudeError
from froude.base.events import Events
from froude.emulation.calls import Calls, Player
from froude.emulation.channel import Channel, Journal
from froude.emulation.controller import Controller
from froude.emulation.identification import Identification
from froude.emulation.inbound import Inbound
from froude.emulation.outcomes import Outcomes
from froude.emulation.programs.events import (
    Answer,
    Begin,
    Called,
    Declined,
    Ended,
    Endpoint,
    Event,
    Forgone,
    Granted,
    MessageReceived,
    NodeId,
    Nodes,
    Note,
    Program,
    Reached,
    Repeat,
    Send,
    SendMessage,
    Started,
    Stop,
    Timer,
    WakeAt,
)
from froude.emulation.repeats import Repeats
from froude.emulation.run.tally import Tally
from froude.emulation.sharing import Came, Let, Measured, News, Notice, Over, Share
from froude.hadoop.rpc.client import ClientConnection
from froude.workload.types import Moment

INTERVAL_S = 1.0
"""Length of an interval of the time series."""
_GONE: None = None


class Core:
    """One player; see the module."""

    def __init__(  # noqa: PLR0913 - what a play consists of, by name
        self,
        nodes: Nodes,
        controller: Controller,
        *,
        connect: Callable[[Endpoint, bytes | None], ClientConnection],
        tally: Tally | None = None,
        journal: Journal | None = None,
        identification: Identification | None = None,
        call_timeout_s: float = 60.0,
        about: Callable[[Send], str | None] = lambda _: None,
        share: Share | None = None,
    ) -> None:
        """Prepare a play; nothing starts before `begin`.

        Args:
            connect: makes the protocol machine of a connection, with a client id of its own or the one given.
            journal: where calls are written down; None for nowhere.
            identification: what shows on each connection that it leads to the admitted target; None for a play whose
                targets need no proof, such as a simulated one.
            call_timeout_s: a target that leaves a call unanswered for so long hangs.
            about: says which path a call names; asked for the first call of each kind of failure.
            share: the nodes that this player begins; all by default.
        """
        self.tally = tally or Tally()
        self.failure: FroudeError | None = None
        """What ended the play before its time."""
        self.begun_s = 0.0
        self.inbound = Inbound(self._called)
        self.share = share or Share()
        """The nodes of this player, and what the shell is to let other players know."""
        self._nodes = nodes
        self._controller = controller
        self._outcomes = outcomes = Outcomes(self.tally, journal, about)
        self._calls = calls = Calls(
            Player(self._dispatch, self._wake_channel, self.fail),
            nodes,
            connect,
            tally=self.tally,
            outcomes=outcomes,
            identification=identification,
        )
        self.opened: list[Channel] = calls.opened
        """Channels that the shell shall connect, for the first time or again; it empties the list."""
        self.dirty: list[Channel] = calls.dirty
        """Channels with bytes to send; the shell empties the list."""
        self.left: list[Channel] = calls.left
        """Channels that the shell shall close; it empties the list."""
        self.channels: list[Channel] = calls.channels
        self.received, self.ended, self.lost = calls.received, calls.ended, calls.lost
        self._send = calls.send
        self._timeout_s = call_timeout_s
        self._programs: list[Program | None] = []
        self._index: dict[NodeId, int] = {}
        self._begun_by: dict[NodeId, NodeId] = {}
        """Who let a node begin, and is told of its end."""
        # Two calendars: of what is due when the player looks, nodes start before timers fire.
        self._starts, self._timers = controller.starts, Events()
        self._due = self._fire  # bound once, not for each of ten thousand timers
        self._repeats = Repeats(self._timers, calls.repeat, self._handle, self.tally.lags.extend)
        self._inbox: deque[tuple[int, Event]] = deque()
        self._interval_s = 0.0
        self._finished = self._stopped = False

    # --- what the shell calls -----------------------------------------------------------------------------

    def begin(self, now_s: float) -> None:
        """The play begins."""
        self.begun_s = self._outcomes.begun_s = now_s
        self._interval_s = now_s + INTERVAL_S
        self._controller.begin(now_s, self._start_own)
        if self._controller.ramping or self._controller.sustained:
            self.tally.begin_ramp()
        self.advance(now_s)

    def advance(self, now_s: float) -> None:
        """Let the time pass: begin nodes, fire timers, close intervals."""
        self._starts.catch_up(now_s)
        self._timers.catch_up(now_s)
        if now_s >= self._interval_s:
            self._close_interval(now_s)

    def measure(self, now_s: float) -> None:
        """What is sent from now on is measured; of a sustained load whoever watches it says when. Done once."""
        if self.tally.steady_from_s is None:
            self.tally.end_ramp(now_s - self.begun_s)

    def fail(self, error: FroudeError, now_s: float) -> None:
        """The play ends here; what was in flight stays unanswered. The first failure stands."""
        if self.failure is None:
            self.failure = error
            self.share.tell(Over())
            self.finish(now_s)

    def hear(self, notice: Notice, now_s: float) -> None:
        """Take what another player lets this one know.

        Args:
            now_s: seconds on the play's clock.
        """
        if isinstance(notice, SendMessage):
            self._send_message(notice)
        elif isinstance(notice, Let):
            self._let(notice, now_s)
        elif isinstance(notice, Stop):
            self._stop(notice)
        elif isinstance(notice, Came):
            self._come(notice.node, notice.moment, notice.time_s, now_s)
        elif isinstance(notice, News):
            for message in self.share.learn(notice):
                self._send_message(message)
        elif isinstance(notice, Measured):
            self.measure(now_s)
        else:
            self._stopped = True
        self._deliver(now_s)

    def finish(self, now_s: float) -> None:
        """Write down what is still in flight, and close the last interval.

        What was not answered, and what was due and could not be sent, counts with the time that it has waited: a play
        that ends while its target stands still would otherwise not show that it did. Done once.
        """
        if self._finished:
            return
        self._finished = True
        self._calls.finish(now_s)
        programs = (program for program in self._programs if program is not None)
        self._outcomes.unsent(chain.from_iterable(each.overdue(now_s) for each in programs), now_s)
        self.tally.close_interval(now_s - self.begun_s)

    @property
    def done(self) -> bool:
        """Whether every node that ends by itself has, the target failed, or another player ended the play."""
        return self._stopped or self.failure is not None or self._controller.done

    @property
    def next_s(self) -> float:
        """When `advance` is needed at the latest."""
        return min(self._interval_s, self._timers.next_s, self._starts.next_s)

    @property
    def in_flight(self) -> int:
        """Calls without an answer yet."""
        return self._calls.in_flight

    @property
    def nodes(self) -> int:
        """Nodes that have begun."""
        return len(self._calls.ids)

    def program(self, node: NodeId) -> Program | None:
        """A node's program while it lives."""
        index = self._index.get(node)
        return None if index is None else self._programs[index]

    # --- instructions -------------------------------------------------------------------------------------

    def _dispatch(self, index: int, event: Event, now_s: float) -> None:
        self._handle(index, event, now_s)
        if self._inbox:
            self._deliver(now_s)

    def _deliver(self, now_s: float) -> None:
        """Let nodes have the messages of other nodes."""
        inbox = self._inbox
        while inbox:
            self._handle(*inbox.popleft(), now_s)

    def _handle(self, index: int, event: Event, now_s: float) -> None:
        if self._repeats.take(index, event, now_s):
            return
        program = self._programs[index]
        if program is None:
            return
        for instruction in program.handle(event, now_s):
            kind = type(instruction)
            if kind is Send:
                self._send(index, instruction, now_s)  # type: ignore[arg-type]
            elif kind is WakeAt:
                at_s, token = instruction.time_s, instruction.token  # type: ignore[union-attr]
                self._timers.schedule(at_s, self._due, index, token, at_s, now_s)
            elif kind is SendMessage:
                self._send_message(instruction)  # type: ignore[arg-type]
            elif kind is Repeat:
                self._repeats.begin(index, instruction, now_s)  # type: ignore[arg-type]
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

    def _fire(self, index: int, token: int, at_s: float, asked_s: float) -> None:
        """A node's timer is due, for which it asked at `asked_s`."""
        now_s = self._timers.now
        # A call that is due already when its node asks is late by the target's fault, not by the player's.
        self.tally.lags.append(now_s - max(at_s, asked_s))
        self._dispatch(index, Timer(token, at_s), now_s)
        self._starts.catch_up(now_s)

    def _wake_channel(self, at_s: float, number: int) -> None:
        self._timers.schedule(at_s, lambda: self._calls.resume(number, self._timers.now))

    def _send_message(self, instruction: SendMessage) -> None:
        if not self.share.own(instruction.node):
            self.share.tell(instruction)
            return
        index = self._index.get(instruction.node)
        if index is None or self._programs[index] is None:
            if type(instruction.message) is not Ended:
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

    def _told(self, index: int, told: Granted | Begin | Stop | Forgone, now_s: float) -> None:
        """A node was granted a container, or says what becomes of another node."""
        if isinstance(told, Granted):
            self.tally.grants.append(told.delay_s)
        elif isinstance(told, Begin):
            self._let(Let(told.node, self._calls.ids[index]), now_s)
        elif isinstance(told, Stop):
            self._stop(told)
        else:
            self._came(told.node, Moment.FINISHED, now_s)

    def _let(self, let: Let, now_s: float) -> None:
        if self.share.own(let.node):
            self._begun_by[let.node] = let.teller
            self._start(let.node, now_s, now_s)
        else:
            self.share.tell(let)

    def _stop(self, stop: Stop) -> None:
        stopped = self._index.get(stop.node)
        if stopped is not None:
            self._end(stopped)
        elif not self.share.own(stop.node):
            self.share.tell(stop)

    def _end(self, index: int) -> None:
        self._programs[index] = _GONE
        self._repeats.drop(index)
        self._calls.leave(index)

    def _reach(self, index: int, moment: Moment, now_s: float) -> None:
        if moment is Moment.FINISHED:
            self._end(index)
            node = self._calls.ids[index]
            teller = self._begun_by.pop(node, None)
            if teller is not None:
                self._send_message(SendMessage(teller, Ended(node)))
        self._came(self._calls.ids[index], moment, now_s)

    def _came(self, node: NodeId, moment: Moment, now_s: float) -> None:
        self.share.tell(Came(node, moment, now_s))
        self._come(node, moment, now_s, now_s)

    def _come(self, node: NodeId, moment: Moment, at_s: float, now_s: float) -> None:
        """A node of any player has come to a moment."""
        self._controller.reached(node, moment, at_s)
        if not self._controller.ramping and not self._controller.sustained:
            self.measure(now_s)

    def _start_own(self, node: NodeId, at_s: float, now_s: float) -> None:
        if self.share.own(node):
            self._start(node, at_s, now_s)

    def _start(self, node: NodeId, at_s: float, now_s: float) -> None:
        index = self._index[node] = self._calls.add(node)
        self._programs.append(self._nodes.program(node))
        self._dispatch(index, Started(at_s), now_s)

    def _close_interval(self, now_s: float) -> None:
        self.tally.close_interval(now_s - self.begun_s)
        while self._interval_s <= now_s:
            self._interval_s += INTERVAL_S
        hanging = self._calls.hangs(now_s, self._timeout_s)
        if hanging is not None:
            self.fail(hanging, now_s)
