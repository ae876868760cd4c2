"""Players on the workers of a scheduler; those of a real play are in the integration tests."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace

import pytest
from distributed import LocalCluster

from froude.base.errors import InputError, MissingError, TargetError
from froude.emulation.engine import PlayJob, Status, play_apart
from froude.emulation.programs.population import PlaySettings
from froude.emulation.remote import Invitation, conduct
from froude.experiment.play.placement import _spread, hold, placed
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from testbed.plans import plan


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A scheduler with two workers, all in this process."""
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address=None,
    ) as cluster:
        yield cluster.scheduler_address


def job(port: int, schema: Schema) -> PlayJob:
    """A play against a port of this machine."""
    return PlayJob(plan(), schema, PlaySettings({"": Target("namenode", f"127.0.0.1:{port}", "CID-1")}))


def test_each_worker_holds_one_player(hadoop: Hadoop, scheduler: str) -> None:
    """A second play finds the workers free again."""
    seen: list[Status] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for _ in range(2):
            with placed(scheduler, None, 10) as crew:
                played = replace(job(silent.getsockname()[1], hadoop.schema()), crew=crew)
                outcome = play_apart(played, lambda status: bool(seen.append(status)))
            assert (outcome.failure, outcome.players, len(set(crew.names))) == (None, 2, 2)
            assert outcome.tally.questions["versionRequest"]
    assert len(seen) == 2


@pytest.mark.parametrize(("players", "nodes"), [(1, 10), (None, 1)])
def test_there_are_as_many_players_as_were_asked_for(scheduler: str, players: int | None, nodes: int) -> None:
    """And no more than there are nodes: others would have nothing to do."""
    with placed(scheduler, players, nodes) as crew:
        assert len(crew.names) == 1


def test_too_few_workers_are_stated(scheduler: str) -> None:
    """Before anything is started."""
    error = r"^--players: one worker holds one player; found 3; allowed: 1 to 2"
    with pytest.raises(InputError, match=error), placed(scheduler, 3, 10):
        pass


def test_no_encryption_where_it_is_asked_for() -> None:
    """Players speak in the clear."""
    error = "--workers: players talk to each other without encryption"
    with pytest.raises(InputError, match=error), placed("tls://127.0.0.1:9", None, 1):
        pass


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the extra that has it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    error = r"pip install 'froude\[distributed\]'"
    with pytest.raises(MissingError, match=error), placed("tcp://127.0.0.1:9", None, 1):
        pass


def test_hosts_take_turns() -> None:
    """No host has a second player before each has one."""
    workers = {f"tcp://10.0.0.{host}:{port}": 1 for host in (1, 2) for port in (1, 2)}
    hosts = [name.split(":")[1][-1] for name in _spread(workers)]
    assert hosts == ["1", "2", "1", "2"]


def test_a_worker_on_which_no_player_starts_says_why(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The play hears it at once."""
    monkeypatch.setattr(sys, "executable", "/no/python")
    error = r"cannot run a player; found .*No such file.*/no/python"
    with placed(scheduler, 1, 1) as crew:
        own = replace(crew, listener=os.dup(crew.listener))
        with pytest.raises(TargetError, match=error):
            conduct(replace(job(1, Schema({}, {})), crew=own), lambda _: True, lambda: False)


def test_a_player_that_reaches_nobody_says_where() -> None:
    """Which is the address that its worker cannot reach."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(TargetError, match=f"127.0.0.1:{port} cannot be reached .Connection refused"):
        hold(asdict(Invitation("127.0.0.1", port, "00" * 32, 1)))
