"""A throttle group, over its monitor."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import TargetError
from froude.cache.backends.storage_daemon import ThrottleGroup
from froude.cache.monitor.limits import Limits
from tests.support.cache.backends.qmp import monitor


def test_totals_are_set(tmp_path: Path) -> None:
    """Reads and writes together; what has no limit is 0."""
    with monitor(tmp_path / "q", {}) as told:
        ThrottleGroup(tmp_path / "q", "tg0").apply(Limits(iops=200))
    (asked,) = [each["arguments"] for each in told if each["execute"] == "qom-set"]
    assert asked["path"] == "/objects/tg0"
    assert asked["value"] == {"iops-total": 200, "bps-total": 0}


def test_they_read_back(tmp_path: Path) -> None:
    """0 is no limit."""
    with monitor(tmp_path / "q", {"qom-get": {"return": {"iops-total": 0, "bps-total": 9, "iops-read": 0}}}):
        assert ThrottleGroup(tmp_path / "q", "tg0").read_back() == Limits(bytes_per_s=9)


def test_what_is_no_group(tmp_path: Path) -> None:
    """Another answer is an error."""
    with monitor(tmp_path / "q", {"qom-get": {"return": 5}}), pytest.raises(TargetError, match="tg0"):
        ThrottleGroup(tmp_path / "q", "tg0").read_back()
