"""What the pages of other clusters than the cheapest say, read from their values; each can be drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from froude.provision.analyses.choose import WhyNot, bill_difference
from froude.provision.analyses.designs import Comparison, Pair
from froude.provision.figures.choices import (
    comparison_report,
    why_not_report,
    why_text,
)
from tests.support.provision.clusters import photoshare
from tests.support.provision.figures.pages import NONE, OTHER, PLAN, drawn, tables


def test_why_not_names_cost_and_conflict(tmp_path: Path) -> None:
    """What grows for one that can be built, what is in conflict for one that cannot."""
    difference = bill_difference(photoshare(), PLAN, OTHER)
    reason = WhyNot("thumbs", ("15KDisk",), OTHER, 670.9, 0.0, 700.0, difference, ())
    none = WhyNot("thumbs", ("DRAM",), NONE, None, None, None, (), ())
    assert "costs $670.90 more" in why_text(PLAN, reason)
    assert "15KDisk 4 → 8" in why_text(PLAN, reason)
    assert "slots of SAS" in why_text(PLAN, none)
    both, single = why_not_report(PLAN, [reason, none], {}), why_not_report(PLAN, [reason], {})
    assert len(tables(both)) == 1
    assert tables(single)[1].rows[0][2:4] == (4, 8)
    drawn(single, tmp_path)


def test_a_comparison_says_more_or_less(tmp_path: Path) -> None:
    """Never a negative saving in words."""
    cheap, dear = replace(PLAN, lower=90.0, upper=95.0), replace(PLAN, lower=96.0, upper=100.0)
    comparison = comparison_report(
        ("a", "b"), Comparison((Pair(1.0, cheap, dear), Pair(2.0, cheap, NONE))), {}
    )
    assert "**5.0% less**" in comparison.lede
    assert "**5.3% more**" in comparison_report(("a", "b"), Comparison((Pair(1.0, dear, cheap),)), {}).lede
    assert tables(comparison)[0].rows == [(1.0, 2.0, "a")]
    drawn(comparison, tmp_path)


def test_why_not_what_is_there_already() -> None:
    """The cheapest has it."""
    same = WhyNot("thumbs", ("SSD",), PLAN, 0.0, 0.0, 0.0, (), ())
    assert why_text(PLAN, same) == "thumbs on SSD is what the cheapest cluster has."


def test_the_difference_of_the_bills_is_in_words() -> None:
    """What it is of, which kind, and both numbers."""
    difference = bill_difference(photoshare(), PLAN, OTHER)
    reason = WhyNot("thumbs", ("15KDisk",), OTHER, 670.9, 0.0, 700.0, difference, ())
    table = tables(why_not_report(PLAN, [reason], {}))[1]
    assert [column.title for column in table.columns] == [
        "Item",
        "Kind",
        "In the cheapest",
        "With the choice",
        "More",
    ]
    assert table.rows[0][:2] == (difference[0].item, difference[0].kind)


def test_designs_without_a_common_point() -> None:
    """Cannot be compared."""
    report = comparison_report(("a", "b"), Comparison((Pair(1.0, PLAN, NONE),)), {})
    assert report.lede.startswith("The two cannot be compared")
    assert report.figures == ()
    assert tables(report)[1].rows == [(1.0, PLAN.upper, None, None, None, None)]


def test_the_range_of_what_one_costs_more_rises() -> None:
    """From the least to the most, in words without a sign."""
    dear, base = replace(PLAN, lower=120.0, upper=120.0), replace(PLAN, lower=100.0, upper=100.0)
    dearer = replace(PLAN, lower=140.0, upper=140.0)
    comparison = Comparison((Pair(1.0, dear, base), Pair(2.0, dearer, base)))
    assert comparison_report(("a", "b"), comparison, {}).lede.endswith("from 20.0% to 40.0%.")


def test_who_wins_in_words() -> None:
    """By name, or nobody for certain."""
    near = replace(OTHER, lower=PLAN.upper - 1)
    pairs = (Pair(1.0, PLAN, OTHER), Pair(2.0, NONE, PLAN), Pair(3.0, PLAN, near))
    dear = replace(OTHER, lower=8000.0)
    comparison = Comparison((replace(pairs[0], second=dear), *pairs[1:]))
    words = [row[2] for row in tables(comparison_report(("a", "b"), comparison, {}))[0].rows]
    assert words == ["a", "b", "neither for certain"]
