"""How an axis is read: its title, where its ticks stand, and values with their units, as Vega expressions."""

from __future__ import annotations

import math
from typing import Any

from froude.render.types import Axis, ValueKind

Spec = dict[str, Any]
"""A part of a Vega-Lite specification."""
Range = tuple[float, float]

_TIME = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_SIZE = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
_UNITS = {ValueKind.DURATION: _TIME, ValueKind.BYTES: _SIZE}
_LONG = ((7200.0, 3600.0, "h"), (120.0, 60.0, "min"))
"""From how many seconds on a linear axis is read in a larger unit: the unit's seconds, and its name."""
_STEPS_S = tuple(
    float(step) for step in (30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
)
_MOST = 8
"""Ticks that do not crowd a panel of 150 pixels."""
_MOST_TIMES = 6
"""Ticks that do not crowd one of 300 pixels."""


def placed(axis: Axis, value: float) -> float:
    """Where a value stands on an axis's scale: a percentile at 1 / (1 - share), so that each nine has the same room."""
    return 1.0 / (1.0 - value) if axis.kind is ValueKind.PERCENTILE else value


def is_log(axis: Axis) -> bool:
    """Whether the axis is drawn on a logarithmic scale."""
    return axis.log or axis.kind is ValueKind.PERCENTILE


def axis_title(axis: Axis) -> str:
    """What stands at an axis: its title, its unit where the ticks do not carry one, and `log scale`."""
    parts = [axis.title]
    if axis.kind is ValueKind.NUMBER and axis.unit != axis.title:
        parts.append(axis.unit)
    if axis.log:
        parts.append("log scale")
    return ", ".join(part for part in parts if part)


def scale_and_ticks(axis: Axis, extent: Range | None, *, enclose: bool, count: int) -> tuple[Spec, Spec]:
    """The scale of an axis, and what its ticks are.

    Args:
        extent: lowest and highest value, in the axis's base unit; None where the drawing is to find them.
        enclose: whether the scale goes on to the next tick at both ends.
        count: about how many ticks a linear axis has.

    Returns:
        Properties of the scale, and of the axis.
    """
    low, high = (placed(axis, end) for end in extent) if extent else (0.0, 0.0)
    scale: Spec = {"type": "log"} if is_log(axis) else {"type": "linear", "zero": False}
    ticks: Spec = {"labelExpr": _label(axis, high)}
    domain = [low, high] if extent else None
    if is_log(axis) and low > 0:
        values = log_ticks(low, high)
        if axis.kind is ValueKind.PERCENTILE:
            values = [1.0, 2.0, *values[1:]]  # the median has a tick of its own
        ticks["values"] = values
        domain = [values[0], values[-1]] if enclose else domain
    elif axis.kind is ValueKind.DURATION and high >= _LONG[-1][0]:
        ticks["values"] = time_ticks(low, high)
    if is_log(axis):  # every second one would leave out the first of two decades
        ticks["labelOverlap"] = "greedy"
    if "values" not in ticks:  # with it, Vega leaves labels of a log axis out
        ticks["tickCount"] = count
        if axis.kind is ValueKind.NUMBER and high > 0:
            ticks["tickMinStep"] = _least_step(high)
    scale["nice"] = enclose and not is_log(axis)
    return ({**scale, "domain": domain} if domain else scale), ticks


def _least_step(high: float) -> float:
    """Least distance of two ticks that `_plain` writes differently: three digits below 1000, else whole numbers."""
    return 1.0 if high >= 1000 else float(f"1e{math.floor(math.log10(high)) - 2}")


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers that enclose a range above zero: 1, 2 and 5 of every decade, or whole decades where it is wide.

    Args:
        low: lowest value, more than 0.
        high: highest value, no less.
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1
    for digits in ((1, 2, 5), (1,)):
        ticks = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]
        begin = max((i for i, tick in enumerate(ticks) if tick <= low * (1 + 1e-9)), default=0)
        end = next((i for i, tick in enumerate(ticks) if tick >= high * (1 - 1e-9)), len(ticks) - 1)
        ticks = ticks[begin : max(end, begin + 1) + 1]
        if len(ticks) <= _MOST:
            return ticks
    step = math.ceil((len(ticks) - 1) / (_MOST - 1))
    power = round(math.log10(ticks[0]))
    return [float(f"1e{power + step * i}") for i in range(1 + math.ceil((len(ticks) - 1) / step))]


def time_ticks(low: float, high: float) -> list[float]:
    """Whole minutes or hours of a linear axis, in seconds; halves of a minute where it is short.

    Args:
        low: lowest value, seconds.
        high: highest value, seconds.
    """
    fitting = (step for step in _STEPS_S if (high - low) / step <= _MOST_TIMES)
    step = next(fitting, 86400.0 * math.ceil((high - low) / 86400.0 / _MOST_TIMES))
    return [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _label(axis: Axis, top: float) -> str:
    """A Vega expression for a tick: one unit for a whole linear axis, the unit that fits on a log one."""
    if axis.kind not in _UNITS:
        return written_expr(Axis(axis.title, axis.kind, "1"), "datum.value", unit=False)
    if axis.log:
        return written_expr(axis, "datum.value")
    factor, name = _axis_unit(axis.kind, abs(top))
    return f"datum.value == 0 ? '0' : {_plain(f'datum.value/{factor:g}')} + '\u202f{name}'"


def _axis_unit(kind: ValueKind, top: float) -> tuple[float, str]:
    if kind is ValueKind.DURATION:
        for least, factor, name in _LONG:
            if top >= least:
                return factor, name
    units = _UNITS[kind]
    return next((unit for unit in units if top >= 0.9 * unit[0]), units[-1])


def written_expr(axis: Axis, value: str, *, unit: bool = True) -> str:
    """A Vega expression that writes one value with the unit that fits it.

    Args:
        value: a Vega expression for it, as it stands on the scale.
        unit: whether a plain number gets its unit.
    """
    if axis.kind is ValueKind.PERCENTILE:
        return f"format((1-1/{value})*100, '.7~r') + '\u202f%'"
    if axis.kind is ValueKind.SHARE:
        return f"format({value}*100, '.4~r') + '\u202f%'"
    units = _UNITS.get(axis.kind)
    if units is None:
        tail = f" + {quoted(chr(0x202F) + axis.unit)}" if unit and axis.unit else ""
        return f"{_plain(value)}{tail}"
    *larger, (last, last_name) = units
    text = f"{_plain(f'{value}/{last:g}')} + '\u202f{last_name}'"
    for factor, name in reversed(larger):
        larger_text = f"{_plain(f'{value}/{factor:g}')} + '\u202f{name}'"
        text = f"abs({value}) >= {factor * 0.9999:g} ? {larger_text} : ({text})"
    return f"({value} == 0 ? '0' : {text})"


def _plain(value: str) -> str:
    return f"(abs({value}) >= 1000 ? format({value}, ',.0f') : format({value}, '.3~r'))"


def quoted(text: str) -> str:
    """Text as a literal of a Vega expression, whatever it holds."""
    safe = "".join(
        c if c.isalnum() or c in " /%._-" else f"\\u{ord(c):04x}" for c in text if ord(c) < 0x10000
    )
    return f"'{safe}'"
