"""Slices of a duet as values: two targets with a moment of the machine that both share."""

from __future__ import annotations

import math
import random

from froude.experiment.duet.slices import Slice

METHODS = {"create": 0.002, "getFileInfo": 0.0004, "addBlock": 0.004}
"""Service time, seconds."""


def slices(
    number: int,
    factor: float = 1.0,
    *,
    cpu: float = 1.0,
    spread: float = 0.05,
    errors: float = 0.0,
    seed: int = 0,
) -> list[Slice]:
    """Slices of three seconds, in which all times are up to three times as long as in others.

    Args:
        factor: of the candidate's service times.
        cpu: of the candidate's CPU time for a call.
        spread: standard deviation of the logarithm of each method's time that is its own.
        errors: the candidate's, in each slice of 3,000 calls.
    """
    rng = random.Random(seed)
    found = []
    for at in range(number):
        moment = math.exp(abs(rng.gauss(0, 0.5)))

        def own(value: float, moment: float = moment) -> float:
            return value * moment * math.exp(rng.gauss(0, spread))

        service = {name: (own(time_s), own(time_s * factor)) for name, time_s in METHODS.items()}
        cost = own(1e-4), own(1e-4 * cpu)
        found.append(Slice(3.0 * at, 3.0 * at + 3, service, (3000.0, 3000.0), (0.0, errors), cost))
    return found
