"""The page of blocks as they lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from froude.harvest.figures.inspection import WITHOUT, Inspected, inspection_report
from froude.harvest.place.existing import ABSENT, Broken, Existing
from froude.harvest.place.policies import Attribute
from froude.harvest.simulate.durability import Compared, Outcome
from froude.harvest.simulate.settings import DurabilitySetting
from froude.render import Callout, Table
from tests.support.harvest.place.layouts import nine

LYING = Existing(np.zeros((10, 3), np.int32), nine(1), ("10.0.0.9:9866",))
COUNTS = (Broken(Attribute.ENVIRONMENT, 2, 3), Broken(Attribute.PEAK_ROW, 5, 5))
YEAR = Outcome("stock", 0, 10, 0, 4, 9, 8, 0, 0, 0.5, {})


def test_constraints_and_what_they_cost() -> None:
    """The worst one first said, the loss of blocks as they lie beside that of as many placed anew."""
    lost = [Compared("stock", DurabilitySetting(blocks=10), (YEAR, replace(YEAR, run=1, lost=6)))]
    anew = [Compared("history", DurabilitySetting(blocks=10), (replace(YEAR, policy="history", lost=0),))]
    page = inspection_report(
        "dc", Inspected(LYING, COUNTS, {"coded": 3}, 90, lost, anew, {"in excess": 5, "corrupt": 2}), {}
    )
    assert page.lede.startswith(
        "50.0% of 10 blocks have replicas on servers that peak alike. As they lie, 5 of them would be lost in 90 days"
    )
    unknown, left_out, none, table = page.sections[0].blocks
    assert isinstance(unknown, Callout)
    assert unknown.title == "1 DataNodes are on no known server"
    assert isinstance(left_out, Callout)
    assert (left_out.title, left_out.markdown) == ("3 blocks are left out", "3 coded")
    assert isinstance(none, Callout)
    assert (none.title, none.markdown) == ("7 replicas count as none", "5 in excess, 2 corrupt")
    assert isinstance(table, Table)
    assert table.rows[0][:4] == ("environment", 2, 0.2, 3)
    (losses,) = page.sections[1].blocks
    assert isinstance(losses, Table)
    assert [row[:5] for row in losses.rows] == [
        ("as they lie", "stock", 5.0, 4, 6),
        ("placed anew", "history", 0.0, None, None),  # of one run
    ]


def test_without_reimages() -> None:
    """Only what is counted."""
    page = inspection_report("dc", Inspected(replace(LYING, unknown=()), COUNTS, {"coded": 0}, 0), {})
    assert len(page.sections) == 1
    assert len(page.sections[0].blocks) == 1


def test_what_has_few_replicas() -> None:
    """Blocks with fewer than most: a reimage that loses none of them today may tomorrow. None lost is said in words."""
    replicas = np.array([[0, 1, 2]] * 7 + [[0, 1, ABSENT]] * 2 + [[0, ABSENT, ABSENT]], np.int32)
    lying = Existing(replicas, nine(1))
    lost = [Compared("stock", DurabilitySetting(blocks=10), (replace(YEAR, lost=0),))]
    page = inspection_report("dc", Inspected(lying, COUNTS, {}, 90, lost, lost), {})
    few, _ = page.sections[0].blocks
    assert isinstance(few, Callout)
    assert few.title == "3 blocks with fewer replicas than most"
    assert few.markdown.startswith("1 block of these with one")
    assert "As they lie, none of them would be lost" in page.lede
    assert page.lede.endswith(" 3 blocks have fewer replicas than most.")
    gone = inspection_report("dc", Inspected(lying, COUNTS, {WITHOUT: 1}, 0), {})
    assert gone.lede.endswith(" 3 blocks have fewer replicas than most. 1 block has no replica at all.")
    assert lying.counts == {1: 1, 2: 2, 3: 7}
    assert Existing(replicas[:0], nine(1)).few == 0


def test_it_says_of_how_much_nothing_is_known() -> None:
    """A share of nothing is no clean bill."""
    none = tuple(replace(each, blocks=0, replicas=0, judged=0.0) for each in COUNTS)
    assert "no constraint can be judged" in inspection_report("dc", Inspected(LYING, none, {}, 0), {}).lede
    half = (none[0], replace(COUNTS[1], judged=0.5))
    page = inspection_report("dc", Inspected(LYING, half, {}, 0), {})
    assert page.lede.endswith("Only 50% of their replicas are on servers of which that is known.")
    (table,) = [block for block in page.sections[0].blocks if isinstance(block, Table)]
    assert table.rows[0] == ("environment", "not known", None, None, 0.0)
