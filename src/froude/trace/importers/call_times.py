"""Times and durations in a table of calls, in nanoseconds: numbers, ISO 8601, and clocks of one day."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from froude.base.errors import InputError
from froude.trace.importers.call_secrets import form_of

LATEST_NS = 4_102_444_800 * 10**9
"""The year 2100: what is later was given in another unit."""
_CENTURY_NS = 36_525 * 86_400 * 10**9
_HALF_DAY_NS = 43_200 * 10**9
_CLOCK = re.compile(r"(\d{1,2}):(\d{2}):(\d{2}(?:[.,]\d{1,9})?)")
_EXAMPLES = "seconds (or --time-unit), 2026-11-23T10:00:00.25Z, or 10:00:00.25"
_UNIT = "Is it in another unit? `--time-unit ms` says so"


class Times:
    """Reads the times of one table, which are all clocks, or none is.

    Args:
        unit_ns: nanoseconds of the unit of numbers.

    Attributes:
        back_at: line where clocks went back by more than half a day for the first time, as over midnight.
    """

    def __init__(self, unit_ns: int) -> None:
        self._unit_ns = unit_ns
        self._clocks: bool | None = None
        self._last_ns = 0
        self.back_at: int | None = None

    def start(self, text: str, place: str, line: int) -> int:
        """When a call was sent, since the epoch or since what the table counts from.

        Args:
            text: as `moment`.
            place: the column, for errors.

        Raises:
            InputError: as `moment`.
        """
        start_ns = self.moment(text, place)
        if self._clocks:
            if start_ns < self._last_ns - _HALF_DAY_NS and self.back_at is None:
                self.back_at = line
            self._last_ns = start_ns
        return start_ns

    def moment(self, text: str, place: str) -> int:
        """A time: a number in the unit, an ISO 8601 date and time (UTC where it names no zone), or a clock.

        Raises:
            InputError: none of them, out of range, or a clock among times that are none, or the reverse.
        """
        text = text.strip()
        clock = _CLOCK.fullmatch(text)
        if clock:
            moment = _clock(clock, text, place)
        elif "-" in text[1:] and text[:1].isdigit() and "e" not in text.lower():
            moment = _iso(text, place)
        else:
            moment = _number(text, self._unit_ns, place, _EXAMPLES)
            if abs(moment) >= LATEST_NS:
                raise InputError("is after the year 2100", place=place, found=form_of(text), remedy=_UNIT)
        if self._clocks is None:
            self._clocks = clock is not None
        if self._clocks != (clock is not None):
            allowed = (
                "a clock, as in the lines before" if self._clocks else "no clock, as in the lines before"
            )
            raise InputError("is another form of time", place=place, found=form_of(text), allowed=allowed)
        return moment

    def duration(self, text: str, place: str) -> int:
        """A duration, which is a number in the unit.

        Raises:
            InputError: none, below zero, or longer than a century.
        """
        duration = _number(text.strip(), self._unit_ns, place, "a number, in the unit of --time-unit")
        return check_duration(duration, text, place)


def check_duration(duration_ns: int, text: str, place: str) -> int:
    """A duration that can be one.

    Args:
        duration_ns: the duration.
        text: that told it, for errors.

    Raises:
        InputError: below zero, or longer than a century.
    """
    if duration_ns < 0:
        raise InputError("ends before it begins", place=place, found=form_of(text))
    if duration_ns > _CENTURY_NS:
        raise InputError("is longer than a century", place=place, found=form_of(text), remedy=_UNIT)
    return duration_ns


def _clock(clock: re.Match[str], text: str, place: str) -> int:
    hours, minutes, seconds = int(clock[1]), int(clock[2]), Decimal(clock[3].replace(",", "."))
    if hours > 23 or minutes > 59 or seconds >= 60:
        raise InputError(
            "is no time of a day", place=place, found=form_of(text), allowed="0:00:00 to 23:59:59.9"
        )
    return (hours * 3600 + minutes * 60) * 10**9 + int(seconds * 10**9)


def _iso(text: str, place: str) -> int:
    allowed = "2026-11-23T10:00:00.25Z"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError("is no time", place=place, found=form_of(text), allowed=allowed) from error
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    since_ns = ((since.days * 86_400 + since.seconds) * 10**6 + since.microseconds) * 1000
    if not 0 <= since_ns < LATEST_NS:
        raise InputError(
            "is not in the years 1970 to 2099", place=place, found=form_of(text), allowed=allowed
        )
    return since_ns


def _number(text: str, unit_ns: int, place: str, allowed: str) -> int:
    try:
        number = Decimal(text)
        if number.is_finite() and abs(number) < 10**22:
            return int((number * unit_ns).to_integral_value())
    except InvalidOperation:
        pass
    raise InputError("is no time", place=place, found=form_of(text), allowed=allowed)
