"""Figures in the sentences of a plan."""

from __future__ import annotations

_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")


def size(size_bytes: float) -> str:
    """A size with three digits, in decimal units as on pages: `210 MB`.

    Args:
        size_bytes: 0 or more.
    """
    value, unit = float(size_bytes), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.3g} {_UNITS[unit]}"


def rate(per_s: float) -> str:
    """A rate with three digits: `120/s`."""
    return f"{per_s:,.0f}/s" if per_s >= 100 else f"{per_s:.3g}/s"
