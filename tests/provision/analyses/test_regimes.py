"""Regimes of the optimum, and the roadmap with the fewest changes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.provision.analyses.regimes import fewest_changes, roadmap
from froude.provision.search.architecture import Architecture
from froude.provision.search.solve_limits import SolveLimits
from tests.support.provision.clusters import photoshare
from tests.support.seeds import examples

ARCHITECTURES = [Architecture((("d", (name,)),)) for name in "abcd"]


@settings(max_examples=examples(80), deadline=None)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(ARCHITECTURES), st.integers(1, 9), min_size=1),
        min_size=1,
        max_size=5,
    )
)
def test_the_path_has_the_fewest_changes_and_then_the_least_cost(
    table: list[dict[Architecture, float]],
) -> None:
    """As among all paths that there are."""

    def score(path: tuple[Architecture, ...]) -> tuple[int, float]:
        changes = sum(a != b for a, b in itertools.pairwise(path))
        return changes, sum(row[one] for row, one in zip(table, path, strict=True))

    chosen = fewest_changes(table)
    assert score(tuple(chosen)) == min(map(score, itertools.product(*table)))


def test_no_points_no_path() -> None:
    """An empty table gives an empty path."""
    assert fewest_changes([]) == []


def test_boundaries_are_those_of_the_paper() -> None:
    """At 5, 25 to 30 uploads a second the optimum changes; the roadmap changes less often and stays within 1 %."""
    pytest.importorskip("highspy")
    factors = [0.03, 0.07, 0.15, 0.3, 0.5]
    analysis = roadmap(photoshare(), factors, SolveLimits(1e-4, 10.0, 0), tolerance=0.02)
    ends = [regime.last.factor * 100 for regime in analysis.regimes[:-1]]
    assert ends[0] == pytest.approx(5.2, rel=0.03)
    assert any(24 <= end <= 32 for end in ends)
    for one, after in itertools.pairwise(analysis.regimes):
        assert one.last.factor < after.first.factor <= one.last.factor * 1.0201
        assert one.architecture != after.architecture
    assert all(regime.proved for regime in analysis.regimes)
    assert len(analysis.stages) < len(analysis.regimes)
    assert all(stage.worst <= 0.01 * (1 + 1e-6) for stage in analysis.stages)
    assert analysis.stages[0].first == factors[0]
    assert analysis.stages[-1].last == factors[-1]
