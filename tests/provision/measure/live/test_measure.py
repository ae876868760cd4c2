"""The order of a measurement and its ends, on model devices and a virtual clock."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from froude.base.errors import InputError, TargetError
from froude.base.progress import Silent
from froude.base.units import KIB, MIB
from froude.provision.measure.live.fio import FioJob, Ran
from froude.provision.measure.live.measure import Request, Session, check_region
from froude.provision.measure.live.target import Opened, StorageKind, StorageTarget
from froude.provision.measure.measurement import Measurement
from froude.provision.measure.steady_state import Rule
from froude.provision.types import Op
from testbed.virtual_clock import VirtualClock

pytest.importorskip("scipy")

_RATE, _GAP = 90e6, 8e-3
_REGION = 160 * MIB
_SIZES = (4 * KIB, 200 * KIB, MIB)


class Model:
    """A device with a rate and a gap, on a clock of its own; writes may begin quicker than they go on."""

    def __init__(self, factor: Callable[[int], float] = lambda number: 1.0) -> None:
        self.clock = VirtualClock()
        self.jobs: list[FioJob] = []
        self.factor = factor

    def run(self, job: FioJob, limit_s: float) -> Ran:
        """One job; the factor depends on how many there were."""
        self.jobs.append(job)
        seconds = (job.record_size / _RATE + _GAP) * self.factor(len(self.jobs))
        took = job.seconds if job.seconds is not None else job.size / _RATE
        self.clock.advance_to(self.clock.now() + took)
        return Ran(max(1, int(took / seconds)), seconds)


def _measured(model: Model, *, read_only: bool = False, **request: Any) -> Measurement:
    target = StorageTarget(StorageKind.DEVICE, "/dev/sdx", _REGION, _REGION, read_only=read_only)
    asked = Request(**({"sizes": _SIZES} | request))
    return Session(Opened(target, ()), asked, model.run, model.clock).measured(Silent())


def test_a_model_device_is_found_back() -> None:
    """Rate and gap of both directions, all steady in the fewest rounds."""
    measured = _measured(Model())
    assert measured.steady
    for op in (Op.READ, Op.WRITE):
        fit = measured.fit_of(op)
        assert fit is not None
        assert fit.rate_gap.rate == pytest.approx(_RATE)
        assert fit.rate_gap.gap == pytest.approx(_GAP)
        assert [len(sample.rounds) for sample in fit.samples] == [5, 5, 5]


def test_first_everything_is_written_once_then_at_random() -> None:
    """The slices of the filling touch each byte once; then the smallest records, until steady; then the reads."""
    model = Model()
    _measured(model)
    filling = [job for job in model.jobs if job.pattern == "write"]
    assert filling == model.jobs[: len(filling)]
    ends = [(job.offset, job.offset + job.size) for job in filling]
    assert ends[0][0] == 0
    assert ends[-1][1] == _REGION
    assert all(end == start for (_, end), (start, _) in pairwise(ends))
    rest = model.jobs[len(filling) :]
    assert [(job.pattern, job.record_size) for job in rest[:6]] == [("randwrite", 4 * KIB)] * 5 + [
        ("randread", 4 * KIB)
    ]


def test_reads_only_write_nothing() -> None:
    """No filling, no wearing in, one direction."""
    model = Model()
    measured = _measured(model, read_only=True)
    assert not any(job.writes for job in model.jobs)
    assert measured.preconditioned is None
    assert [fit.op for fit in measured.fits] == [Op.READ]


def test_every_round_goes_to_other_places() -> None:
    """Of the same places a cache would answer; the same seed gives the same places again."""
    models = [Model(), Model(), Model()]
    for model, seed in zip(models, (1, 1, 2), strict=True):
        _measured(model, seed=seed)
    seeds = [[job.seed for job in model.jobs if job.seconds is not None] for model in models]
    assert len(set(seeds[0])) == len(seeds[0])
    assert seeds[0] == seeds[1] != seeds[2]
    assert all(0 <= seed < 1 << 63 for seed in seeds[0])


def test_a_device_that_slows_down_is_waited_for() -> None:
    """The quick beginning, while there is free flash, does not count: it is worn in until the last five are alike."""
    model = Model(lambda number: 0.3 if number <= 6 else 1.0)  # three slices of filling and three rounds
    measured = _measured(model)
    patterns = [job.pattern for job in model.jobs]
    assert patterns[: patterns.index("randread")] == ["write"] * 3 + ["randwrite"] * 8
    assert measured.preconditioned
    assert all(fit.rate_gap.gap == pytest.approx(_GAP) for fit in measured.fits)


def test_a_restless_device_is_said_to_be_one() -> None:
    """After the most rounds the figures stand, with the status beside them."""
    model = Model(lambda number: 1.0 + 0.5 * (number % 2))
    measured = _measured(model, rule=Rule(rounds=7))
    assert not measured.steady
    assert measured.preconditioned is False
    assert {len(sample.rounds) for fit in measured.fits for sample in fit.samples} == {7}
    assert not any(sample.steady for fit in measured.fits for sample in fit.samples)


def test_when_time_is_up_each_size_gets_one_round() -> None:
    """The whole is bounded, and what is left is there and not steady."""
    model = Model()
    measured = _measured(model, time_limit_s=17.0)
    rounds = [len(sample.rounds) for fit in measured.fits for sample in fit.samples]
    assert rounds[-1] == 1
    assert not measured.steady
    assert model.clock.now() < 17 + 2.0 * 7


def test_a_region_that_cannot_be_filled_in_time() -> None:
    """Nothing measured on it would mean anything."""
    with pytest.raises(TargetError, match="not filled in time; found 40%"):
        _measured(Model(), time_limit_s=0.4)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"sizes": (4096,)}, "too few"),
        ({"sizes": (4096, 4000)}, "whole blocks"),
        ({"sizes": (4096, 0)}, "--sizes: "),
        ({"sizes": (4096, 8192)}, "too much alike"),
        ({"round_s": 0.0}, "--round"),
        ({"round_s": float("nan")}, "--round"),
        ({"time_limit_s": 0.0}, "--time-limit"),
    ],
)
def test_requests_out_of_range(request_: dict[str, Any], said: str) -> None:
    """Each is named by its flag."""
    with pytest.raises(InputError, match=said):
        Request(**request_)


def test_the_region_must_hold_some_of_the_largest() -> None:
    """Four at least: else every record lies at the same place."""
    target = StorageTarget(StorageKind.FILE, "/data", 39 * MIB)
    with pytest.raises(InputError, match="40MiB or more"):
        check_region(target, Request())
    check_region(StorageTarget(StorageKind.FILE, "/data", 40 * MIB), Request())


def test_how_long_it_takes_at_least() -> None:
    """Five rounds for each size and direction, and for the wearing in."""
    both, reads = (
        StorageTarget(StorageKind.FILE, "x", MIB),
        StorageTarget(StorageKind.DEVICE, "x", MIB, read_only=True),
    )
    assert Request().least_seconds(both) == pytest.approx(110)
    assert Request().least_seconds(reads) == pytest.approx(50)
