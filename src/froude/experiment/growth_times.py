"""How far a copy of a client may be moved in time so that copies are as independent of each other as clients are.

Where clients act by themselves, copies that act at the same instant would make peaks that no larger cluster has. Where
clients act together, as jobs that begin at full hours do, copies that are moved would wash the peaks out. So the log is
asked at which time scale its clients begin to act together: for widths from a tenth of a second to an hour, whether
lines change from one interval to the next more than they do when each client's lines are moved round by a time of its own.

Source: ours; the differences of neighbouring intervals are the Allan variance, which a slow rise and fall does not enter.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
_WIDTHS_MS = (
    100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
    3_600_000,
)  # fmt: skip
_TRIES = 19
"""Moved logs to compare with; clients are taken to act together where the log is beyond all of them: 5 % by chance."""
_LEAST = 20
"""Intervals below which nothing can be said of a width."""
_LIKELY = 1.05
"""By how much at least it must be beyond them."""


def independent_ms(times_ms: Ints, clients: Ints, rng: np.random.Generator) -> int:
    """The longest time within which clients act independently of each other; 0 where they act together from the start.

    Args:
        times_ms: (lines,) of each line.
        clients: (lines,) number of its client, from 0.
        rng: for the moved logs.
    """
    if len(times_ms) == 0 or clients.max() == 0:
        return 0
    times = times_ms - times_ms.min()
    lasts = int(times.max()) + 1
    moves = [rng.integers(lasts, size=int(clients.max()) + 1) for _ in range(_TRIES)]
    longest = 0
    for width in _WIDTHS_MS:
        if lasts // width < _LEAST:
            break
        likely = max(_roughness((times + move[clients]) % lasts, lasts, width) for move in moves)
        if _roughness(times, lasts, width) > _LIKELY * likely:
            break
        longest = width
    return longest


def _roughness(times: Ints, lasts: int, width: int) -> float:
    """Sum of the squared differences of neighbouring intervals' counts; the last, shorter one is left out."""
    counts = np.bincount(times // width, minlength=lasts // width + 1)[: lasts // width]
    return float((np.diff(counts).astype(float) ** 2).sum())
