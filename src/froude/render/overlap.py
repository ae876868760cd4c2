"""Lines that lie on one another: the lower one is drawn wider, so that it shows on both sides of what covers it."""

from __future__ import annotations

import math

from froude.render.prepare import Panel, ShownSeries

_NEAR = 0.01
"""Share of an axis within which two points lie on one another."""
_COVERED = 0.25
"""Share of two lines' common points from which one covers the other."""


def covers(panel: Panel, extent: tuple[float, float] | None, *, log: bool) -> list[int]:
    """By how many later lines each line of a panel is covered; a dashed line covers none.

    Args:
        panel: lines in the order in which they are drawn.
        extent: lowest and highest value of the axis, in its base unit.
        log: whether the axis is logarithmic.
    """
    low, high = (_placed(end, log=log) for end in extent or (1.0, 10.0))
    near = _NEAR * (high - low)
    later = range(len(panel.series))
    return [
        sum(_covered(line, panel.series[other], near, log=log) for other in later[number + 1 :])
        for number, line in enumerate(panel.series)
    ]


def _covered(line: ShownSeries, over: ShownSeries, near: float, *, log: bool) -> bool:
    above = {x: y for x, y in zip(over.xs, over.ys, strict=True) if y is not None}
    both = [(y, above[x]) for x, y in zip(line.xs, line.ys, strict=True) if y is not None and x in above]
    close = sum(abs(_placed(y, log=log) - _placed(other, log=log)) <= near for y, other in both)
    return bool(both) and not over.dashed and close > _COVERED * len(both)


def _placed(value: float, *, log: bool) -> float:
    return math.log(value) if log else value
