"""Parallel work gives the results that serial work gives."""

import os

import pytest

from froude.base import parallel
from froude.base.errors import InputError, MissingError
from froude.base.input_limits import InputLimits, input_limits, within_limits


def _square(x: int) -> int:
    if x < 0:
        raise InputError("negative", found=x)
    return x * x


def _most_rows(_: int) -> int:
    return input_limits().rows


def _ends(_: int) -> None:
    os._exit(1)


def _process(_: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order(workers: int) -> None:
    """Whatever the number of workers."""
    assert parallel.map(_square, range(20), workers) == [x * x for x in range(20)]


@pytest.mark.parametrize("workers", [1, 2])
def test_each_result_is_reported_as_it_is_there(workers: int) -> None:
    """In the caller's process, in the order of the items; an error ends it."""
    reported: list[int] = []
    with pytest.raises(InputError):
        parallel.map(_square, [3, 4, -1, 5], workers, reported.append)
    assert reported == [9, 16]


def test_an_error_of_a_worker_is_the_callers() -> None:
    """It arrives as it was raised."""
    with pytest.raises(InputError, match="found -1"):
        parallel.map(_square, [1, -1], 2)


def test_limits_of_inputs_hold_in_workers() -> None:
    """As in the process that has started them."""
    with within_limits(InputLimits(rows=7)):
        assert parallel.map(_most_rows, [1, 2], 2) == [7, 7]


def test_a_worker_that_the_system_ends_is_stated() -> None:
    """As it does where memory runs out."""
    with pytest.raises(MissingError, match="a worker process was ended from outside"):
        parallel.map(_ends, [1, 2], 2)


def test_a_gang_lives_in_processes_of_its_own() -> None:
    """One member runs inline; several run beside each other."""
    assert parallel.gang(_process, 1) == [os.getpid()]
    assert os.getpid() not in parallel.gang(_process, 2)


@pytest.mark.parametrize("text", ["0", "-1", "²", "\u0665", "many", "http://x", ""])
def test_refuses_other_workers(text: str) -> None:
    """The flag takes a number or a scheduler."""
    with pytest.raises(InputError, match="number of workers"):
        parallel.parse_workers(text)


def test_no_scheduler_is_stated() -> None:
    """An address where nobody listens gives one clear error."""
    with pytest.raises(InputError, match="--workers: no scheduler answers"):
        parallel.map(_square, [1, 2], "tcp://127.0.0.1:9")
