"""Several player processes: how they end, whoever fails, dies or is asked to."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import psutil
import pytest

from froude.base.errors import FroudeError, TargetError
from froude.emulation.crew import Peers
from froude.emulation.engine import PlayJob, PlayOutcome, Status, play_apart
from froude.emulation.programs.population import PlaySettings
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


def test_a_player_that_dies_ends_the_play_with_one_error(hadoop: Hadoop, gone: Gone) -> None:
    """What it counted is lost, so there is no outcome; the first player ends too."""
    ended: list[PlayOutcome | FroudeError] = []
    with playing(hadoop, ended) as players:
        players[1].kill()
    (error,) = ended
    assert isinstance(error, TargetError)
    assert str(error).startswith("player 1: another player process died")
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
