"""A history that goes on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.harvest.live.history import History
from tests.support.harvest.datacenters import made

DAY = 86400.0
NOW = 1_795_000_000.0 // DAY * DAY
"""A midnight in 2026."""
RAMP = np.vstack([np.tile(np.arange(24) / 100, 3), np.full(72, 0.5)])


def known(*, end_s: float = NOW, days: int = 31) -> History:
    """Three days by the hour of two tenants, ended at a time, as seen at NOW."""
    return History(replace(made(RAMP), start_s=end_s - 3 * DAY), NOW, days=days)


def test_samples_of_a_slot_are_one_mean_and_others_are_gaps() -> None:
    """Servers that nobody knows are left out; a clock that went back counts as standing still."""
    history = known()
    history.add(NOW + 7200, {"s0": 0.2, "who": 1.0})
    history.add(NOW + 7300, {"s0": 0.4, "s1": 3.0})
    history.add(NOW + 100, {"s0": 0.6})
    found = history.datacenter()
    assert found.slots == 75
    assert found.start_s == NOW - 3 * DAY
    assert found.utilisation[0, -3:] == pytest.approx([np.nan, np.nan, 0.4], nan_ok=True)
    assert found.utilisation[1, -1] == 1.0


@pytest.mark.parametrize(("ended", "moved_days"), [(NOW, 0), (NOW - 6 * DAY, 0), (NOW - 15 * DAY, 14)])
def test_an_old_past_is_moved_by_whole_weeks(ended: float, moved_days: int) -> None:
    """So that it ends within the last week, and weekdays stay."""
    history = known(end_s=ended)
    assert history.moved_s == moved_days * DAY
    assert history.datacenter().start_s == ended - 3 * DAY + moved_days * DAY


def test_the_window_moves_on_by_days() -> None:
    """Two days and what there is of today; a long absence leaves gaps only."""
    history = known(days=2)
    history.add(NOW + 3600, {"s0": 0.9})
    found = history.datacenter()
    assert (found.start_s, found.slots) == (NOW - 2 * DAY, 50)
    history.add(NOW + 40 * DAY, {"s0": 0.9})
    found = history.datacenter()
    assert found.start_s + found.slots * 3600 == NOW + 40 * DAY + 3600
    assert int((~np.isnan(found.utilisation)).sum()) == 1


def test_what_was_not_seen_is_filled_for_classes_with_the_usual_hour() -> None:
    """Of a tenant that was ever seen at that hour."""
    history = known()
    history.add(NOW + 2 * DAY - 3600, {"s0": 0.23})
    found = history.to_classify()
    assert found.slots == 5 * 24
    assert found.utilisation[0, -24:] == pytest.approx(np.arange(24) / 100)
    assert found.utilisation[1] == pytest.approx(0.5)


def test_the_next_hour_is_that_of_the_days_before() -> None:
    """The most of it; a server whose past is not known is absent."""
    history = known()
    assert history.expected(NOW + 5 * 3600) == pytest.approx({"s0": 0.06, "s1": 0.5})
    empty = History(replace(made(np.full((1, 24), np.nan)), start_s=NOW - DAY), NOW)
    assert empty.expected(NOW) == {}


def test_reimages_keep_their_moments() -> None:
    """When the window moves, their times count from its new begin."""
    base = replace(made(RAMP), start_s=NOW - 3 * DAY)
    wiped = replace(base.reimages, server=np.array([0], np.int32), time_s=np.array([DAY]))
    history = History(replace(base, reimages=wiped), NOW, days=2)
    history.add(NOW, {})
    assert history.datacenter().reimages.time_s.tolist() == [0.0]


def test_slots_that_no_day_is_made_of() -> None:
    """Are refused."""
    with pytest.raises(InputError, match="slots that no day is made of; found 7000 s"):
        History(made(RAMP, slot_s=7000.0), NOW)
