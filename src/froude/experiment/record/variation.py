"""What recordings can and cannot tell apart: variables that never varied, variables that rose together.

A count that follows two variables which rose together, along a line, could follow either; one more small run, in
which one of them changes alone, settles it. A sum over several variables has one coefficient each and a constant: as
many runs are needed, none of which follows from the others. `next_run` says which comes next.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from froude.base.units import Quantity
from froude.workload.remarks import always_together
from froude.workload.scale import Scale

Runs = Sequence[Mapping[str, Quantity]]
"""The Scale of each recording."""
_MOST_CANDIDATES = 20_000


@dataclass(frozen=True, slots=True)
class Variation:
    """How the variables of some recordings vary."""

    constant: tuple[str, ...]
    """Variables with one value in all runs, sorted."""
    together: tuple[tuple[str, str], ...]
    """Pairs of which one was a line over the other in all runs, both up or one up and one down; sorted."""
    next_run: Scale | None
    """The smallest run that would separate the most of those pairs, and then settle a coefficient; None where there is
    nothing to settle."""
    free: int = 0
    """Coefficients of a sum over three or more that varied which the runs leave open: of three variables in three
    runs, 1. Of two, a pair that rose together says it."""


def variation(runs: Runs) -> Variation:
    """How the variables of some recordings vary; variables that a run lacks are looked at in the others.

    Args:
        runs: the Scale of each recording.
    """
    names = sorted({name for run in runs for name in run})
    values = {name: sorted({run[name] for run in runs if name in run}) for name in names}
    varied = [name for name in names if len(values[name]) > 1]
    free = _free(runs, varied)
    together = tuple(pair for pair in itertools.combinations(varied, 2) if always_together(runs, *pair))
    return Variation(
        tuple(name for name in names if len(values[name]) == 1),
        together,
        _next_run(runs, values, together) if together or free else None,
        free,
    )


def _free(runs: Runs, varied: Sequence[str]) -> int:
    """How many coefficients of a sum over variables the runs leave open; those that lack one are looked at without."""
    rows = [[run[name].value for name in varied] for run in runs if all(name in run for name in varied)]
    if len(varied) < 3 or not rows:
        return 0
    points = np.array(rows, dtype=float)
    apart = points - points[0]
    return len(varied) - int(np.linalg.matrix_rank(apart / (np.abs(apart).max(axis=0) + 1e-300)))


def _next_run(
    runs: Runs, values: Mapping[str, Sequence[Quantity]], together: Sequence[tuple[str, str]]
) -> Scale:
    """Of recorded runs with one variable at another recorded value, the one that leaves the least open."""
    varied = [name for name in sorted(values) if len(values[name]) > 1]

    def weight(candidate: Mapping[str, Quantity]) -> tuple[int, int, int, list[int]]:
        left = sum(always_together([*runs, candidate], *pair) for pair in together)
        ranks = [values[name].index(candidate[name]) for name in candidate]
        return (
            left,
            _free([*runs, candidate], varied),
            sum(ranks),
            [-rank for rank in ranks],
        )  # of two of one size, the one with more of the first

    order = dict.fromkeys(name for run in runs for name in run)
    candidates = itertools.islice(_changed(runs, values), _MOST_CANDIDATES)
    best = min(candidates, key=weight)
    return Scale({name: best[name] for name in order if name in best})


def _changed(runs: Runs, values: Mapping[str, Sequence[Quantity]]) -> Iterator[Mapping[str, Quantity]]:
    for run in runs:
        for name in run:
            yield from ({**run, name: value} for value in values[name] if value != run[name])
