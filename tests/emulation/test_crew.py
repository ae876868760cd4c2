"""Several player processes: how they end, whoever fails, dies or is asked to."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import psutil
import pytest

from froude.base.errors import FroudeError, TargetError
from froude.emulation import crew
from froude.emulation import playing as playing_module
from froude.emulation.core import Core
from froude.emulation.crew import Peers
from froude.emulation.engine import PlayJob, PlayOutcome, Status, play_apart
from froude.emulation.facts import facts_of
from froude.emulation.listener import Listener
from froude.emulation.merging import merged_outcome
from froude.emulation.playing import play_here
from froude.emulation.programs.population import PlaySettings
from froude.emulation.settings import Connections
from froude.emulation.sharing import Over, Share
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from testbed.plans import plan

Gone = Callable[[Sequence[psutil.Process]], bool]


def job(hadoop: Hadoop, port: int, players: int = 2) -> PlayJob:
    """A play by several against a port of this machine."""
    target = Target("namenode", f"127.0.0.1:{port}", "CID-1")
    return PlayJob(plan(), hadoop.schema(), PlaySettings({"": target}), players=players)


def players_of(parent: psutil.Process) -> list[psutil.Process]:
    """The first player and those that it forked, once all are there."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        first = [each for each in parent.children() if "froude.emulation.player" in each.cmdline()]
        if first and (others := first[0].children()):
            return [*first, *others]
        time.sleep(0.02)
    raise AssertionError("no player began")


@contextmanager
def playing(hadoop: Hadoop, ended: list[PlayOutcome | FroudeError]) -> Iterator[list[psutil.Process]]:
    """Two players of a target that takes connections and answers nothing."""

    def play() -> None:
        try:
            ended.append(play_apart(job(hadoop, silent.getsockname()[1])))
        except FroudeError as error:
            ended.append(error)

    with socket.create_server(("127.0.0.1", 0)) as silent:
        thread = threading.Thread(target=play)
        thread.start()
        yield players_of(psutil.Process())
        thread.join(60)


def test_a_player_that_dies_leaves_a_part(hadoop: Hadoop, gone: Gone) -> None:
    """What it counted is lost, which the outcome says; what the others counted is kept, and they end."""
    ended: list[PlayOutcome | FroudeError] = []
    with playing(hadoop, ended) as players:
        players[1].kill()
    (outcome,) = ended
    assert isinstance(outcome, PlayOutcome)
    died = f"player 1 (pid {players[1].pid}): died, and its calls are not counted; found exit -9"
    assert str(outcome.failure) == died
    assert (outcome.partial, outcome.players, outcome.interrupted) == (True, 2, False)
    assert outcome.tally.questions["versionRequest"]
    assert gone(players)


def test_no_player_outlives_the_first(hadoop: Hadoop, gone: Gone) -> None:
    """Killed outright, it leaves none behind."""
    ended: list[PlayOutcome | FroudeError] = []
    with playing(hadoop, ended) as players:
        players[0].kill()
        assert gone(players)
    (error,) = ended
    assert "the player process died" in str(error)


def test_a_failure_of_one_player_is_the_outcome_of_all(hadoop: Hadoop) -> None:
    """What all have counted comes back with it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    outcome = play_apart(job(hadoop, port, 3))
    assert str(outcome.failure).startswith(f"127.0.0.1:{port}: ")
    assert outcome.players == 3


def test_a_watch_ends_all_players(hadoop: Hadoop) -> None:
    """Each has asked the target who it is, on each connection; the outcome has the questions of both."""
    seen: list[Status] = []

    def watch(status: Status) -> bool:
        seen.append(status)
        return status.load.busiest_share is None

    with socket.create_server(("127.0.0.1", 0)) as silent:
        outcome = play_apart(job(hadoop, silent.getsockname()[1]), watch)
    assert outcome.interrupted
    assert outcome.failure is None
    assert outcome.tally.questions["versionRequest"] == 4
    assert all(load.busiest_share is not None for load in outcome.load)


def test_there_are_no_more_players_than_nodes_of_a_type(hadoop: Hadoop) -> None:
    """Others would have nothing to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert play_apart(job(hadoop, port, 50)).players == 4


