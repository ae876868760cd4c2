"""Loads by which limits are measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import TargetError
from froude.cache.backends.load import GroupLoad, Watched, buffered, scratch_load
from froude.cache.backends.types import Rate, Verdict
from testbed.virtual_clock import VirtualClock


def test_somebody_elses_load() -> None:
    """What its counters grew by, per second of the clock."""
    clock = VirtualClock()
    load = Watched(lambda: (clock.now() * 30, clock.now() * 3000), clock)
    assert load.rate(2.0) == Rate(30, 3000)


def test_a_file_is_read_and_removed(tmp_path: Path) -> None:
    """Without a group, by anyone; the scratch file is gone after."""
    with scratch_load(None, tmp_path) as load:
        rate = load.rate(0.05)
    assert rate.iops > 0
    assert rate.bytes_per_s == pytest.approx(rate.iops * 4096)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """The child's own last error is told."""
    with pytest.raises(TargetError, match="FileNotFoundError"):
        GroupLoad(None, tmp_path / "absent").rate(0.01)


def test_no_counter_of_version_1(tmp_path: Path) -> None:
    """Buffered writes are not tried where nobody counts them: untested, not done."""
    assert buffered(tmp_path, "1:1", tmp_path).verdict is Verdict.UNTESTED
