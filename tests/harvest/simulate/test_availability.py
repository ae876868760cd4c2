"""Accesses that find every replica busy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.harvest.place.policies import PRESETS, preset
from froude.harvest.simulate.availability import availability, failed_share
from froude.harvest.simulate.settings import AvailabilitySetting, Scaling
from tests.support.harvest.even import datacenter

SMALL = AvailabilitySetting(means=(0.3, 0.66), blocks=3000, moments=40)
KNOWN = datacenter()


def test_an_access_fails_when_all_servers_are_busy() -> None:
    """Of two blocks at three moments: the first fails once, the second twice."""
    busy = np.array([[True, True, False], [True, False, False], [True, True, True]])
    assert failed_share(np.array([[0, 1], [0, 2]], np.int32), busy) == pytest.approx(3 / 6)


def test_failures_grow_with_utilisation_and_every_policy_is_there() -> None:
    """By policy and mean; the same runs for all."""
    found = availability(KNOWN, 0.0, SMALL, Seeds(1), runs=2)
    assert [(each.policy, each.mean) for each in found] == [
        (policy.name, mean) for policy in PRESETS for mean in SMALL.means
    ]
    for low, high in zip(found[::2], found[1::2], strict=True):
        assert low.spread.mean <= high.spread.mean
        assert high.factor > low.factor
        assert len(high.failed) == 2


def test_rows_of_peaks_keep_a_replica_where_tenants_are_quiet() -> None:
    """A third of the tenants is always busy, the rest never: with distinct rows no access fails, at random some do."""
    level = np.repeat([0.9, 0.3, 0.2], 10).astype(np.float32)
    known = replace(KNOWN, utilisation=np.broadcast_to(level[:, None], (30, 720)).copy())
    setting = AvailabilitySetting(means=(float(level.mean()),), blocks=3000, moments=10)
    found = availability(
        known, 0.0, setting, Seeds(1), [preset("random"), preset("rows+environment")], runs=1
    )
    random, rows = (each.spread.mean for each in found)
    assert random == pytest.approx(1 / 27, rel=0.3)
    assert rows == 0


def test_a_server_is_busy_above_the_limit_only() -> None:
    """Half of the servers use all of their CPU, and are not above all of it."""
    level = np.repeat([0.9, 0.1], 15).astype(np.float32)
    known = replace(KNOWN, utilisation=np.broadcast_to(level[:, None], (30, 720)).copy())
    setting = SMALL.replaced(means=(0.6,), busy=1.0)
    (found,) = availability(known, 0.0, setting, Seeds(1), [preset("random")], runs=1)
    assert found.failed == (0.0,)


def test_root_scaling_is_another_choice() -> None:
    """It has factors of its own."""
    found = availability(
        KNOWN, 0.0, SMALL.replaced(scaling=Scaling.ROOT), Seeds(1), [preset("random")], runs=1
    )
    assert found[0].factor != availability(KNOWN, 0.0, SMALL, Seeds(1), [preset("random")], runs=1)[0].factor


def test_classes_are_of_the_time_before_and_accesses_after() -> None:
    """Nothing is left after the last slot."""
    with pytest.raises(InputError, match="has no utilisation to simulate"):
        availability(KNOWN, 86_400.0, SMALL, Seeds(1))
    assert availability(KNOWN, 43_200.0, SMALL, Seeds(1), [preset("random")], runs=1)


def test_settings_check_themselves() -> None:
    """A mean of all of every server cannot be wanted."""
    with pytest.raises(InputError, match="means"):
        AvailabilitySetting(means=(1.0,))
    with pytest.raises(InputError, match="moments"):
        AvailabilitySetting(moments=0)


def test_what_was_not_measured_is_neither_busy_nor_idle() -> None:
    """Of ten tenants a third are busy, a third idle, the rest unknown: an access counts if all are known."""
    level = np.repeat([0.9, 0.1, np.nan], 10).astype(np.float32)
    known = replace(KNOWN, utilisation=np.broadcast_to(level[:, None], (30, 720)).copy())
    setting = SMALL.replaced(means=(0.5,), moments=10)
    (found,) = availability(known, 0.0, setting, Seeds(1), [preset("random")], runs=1)
    # Of three servers, each busy, idle or unknown by a third: of those that are all known an eighth are all busy.
    assert found.known[0] == pytest.approx(8 / 27, rel=0.1)
    assert found.failed[0] == pytest.approx(1 / 8, rel=0.3)


def test_gaps_do_not_favour_those_that_answer() -> None:
    """Samples that are missing at random leave the share that fails as it is; they take from its base."""
    chance = np.random.default_rng(3)
    level = np.where(chance.random((30, 720)) < 0.6, 0.9, 0.1).astype(np.float32)
    gaps = np.where(chance.random(level.shape) < 0.5, np.nan, level).astype(np.float32)
    setting = SMALL.replaced(means=(0.58,), moments=50)
    whole, some = (
        availability(replace(KNOWN, utilisation=each), 0.0, setting, Seeds(1), [preset("random")], runs=1)[0]
        for each in (level, gaps)
    )
    assert some.failed[0] == pytest.approx(whole.failed[0], rel=0.2)
    assert some.known[0] == pytest.approx(0.125, rel=0.2)
