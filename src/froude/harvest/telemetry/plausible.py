"""Whether samples are the utilisation of servers: what is something else is refused rather than clipped or averaged."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from froude.base.dates import FIRST_S
from froude.base.errors import InputError
from froude.base.summary import counted
from froude.harvest.telemetry.datacenter import Floats, Ints

_MOST_ODD = 0.1
"""Share of samples that may be below 0, or at the time of another one of their server with another value."""
_BEYOND, _MOST_BEYOND = 1.2, 0.02
"""Share of a server that is more than rounding, or a boost of its clock, shows; and of values that may be above it, or
above 1 in a table of shares."""
_CORES = 10.0
"""Values up to this, with fractions, may be the cores that are busy; of whole numbers, where half are not above 1."""
_LONGEST_STEP_S, _ODD_STEP_S = 86_400.0, 5000.0
"""Time between samples that is hardly one in seconds: longer than the first, or of whole ones of the second."""
_STEPS, _RESETS = 20, 0.002
"""Steps that show a counter, and share of them that may go down."""
COLUMN = "Name the column of its utilisation: --column cpu=NAME"
_OTHERS = re.compile(
    r"(?i)(?!.*(?:^|[( ])100?\s*-)(?!.*no[nt][-_ ]?idle).*(?:idle|io_?wait|memory|swap|disk|network|latency|temperature|"
    r"load_?average|load_?(?:1|5|15)(?![0-9])|(?<![a-z])(?:steal|mem|ram|free|available|(?:net|io)(?!.*cpu))(?![a-z])|"
    r"loadavg|cpu_?(?:surplus_?)?credit|status_?check|ebs_?(?:read|write|io|byte)|\.df[.-]|^[%\s]*(?:id|wa|st)$)"
)
"""Names of what was measured that is not utilisation; of its complement, such as 100 - idle, it is not known."""
_FRACTION, _MANY = re.compile(r"[0-9]+\.[0-9]*[1-9][0-9]*"), 5
"""Names of servers that may be values, and how many servers show it."""
MODES = "idle|iowait|user|usr|system|sys|nice|steal|irq|softirq|interrupt|guest|guest_nice|wait"
"""What a processor does."""
_MODE = re.compile(
    rf"(?i)[^a-z0-9]*(?P<cpu>(?:[^,]*[^a-z,])?cpu(?:[^a-z,]|usage|time|percent|average|total|all|cpu)*|.*mode[^a-z]+|"
    rf"usage_|.*cpu\.util\[[^,]*,)?(?:{MODES})(?:[^a-z0-9]+(?:time|percent|pct|avg))*(?(cpu)[^a-z]*|[^a-z0-9]*)"
)
"""The name of a mode alone, or of that of a processor: `web-user` and `sys1` are servers."""
_OTHER_PATH = re.compile(
    r"(?i).*[.](?:cpu[-_]?[0-9]+(?:[.].*)?|.*(?:bytes|packets|octets)|"
    r"users|uptime|processes|procs|threads|sessions|connections|requests|errors|entropy|[rt]x)"
)
"""Paths of metrics that end with what is measured, or name a processor."""
_HOST = re.compile(r"(?i)\S+\.(?:com|net|org|io|edu|gov|local|internal|lan|corp|cloud|dev)")
_NUMBERED = re.compile(r"[^. ]*-[^. ]*[0-9][^. ]*|[^. ]*[0-9][^. ]*-[^. ]*")
"""A part of a name that is a host's, such as `disk-server-1`."""
_EXTREME = re.compile(
    r"(?i)(?:.*[ ._])?(?:max(?:imum)?|min(?:imum)?|sum|sample_?count|p[0-9]{1,2}(?:\.[0-9]+)?)"
)
"""A statistic that is not the mean, behind what it is of."""
_IN_CORES = re.compile(
    r"(?i)(?!.*(?:%|percent|pct|ratio|(?:all|per)[ _](?:cores|vcpus)))"
    r".*(?:(?<!s)cores(?![a-z])|(?<![a-z])(?:vcpus|[mg]hz)(?![a-z]))"
)
"""Names of utilisation in cores, or in the frequency of all of them."""
_MARKS = (-1.0, -9.0, -99.0, -999.0, -9999.0)
_MARK = 250.0
"""Values by which tables mark that there is none; larger ones than the last are where all that are so large are one."""


