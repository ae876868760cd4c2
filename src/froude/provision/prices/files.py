"""The shell of the importer: tables from files, plain or packed, and the date in a file's name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from froude.base.dropped import CUT_SHORT, Dropped
from froude.base.errors import InputError, nearest
from froude.base.files import read_bounded
from froude.base.packed import read_unpacked
from froude.provision.prices.rates import SOURCED, Rates, read_rates
from froude.provision.prices.tables import Malformed, Table, read_table

LIMIT_BYTES = 256 << 20
"""Largest table read, also unpacked."""
_DATE = re.compile(r"(?<!\d)(20\d{2}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)(?!\d)")


def load_table(path: Path) -> Table:
    """A table of a file; of a packed one that is cut short, the lines that are whole.

    Raises:
        InputError: unreadable, too large, or no table.
    """
    dropped = Dropped()
    data = read_unpacked(path, limit_bytes=LIMIT_BYTES, dropped=dropped)
    if not dropped.total:
        return read_table(data, str(path))
    if data.lstrip()[:1] in {b"", b"[", b"{"}:  # without a whole line, or the end of a list
        read_unpacked(path, limit_bytes=LIMIT_BYTES)
    table = read_table(data, str(path))
    cut = Malformed(str(path), data.count(b"\n") + 1, f"is {CUT_SHORT}")
    return replace(table, malformed=(*table.malformed, cut))


def sourced() -> list[str]:
    """Names of the files of rates that ship with the package."""
    return sorted(path.stem for path in SOURCED.glob("*.yaml"))


def rates_file(name: str) -> Path:
    """A file of rates, or the shipped one of that name.

    Raises:
        InputError: there is neither.
    """
    path = Path(name)
    if path.exists() or path.suffix:
        return path
    if name in sourced():
        return SOURCED / f"{name}.yaml"
    raise InputError(
        f"does not exist{nearest(name, sourced())}",
        file=name,
        place="--rates",
        allowed=f"a file, or one of {', '.join(sourced())}",
    )


def load_rates(paths: Sequence[Path]) -> Rates:
    """The rates of files; where several say something, the first counts.

    Raises:
        InputError: unreadable, or wrong.
    """
    rates = Rates()
    for path in paths:
        rates += read_rates(read_bounded(path, limit_bytes=16 << 20), str(path))
    return rates


def date_of(paths: Sequence[Path], said: str | None) -> str:
    """The date of the prices: as said, else the oldest that stands in the names of the files.

    Args:
        paths: the tables of prices; one at least when no date is said.
        said: `2026-07` or `2026-07-31`; None to look at the names.

    Raises:
        InputError: no date is said, and a file's name has none.
    """
    if said is not None:
        if _DATE.fullmatch(said) is None:
            raise InputError("is not a date", place="--date", found=said, allowed="2026-07 or 2026-07-31")
        return said
    dates = []
    for path in paths:
        match = _DATE.search(path.name)
        if match is None:
            raise InputError(
                "has no date in its name", file=path, remedy="Say when the prices were taken: --date 2026-07"
            )
        dates.append(match[1])
    return min(dates)
