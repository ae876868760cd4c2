"""A knee's page."""

from __future__ import annotations

from dataclasses import replace

from froude.experiment.figures.head import head_of
from froude.experiment.figures.knee import knee_section
from froude.experiment.knee import Status
from froude.render import Chart, Table, Tone
from tests.experiment.knees import two_plays


def test_its_page() -> None:
    """The answer, latency and throughput against load with the limit, and every play."""
    section = knee_section(two_plays())
    latency, throughput = (block for block in section.blocks if isinstance(block, Chart))
    assert [mark.label for mark in latency.marks] == ["p99 < 1 s"]
    assert {series.name for series in throughput.series} == {"limits kept", "a limit broke"}
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    assert table.rows[-1][-1] == "p99 < 1 s"
    assert knee_section(replace(two_plays(), plays=(), status=Status.UNSETTLED, low=None, high=None)).blocks


def test_the_answer_heads_the_page() -> None:
    """With the figures on both sides."""
    head = head_of([("knee", two_plays())])
    assert head.lede.startswith("**The NameNode keeps its limits up to clients=2")
    assert head.tone is Tone.GOOD
    assert [figure.label for figure in head.figures][:2] == ["p99, limits kept", "p99, not kept"]
