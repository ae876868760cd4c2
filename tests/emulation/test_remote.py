"""Players that come from other machines: who is taken, how they begin together, and how they end."""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from itertools import chain, repeat
from pathlib import Path

import psutil
import pytest

from froude.base.errors import FroudeError, InputError, TargetError
from froude.emulation import remote
from froude.emulation.engine import Crew, Order, PlayJob, Status, play_apart
from froude.emulation.programs.population import PlaySettings
from froude.emulation.recorder import read_spool, spool_of
from froude.emulation.remote import Guest, Invitation, _come, _files, _guest, _hash, _placed, conduct, decline
from froude.emulation.settings import DatanodeSettings, Record
from froude.experiment.play.placement import hold
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from testbed.plans import plan

Gone = Callable[[Sequence[psutil.Process]], bool]
TOKEN = bytes(range(32))
GUEST = _guest(1)


def job(port: int, crew: Crew, schema: Schema | None = None) -> PlayJob:
    """A play against a port of this machine."""
    target = Target("namenode", f"127.0.0.1:{port}", "CID-1")
    return PlayJob(plan(), schema or Schema({}, {}), PlaySettings({"": target}), crew=crew)


@contextmanager
def waiting(players: int) -> Iterator[tuple[Crew, list[Invitation]]]:
    """Where players are waited for, and their invitations."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host, port = listener.getsockname()
        crew = Crew(os.dup(listener.fileno()), TOKEN, tuple(f"tcp://w:{i}" for i in range(1, players + 1)))
        yield crew, [Invitation(host, port, TOKEN.hex(), player) for player in range(1, players + 1)]


@contextmanager
def held(invitations: list[Invitation]) -> Iterator[None]:
    """Players of this machine, as workers hold them."""
    holders = [threading.Thread(target=_hold, args=(each,)) for each in invitations]
    for each in holders:
        each.start()
    yield
    for each in holders:
        each.join(30)
        assert not each.is_alive()


def _hold(invitation: Invitation) -> None:
    with suppress(FroudeError):  # it was killed
        hold(asdict(invitation))


def players_here() -> list[psutil.Process]:
    """The players that holders of this process have started."""
    return [each for each in psutil.Process().children() if remote.JOIN in each.cmdline()]


def test_a_crew_plays_and_its_figures_come_together(hadoop: Hadoop, tmp_path: Path) -> None:
    """Each has asked the target who it is; calls that were written down come back, and clocks are spoken of."""

    def watch(status: Status) -> bool:
        seen.append(status)
        return False

    seen: list[Status] = []
    with socket.create_server(("127.0.0.1", 0)) as silent, waiting(2) as (crew, invitations):
        played = job(silent.getsockname()[1], crew, hadoop.schema())
        with held(invitations):
            outcome = play_apart(replace(played, record=Record.FULL, spool=tmp_path / "spool"), watch)
    assert (outcome.failure, outcome.interrupted, outcome.partial, outcome.players) == (None, True, False, 2)
    assert len(seen) == 1
    assert outcome.tally.questions["versionRequest"] == 4
    assert all(each.busiest_share is not None for each in outcome.load)
    assert outcome.cores == os.cpu_count()
    assert [remark for remark in outcome.remarks if "2 players on 1 machine: their clocks differed" in remark]
    for player in (0, 1):
        assert list(read_spool(spool_of(tmp_path / "spool", player))) == []


def test_a_play_is_measured_and_done_when_its_watch_says_so(hadoop: Hadoop) -> None:
    """By all players; it is a whole run."""
    orders = chain([Order.MEASURE], repeat(Order.DONE))  # it may report again before it hears
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        waiting(2) as (crew, invitations),
        held(invitations),
    ):
        outcome = play_apart(job(silent.getsockname()[1], crew, hadoop.schema()), lambda _: next(orders))
    assert (outcome.failure, outcome.interrupted, outcome.partial) == (None, False, False)
    assert outcome.tally.steady_from_s is not None


@pytest.mark.parametrize("count", [1, 2])
def test_a_player_that_dies_leaves_a_part(hadoop: Hadoop, gone: Gone, count: int) -> None:
    """The outcome has what the others counted, if there are any, and names the worker."""

    def watch(_: Status) -> bool:
        if not players:
            players.extend(players_here())
            players[0].kill()
        return True

    players: list[psutil.Process] = []
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        waiting(count) as (crew, invitations),
        held(invitations),
    ):
        outcome = play_apart(job(silent.getsockname()[1], crew, hadoop.schema()), watch)
    lost = r"player ([12]) \(tcp://w:\1\): died, and its calls are not counted"
    assert re.fullmatch(lost, str(outcome.failure))
    assert (outcome.partial, outcome.interrupted, outcome.players) == (True, False, count)
    assert outcome.elapsed_s > 0
    assert outcome.tally.questions["versionRequest"] == 2 * (count - 1)
    assert gone(players)


def test_players_end_with_the_process_that_hands_on(hadoop: Hadoop, gone: Gone) -> None:
    """Killed outright, it leaves none on a worker."""

    def watch(_: Status) -> bool:
        players.extend(players_here())
        (child,) = (each for each in psutil.Process().children() if each.cmdline()[-1].endswith(".player"))
        child.kill()
        return True

    players: list[psutil.Process] = []
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        waiting(2) as (crew, invitations),
        held(invitations),
        pytest.raises(TargetError, match="died"),
    ):
        play_apart(job(silent.getsockname()[1], crew, hadoop.schema()), watch)
    assert len(players) == 2
    assert gone(players)


@pytest.mark.parametrize(
    ("guest", "error"),
    [
        (replace(GUEST, version="0.0.9"), "tcp://w:1: plays by another version of Froude; found 0.0.9"),
        (replace(GUEST, network="net:[1]"), "tcp://w:1: is on another machine than the target"),
        (Guest(1, failure="No module named 'froude'"), "tcp://w:1: cannot run a player; found No module"),
    ],
)
def test_who_would_play_something_else_is_refused(guest: Guest, error: str) -> None:
    """Another version, a machine that does not reach the target, and a worker that cannot run players."""
    with (
        waiting(1) as (crew, (invitation,)),
        _come(invitation, guest),
        pytest.raises(FroudeError, match=error),
    ):
        conduct(job(1, crew), lambda _: True, lambda: False)


def test_why_a_player_does_not_come_is_heard() -> None:
    """Nothing happens where it is not waited for any more."""
    with waiting(1) as (crew, (invitation,)):
        decline(invitation, "no Python")
        with pytest.raises(TargetError, match="found no Python"):
            conduct(job(1, crew), lambda _: True, lambda: False)
    decline(invitation, "too late")


def test_a_player_that_never_comes_is_not_waited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its worker is named; whoever comes without the token, or says nothing, is hung up on."""
    monkeypatch.setattr(remote, "_COME_S", 0.5)
    monkeypatch.setattr(remote, "_GREET_S", 0.1)
    with waiting(2) as (crew, invitations), _come(invitations[0], GUEST):
        stranger = replace(invitations[1], token="00" * 32)
        address = (stranger.host, stranger.port)
        with (
            _come(stranger, replace(GUEST, player=2)),
            socket.create_connection(address),
            pytest.raises(TargetError, match=r"^tcp://w:2: no player came from it in 0 s"),
        ):
            conduct(job(1, crew), lambda _: True, lambda: False)


