"""What came of a sweep: every arm beside the first, at its share of the chance of error."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from froude.experiment.compare.compare import Outcome
from froude.experiment.scenario.scenario import Finding
from froude.experiment.sweep.result import Swept
from tests.support.experiment.sweeps import swept


def test_every_arm_is_compared_with_the_first() -> None:
    """Each at its share of the level, so that many arms give no more false alarms than two."""
    found = swept(1.0, 1.5, 0.6)
    assert [(arm.name, each.outcome) for arm, each in found.compared] == [
        ("heap=2GB", Outcome.WORSE),
        ("heap=4GB", Outcome.BETTER),
    ]
    assert {each.level for _, each in found.compared} == {0.025}
    assert [arm.name for arm in found.worse] == ["heap=2GB"]
    assert "heap=2GB beside heap=1GB: The candidate is slower" in found.answer
    assert found.made == 12


def test_measures_are_those_of_all_calls() -> None:
    """What decides first; a value for each run."""
    found = swept(1.0, 2.0)
    names = [measure.name for measure in found.measures]
    assert names[:5] == ["mean", "p50", "p99", "throughput", "errors"]
    assert "CPU per call" in names
    assert not any("(" in name for name in names)
    first, second = (arm.counting("mean") for arm in found.arms)
    assert len(first) == len(second) == 4
    assert max(first) < min(second)


def test_arms_of_other_loads_are_not_compared() -> None:
    """None is better than another; it is said why."""
    found = swept(1.0, 1.0, loads=(1.0, 2.0))
    assert not found.compared
    assert found.answer == "Not compared with heap=1GB: heap=2GB: another load, by its speed."


def test_runs_that_do_not_count_say_why() -> None:
    """They are shown, and their values are not used."""
    found = swept(1.0, 1.2, failure="gone")
    assert found.arms[0].runs[0].left_out == "it failed: gone"
    assert found.arms[0].runs[0].failed
    assert found.arms[0].counting("mean") == []


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (partial(swept, 1.0, 1.0, interrupted=True), "Interrupted after 8 runs: nothing was compared."),
        (partial(swept, 1.0), "One arm, heap=1GB: there is nothing to compare it with."),
        (
            partial(swept, 1.0, 1.0, runs=0),
            "Not compared with heap=1GB: heap=2GB: there is no run of the first arm to compare",
        ),
    ],
    ids=["interrupted", "one arm", "no run"],
)
def test_without_a_verdict(made: Callable[[], Swept], said: str) -> None:
    """It is said why there is none."""
    assert said in made().answer


def test_a_finding_is_answered_first() -> None:
    """By the first arm and the last; nothing without runs."""
    finding = Finding(claim="a larger heap is slower", limits=("last/first: p50 > 1.2",))
    found = swept(1.0, 1.1, 2.0, finding=finding)
    assert (found.reproduced, swept(1.0, 1.1, finding=finding).reproduced) == (True, False)
    assert found.answer.startswith("Reproduced at files=9: a larger heap is slower (last/first: p50 > 1.2: ")
    assert swept(1.0, 2.0, finding=finding, interrupted=True).found is None
