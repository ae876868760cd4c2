"""How long an access waits for its unit, and at how many units that is worth a thought.

Accesses arrive at random and share n equal units; each is an M/G/1 queue:
W = lambda / n * E[sigma^2] / (2 (1 - busy / n)), the mean wait before service.

Source: Pollaczek and Khinchine; that datasets have levels of units is ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from froude.provision.model.copies import Work

_EVERY_UNIT = 8
_STEP = 1.25
_MOST = 4.0
_NOTICED = 1e-3
"""A wait below this part of the mean service time is no reason for more units."""
_FULL = 1 - 1e-9


def mean_wait(works: Sequence[Work], units: float) -> float:
    """Seconds that an access waits on average, in the phase where that is longest; infinite at full load.

    Args:
        works: of the units, one for each phase.
        units: that share the work; need not be whole.
    """
    if any(work.busy >= units * _FULL for work in works):
        return math.inf
    return max((work.squares / (2 * (units - work.busy)) for work in works), default=0.0)


def levels(works: Sequence[Work], least: float) -> Iterator[float]:
    """Numbers of units, ascending: `least`, each of the next eight, then by a quarter up to four times.

    Those that would be full all the time are left out, and none follows one whose wait is not noticed.

    Args:
        works: per phase.
        least: to begin with, above 0.
    """
    busiest = max(works, key=lambda work: work.busy, default=Work())
    accesses = busiest.reads + busiest.writes
    noticed = _NOTICED * busiest.busy / accesses if accesses else math.inf
    first = least if busiest.busy < least * _FULL else math.floor(busiest.busy / _FULL) + 1.0
    for units in _steps(first):
        yield units
        if mean_wait(works, units) <= noticed:
            return


def _steps(first: float) -> Iterator[float]:
    yield first
    units = math.floor(first)
    for _ in range(_EVERY_UNIT):
        units += 1
        yield float(units)
    while (units := math.ceil(units * _STEP)) <= first * _MOST:
        yield float(units)
