"""One source, two ways to run it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from froude.base.machine_code import compiled, shared, shared_files
from froude.harvest.place import bulk
from froude.harvest.simulate import repair


@shared
def _twice(number: int) -> int:
    return 2 * number


@compiled
def _double_all(numbers: np.ndarray) -> None:
    for place in range(len(numbers)):
        numbers[place] = _twice(numbers[place])


def test_a_shared_function_runs_as_plain_python() -> None:
    """It stays what it was: any numbers, no compiler."""
    assert _twice(1 << 80) == 1 << 81


def test_compiled_functions_call_shared_ones() -> None:
    """The arrays of the caller are written."""
    numbers = np.arange(4)
    _double_all(numbers)
    assert numbers.tolist() == [0, 2, 4, 6]


def test_other_threads_run_meanwhile() -> None:
    """So that progress is shown."""
    assert vars(_double_all)["targetoptions"]["nogil"]


def test_files_of_all_that_is_called_count() -> None:
    """Also through other shared functions."""
    assert {Path(file).stem for file in shared_files(bulk._place_all.py_func)} == {
        "choosing",
        "distinct",
        "stock",
        "targets",
    }  # fmt: skip
    assert "choosing" in {Path(file).stem for file in shared_files(repair.run.py_func)}
    assert not list(shared_files(test_files_of_all_that_is_called_count))


@pytest.mark.long
def test_a_change_of_what_is_called_is_compiled_again(tmp_path: Path) -> None:
    """Though the file of the caller is the same; and where a type has gone of which the kept code speaks."""
    callee, types = tmp_path / "callee.py", tmp_path / "types_of.py"
    (tmp_path / "caller.py").write_text(_CALLER)
    for number, module in ((2, "types_of"), (3, "types_of"), (4, "callee")):
        types.unlink(missing_ok=True)
        place = {"types_of": types, "callee": callee}[module]
        callee.write_text(_CALLEE.format(number=number))
        place.write_text(("" if place is types else callee.read_text()) + _TYPE)
        with (tmp_path / "where.py").open("w") as file:
            file.write(f"from {module} import Pair\n")
        command = [sys.executable, "-c", "import caller; print(caller.result())"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == (f"{number}.0\n", "")


_CALLEE = """
from froude.base.machine_code import shared

@shared
def times(number):
    return number * {number}
"""
_TYPE = """
from typing import NamedTuple

class Pair(NamedTuple):
    first: float
"""
_CALLER = """
import numpy as np
from callee import times
from where import Pair
from froude.base.machine_code import compiled

@compiled
def run(out, pair):
    out[0] = times(pair.first)

def result():
    out = np.zeros(1)
    run(out, Pair(1.0))
    return out[0]
"""
