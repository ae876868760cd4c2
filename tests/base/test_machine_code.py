"""One source, two ways to run it."""

from __future__ import annotations

import numpy as np

from froude.base.machine_code import compiled, shared


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
