"""Searches on machines whose knee is known."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.experiment.knee.search import Outcome, Search


def played(search: Search, knee: float, *, unclear_from: float = float("inf"), noise: float = 0.0) -> Search:
    """The search, on a machine that keeps its limits up to a load."""
    chance = random.Random(1)
    while (level := search.next_level()) is not None:
        limit = knee * (1 + noise * chance.uniform(-1, 1))
        broke = Outcome.UNCLEAR if level >= unclear_from else Outcome.BROKE
        search.record(level, Outcome.KEPT if level <= limit else broke)
    return search


@given(st.floats(1 / 32, 900.0), st.sampled_from([0.02, 0.1, 0.5]), st.integers(1, 4))
def test_the_knee_lies_between_both_sides(knee: float, resolution: float, repeats: int) -> None:
    """As near as was asked for, each side played as often as was asked for."""
    search = played(Search(resolution=resolution, repeats=repeats), knee)
    assert search.low is not None
    assert search.high is not None
    assert search.low <= knee < search.high
    assert search.high / search.low <= 1 + resolution
    assert search.at(search.low) == {Outcome.KEPT: repeats}
    assert search.at(search.high) == {Outcome.BROKE: repeats}
    assert search.settled


@given(st.floats(1.0, 500.0), st.integers(0, 1000))
def test_a_noisy_machine_ends_it_too(knee: float, seed: int) -> None:
    """After a bounded number of plays, with the majority on both sides."""
    del seed
    search = played(Search(most_plays=30), knee, noise=0.3)
    assert len(search.plays) <= 30
    assert search.low is None or search.high is None or search.low < search.high


def test_no_limit_broke() -> None:
    """Up to the largest load asked for, which is played as often as a side of a knee."""
    search = played(Search(most=10), knee=1e9)
    assert [level for level, _ in search.plays] == [1, 2, 4, 8, 10, 10, 10]
    assert (search.low, search.high) == (10, None)


def test_the_first_load_breaks_already() -> None:
    """Smaller ones are tried, down to a part of it."""
    search = played(Search(), knee=0.0)
    assert (search.low, search.high) == (None, 1 / 64)
    assert search.settled


def test_there_is_no_half_of_a_node() -> None:
    """Two factors of the same load are not told apart: whole numbers from 1 to 2 end at once."""
    search = played(Search(same=lambda a, b: round(3 * a) == round(3 * b)), knee=1.1)
    assert {round(3 * level) for level, _ in search.plays} <= {3, 4, 6}


def test_where_the_player_was_the_limit_nothing_broke() -> None:
    """It ends the search, since smaller loads would show nothing of the target either."""
    search = played(Search(), knee=10.0, unclear_from=10.0)
    assert [level for level, _ in search.plays] == [1, 2, 4, 8, 16]
    assert (search.low, search.high, search.settled, search.masked) == (8, 16, True, True)
    first = played(Search(), knee=0.0, unclear_from=0.5)
    assert (len(first.plays), first.low, first.high) == (1, None, 1)


@pytest.mark.parametrize(("headroom", "second"), [(1.1, 1.5), (5.0, 5.0), (100.0, 8.0)])
def test_a_step_is_as_large_as_the_machine_allows(headroom: float, second: float) -> None:
    """Within bounds; a play that broke a limit tells nothing of it."""
    search = Search()
    search.record(1.0, Outcome.KEPT, headroom)
    assert search.next_level() == second
    search.record(second, Outcome.BROKE, 100.0)
    assert search.next_level() == pytest.approx(second**0.5)


def test_a_search_that_ran_out_of_plays_is_not_settled() -> None:
    """Whatever its sides."""
    assert not played(Search(most_plays=4), knee=100.0).settled


@pytest.mark.parametrize(("kept", "side"), [(2, "low"), (1, "high")])
def test_the_majority_counts(kept: int, side: str) -> None:
    """And as many against as for is against."""
    search = Search()
    for number in range(3 if kept == 2 else 2):
        search.record(1.0, Outcome.KEPT if number < kept else Outcome.BROKE)
    assert getattr(search, side) == 1.0
