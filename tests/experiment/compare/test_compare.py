"""A comparison says slower, faster, the same or not enough, and is wrong no more often than it says."""

from __future__ import annotations

import math
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.experiment.compare import compare as module
from froude.experiment.compare.compare import (
    Outcome,
    change_text,
    compare,
    confidence_text,
)
from froude.experiment.compare.measures import Sort
from tests.support.experiment.comparisons import arms, run
from tests.support.seeds import examples


@pytest.mark.parametrize(
    ("factor", "spread", "outcome", "said"),
    [
        (1.3, 0.03, Outcome.WORSE, "The candidate is slower: mean latency of all calls"),
        (0.7, 0.03, Outcome.BETTER, "The candidate is faster: mean"),
        (1.0, 0.005, Outcome.SAME, "No difference larger than 5 % was seen"),
        (1.0, 0.2, Outcome.OPEN, "Not enough runs to say: mean"),
    ],
)
def test_what_is_said(factor: float, spread: float, outcome: Outcome, said: str) -> None:
    """In the first words."""
    comparison = compare(**arms(5, factor, spread=spread))
    assert comparison.outcome is outcome
    assert comparison.answer.startswith(said)
    assert comparison.rows[0].measure == "mean"
    if factor != 1.0:
        assert comparison.rows[0].change == pytest.approx(factor - 1, abs=0.1)
        assert comparison.rows[0].low < factor - 1 < comparison.rows[0].high


def test_a_small_difference_that_is_sure_is_none() -> None:
    """Within the margin nothing is worse, however sure."""
    given = arms(8, 1.02, spread=0.002)
    assert compare(**given).outcome is Outcome.SAME
    assert compare(**given, margin=0.01).outcome is Outcome.WORSE


def test_false_alarms_of_a_whole_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of comparisons without a difference, any measure is called worse or better in no more than was stated."""
    monkeypatch.setattr(
        module, "runs_needed", lambda *_, **__: None
    )  # it takes the most time, and decides nothing
    alarms, number = 0, examples(100)
    for seed in range(number):
        comparison = compare(**arms(4, seed=seed), margin=0.01, level=0.1)
        alarms += any(row.outcome in {Outcome.WORSE, Outcome.BETTER} for row in comparison.deciding)
    assert alarms / number <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / number)


def test_a_drift_that_both_share_is_taken_out_by_pairs() -> None:
    """Runs that were made in turns are pairs, from six on."""
    rounds = 8
    drift = [1.5 ** (at / 2) for at in range(rounds)]
    baseline = [run(2 * at, drift[at], spread=0.005) for at in range(rounds)]
    candidate = [run(2 * at + 1, 1.1 * drift[at], spread=0.005) for at in range(rounds)]
    comparison = compare(baseline=baseline, candidate=candidate)
    assert comparison.paired
    assert comparison.outcome is Outcome.WORSE
    few = compare(baseline=baseline[:5], candidate=candidate[:5])
    assert (few.paired, few.outcome) == (False, Outcome.OPEN)
    broken = [*baseline[:-1], run(14, drift[7], interrupted=True)]
    without = compare(baseline=broken, candidate=candidate)
    assert (without.paired, len(without.candidate)) == (True, 7)
    assert "the run beside it was left out" in without.left_out.values()


def test_a_candidate_whose_runs_fail_is_worse() -> None:
    """Though those that are left are not slower; where the baseline's fail, too, it is not known whose fault it was."""
    given = arms(4, spread=0.005)
    given["candidate"].append(run(99, failure="the NameNode died"))
    comparison = compare(**given)
    assert comparison.outcome is Outcome.WORSE
    assert comparison.answer.startswith(
        "The candidate is worse: 1 run of it failed, and none of the baseline."
    )
    given["baseline"].append(run(98, failure="the NameNode died"))
    assert compare(**given).outcome is Outcome.SAME


def test_errors_count_by_their_share() -> None:
    """Also where one arm has none."""
    given = arms(5, spread=0.005)
    for each in given["candidate"]:
        each.tally.of("create").errors["java.io.IOException"] += 30
    comparison = compare(**given)
    (row,) = comparison.worse
    assert (row.measure, row.words, row.means) == ("errors", "more errors", (0.0, 0.025))
    assert comparison.answer.startswith("The candidate has more errors: share of the calls that failed")


def test_few_runs_say_nothing() -> None:
    """Of two the spread may look like none; the answer says how many are compared."""
    assert compare(**arms(3)).rows
    comparison = compare(**arms(2))
    assert (comparison.outcome, comparison.rows) == (Outcome.OPEN, ())
    assert "three of each arm are the least" in comparison.answer


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"margin": 0.0}, "margin: is out of range"),
        ({"level": 0.9}, "level: is out of range"),
        ({"primary": "p99(nosuch)"}, "cannot be the primary measure"),
        ({"primary": "GC"}, "cannot be the primary measure"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], said: str) -> None:
    """With what is allowed."""
    with pytest.raises(InputError, match=said.replace("(", r"\(").replace(")", r"\)")):
        compare(**arms(3), **changes)


def test_a_measure_of_few_calls_is_not_compared() -> None:
    """Its 99th percentile would be one call."""
    given = arms(3)
    for each in (*given["baseline"], *given["candidate"]):
        del each.tally.series["create"]
        each.tally.of("mkdirs").actual += [0.001] * 30
        each.tally.close_interval(2.0)
    comparison = compare(**given)
    names = [row.measure for row in comparison.rows]
    assert "mean(mkdirs)" in names
    assert "p99(mkdirs)" not in names
    assert "too few calls" in comparison.not_compared["p99(mkdirs)"]


def test_numbers_for_people() -> None:
    """Confidence is never rounded up."""
    assert [confidence_text(level) for level in (0.05, 0.025, 0.0006)] == ["95.0 %", "97.5 %", "99.940 %"]
    assert change_text(0.1234, Sort.LATENCY) == "+12.3 %"
    assert change_text(-0.002, Sort.ERRORS) == "-0.2 points"
    assert change_text(1e40, Sort.LATENCY) == "over +9,999 %"
