"""The parts of an experiment: what goes together, and what a player makes of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.emulation.settings import (
    Connections,
    DatanodeSettings,
    Mode,
    NodemanagerSettings,
    Record,
    Turnover,
)
from froude.experiment.scenario.options import (
    KneeOptions,
    Load,
    Nodes,
    PlanLoad,
    PlayOptions,
    Running,
    Target,
    WorkloadLoad,
    parse_web,
)

RUNNING = {"any": Running(address="h:1")}


@pytest.mark.parametrize("rate", [math.inf, -math.inf, math.nan, 0.0, -1.0, 1e300])
@pytest.mark.parametrize("name", ["speed", "ramp"])
def test_rates_that_are_none(name: str, rate: float) -> None:
    """As on the command line."""
    options: Any = {name: rate}
    said = rf"{name}: is out of range; found .*; allowed: 0\.0\d+ to 1,000,000"
    with pytest.raises(InputError, match=said):
        Load(**options)


def test_a_duration_must_be_one() -> None:
    """Zero seconds are no play; a text has its unit."""
    with pytest.raises(InputError, match="duration: "):
        Load(duration_s=0)
    five: Any = "5 min"
    assert Load(duration_s=five).duration_s == 300


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        (Target, {"running": RUNNING, "heap": "2 GB"}, "heap: is for a NameNode that Froude starts"),
        (Target, {"running": RUNNING, "image": "name"}, "image: "),
        (Target, {"heap": "1 MB"}, "heap: "),
        (Target, {"release": "x"}, "release"),
        (Running, {"address": "namenode"}, "address: "),
        (Running, {"address": "h:1", "http": "h"}, "http: "),
        (Load, {"clients_per_s": 2.0}, "clients_per_s: is for arrivals"),
        (
            Load,
            {"mode": "population", "connections": Connections(pool=0)},
            "connections.pool: would leave a connection",
        ),
        (PlanLoad, {}, "plan: is missing, and so is a workload"),
        (PlanLoad, {"plan": "p", "workload": "w"}, "plan: is given beside a workload"),
        (PlanLoad, {"plan": "p", "at": {"files": 3}}, "at: is for a workload"),
        (
            Load,
            {"mode": "population", "duration_s": 10, "measure_s": 20},
            "measure: is longer than the whole play; found 20 s; allowed: at most the duration, 10 s",
        ),
        (
            PlayOptions,
            {"load": {"mode": "once", "measure": "5 s"}},
            "load.measure: is for a load that is kept up",
        ),
        (PlayOptions, {"load": {"leftovers": "remove"}}, "load.leftovers: needs clients that follow"),
        (PlayOptions, {"load": {"mode": "population"}}, "load.duration: is needed with the mode population"),
        (
            KneeOptions,
            {"load": Load(mode=Mode.ARRIVALS, clients_per_s=2)},
            "load.mode: is no load of a search",
        ),
        (KneeOptions, {"load": {"mode": "population"}}, "load.mode: is not a field here"),
        (WorkloadLoad, {"workload": Path("w"), "measure_s": 20, "duration_s": 10}, "measure: is longer"),
        (
            PlayOptions,
            {
                "load": {"duration": "60 s"},
                "abort_when": ["calls_per_s > 1 for 60 s", "error_rate > 5 % for 2 min"],
            },
            r"abort_when\[1\]: must hold for longer than the whole play; found 120 s; allowed: at most the duration",
        ),
        (PlayOptions, {"limits": ["p98 < 1 s"]}, r"limits\[0\]: is no measure"),
    ],
)
def test_what_does_not_go_together(kind: Any, options: dict[str, Any], said: str) -> None:
    """Is refused with the field that says so."""
    with pytest.raises(InputError, match=said):
        kind(**options)


def test_what_a_player_takes() -> None:
    """By kind of program."""
    assert Nodes().programs == {"datanode": DatanodeSettings(), "nodemanager": NodemanagerSettings()}


def test_options_take_texts() -> None:
    """As a document has them; they are of no scenario, so a run keeps none."""
    word: Any = "full"
    options = PlayOptions(record=word)
    assert options.record is Record.FULL
    assert options.kept(Path("run")) is None


@pytest.mark.parametrize("text", ["h", "h:", "h:0", "h:65536", "h:²", ":80", "h:1000000"])
def test_a_web_address_that_is_none(text: str) -> None:
    """Digits are those of ASCII."""
    with pytest.raises(InputError, match=r"--http: not a web address"):
        parse_web(text, place="--http")
    assert parse_web("http://h:80/") == ("h", 80)


def test_clients_that_follow_each_other() -> None:
    """What a player takes; the first of a population begin within a quarter of the play."""
    assert Load().turnover == Turnover()
    assert Load(mode=Mode.POPULATION, duration_s=60).turnover == Turnover(Mode.POPULATION, 0.0, 15.0)
    assert Load(mode=Mode.ARRIVALS, clients_per_s=3, duration_s=8).turnover == Turnover(
        Mode.ARRIVALS, 3.0, 2.0
    )
