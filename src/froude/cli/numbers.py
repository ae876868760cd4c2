"""Numbers on the command line: what typer's own ranges let pass is refused here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import typer

from froude.base.errors import InputError
from froude.base.units import parse_quantity


def finite(value: float | None) -> float | None:
    """The callback of an option with a range, which NaN is never outside of; None for one that is not given.

    Raises:
        typer.BadParameter: NaN or infinite.
    """
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value


def amount(
    unit: str, each: float = 1, *, least: float = -math.inf, most: float = math.inf
) -> Callable[[Any], float]:
    """The parser of an option that is a time or a size: `10 min` and `4 GB`, or a bare number of its own unit.

    Args:
        unit: `s` or `B`.
        each: base units in the option's own, such as 1 << 30 of one in GiB.
        least: the smallest that is allowed, in the option's own unit.

    Raises:
        typer.BadParameter: another unit, no number, or out of range.
    """

    def parse(value: Any) -> float:
        try:
            quantity = parse_quantity(value)
        except InputError as error:
            raise typer.BadParameter(str(error)) from error
        number = float(quantity.value) / (each if quantity.unit else 1)
        if quantity.unit not in {"", unit} or not least <= number <= most:
            example = "10 min" if unit == "s" else "4 GB"
            limits = f", {least:g} to {most:g} as a number" if math.isfinite(least) else ""
            raise typer.BadParameter(f"{value!r} is not allowed here: an amount such as {example}{limits}")
        return number

    return parse
