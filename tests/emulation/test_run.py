"""The Run: figures, verdicts, and closure."""

from __future__ import annotations

import pytest

from froude.emulation.bottleneck import LimitedBy, Load
from froude.emulation.run import Difference, Latency, Run, closure
from froude.emulation.tally import Tally


def test_figures(run: Run) -> None:
    """Latency from intended and actual time, throughput, errors, lateness."""
    assert run.latency("create", Latency.RESPONSE).max_ms == 10.0
    assert run.latency("create", Latency.SERVICE).max_ms == 5.0
    assert run.latency().count == 3
    assert run.throughput() == 1.5
    assert run.throughput("delete") == 0.5
    assert run.errors == {"delete": {"java.io.IOException": 1}}
    assert run.lateness.max_ms == 4.0


def test_a_run_answers_with_what_its_pacing_measures(run: Run) -> None:
    """A schedule with response times; closed clients with service times, and those corrected beside them."""
    assert run.latency("create").max_ms == 5.0
    run.tally.of("create").held_up[(5_000, 1_000)] += 1
    corrected = run.latency("create", Latency.CORRECTED)
    assert corrected.count == 2 + 4  # 4, 3, 2 and 1 ms: the calls that one every 1 ms would have added
    assert corrected.max_ms == 5.0
    run.pacing = "scheduled"
    assert run.latency("create").max_ms == 10.0


@pytest.mark.parametrize(("timers", "limit"), [(100, LimitedBy.UNKNOWN), (3000, LimitedBy.PLAYER)])
def test_of_few_timers_the_worst_are_the_start_alone(timers: int, limit: LimitedBy) -> None:
    """One in fifty late by a second: of a hundred that is the beginning, of thousands it is the player."""
    tally = Tally()
    tally.lags += [1.0 if number % 50 == 0 else 0.0 for number in range(timers)]
    tally.close_interval(1.0)
    load = [Load(float(s), 0.2, 1, 1, 0) for s in range(6)]
    assert Run(tally, "nn:1", "CID-1", 0.0, 6.0, load=load).bottleneck.by is limit


def test_closure_names_what_differs(run: Run) -> None:
    """Equal counts differ nowhere, errors counted by their class as a NameNode does; others are named."""
    assert closure(run, {"create": 5}, {"create": 7, "iOException": 1}) == []
    differences = closure(run, {}, {"create": 1, "iOException": 1, "mkdirs": 4})
    assert differences == [Difference("create", 2, 1), Difference("mkdirs", 0, 4)]


def test_a_call_sent_again_may_have_arrived_more_than_once(run: Run) -> None:
    """The daemon counts what reaches it: between once and as often as it was sent."""
    run.tally.of("create").resent = 2
    for counted in (2, 3, 4):
        assert closure(run, {}, {"create": counted, "iOException": 1}) == []
    for counted in (1, 5):
        assert closure(run, {}, {"create": counted, "iOException": 1}) == [Difference("create", 2, counted)]