def refuse_others(file: str, name: str) -> None:
    """Refuse what the name of a column or a metric shows to be something else than the utilisation of CPUs.

    Raises:
        InputError: it does.
    """
    if _IN_CORES.match(name) or _OTHERS.match(name):
        message, remedy = (
            "does not have the utilisation of CPUs",
            f"{COLUMN}; of idle time take 100 minus its percent, and divide cores by their number",
        )
        raise InputError(message, file=file, found=name, remedy=remedy)


def refuse_names(file: str, servers: Sequence[str]) -> None:
    """Refuse servers whose names are what a processor does, or values: the column is another.

    Raises:
        InputError: one is the mode of a processor, or all are modes; half of many are numbers with fractions.
    """
    numbers = [name for name in servers if _FRACTION.fullmatch(name)]
    if len(servers) >= _MANY and 2 * len(numbers) > len(servers):
        remedy = "Name the column of its servers: --column server=NAME"
        found = f"{counted(len(servers), 'server')}, such as {numbers[0]}"
        raise InputError("has numbers for its servers", file=file, found=found, remedy=remedy)
    found_modes = [match for match in map(_MODE.fullmatch, servers) if match]
    if found_modes and (len(found_modes) == len(servers) or any(match["cpu"] for match in found_modes)):
        remedy = "Keep the rows of one metric, or name the column of its servers: --column server=NAME"
        found = ", ".join(repr(match[0]) for match in found_modes[:3])
        raise InputError(
            "has the modes of a processor for its servers", file=file, found=found, remedy=remedy
        )


def refuse_metric(file: str, name: str, *, may_describe: bool) -> None:
    """Refuse a metric that is not the utilisation of CPUs: something else, or a mode of a processor.

    Args:
        may_describe: whether a word such as `system` may be of the server instead.

    Raises:
        InputError: its name shows it.
    """
    refuse_others(file, name)
    mode = _MODE.fullmatch(name)
    if mode and (mode["cpu"] or not may_describe):
        message, remedy = "has a mode of a processor", "Take 100 minus the percent of idle time and waiting"
        raise InputError(message, file=file, found=name, remedy=remedy)


def refuse_path(file: str, name: str, layout: str) -> None:
    """Refuse the path of a metric, or the label of a series, that shows something else; that of a host is not one.

    Args:
        layout: whose name lifts this.

    Raises:
        InputError: it does.
    """
    own, mode = _NUMBERED.sub("", name), _MODE.fullmatch(name)
    odd = _IN_CORES.match(own) or _OTHERS.match(own) or _EXTREME.fullmatch(own) or _OTHER_PATH.fullmatch(name)
    if not _HOST.fullmatch(name) and (odd or (mode and mode["cpu"])):
        remedy = f"Ask for the utilisation over all CPUs; if it is that, say so: --layout {layout}"
        raise InputError("does not have the utilisation of CPUs", file=file, found=name, remedy=remedy)


def marks(value: Floats) -> Floats:
    """The values of samples that mark that there is none, such as -1: all that are below 0, or far above 100, are one.

    Multiples of 100 are none of them: so many processors may be busy.

    Args:
        value: shape (n,), NaN where there is none.
    """
    found = []
    for out in (value[value < 0], value[value > _MARK]):
        known = len(out) and (
            out[0] in _MARKS or (out[0] > 0 and out[0] % 1 == 0 and out[0] % 100 and len(out) > 1)
        )
        if known and 2 * len(out) < len(value) and (out == out[0]).all():
            found.append(out[0])
    return np.array(found)


def in_shares(servers: Sequence[str], low: Floats, high: Floats) -> str:
    """The servers, of a table in percent, that may count in shares, in words; empty without one.

    Args:
        low: shape (servers,), the least value of each; NaN where it has none.
    """
    with np.errstate(invalid="ignore"):
        names = [
            servers[number]
            for number in np.flatnonzero((high <= 1) & ((low % 1 > 0) | (high % 1 > 0))).tolist()
        ]
    others = f" and {counted(len(names) - 1, 'other server')}" if len(names) > 1 else ""
    return f"no value of {names[0]!r}{others} is above 1: shares among percent?" if names else ""


