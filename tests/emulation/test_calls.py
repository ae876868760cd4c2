"""Calls wait on each connection until its server has shown who it is; other connections are in `test_core`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from froude.base.errors import GuardError
from froude.emulation.calls import RETRIES, RETRY_S
from froude.emulation.controller import Controller, Group
from froude.emulation.core import Core
from froude.emulation.engine import connect
from froude.emulation.identification import FirstCall, Identification
from froude.emulation.programs.events import Endpoint, Failed, NodeId, Program, Reply, Send
from froude.hadoop.rpc.codec import encode_sasl
from froude.hadoop.rpc.events import Request, SaslAuth
from froude.hadoop.rpc.headers import MAX_CALL_ID, SaslState
from froude.hadoop.rpc.sasl import Token
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.target import Target
from froude.workload.types import StartRule
from tests.support.emulation.core import Script
from tests.support.hadoop.rpc.codec import response

TARGET = Target("s", "x:1", "id")


class Proofs(Identification):
    """Servers that name themselves in the answer to a question, or in any answer that is not empty."""

    def __init__(self, question: FirstCall | None) -> None:
        self.question = question
        self.by_answers = question is None

    def first_call(self, endpoint: Endpoint) -> FirstCall | None:
        return self.question

    def shows_by_answers(self, endpoint: Endpoint) -> bool:
        return self.by_answers

    def shown(self, target: Target, method: str | None, body: bytes | memoryview) -> bool:
        if body not in {b"", target.id.encode()}:
            raise GuardError("is another daemon", found=bytes(body))
        return bool(body)


class People:
    """A script and a connection for each node."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = scripts

    def program(self, node: NodeId) -> Program:
        return self.scripts[node.number]

    def endpoint(self, node: NodeId, protocol: str, service: str) -> Endpoint:
        return Endpoint(protocol, slot=node.number, target=TARGET)

    def client_id(self, node: NodeId) -> bytes:
        return bytes(15) + bytes([node.number])

    def caller_context(self, node: NodeId) -> None:
        return None


class Play:
    """A core at second 10, and a server behind each of its connections."""

    def __init__(self, question: FirstCall | None, *calls: list[str], timeout_s: float = 60.0) -> None:
        self.scripts = [
            Script([Send("p", method, b"", n, 10.0) for n, method in enumerate(methods)]) for methods in calls
        ]
        self.core = Core(
            People(*self.scripts),
            Controller([Group("n", len(calls), StartRule())]),
            connect=connect,
            identification=Proofs(question),
            call_timeout_s=timeout_s,
        )
        self.core.begin(10.0)
        self.servers = [ServerConnection() for _ in calls]

    def sent(self) -> list[list[Request]]:
        """The calls that came to each server since the last time."""
        came: list[list[Request]] = [[] for _ in self.servers]
        for channel in self.core.channels:
            data = b"".join(channel.out)
            channel.out.clear()
            events = self.servers[channel.number].receive(data)
            came[channel.number] = [event for event in events if isinstance(event, Request)]
        self.core.dirty.clear()
        return came

    def answer(self, number: int, call: Request, body: bytes | None, now_s: float = 11.0) -> None:
        """Answer a call of a connection; None is an error."""
        server = self.servers[number]
        data = server.fail(call.call_id, "E", "no") if body is None else server.respond(call.call_id, body)
        self.core.received(self.core.channels[number], data, now_s)


def methods(came: list[list[Request]]) -> list[list[str]]:
    """Their names."""
    return [[call.method for call in calls] for calls in came]


QUESTION = FirstCall("q", "whoAreYou", b"")


def test_calls_wait_for_the_answer_to_the_question() -> None:
    """On each connection, which then carries them in their order; the question counts apart."""
    play = Play(QUESTION, ["a", "b"], ["c"])
    (first,), (second,) = came = play.sent()
    assert methods(came) == [["whoAreYou"], ["whoAreYou"]]
    assert first.protocol == "q"
    play.answer(1, second, b"id")
    assert methods(play.sent()) == [[], ["c"]]
    play.answer(0, first, b"id")
    came = play.sent()
    assert methods(came) == [["a", "b"], []]
    for call in came[0]:
        play.answer(0, call, b"done")
    assert play.scripts[0].seen[1:] == [Reply(0, b"done"), Reply(1, b"done")]
    assert play.core.tally.counts == {"a": (1, 1), "b": (1, 1), "c": (1, 0)}
    assert play.core.tally.identifications == {"whoAreYou": 2}


