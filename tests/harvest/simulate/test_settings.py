"""What simulations are told; each field checks itself."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.errors import InputError
from froude.harvest.simulate.settings import AvailabilitySetting, DurabilitySetting, SchedulingSetting


@pytest.mark.parametrize(
    ("kind", "wrong", "message"),
    [
        (DurabilitySetting, {"fill": 1.5}, "fill: is out of range"),
        (DurabilitySetting, {"throttle": "both"}, "throttle: .*allowed: source, lost"),
        (DurabilitySetting, {"blocks": 100_000_000, "replicas": 30}, "too many replicas"),
        (AvailabilitySetting, {"means": ()}, "means: has too few items"),
        (AvailabilitySetting, {"means": (0.5, 1.0)}, r"means\[1\]: is out of range"),
        (SchedulingSetting, {"mean_gap_s": 2}, "mean_gap: is out of range; found 2 s; allowed: 3 s or more"),
        (SchedulingSetting, {"batch_share": 0}, "batch_share: is out of range"),
    ],
)
def test_a_setting_that_cannot_be(kind: Any, wrong: dict[str, Any], message: str) -> None:
    """Is refused with its field."""
    with pytest.raises(InputError, match=message):
        kind(**wrong)


def test_a_tick_is_the_time_of_one_block() -> None:
    """Thirty an hour are one every two minutes; space is shared by all servers."""
    setting = DurabilitySetting(blocks=5000, days=90)
    assert (setting.tick_s, setting.ticks, setting.capacity(300)) == (120, 90 * 720, 100)
