"""A duet as a comparison: its words, what explains it, and what keeps it from being read for more than it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from froude.experiment.compare.compare import Comparison, Outcome
from froude.experiment.compare.file import comparison_text, read_comparison
from froude.experiment.duet.comparison import comparison_of
from froude.experiment.duet.duet import Duet
from tests.support.experiment.duets import OPTIONS, arm, duet


def of(found: Duet) -> Comparison:
    """Its comparison."""
    return comparison_of(found, OPTIONS)


def test_what_changed_and_what_to_look_at(tmp_path: Path) -> None:
    """The verdict first, then what changed most and where to look; a file keeps all of it."""
    compared = of(duet(1.2, wait_ms=1.5))
    assert compared.outcome is Outcome.WORSE
    verdict, changed, look = compared.answer.split(". ")
    assert verdict.startswith(
        "The candidate is slower: mean over methods of the time of an answer changed by +2"
    )
    assert changed.startswith("What changed most: lock wait +50 %, service time(")
    assert (
        look
        == "Look next at which methods hold the namespace lock: the NameNode logs each that holds it for long."
    )
    (tmp_path / "c.json").write_text(comparison_text(compared))
    assert read_comparison(tmp_path / "c.json") == compared


def test_no_difference_is_not_explained() -> None:
    """How long was measured is known."""
    compared = of(duet())
    assert compared.outcome is Outcome.SAME
    assert compared.answer.startswith("No difference larger than 10 % was seen: mean over methods")
    assert "What changed" not in compared.answer
    assert compared.together is not None
    assert (compared.together.measured_s, compared.together.batch_s, compared.together.looks) == (
        480.0,
        24.0,
        5,
    )


def test_undecided_says_how_much_longer() -> None:
    """By the spread between batches."""
    compared = of(duet(spread=0.9))
    assert compared.outcome is Outcome.OPEN
    assert compared.answer.startswith("Undecided after 8 min: ")
    assert "of measuring would show a difference of 10 %, four times in five." in compared.answer
    assert {compared.words_of(row) for row in compared.deciding if row.outcome is Outcome.OPEN} == {
        "undecided"
    }


def test_what_explains_is_a_family_of_its_own() -> None:
    """Shares of compiler and collector are in it, CPU for a call is not: it decides."""
    compared = of(duet())
    deciding = [row.measure for row in compared.deciding]
    assert deciding == ["service time", "CPU per call", "throughput", "errors"]
    explaining = {row.measure: row for row in compared.rows if row not in compared.deciding}
    assert {"service time(create)", "lock wait", "JIT compiler", "garbage collector"} <= set(explaining)
    assert explaining["JIT compiler"].means == pytest.approx((0.1, 0.1))
    assert len({row.level for row in explaining.values()}) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"steady": (True, False)}, "Still not steady after a warm-up of 45 s: candidate;"),
        ({"interrupted": True}, "Interrupted: the verdict is of what was measured until then"),
        ({"runs": (arm(1, 1.0), arm(2, 1.0, failure="it hangs"))}, "The candidate failed: it hangs"),
    ],
)
def test_what_is_to_be_kept_in_mind(changes: dict[str, Any], said: str) -> None:
    """In a remark."""
    assert any(each.startswith(said) for each in of(duet(**changes)).remarks)


def test_a_failure_decides() -> None:
    """Of the candidate alone it is worse; of the baseline nothing is known."""
    broken = arm(2, 1.0, failure="it hangs")
    compared = of(duet(runs=(arm(1, 1.0), broken)))
    assert compared.outcome is Outcome.WORSE
    assert compared.answer.startswith("The candidate is worse: 1 run of it failed, and none of the baseline.")
    without = of(duet(runs=(broken, arm(1, 1.0))))
    assert (without.outcome, without.rows) == (Outcome.OPEN, ())
    assert without.remarks[0] == "The baseline failed: it hangs"
    nothing = of(replace(duet(), slices=(), looks=()))
    assert (nothing.outcome, nothing.rows) == (Outcome.OPEN, ())
    assert nothing.answer == "Nothing can be compared."
