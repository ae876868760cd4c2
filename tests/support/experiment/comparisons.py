"""Runs of two arms as values: latencies of a known size, with a part that each run has for itself."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

from froude.emulation.run.bottleneck import CPU, Measured
from froude.emulation.run.run import Run
from froude.emulation.run.tally import Tally

METHODS = {"create": 0.002, "addBlock": 0.004}
"""Median latency, seconds."""


def run(
    number: int,
    factor: float = 1.0,
    *,
    rng: random.Random | None = None,
    spread: float = 0.05,
    **changes: Any,
) -> Run:
    """A run of 600 calls of each method.

    Args:
        number: when it was made: hours since the epoch.
        factor: of every latency.
        rng: of the run's own part, which every call of it has, and of the calls.
        spread: standard deviation of the logarithm of that part.
        changes: fields of the run.
    """
    rng = rng or random.Random(number)
    own = factor * math.exp(rng.gauss(0, spread))
    tally = Tally()
    for method, median_s in METHODS.items():
        series = tally.of(method)
        series.sent = series.answered = 600
        # the same shape in every run: what differs is the run's own part
        series.actual += [median_s * own * math.exp((at - 300) / 300) for at in range(600)]
        series.intended += [each + 0.001 for each in series.actual]
    tally.close_interval(1.0)
    metrics = [Measured(float(s), {CPU: 0.2 * s * own}) for s in range(11)]
    given: dict[str, Any] = {
        "nodes": {"client": 2},
        "scale": {"files": "9"},
        "metrics": metrics,
        "environment": {"cores": "2"},
        "inputs": ("ab" * 32,),
        **changes,
    }
    return Run(tally, "127.0.0.1:1", f"CID-{number}", 3600.0 * number, 10.0, **given)


def arms(
    runs: int, factor: float = 1.0, *, seed: int = 0, spread: float = 0.05, turns: bool = True, **changes: Any
) -> dict[str, list[Run]]:
    """A baseline and a candidate, as `compare` takes them.

    Args:
        runs: of each arm.
        factor: by which the candidate is slower.
        seed: of the runs' own parts.
        spread: of them.
        turns: whether the arms' runs were made in turns.
        changes: fields of every run.
    """
    rng = random.Random(seed)

    def arm(first: int, times: float) -> Iterator[Run]:
        for at in range(runs):
            number = 2 * at + first if turns else at + first * runs
            yield run(number, times, rng=rng, spread=spread, **changes)

    return {"baseline": list(arm(0, 1.0)), "candidate": list(arm(1, factor))}
