"""What several players counted, as the figures of one play."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import TargetError
from froude.emulation.engine import PlayOutcome, Status
from froude.emulation.merging import merged_load, merged_outcome, merged_status
from froude.emulation.run.bottleneck import Load
from froude.emulation.run.tally import Tally

LATENCIES = st.lists(st.floats(0.0, 10.0), max_size=20)


def counted(*seconds: list[float], late_s: float = 0.0) -> Tally:
    """A player whose calls took so long, second by second."""
    tally = Tally(samples=[])
    for second, latencies in enumerate(seconds, 1):
        series = tally.of("create", "namenode")
        series.sent += len(latencies)
        series.answered += len(latencies)
        series.intended += latencies
        series.actual += latencies
        tally.close_interval(second + late_s)
    return tally


def outcome(tally: Tally, *shares: float, elapsed_s: float = 2.0) -> PlayOutcome:
    """Of a player that used such shares of its core, second by second."""
    load = [Load(float(second), share, 100, 3, 1, 0.5) for second, share in enumerate(shares)]
    return PlayOutcome(tally, 1.7e9, elapsed_s, sum(shares), load, begun_s=5.0, cores=4)


@given(st.lists(st.tuples(LATENCIES, LATENCIES), min_size=1, max_size=4))
def test_counts_and_histograms_are_those_of_one_player(played: list[tuple[list[float], list[float]]]) -> None:
    """Whoever made which calls; also in each second."""
    merged = merged_outcome([outcome(counted(*each, late_s=0.01 * i)) for i, each in enumerate(played)]).tally
    seconds = [[latency for each in played for latency in each[second]] for second in range(2)]
    one = counted(*seconds)
    assert merged.counts == one.counts
    for series, other in zip(merged.series.values(), one.series.values(), strict=True):
        assert series.from_actual.counts == other.from_actual.counts
        assert series.from_intended.percentiles() == other.from_intended.percentiles()
    assert [row[1:5] for row in merged.rows] == [row[1:5] for row in one.rows]
    for row, other in zip(merged.rows, one.rows, strict=True):
        assert row[5:] == pytest.approx(other[5:], rel=1e-6)
    assert [row.time_s for row in merged.rows] == sorted(row.time_s for row in merged.rows)


def test_the_load_has_the_sum_and_the_busiest_player() -> None:
    """Each moment of the first player, with what the others last saw until half a second later."""
    late = replace(outcome(Tally()), load=[Load(0.4, 0.9, 50, 2, 7, 0.6), Load(9.0, 0.1, 50, 2, 7, 0.6)])
    merged = merged_outcome([outcome(Tally(), 0.5, 0.2), late])
    assert merged.load == [
        Load(0.0, 1.4, 150, 5, 8, 0.55, 0.9),
        Load(1.0, 1.1, 150, 5, 8, 0.55, 0.9),
    ]
    assert (merged.players, merged.cores, merged.begun_s, merged.cpu_s) == (2, 4, 5.0, 0.7)
    alone = Load(0.0, 0.5, 1, 1, 0)
    assert merged_load([alone]) == alone


def test_machines_count_by_their_cores() -> None:
    """Two players on one of 4 cores that is half used, one on one of 12 that is idle: 2 of 16 cores are in use."""
    outcomes = [outcome(Tally(), 0.1), outcome(Tally(), 0.1), outcome(Tally(), 0.1)]
    outcomes[2].machine, outcomes[2].cores = "other", 12
    outcomes[2].load = [outcomes[2].load[0]._replace(machine_share=0.0)]
    merged = merged_outcome(outcomes)
    assert (merged.cores, merged.load[0].machine_share) == (16, 2 / 16)


def test_the_busiest_player_is_one_of_them() -> None:
    """That of the busiest half, not at each moment another one; CPU time is that of all."""
    here, there = outcome(Tally(), 1.0, 0.6, 1.0, 0.6), outcome(Tally(), 0.6, 1.0, 0.6, 0.99)
    merged = merged_outcome([here, there])
    assert [each.busiest_share for each in merged.load] == [1.0, 0.6, 1.0, 0.6]
    assert merged.cpu_s == pytest.approx(here.cpu_s + there.cpu_s)


def test_a_status_has_one_row_a_method() -> None:
    """Though one player is a second ahead of the other: two rows of a method would be two samples of one metric."""
    load = Load(1.0, 0.5, 100, 3, 1, 0.5)
    rows = counted([0.010], [0.020]).rows
    statuses = [Status(load, False, 1.0, 5.0, "create", 0, {}, {}, [row], {}) for row in rows]
    (row,) = merged_status(statuses).rows
    assert (row.method, row.sent, row.time_s) == ("create", 2, 2.0)


def test_the_first_failure_and_any_interrupt_are_the_plays() -> None:
    """Whoever had them."""
    first, second, third = (outcome(Tally(), elapsed_s=at) for at in (3.0, 2.0, 1.0))
    first.failure, second.failure = TargetError("hangs"), TargetError("refuses")
    third.interrupted = True
    merged = merged_outcome([first, second, third])
    assert (str(merged.failure), merged.interrupted, merged.elapsed_s) == ("refuses", True, 3.0)
    assert merged_outcome([third]).failure is None


def test_the_load_phase_begins_when_the_last_player_knows_that_all_daemons_have_started() -> None:
    """It has not while one player does not know."""
    early, late, never = Tally(), Tally(), Tally()
    for tally in (early, late, never):
        tally.begin_ramp()
    early.end_ramp(1.0)
    late.end_ramp(1.001)
    assert merged_outcome([outcome(early), outcome(late)]).tally.steady_from_s == 1.001
    assert merged_outcome([outcome(early), outcome(never)]).tally.steady_from_s is None


def test_what_goes_on_in_all_players() -> None:
    """Rates and counts add up, the slowest method is that of any, and a single player's status is as it is."""
    load = Load(1.0, 0.5, 100, 3, 1, 0.5)
    rows = counted([0.010]).rows
    here = Status(
        load, False, 100.0, 5.0, "create", 1, {"create": (3, 2)}, {("create", "X"): 1}, rows, {1.0: 2.0}
    )
    there = Status(
        load, True, 50.0, 9.0, "delete", 2, {"create": (1, 1)}, {("create", "X"): 2}, rows, {1.0: 3.0}
    )
    merged = merged_status([here, there])
    assert merged[1:8] == (True, 150.0, 9.0, "delete", 3, {"create": (4, 3)}, {("create", "X"): 3})
    assert merged.load == Load(1.0, 1.0, 200, 6, 2, 0.5, 0.5)
    assert [row.sent for row in merged.rows] == [2]
    assert merged.lateness == {1.0: 3.0}
    assert merged_status([here]) is here
