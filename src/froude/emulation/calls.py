"""The calls of one player and the connections that they take: byte machines, calls in flight, and who answers them.

A connection that is lost is made again, and the calls in flight on it are sent again with the same client id and call
id and a higher retry count, as Hadoop's clients do. These end a play: a target that takes no connection for as long as
those clients try, that is not the one that was admitted or does not show it (`identification`), that leaves a call
unanswered for too long, that refuses a connection in its header, or that breaks the protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from froude.base.errors import FroudeError, TargetError
from froude.emulation.channel import Channel, Pending, Proof
from froude.emulation.identification import Identification, not_identified
from froude.emulation.outcomes import UNANSWERED, Outcomes
from froude.emulation.programs.events import LOST, Endpoint, Event, Failed, NodeId, Nodes, Reply, Send
from froude.emulation.run.tally import Tally
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Authenticated, Broken, Closed, ErrorResponse, FatalResponse, Response
from froude.hadoop.rpc.headers import MAX_CALL_ID
from froude.hadoop.rpc.states import State
from froude.hadoop.rpc.target import Target

RETRIES, RETRY_S = 10, 1.0  # ipc.client.connect.max.retries, ipc.client.connect.retry.interval


class Player(NamedTuple):
    """What a player does for its calls; times are seconds on the play's clock."""

    dispatch: Callable[[int, Event, float], None]
    """Hands the node of an index an event at the present time."""
    wake: Callable[[float, int], None]
    """Has `Calls.resume` called at a time for the channel of a number."""
    fail: Callable[[FroudeError, float], None]
    """Ends the play for a reason at the present time."""


