"""Calls that are repeated for nodes: when they are made, what ends them, and that a play with them is the same."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.events import Events
from froude.base.seeds import Seeds
from froude.emulation.controller import Controller, Group
from froude.emulation.core import Core
from froude.emulation.programs.events import (
    Endpoint,
    Interrupted,
    NodeId,
    Program,
    Repeat,
    Reply,
    Send,
    SendMessage,
    Timer,
)
from froude.emulation.programs.hdfs.blocks import Block
from froude.emulation.programs.hdfs.datanode import BlockWritten, EmulatedDatanode
from froude.emulation.programs.hdfs.datanodes import Datanodes
from froude.emulation.repeats import Repeats
from froude.emulation.settings import DatanodeSettings
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from froude.workload.types import StartRule
from tests.support.simulation.model_namenode import ModelNameNode

SEND = Send("p", "beat", b"body", 3, 10.0)
PLAIN = b"plain"


class Shell:
    """Repeated calls with a player written down."""

    def __init__(self) -> None:
        self.timers = Events(10.0)
        self.made: list[tuple[int, float, float]] = []
        self.interrupted: list[tuple[int, Interrupted]] = []
        self.lags: list[float] = []
        self.repeats = Repeats(self.timers, self._send, self._interrupt, self.lags.extend)

    def _send(self, index: int, send: Send, due_s: float, now_s: float) -> None:
        assert send is SEND
        self.made.append((index, due_s, now_s))

    def _interrupt(self, index: int, event: Interrupted, now_s: float) -> None:
        self.interrupted.append((index, event))

    def begin(self, index: int) -> None:
        self.repeats.begin(
            index, Repeat(SEND, 3.0, lambda send, body: send if body == PLAIN else None), self.timers.now
        )

    def answer(self, index: int, body: bytes = PLAIN) -> bool:
        return self.repeats.take(index, Reply(3, body), self.timers.now)


@pytest.fixture
def shell() -> Shell:
    """At second 10."""
    return Shell()


def test_a_call_is_made_at_once_and_then_at_its_rate(shell: Shell) -> None:
    """The program hears nothing of plain answers."""
    shell.begin(7)
    for now_s in (13.0, 16.25):
        assert shell.answer(7)
        shell.timers.catch_up(now_s)
    assert shell.made == [(7, 10.0, 10.0), (7, 13.0, 13.0), (7, 16.0, 16.25)]
    assert shell.lags == [0.0, 0.25]
    assert shell.interrupted == []


def test_calls_of_one_moment_have_one_timer(shell: Shell) -> None:
    """They are made in the order in which they began."""
    for index in (2, 1):
        shell.begin(index)
    assert shell.answer(1)
    assert shell.answer(2)
    shell.timers.step()
    assert [index for index, due_s, _ in shell.made if due_s == 13.0] == [2, 1]


def test_lateness_counts_once_for_each_node(shell: Shell) -> None:
    """Of all that are repeated at the moment; one that was dropped is not late."""
    for index in range(4):
        shell.begin(index)
        assert shell.answer(index)
    shell.repeats.drop(3)
    shell.timers.catch_up(13.5)
    assert shell.lags == [0.5] * 3


def test_moments_that_have_passed_are_left_out(shell: Shell) -> None:
    """A player that comes late makes one call, and the next one at its own moment."""
    shell.begin(0)
    assert shell.answer(0)
    shell.timers.catch_up(20.0)
    assert shell.made[1:] == [(0, 13.0, 20.0)]
    assert shell.timers.next_s == 22.0


@pytest.mark.parametrize("event", [Reply(3, b"command"), Timer(1, 12.0)])
def test_any_other_event_ends_the_repetition(shell: Shell, event: Reply | Timer) -> None:
    """The program hears when the next call is due, and whether one is on its way; later calls are its own."""
    shell.begin(0)
    assert not shell.repeats.take(0, event, 12.0)
    assert shell.interrupted == [(0, Interrupted(13.0, calling=True))]
    assert not shell.answer(0)
    shell.timers.catch_up(13.0)
    assert len(shell.made) == 1


def test_a_call_is_not_on_its_way_once_it_was_answered(shell: Shell) -> None:
    """What comes between two calls finds none."""
    shell.begin(0)
    assert shell.answer(0)
    assert not shell.repeats.take(0, Timer(1, 12.0), 12.0)
    assert shell.interrupted == [(0, Interrupted(13.0, calling=False))]


def test_a_call_that_takes_longer_than_the_interval_goes_back_to_its_program(shell: Shell) -> None:
    """What is due then is the program's to make."""
    shell.begin(0)
    shell.timers.catch_up(13.5)
    assert shell.interrupted == [(0, Interrupted(13.0, calling=True))]
    assert len(shell.made) == 1


def test_a_node_that_was_dropped_makes_no_call(shell: Shell) -> None:
    """Nor is its program asked any more."""
    shell.begin(0)
    shell.repeats.drop(0)
    shell.repeats.drop(1)
    shell.timers.catch_up(20.0)
    assert len(shell.made) == 1
    assert shell.interrupted == []


