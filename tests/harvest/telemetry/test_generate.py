"""Generated datacenters have the properties that they were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.seeds import Seeds
from froude.harvest.classify.characterise import characterise
from froude.harvest.telemetry.correlation import Correlation
from froude.harvest.telemetry.generate import MONTH_S, generate
from froude.harvest.telemetry.profiles import PROFILES, Profile, Racks


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 30), st.integers(0, 90), st.sampled_from(Racks))
def test_every_tenant_has_servers_and_a_pattern(seed: int, tenants: int, more: int, racks: Racks) -> None:
    """Of any size; utilisation is a share, and reimages are of the months that were asked for."""
    profile = Profile("p", tenants=tenants, servers=tenants + more, racks=racks)
    made = generate(profile, Seeds(seed), days=2, months_before=2, months_after=1)
    assert len(made.servers) == tenants + more
    assert made.tenant_servers.min() >= 1
    assert set(made.truth["pattern"].tolist()) == {0, 1, 2}
    assert 0 < made.utilisation.min() <= made.utilisation.max() <= 1
    assert made.utilisation.shape == (tenants, 2 * 720)
    assert np.bincount(made.server_rack).max() <= profile.rack_servers
    if len(made.reimages.time_s):
        assert made.reimages.time_s.min() >= -2 * MONTH_S
        assert made.reimages.time_s.max() < MONTH_S + 600


def test_the_same_seed_gives_the_same() -> None:
    """And another one gives another."""
    profile = Profile("p", tenants=9, servers=40)
    one, again, other = (generate(profile, Seeds(seed), days=2) for seed in (1, 1, 2))
    assert np.array_equal(one.utilisation, again.utilisation)
    assert np.array_equal(one.reimages.time_s, again.reimages.time_s)
    assert not np.array_equal(one.utilisation, other.utilisation)


def test_the_mean_and_the_rate_are_those_of_the_profile() -> None:
    """Over many servers and months, within what chance explains many times over."""
    profile = Profile("p", tenants=100, servers=2000, mean=0.4, reimages=0.5)
    made = generate(profile, Seeds(3), days=2, months_before=60)
    weight = made.tenant_servers / len(made.servers)
    assert abs(float(weight @ made.utilisation.mean(axis=1)) - 0.4) < 0.01
    assert abs(len(made.reimages.server) / 60 / 2000 - 0.5) < 0.1


def test_events_hit_many_servers_of_one_group_at_once() -> None:
    """Where all reimages are correlated and of tenants, each ten minutes strike one tenant or few."""
    profile = Profile("p", tenants=10, servers=400, correlated=1.0, scopes=(1.0, 0.0, 0.0))
    made = generate(profile, Seeds(3), days=2, months_before=6)
    together = np.split(made.reimages.server, np.flatnonzero(np.diff(made.reimages.time_s) > 600) + 1)
    largest = max(together, key=len)
    assert len(largest) > 3
    assert len(set(made.server_tenant[largest].tolist())) <= 2


def test_events_of_measured_sizes() -> None:
    """As many servers of a rack at once as were seen, at times that chance makes."""
    others = Correlation(1.0, (0.0, 0.0, 1.0), ((7, 1),))
    profile = Profile("p", tenants=10, servers=400).like(others)
    made = generate(profile, Seeds(3), days=2, months_before=6)
    together = np.split(made.reimages.server, np.flatnonzero(np.diff(made.reimages.time_s) > 600) + 1)
    alone = [each for each in together if len(each) == 7]
    assert len(alone) > len(together) / 2
    assert all(len(set(made.server_rack[each].tolist())) == 1 for each in alone)
    assert abs(len(made.reimages.server) / 6 / 400 - profile.reimages) < 0.1


@pytest.mark.parametrize("name", PROFILES)
def test_tenants_stay_among_their_like(name: str) -> None:
    """Four in five change the tercile of reimages at most eight times in 35 months (Figure 6 of the paper)."""
    made = generate(PROFILES[name], Seeds(0), days=2)
    moves = characterise(made).moves
    assert (moves <= 8).mean() >= 0.8
