"""The page of what a datacenter is like."""

from __future__ import annotations

import numpy as np

from froude.harvest.classify.characterise import characterise
from froude.harvest.figures.tenants import characterise_report
from froude.render import Chart, Table
from tests.support.harvest.datacenters import drawn, made


def test_every_figure_is_there() -> None:
    """Shares, an example of each pattern in time and frequency, and three distributions."""
    found = characterise(drawn())
    page = characterise_report(drawn(), found, {})
    blocks = [block for section in page.sections for block in section.blocks]
    titles = [block.title for block in blocks if isinstance(block, Chart)]
    assert sum(title.endswith("spectrum") for title in titles) == 3
    assert [number in "".join(titles) for number in ("Figure 4", "Figure 5", "Figure 6")] == [True] * 3
    shares = next(block for block in blocks if isinstance(block, Table))
    assert sum(row[2] for row in shares.rows if isinstance(row[2], float)) == 1


def test_gaps_and_unknown_reimages_are_said() -> None:
    """Rather than drawn as if they were known."""
    rows = np.array([np.full(48, 0.3), np.full(48, np.nan)])
    page = characterise_report(made(rows), characterise(made(rows)), {})
    blocks = [block for section in page.sections for block in section.blocks]
    assert any("No pattern: 1 of 2 tenants" in getattr(block, "title", "") for block in blocks)
    assert any("No reimage is known" in getattr(block, "empty", "") for block in blocks)
