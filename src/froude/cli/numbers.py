"""Numbers on the command line: what typer's own ranges let pass is refused here."""

from __future__ import annotations

import math

import typer

from froude.base.errors import InputError


def finite(value: float | None) -> float | None:
    """The callback of an option with a range, which NaN is never outside of; None for one that is not given.

    Raises:
        typer.BadParameter: NaN or infinite.
    """
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value


def ranged(flag: str, value: float, low: float, high: float) -> float:
    """A number between two, both allowed.

    Args:
        flag: its name, for the error.
        value: as the user gave it.
        low: the least that is allowed.
        high: the most that is allowed.

    Raises:
        InputError: outside of the range, or not a number.
    """
    if not low <= value <= high:
        raise InputError("is out of range", place=flag, found=value, allowed=f"{low:g} to {high:g}")
    return value
