"""The page of an image, read from its values."""

from __future__ import annotations

from froude.experiment.figures.image import image_report
from froude.render import Chart, Table
from tests.support.experiment.figures.image import image_summary


def test_its_page() -> None:
    """What the namespace is, in a sentence; charts begin at the first bin that has something in it."""
    page = image_report(image_summary(), {"Seed": "0"})
    assert page.lede.startswith("**3 files** in 1 folders")
    assert "100% of the files" in page.lede
    blocks = [block for section in page.sections for block in section.blocks]
    sizes, by_blocks, depths = (block for block in blocks if isinstance(block, Chart))
    assert [list(chart.series[0].xs) for chart in (sizes, by_blocks, depths)] == [
        ["up to 1B", "up to 2B", "up to 4B"],
        ["1", "2", "3 to 4"],
        ["1", "2", "3"],
    ]
    assert (
        next(block.caption for block in blocks if isinstance(block, Table))
        == "Folders with the most space below them"
    )
    assert page.facts["Last transaction"] == "9"


def test_a_namespace_without_files() -> None:
    """Its shares are none."""
    assert "0 files" in image_report(image_summary(0), {}).lede
