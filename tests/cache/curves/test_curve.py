"""Miss-ratio curves as values."""

from __future__ import annotations

import json
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.cache.curves import MissRatioCurve

CLIFF = MissRatioCurve((0, 100, 400), (1.0, 0.9, 0.2), 50)


@st.composite
def curves(draw: st.DrawFn) -> MissRatioCurve:
    """Any curve of a few points."""
    ratios = sorted(draw(st.lists(st.floats(0, 1), min_size=1, max_size=12)), reverse=True)
    sizes = sorted(draw(st.sets(st.integers(1, 1000), min_size=len(ratios) - 1, max_size=len(ratios) - 1)))
    return MissRatioCurve((0, *sizes), tuple(ratios), draw(st.integers(0, 10**9)))


def test_between_two_sizes_the_smaller_ones_ratio_stands() -> None:
    """A cache that ends before a cliff gains nothing of it."""
    assert [CLIFF.at(size) for size in (0, 99, 100, 399, 400, 10**9)] == [1.0, 1.0, 0.9, 0.9, 0.2, 0.2]


@given(curves(), st.floats(0, 1))
def test_the_inverse_is_the_smallest_size_that_is_good_enough(curve: MissRatioCurve, ratio: float) -> None:
    """No measured size below it is."""
    size = curve.size_for(ratio)
    if size is None:
        assert curve.floor > ratio
    else:
        assert curve.at(size) <= ratio
        assert all(curve.at(less) > ratio for less in curve.sizes_bytes if less < size)


@given(curves(), curves(), st.integers(0, 1100))
def test_merged_curves_weigh_by_their_accesses(one: MissRatioCurve, other: MissRatioCurve, size: int) -> None:
    """At every size, and in any order."""
    merged = one.merged(other)
    total = one.accesses + other.accesses
    assert merged.accesses == total
    if total:
        expected = (one.accesses * one.at(size) + other.accesses * other.at(size)) / total
        assert merged.at(size) == pytest.approx(expected, abs=1e-9)
        assert other.merged(one).at(size) == pytest.approx(expected, abs=1e-9)


def test_a_window_that_has_decayed_counts_less() -> None:
    """The shape stays, its say does not."""
    flat = MissRatioCurve((0,), (1.0,), 50)
    assert CLIFF.decayed(0.5).merged(flat).at(400) == pytest.approx((25 * 0.2 + 50) / 75)
    assert CLIFF.merged(MissRatioCurve.unknown()).at(400) == 0.2


@given(st.lists(st.floats(-0.2, 1.2), min_size=1, max_size=200), st.integers(3, 40))
def test_what_is_thinned_out_costs_no_more_than_said(ratios: list[float], points: int) -> None:
    """Never too low, too high by less than a part of the range, and never more points than asked for."""
    sizes = list(range(len(ratios)))
    whole = MissRatioCurve.of_points(sizes, ratios, 1, 1000)
    thin = MissRatioCurve.of_points(sizes, ratios, 1, points)
    allowed = (whole.at(0) - whole.floor) / (points - 2)
    assert len(thin.sizes_bytes) <= points
    assert thin.floor == whole.floor
    assert all(whole.at(size) <= thin.at(size) <= whole.at(size) + allowed for size in sizes)


def test_the_working_set_leaves_out_a_long_tail() -> None:
    """The last percent is not worth its space."""
    tail = MissRatioCurve((0, 100, 200, 9000), (1.0, 0.5, 0.105, 0.1), 1)
    assert tail.working_set_bytes() == 200
    assert tail.working_set_bytes(within=0) == 9000
    assert MissRatioCurve.unknown().working_set_bytes() == 0


def test_a_linear_curve_ends_at_the_working_set() -> None:
    """Half of it halves the misses."""
    curve = MissRatioCurve.linear(5 << 30)
    assert curve.at(5 << 30) == 0
    assert curve.at(5 << 29) == 0.5
    assert MissRatioCurve.linear(2).sizes_bytes == (0, 1, 2)


@given(curves())
def test_the_json_form_reads_back(curve: MissRatioCurve) -> None:
    """To six digits of a ratio."""
    again = MissRatioCurve.of_plain(json.loads(json.dumps(curve.plain())))
    assert again.sizes_bytes == curve.sizes_bytes
    assert again.miss_ratio == pytest.approx(curve.miss_ratio, abs=1e-6)
    assert again.accesses == curve.accesses


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        {"sizes_bytes": [0]},
        {"sizes_bytes": [0], "miss_ratio": [1.0], "accesses": 1, "more": 1},
        {"sizes_bytes": [0, 5, 5], "miss_ratio": [1.0, 0.5, 0.1], "accesses": 1},
        {"sizes_bytes": [5], "miss_ratio": [1.0], "accesses": 1},
        {"sizes_bytes": [0, 5], "miss_ratio": [0.5, 0.9], "accesses": 1},
        {"sizes_bytes": [0], "miss_ratio": [1.5], "accesses": 1},
        {"sizes_bytes": [0], "miss_ratio": [float("nan")], "accesses": 1},
        {"sizes_bytes": [0], "miss_ratio": [1.0], "accesses": -1},
        {"sizes_bytes": [0], "miss_ratio": [1.0], "accesses": float("inf")},
        {"sizes_bytes": [0, 1 << 61], "miss_ratio": [1.0, 0.5], "accesses": 1},
        {"sizes_bytes": [0], "miss_ratio": ["1"], "accesses": 1},
        {"sizes_bytes": [0], "miss_ratio": [1], "accesses": 10**400},
        {"sizes_bytes": [0], "miss_ratio": [True], "accesses": 1},
        {"sizes_bytes": list(range(5000)), "miss_ratio": [1.0] * 5000, "accesses": 1},
    ],
)
def test_what_is_no_curve_is_refused(wrong: object) -> None:
    """Whatever a peer sends."""
    with pytest.raises(InputError, match="curve"):
        MissRatioCurve.of_plain(wrong)


