"""Further formulas that fit what was recorded as well as the simplest: which is right the recordings do not say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.mining.counts import FARTHER, Fit, Points, alike, every_fit, varied_in
from froude.workload.remarks import always_together
from froude.workload.scale import Count

MOST = 6
"""Formulas that are kept beside the simplest."""
_PARTS = 4
"""Of sizes up to the largest seen, those at which formulas are compared."""
_SMALLEST_PIECE = 1 << 16
"""Bytes."""


def rivals(fit: Fit, points: Points, *, name: str = "", pieces: Sequence[int] = ()) -> tuple[Count, ...]:
    """The formulas that are exact at every point, of whatever form, beside the one that was found.

    None of them has another variable instead of one that rose with it in every run, of which `workload.remarks` tells,
    unless it is as simple. What was the same in every run is held to be constant.

    Args:
        fit: what was found for these points.
        points: (scale, count seen) of each run.
        name: what is counted; formulas over a variable called like it have no others beside them.
        pieces: sizes of pieces that things may be cut into; bytes may always be cut by powers of two.

    Returns:
        At most `MOST`, simplest first; none that equals the fit's at all sizes up to a multiple of those seen.
    """
    if fit.count is None or not fit.count.variables:
        return ()
    varied, scales = varied_in(points), [scale for scale, _ in points]
    # Beside whole multiples of one variable a sum over others would be an accident, for it has more numbers to choose.
    multiple = set(fit.count.slopes) == fit.count.variables and len(fit.count.slopes) == 1
    multiple = (
        multiple
        and fit.count.whole
        and (fit.count.intercept, fit.count.cap, fit.count.per) == (0, None, None)
    )
    exact = every_fit(points, sorted({*pieces, *_usual_pieces(points, varied)}), sums=not multiple)
    ranked = [*fit.others, *(count for count in exact if not _substituted(count, fit.count, scales))]
    if alike(fit.count, name):
        ranked = [count for count in ranked if alike(count, name)]
    if not ranked:
        return ()
    sizes = list(_around(points, varied))
    kept: dict[tuple[float | None, ...], Count] = {}
    for count in (fit.count, *ranked):
        kept.setdefault(tuple(_value(count, scale) for scale in sizes), count)
    return tuple(kept.values())[1 : MOST + 1]


def _usual_pieces(points: Points, varied: Sequence[str]) -> Iterator[int]:
    """Powers of two from 64 KiB on, in which bytes are usually cut."""
    bytes_ = [scale[name].value for scale, _ in points for name in varied if scale[name].unit]
    size = _SMALLEST_PIECE
    while size < max(bytes_, default=0):
        yield size
        size *= 2


def _substituted(count: Count, best: Count, scales: Sequence[Mapping[str, Quantity]]) -> bool:
    """Whether a count has a variable instead of one that always rose with it."""
    return any(
        always_together(scales, new, old)
        for new in count.variables - best.variables
        for old in best.variables - count.variables
    )


def _around(points: Points, varied: Sequence[str]) -> Iterator[Mapping[str, Quantity]]:
    """The first and the last run with one variable of another size, up to a multiple of its largest."""
    for name in varied:
        largest = max(scale[name].value for scale, _ in points)
        for scale in (points[0][0], points[-1][0]):
            for part in range(1, FARTHER * _PARTS + 1):
                yield {**scale, name: Quantity(float(math.ceil(largest * part / _PARTS)), scale[name].unit)}


def _value(count: Count, scale: Mapping[str, Quantity]) -> float | None:
    try:
        return round(max(0.0, count.at(scale)), 6)
    except InputError:
        return None
