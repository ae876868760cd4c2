"""Whether a sweep shows a finding: limits on its first arm, on its last, and on their ratio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.emulation.run.run import Run
from froude.emulation.run.verdict import LimitResult
from froude.experiment.compare import finding
from froude.experiment.compare.finding import Shown, found_in, parse_stated
from tests.support.experiment.comparisons import run

SLOWER = "last/first: p50 > 1.2"


def runs(*factors: float, **changes: Any) -> list[Run]:
    """Slower by these factors."""
    return [replace(run(at, factor, spread=0.001), **changes) for at, factor in enumerate(factors)]


def found(limit: str, first: Sequence[Run], last: Sequence[Run]) -> Shown:
    """What became of a finding of one limit."""
    return found_in("so it is", [limit], first, last, limited=False).shown


@pytest.mark.parametrize(
    ("limit", "first", "last", "shown"),
    [
        (SLOWER, (1, 1, 1), (1.5, 1.6, 1.4), Shown.REPRODUCED),
        (SLOWER, (1, 1, 1), (1, 1.05, 0.95), Shown.NOT_REPRODUCED),
        (SLOWER, (1, 1, 1), (1, 1.2, 1.5), Shown.UNDECIDED),
        (SLOWER, (1,), (1.5,), Shown.UNDECIDED),
        (SLOWER, (1, 1), (1.5,), Shown.UNDECIDED),
        ("first: errors < 1", (1, 1), (1, 1), Shown.REPRODUCED),
        ("last: errors >= 1", (1, 1), (1, 1), Shown.NOT_REPRODUCED),
        ("first: datanodes_lost >= 1", (1, 1), (1, 1), Shown.NOT_TESTABLE),
        (SLOWER, (), (1, 1), Shown.NOT_TESTABLE),
    ],
)
def test_limits_decide(limit: str, first: Sequence[float], last: Sequence[float], shown: Shown) -> None:
    """A ratio by the interval of its rounds; what no run has a value of says nothing."""
    assert found(limit, runs(*first), runs(*last)) is shown


def test_a_run_of_another_load_does_not_count() -> None:
    """It failed, or broke a limit of its own; of the others the rounds stay together."""
    late = [LimitResult("lateness < 1 s", 3.0, "s", held=False)]
    assert found(SLOWER, runs(1, 1, limits=late), runs(2, 2)) is Shown.NOT_TESTABLE
    assert found(SLOWER, runs(1, 1), runs(2, 2, failure="gone")) is Shown.NOT_TESTABLE
    mixed = [*runs(1), *runs(9, limits=late), *runs(1)]
    assert found(SLOWER, mixed, runs(1.5, 1.5, 1.5)) is Shown.REPRODUCED


def test_the_answer_says_where() -> None:
    """Release and Scale, and by which values."""
    first = runs(1, 1, environment={"Hadoop": "3.5.0"}, scale={"nodes": "5", "jobs": "2"})
    last = runs(1, 1, environment={"Hadoop": "3.5.0"}, scale={"nodes": "7", "jobs": "2"})
    text = found_in("so it is", ["last: errors >= 1"], first, last, limited=False).text
    where = "on Hadoop 3.5.0 at nodes=5 and 7, jobs=2"
    assert text == f"Not reproduced {where}: so it is (last: errors >= 1: 0, 0)."
    less = found_in(
        "so it is", ["last: errors >= 1"], first, [last[0], replace(last[1], failure="gone")], limited=False
    )
    assert less.text == f"Undecided {where}: so it is (last: errors >= 1: 0; 3 of 4 runs count)."


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [
        ((0, 0), (5, 6), Shown.REPRODUCED),
        ((0, 1), (9, 1), Shown.UNDECIDED),
        ((0, 0), (0, 0), Shown.NOT_REPRODUCED),
    ],
)
def test_more_than_nothing_is_infinitely_much(
    first: Sequence[int], last: Sequence[int], shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing beside nothing is as much."""
    monkeypatch.setattr(Run, "datanodes_lost", property(lambda run: float(run.scale["lost"])))
    arms = [[replace(run(0, 1), scale={"lost": str(n)}) for n in counts] for counts in (first, last)]
    assert found("last/first: datanodes_lost > 1.2", *arms) is shown


def test_runs_that_the_machine_limited_are_counted_in_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they count at all."""
    monkeypatch.setattr(finding, "unusable", lambda run, limited: "" if limited else "limited")
    text = found_in("so it is", ["last: errors >= 1"], runs(1, 1), runs(1, 1), limited=True).text
    assert text.endswith("0, 0; player or machine limited 4 of 4).")


@pytest.mark.parametrize(
    "text", ["p50 > 1.2", "middle: p50 > 1 s", "first: p50 > 2", "last/first: p50 > 2 s"]
)
def test_other_forms_are_refused(text: str) -> None:
    """An arm that is not there, and a bound of another unit."""
    with pytest.raises(InputError):
        parse_stated(text)
