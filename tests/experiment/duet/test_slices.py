"""Counters of two targets, seen at moments of their own, become what both did in the same seconds."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from froude.emulation.run.tally import Served
from froude.experiment.duet.slices import Batch, Series, Slice, batches_of, slices_of
from tests.support.experiment.duets import NONE, slices


def series(begun_s: float, times_s: dict[str, float], *, per_s: int = 10, seconds: int = 20) -> Series:
    """A target that answers each method so often a second, each call in a time of its own."""
    found = Series()
    for second in range(seconds + 1):
        calls = second * per_s
        served = {
            name: Served(calls, calls * time_s, calls * math.log(time_s)) for name, time_s in times_s.items()
        }
        found.add(begun_s + second, served, second)
        found.cpu.append((begun_s + second + 0.3, 0.5 * second))
    return found


def test_the_same_seconds_of_both() -> None:
    """Ends of slices fall between the moments at which either was seen."""
    arms = series(100.0, {"create": 0.002, "mkdirs": 0.001}), series(100.4, {"create": 0.004, "delete": 1.0})
    found = slices_of(arms, 102.0, 112.5)
    assert [(each.from_s, each.to_s) for each in found] == [(102, 105), (105, 108), (108, 111)]
    for each in found:
        assert each.service_s == {"create": pytest.approx((0.002, 0.004))}
        assert each.calls == pytest.approx((60, 60))
        assert each.missing == ({"delete"}, {"mkdirs"})
        assert each.errors == pytest.approx((3, 3))
        assert each.cpu_s == pytest.approx((0.025, 0.025))


def test_a_method_that_is_rare_is_left_out() -> None:
    """Fewer than five answers in a slice of either target say nothing."""
    arms = series(0.0, {"create": 0.002}, per_s=2), series(0.0, {"create": 0.002}, per_s=1)
    assert [dict(each.service_s) for each in slices_of(arms, 1.0, 10.0)] == [{}] * 3
    (one,) = slices_of(arms, 1.0, 6.0, length_s=5.0)
    assert one.service_s == {"create": pytest.approx((0.002, 0.002))}


def test_cpu_that_was_not_sampled_is_not_known() -> None:
    """Neither before the first sample, nor after the last one, nor where there is none."""
    arms = series(0.0, {"create": 0.002}), series(0.0, {"create": 0.002})
    arms[1].cpu = [each for each in arms[1].cpu if 5 < each[0] < 12]
    known = [each.cpu_s is not None for each in slices_of(arms, 2.0, 14.0)]
    assert known == [False, False, True, False]
    arms[1].cpu = []
    assert {each.cpu_s for each in slices_of(arms, 2.0, 12.0)} == {None}


def test_nothing_where_nothing_was_seen() -> None:
    """Before the first report, and where not even one slice is whole."""
    assert slices_of((Series(), series(0.0, {"create": 1.0})), 0.0, 10.0) == []
    arms = series(0.0, {"create": 0.002}), series(0.0, {"create": 0.002})
    assert slices_of(arms, 0.0, 2.9) == []
    assert slices_of((series(0.0, {}), series(0.0, {})), 0.0, 10.0) == []


def test_a_report_that_is_not_newer_is_left_out() -> None:
    """Players report more often than their counters move."""
    found = Series()
    for time_s in (1.0, 1.0, 0.5, 2.0):
        found.add(time_s, {}, 0)
    assert found.times_s == [1.0, 2.0]


def test_batches_are_of_one_size_and_end_with_the_last_slice() -> None:
    """What is left over is of the beginning, where a load is least steady."""
    found = batches_of(slices(11), 3)
    assert [len(batch.slices) for batch in found] == [3, 3, 3]
    assert (found[0].slices[0].from_s, found[-1].slices[-1].to_s) == (6.0, 33.0)


def test_values_of_a_batch() -> None:
    """Of times, geometric means in which every method counts the same; errors are a share of all answers."""
    one = Slice(0, 3, {"a": (1.0, 2.0), "b": (4.0, 8.0)}, NONE, (90.0, 50.0), (10.0, 0.0), (1.0, 4.0))
    other = Slice(3, 6, {"a": (2.0, 16.0)}, NONE, (100.0, 50.0), (0.0, 0.0), None)
    batch = Batch((one, other))
    assert batch.service_s == pytest.approx((2.0, 8.0))
    assert batch.method_s("a") == pytest.approx((math.sqrt(2), math.sqrt(32)))
    assert batch.method_s("c") is None
    assert batch.cpu_s == pytest.approx((1.0, 4.0))
    assert batch.error_shares == pytest.approx((10 / 200, 0.0))
    assert batch.calls_per_s == pytest.approx((190 / 6, 100 / 6))
    silent = Slice(6, 10, {}, NONE, (20.0, 0.0), (0.0, 0.0))
    assert Batch((silent,)).service_s is None
    assert Batch((one, silent, replace(silent, calls=(0.0, 0.0)))).silent_s == (0.0, 4.0)
