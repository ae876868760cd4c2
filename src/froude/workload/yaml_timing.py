"""The timing of a call as fields of a workload's file."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from froude.base.errors import InputError
from froude.documents.reading import Section
from froude.workload.scale import Count
from froude.workload.timing import LEVELS, Timing
from froude.workload.yaml_rules import count_field

LONGEST_S = 1e9
"""Of any time: nothing takes thirty years."""


def timing_fields(timing: Timing) -> dict[str, Any]:
    """The fields of a timing, None for those that need not be written."""
    return {
        "think_s": None if timing.think == Count() else count_field(timing.think),
        "think_quantiles_s": list(timing.think_quantiles_s),
        "service_s": None if timing.service is None else count_field(timing.service),
        "service_quantiles_s": list(timing.service_quantiles_s),
    }


def read_timing(section: Section) -> Timing:
    """The timing of a call.

    Raises:
        InputError: a time that cannot be, quantiles that fall, or another number of them than there may be.
    """
    think = section.convert("think_s", seconds) if "think_s" in section else Count()
    think_quantiles_s = _quantiles(section, "think_quantiles_s")
    if "spread_s" in section:  # until version 3's first year: the median absolute deviation of the think time
        spread_s = section.value("spread_s", float, 0.0, within=(0.0, LONGEST_S))
        think_quantiles_s = think_quantiles_s or _evenly(think, spread_s)
    return Timing(
        think,
        think_quantiles_s,
        section.convert("service_s", seconds) if "service_s" in section else None,
        _quantiles(section, "service_quantiles_s"),
    )


def seconds(text: Any) -> Count:
    """A time, which may grow with the Scale; one that does not is a time that there can be.

    Args:
        text: as the file has it.

    Raises:
        InputError: no number and no sum, or out of range.
    """
    count = Count.parse(text)
    if not count.variables and not 0 <= count.intercept <= LONGEST_S:
        raise InputError("is out of range", found=text, allowed=f"0 to {LONGEST_S:g} seconds")
    return count


def _quantiles(section: Section, name: str) -> tuple[float, ...]:
    times_s = section.converted(name, _time_s)
    if times_s and (len(times_s) not in LEVELS or any(low > high for low, high in pairwise(times_s))):
        allowed = f"{', '.join(map(str, LEVELS))} numbers that do not fall"
        raise section.error(name, "are no quantiles", found=list(times_s), allowed=allowed)
    return times_s


def _time_s(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= LONGEST_S:
        raise InputError("is no time", found=str(value), allowed=f"0 to {LONGEST_S:g} seconds")
    return float(value)


def _evenly(think: Count, spread_s: float) -> tuple[float, ...]:
    """Quantiles of values spread evenly about a median that does not follow the Scale."""
    middle_s = think.intercept
    if not spread_s or think.variables:
        return ()
    return max(0.0, middle_s - 2 * spread_s), middle_s, middle_s + 2 * spread_s
