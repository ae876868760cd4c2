"""Whether samples are the utilisation of servers: what is something else is refused rather than clipped or averaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from froude.base.errors import InputError
from froude.base.summary import counted
from froude.harvest.telemetry.datacenter import Floats, Ints

_FEW = 0.02
"""Share of the values that may be odd by mistake."""
_MOST_ODD = 0.1
"""Share of samples that may be below 0, or at the time of another one of their server with another value."""
_BEYOND = 1.2
"""Share of a server that is more than rounding, or a boost of its clock, shows."""
_SEVERAL = 20
"""Steps that show a counter."""
_COLUMN = "Name the column of its utilisation: --column cpu=NAME"


def shares_factor(path: Path, values: Floats, in_percent: bool | None, flag: str) -> float:
    """By which values become shares.

    Args:
        path: one of the files, for an error.
        values: shape (n,), NaN where there is none.
        in_percent: what is known of them; None if the values are to show it.
        flag: that says it.

    Raises:
        InputError: the values do not show it.
    """
    if in_percent is None:
        known = values[np.isfinite(values)]
        above = int((known > 1).sum())
        if not above or above < _FEW * len(known):
            remedy = f"Say which it is: {flag} share, or {flag} percent"
            most = f"no value above {known.max():g}"
            found = f"{above:,} of {counted(len(known), 'value')} above 1" if above else most
            raise InputError("may have percent or shares", file=path, found=found, remedy=remedy)
        in_percent = True
    return 0.01 if in_percent else 1.0


def refuse_range(path: Path, share: Floats, flag: str, *, most: bool) -> None:
    """Refuse values that are no shares of a server.

    Args:
        path: one of the files, for an error.
        share: shape (n,), NaN where there is no value.
        flag: that says what values count to.
        most: whether values far above 1 are refused, as they are not of a published trace.

    Raises:
        InputError: many are below 0, or far above 1.
    """
    known = share[np.isfinite(share)]
    if (negative := int((known < 0).sum())) > _MOST_ODD * len(share):
        found = f"{negative:,} of {counted(len(share), 'sample')} below 0"
        raise InputError("has another column for its utilisation", file=path, found=found, remedy=_COLUMN)
    if most and (beyond := int((known > _BEYOND).sum())) > _FEW * len(known):
        found = f"{beyond:,} of {counted(len(known), 'value')} above {_BEYOND:.0%}, up to {known.max():,.0%}"
        other = f"say what it counts in with {flag}, or divide what counts several cores by their number"
        message = "has values that are not a utilisation of a server"
        raise InputError(message, file=path, found=found, remedy=f"{_COLUMN}; {other}")


def refuse_series(path: Path, server: Ints, time_s: Floats, share: Floats) -> None:
    """Refuse series of something else, as far as their order shows it.

    Args:
        path: one of the files, for an error.
        server: shape (n,), as are the others: the number of the server of each sample.
        time_s: in any order.
        share: NaN where there is no value.

    Raises:
        InputError: many samples are at the time of another one of their server, or values only grow. n log n.
    """
    order = np.lexsort((time_s, server))
    same = np.diff(server[order]) == 0
    step_s, rise = np.diff(time_s[order])[same], np.diff(share[order])[same]
    again = int((np.abs(rise[step_s == 0]) > 0).sum())
    if again > max(1, _MOST_ODD * len(share)):
        found = f"{again:,} of {counted(len(share), 'sample')} at the time of another one, with another value"
        remedy = "Keep the rows of one metric, or name the column of its servers: --column server=NAME"
        raise InputError(
            "has several values of one server at one time", file=path, found=found, remedy=remedy
        )
    rise = rise[np.isfinite(rise) & (step_s > 0)]
    grown = int((rise > 0).sum())
    if len(rise) >= _SEVERAL and grown > (1 - _FEW) * len(rise):
        found = f"{grown:,} of {counted(len(rise), 'step')} up"
        remedy = "Take the differences of a counter, or its rate"
        raise InputError("has values that only grow", file=path, found=found, remedy=remedy)
