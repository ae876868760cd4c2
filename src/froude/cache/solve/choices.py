"""What a VM can be given, in steps of its hypervisor's SSD, and what each step costs: the table that solvers work on.

Only steps where the curve falls are worth choosing, so a VM has as many choices as its curve has points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from froude.cache.curves import MissRatioCurve
from froude.cache.solve.max_min import Floats

Ints = npt.NDArray[np.int64]
STEPS = 1024
"""Of an SSD: the finest split considered is a thousandth of it, or the granule where that is larger."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What a VM can be given above its floor."""

    units: Ints
    """Steps of the SSD, ascending from 0. Shape (k,)."""
    costs: Floats
    """Of each: what the VM's misses cost at that size, and what it writes to the SSD."""


def choices(
    curve: MissRatioCurve,
    weight: float,
    step_bytes: int,
    floor_bytes: int,
    most: int,
    *,
    fill: float = 0.0,
    keep: float = 0.0,
) -> Choices:
    """The sizes worth choosing, with their costs; linear in the points of the curve.

    Args:
        weight: what it costs to miss every read; 0 or more.
        most: steps above it that the VM may have.
        fill: what it costs to write every chunk that is read to the SSD; a cache writes those that it misses.
        keep: what it costs to have a cache at all: what is written through it.
    """
    # a size within a step is reached at its end
    steps = -(-(np.asarray(curve.sizes_bytes) - floor_bytes) // step_bytes)
    ratios = np.asarray(curve.miss_ratio)
    last = np.append(steps[1:] != steps[:-1], True)
    worth = last & (steps > 0) & (steps <= most)
    units = np.concatenate([[0], steps[worth]]).astype(np.int64)
    missed = np.concatenate([[curve.at(floor_bytes)], ratios[worth]])
    costs = missed * (weight + fill) + keep
    if not floor_bytes:
        costs[0] = missed[0] * weight
    return Choices(units, costs)


def step_of(space_bytes: int, granule_bytes: int, steps: int = STEPS) -> int:
    """Bytes of a step: multiples of the granule, so many that there are at most `steps` of them."""
    return granule_bytes * max(1, -(-space_bytes // (granule_bytes * steps)))
