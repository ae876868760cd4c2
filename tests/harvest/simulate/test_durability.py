"""A year of reimages, by policy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.harvest.place.policies import PRESETS, preset
from froude.harvest.simulate.durability import Case, compare, simulate, year_of
from froude.harvest.simulate.settings import DurabilitySetting, Throttle
from froude.harvest.telemetry.datacenter import Reimages
from tests.support.harvest.even import datacenter

SMALL = DurabilitySetting(blocks=5000, days=90)
KNOWN = datacenter()


def test_a_year_is_cut_from_the_history() -> None:
    """Time starts at the moment; what was before made the classes, what comes later is left out."""
    year = year_of(KNOWN, 10 * 86_400.0, days=20)
    assert 0 <= year.wipes.time_s.min() <= year.wipes.time_s.max() < 20 * 86_400
    assert year.layout.servers == 300
    with pytest.raises(
        InputError, match=r"has no reimages to simulate; found none in 365 days from 1e\+09 s"
    ):
        year_of(KNOWN, 1e9)


def test_every_policy_over_paired_runs() -> None:
    """In one call; all see the same wipes, and what is wiped of living blocks is repaired or waits."""
    year = year_of(KNOWN, 0.0, days=90)
    found = compare([year], SMALL, Seeds(1), runs=2)
    assert [each.policy for each in found] == [policy.name for policy in PRESETS]
    for each in found:
        assert [outcome.run for outcome in each.outcomes] == [0, 1]
        for outcome in each.outcomes:
            gone = outcome.wiped - outcome.repaired - outcome.waiting
            assert gone == 3 * outcome.lost
            assert outcome.placed + outcome.refused == 5000
            assert 0 < outcome.busy_share < 1
        assert each.lost.least <= each.lost.mean <= each.lost.most


def test_a_run_is_repeated_exactly() -> None:
    """The same seeds give the same outcome, others another."""
    year = year_of(KNOWN, 0.0, days=90)
    one, two, other = (simulate(Case(year, SMALL, preset("random"), Seeds(seed), 0)) for seed in (1, 1, 2))
    assert one == two
    assert one != other


def wiped_together() -> Reimages:
    """Every day, both tenants of an environment lose all their disks within a minute."""
    server = np.concatenate([np.flatnonzero(np.arange(300) // 10 % 15 == day % 15) for day in range(60)])
    times = np.repeat(np.arange(60) * 86_400.0, 20)
    return Reimages(server.astype(np.int32), times)


def test_environments_that_are_wiped_as_one_lose_no_block_that_is_spread_over_them() -> None:
    """Random placement loses some; distinct environments none; racks within tenants make stock HDFS the worst."""
    year = replace(year_of(KNOWN, 0.0), wipes=wiped_together())
    policies = [preset(name) for name in ("stock", "random", "environment", "history")]
    stock, random, environment, history = compare([year], SMALL, Seeds(3), policies, runs=1)
    assert stock.lost.mean > random.lost.mean > 0
    assert environment.lost.mean == history.lost.mean == 0


def test_loss_against_how_full_it_is() -> None:
    """Hard constraints refuse blocks when little space is left; soft ones are relaxed, and counted."""
    year = year_of(KNOWN, 0.0, days=30)
    history = preset("history")
    found = compare(
        [year], SMALL.replaced(days=30), Seeds(1), [history, history.softened()], runs=1, fills=[0.5, 1.0]
    )
    assert [(each.policy, each.setting.fill) for each in found] == [
        ("history", 0.5),
        ("history", 1.0),
        ("history, soft", 0.5),
        ("history, soft", 1.0),
    ]
    half, full, _, soft = (each.outcomes[0] for each in found)
    assert half.refused == 0 < full.refused
    assert soft.refused < full.refused
    assert sum(full.relaxed.values()) == 0 < sum(soft.relaxed.values())


def test_settings_check_themselves() -> None:
    """A tick is the time of one block; impossible numbers are refused."""
    assert (SMALL.tick_s, SMALL.ticks) == (120, 90 * 720)
    assert SMALL.throttle is Throttle.SOURCE
    assert SMALL.capacity(300) == 100
    with pytest.raises(InputError, match="fill: is out of range"):
        DurabilitySetting(fill=1.5)
    with pytest.raises(InputError, match="are too many replicas"):
        DurabilitySetting(blocks=100_000_000, replicas=30)
