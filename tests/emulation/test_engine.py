"""The player process."""

from __future__ import annotations

import io
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import psutil
import pytest

from froude.base.errors import InputError
from froude.emulation.engine import Order, PlayJob, PlayOutcome, Status, _follow, play_apart
from froude.emulation.programs.population import PlaySettings
from froude.emulation.run.bottleneck import Load
from froude.emulation.run.tally import Tally
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import Target
from froude.workload.plan import Plan
from froude.workload.types import StartRule
from testbed.plans import plan


def job(played: Plan, hadoop: Hadoop, port: int) -> PlayJob:
    """A play against a port of this machine."""
    target = Target("namenode", f"127.0.0.1:{port}", "CID-1")
    return PlayJob(played, hadoop.schema(), PlaySettings({"": target}))


def test_a_target_that_refuses_is_part_of_the_outcome(hadoop: Hadoop) -> None:
    """What was played is given back with the failure."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    outcome = play_apart(job(plan(), hadoop, port))
    assert str(outcome.failure).startswith(f"127.0.0.1:{port}: ")


def test_an_impossible_plan_is_stated(hadoop: Hadoop) -> None:
    """An error of the plan crosses the process as itself."""
    circular = plan(start=StartRule("client"))
    with pytest.raises(InputError, match="start rule of client: "):
        play_apart(job(circular, hadoop, 1))


def test_a_watch_ends_a_play_and_keeps_it(hadoop: Hadoop) -> None:
    """The parent can stop the player; the outcome says so, and no process is left."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        outcome = play_apart(job(plan(), hadoop, silent.getsockname()[1]), lambda _load: False)
    assert outcome.interrupted
    assert outcome.failure is None
    assert outcome.tally.questions["versionRequest"] >= 1


_PARENT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background ignores it
from froude.emulation.engine import play_apart
from froude.hadoop.release.distribution import Hadoop
from testbed.plans import plan
from tests.emulation.test_engine import job
outcome = play_apart(job(plan(), Hadoop.find(), int(sys.argv[1])))
print(outcome.interrupted, outcome.failure, outcome.tally.counts["versionRequest"])
"""


def _with_player(port: int) -> tuple[subprocess.Popen[str], list[psutil.Process]]:
    """A process that plays, and its player."""
    command = [sys.executable, "-c", _PARENT, str(port)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    process, deadline = psutil.Process(parent.pid), time.monotonic() + 20
    while time.monotonic() < deadline:
        players = [child for child in process.children() if "froude.emulation.player" in child.cmdline()]
        if players:
            return parent, players
        time.sleep(0.05)
    raise AssertionError("no player began")


def test_no_player_outlives_its_parent(gone: Callable[[Sequence[psutil.Process]], bool]) -> None:
    """Killed outright, a parent leaves no player behind."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        parent, players = _with_player(silent.getsockname()[1])
        parent.send_signal(signal.SIGKILL)
        parent.communicate()
        assert gone(players)


def test_an_interrupt_keeps_what_was_played(gone: Callable[[Sequence[psutil.Process]], bool]) -> None:
    """Ctrl-C ends the play, and the outcome comes back as interrupted."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        parent, players = _with_player(silent.getsockname()[1])
        taken, _ = silent.accept()
        with taken:
            taken.recv(100)
            time.sleep(0.3)
            parent.send_signal(signal.SIGINT)
            said, _ = parent.communicate(timeout=60)
        assert said.startswith("True None (")
        assert gone(players)


class _Gone(io.BytesIO):
    """Orders to a player that has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.tried = 0

    def write(self, data: object) -> int:
        self.tried += 1
        raise BrokenPipeError


def test_an_order_that_comes_too_late_loses_nothing() -> None:
    """A player that has ended does not read it, and its outcome is on the way; the order is given once."""
    status = Status(Load(1.0, 0.5, 1, 1, 0), False, 1.0, 1.0, "create", 0)
    outcome = PlayOutcome(Tally(), 0.0, 1.0, 0.1, [])
    answers = io.BytesIO(b"".join(pickle.dumps(each) for each in (status, status, outcome)))
    orders = _Gone()
    found = _follow(orders, answers, lambda _: Order.DONE)
    assert isinstance(found, PlayOutcome)
    assert (found.interrupted, orders.tried) == (False, 1)
