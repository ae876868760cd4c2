"""Flags of the commands that read tables of others: how a table is written, where that cannot be found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError, nearest

if TYPE_CHECKING:
    from froude.base.dropped import Dropped
    from froude.base.forms import Options
    from froude.cli.settings import Settings

_NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "blanks": " ", "blank": " ", "pipe": "|"}

Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="WHAT=THEIRS",
        help="A column by the name, or the number from 0, that it has; repeat, for a date and its time with one WHAT.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator", metavar="TEXT", help="Between columns: , ; | TAB blanks [found by the first line]."
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option("--decimal", metavar="CHARACTER", help="Of numbers: . or , [found by the values]."),
]
DateFormat = Annotated[
    str | None,
    typer.Option(
        "--date-format",
        metavar="FORMAT",
        help="Of times: '%d.%m.%Y %H:%M:%S', or s, ms, us, ns, min since 1970, excel [seconds, or dates, year first].",
    ),
]
Zone = Annotated[str, typer.Option("--zone", metavar="NAME", help="Of dates that name no zone.")]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse a table of which a line would be left out.")]


def options_of(
    *,
    layout: str | None = None,
    columns: Sequence[str] | None = None,
    known: Sequence[str] = (),
    separator: str | None = None,
    decimal: str | None = None,
    dates: str | None = None,
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
    from froude.base.dates import date_format
    from froude.base.forms import CLOCK, Options
    from froude.base.units import parse_zone

    named: dict[str, str] = {}
    for each in columns or ():
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
    dates = "" if dates is None else date_format(dates, place="--date-format")
    style = Style(decimal=decimal or ".", dates=dates, zone=parse_zone(zone, place="--zone"))
    return Options(layout or "", named, between, style, decimal or "", strict)


def note_dropped(settings: Settings, dropped: Dropped) -> None:
    """Print what an import left out, a line a reason."""
    for text in dropped.notes():
        settings.note(f"note: {text}")
