"""The fuzz program's invariant on a short, repeatable run, and that it sees what breaks it."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.inputs import CHANGES, MEMORY_MB, Outcome, changed
from tests.support.seeds import SEEDS

_ROOT = Path(__file__).parents[2]


def test_the_invariant_holds_on_a_short_run() -> None:
    """Of what reads files of others; in a process of its own, for this one has threads, which a forked child lacks."""
    only = "^(trace import|capture|extrapolate|harvest import|provision (draft|import)|cache simulate)"
    files = str(16 * SEEDS)
    words = ["-m", "tests.fuzz.inputs", "--seed", "5", "--files", files, "--seconds", "60", "--only", only]
    done = subprocess.run([sys.executable, *words], cwd=_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("code", "memory_mb", "said", "failure"),
    [
        (0, 1.0, "", ""),
        (1, 1.0, "froude: x: is empty", ""),
        (70, 1.0, "", "exit 70"),
        (-98, 1.0, "", "exit -98"),
        (1, 1.0, "Traceback (most recent call last)", "traceback"),
        (0, MEMORY_MB + 1.0, "", "memory"),
    ],
)
def test_what_counts_as_a_failure(code: int, memory_mb: float, said: str, failure: str) -> None:
    """A bug's exit, a signal, a traceback, and memory beyond the limit."""
    assert Outcome(0, "", "", code, 0.0, memory_mb, said).failure == failure


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_the_same_for_a_seed(name: str) -> None:
    """So that a failure can be repeated; also of a file without content."""
    for data in (b"", b"a,b\n1,2\n" * 20):
        assert CHANGES[name](data, random.Random(1)) == CHANGES[name](data, random.Random(1))
    assert changed(b"1,2\n", random.Random(2)) == changed(b"1,2\n", random.Random(2))
