"""What primary tenants use, as a table that several commands read."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from froude.base.errors import InputError

if TYPE_CHECKING:
    from froude.harvest.live.usage import Usage

_LIMIT_BYTES = 64 << 20


def usage_of_servers(path: Path) -> dict[str, Usage]:
    """What primary tenants use, by server.

    Args:
        path: a table with the columns server, cpu (0 to 1), and if known memory_mb.

    Raises:
        InputError: it is none.
    """
    from froude.base.files import read_bounded
    from froude.harvest.live.usage import Usage

    try:
        rows = list(
            csv.DictReader(read_bounded(path, limit_bytes=_LIMIT_BYTES).decode().splitlines(), strict=True)
        )
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError("is no table", file=path, found=error) from error
    found = {}
    for number, row in enumerate(rows, 2):
        try:
            server, share, memory = row["server"].strip(), float(row["cpu"]), row.get("memory_mb")
            if not server or not 0 <= share <= 1:
                raise ValueError(f"{server},{row['cpu']}")
            found[server] = Usage(share, int(memory) if memory else None)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            allowed = "server, cpu from 0 to 1, and if known memory_mb"
            raise InputError(
                "is no usage", file=path, place=f"line {number}", found=error, allowed=allowed
            ) from error
    if not found:
        raise InputError("holds no line", file=path)
    return found
