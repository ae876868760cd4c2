"""What jobs read."""

from __future__ import annotations

from collections import Counter

import numpy as np

from froude.cache.simulate.jobs import JOBS, MASTER, Part, Pattern, Stage, reads_of


def test_a_loop_comes_round() -> None:
    """From the beginning of its region, behind the offset."""
    stage = Stage((Part(Pattern.LOOP, 0.5),), 1.0, 0.01, 0.5)
    assert reads_of(stage, 6, 7, np.random.default_rng(1), offset=100).tolist() == [
        100,
        101,
        102,
        100,
        101,
        102,
        100,
    ]


def test_a_power_law_prefers_some_chunks() -> None:
    """Scattered over its region, none beyond it."""
    stage = Stage((Part(Pattern.ZIPF, 1.0, exponent=1.0),), 1.0, 0.01, 0.5)
    found = Counter(reads_of(stage, 100, 10_000, np.random.default_rng(1)).tolist())
    assert set(found) <= set(range(100))
    (_, most), *_, (_, least) = found.most_common()
    assert most > 20 * least


def test_parts_are_mixed_by_their_shares() -> None:
    """Each in its own order."""
    stage = Stage((Part(Pattern.LOOP, 0.1, 3.0), Part(Pattern.LOOP, 1.0, 1.0)), 1.0, 0.01, 0.5)
    found = reads_of(stage, 1000, 400, np.random.default_rng(1))
    assert 250 < (found < 100).sum() <= 400
    assert found.max() < 150


def test_every_job_can_be_read() -> None:
    """With regions within the data."""
    rng = np.random.default_rng(1)
    for stages in (*JOBS.values(), (MASTER,)):
        for stage in stages:
            found = reads_of(stage, 50, 200, rng)
            assert len(found) == 200
            assert 0 <= found.min() <= found.max() < 50