def test_a_play_that_is_stopped_before_it_begins_has_no_outcome() -> None:
    """Players that came are let go."""
    with waiting(2) as (crew, invitations), _come(invitations[0], GUEST) as player:
        asked = iter([False, True])
        assert conduct(job(1, crew), lambda _: True, lambda: next(asked)) is None
        assert player.recv(1) == b""


def test_players_have_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path does not depend on a process's folder, and a hash on names, sizes and contents."""
    monkeypatch.chdir(tmp_path)
    blocks = tmp_path / "blocks"
    blocks.mkdir()
    (blocks / "a").write_text("1")
    settings = _placed(DatanodeSettings(blocks=Path("blocks")))
    assert settings == DatanodeSettings(blocks=blocks)
    logged = replace(plan(), log=tmp_path / "log")
    played = PlayJob(logged, Schema({}, {}), PlaySettings(programs={"datanode": settings}))
    assert list(_files(played)) == [tmp_path / "log", blocks]
    before = _hash(blocks)
    (blocks / "a").write_text("2")
    assert _hash(blocks) != before != ""
    assert _hash(tmp_path / "log") == ""


def test_a_file_that_is_not_there_is_stated(hadoop: Hadoop, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the player, with the path and its machine."""
    monkeypatch.setattr(remote, "_files", lambda _: [Path("/no/such/log")])
    monkeypatch.setattr(remote, "_hash", lambda _: "1")
    monkeypatch.setattr(remote, "_guest", lambda player: replace(GUEST, player=player, network="another"))
    monkeypatch.setattr(remote, "is_loopback", lambda _: False)
    with (
        waiting(1) as (crew, invitations),
        held(invitations),
        pytest.raises(InputError, match=f"/no/such/log: is missing on {socket.gethostname()}, or differs"),
    ):
        conduct(job(1, crew, hadoop.schema()), lambda _: True, lambda: False)
