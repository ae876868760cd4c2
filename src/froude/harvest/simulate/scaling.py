"""Utilisation brought to another mean: linear scaling and the n-th root (harvesting paper, section 6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from froude.base.errors import InputError
from froude.harvest.simulate.settings import Scaling
from froude.harvest.telemetry.datacenter import Floats, Shares

BINS = 1 << 16
"""Of the utilisations that a factor is found from: the mean is exact to about a hundred-thousandth."""
STEPS = 60
"""Of the bisection: from any range to the last digit of a float."""
_LIMIT = 1e6
"""Largest factor that is tried."""


def scaled(utilisation: Shares, scaling: Scaling, factor: float) -> Shares:
    """Utilisation at another level; what was not measured stays so.

    Args:
        utilisation: any shape, 0 to 1.
        factor: above 0; 1 changes nothing, more raises it.
    """
    values: Shares = _apply(utilisation, scaling, factor).astype(np.float32)
    return values


def factor_for(utilisation: Shares, servers: npt.ArrayLike, scaling: Scaling, mean: float) -> float:
    """The factor that brings the mean over all servers to a wanted one, by bisection.

    Args:
        utilisation: shape (tenants, slots), 0 to 1.
        servers: shape (tenants,): how many each has.
        mean: wanted, above 0 and below 1.

    Raises:
        InputError: it cannot be reached, since too many samples are 0.
    """
    weights, means = _distribution(utilisation, servers)
    share = weights / weights.sum()

    def reached(factor: float) -> float:
        return float((share * _apply(means, scaling, factor)).sum())

    low, high = 1 / _LIMIT, _LIMIT
    if not reached(low) <= mean <= reached(high):
        allowed = f"{reached(low):.3g} to {reached(high):.3g} for these series"
        raise InputError("cannot be the mean utilisation", found=f"{mean:g}", allowed=allowed)
    for _ in range(STEPS):
        middle = (low * high) ** 0.5  # factors differ by ratio
        low, high = (middle, high) if reached(middle) < mean else (low, middle)
    return float((low * high) ** 0.5)


def _apply(values: npt.NDArray[Any], scaling: Scaling, factor: float) -> npt.NDArray[Any]:
    if scaling is Scaling.LINEAR:
        return np.minimum(values * factor, 1.0)
    return np.asarray(values ** (1.0 / factor))


def _distribution(utilisation: Shares, servers: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Weights and means of the bins that hold any sample, so that one pass over the series serves all factors."""
    weights, sums = np.zeros(BINS), np.zeros(BINS)
    for values, count in zip(utilisation, np.asarray(servers, float), strict=True):
        measured = values[~np.isnan(values)].astype(np.float64)
        bins = np.minimum((measured * BINS).astype(np.int64), BINS - 1)
        weights += count * np.bincount(bins, minlength=BINS)
        sums += count * np.bincount(bins, measured, BINS)
    held = weights > 0
    if not held.any():
        raise InputError("has no measured utilisation", found="none in any slot")
    return weights[held], sums[held] / weights[held]
