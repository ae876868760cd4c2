"""A duet as a comparison: its words, what explains it, and what keeps it from being read for more than it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from froude.emulation.run.bottleneck import LimitedBy, Load
from froude.emulation.run.tally import Tally
from froude.experiment.compare.compare import Comparison, Outcome
from froude.experiment.compare.file import comparison_text, read_comparison
from froude.experiment.duet.comparison import comparison_of
from froude.experiment.duet.duet import Duet
from froude.experiment.scenario.options import NameNodeTarget
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
    assert compared.outcome is Outcome.UNDECIDED
    assert compared.answer.startswith("Undecided after 8 min: ")
    assert "of measuring would show a difference of 10 %, four times in five." in compared.answer
    assert {row.words for row in compared.deciding if row.outcome.open} == {"undecided"}
    assert '"not enough runs to say"' not in comparison_text(compared)


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
    assert (without.outcome, without.rows) == (Outcome.UNDECIDED, ())
    assert without.remarks[0] == "The baseline failed: it hangs"
    nothing = of(replace(duet(), slices=(), looks=()))
    assert (nothing.outcome, nothing.rows) == (Outcome.UNDECIDED, ())
    assert nothing.answer == "Nothing can be compared."


def test_a_target_that_answers_nothing_is_worse() -> None:
    """Though nothing else can be compared then; of the baseline it is only remarked."""
    look = replace(duet().looks[-1], outcome=Outcome.WORSE, rows=(), silent_s=(0.0, 42.0))
    hanging = of(duet(looks=(look,)))
    assert hanging.outcome is Outcome.WORSE
    assert hanging.answer == "The candidate is worse: it answered nothing for 42 s in which the baseline did."
    turned = of(duet(looks=(replace(look, outcome=Outcome.OPEN, silent_s=(42.0, 0.0)),)))
    assert turned.outcome is Outcome.UNDECIDED
    assert "The baseline answered nothing for 42 s in which the other did" in turned.remarks


def test_a_player_that_is_the_limit_hides_what_is_the_same() -> None:
    """A difference that is seen in spite of it is one."""
    busy = [Load(float(at), 1.0, 1, 10, 1, 0.5) for at in range(60)]
    lag = Tally()
    lag.lag.add([0.1] * 1000)
    held_up = replace(arm(2, 1.0), load=busy)
    held_up.tally.lag = lag.lag
    assert held_up.bottleneck.by is LimitedBy.PLAYER
    compared = of(duet(runs=(arm(1, 1.0), held_up)))
    assert compared.outcome is Outcome.UNDECIDED
    assert compared.answer == "Undecided after 8 min: not all that decides is known."
    assert any(each.startswith("The player was the limit of the candidate") for each in compared.remarks)
    assert of(duet(1.3, runs=(arm(1, 1.0), held_up))).outcome is Outcome.WORSE


def test_in_what_both_were_started_is_named() -> None:
    """Also where nothing differs: then the duet shows what two equal daemons differ by."""
    first, second = NameNodeTarget(), NameNodeTarget(properties={"dfs.namenode.handler.count": "64"})
    compared = comparison_of(duet(), OPTIONS, (first, second))
    assert ("properties", "default", "{'dfs.namenode.handler.count': '64'}") in compared.differences
    equal = comparison_of(duet(), OPTIONS, (first, first))
    assert any(each.startswith("Baseline and candidate are started alike") for each in equal.remarks)
    assert not any(each.startswith("Baseline and candidate are") for each in compared.remarks)


def test_what_one_alone_answers_is_not_compared() -> None:
    """With who answered it too rarely."""
    found = duet()
    only = tuple(replace(each, missing=(frozenset(), frozenset({"mkdirs"}))) for each in found.slices)
    compared = of(replace(found, slices=only))
    assert compared.not_compared == {"service time(mkdirs)": "the candidate answered it too rarely"}


def test_what_to_look_at_is_what_grew_by_most_time() -> None:
    """A wait that trebled from next to nothing is not why calls take longer."""
    waits = duet(1.2, cpu=1.5, wait_ms=1.5)
    rows = [replace(row, baseline=(1e-6,), candidate=(3e-6,)) if row.measure == "lock wait" else row
            for row in of(waits).rows]  # fmt: skip
    compared = replace(of(waits), rows=tuple(rows))
    assert compared.answer.endswith(
        "Look next at a profile of both by CPU time, such as with async-profiler."
    )
