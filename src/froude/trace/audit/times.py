"""Dates of logs as moments: the NameNode's local time, with the hours that a change of clocks repeats or leaves out.

Moments are whole microseconds; `local` ones count from 1970 on the clock of the log's time zone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

import numpy as np
import numpy.typing as npt

from froude.base.errors import InputError

Ints = npt.NDArray[np.int64]
_QUARTER_US = 900_000_000
"""Clocks are changed at whole quarters of an hour."""
_EPOCH = datetime(1970, 1, 1)
BACK_US = 30 * 60 * 1_000_000
"""A local time that falls by so much within a repeated hour has come to its second pass."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines of an hour that the clock has twice, and how they were read."""

    lines: int = 0
    decided: bool = True
    """Whether their own order says which pass each is of; if not, they were taken as the first."""
    begin_us: int = 0
    """The earliest of them, UTC."""
    end_us: int = 0
    shift_us: int = 0
    """What the second pass is later by."""


NO_FOLD = Fold()


def to_utc(local: Ints, zone: tzinfo) -> tuple[Ints, Fold]:
    """Local moments as UTC.

    A time that the clock has twice is of the first pass, until a line's time falls back by half an hour or more. A
    time that the clock leaves out, which no right clock shows, is taken as if it had not been changed yet.

    Args:
        local: (lines,) in the order of the file.
    """
    if zone is UTC or not len(local):
        return local, NO_FOLD
    quarters, place = np.unique(local // _QUARTER_US, return_inverse=True)
    offsets = np.array([_offsets(int(quarter), zone) for quarter in quarters], dtype=np.int64)
    early, late = offsets[place, 0], offsets[place, 1]
    twice = early > late  # clocks go back: the first pass is further from UTC
    if not twice.any():
        return local - early, NO_FOLD
    rows = np.flatnonzero(twice)
    fell = np.maximum.accumulate(local[rows]) - local[rows] >= BACK_US
    second = rows[np.logical_or.accumulate(fell)]
    chosen = early.copy()
    chosen[second] = late[second]
    utc = local - chosen
    moments = utc[rows]
    shift = int((early - late)[rows[0]])
    return utc, Fold(len(rows), bool(fell.any()), int(moments.min()), int(moments.max()), shift)


def second_passes(folds: Sequence[Fold]) -> list[bool]:
    """Which pieces of a log, in its order, are of the second pass though their own order does not say so.

    Args:
        folds: of each piece, as `to_utc` gives it.
    """
    later, second, top = [], False, 0
    for fold in folds:
        if fold.lines and not fold.decided:
            if fold.begin_us > top + 24 * 3600 * 1_000_000:  # another autumn
                second, top = False, 0
            second = second or top - fold.begin_us >= BACK_US
        later.append(bool(fold.lines) and not fold.decided and second)
        if fold.lines:
            second = second or fold.decided
            top = max(top, fold.end_us)
    return later


def _offsets(quarter: int, zone: tzinfo) -> tuple[int, int]:
    """Microseconds ahead of UTC in a quarter of an hour of local time, in its first and its second pass."""
    try:
        moment = _EPOCH + timedelta(microseconds=quarter * _QUARTER_US)
        passes = [moment.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta() for fold in (0, 1)]
    except OverflowError as error:
        raise InputError("has a time beyond the calendar", found=quarter) from error
    first, second = (round(offset / timedelta(microseconds=1)) for offset in passes)
    return first, second


_CODES = {"y": "%Y", "M": "%m", "d": "%d", "H": "%H", "m": "%M", "s": "%S", "S": "%f", "Z": "%z", "X": "%z"}
"""Of `datetime.strptime`, for each letter of Java's SimpleDateFormat; `MMM` is the name of a month."""
_NEEDED = ("%d", "%H", "%M", "%S")
_TOKEN = re.compile(r"'((?:[^']|'')*)'|(([A-Za-z])\3*)|(.)", re.DOTALL)


def date_reader(pattern: str) -> Callable[[str], tuple[int, bool]]:
    """A reader of dates as Java's SimpleDateFormat writes them, such as `yyyy-MM-dd HH:mm:ss,SSS`.

    Args:
        pattern: of `yyyy`, `MM` or `MMM`, `dd`, `HH`, `mm`, `ss`, `SSS`, `Z` or `XXX`, and texts between; or the word
            `epoch-ms` for milliseconds since 1970.

    Returns:
        A function from a date to its microseconds, and whether they are UTC already, not local.

    Raises:
        InputError: a letter of the pattern is not known; the function: a text is no such date.
    """
    if pattern == "epoch-ms":
        return _epoch
    codes: list[str] = []
    for quoted, letters, _, other in (match.groups() for match in _TOKEN.finditer(pattern)):
        code = {"MMM": "%b", "yy": "%y"}.get(letters) or _CODES.get((letters or "")[:1])
        if letters and (code is None or code in codes):
            allowed = "yyyy yy MM MMM dd HH mm ss SSS Z XXX, each once, or epoch-ms"
            raise InputError(
                f"has {letters}, which is not read", found=pattern, place="--date-format", allowed=allowed
            )
        plain = other if other is not None else (quoted or "").replace("''", "'") or "'"
        codes.append(code or plain.replace("%", "%%"))
    if not {*_NEEDED} <= {*codes} or not {"%m", "%b"} & {*codes} or not {"%Y", "%y"} & {*codes}:
        allowed = "year, month, day, hour, minute, second"
        raise InputError("is not a whole date", found=pattern, place="--date-format", allowed=allowed)
    form = "".join(codes)

    def read(text: str) -> tuple[int, bool]:
        try:
            if not text.isascii():
                raise ValueError(text)
            moment = datetime.strptime(text.strip(), form)
            since = moment - (_EPOCH if moment.tzinfo is None else _EPOCH.replace(tzinfo=UTC))
        except (ValueError, OverflowError) as error:
            raise InputError("is no such date", found=text, allowed=pattern) from error
        return since // timedelta(microseconds=1), moment.tzinfo is not None

    return read


def _epoch(text: str) -> tuple[int, bool]:
    if not text.strip().isdecimal() or not text.isascii():
        raise InputError("is no such date", found=text, allowed="milliseconds since 1970")
    return int(text) * 1000, True
