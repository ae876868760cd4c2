"""The core by hand: bytes in, bytes out, time as an argument."""

from __future__ import annotations

import pytest

from froude.base.errors import TargetError
from froude.emulation.calls import RETRIES, RETRY_S
from froude.emulation.channel import Pending, PlayedCall
from froude.emulation.controller import Controller, Group
from froude.emulation.core import Core
from froude.emulation.notes import UNSENT
from froude.emulation.programs.events import (
    DECLINED,
    LOST,
    Answer,
    Begin,
    Called,
    Declined,
    Ended,
    Endpoint,
    Failed,
    Forgone,
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
    Ticket,
    Timer,
    WakeAt,
)
from froude.emulation.sharing import Came, Let, Measured, News, Over, Share
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import ErrorResponse, Request, Response
from froude.hadoop.rpc.headers import MAX_CALL_ID
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
    assert core.tally.late == [1.0, 0.0]
    core.finish(12.0)
    series = core.tally.series["a"]
    assert (series.from_intended.max_us, series.from_actual.max_us) == (3_000_000, 2_000_000)
    assert core.tally.series["b"].errors == {"java.io.IOException": 1}
    assert [(c.method, c.call_id, c.response, c.error) for c in journal.calls] == [
        ("b", second.call_id, None, "java.io.IOException"),
        ("a", first.call_id, b"yes", None),
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
    assert [(c.answered_s, c.error, c.call_id) for c in journal.calls] == [(None, "Unanswered", 1)]


def test_nothing_is_in_flight_after_the_end() -> None:
    """Before it, what was sent and what waits for a connection."""
    core = begun(Script([call()]))
    core.channels[0].waiting += [(0, call("w")), (0, call("w"))]
    assert core.in_flight == 3
    core.finish(11.0)
    assert core.in_flight == 0


@pytest.mark.parametrize(("at_s", "hangs"), [(13.0, False), (15.0, False), (16.0, True)])
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
    journal = Notebook()
    core, server = begun(Script([call()]), journal=journal), ServerConnection()
    (request,) = said(core, server)
    core.received(core.channels[0], server.respond(request.call_id, b""), 10.0)
    core.channels[0].pending[7] = Pending(0, core.tally.of("m"), 10.0, 10.0, call())
    core.channels[0].waiting.append((0, call("w", intended_s=10.5)))
    core._calls._give_up(core.channels[0], "gone", 12.0)
    core.finish(12.0)
    assert core.tally.series["m"].from_actual.max_us == 2_000_000
    assert core.tally.series["w"].from_intended.max_us == 1_500_000
    assert [(each.call_id, each.error) for each in journal.calls] == [(1, None), (7, LOST)]
    assert core._nodes.scripts[0].seen[2:] == [Failed(0, LOST, "gone")] * 2


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


REPEATED = Repeat(call(), 1.0, lambda send, _: send)


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


def test_calls_are_numbered_from_one_and_the_largest_number_is_followed_by_zero() -> None:
    """Numbers of calls have no sign."""
    core, server = begun(Script([call(), call()], [call(), call()])), ServerConnection()
    first, second = said(core, server)
    core._calls._last_call = MAX_CALL_ID - 1
    core.received(core.channels[0], server.respond(first.call_id, b""), 10.5)
    ids = [each.call_id for each in (first, second, *said(core, server))]
    assert ids == [1, 2, MAX_CALL_ID, 0]


def test_the_shell_is_let_know_once_of_bytes_to_send() -> None:
    """However many calls of a connection there are, and after it has taken them again."""
    core, server = begun(Script([call(), call()], [call()])), ServerConnection()
    (channel,) = core.channels
    assert (core.opened, core.dirty) == ([channel], [channel])
    first, _ = said(core, server)
    assert core.dirty == []
    core.received(channel, server.respond(first.call_id, b""), 10.5)
    assert core.dirty == [channel]


class Services(People):
    """A connection for each protocol and service, which are counted as they are asked for."""

    def __init__(self, *scripts: Script) -> None:
        super().__init__(*scripts)
        self.asked: list[tuple[str, str]] = []

    def endpoint(self, node: NodeId, protocol: str, service: str) -> Endpoint:
        self.asked.append((protocol, service))
        return Endpoint(protocol, target=Target(service, "nn:1"))


def test_a_call_takes_the_connection_of_its_protocol_and_service() -> None:
    """Which the node is asked for again only where either is another than of the call before."""
    ways = [("p", "s"), ("p", "s"), ("p", "t"), ("q", "t"), ("q", "t"), ("p", "s")]
    nodes = Services(Script([Send(p, f"{p}{s}", b"", 0, 10.0, s) for p, s in ways]))
    core = Core(
        nodes,
        Controller([Group("n", 1, StartRule())]),
        connect=lambda e, i: ClientConnection(e.protocol, client_id=i or bytes(16)),
    )
    core.begin(10.0)
    assert nodes.asked == [("p", "s"), ("p", "t"), ("q", "t"), ("p", "s")]
    assert [
        (
            each.endpoint.protocol + each.endpoint.target.service,
            [c.send.method for c in each.pending.values()],
        )
        for each in core.channels
    ] == [("ps", ["ps"] * 3), ("pt", ["pt"]), ("qt", ["qt"] * 2)]


def test_retries_are_those_of_hadoops_clients() -> None:
    """Ten, a second apart."""
    assert (RETRIES, RETRY_S) == (10, 1.0)


@pytest.mark.parametrize(("heard_s", "ends"), [(11.0, True), (11.01, False)])
def test_a_target_that_takes_no_connection_for_nine_seconds_ends_the_play(heard_s: float, ends: bool) -> None:
    """As long as Hadoop's clients try: at once, and then ten times with a second between."""
    core = begun(Script([call()]))
    (channel,) = core.channels
    channel.heard_s = heard_s
    for now_s in (11.0, *range(11, 20)):
        core.lost(channel, "refuses connections", now_s)
        assert core.failure is None
        core.opened.clear()
        core.advance(now_s)
        assert bool(core.opened) == (now_s == 11.0 and channel.attempts == 1)
        core.advance(now_s + 1.0)
        assert core.opened == [channel]
    core.lost(channel, "refuses connections", 20.0)
    if ends:
        found = "found nothing else in 11 attempts"
        assert str(core.failure) == f"nn:1: refuses connections; {found}"
    else:
        assert core.failure is None
        assert core.tally.series["m"].errors == {LOST: 1}


def test_a_connection_that_is_needed_again_is_tried_at_once_and_then_each_second() -> None:
    """A call after an idle time is the first attempt."""
    core, server = begun(Script([call(), WakeAt(20.0, 0)], [], [call("b")])), ServerConnection()
    (first,) = said(core, server)
    (channel,) = core.channels
    core.received(channel, server.respond(first.call_id, b""), 10.5)
    core.lost(channel, "reset the connection", 15.0)
    core.advance(20.0)
    core.opened.clear()
    core.lost(channel, "refuses connections", 20.25)
    for now_s, again in ((20.25, []), (21.0, []), (21.25, [channel])):
        core.advance(now_s)
        assert core.opened == again


def test_what_was_not_sent_on_a_lost_connection_is_not_sent_on_the_next() -> None:
    """But what the next begins with, and the calls again."""
    core = begun(Script([call("a"), call("b")]))
    (channel,) = core.channels
    channel.heard_s = 10.0
    core.lost(channel, "reset the connection", 11.0)
    core.advance(11.0)
    assert [(each.method, each.retry) for each in said(core, ServerConnection())] == [("a", 1), ("b", 1)]
    assert core.tally.series["a"].resent == 1


def test_a_peer_that_breaks_the_protocol_ends_the_play() -> None:
    """It is named."""
    core = begun(Script([call()]))
    core.received(core.channels[0], b"HTTP/1.1 400 Bad Request", 10.5)
    assert str(core.failure).startswith("nn:1: speaks HTTP")


def test_authentication_is_between_the_connection_and_its_first_call() -> None:
    """Who calls is sent before any call."""
    nodes = People(Script([call("a"), call("b")]))
    core = Core(
        nodes,
        Controller([Group("n", 1, StartRule())]),
        connect=lambda e, i: ClientConnection(e.protocol, client_id=i or bytes(16), sasl=True),
    )
    core.begin(10.0)
    server, came = ServerConnection(), list[str]()
    for _ in range(4):
        (channel,) = core.channels
        data = b"".join(channel.out)
        assert bool(data) == (channel in core.dirty)
        channel.out.clear()
        core.dirty.clear()
        came += [type(each).__name__ for each in server.receive(data)]
        core.received(channel, server.data_to_send(), 10.5)
    assert came[-2:] == ["Request", "Request"]
    assert core.tally.counts == {"a": (1, 0), "b": (1, 0)}


def outside(core: Core, number: int) -> list[object]:
    """What somebody outside the play is answered who calls a node."""
    accepted = core.inbound.accept(NodeId("n", number))
    client = ClientConnection("q", client_id=bytes(16))
    core.inbound.received(accepted, client.open() + client.request(7, "m", b"ask"), 10.5)
    return client.receive(b"".join(accepted.out))


def test_calls_from_outside_are_answered_by_their_node() -> None:
    """One that is not at work refuses: it has not begun, or has ended."""
    node = Script([], [Answer(Ticket(0, 7), b"yes")])
    core = begun(node, Script([Reached(Moment.FINISHED)]))
    assert outside(core, 0) == [Response(7, b"yes")]
    assert node.seen[1:] == [Called(Ticket(0, 7), "q", "m", b"ask")]
    for number in (1, 9):
        (event,) = outside(core, number)
        assert isinstance(event, ErrorResponse)
        assert event.error_class == "java.io.IOException"
        assert event.message == f"n {number} is not at work"


def shared(*scripts: Script, groups: list[Group] | None = None) -> Core:
    """The core of player 0 of 2, which has the even nodes, at second 10."""
    core = Core(
        People(*scripts),
        Controller(groups or [Group("n", len(scripts), StartRule())]),
        connect=lambda e, i: ClientConnection(e.protocol, client_id=i or bytes(16)),
        share=Share().take(0, 2),
    )
    core.begin(10.0)
    return core


ZERO, ONE = NodeId("n", 0), NodeId("n", 1)


def test_other_players_are_let_know_of_what_is_theirs() -> None:
    """Messages, begins and ends of their nodes; moments and failures of its own."""
    asked = [SendMessage(ONE, "hello"), Begin(ONE), Stop(ONE), Reached(Moment.STARTED)]
    core = shared(Script(asked), Script())
    assert core.share.out == [asked[0], Let(ONE, ZERO), Stop(ONE), Came(ZERO, Moment.STARTED, 10.0)]
    assert core.nodes == 1
    core.share.out.clear()
    core.fail(TargetError("is gone"), 11.0)
    core.fail(TargetError("is another"), 12.0)
    assert core.share.out == [Over()]
    assert str(core.failure) == "is gone"


def test_what_other_players_let_know_happens_here() -> None:
    """To its own nodes."""
    node, begun_ = Script([], [Note("heard")]), Script([], [Reached(Moment.FINISHED)])
    core = shared(
        node, Script(), begun_, groups=[Group("n", 1, StartRule()), Group("m", 3, StartRule(), told=True)]
    )
    core.hear(SendMessage(ZERO, "hello"), 11.0)
    assert node.seen == [Started(10.0), MessageReceived("hello")]
    assert core.tally.notes == {"heard": 1}
    worker, teller = NodeId("m", 2), NodeId("m", 1)
    core.hear(Let(worker, teller), 12.0)
    assert begun_.seen == [Started(12.0)]
    core.hear(SendMessage(worker, "end"), 13.0)
    assert core.share.out == [SendMessage(teller, Ended(worker)), Came(worker, Moment.FINISHED, 13.0)]
    core.share.copies["state"] = lambda *values: [SendMessage(ZERO, values)]
    core.hear(News("state", (1, 2)), 14.0)
    assert node.seen[2:] == [MessageReceived((1, 2))]
    core.hear(Stop(ZERO), 15.0)
    core.hear(SendMessage(ZERO, "too late"), 15.0)
    assert len(node.seen) == 3
    assert core.tally.notes["message to a node that is not there"] == 1
    assert not core.done
    core.hear(Over(), 16.0)
    assert core.done


@pytest.mark.parametrize("gone", ["elsewhere", "here"])
def test_what_waits_for_an_end_begins_however_it_came_about(gone: str) -> None:
    """Another player's node that has ended, or one of its own that will not begin."""
    late = Script()
    groups = [
        Group("n", 1, StartRule()),
        Group("m", 1, StartRule(), told=True),
        Group("late", 1, StartRule("m", Moment.FINISHED)),
    ]
    nodes = People(Script([], [Forgone(NodeId("m", 0))]))
    nodes.program = lambda node: late if node.type == "late" else nodes.scripts[0]  # type: ignore[method-assign]
    core = Core(
        nodes, Controller(groups), connect=lambda e, i: ClientConnection(e.protocol, client_id=bytes(16))
    )
    core.begin(10.0)
    core.advance(11.0)
    assert late.seen == []
    if gone == "elsewhere":
        core.hear(Came(NodeId("m", 0), Moment.FINISHED, 11.5), 12.0)
    else:
        core.hear(SendMessage(NodeId("n", 0), "go"), 11.5)
    core.advance(12.0)
    assert late.seen == [Started(11.5)]


def test_what_a_timer_brings_about_begins_at_once() -> None:
    """A node that waits for another's moment does not wait for the player to look again."""
    nodes = People(Script([WakeAt(11.0, 0)], [Reached(Moment.FINISHED)]))
    late = Script()
    nodes.program = lambda node: late if node.type == "late" else nodes.scripts[0]  # type: ignore[method-assign]
    groups = [Group("n", 1, StartRule()), Group("late", 1, StartRule("n", Moment.FINISHED))]
    core = Core(
        nodes, Controller(groups), connect=lambda e, i: ClientConnection(e.protocol, client_id=bytes(16))
    )
    core.begin(10.0)
    core.advance(11.0)
    assert late.seen == [Started(11.0)]


@pytest.mark.parametrize("how", ["started", "measured"])
def test_the_ramp_ends_once(how: str) -> None:
    """When all nodes without an end have started, or another player says that it has; seconds of the play count."""
    node = Script([], [Reached(Moment.STARTED)], [Reached(Moment.STARTED)])
    groups = [Group("n", 1, StartRule(), endless=True)]
    core = Core(
        People(node), Controller(groups), connect=lambda *_: ClientConnection("p", client_id=bytes(16))
    )
    core.begin(10.0)
    assert core.tally.steady_from_s is None
    for now_s in (12.5, 14.0):
        core.hear(SendMessage(NodeId("n", 0), "") if how == "started" else Measured(), now_s)
        assert core.tally.steady_from_s == 2.5


def test_intervals_are_closed_as_they_end() -> None:
    """At their very end, with the seconds of the play; after a pause the next one ends at its own time again."""
    core, server = begun(Script(*[[call()]] * 9)), ServerConnection()
    assert core.next_s == 11.0
    for now_s, rows in (
        (10.75, []),
        (11.0, [1.0]),
        (11.5, [1.0]),
        (13.25, [1.0, 3.25]),
        (14.0, [1.0, 3.25, 4.0]),
    ):
        (request,) = said(core, server)
        core.received(core.channels[0], server.respond(request.call_id, b""), now_s)
        core.advance(now_s)
        assert [row.time_s for row in core.tally.rows] == rows
        assert core.next_s == int(now_s) + 1.0