def test_no_two_questions_of_any_plays_have_one_client_id() -> None:
    """Neither that of a node nor that of another connection: no retry cache answers one with what was asked before."""
    plays = [Play(QUESTION, ["a"], ["b"]) for _ in range(2)]
    asked = [call.client_id for play in plays for calls in play.sent() for call in calls]
    nodes = {play.core._nodes.client_id(node) for play in plays for node in play.core._calls.ids}
    assert len(asked) == len({*asked} - nodes) == 4


def test_calls_count_for_the_daemon_that_was_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a tracker for its ResourceManager; of one method of two daemons each has its own count."""
    services = ("namenode", "resourcemanager", "resourcemanager-tracker")
    ends = [Endpoint("p", target=Target(service, "x:1", "id")) for service in services]
    monkeypatch.setattr(People, "endpoint", lambda _, node, *__: ends[node.number])
    play = Play(QUESTION, ["a"], ["a"], ["b"])
    for number, (question,) in enumerate(play.sent()):
        play.answer(number, question, b"id")
    play.sent()
    series = play.core.tally.series
    assert {name: (each.daemon, each.sent) for name, each in series.items()} == {
        "a": ("namenode", 1),
        "a (resourcemanager)": ("resourcemanager", 1),
        "b": ("resourcemanager", 1),
    }


@pytest.mark.parametrize("question", [QUESTION, None])
def test_another_daemon_ends_the_play(question: FirstCall | None) -> None:
    """Nothing more is sent on any connection; what waited is reported as not sent."""
    play = Play(question, ["a", "b"], ["c"])
    (first, *_), *_ = play.sent()
    play.answer(0, first, b"other")
    assert isinstance(play.core.failure, GuardError)
    assert methods(play.sent()) == [[], []]
    assert play.core.done


def test_a_server_that_is_starting_is_asked_again() -> None:
    """Each second, as often as a connection is tried; then the play ends with its words."""
    play, now_s = Play(QUESTION, ["a"]), 10.0
    for _ in range(RETRIES + 1):
        assert play.core.failure is None
        ((call,),) = play.sent()
        play.answer(0, call, None, now_s)
        assert play.sent() == [[]]
        now_s += RETRY_S
        play.core.advance(now_s)
    assert "found E: no" in str(play.core.failure)


def test_further_calls_do_not_ask_a_starting_server_sooner() -> None:
    """They wait with the others; a refused question counts by its error, as the target counts it."""
    play = Play(QUESTION, ["a"])
    ((call,),) = play.sent()
    play.answer(0, call, None, 10.0)
    for _ in range(RETRIES + 1):
        play.core._send(0, Send("p", "b", b"", 7, 10.1), 10.1)
    assert play.sent() == [[]]
    play.core.advance(10.0 + RETRY_S)
    ((call,),) = play.sent()
    play.answer(0, call, b"id")
    assert methods(play.sent()) == [["a", *["b"] * (RETRIES + 1)]]
    assert play.core.tally.identifications == {"E": 1, "whoAreYou": 1}
    assert play.core.tally.questions == {"whoAreYou": 2}


def test_a_server_that_never_ends_authentication_ends_the_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that wait for it are in no flight, so that nothing else would."""
    token = Token(b"who", b"secret")
    monkeypatch.setattr(People, "endpoint", lambda *_: Endpoint("p", target=TARGET, token=token))
    play = Play(QUESTION, ["a"], timeout_s=5.0)
    play.core.advance(14.0)
    assert play.core.failure is None
    play.core.advance(16.0)
    assert "does not answer; found authentication unanswered for 6 s" in str(play.core.failure)


