"""The player process."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from froude.base.errors import InputError
from froude.emulation.engine import Job, play_apart
from froude.hadoop.distribution import Hadoop
from froude.workload.types import StartRule
from tests.emulation.plans import plan


def test_players_import_neither_pyarrow_nor_polars() -> None:
    """A player's memory is for emulated nodes."""
    code = "import sys, froude.emulation.player; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "froude" in loaded
    assert not {"pyarrow", "polars", "pandas", "numpy"} & set(loaded)


def test_a_target_that_refuses_is_part_of_the_outcome(hadoop: Hadoop) -> None:
    """What was played is given back with the failure."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = taken.getsockname()
    outcome = play_apart(Job(plan(), hadoop.schema(), address))
    assert "refuses connections" in str(outcome.failure)


def test_an_impossible_plan_is_stated(hadoop: Hadoop) -> None:
    """An error of the plan crosses the process as itself."""
    circular = plan(start=StartRule("client"))
    with pytest.raises(InputError, match="wait for each other"):
        play_apart(Job(circular, hadoop.schema(), ("127.0.0.1", 1)))


def test_a_watch_ends_a_play_and_keeps_it(hadoop: Hadoop) -> None:
    """The parent can stop the player; the outcome says so, and no process is left."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        outcome = play_apart(Job(plan(), hadoop.schema(), silent.getsockname()), lambda _load: False)
    assert outcome.interrupted
    assert outcome.failure is None
    assert outcome.tally.counts["versionRequest"][0] >= 1