def test_a_node_that_begins_again_has_one_call(shell: Shell) -> None:
    """Also where the timer of the first repetition has not fired yet."""
    shell.begin(0)
    shell.repeats.take(0, Timer(1, 10.0), 10.0)
    shell.begin(0)
    assert shell.answer(0)
    shell.timers.catch_up(13.0)
    assert [due_s for _, due_s, _ in shell.made] == [10.0, 10.0, 13.0]
    assert len(shell.interrupted) == 1


class Fleet:
    """DataNodes on one connection, to a model whose answers take a while."""

    def __init__(self, schema: Schema, seed: int, *, repeats: bool, slow: float) -> None:
        self.datanodes = Datanodes(schema, DatanodeSettings(full_report_s=7.0), seeds=Seeds(1))
        self.rng, self.slow, self.repeats = random.Random(seed), slow, repeats
        self.model = ModelNameNode(schema, random.Random(seed))
        self.events = Events()
        self.calls: list[tuple[float, float, str, int, bytes]] = []
        self.server = ServerConnection()
        group = Group("datanode", 5, StartRule(), endless=True)
        self.core = Core(self, Controller([group]), connect=self._connect, journal=self)

    # what a core asks of its nodes and its journal

    def program(self, node: NodeId) -> Program:
        return EmulatedDatanode(self.datanodes, node.number, repeats=self.repeats)

    def endpoint(self, node: NodeId, protocol: str, service: str) -> Endpoint:
        return Endpoint(protocol, target=Target(service, "nn:1"))

    def client_id(self, node: NodeId) -> bytes:
        return bytes(15) + bytes([node.number])

    def caller_context(self, node: NodeId) -> None:
        return None

    def wants(self, node: NodeId) -> bool:
        return True

    def call(self, played: object) -> None:
        self.calls.append(
            (
                round(played.intended_s, 6),  # type: ignore[attr-defined]
                round(played.sent_s, 6),  # type: ignore[attr-defined]
                played.method,  # type: ignore[attr-defined]
                played.node.number,  # type: ignore[attr-defined]
                played.request,  # type: ignore[attr-defined]
            )
        )

    # the world around them

    def run(self, until_s: float) -> None:
        """Play; blocks arrive now and then."""
        core, events = self.core, self.events
        core.begin(0.0)
        for number in range(12):
            node = NodeId("datanode", self.rng.randrange(5))
            block = Block(1000 + number, 10 * number, 1)
            events.schedule(2.0 + self.rng.random() * until_s, self._write, node, block)
        while min(core.next_s, events.next_s) <= until_s:
            self._carry()
            events.now = max(events.now, min(core.next_s, events.next_s))
            while events.next_s <= events.now:
                events.step()
            core.advance(events.now)
        core.finish(events.now)

    def _write(self, node: NodeId, block: Block) -> None:
        written = BlockWritten(block, self.datanodes.storage(node.number))
        self.core.hear(SendMessage(node, written), self.events.now)

    def _connect(self, endpoint: Endpoint, client_id: bytes | None) -> ClientConnection:
        return ClientConnection(endpoint.protocol, client_id=client_id or bytes(16), user="u")

    def _carry(self) -> None:
        self.core.opened.clear()
        for channel in self.core.dirty:
            data = b"".join(channel.out)
            channel.out.clear()
            for event in self.server.receive(data):
                if isinstance(event, Request):
                    self._serve(event)
        self.core.dirty.clear()

    def _serve(self, request: Request) -> None:
        """How long a call takes follows from who makes it and when, so that two plays can be compared."""
        node = request.client_id[-1]
        moment = round(self.events.now * 1e3)
        chance = random.Random(f"{node} {moment} {request.method}").random()
        answer_s = self.events.now + 0.001 + (4.0 if chance < self.slow else 0.01 * chance)

        def answer() -> None:
            body = self.model.call(request.protocol, request.method, request.body)
            channel = self.core.channels[0]
            self.core.received(channel, self.server.respond(request.call_id, body), self.events.now)

        self.events.schedule(answer_s, answer)


def calm(model: ModelNameNode, chance: Callable[[], float]) -> None:
    """Have a model draw its commands by another chance."""
    model._rng = type("Drawn", (), {"random": staticmethod(chance)})()  # type: ignore[assignment]


@settings(max_examples=15)
@given(st.integers(0, 1 << 20), st.sampled_from([0.0, 0.1]))
def test_a_play_is_the_same_with_and_without(hadoop: Hadoop, seed: int, slow: float) -> None:
    """Heartbeats, reports and their times do not depend on who repeats the heartbeats."""
    plays = []
    for repeats in (True, False):
        fleet = Fleet(hadoop.schema(), seed, repeats=repeats, slow=slow)
        calm(fleet.model, lambda: 1.0)
        fleet.run(30.0)
        plays.append(fleet)
    ours, theirs = (sorted(fleet.calls) for fleet in plays)
    assert len(ours) > 50
    assert ours == theirs