def test_what_authentication_takes_is_sent_as_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """An offer of a token is taken up, though nothing has happened yet that a play looks at."""
    token = Token(b"who", b"secret")
    monkeypatch.setattr(People, "endpoint", lambda *_: Endpoint("p", target=TARGET, token=token))
    play = Play(QUESTION, ["a"])
    (channel,) = play.core.channels
    channel.out.clear()
    play.core.dirty.clear()
    challenge = b'realm="default",nonce="n",qop="auth",charset=utf-8,algorithm=md5-sess'
    offers = [SaslAuth("TOKEN", "DIGEST-MD5", "", "default", challenge)]
    offer = response(-33, 0, encode_sasl(SaslState.NEGOTIATE, b"", offers, challenge=True))
    play.core.received(channel, len(offer).to_bytes(4, "big") + offer, 11.0)
    assert play.core.dirty == [channel]
    (answer,) = channel.out
    assert b"DIGEST-MD5" in answer


def test_later_connections_are_looked_at_only_until_the_target_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of ten thousand NodeManagers with a connection each, one proof concerns its own."""
    play = Play(None, ["a", "x"], ["b"], ["c"])
    (first, *_), *_ = play.sent()
    play.answer(0, first, b"id")
    came = play.sent()
    looked = list[int]()
    identify = play.core._calls._identify
    monkeypatch.setattr(
        play.core._calls,
        "_identify",
        lambda channel, now_s: (looked.append(channel.number), identify(channel, now_s)),
    )
    play.answer(1, came[1][0], b"id")
    assert set(looked) <= {1}


def test_a_question_that_is_not_answered_ends_the_play() -> None:
    """As any call that waits too long."""
    play = Play(QUESTION, ["a"], timeout_s=5.0)
    play.core.advance(14.0)
    assert play.core.failure is None
    play.core.advance(16.0)
    assert " 6 s" in str(play.core.failure)


@pytest.mark.parametrize("body", [b"", None])
def test_one_node_speaks_until_an_answer_shows_who_it_is(body: bytes | None) -> None:
    """An empty answer or an error shows nothing: the next call follows, of the same node, then of another."""
    play = Play(None, ["a", "b"], ["c"], ["d", "e"])
    for number, method in ((0, "a"), (0, "b"), (1, "c"), (2, "d")):
        came = play.sent()
        assert methods(came) == [[method] if n == number else [] for n in range(3)]
        play.answer(number, came[number][0], b"id" if method == "d" else body)
    assert methods(play.sent()) == [[], [], ["e"]]
    kind: Callable[..., object] = Reply if body == b"" else Failed
    assert [type(event) for event in play.scripts[1].seen[1:]] == [kind]


def test_a_later_connection_sends_one_call_until_its_server_has_shown_who_it_is() -> None:
    """What was in flight goes first, once; then all follow, each with one more retry."""
    play = Play(None, ["a", "b", "c"])
    ((first,),) = play.sent()
    play.answer(0, first, b"id")
    assert methods(play.sent()) == [["b", "c"]]
    play.core.lost(play.core.channels[0], "reset the connection", 12.0)
    play.servers[0] = ServerConnection()
    play.core.advance(12.0)
    ((again,),) = play.sent()
    assert (again.method, again.retry) == ("b", 1)
    series = play.core.tally.series
    assert {name: each.resent for name, each in series.items()} == {"a": 0, "b": 1, "c": 0}
    play.answer(0, again, b"id", 12.0)
    ((last,),) = play.sent()
    assert (last.method, last.retry) == ("c", 1)
    assert {name: each.resent for name, each in series.items()} == {"a": 0, "b": 1, "c": 1}
    play.answer(0, last, b"done", 12.0)
    assert play.scripts[0].seen[1:] == [Reply(0, b"id"), Reply(1, b"id"), Reply(2, b"done")]


def test_a_call_that_shows_who_answers_is_named_where_it_hangs() -> None:
    """It is the call that somebody can look for, and was sent as early as the question that it is."""
    play = Play(None, ["a", "b"], timeout_s=5.0)
    assert methods(play.sent()) == [["a"]]
    play.core.advance(16.0)
    assert "does not answer; found a unanswered for 6 s" in str(play.core.failure)


def test_each_call_is_counted_once_whatever_its_answer() -> None:
    """An error is an answer; what has none is not."""
    play = Play(QUESTION, ["a", "b", "c"])
    ((question,),) = play.sent()
    play.answer(0, question, b"id")
    ((a, b, _),) = play.sent()
    play.answer(0, a, b"x")
    play.answer(0, b, None)
    counted = {method: (each.sent, each.answered) for method, each in play.core.tally.series.items()}
    assert counted == {"a": (1, 1), "b": (1, 1), "c": (1, 0)}


def test_refusals_are_counted_again_once_a_server_has_shown_who_it_is() -> None:
    """On its next connection it may be starting again, for as long."""
    play = Play(QUESTION, ["a"])
    ((question,),) = play.sent()
    play.answer(0, question, None, 10.0)
    play.core.advance(11.0)
    ((question,),) = play.sent()
    play.answer(0, question, b"id", 11.0)
    play.sent()
    play.core.lost(play.core.channels[0], "reset the connection", 12.0)
    play.servers[0] = ServerConnection()
    now_s = 12.0
    play.core.advance(now_s)
    for _ in range(RETRIES):
        ((question,),) = play.sent()
        play.answer(0, question, None, now_s)
        play.core.advance(now_s + RETRY_S - 0.01)
        assert play.sent() == [[]]
        now_s += RETRY_S
        play.core.advance(now_s)
    assert play.core.failure is None
    ((question,),) = play.sent()
    play.answer(0, question, None, now_s)
    assert "found E: no" in str(play.core.failure)


def test_questions_and_calls_share_their_numbers() -> None:
    """A target knows a call by its number, whatever it asks."""
    play = Play(QUESTION, ["a", "b"], ["c"])
    (first,), (second,) = play.sent()
    play.answer(0, first, b"id")
    play.answer(1, second, b"id")
    (a, b), (c,) = play.sent()
    assert [each.call_id for each in (first, second, a, b, c)] == [1, 2, 3, 4, 5]
    play.core._calls._last_call = MAX_CALL_ID
    play.core.lost(play.core.channels[0], "reset the connection", 12.0)
    play.servers[0] = ServerConnection()
    play.core.advance(12.0)
    assert [each.call_id for each in play.sent()[0]] == [0]


def test_a_connection_that_cannot_show_who_answers_ends_the_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any call is sent on it."""

    def refuse(*_: object) -> None:
        raise GuardError("cannot show who it is")

    monkeypatch.setattr(Proofs, "first_call", refuse)
    play = Play(QUESTION, ["a"])
    assert str(play.core.failure) == "cannot show who it is"
    assert play.sent() == [[]]


