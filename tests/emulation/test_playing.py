"""A job played in a process: what is measured of it."""

from __future__ import annotations

import math

import pytest

from froude.emulation import playing
from froude.emulation.engine import QUANTILES, PlayJob
from froude.emulation.playing import _affordable, _quantiles_ms, _so_far
from froude.emulation.programs.population import PlaySettings
from froude.emulation.run.tally import Tally
from froude.emulation.settings import Connections
from froude.messages.schema import Schema
from testbed.plans import plan


def test_all_that_can_be_told_of_a_play() -> None:
    """Of both phases together; quantiles as the histogram itself has them."""
    tally = Tally()
    tally.begin_ramp()
    tally.of("create").sent = 2
    tally.of("create").errors["java.io.IOException"] += 1
    tally.end_ramp(1.0)
    tally.of("create").sent, tally.of("create").answered = 3, 1
    tally.of("create").errors["java.io.IOException"] += 2
    tally.of("create").actual += [0.001, 0.1]
    tally.close_interval(1.0)
    counts, served = _so_far(tally)
    assert (counts, dict(tally.errors)) == ({"create": (5, 1)}, {("create", "java.io.IOException"): 3})
    calls, total_s, logs = served["create"]
    assert (calls, total_s, math.exp(logs / calls)) == (2, pytest.approx(0.101), pytest.approx(0.01))
    assert _quantiles_ms(tally.lateness) == {}
    tally.lateness.add(at / 1000 for at in range(1, 1001))
    told = _quantiles_ms(tally.lateness)
    assert list(told) == list(QUANTILES)
    assert [told[q] for q in QUANTILES[:-1]] == tally.lateness.quantiles_ms(QUANTILES[:-1])


def test_a_connection_each_where_the_descriptors_of_a_player_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own nodes count, not those of all players; of more nodes several share one, and a remark names the limit."""
    monkeypatch.setattr(playing, "raise_descriptor_limit", lambda: 164)
    each = Connections(pool=0, user="root")
    job = PlayJob(plan(), Schema({}, {}), PlaySettings(connections=each))
    assert _affordable(job, 100) == (each, [])
    connections, (remark,) = _affordable(job, 101)
    assert connections == Connections(pool=50, user="root")
    assert remark == "101 nodes share 50 connections a type: this process may open 100 descriptors"
