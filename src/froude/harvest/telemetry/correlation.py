"""How wipes, or failures, come together: what is known of others, and how one's own record compares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Which share comes together, with whom, and how many at once."""

    share: float
    """Of all, those that come with another one."""
    scopes: tuple[float, float, float]
    """Of these, those that come with others of the tenant, the environment, the rack."""
    sizes: tuple[tuple[int, int], ...] = ()
    """How many come at once, and how often; none where that is not known."""


@dataclass(frozen=True, slots=True)
class Together:
    """How failures of one rack and day compare with chance."""

    correlation: Correlation
    failures: int
    """Servers that failed, by day."""
    pairs: int
    """Of the same rack and day."""
    by_chance: float
    """Pairs to be expected if the racks' failures were dealt out to the days at random."""


SSD_FAILURES = Correlation(
    1979 / 16642,
    (0.0, 0.0, 1.0),
    (
        (2, 493), (3, 110), (4, 36), (5, 8), (6, 9), (7, 5), (8, 5), (10, 1), (17, 1), (20, 1), (21, 2), (28, 1),
        (34, 1), (37, 1), (39, 2), (42, 2),
    ),
)  # fmt: skip
"""Racks and days of the SSD failures of two years at Alibaba (Han et al., FAST 2021); `together` finds it there."""


def together(server: Numbers, rack: Numbers, day: Numbers) -> Together:
    """How often servers of one rack fail on one day; n log n.

    Args:
        server: shape (failures,): which; a server that fails twice a day counts once.
        rack: shape (failures,): where it stands.
    """
    once = np.unique(np.stack([server, day, rack], axis=1), axis=0)
    _, size = np.unique(once[:, 1:], axis=0, return_counts=True)
    many, times = np.unique(size[size > 1], return_counts=True)
    total = len(once)
    same_day = _pairs(np.unique(once[:, 1], return_counts=True)[1]) / max(1, total * (total - 1) / 2)
    of_racks = _pairs(np.unique(once[:, 2], return_counts=True)[1])
    share = float((many * times).sum()) / max(1, total)
    sizes = tuple(zip(many.tolist(), times.tolist(), strict=True))
    return Together(Correlation(share, (0.0, 0.0, 1.0), sizes), total, int(_pairs(size)), of_racks * same_day)


def _pairs(counts: Numbers) -> float:
    return float((counts * (counts - 1) // 2).sum())
