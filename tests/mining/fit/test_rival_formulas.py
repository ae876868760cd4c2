"""Formulas that fit what was recorded equally well, of known truth."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from froude.base.units import Quantity
from froude.mining.counts import fit_count
from froude.mining.fit.rival_formulas import rivals
from froude.workload.extrapolate import at_odds
from froude.workload.remarks import always_together
from froude.workload.scale import Count, Scale

MIB = 1 << 20
_sizes = st.tuples(
    *(st.lists(st.integers(1, most), min_size=3, max_size=5, unique=True) for most in (6, 8, 60))
).map(
    lambda listed: [
        dict(zip(("nodes", "files", "input"), run, strict=True)) for run in zip(*listed, strict=False)
    ]
)
_truths = st.one_of(
    st.builds(Count, st.integers(0, 9).map(float)),
    st.builds(
        lambda a, b, v: Count(float(b), {v: float(a)}),
        st.integers(1, 4),
        st.integers(0, 5),
        st.sampled_from(["nodes", "files"]),
    ),
    st.builds(lambda c: Count(0.0, {"nodes": 1.0}, float(c)), st.integers(3, 5)),
    st.builds(lambda a: Count(0.0, {"nodes*files": float(a)}), st.integers(1, 3)),
    st.builds(lambda a: Count(0.0, {"nodes*nodes": float(a)}), st.integers(1, 3)),
    st.just(Count(0.0, {"nodes": 1.0, "files": 2.0})),
    st.builds(lambda p: Count(0.0, {"input": 1.0}, None, p * MIB), st.sampled_from([1, 2, 8, 16])),
)


def _scale(sizes: dict[str, int]) -> Scale:
    return Scale.from_mapping({**sizes, "input": Quantity(float(sizes["input"] * MIB), "B")})


@given(
    _truths,
    _sizes,
    st.fixed_dictionaries(
        {"nodes": st.integers(12, 500), "files": st.integers(16, 900), "input": st.integers(100, 9999)}
    ),
)
@example(
    Count.parse("min(3, nodes)"),
    [{"nodes": n, "files": 5 * n, "input": n} for n in (2, 3, 4)],
    {"nodes": 5000, "files": 20000, "input": 9},
)
def test_no_formula_is_false_at_a_larger_size(
    truth: Count, recorded: list[dict[str, int]], target: dict[str, int]
) -> None:
    """Whatever the form: what is not refused there is right within a twentieth.

    What was the same in every run is taken to be constant: of that nothing else can be known; and of a ceiling
    that was reached once. Of a variable with two values alone any line is true, which a finding says; and of two
    variables that rose together nobody knows which drives, which a remark says.
    """
    points = [(scale, float(truth.whole_at(scale))) for scale in map(_scale, recorded)]
    assume(len({value for _, value in points}) > 1 or not truth.variables)
    together = combinations(("nodes", "files", "input"), 2)
    assume(not any(always_together([scale for scale, _ in points], *pair) for pair in together))
    assume(truth.cap is None or sum(value == truth.cap for _, value in points) > 1)
    fit = fit_count(points)
    if fit.count is None or not fit.sure:
        return
    formulas, held_out = (fit.count, *rivals(fit, points)), _scale(target)
    if not at_odds(formulas, held_out):
        expected = truth.whole_at(held_out)
        assert abs(fit.count.whole_at(held_out) - expected) <= 0.0501 * max(
            expected, fit.count.whole_at(held_out)
        )


@pytest.mark.parametrize(
    ("inputs_mb", "values", "formulas"),
    [
        ((10, 20, 30), (2, 3, 4), {"1e-07*input + 1", "ceil((input) / 8388608)"}),
        ((1, 2, 3), (1, 1, 1), {"1"}),
    ],
)
def test_a_step_and_a_line_are_both_kept(
    inputs_mb: tuple[int, ...], values: tuple[int, ...], formulas: set[str]
) -> None:
    """Three sizes cannot tell a number of blocks from a line."""
    points = [
        (Scale.of(input=f"{size} MB"), float(value)) for size, value in zip(inputs_mb, values, strict=True)
    ]
    fit = fit_count(points)
    assert formulas <= {str(fit.count), *map(str, rivals(fit, points))}


def test_a_name_decides_between_formulas() -> None:
    """Readers are counted by the variable `readers`, whatever else was the same in all runs."""
    points = [(Scale.of(clients=n, readers=n, files=n), float(n)) for n in (1, 2, 3)]
    assert rivals(fit_count(points, name="reader"), points, name="reader") == ()
    assert {str(count) for count in rivals(fit_count(points), points)} == {"files", "readers"}


def test_what_rose_together_is_no_rival_unless_it_is_as_simple() -> None:
    """Twice as many files as nodes in every run: which of them drives is said otherwise."""
    points = [(Scale.of(nodes=n, files=2 * n), float(2 * n)) for n in (2, 3, 4)]
    assert str(fit_count(points).count) == "files"
    assert rivals(fit_count(points), points) == ()
