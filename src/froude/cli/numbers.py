"""Numbers on the command line: what typer's own ranges let pass is refused here."""

from __future__ import annotations

import math

import typer


def finite(value: float) -> float:
    """The callback of an option with a range, which NaN is never outside of.

    Raises:
        typer.BadParameter: NaN or infinite.
    """
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value
