"""Timings of calls, start rules of nodes and containers of YARN as fields of a workload's file.

A node type that runs in a container has `container: {of: appmaster, priority: 20}`; a call may wait for other nodes:
`awaits: {ended: [map]}`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from froude.base.errors import InputError
from froude.documents.forms import Number
from froude.documents.reading import Section
from froude.workload.container import Awaited, Container
from froude.workload.scale import Count
from froude.workload.start import Moment, StartRule
from froude.workload.timing import LEVELS, Timing
from froude.workload.yaml_rules import count_field, lean

_WAIT_SECONDS = (0.0, 1e9)
_PRIORITIES = (0, 1_000_000)
LONGEST_S = 1e9
"""Of any time: nothing takes thirty years."""
_START_SECONDS = (0.0, LONGEST_S)
_FARTHEST = 1_000_000
"""Rounds between a node and the one it waits for, and nodes that are waited for."""
_SMALLEST_SHARE = 1e-6


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

    Raises:
        InputError: no number and no sum, or out of range.
    """
    count = Count.parse(text)
    if not count.variables and not 0 <= count.intercept <= LONGEST_S:
        raise InputError("is out of range", found=text, allowed=f"0 to {LONGEST_S:g} seconds")
    return count


def _quantiles(section: Section, name: str) -> tuple[float, ...]:
    times_s = section.converted(name, Number(0, LONGEST_S).read)
    if times_s and (len(times_s) not in LEVELS or any(low > high for low, high in pairwise(times_s))):
        allowed = f"{', '.join(map(str, LEVELS))} numbers that do not fall"
        raise section.error(name, "are no quantiles", found=list(times_s), allowed=allowed)
    return times_s


def _evenly(think: Count, spread_s: float) -> tuple[float, ...]:
    """Quantiles of values spread evenly about a median that does not follow the Scale."""
    middle_s = think.intercept
    if not spread_s or think.variables:
        return ()
    return max(0.0, middle_s - 2 * spread_s), middle_s, middle_s + 2 * spread_s


def start_fields(start: StartRule) -> dict[str, Any]:
    """The fields of a start rule that say something."""
    counted = start.nth is not None or start.share is not None
    return lean(
        {
            "after": start.after,
            "moment": start.moment.value if start.after else None,
            "every": start.every if start.after and not counted else None,
            "nth": start.nth,
            "share": start.share,
            "delay_s": start.delay_s or None,
            "spacing_s": start.spacing_s or None,
            "within_s": start.within_s,
            "pause_s": start.pause_s,
            "follows": start.follows,
            "offset": start.offset or None,
        }
    )


def read_start(section: Section) -> StartRule:
    """A start rule.

    Raises:
        InputError: a field is wrong, or two of them contradict each other.
    """
    if "within_s" in section and "pause_s" in section:
        message = "cannot be both: nodes are beside each other, or one after another"
        raise section.error("pause_s", message, found="pause_s and within_s", allowed="one of them")
    given = [name for name in ("every", "nth", "share") if name in section]
    if len(given) > 1:
        message = "says a second time of how many nodes"
        raise section.error(given[1], message, found=" and ".join(given), allowed="one of them")
    rule = StartRule(
        after=section.optional("after", str),
        moment=section.value("moment", Moment, Moment.FINISHED),
        every=section.value("every", bool, True) if "every" in section else len(given) == 0,
        nth=section.value("nth", int, within=(1, _FARTHEST)) if "nth" in section else None,
        share=section.value("share", float, within=(_SMALLEST_SHARE, 1.0)) if "share" in section else None,
        delay_s=section.value("delay_s", float, 0.0, within=_START_SECONDS),
        spacing_s=section.value("spacing_s", float, 0.0, within=_START_SECONDS),
        within_s=section.value("within_s", float, within=_START_SECONDS) if "within_s" in section else None,
        pause_s=section.value("pause_s", float, within=_START_SECONDS) if "pause_s" in section else None,
        follows=section.optional("follows", str),
        offset=section.value("offset", int, 0, within=(-_FARTHEST, _FARTHEST)),
    )
    if rule.follows is not None and rule.pause_s is None:
        raise section.error(
            "follows", "is nothing without a pause", found=rule.follows, allowed="pause_s: SECONDS"
        )
    section.finish()
    return rule


def container_fields(container: Container) -> dict[str, Any]:
    """What a file says of a container."""
    fields = lean(
        {
            "of": container.of,
            "priority": container.priority,
            "delay_s": container.delay_s or None,
            "after": container.after or None,
        }
    )
    return dict(fields)


def read_container(section: Section) -> Container:
    """A container as a file says it.

    Raises:
        InputError: a field is missing, unknown or out of range.
    """
    priority = section.value("priority", int, within=_PRIORITIES) if "priority" in section else None
    delay_s = section.value("delay_s", float, 0.0, within=_WAIT_SECONDS)
    after = section.value("after", float, 0.0, within=(0, 1))
    container = Container(section.value("of", str), priority, delay_s, after)
    section.finish()
    return container


def awaited_fields(awaited: Awaited) -> dict[str, Any]:
    """What a file says of what a step waits for."""
    return {"ended": list(awaited.ended), "pause_s": awaited.pause_s}


def read_awaited(section: Section) -> Awaited:
    """What a step waits for, as a file says it.

    Raises:
        InputError: a field is unknown or out of range.
    """
    ended = tuple(map(str, section.items("ended")))
    awaited = Awaited(ended, section.value("pause_s", float, 0.0, within=_WAIT_SECONDS))
    section.finish()
    return awaited