def refuse_odd(file: str, server: Ints, time_s: Floats, value: Floats) -> None:
    """Refuse samples of something else, as far as their signs and their order show it; n log n.

    Args:
        server: shape (n,), as are the others: the number of the server of each sample.
        time_s: in any order.
        value: NaN where there is none.

    Raises:
        InputError: many values are below 0, or at the time of another one of their server; or they only grow; or are
            days apart in a recording.
    """
    count = counted(len(value), "sample")
    if (negative := int((value < 0).sum())) > _MOST_ODD * len(value):
        message, found = "has another column for its utilisation", f"{negative:,} of {count} below 0"
        raise InputError(message, file=file, found=found, remedy=COLUMN)
    order = np.lexsort((time_s, server))
    same = np.diff(server[order]) == 0
    step_s, rise = np.diff(time_s[order])[same], np.diff(value[order])[same]
    if (again := int((np.abs(rise[step_s == 0]) > 0).sum())) > max(1, _MOST_ODD * len(value)):
        found = f"{again:,} of {count} at the time of another one, with another value"
        remedy = "Keep the rows of one metric, or name the column of its servers: --column server=NAME"
        raise InputError(
            "has several values of one server at one time", file=file, found=found, remedy=remedy
        )
    apart_s = float(np.median(step_s)) if len(step_s) >= _STEPS else 0.0
    odd = apart_s > _LONGEST_STEP_S or (apart_s > 0 and apart_s % _ODD_STEP_S == 0)
    if odd and time_s.min() < FIRST_S:
        message, found = "may not have seconds for its times", f"a sample every {apart_s:,.0f} s"
        remedy = "Say in what its times count, if not in seconds: --date-format ms, us or ns"
        raise InputError(message, file=file, found=found, remedy=remedy)
    rise = rise[np.isfinite(rise) & (step_s > 0)]
    grown, fallen = int((rise > 0).sum()), int((rise < 0).sum())
    if len(rise) >= _STEPS and 2 * grown > len(rise) and fallen <= _RESETS * len(rise):
        found = f"{grown:,} of {counted(len(rise), 'step')} up, {fallen:,} down"
        remedy = "Take the differences of a counter, or its rate"
        raise InputError("has values that only grow", file=file, found=found, remedy=remedy)


def shares_factor(file: str, value: Floats, in_percent: bool | None, *, plain: bool) -> float:
    """By which values become shares of a server.

    Args:
        value: shape (n,), NaN where there is none.
        in_percent: what is known of them; None if the values are to show it.
        plain: whether values far above 100 % are odd; those of a published trace are its own.

    Raises:
        InputError: the values do not show it, or many are far above 100 %.
    """
    value = value[np.isfinite(value)]
    count, above = counted(len(value), "value"), int((value > 1).sum())
    low = value.max() <= _CORES and (2 * above <= len(value) or bool((value % 1).any()))
    if in_percent is None and (low or above < max(1, _MOST_BEYOND * len(value))):
        found = f"{above:,} of {count} above 1, " if above else ""
        found += f"no value above {value.max():g}"
        remedy = "Say which it is: --scale share, or --scale percent"
        remedy += "; divide cores by their number" if above else ""
        message = f"may have percent{', cores' if above else ''} or shares"
        raise InputError(message, file=file, found=found, remedy=remedy)
    factor = 1.0 if in_percent is False else 0.01
    if plain and (beyond := int((value * factor > _BEYOND).sum())) > _MOST_BEYOND * len(value):
        found = f"{beyond:,} of {count} above {_BEYOND:.0%}, up to {value.max() * factor:,.0%}"
        other = "say what it counts in: --scale; or divide what counts several cores by their number"
        message = "has values that are not a utilisation of a server"
        raise InputError(message, file=file, found=found, remedy=f"{COLUMN}; {other}")
    return factor