class Calls:
    """Calls and connections of one player; see the module."""

    def __init__(
        self,
        player: Player,
        nodes: Nodes,
        connect: Callable[[Endpoint, bytes | None], ClientConnection],
        *,
        tally: Tally,
        outcomes: Outcomes,
        identification: Identification | None,
    ) -> None:
        """No connection is made before the first call.

        Args:
            nodes: which connections they take, and what they call themselves.
            connect: makes the protocol machine of a connection, with a client id of its own or the one given.
            outcomes: where those are counted that are not answered plainly.
            identification: what shows on each connection that it leads to the admitted target; None for a play whose
                targets need no proof, such as a simulated one.
        """
        self.opened: list[Channel] = []
        self.dirty: list[Channel] = []
        self.channels: list[Channel] = []
        self.left: list[Channel] = []
        """Channels of nodes that have ended, which the shell shall close; it empties the list."""
        self.ids: list[NodeId] = []
        """The nodes that have begun, by index."""
        self._player = player
        self._nodes = nodes
        self._connect = connect
        self._tally = tally
        self._outcomes = outcomes
        self._identification = identification
        self._identified: set[Target] = set()
        """Targets that have shown who they are on some connection."""
        self._by_endpoint: dict[Endpoint, Channel] = {}
        self._own: dict[int, list[Channel]] = {}
        """Channels that no other node takes, since a token opened them, by index of the node."""
        self._client_ids: list[bytes | None] = []
        self._contexts: list[str | None] = []
        self._routes: list[tuple[str, str, Channel] | None] = []
        self._written: list[bool] = []
        self._last_call = 0
        self._over = False

    def add(self, node: NodeId) -> int:
        """Take in a node that begins.

        Returns:
            Its index.
        """
        self.ids.append(node)
        self._client_ids.append(self._nodes.client_id(node))
        self._contexts.append(self._nodes.caller_context(node))
        self._routes.append(None)
        self._written.append(self._outcomes.wants(node))
        return len(self.ids) - 1

    def leave(self, index: int) -> None:
        """A node has ended: the connections that its token opened serve no other."""
        for channel in self._own.pop(index, ()):
            if channel.up and not channel.pending and not channel.waiting:
                channel.up = channel.ready = False
                self.left.append(channel)

    @property
    def in_flight(self) -> int:
        """Calls without an answer yet."""
        return sum(len(channel.pending) + len(channel.waiting) for channel in self.channels)

    def finish(self, now_s: float) -> None:
        """Count what is still in flight, and what could not be sent, with the time that it has waited."""
        self._over = True
        for channel in self.channels:
            for call_id, call in channel.pending.items():
                self._failed(channel, call_id, call, (UNANSWERED, ""), now_s, answered=False)
            channel.pending.clear()
            waiting = ((send.method, send.intended_s) for _, send in channel.waiting)
            self._outcomes.unsent(waiting, now_s)
            channel.waiting.clear()

    def hangs(self, now_s: float, timeout_s: float) -> TargetError | None:
        """The error of a target that has left a call unanswered for too long; None where none has."""
        for channel in self.channels:
            oldest = next(iter(channel.pending.values()), None)
            what, sent_s = ("who it is", channel.proof.sent_s) if channel.proof else ("", now_s)
            if channel.up and channel.connection.state is not State.READY:
                what, sent_s = "authentication", channel.opened_s
            if oldest is not None and oldest.sent_s <= sent_s:
                what, sent_s = oldest.series.key, oldest.sent_s
            if now_s - sent_s > timeout_s:
                found = f"{what} unanswered for {now_s - sent_s:.0f} s"
                return TargetError(
                    "does not answer", file=channel.endpoint.target.address or None, found=found
                )
        return None

    # --- sending ------------------------------------------------------------------------------------------

    def send(self, index: int, send: Send, now_s: float) -> None:
        """Send a call, or let it wait for its connection."""
        route = self._routes[index]
        if route is None or route[0] != send.protocol or route[1] != send.service:
            channel = self._channel(index, send, now_s)
            route = self._routes[index] = (send.protocol, send.service, channel)
        channel = route[2]
        if channel.ready:
            self._put_first(channel, index, send, now_s)
            return
        channel.waiting.append((index, send))
        if channel.up:
            self._identify(channel, now_s)
        elif not channel.attempts:
            channel.attempts = 1
            self._reconnect(channel, now_s)

    def repeat(self, index: int, send: Send, due_s: float, now_s: float) -> None:
        """Send a call as before, which is due at another time."""
        route = self._routes[index]
        if route is None or not route[2].ready or (route[0], route[1]) != (send.protocol, send.service):
            self.send(index, send._replace(intended_s=due_s), now_s)
        else:
            self._put_first(route[2], index, send, now_s, due_s)

    def _put_first(
        self, channel: Channel, index: int, send: Send, now_s: float, due_s: float | None = None
    ) -> int:
        """A call goes onto its connection for the first time; its id.

        Args:
            due_s: when it was due, where that is not when `send` says.
        """
        # One number for the whole play: a target knows calls by client id and call id, a connection by call id.
        call_id = self._last_call = self._last_call + 1 & MAX_CALL_ID
        series = self._tally.series.get(send.method)
        if series is None or series.daemon != channel.daemon:
            series = self._tally.of(send.method, channel.daemon)
        series.sent += 1
        intended_s = send.intended_s if due_s is None else due_s
        self._tally.late.append(now_s - intended_s)
        self._put(channel, call_id, Pending(index, series, intended_s, now_s, send))
        return call_id

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

    # --- receiving ----------------------------------------------------------------------------------------

    def received(self, channel: Channel, data: bytes, now_s: float) -> None:
        """Take bytes of a target.

        Args:
            data: the bytes, cut anyhow.
        """
        channel.heard_s = now_s
        for event in channel.connection.receive(data):
            if self._over:
                return
            if type(event) is Response and channel.ready:
                self._answered(channel, event, now_s)
            else:
                self._unusual(channel, event, now_s)
        out = channel.connection.data_to_send()
        if out:
            self._queue(channel, out)

    def _answered(self, channel: Channel, event: Response, now_s: float) -> None:
        call = channel.pending.pop(event.call_id)
        call.series.answered += 1
        call.took(now_s)
        if self._written[call.node]:
            who = self.ids[call.node]
            self._outcomes.write(channel, event.call_id, (who, call), (now_s, event.body))
        channel.attempts = 0
        self._player.dispatch(call.node, Reply(call.send.token, event.body), now_s)

    def _unusual(self, channel: Channel, event: object, now_s: float) -> None:
        if isinstance(event, (Response, ErrorResponse)) and not channel.ready:
            self._proof(channel, event, now_s)
        elif isinstance(event, ErrorResponse):
            self._refused(channel, event, now_s)
        elif isinstance(event, Authenticated):
            self._queue(channel, channel.connection.data_to_send())  # who calls, before any call
            self._identify(channel, now_s)
        elif isinstance(event, FatalResponse):
            what = f"refused the connection: {event.error_class}: {event.message}"
            self._player.fail(TargetError(what, file=channel.endpoint.target.address or None), now_s)
        elif isinstance(event, Broken):
            event.error.file = event.error.file or channel.endpoint.target.address or None
            self._player.fail(event.error, now_s)

    def _refused(self, channel: Channel, event: ErrorResponse, now_s: float) -> None:
        call = channel.pending.pop(event.call_id, None)
        if call is None:
            return
        call.series.answered += 1
        self._failed(channel, event.call_id, call, (event.error_class, event.message), now_s)
        channel.attempts = 0
        self._player.dispatch(call.node, Failed(call.send.token, event.error_class, event.message), now_s)

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
            self._outcomes.write(channel, call_id, (self.ids[call.node], call), (answered_s, error))

    # --- who answers --------------------------------------------------------------------------------------

    def _identify(self, channel: Channel, now_s: float) -> None:
        """Let calls onto an authenticated connection, or first the one by which its server shows who it is."""
        if channel.ready or channel.proof or not channel.up or channel.connection.state is not State.READY:
            return
        if now_s < channel.ask_at_s:
            return
        endpoint, identification = channel.endpoint, self._identification
        if identification is None:
            self._ready(channel, now_s)
            return
        try:
            question = identification.first_call(endpoint)
        except FroudeError as error:
            self._player.fail(error, now_s)
            return
        if question is not None:
            call_id = self._last_call = self._last_call + 1 & MAX_CALL_ID
            frame = channel.connection.request(
                call_id, question.method, question.body, protocol=question.protocol
            )
            self._queue(channel, frame)
            self._tally.questions[question.method] += 1
            channel.proof = Proof(call_id, now_s, question.method)
        elif not identification.shows_by_answers(endpoint):
            self._ready(channel, now_s)
        elif endpoint.target in self._identified or not self._proof_under_way(endpoint.target):
            self._send_one(channel, now_s)

    def _proof_under_way(self, target: Target) -> bool:
        return any(channel.proof for channel in self.channels if channel.endpoint.target == target)

    def _send_one(self, channel: Channel, now_s: float) -> None:
        """The oldest call of a connection whose server shows by its answer who it is."""
        if channel.pending:
            call_id, call = next(iter(channel.pending.items()))
            call.series.resent += 1
            self._put(channel, call_id, call._replace(retry=call.retry + 1))
        elif channel.waiting:
            call_id = self._put_first(channel, *channel.waiting.pop(0), now_s)
        else:
            return
        channel.proof = Proof(call_id, now_s)

    def _proof(self, channel: Channel, event: Response | ErrorResponse, now_s: float) -> None:
        """The answer came that may show who a server is."""
        assert channel.proof is not None
        assert self._identification is not None
        target, call = channel.endpoint.target, channel.pending.get(channel.proof.call_id)
        shown, first = False, target not in self._identified
        if isinstance(event, Response):
            try:
                shown = self._identification.shown(target, call and call.send.method, event.body)
            except FroudeError as error:
                self._player.fail(error, now_s)
                return
        if call is None and isinstance(event, ErrorResponse):
            self._ask_again(channel, event, now_s)
        elif call is None:
            self._tally.identifications[channel.proof.question] += 1
        elif isinstance(event, ErrorResponse):
            self._refused(channel, event, now_s)
        else:
            self._answered(channel, event, now_s)
        channel.proof = None
        if shown:
            self._identified.add(target)
            self._ready(channel, now_s)
        if call is not None:
            # Until the target has shown who it is, another connection may have waited for this answer.
            for each in self.channels if first else [channel]:
                if each.endpoint.target == target:
                    self._identify(each, now_s)

    def _ask_again(self, channel: Channel, refusal: ErrorResponse, now_s: float) -> None:
        """A server that is starting refuses to be asked: it is asked a little later, as often as one is connected to."""
        self._tally.identifications[refusal.error_class] += 1
        channel.refusals += 1
        if channel.refusals > RETRIES:
            error = not_identified(channel.endpoint.target, refusal.error_class, refusal.message)
            self._player.fail(error, now_s)
        else:
            channel.ask_at_s = now_s + RETRY_S
            self._player.wake(channel.ask_at_s, channel.number)

    # --- connections --------------------------------------------------------------------------------------

    def ended(self, channel: Channel, now_s: float) -> None:
        """The target closed a connection."""
        for event in channel.connection.receive_end():
            assert isinstance(event, Closed)
            torn = " in the middle of an answer" if event.torn else ""
            self.lost(channel, f"closed the connection{torn}", now_s)

    def lost(self, channel: Channel, how: str, now_s: float) -> None:
        """A connection was lost, or could not be made: if a call needs it, it is made again, at once, then every second.

        A target that never sent a byte, and one that takes no connection for as long as Hadoop's clients try, ends
        the play.

        Args:
            how: what the target did, in words that can follow its address.
        """
        channel.up = channel.ready = False
        channel.proof = None
        channel.out.clear()
        target = channel.endpoint.target
        if channel.heard_s is None and self._heard_s(target) is None:
            self._player.fail(TargetError(how, file=target.address or None), now_s)
            return
        self._tally.notes[f"connection lost: {how}"] += 1
        if not channel.pending and not channel.waiting:
            channel.attempts = 0
            return
        channel.attempts += 1
        if channel.attempts <= RETRIES:
            pause_s = 0.0 if channel.attempts == 1 else RETRY_S
            self._player.wake(now_s + pause_s, channel.number)
        elif now_s - (self._heard_s(target) or 0.0) >= RETRY_S * (RETRIES - 1):
            attempts = f"nothing else in {channel.attempts} attempts"
            error = TargetError(how, file=target.address or None, found=attempts)
            self._player.fail(error, now_s)
        else:
            self._give_up(channel, how, now_s)

    def resume(self, number: int, now_s: float) -> None:
        """The pause before another attempt is over: to connect, or to ask a server who it is."""
        channel = self.channels[number]
        if channel.up:
            self._identify(channel, now_s)
        else:
            self._reconnect(channel, now_s)

    def _heard_s(self, target: Target) -> float | None:
        """When a target last sent anything on any connection; None for never."""
        heard = (c.heard_s for c in self.channels if c.endpoint.target == target and c.heard_s is not None)
        return max(heard, default=None)

    def _channel(self, index: int, send: Send, now_s: float) -> Channel:
        endpoint = self._nodes.endpoint(self.ids[index], send.protocol, send.service)
        channel = self._by_endpoint.get(endpoint)
        if channel is None:
            channel = Channel(len(self.channels), endpoint, self._connect(endpoint, None))
            channel.opened_s = now_s
            self._by_endpoint[endpoint] = channel
            if endpoint.token is not None:
                self._own.setdefault(index, []).append(channel)
            self.channels.append(channel)
            self.opened.append(channel)
            self._queue(channel, channel.connection.open())
        return channel

    def _reconnect(self, channel: Channel, now_s: float) -> None:
        """Make a connection again; what needs it follows once it is ready."""
        channel.up, channel.opened_s = True, now_s
        channel.connection = self._connect(channel.endpoint, channel.client_id)
        self.opened.append(channel)
        self._queue(channel, channel.connection.open())
        self._identify(channel, now_s)

    def _ready(self, channel: Channel, now_s: float) -> None:
        channel.ready, channel.refusals = True, 0
        self._send_again(channel)
        waiting, channel.waiting = channel.waiting, []
        for index, send in waiting:
            self.send(index, send, now_s)

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
            self._player.dispatch(call.node, Failed(call.send.token, LOST, how), now_s)
        for index, send in waiting:
            self._outcomes.lost(send, channel.daemon, how, now_s)
            self._player.dispatch(index, Failed(send.token, LOST, how), now_s)
