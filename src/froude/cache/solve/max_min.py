"""Weighted max-min: a capacity poured over vessels with floors and ceilings until it is used up or all are full.

Nobody can get more without somebody getting less who has, for its weight, no more. It splits IOPS by demand, and the
space of policies that know weights only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_NONE = 1e-12
"""Weights this small beside the largest count as 0."""


def fill(
    capacity: float, weights: Sequence[float], floors: Sequence[float], ceilings: Sequence[float]
) -> Floats:
    """How much each gets: weight times a common level, but its floor at least and its ceiling at most.

    Floors that exceed the capacity together are kept in proportion, as far as it goes. n log n.

    Args:
        capacity: what there is, 0 or more.
        weights: 0 or more each, shape (n,); one of 0 gets its floor. All 0 count as all alike.
        floors: 0 or more each.
        ceilings: at least its floor each; infinite for none.

    Returns:
        Amounts, shape (n,), whose sum is the smaller of the capacity and all ceilings, if every weight is above 0.
    """
    low, high = np.asarray(floors, float), np.asarray(ceilings, float)
    weight = np.asarray(weights, float)
    if not len(low):
        return low
    if low.sum() >= capacity:
        return low * (capacity / low.sum()) if capacity else np.zeros_like(low)
    weight = weight / weight.max() if weight.max() > 0 else np.ones_like(low)
    weighed = weight > _NONE
    levels = np.unique(
        np.concatenate([low[weighed] / weight[weighed], high[weighed] / weight[weighed], [0.0]])
    )
    levels = levels[np.isfinite(levels)]

    def poured(level: float) -> Floats:
        return np.where(weighed, np.clip(weight * level, low, high), low)

    # the last level at which some vessel begins or ends to fill and there is still something left
    first, last = 0, len(levels)
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (middle, last) if poured(levels[middle]).sum() <= capacity else (first, middle)
    amounts = poured(levels[first])
    above = levels[first] + 1.0 if last == len(levels) else (levels[first] + levels[last]) / 2
    rising = weighed & (weight * above > low) & (weight * above < high)
    if rising.any():
        amounts = amounts + np.where(rising, weight, 0.0) * (
            (capacity - amounts.sum()) / weight[rising].sum()
        )
    return np.clip(amounts, low, high)


def split_iops(
    capacity: float,
    weights: Sequence[float],
    demands: Sequence[float],
    floors: Sequence[float],
    ceilings: Sequence[float],
) -> list[int]:
    """Caps in operations a second: first what is wanted, then the rest for what may be wanted next.

    A cap is no weight: what one VM leaves unused another may not use until the next plan, so all is given away.

    Args:
        weights: 0 or more, by VM.
        floors: the least that it is left.
        ceilings: the most; infinite for none.

    Returns:
        Whole numbers whose sum never exceeds the capacity; each 1 or more where that is possible.
    """
    wanted = [
        min(max(demand, floor), most) for demand, floor, most in zip(demands, floors, ceilings, strict=True)
    ]
    first = fill(capacity, weights, floors, wanted)
    caps = [int(amount + 1e-6) for amount in fill(capacity, weights, first.tolist(), ceilings)]
    spare = int(capacity) - sum(caps)
    for number, (cap, most) in enumerate(zip(caps, ceilings, strict=True)):
        if cap or most < 1:
            continue
        largest = max(range(len(caps)), key=lambda each: caps[each] - floors[each])
        if not spare and caps[largest] - max(1, floors[largest]) < 1:
            break
        caps[number] = 1  # a VM without any would hang
        caps[largest] -= not spare
        spare = max(0, spare - 1)
    return caps
