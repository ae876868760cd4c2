"""Runs of any order come out in the order of time, those of one time in the order of the log."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.trace.audit import order
from froude.trace.audit.order import Run, read_slice, slices, write_run
from froude.trace.audit.times import Fold

_NUMBERS = count()


def runs_of(folder: Path, times: Sequence[Sequence[int]]) -> list[Run]:
    """Runs on disk; each line says where it stood."""
    runs = []
    for number, each in enumerate(times):
        texts = pa.array([f"{number}-{at}" for at in range(len(each))]).dictionary_encode()
        path = folder / f"run-{next(_NUMBERS)}"
        runs.append(Run(path, write_run(path, pa.table({"src": texts}), np.array(each, np.int64)), len(each)))
    return runs


def gathered(runs: Sequence[Run], most_rows: int) -> list[tuple[int, str]]:
    """All lines of all slices."""
    lines = []
    for each in slices(runs, most_rows):
        table = read_slice(each)
        if table is not None:
            lines += list(zip(table.column("time").to_pylist(), table.column("src").to_pylist(), strict=True))
    return lines


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=25), min_size=1, max_size=5), st.integers(1, 9)
)
def test_any_order_is_put_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: list[list[int]], rows: int
) -> None:
    """However late lines stand, and however many slices there are."""
    monkeypatch.setattr(order, "BATCH_ROWS", 3)
    expected = [(time, f"{n}-{at}") for n, each in enumerate(times) for at, time in enumerate(each)]
    assert gathered(runs_of(tmp_path, times), rows) == sorted(expected, key=lambda line: line[0])


def test_a_second_pass_is_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of its lines that are of the repeated hour, whichever slices they come to."""
    monkeypatch.setattr(order, "BATCH_ROWS", 2)
    (first, later) = runs_of(tmp_path, [[1, 5, 9, 10, 12, 14], [10, 11, 12, 13, 14, 40]])
    moved = Run(later.path, later.marks, later.rows, Fold(5, False, 10, 14, 20), True)
    times = [time for time, _ in gathered([first, moved], 2)]
    assert times == [1, 5, 9, 10, 12, 14, 30, 31, 32, 33, 34, 40]


def test_a_run_that_is_damaged(tmp_path: Path) -> None:
    """Is named."""
    (run,) = runs_of(tmp_path, [[1, 2]])
    run.path.write_bytes(run.path.read_bytes()[:40])
    with pytest.raises(InputError, match="is cut short or damaged"):
        gathered([run], 10)
    assert slices([], 10) == []
