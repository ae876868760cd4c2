"""`kind: heap`: sizes that fit, what is measured, and what the law says of published clusters."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.experiment.play.execution import Execution
from froude.experiment.replay import heap
from froude.experiment.replay.heap import HeapRunner, answer_of
from froude.experiment.scenario.scenario import HeapScenario
from tests.support.experiment.heaps import GIB, point, points


@pytest.mark.parametrize(
    ("free", "asked", "sizes"),
    [
        (64, (), (3_000_000, 6_000_000, 12_000_000)),
        (3, (), (300_000, 600_000, 1_200_000)),
        (64, (90_000, 50_000, 70_000), (50_000, 70_000, 90_000)),
        (1, (), None),
        (3, (10_000, 20_000, 12_000_000), None),
    ],
)
def test_sizes_fit_in_the_memory(
    free: int, asked: tuple[int, ...], sizes: tuple[int, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is free, GiB; those that do not are refused before anything is started."""
    monkeypatch.setattr(heap, "available_bytes", lambda: free * GIB)
    runner = HeapRunner.of(HeapScenario(inodes=asked))
    if sizes is not None:
        assert runner.sizes() == sizes
        return
    with pytest.raises(InputError, match="more memory than there is"):
        runner.check()


def test_each_size_is_measured_with_few_and_with_many_blocks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And two of them with other files; all in the same heap, from the seed."""
    asked: list[Any] = []
    hadoop = SimpleNamespace(version="3.5.0")
    monkeypatch.setattr(heap.Hadoop, "find", lambda *_, **__: hadoop)
    monkeypatch.setattr(heap, "find_jmap", lambda _: None)
    monkeypatch.setattr(heap, "made_up", lambda profile, inodes, *_: asked.append(inodes) or profile)
    given = iter([*points(400_000), point(100_000, 130_000), point(200_000, 260_000)])
    monkeypatch.setattr(heap, "measured_heap", lambda *_: next(given))
    answer = HeapRunner.of(HeapScenario(inodes=(100_000, 200_000, 400_000))).run(Execution(tmp_path))
    assert asked == [100_000, 100_000, 200_000, 200_000, 400_000, 400_000, 100_000, 200_000]
    assert len(answer.content["points"]) == 8


def test_the_law_is_stated_before_what_was_published() -> None:
    """With its interval, and how far beyond the measurement that is."""
    answer = answer_of(points(12_000_000), "3.5.0")
    law, ebay = answer.content["law"], answer.content["published"][0]
    assert (law["inode_bytes"], law["block_bytes"]) == pytest.approx((120, 170), rel=1e-3)
    low, high = ebay["interval_bytes"]
    assert low < ebay["predicted_bytes"] < high < ebay["memory_bytes"]
    lede = answer.report.lede
    assert lede.index("a block 170") < lede.index("eBay: ") < lede.index("above the interval")


def test_beyond_the_law_nothing_is_said() -> None:
    """Of a cluster more than a thousand times as large as what was measured."""
    answer = answer_of(points(200_000), "3.5.0")
    assert answer.content["published"] == []
    assert "Not compared: eBay, LinkedIn" in answer.report.lede
