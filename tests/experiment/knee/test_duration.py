"""How long plays of a search take."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.emulation.settings import Mode
from froude.experiment.knee.duration import check_time_limit, estimate_text, load_of, longest_s, shortest_s
from froude.experiment.scenario.options import KneeOptions, Load, WorkloadLoad
from froude.workload.extrapolate import extrapolate
from froude.workload.scale import Scale
from testbed.plans import workload

PLAN = extrapolate(workload(("CID-1",)), Scale.of(datanodes=2, clients=2, files=2))


@pytest.mark.parametrize("sustained", [True, False])
def test_the_estimate_and_the_least_time_limit_are_one_number(sustained: bool) -> None:
    """Both are with what is done before and after a play."""
    options = KneeOptions(time_limit_s=1.0, load=Load(duration_s=25.0), warm_up_s=3.0)
    load = load_of(options, 1.0, sustained=sustained)
    with pytest.raises(
        InputError, match=r"allowed: 28 s and more" if sustained else "allowed: 31 s and more"
    ):
        check_time_limit(options, load, PLAN)
    text = estimate_text(options.replaced(time_limit_s=None), load, PLAN)
    assert ("28 s at most" if sustained else "about 31 s") in text


def test_a_sustained_play_has_two_bounds() -> None:
    """The shortest is steady at once; a warm-up or a duration that is shorter bounds it as well."""
    load = load_of(KneeOptions(), 1.0, sustained=True)
    assert (shortest_s(load), longest_s(KneeOptions(), load, PLAN)) == (25.0, 75.0)
    cold = load_of(KneeOptions(warm_up_s=0.0), 1.0, sustained=True)
    assert shortest_s(cold) == cold.duration_s == 15.0
    short = load_of(KneeOptions(load=Load(duration_s=20.0)), 1.0, sustained=True)
    assert shortest_s(short) == 20.0


def test_a_play_is_no_shorter_than_what_is_measured_of_it() -> None:
    """One error names both times and the way out; of a job that is played once nothing is measured apart."""
    options = KneeOptions(load=Load(duration_s=10.0))
    with pytest.raises(
        InputError, match=r"^--duration: .* found 10 s; allowed: 15 s and more\. A shorter `meas"
    ):
        load_of(options, 1.0, sustained=True)
    assert load_of(options, 1.0, sustained=False).duration_s == 10.0


def test_a_play_once_takes_what_the_recorded_times_tell() -> None:
    """And some seconds of calls before it; a time limit that is shorter is refused, where any is known."""
    options = KneeOptions(time_limit_s=5.0, load=Load(duration_s=30.0))
    load = load_of(options, 1.0, sustained=False)
    assert (load.mode, load.measure_s, shortest_s(load)) == (Mode.ONCE, None, 0.0)
    seconds = longest_s(options, load, PLAN)
    assert seconds == 40.0
    with pytest.raises(InputError, match=r"--time-limit: .*The job is played once at each load"):
        check_time_limit(options, load, PLAN)
    check_time_limit(KneeOptions(time_limit_s=44.0), load, PLAN)
    assert estimate_text(KneeOptions(), load, PLAN).startswith(
        "the first play takes about 43 s; 40 plays at most"
    )
    endless = load_of(KneeOptions(), 1.0, sustained=False)
    assert longest_s(KneeOptions(), endless, PLAN) is None
    assert estimate_text(KneeOptions(), endless, PLAN).startswith("how long a play takes is not known; ")


@pytest.mark.parametrize(("sustained", "mode"), [(True, Mode.POPULATION), (False, Mode.ONCE)])
def test_the_load_of_a_scenario_is_played_either_way(sustained: bool, mode: Mode) -> None:
    """A scenario allows no other mode than a population; a job without clients in parallel is played once."""
    options = KneeOptions(load=WorkloadLoad(workload=Path("w.yaml"), ramp=50.0))
    load = load_of(options, 2.0, sustained=sustained)
    assert (load.mode, load.speed, load.ramp) == (mode, 2.0, 50.0)


@pytest.mark.parametrize(("limit_s", "plays"), [(None, 40), (28.0, 1), (60.0, 2), (36_000.0, 40)])
def test_a_time_limit_bounds_the_plays(limit_s: float | None, plays: int) -> None:
    """As many as the shortest ones fit into it, and one at least."""
    options = KneeOptions(time_limit_s=limit_s)
    load = load_of(options, 1.0, sustained=True)
    check_time_limit(options, load, PLAN)
    number = "1 play" if plays == 1 else f"{plays} plays"
    assert f"; {number} at most" in estimate_text(options, load, PLAN)
