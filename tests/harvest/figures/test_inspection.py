"""The page of blocks as they lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from froude.harvest.figures.inspection import Inspected, inspection_report
from froude.harvest.place.existing import Broken, Existing
from froude.harvest.place.policies import Attribute
from froude.harvest.simulate.durability import Compared, DurabilitySetting, Outcome
from froude.render import Callout, Table
from tests.harvest.place.layouts import nine

LYING = Existing(np.zeros((10, 3), np.int32), nine(1), ("10.0.0.9:9866",))
COUNTS = (Broken(Attribute.ENVIRONMENT, 2, 3), Broken(Attribute.PEAK_ROW, 5, 5))
YEAR = Outcome("stock", 0, 10, 0, 4, 9, 8, 0, 0, 0.5, {})


def test_constraints_and_what_they_cost() -> None:
    """The worst one first said, the loss of blocks as they lie beside that of as many placed anew."""
    lost = [Compared("stock", DurabilitySetting(blocks=10), (YEAR, replace(YEAR, run=1, lost=6)))]
    anew = [Compared("history", DurabilitySetting(blocks=10), (replace(YEAR, policy="history", lost=0),))]
    page = inspection_report("dc", Inspected(LYING, COUNTS, {"coded": 3}, 90, lost, anew, 7), {})
    assert page.lede.startswith(
        "50.0% of 10 blocks break peak_row. As they lie, 5 of them would be lost in 90 days"
    )
    unknown, left_out, bad, table = page.sections[0].blocks
    assert isinstance(unknown, Callout)
    assert unknown.title == "1 DataNodes are on no known server"
    assert isinstance(left_out, Callout)
    assert (left_out.title, left_out.markdown) == ("3 blocks are left out", "3 coded")
    assert isinstance(bad, Callout)
    assert bad.title == "7 replicas count as none"
    assert isinstance(table, Table)
    assert table.rows[0][:4] == ("environment", 2, 0.2, 3)
    (losses,) = page.sections[1].blocks
    assert isinstance(losses, Table)
    assert [row[:5] for row in losses.rows] == [
        ("as they lie", "stock", 5.0, 4, 6),
        ("placed anew", "history", 0.0, 0, 0),
    ]


def test_without_reimages() -> None:
    """Only what is counted."""
    page = inspection_report("dc", Inspected(replace(LYING, unknown=()), COUNTS, {"coded": 0}, 0), {})
    assert len(page.sections) == 1
    assert len(page.sections[0].blocks) == 1


def test_it_says_of_how_much_nothing_is_known() -> None:
    """A share of nothing is no clean bill."""
    none = tuple(replace(each, blocks=0, replicas=0, judged=0.0) for each in COUNTS)
    assert "no constraint can be judged" in inspection_report("dc", Inspected(LYING, none, {}, 0), {}).lede
    half = (none[0], replace(COUNTS[1], judged=0.5))
    page = inspection_report("dc", Inspected(LYING, half, {}, 0), {})
    assert page.lede.endswith("Only 50% of their replicas are on servers of which that is known.")
    (table,) = [block for block in page.sections[0].blocks if isinstance(block, Table)]
    assert table.rows[0] == ("environment", "not known", None, None, 0.0)