@pytest.mark.parametrize("size", [0, 1 << 22])
def test_a_report_of_any_size_arrives_whole(size: int) -> None:
    """Both ends send at once more than their sockets take, and neither waits for the other."""
    here, there = socket.socketpair()
    first, other = Peers({1: here}, Schema({}, {})), Peers({0: there}, Schema({}, {}))
    report = TargetError("x" * size)
    thread = threading.Thread(target=other.finish, args=(report,))
    thread.start()
    with pytest.raises(TargetError, match=r"^x*$"):
        first.outcomes()
    thread.join(30)
    assert not thread.is_alive()
    here.close()
    there.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ends of players are waited for for a moment only."""
    monkeypatch.setattr(crew, "_END_S", 0.2)
    monkeypatch.setattr(crew, "_KILL_S", 0.1)
    monkeypatch.setattr(playing_module, "STILL_S", 0.5)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("goes_on", [False, True])
def test_a_player_that_stands_still_does_not_cost_the_others_counts(
    hadoop: Hadoop, gone: Gone, *, goes_on: bool
) -> None:
    """It ends the play, whose error names it; what the first player counted is kept, and none stays behind."""
    before, still = psutil.Process().children(), set[psutil.Process]()

    def watch(_: Status) -> bool:
        still.update(set(psutil.Process().children()) - {*before})
        for each in still:
            each.suspend()
        return goes_on

    with socket.create_server(("127.0.0.1", 0)) as silent:
        outcome = play_here(job(hadoop, silent.getsockname()[1]), watch)
    (player,) = still
    assert str(outcome.failure).startswith(
        f"player 1 (pid {player.pid}): gave no answer for 0 s, and its calls are not counted"
    )
    assert outcome.tally.questions["versionRequest"]
    assert gone([player])


@pytest.mark.usefixtures("impatient")
def test_a_process_that_takes_no_end_is_killed() -> None:
    """And waited for."""
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    crew._end(child)
    assert not psutil.pid_exists(child)


def test_notices_that_wait_are_sent_before_an_outcome() -> None:
    """What a player let the others know last is not lost with its end."""
    here, there = socket.socketpair()
    first, other = Peers({1: here}, Schema({}, {})), Peers({0: there}, Schema({}, {}))
    heard: list[object] = []
    shares = [Share().take(number, 2) for number in (0, 1)]
    for peers, share in zip((first, other), shares, strict=True):
        peers.serve(cast("Core", SimpleNamespace(share=share, hear=lambda notice, _: heard.append(notice))))
    shares[1].tell(Over())
    other.finish(TargetError("end"))
    with pytest.raises(TargetError, match="end"):
        first.outcomes()
    assert heard == [Over()]
    here.close()
    there.close()


def test_each_player_has_its_own_listener_and_keeps_its_latencies(
    hadoop: Hadoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls to a player's nodes reach no other, and a second's percentiles are those of all players' latencies."""
    before, ports, outcomes = psutil.Process().children(), list[list[int]](), list[PlayOutcome]()

    def watch(_: Status) -> bool:
        players = [psutil.Process(), *(each for each in psutil.Process().children() if each not in before)]
        ports.extend([port for port in taken if port in listens(each)] for each in players)
        return False

    def affordable(job: PlayJob, nodes: int) -> tuple[Connections, list[str]]:
        assert nodes == 3  # of six, by two players
        return job.settings.connections, []

    def merge(parts: Sequence[PlayOutcome]) -> PlayOutcome:
        outcomes.extend(parts)
        return merged_outcome(parts)

    monkeypatch.setattr(playing_module, "facts_of", lambda plan: replace(facts_of(plan), called=True))
    monkeypatch.setattr(playing_module, "merged_outcome", merge)
    monkeypatch.setattr(playing_module, "_affordable", affordable)
    listeners = [Listener(player) for player in (0, 1)]
    taken = [each.port for each in listeners]
    monkeypatch.setattr(playing_module, "Listener", listeners.__getitem__)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        play_here(job(hadoop, silent.getsockname()[1]), watch)
    assert ports == [[taken[0]], [taken[1]]]
    for each in outcomes:
        assert each.tally.samples
        assert len(each.tally.samples) == len(each.tally.rows)
    listeners[0].close()


def listens(process: psutil.Process) -> set[int]:
    """The ports on which a process listens."""
    return {each.laddr.port for each in process.net_connections("tcp") if each.status == psutil.CONN_LISTEN}
