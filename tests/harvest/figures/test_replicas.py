"""Pages of placement."""

from __future__ import annotations

from dataclasses import replace

from froude.harvest.figures.replicas import availability_report, durability_report
from froude.harvest.simulate.availability import Availability
from froude.harvest.simulate.durability import Compared, Outcome
from froude.harvest.simulate.settings import AvailabilitySetting, DurabilitySetting
from froude.render import Callout, Chart, Table

YEAR = Outcome("stock", 0, 100, 0, 8, 50, 49, 0, 0, 0.25, {"rack": 2})
SETTING = DurabilitySetting(blocks=100)


def test_the_loss_of_each_policy_and_of_stock_beside_it() -> None:
    """Mean, least and most; one fill level needs no curve."""
    found = [
        Compared("stock", SETTING, (YEAR, replace(YEAR, run=1, lost=10))),
        Compared("history", SETTING, (replace(YEAR, policy="history", lost=0),)),
    ]
    page = durability_report("dc", SETTING, found, {})
    assert page.lede == "history loses 0 of 100 blocks in 365 days, stock HDFS 9 (2 runs on this datacenter)."
    (table,) = page.sections[0].blocks
    assert isinstance(table, Table)
    assert table.rows[0] == ("stock", 0.5, 9, 8, 10, 49, 2, 0.25)
    assert table.rows[1][2:5] == (0, None, None)  # of one run
    assert [figure.note for figure in page.figures] == [
        "at most 10 in 2 runs on this datacenter",
        "at most 0 in 2 runs on this datacenter",
    ]
    (one,) = durability_report("dc", SETTING, found[1:], {}).figures
    assert one.note == "of 1 run on this datacenter"


def test_where_nothing_is_lost_nobody_is_ranked() -> None:
    """Nor where only the first fill level lost none."""
    none = replace(YEAR, lost=0)
    found = [Compared(name, SETTING, (none, replace(none, run=1))) for name in ("stock", "history")]
    page = durability_report("dc", SETTING, found, {})
    nothing = "No policy lost any of 100 blocks in 365 days (2 runs on this datacenter), so that they cannot"
    assert page.lede.startswith(nothing)
    full = Compared("stock", SETTING.replaced(fill=0.9), (YEAR,))
    assert not durability_report("dc", SETTING, [*found, full], {}).lede.startswith("No policy")


def test_what_could_not_be_placed_is_said_and_fill_levels_are_drawn() -> None:
    """A block that no servers may have is in no other count."""
    full = SETTING.replaced(fill=0.9)
    found = [
        Compared("history", SETTING, (YEAR,)),
        Compared("history", full, (replace(YEAR, refused=7, lost=20),)),
    ]
    blocks = durability_report("dc", SETTING, found, {}).sections[0].blocks
    assert isinstance(blocks[0], Callout)
    assert blocks[0].title == "Up to 7 blocks could not be placed"
    assert isinstance(blocks[2], Chart)
    assert list(blocks[2].series[0].ys) == [8, 20]


def test_failed_accesses_by_mean() -> None:
    """The verdict is at the mean nearest to half."""
    setting = AvailabilitySetting(means=(0.3, 0.6), blocks=10)
    found = [
        Availability(policy, mean, 1.0, (share, share), 0)
        for policy, shares in (("stock", (0.01, 0.2)), ("rows+environment", (0.0, 0.00001)))
        for mean, share in zip(setting.means, shares, strict=True)
    ]
    page = availability_report("dc", setting, found, {})
    assert page.lede == (
        "At 60% utilisation 0.0010% of the accesses fail under rows+environment, 20.00% under stock HDFS "
        "(2 runs on this datacenter)."
    )
    table, chart = page.sections[0].blocks
    assert isinstance(table, Table)
    assert table.rows[0] == ("stock", 0.01, 0.2)
    assert isinstance(chart, Chart)
    assert [series.name for series in chart.series] == ["stock", "rows+environment"]