def test_a_server_that_has_shown_who_it_is_with_its_connection_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one that knows a token: calls go at once."""
    monkeypatch.setattr(Proofs, "shows_by_answers", lambda *_: False)
    play = Play(None, ["a", "b"])
    assert methods(play.sent()) == [["a", "b"]]


def test_another_target_is_not_shown_by_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has to show itself; what waits for one does not wait for the other."""
    targets = [TARGET, TARGET, Target("t", "y:1", "other")]
    monkeypatch.setattr(
        People, "endpoint", lambda _, node, *__: Endpoint("p", slot=node.number, target=targets[node.number])
    )
    play = Play(None, ["a", "x"], ["b"], ["c", "d"])
    came = play.sent()
    assert methods(came) == [["a"], [], ["c"]]
    play.answer(0, came[0][0], b"id")
    assert methods(play.sent()) == [["x"], ["b"], []]
    play.answer(2, came[2][0], b"")
    assert methods(play.sent()) == [[], [], ["d"]]


def test_what_an_answer_takes_is_counted_where_it_shows_who_answers() -> None:
    """As that of any call; a question is no call of a node."""
    play = Play(None, ["a", "b"])
    ((a,),) = play.sent()
    play.answer(0, a, None, 12.0)
    ((b,),) = play.sent()
    play.answer(0, b, b"id", 13.0)
    play.core.finish(13.0)
    series = play.core.tally.series
    assert {name: each.from_actual.max_us for name, each in series.items()} == {
        "a": 2_000_000,
        "b": 1_000_000,
    }
    assert series["a"].errors == {"E": 1}
    assert play.core.tally.identifications == {}
