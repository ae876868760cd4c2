"""The arithmetic by which two designs of a duet are compared."""

from __future__ import annotations

import math

import pytest

from benchmarks.duet_designs import (
    Call,
    Design,
    Part,
    Used,
    cpu_ratio,
    designs,
    part_of,
    service_ratio,
    standard_error,
)


def test_in_turns_slices_follow_the_order_a_b_b_a() -> None:
    """So that a drift of the machine is in both arms."""
    assert [Design.TURNS.arms(number) for number in range(8)] == [(arm,) for arm in (0, 1, 1, 0, 0, 1, 1, 0)]
    assert {Design.TOGETHER.arms(number) for number in range(8)} == {(0, 1)}


def test_a_pair_is_of_neighbouring_slices_of_both_arms() -> None:
    """Baseline first, whichever was earlier; together, both are the same slice."""
    assert Design.TURNS.pairs(8) == [(0, 1), (3, 2), (4, 5), (7, 6)]
    assert Design.TOGETHER.pairs(3) == [(0, 0), (1, 1), (2, 2)]


def test_a_last_slice_without_a_neighbour_is_in_no_pair() -> None:
    """There is nothing to compare it with."""
    assert Design.TURNS.pairs(3) == [(0, 1)]


def test_slices_of_an_arm_in_a_row_are_one_interval() -> None:
    """Its clients do not stop between them."""
    borders = [float(number) for number in range(9)]
    assert Design.TURNS.intervals(0, borders) == [(0, 1), (3, 5), (7, 8)]
    assert Design.TURNS.intervals(1, borders) == [(1, 3), (5, 7)]
    assert Design.TOGETHER.intervals(1, borders) == [(0, 8)]


def test_designs_take_turns_as_slices_do() -> None:
    """What drifts over a whole run is in both."""
    assert "".join(each.value[1] for each in designs(8)) == "ouuoouuo"


def test_calls_in_flight_at_a_border_are_in_no_service_time() -> None:
    """CPU time is divided by the calls that end between its samples, which may be late."""
    inside = [Call(1.0 + at / 10, 1.0 + at / 10 + 0.01, "mkdirs") for at in range(5)]
    crossing = [Call(0.9, 1.05, "mkdirs"), Call(1.95, 2.1, "mkdirs")]
    rare = [Call(1.5, 1.6, "delete")]
    part = part_of([*inside, *crossing, *rare], 1.0, 2.0, (Used(1.0, 3.0), Used(2.2, 3.4)))
    assert part.service_log == {"mkdirs": pytest.approx(math.log(0.01))}
    assert part.calls == 8
    assert part.cpu_s == pytest.approx(0.05)


def test_a_ratio_is_of_methods_that_both_arms_answered() -> None:
    """Each method has the same weight."""
    first = Part({"mkdirs": 1.0, "delete": 2.0, "rename": 9.0}, 0.1, 10)
    second = Part({"mkdirs": 1.5, "delete": 2.1}, 0.2, 10)
    assert service_ratio(first, second) == pytest.approx(0.3)
    assert cpu_ratio(first, second) == pytest.approx(math.log(2))


def test_what_an_arm_did_not_answer_has_no_ratio() -> None:
    """A pair with a silent arm is left out."""
    silent = part_of([], 0.0, 1.0, (Used(0.0, 1.0), Used(1.0, 1.5)))
    known = Part({"mkdirs": 1.0}, 0.1, 10)
    assert (service_ratio(known, silent), cpu_ratio(known, silent)) == (None, None)


def test_the_error_of_independent_pairs_is_that_of_their_mean() -> None:
    """But for what a correlation that is estimated from so few pairs lacks."""
    values = [0.1, -0.1] * 8
    assert standard_error(values) == pytest.approx(0.1 * math.sqrt(16 / 15) / 4)


def test_pairs_that_depend_on_their_neighbours_have_a_larger_error() -> None:
    """The same values in another order know less."""
    assert standard_error([0.1] * 8 + [-0.1] * 8) > 3 * standard_error([0.1, -0.1] * 8)
