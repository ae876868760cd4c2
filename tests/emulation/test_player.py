"""The player process by itself: what it reads, what it answers, and when it ends."""

from __future__ import annotations

import io
import pickle
import select
import subprocess
import sys
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.emulation.engine import MEASURE, Order, PlayJob
from froude.emulation.programs.population import PlaySettings
from froude.emulation.run.bottleneck import Load
from froude.messages.schema import Schema
from testbed.plans import plan

# A player that plays something else: `play` is the body of its `play_here(job, watch)`.
_PLAYER = """
import os, signal, sys, time
from froude.base.errors import InputError
from froude.emulation import player
from froude.emulation.run.bottleneck import Load

LOAD = Load(1.0, 0.5, 1, 1, 0)

def play_here(job, watch):
    {play}

player.play_here = play_here
sys.exit(player.main())
"""
LOAD = Load(1.0, 0.5, 1, 1, 0)


@pytest.fixture(scope="module")
def job() -> bytes:
    """A job, as the parent sends it."""
    return pickle.dumps(PlayJob(plan(), Schema({}, {}), PlaySettings(), seed=7))


def player(play: str) -> subprocess.Popen[bytes]:
    """A player process of such a body."""
    command = [sys.executable, "-c", _PLAYER.format(play=play)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def reports(data: bytes) -> list[Any]:
    """All that a player said, which must be nothing but reports."""
    stream, received = io.BytesIO(data), []
    while stream.tell() < len(data):
        received.append(pickle.load(stream))
    return received


def test_players_import_neither_pyarrow_nor_polars() -> None:
    """A player's memory is for emulated nodes."""
    code = "import sys, froude.emulation.player; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "froude" in loaded
    assert not {"pyarrow", "polars", "pandas", "numpy"} & set(loaded)


def test_what_prints_by_mistake_is_not_among_the_answers(job: bytes) -> None:
    """It goes where errors go, also that of a child process; the job came whole."""
    body = "print('by mistake'); sys.stdout.flush(); os.system('echo of a child'); return job.seed"
    child = player(body)
    out, err = child.communicate(job, timeout=60)
    assert (reports(out), child.returncode) == ([7], 0)
    assert err.decode().splitlines() == ["by mistake", "of a child"]


def test_it_reports_its_load_and_goes_on_while_its_parent_listens(job: bytes) -> None:
    """Each report comes at once; as soon as its stdin is closed, it gives back what was played."""
    child = player("watch(LOAD)\n    while player._order(): time.sleep(0.01)\n    return bool(watch(LOAD))")
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(job)
    child.stdin.flush()
    assert select.select([child.stdout], [], [], 60)[0]
    assert pickle.load(child.stdout) == LOAD
    assert child.poll() is None
    out, _ = child.communicate(timeout=60)
    assert reports(out) == [LOAD, False]


def test_an_error_is_an_answer(job: bytes) -> None:
    """With its parts; the process ends well, and without a traceback."""
    child = player("raise InputError('is no plan', file='p.yaml', found=3)")
    out, err = child.communicate(job, timeout=60)
    (error,) = reports(out)
    assert isinstance(error, InputError)
    assert str(error) == str(InputError("is no plan", file="p.yaml", found=3))
    assert (err, child.returncode) == (b"", 0)


def test_an_interrupt_is_for_the_parent_to_hear(job: bytes) -> None:
    """A terminal sends Ctrl-C to both."""
    child = player("os.kill(os.getpid(), signal.SIGINT); return 'still here'")
    out, _ = child.communicate(job, timeout=60)
    assert reports(out) == ["still here"]


def test_a_parent_that_hangs_up_ends_it_in_peace(job: bytes) -> None:
    """Nobody is left to be told, and no traceback tells it."""
    child = player("time.sleep(0.1)\n    while watch(LOAD): pass\n    return bytes(1 << 20)")
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdout.close()
    child.stdin.write(job)
    child.stdin.flush()
    assert child.stderr is not None
    assert child.stderr.read() == b""
    assert child.wait(60) == 0
    child.stdin.close()
    child.stderr.close()


def test_its_parent_says_when_it_measures(job: bytes) -> None:
    """Once for each word on its stdin; then it goes on until that is closed."""
    loop = "while orders[-1]: orders.append(watch(LOAD))"
    child = player(f"orders = [watch(LOAD)]\n    {loop}\n    return [int(each) for each in orders]")
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(job)
    child.stdin.flush()
    assert pickle.load(child.stdout) == LOAD
    child.stdin.write(MEASURE)
    child.stdin.close()
    orders = reports(child.stdout.read())[-1]
    assert (child.wait(60), orders.count(Order.MEASURE), orders[-1]) == (0, 1, Order.END)
    assert set(orders[:-1]) <= {Order.GO_ON, Order.MEASURE}
    for stream in (child.stdout, child.stderr):
        assert stream is not None
        stream.close()
