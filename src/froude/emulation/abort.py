"""Conditions that end a play early, in words that a command line takes: `error_rate > 5 % for 30 s`.

A condition is a limit that is written the other way round, and how long it must hold: it is looked at once a second,
over the calls of that second, ramp and warm-up included. A second in which its measure has no value, such as the
latency of a method that was not answered, neither counts nor begins the time again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from froude.base.errors import InputError
from froude.base.units import parse_seconds, seconds_text
from froude.emulation.limits import Limit, parse_limit
from froude.emulation.run.verdict import measured_text

if TYPE_CHECKING:
    from froude.emulation.engine import Status
    from froude.emulation.run.tally import IntervalRow

PLACE = "--abort-when"
EXAMPLE = "error_rate > 5 % for 30 s"
_FORM = re.compile(r"\s*(?P<limit>\S.*?)\s+for\s+(?P<time>\S.*?)\s*", re.DOTALL)
_LATENCIES = ("p50", "p90", "p99", "max")
MEASURES = (*_LATENCIES, "error_rate", "calls_per_s")
"""Those of limits that are known while a play goes on."""


@dataclass(frozen=True, slots=True)
class Condition:
    """When a play ends early."""

    text: str
    limit: Limit
    """What must hold."""
    for_s: float
    """How long, seconds; 1 or more, since players report once a second."""


def parse_condition(text: str) -> Condition:
    """Read a condition.

    Args:
        text: a limit on one of `MEASURES`, `for`, and a time with its unit.

    Raises:
        InputError: of another form, without a time, or on what is known only after a play.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        allowed = f"a limit, and the time for which it holds, such as '{EXAMPLE}'"
        raise InputError("is no condition", place=PLACE, found=text, allowed=allowed)
    limit = parse_limit(match["limit"], place=PLACE)
    if limit.measure not in MEASURES:
        message = "is not known while a play goes on"
        raise InputError(message, place=PLACE, found=limit.measure, allowed=", ".join(MEASURES))
    for_s = parse_seconds(match["time"], place=PLACE)
    if for_s < 1:
        raise InputError("is too short a time", place=PLACE, found=match["time"], allowed="1 s and more")
    return Condition(text.strip(), limit, for_s)


@dataclass(slots=True)
class _Streak:
    """The seconds in a row in which a condition has held."""

    from_s: float
    lowest: float
    highest: float


@dataclass(slots=True)
class Watch:
    """Holds conditions against what goes on in one play."""

    conditions: Sequence[Condition]
    reason: str = ""
    """Which condition ended the play, when it held and what was found; empty while none has."""
    _before: Status | None = None
    _streaks: dict[Condition, _Streak] = field(default_factory=dict)

    def look(self, status: Status) -> bool:
        """Whether the play ends, by this second and those before it.

        Args:
            status: with all that a player knows, later than the one before.
        """
        before, self._before = self._before, status
        if before is None or status.load.time_s <= before.load.time_s:
            return bool(self.reason)
        for condition in self.conditions:
            value = _value(condition.limit, before, status)
            if value is not None:
                self._count(condition, value, before.load.time_s, status.load.time_s)
        return bool(self.reason)

    def _count(self, condition: Condition, value: float, from_s: float, to_s: float) -> None:
        if not condition.limit.met(value):
            self._streaks.pop(condition, None)
            return
        streak = self._streaks.setdefault(condition, _Streak(from_s, value, value))
        streak.lowest, streak.highest = min(streak.lowest, value), max(streak.highest, value)
        if to_s - streak.from_s >= condition.for_s and not self.reason:
            unit = condition.limit.unit.value
            found = [measured_text(each, unit) for each in (streak.lowest, streak.highest)]
            self.reason = (
                f"{condition.text}: it held from {seconds_text(round(streak.from_s))} to "
                f"{seconds_text(round(to_s))} of the play, with {' to '.join(dict.fromkeys(found))}"
            )


def _value(limit: Limit, before: Status, now: Status) -> float | None:
    """A measure in the second between two reports; None where it has no value."""
    if limit.measure in _LATENCIES:
        return _latency(limit, before, now)
    if limit.measure == "error_rate":
        failed = _of(limit, now.failed.items()) - _of(limit, before.failed.items())
        sent = _sent(limit, now) - _sent(limit, before)
        # A call that fails may have been sent seconds before.
        return failed / max(sent, failed) if max(sent, failed) > 0 else None
    answered = _of(limit, ((name, each[1]) for name, each in now.counts.items()))
    answered -= _of(limit, ((name, each[1]) for name, each in before.counts.items()))
    return answered / (now.load.time_s - before.load.time_s)


def _latency(limit: Limit, before: Status, now: Status) -> float | None:
    row, earlier = _row(limit, now), _row(limit, before)
    # Of a second without a call the report has the rows of an earlier one.
    if row is None or not row.answered or (earlier is not None and row.time_s <= earlier.time_s):
        return None
    return float(getattr(row, f"{limit.measure}_ms")) / 1e3


def _row(limit: Limit, status: Status) -> IntervalRow | None:
    if limit.method is None:
        return status.overall
    return next((row for row in status.rows if row.method == limit.method), None)


def _sent(limit: Limit, status: Status) -> int:
    return _of(limit, ((name, each[0]) for name, each in status.counts.items()))


def _of(limit: Limit, counts: Iterable[tuple[str, int]]) -> int:
    """What of counts by method is the limit's."""
    return sum(count for method, count in counts if limit.method in {None, method})
