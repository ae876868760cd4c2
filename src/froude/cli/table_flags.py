"""Flags of the commands that read tables of others: how a table is written, where that cannot be found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from froude.base.errors import InputError, nearest
from froude.cli.fields import Fields
from froude.documents.model import Flag, Model

if TYPE_CHECKING:
    from froude.base.dropped import Dropped
    from froude.base.forms import Options
    from froude.cli.settings import Settings

_NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "blanks": " ", "blank": " ", "pipe": "|"}


class TableForm(Model):
    """How a table is written, where that cannot be found."""

    column: tuple[str, ...] = ()
    """WHAT=THEIRS: a column by the name, or the number from 0, that it has; a date and its time have one WHAT."""
    separator: str | None = None
    """Between columns: , ; | TAB blanks [found by the first line]."""
    decimal: str | None = None
    """Of numbers: . or , [found by the values]."""
    date_format: str | None = None
    """Of times: '%d.%m.%Y %H:%M:%S', or s, ms, us, ns, min since 1970, excel [seconds, or dates, year first]."""
    zone: str = "UTC"
    """Of dates that name no zone."""
    strict: Flag = False
    """Refuse a table of which a line would be left out."""


_OWN = "separator decimal date_format zone strict"
FORM = Fields(TableForm, _OWN, optional=True)
"""Of tables whose columns have one name each."""
TABLE = Fields(TableForm, f"column {_OWN}", optional=True)


def options_of(
    *,
    layout: str | None = None,
    column: Sequence[str] = (),
    known: Sequence[str] = (),
    separator: str | None = None,
    decimal: str | None = None,
    date_format: str | None = None,
    zone: str = "UTC",
    strict: bool = False,
) -> Options:
    """What the flags say about a table.

    Args:
        known: what `--column` may name.

    Raises:
        InputError: a flag has another value than it may.
    """
    from froude.base.columns import Style
    from froude.base.dates import date_format as parse_format
    from froude.base.forms import CLOCK, Options
    from froude.base.units import parse_zone

    named: dict[str, str] = {}
    for each in column:
        what, sign, theirs = each.partition("=")
        if not sign or what not in known or not theirs:
            allowed = ", ".join(f"{name}=THEIRS" for name in known)
            raise InputError(
                f"does not name a column{nearest(what, known)}", place="--column", found=each, allowed=allowed
            )
        if what in named:  # a date and its time
            what, twice = CLOCK, what
            if twice != "time" or what in named:
                raise InputError("is given twice", place="--column", found=twice)
        named[what] = theirs
    between = "" if separator is None else _NAMED.get(separator.lower(), separator)
    if separator is not None and (len(between) != 1 or between in "\r\n\"'" or between.isalnum()):
        raise InputError(
            "is not a separator", place="--separator", found=separator, allowed=", ; | TAB blanks"
        )
    if decimal not in {None, ".", ","}:
        raise InputError("is not a decimal character", place="--decimal", found=decimal, allowed=". or ,")
    dates = "" if date_format is None else parse_format(date_format, place="--date-format")
    style = Style(decimal=decimal or ".", dates=dates, zone=parse_zone(zone, place="--zone"))
    return Options(layout or "", named, between, style, decimal or "", strict)


def note_dropped(settings: Settings, dropped: Dropped) -> None:
    """Print what an import left out, a line a reason."""
    for text in dropped.notes():
        settings.note(f"note: {text}")
