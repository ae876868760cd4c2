"""Formulas that the recordings cannot tell apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.workload.rivals import at_odds, deciding_run, number_at
from froude.workload.scale import Count, Scale

LINE, PIECES = Count.parse("1e-07*input + 1"), Count.parse("ceil((input) / 8388608)")
RECORDED = [Scale.parse([f"input={size} MB"]) for size in (10, 20, 30)]


def test_formulas_are_at_odds_where_they_differ_by_more_than_a_twentieth() -> None:
    """At what was recorded they are the same; ten times as far they are not."""
    assert not any(at_odds([LINE, PIECES], scale) for scale in RECORDED)
    assert at_odds([LINE, PIECES], Scale.parse(["input=300 MB"]))
    assert not at_odds([LINE], Scale.parse(["input=300 MB"]))
    assert at_odds([Count(1), Count.parse("files/nodes")], Scale.of(nodes=0, files=1))
    assert not at_odds([Count(0), Count(0)], Scale.of(nodes=0, files=1))


def test_the_smallest_run_that_decides() -> None:
    """At 4 MB the line has one piece, as there is; at 8 MB it has two, and there is one."""
    run = deciding_run([LINE, PIECES], RECORDED)
    assert run is not None
    assert number_at(LINE, run) != number_at(PIECES, run)
    assert run["input"].value <= 30e6
    assert deciding_run([LINE, LINE], RECORDED) is None


@given(st.integers(1, 9), st.integers(1, 9))
def test_a_product_is_told_from_a_square(first: int, second: int) -> None:
    """Two variables that were alike in every run: in the one that decides they are not."""
    formulas = [Count.parse("nodes*files"), Count.parse("nodes*nodes")]
    run = deciding_run(formulas, [Scale.of(nodes=n, files=n) for n in (first, first + second)])
    assert run is not None
    assert run["nodes"] != run["files"]
    assert number_at(formulas[0], run) != number_at(formulas[1], run)
