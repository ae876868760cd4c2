"""Slices of a duet as values: two targets with a moment of the machine that both share."""

from __future__ import annotations

import math
import random
from typing import Any

from froude.emulation.run.bottleneck import CPU, Measured
from froude.emulation.run.run import Run
from froude.experiment.duet.duet import Duet
from froude.experiment.duet.slices import Slice
from froude.experiment.duet.verdict import LOOKS, look_at
from froude.experiment.scenario.options import DuetComparing, DuetOptions
from froude.hadoop.metrics.threads import COLLECTOR, COMPILER
from tests.support.experiment.comparisons import run

OPTIONS = DuetOptions(compare=DuetComparing())

NONE: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
"""No method that one target alone answered."""
METHODS = {"create": 0.002, "getFileInfo": 0.0004, "addBlock": 0.004}
"""Service time, seconds."""


def slices(
    number: int,
    factor: float = 1.0,
    *,
    cpu: float = 1.0,
    spread: float = 0.05,
    errors: float = 0.0,
    throughput: float = 1.0,
    seed: int = 0,
) -> list[Slice]:
    """Slices of three seconds, in which all times are up to three times as long as in others.

    Args:
        factor: of the candidate's service times.
        cpu: of the candidate's CPU time for a call.
        spread: standard deviation of the logarithm of each method's time that is its own.
        errors: the candidate's, in each slice of 3,000 calls.
        throughput: of the candidate's calls.
    """
    rng = random.Random(seed)
    found = []
    for at in range(number):
        moment = math.exp(abs(rng.gauss(0, 0.5)))

        def own(value: float, moment: float = moment) -> float:
            return value * moment * math.exp(rng.gauss(0, spread))

        service = {name: (own(time_s), own(time_s * factor)) for name, time_s in METHODS.items()}
        cost = own(1e-4), own(1e-4 * cpu)
        calls = own(3000.0) / moment, own(3000.0 * throughput) / moment
        found.append(Slice(3.0 * at, 3.0 * at + 3, service, NONE, calls, (0.0, errors), cost))
    return found


def arm(number: int, wait_ms: float, **changes: Any) -> Run:
    """A run of 480 s whose calls wait for the lock."""
    metrics = [
        Measured(
            float(at),
            {
                CPU: 0.5 * at,
                COMPILER: 0.05 * at,
                COLLECTOR: 0.01 * at,
                "RpcActivity.RpcLockWaitTimeNumOps": 1000.0 * at,
                "RpcActivity.RpcLockWaitTimeAvgTime": wait_ms * (1 + 0.01 * (at % 3)),
            },
        )
        for at in range(500)
    ]
    return run(number, metrics=metrics, **changes)


def duet(
    factor: float = 1.0, *, cpu: float = 1.0, spread: float = 0.05, wait_ms: float = 1.0, **changes: Any
) -> Duet:
    """One that was looked at five times."""
    found = slices(160, factor, cpu=cpu, spread=spread)
    looks = tuple(look_at(found[: 32 * at], at, margin=0.1, level=0.05) for at in range(1, LOOKS + 1))
    given: dict[str, Any] = {
        "runs": (arm(1, 1.0), arm(2, wait_ms)),
        "slices": tuple(found),
        "looks": looks,
        "begun_s": (0.0, 0.0),
        "steady": (True, True),
        "warm_up_s": 45.0,
        **changes,
    }
    return Duet(**given)