def test_the_json_form() -> None:
    """Six digits of a ratio, and all of the others."""
    curve = MissRatioCurve((0, 7), (1.0, 0.12345678), 1.23456789)
    plain = {"sizes_bytes": [0, 7], "miss_ratio": [1.0, 0.123457], "accesses": 1.23456789}
    assert curve.plain() == plain


def test_a_caller_that_makes_no_curve_is_told() -> None:
    """At once."""
    with pytest.raises(ValueError, match="ascend from 0"):
        MissRatioCurve((1,), (1.0,), 1)


def _steps(count: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    return tuple(range(count)), tuple(1 - at / 8192 for at in range(count))


@pytest.mark.parametrize(
    ("sizes", "ratios", "accesses", "wrong"),
    [
        ((0,), (1.0,), 0.0, None),
        ((0,), (0.0,), 1e300, None),
        ((0, 1), (1.0, 1.0), 1.0, None),
        ((0, 10**18), (1.0, 0.5), 1.0, None),
        ((0, 10**18 + 1), (1.0, 0.5), 1.0, "no cache has 1000000000000000001 bytes"),
        (*_steps(4096), 1.0, None),
        (*_steps(4097), 1.0, "1 to 4096 sizes, each with a ratio; got 4097 and 4097"),
        ((), (), 1.0, "got 0 and 0"),
        ((0, 5), (1.0,), 1.0, "got 2 and 1"),
        ((0, 5, 5), (1.0, 0.5, 0.1), 1.0, "ascend from 0"),
        ((-1, 5), (1.0, 0.5), 1.0, "ascend from 0"),
        ((0,), (1.001,), 1.0, "0 to 1"),
        ((0,), (-0.001,), 1.0, "0 to 1"),
        ((0, 5), (0.5, 0.501), 1.0, "never rises"),
        ((0,), (1.0,), -0.001, "accesses are 0 or more, got -0.001"),
    ],
)
def test_the_limits_of_a_curve(
    sizes: tuple[int, ...], ratios: tuple[float, ...], accesses: float, wrong: str | None
) -> None:
    """Each is taken, and what is just beyond it is refused for that."""
    with nullcontext() if wrong is None else pytest.raises(ValueError, match=wrong):
        MissRatioCurve(sizes, ratios, accesses)


@pytest.mark.parametrize("points", [3, 4, 256])
def test_only_what_is_too_much_is_thinned_out(points: int) -> None:
    """Of ratios that all differ; 256 points are the most of a curve that is handed on."""
    sizes, ratios = _steps(points)
    assert MissRatioCurve.of_points(sizes, ratios, 1, points).sizes_bytes == sizes
    assert MissRatioCurve.of_points(*_steps(points + 1), 1, points).sizes_bytes != _steps(points + 1)[0]
    assert len(MissRatioCurve.of_points(*_steps(256), 1).sizes_bytes) == 256
    assert len(MissRatioCurve.of_points(*_steps(257), 1).sizes_bytes) < 257
    assert len(MissRatioCurve.linear(10**6).sizes_bytes) == 257


@given(st.lists(st.integers(0, 64), min_size=1, max_size=60), st.integers(3, 12))
def test_what_is_kept_is_each_point_where_enough_was_lost(sixtyfourths: list[int], points: int) -> None:
    """By brute force: the first, the last drop, and from each the next that is lower by a part of the whole range."""
    ratios = sorted((each / 64 for each in sixtyfourths), reverse=True)
    drops = [at for at in range(len(ratios)) if at == 0 or ratios[at] < ratios[at - 1]]
    kept = [0]
    while len(drops) > points:
        enough = [
            at for at in drops if (ratios[kept[-1]] - ratios[at]) * (points - 2) >= ratios[0] - ratios[-1]
        ]
        if not enough:
            break
        kept.append(enough[0])
    expected = drops if len(drops) <= points else sorted({*kept, drops[-1]})
    found = MissRatioCurve.of_points(range(len(ratios)), ratios, 1, points).sizes_bytes
    assert list(found) == expected or points not in {
        3,
        4,
        6,
        10,
    }  # parts that are no binary fractions are rounded
