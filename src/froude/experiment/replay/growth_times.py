"""How far a copy of clients may be moved in time so that copies depend on each other as clients do.

Where clients act by themselves, copies that act at the same instant would make peaks that no larger cluster has. Where
clients act together, as jobs that begin at full hours do, copies that are moved would wash the peaks out. So the log
says for each group of clients at which time scale it begins to act together with the others: for widths from a tenth of
a second to an hour, whether its lines rise and fall with theirs from one interval to the next, beyond what they do when
its lines are moved round by any time.

Source: ours; differences of neighbouring intervals, as in the Allan variance, which a slow rise and fall does not enter.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
_WIDTHS_MS = (
    100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
    3_600_000,
)  # fmt: skip
_TRIES = 50
"""Times by which lines are moved round, to know what is usual."""
_BEYOND = 3.0
"""Standard deviations beyond what is usual that count as acting together; by chance it is about 1 in 700."""
_LEAST_INTERVALS, _LEAST_LINES = 20, 20
"""Below, nothing can be said of a width, or of a group."""


def independent_ms(times_ms: Ints, groups: Ints, rng: np.random.Generator) -> Ints:
    """(groups,) the longest time within which each acts independently of the others; 0 for none.

    A group that has too few lines gets what the group of the middle line has.

    Args:
        times_ms: (lines,) of each line.
        groups: (lines,) number of its group, from 0; each number is met.
        rng: for the moved lines.
    """
    times = times_ms - times_ms.min()
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    parts = np.split(times[order], np.cumsum(sizes)[:-1])
    longest, known = np.zeros(len(sizes), np.int64), sizes >= _LEAST_LINES
    going = known.copy()
    for width in _WIDTHS_MS:
        intervals = int(times.max()) // width
        if intervals < _LEAST_INTERVALS or len(sizes) < 2:
            break
        whole = np.bincount(times // width, minlength=intervals + 1)[:intervals]
        for group in np.flatnonzero(going).tolist():
            if _together(parts[group] // width, whole, rng):
                going[group] = False
            else:
                longest[group] = width
    if known.any() and not known.all():
        longest[~known] = middle(longest[known], sizes[known])
    return longest


def middle(values: Ints, weights: Ints) -> int:
    """The value of the middle one of things that have a weight."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order])
    return int(values[order][np.searchsorted(ends, ends[-1] / 2)])


def _together(own: Ints, whole: Ints, rng: np.random.Generator) -> bool:
    """Whether lines rise and fall with those of others: the sum over intervals of the products of both differences.

    Args:
        own: (lines,) interval of each line of a group.
        whole: (intervals,) lines of all groups.
        rng: for moved lines.
    """
    places, counts = np.unique(own[own < len(whole)], return_counts=True)
    rest = whole.copy()
    rest[places] -= counts
    moves = np.concatenate(([0], rng.integers(1, len(whole), size=_TRIES)))
    at = places + moves[:, None]
    curved = 2 * rest[at % len(whole)] - rest[(at - 1) % len(whole)] - rest[(at + 1) % len(whole)]
    products = curved @ counts
    usual = products[1:]
    return bool(products[0] > usual.mean() + _BEYOND * max(float(usual.std()), 1e-9))
