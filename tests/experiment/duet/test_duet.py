"""Both plays of a duet are measured from one moment on, and end together."""

from __future__ import annotations

import pytest

from froude.base.progress import Silent
from froude.emulation.engine import Order, Status
from froude.emulation.run.bottleneck import CPU, MASTER, Load
from froude.emulation.run.tally import IntervalRow, Served
from froude.emulation.settings import Mode
from froude.experiment.compare.compare import Outcome
from froude.experiment.duet.duet import _cpu, _Stage, _watch, load_of
from froude.experiment.duet.verdict import BATCHES, LOOKS, Look
from froude.experiment.scenario.options import DuetComparing, DuetOptions, Sending
from froude.hadoop.metrics.jmx import Sample, Sampler
from froude.hadoop.metrics.threads import COLLECTOR, COMPILER
from testbed.virtual_clock import VirtualClock
from tests.support.experiment.duets import slices


def status(time_s: float, calls: int, calls_per_s: float = 100.0, errors: int = 0) -> Status:
    """What a player reports; its last whole second ended a moment ago."""
    row = IntervalRow(time_s - 0.1, "create", 1, 1, 0, 1.0, 1.0, 1.0, 1.0)
    served = {"create": Served(calls, 0.002 * calls, -6.2 * calls)}
    load = Load(time_s, 0.5, 1, 10, 1)
    return Status(load, True, calls_per_s, 1.0, "create", errors, rows=[row], served=served)


def sampler(values: dict[str, float], clock: VirtualClock) -> Sampler:
    """One that has seen a target once."""
    return Sampler(dict, clock, samples=[Sample(clock.now(), values)])


def test_both_are_measured_once_both_are_steady() -> None:
    """The first that is steady waits for the other; each player is told once."""
    clock = VirtualClock()
    stage = _Stage(clock, warm_up_s=100.0, limit_s=600.0)
    first, second = stage.ordered(0), stage.ordered(1)
    for at in range(1, 20):
        clock.advance_to(float(at))
        assert first(status(at, 100 * at), None) == Order.GO_ON
        assert second(status(at, 100 * at, calls_per_s=10.0 * at), None) == Order.GO_ON
    assert stage.arms[0].steady
    assert not stage.arms[1].steady
    seen = []
    for at in range(20, 60):
        clock.advance_to(float(at))
        seen.append((first(status(at, 100 * at), None), second(status(at, 100 * at), None)))
    assert [each.count(Order.MEASURE) for each in zip(*seen, strict=True)] == [1, 1]
    assert stage.measured_s is not None
    assert all(arm.steady for arm in stage.arms)


def test_what_never_is_steady_is_measured_after_the_warm_up() -> None:
    """When both have been called for so long."""
    clock = VirtualClock()
    stage = _Stage(clock, warm_up_s=5.0, limit_s=600.0)
    orders = [stage.ordered(number) for number in (0, 1)]
    clock.advance_to(7.0)
    assert orders[0](status(7.0, 1), None) == Order.GO_ON
    assert orders[1](status(4.0, 1), None) == Order.GO_ON
    clock.advance_to(8.0)
    assert orders[1](status(5.0, 1), None) == Order.MEASURE
    assert orders[0](status(8.0, 1), None) == Order.MEASURE
    assert [arm.steady for arm in stage.arms] == [False, False]


def test_the_end_is_for_both() -> None:
    """Whatever they did until then."""
    stage = _Stage(VirtualClock(), warm_up_s=5.0, limit_s=600.0)
    stage.order = Order.DONE
    assert [stage.ordered(number)(status(1.0, 1), None) for number in (0, 1)] == [Order.DONE] * 2


def test_slices_are_on_one_clock() -> None:
    """A play begins when its earliest report says so; reports that come late move nothing."""
    clock = VirtualClock()
    stage = _Stage(clock, warm_up_s=0.0, limit_s=48.0)
    assert stage.slices() == []
    orders = [stage.ordered(number) for number in (0, 1)]
    for at in range(1, 12):
        for number, begun_s in enumerate((10.0, 10.5)):
            clock.advance_to(begun_s + at + (0.2 if at % 2 else 0.0))
            orders[number](status(at, 50 * at, errors=at), None)
    assert [arm.begun_s for arm in stage.arms] == [10.0, 10.5]
    found = stage.slices()
    for each in found[1:]:
        assert each.calls == pytest.approx((50 * (each.to_s - each.from_s),) * 2)
    assert len(found) >= 4
    assert len(stage.slices(until_s=found[1].to_s)) == 2


def test_cpu_of_every_daemon_without_compiler_and_collector() -> None:
    """Of a NameNode and a ResourceManager together; nothing of a sample that has none."""
    clock = VirtualClock()
    values = {CPU: 10.0, COMPILER: 2.0, COLLECTOR: 1.0, MASTER + CPU: 5.0, MASTER + COMPILER: 0.5}
    assert _cpu(sampler(values, clock)) == [(clock.now(), 11.5)]
    assert _cpu(sampler({"JvmMetrics.GcCount": 1.0}, clock)) == []


def test_the_load_is_kept_up_until_the_duet_ends_it() -> None:
    """As it was asked for otherwise."""
    options = DuetOptions(
        load=Sending(speed=2.0, ramp=50.0), compare=DuetComparing(time_limit_s=100.0, warm_up_s=20)
    )
    load = load_of(options)
    assert (load.mode, load.speed, load.ramp, load.measure_s) == (Mode.POPULATION, 2.0, 50.0, None)
    assert load.duration_s is not None
    assert load.duration_s > 100.0


class _Play:
    """A play that is over once it was asked so often."""

    def __init__(self, asked: int) -> None:
        self.left = asked

    def done(self) -> bool:
        self.left -= 1
        return self.left < 0


def watched(factor: float, asked: int = 10_000) -> tuple[_Stage, list[Look]]:
    """A duet of 480 s that is measured from its beginning; slices come as time passes."""
    stage = _Stage(VirtualClock(), warm_up_s=0.0, limit_s=480.0)
    stage.measured_s = 0.0
    every = slices(160, factor)
    stage.slices = lambda until_s: [each for each in every if each.to_s <= until_s]  # type: ignore[method-assign,assignment]
    looks: list[Look] = []
    plays = [_Play(asked), _Play(asked)]
    options = DuetOptions(compare=DuetComparing(time_limit_s=480.0))
    with Silent().task("Duet") as task:
        _watch(stage, plays, options, task, looks)  # type: ignore[arg-type]
    return stage, looks


def test_a_clear_look_ends_the_duet() -> None:
    """Of a large difference the second; each look is of all that was measured up to it."""
    stage, looks = watched(1.5)
    assert ([look.number for look in looks], looks[-1].outcome) == ([1, 2], Outcome.WORSE)
    assert (stage.order, stage.clock.now()) == (Order.DONE, pytest.approx(192.0, abs=1.0))
    assert len(looks[1].rows[0].baseline) == 2 * BATCHES


def test_the_last_look_ends_it_undecided() -> None:
    """And so does a play that is over before its time, at which the other is ended."""
    stage, looks = watched(1.0)
    assert looks[-1].clear or len(looks) == LOOKS
    stage, looks = watched(1.0, asked=3)
    assert (stage.order, looks) == (Order.DONE, [])
