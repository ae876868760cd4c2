"""The core by hand: bytes in, bytes out, time as an argument."""

from __future__ import annotations

import pytest

from froude.emulation.calls import RETRIES
from froude.emulation.channel import Pending, PlayedCall
from froude.emulation.controller import Controller, Group
from froude.emulation.core import Core
from froude.emulation.notes import UNSENT
from froude.emulation.programs.events import (
    DECLINED,
    LOST,
    Begin,
    Declined,
    Endpoint,
    Failed,
    MessageReceived,
    NodeId,
    Note,
    Program,
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
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.target import Target
from froude.workload.types import Moment, StartRule
from tests.support.emulation.core import Script


class People:
    """Scripts by node number; every node on one connection."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = scripts

    def program(self, node: NodeId) -> Program:
        return self.scripts[node.number]

    def endpoint(self, node: NodeId, protocol: str, service: str) -> Endpoint:
        return Endpoint(protocol, target=Target(service, "nn:1"))

    def client_id(self, node: NodeId) -> bytes:
        return bytes(15) + bytes([node.number])

    def caller_context(self, node: NodeId) -> str:
        return f"node {node.number}"


class Notebook:
    """A journal in memory."""

    def __init__(self) -> None:
        self.calls: list[PlayedCall] = []

    def wants(self, node: NodeId) -> bool:
        return True

    def call(self, played: PlayedCall) -> None:
        self.calls.append(played)


def begun(*scripts: Script, journal: Notebook | None = None, **options: float) -> Core:
    """A core at second 10."""
    core = Core(
        People(*scripts),
        Controller([Group("n", len(scripts), StartRule())]),
        connect=lambda e, i: ClientConnection(e.protocol, client_id=i or bytes(16)),
        journal=journal,
        **options,
    )
    core.begin(10.0)
    return core


def said(core: Core, server: ServerConnection) -> list[Request]:
    """What the core sent, as the server reads it."""
    (channel,) = core.channels
    data = b"".join(channel.out)
    channel.out.clear()
    core.dirty.clear()
    return [event for event in server.receive(data) if isinstance(event, Request)]


def call(method: str = "m", token: int = 0, intended_s: float = 10.0) -> Send:
    """A call to send."""
    return Send("p", method, b"ask", token, intended_s)


def test_calls_carry_their_nodes_identity() -> None:
    """Nodes share a connection and keep their own client id and caller context."""
    core, server = begun(Script([call()]), Script([call()])), ServerConnection()
    requests = said(core, server)
    assert [request.client_id[-1] for request in requests] == [0, 1]
    assert [request.caller_context for request in requests] == ["node 0", "node 1"]
    assert len({request.call_id for request in requests}) == 2


def test_a_process_that_begins_again_repeats_no_call() -> None:
    """It has the client id that it had, and goes on with call ids that no call of the play has had."""
    worker = NodeId("n", 1)
    master = Script([Begin(worker)], [Stop(worker), Begin(worker), WakeAt(11.0, 0)], [Begin(worker)])
    core = begun(master, Script(*([[call()]] * 9)))
    server = ServerConnection()
    first = said(core, server)
    core._dispatch(0, Timer(0, 10.0), 10.5)
    core.advance(11.0)
    requests = [*first, *said(core, server)]
    assert [request.client_id[-1] for request in requests] == [1] * len(requests)
    assert len({request.call_id for request in requests}) == len(requests) == 4


def test_answers_come_in_any_order_and_errors_are_counted() -> None:
    """Each answer reaches its own node with its own token, and its latency is from intended time too."""
    journal = Notebook()
    one, two = Script([call("a", token=7, intended_s=9.0)]), Script([call("b", token=8)])
    core, server = begun(one, two, journal=journal), ServerConnection()
    first, second = said(core, server)
    data = server.fail(second.call_id, "java.io.IOException", "no") + server.respond(first.call_id, b"yes")
    core.received(core.channels[0], data, 12.0)
    assert one.seen[1:] == [Reply(7, b"yes")]
    assert two.seen[1:] == [Failed(8, "java.io.IOException", "no")]
    core.finish(12.0)
    series = core.tally.series["a"]
    assert (series.from_intended.max_us, series.from_actual.max_us) == (3_000_000, 2_000_000)
    assert core.tally.series["b"].errors == {"java.io.IOException": 1}
    assert [(c.method, c.response, c.error) for c in journal.calls] == [
        ("b", None, "java.io.IOException"),
        ("a", b"yes", None),
    ]


def test_timers_ring_in_order_and_late_ones_at_once() -> None:
    """A timer comes back with its token and the time it asked for."""
    node = Script([WakeAt(11.0, 1), WakeAt(10.5, 2), WakeAt(3.0, 3)])
    core = begun(node)
    core.advance(10.0)
    assert node.seen[1:] == [Timer(3, 3.0)]
    assert core.next_s == 10.5
    core.advance(12.0)
    assert node.seen[2:] == [Timer(2, 10.5), Timer(1, 11.0)]


def test_lateness_is_of_the_player_alone() -> None:
    """From the time that a timer asked for, or from the moment it was asked where that time had passed."""
    core = begun(Script([WakeAt(10.25, 1), WakeAt(3.0, 2)]))
    core.advance(10.75)
    assert core.tally.lags == [0.0, 0.5]


def test_nodes_send_messages() -> None:
    """A message arrives in the same moment; one to a node that is not there is counted."""
    talker = Script(
        [WakeAt(10.0, 0)],
        [SendMessage(NodeId("n", 1), "hello"), SendMessage(NodeId("n", 9), "?"), Note("said")],
    )
    listener = Script()
    core = begun(talker, listener)
    core.advance(10.0)
    assert listener.seen == [Started(10.0), MessageReceived("hello")]
    assert core.tally.notes == {"message to a node that is not there": 1, "said": 1}


def test_a_finished_node_hears_nothing_more() -> None:
    """Its late answers are still measured; the play is over when all have finished."""
    node = Script([call(), Reached(Moment.FINISHED)])
    core, server = begun(node), ServerConnection()
    (request,) = said(core, server)
    core.received(core.channels[0], server.respond(request.call_id, b""), 10.5)
    assert len(node.seen) == 1
    assert core.tally.counts == {"m": (1, 1)}
    assert core.done


def test_what_is_in_flight_at_the_end_is_reported() -> None:
    """Unanswered calls are counted and written down as such."""
    journal = Notebook()
    core = begun(Script([call()]), journal=journal)
    core.finish(11.0)
    assert core.tally.series["m"].errors == {"Unanswered": 1}
    assert [(c.answered_s, c.error) for c in journal.calls] == [(None, "Unanswered")]


@pytest.mark.parametrize(("at_s", "hangs"), [(13.0, False), (16.0, True)])
def test_a_call_left_unanswered_too_long_ends_the_play(at_s: float, hangs: bool) -> None:
    """The oldest call of a connection tells."""
    core = begun(Script([call()]), call_timeout_s=5.0)
    core.advance(at_s)
    assert (core.failure is not None) is hangs


def test_a_fatal_answer_ends_the_play_with_its_reason() -> None:
    """The server says why it closes."""
    core, server = begun(Script([call()])), ServerConnection()
    (request,) = said(core, server)
    answer = server.fail(request.call_id, "org.x.AccessControlException", "not you", fatal=True)
    core.received(core.channels[0], answer, 10.1)
    assert "AccessControlException: not you" in str(core.failure)


def test_a_lost_connection_is_made_again_and_its_calls_sent_again() -> None:
    """The same client id and call id, one more retry; latency counts from the first time, the call counts once."""
    journal = Notebook()
    node = Script([call("a", token=3)])
    core, server = begun(node, journal=journal), ServerConnection()
    (first,) = said(core, server)
    core.channels[0].heard_s = 10.0
    core.lost(core.channels[0], "reset the connection", 11.0)
    core.advance(11.0)
    assert core.opened == [core.channels[0], core.channels[0]]
    again_server = ServerConnection()
    (again,) = said(core, again_server)
    assert (again.call_id, again.client_id, again.retry) == (first.call_id, first.client_id, first.retry + 1)
    core.received(core.channels[0], again_server.respond(again.call_id, b"yes"), 12.0)
    assert node.seen[1:] == [Reply(3, b"yes")]
    core.finish(12.0)
    series = core.tally.series["a"]
    assert (series.sent, series.resent, series.answered) == (1, 1, 1)
    assert series.from_actual.max_us == 2_000_000
    assert [each.retry for each in journal.calls] == [1]
    assert core.tally.notes == {"connection lost: reset the connection": 1}


@pytest.mark.parametrize("error", [False, True])
def test_after_an_answer_a_lost_connection_is_made_again_at_once(error: bool) -> None:
    """A target that answers or refuses a call lives: the next loss is a first one, not one more of the same trouble."""
    node = Script([call("a")], [call("b")])
    core = begun(node)
    (channel,) = core.channels
    channel.heard_s = 10.0
    core.lost(channel, "reset the connection", 11.0)
    core.advance(11.0)
    server = ServerConnection()
    (again,) = said(core, server)
    answer = (
        server.fail(again.call_id, "java.io.IOException", "no")
        if error
        else server.respond(again.call_id, b"")
    )
    core.received(channel, answer, 11.5)
    core.opened.clear()
    core.lost(channel, "reset the connection", 12.0)
    core.advance(12.0)
    assert core.opened == [channel]


def test_calls_of_a_lost_connection_fail_once_it_cannot_be_made_while_the_target_lives() -> None:
    """Bounded attempts; another connection still hears from the target, so the play goes on."""
    node = Script([call("a", token=3)], [call("b", token=4)])
    core = begun(node)
    channel = core.channels[0]
    channel.heard_s = 10.0
    for attempt in range(RETRIES + 1):
        now_s = 11.0 + attempt
        channel.heard_s = now_s
        assert len(node.seen) == 1, attempt
        core.lost(channel, "reset the connection", now_s)
        core.advance(now_s + 1.0)
    assert node.seen[1] == Failed(3, LOST, "reset the connection")
    assert core.failure is None
    assert core.tally.series["a"].errors == {LOST: 1}
    assert channel.up
    assert core.in_flight == 1


def test_an_idle_connection_that_the_target_closes_is_made_again_when_it_is_needed() -> None:
    """A server may close what nobody uses; nothing is reconnected before a call needs it."""
    node = Script([call("a"), WakeAt(20.0, 9)], [], [call("b")])
    core, server = begun(node), ServerConnection()
    (first,) = said(core, server)
    core.received(core.channels[0], server.respond(first.call_id, b""), 10.5)
    core.ended(core.channels[0], 15.0)
    core.opened.clear()
    core.advance(16.0)
    assert core.opened == []
    core.advance(20.0)
    assert core.opened == [core.channels[0]]
    assert [request.method for request in said(core, ServerConnection())] == ["b"]


def test_a_target_that_was_never_reached_ends_the_play_at_once() -> None:
    """A wrong address is no lost connection."""
    core = begun(Script([call()]))
    core.lost(core.channels[0], "refuses connections", 10.1)
    assert str(core.failure) == "nn:1: refuses connections"


@pytest.mark.parametrize("ending", ["answer", "error", "end"])
def test_a_slow_call_counts_those_that_it_held_up(ending: str) -> None:
    """Where the node's next call was expected after 0.1 s, a call of 0.5 s held up four, whatever came of it."""
    send = Send("p", "m", b"", 0, 10.0, "", 0.1)
    core, server = begun(Script([send])), ServerConnection()
    (request,) = said(core, server)
    if ending == "answer":
        core.received(core.channels[0], server.respond(request.call_id, b""), 10.5)
    elif ending == "error":
        core.received(core.channels[0], server.fail(request.call_id, "org.x.No", "no"), 10.5)
    core.finish(10.5)
    series = core.tally.series["m"]
    assert series.from_actual.total == 1
    assert sorted(series.corrected.counts.elements()) == pytest.approx(
        [100_000, 200_000, 300_000, 400_000, 500_000], rel=1e-3
    )


def test_what_was_due_and_not_sent_counts_with_what_it_waited() -> None:
    """Whether its node says so, or its connection was not ready; once, however often the play is ended."""
    late = Script()
    late.late = [("n", 10.25)]
    core = begun(Script([call()]), late)
    core.channels[0].waiting.append((1, call("w", intended_s=10.5)))
    core.finish(11.0)
    core.finish(11.5)
    assert core.tally.series["n"].from_intended.max_us == 750_000
    assert core.tally.series["w"].from_intended.max_us == 500_000
    assert core.tally.notes == {f"{UNSENT}n": 1, f"{UNSENT}w": 1}
    assert core.tally.counts == {"m": (1, 0), "n": (0, 0), "w": (0, 0)}
    assert {row.method for row in core.tally.rows} == {"m", "n", "w"}


def test_calls_that_were_given_up_took_the_time_until_then() -> None:
    """They are late, too; the ones that were never sent by their intended time alone."""
    core, server = begun(Script([call()])), ServerConnection()
    (request,) = said(core, server)
    core.received(core.channels[0], server.respond(request.call_id, b""), 10.0)
    core.channels[0].pending[7] = Pending(0, core.tally.of("m"), 10.0, 10.0, call())
    core.channels[0].waiting.append((0, call("w", intended_s=10.5)))
    core._calls._give_up(core.channels[0], "gone", 12.0)
    core.finish(12.0)
    assert core.tally.series["m"].from_actual.max_us == 2_000_000
    assert core.tally.series["w"].from_intended.max_us == 1_500_000


def test_an_answer_that_denies_what_was_done_counts_as_an_error() -> None:
    """Of its method, among the failures with what it was about; its latency is measured once, as an answer's."""
    node = Script([call("delete")], [Declined("delete", "result: false", "/in/a")])
    core, server = begun(node), ServerConnection()
    (request,) = said(core, server)
    core.received(core.channels[0], server.respond(request.call_id, b"no"), 12.0)
    core.finish(12.0)
    series = core.tally.series["delete"]
    assert (series.sent, series.answered, series.errors) == (1, 1, {DECLINED: 1})
    assert series.from_actual.total == 1
    (failure,) = core.tally.failures.groups.values()
    assert (failure.method, failure.error, failure.message) == ("delete", DECLINED, "result: false")
    assert (failure.count, failure.first_s, failure.path) == (1, 2.0, "/in/a")


REPEATED = Repeat(call(), 1.0, lambda _: True)


def test_a_repeated_call_ends_with_its_node() -> None:
    """A node that another one stopped is not asked, and makes no call."""
    first, second = Script([REPEATED]), Script([], [Stop(NodeId("n", 0))])
    core, server = begun(first, second), ServerConnection()
    (request,) = said(core, server)
    core.received(core.channels[0], server.respond(request.call_id, b""), 10.1)
    core.hear(SendMessage(NodeId("n", 1), "now"), 10.2)
    core.advance(13.0)
    assert core.tally.series["m"].sent == 1
    assert first.seen == [Started(10.0)]


def test_a_repeated_call_waits_for_a_lost_connection() -> None:
    """Its latency is from when it was due; the program hears nothing of it."""
    script = Script([REPEATED])
    core, server = begun(script), ServerConnection()
    (request,) = said(core, server)
    core.received(core.channels[0], server.respond(request.call_id, b""), 10.1)
    core.lost(core.channels[0], "reset the connection", 10.5)
    core.advance(11.0)
    (request,) = said(core, again := ServerConnection())
    core.received(core.channels[0], again.respond(request.call_id, b""), 11.75)
    core.finish(11.75)
    assert core.tally.series["m"].from_intended.max_us == 750_000
    assert script.seen == [Started(10.0)]
