"""Numbers as people read them: three significant digits, the unit that fits, thousands apart.

Nothing is rounded into a claim: 99.996 % never becomes 100 %.
"""

from __future__ import annotations

import math
import re

from froude.render.types import Value, ValueKind

DASH = "\u2013"
"""Stands for an absent value."""
THIN = "\u202f"
"""Narrow space that does not break, between a number and its unit."""
TIMES = "\u00d7"
"""Stands before a count: how many times."""
_MINUS = "\u2212"
_UNSAFE = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff\\ufffe\\uffff]+")
_TIME = ((3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_SIZE = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def written(value: Value, kind: ValueKind, unit: str = "", missed: float | None = None) -> str:
    """A value as the page shows it, its unit included.

    Args:
        value: in base units: seconds, bytes, a fraction for shares.
        missed: the aim that it missed, and that a share is not rounded to.

    Returns:
        Text, not yet escaped.
    """
    if value is None:
        return DASH
    if kind is ValueKind.MET:
        return "met" if value else "missed"
    if isinstance(value, (str, bool)) or kind in {ValueKind.TEXT, ValueKind.CODE}:
        return _word(value)
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return _MINUS * (value < 0) + "∞"
    if missed is not None and kind is ValueKind.SHARE:
        return share(float(value), missed)
    return _measured(float(value), kind, unit) if kind is not ValueKind.NUMBER else _with(number(value), unit)


def one_line(text: str) -> str:
    """The text without what no drawing can hold: control characters, line separators, lone surrogates."""
    return _UNSAFE.sub(" ", text)


def number(value: float) -> str:
    """A plain number: whole below a million as it is, else three significant digits; thousands apart."""
    magnitude = abs(value)
    if magnitude >= 1e15:
        text = f"{value:.3g}"
    elif isinstance(value, int) or magnitude >= 1000 or value == int(value):
        text = f"{round(value):,}"
    elif magnitude and magnitude < 1e-4:
        text = f"{value:.2e}"
    else:
        text = _digits(value)
    return text.replace("-", _MINUS)


def share(value: float, missed: float = 1.0) -> str:
    """A fraction as a percentage, with as many digits as keep it apart from 0 % and 100 %, and from an aim it missed."""
    percent, apart = value * 100, {0.0, 100.0, round(missed * 100, 4)}
    for digits in (1, 2, 3, 4):
        text = f"{percent:.{digits}f}"
        if float(text) not in apart or percent in apart:
            return _with(_trim(text).replace("-", _MINUS), "%")
    if round(percent, 4) not in {0.0, 100.0}:  # it is the aim that it cannot be kept apart from
        return _with(f"{'<' if value < missed else '>'} {missed * 100:.6g}", "%")
    return _with("> 99.9999" if percent > 50 else "< 0.0001", "%")


def duration(seconds: float) -> str:
    """Seconds in the largest unit that keeps the number at 1 or more."""
    return _scaled(seconds, _TIME)


def size(size_bytes: float) -> str:
    """Bytes in the largest decimal multiple that keeps the number at 1 or more."""
    return _scaled(size_bytes, _SIZE)


def _measured(value: float, kind: ValueKind, unit: str) -> str:
    if kind in {ValueKind.SHARE, ValueKind.PERCENTILE}:
        return share(value)
    if kind is ValueKind.DURATION:
        return duration(value)
    return size(value) if kind is ValueKind.BYTES else _with(number(value), unit)


def _scaled(value: float, units: tuple[tuple[float, str], ...]) -> str:
    if value == 0:
        base = next(name for factor, name in units if factor == 1.0)
        return _with("0", base)
    for position, (factor, name) in enumerate(units):
        if abs(value) >= factor * 0.9995 or factor == units[-1][0]:
            text = _digits(value / factor)
            # 999.6 ms rounds to 1000 ms: the next unit up says 1 s
            if position and text.lstrip("-") == "1000" and units[position - 1][0] == factor * 1000:
                return _with(text[:-3], units[position - 1][1])
            return _with(text.replace("-", _MINUS), name)
    raise AssertionError("the last unit takes everything")


def _digits(value: float) -> str:
    """Three significant digits, no exponent, no trailing zeros."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return _trim(f"{value:.{decimals}f}")


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _with(text: str, unit: str) -> str:
    return f"{text}{THIN}{unit}" if unit else text


def _word(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return number(value) if math.isfinite(value) else DASH
    return str(value)
