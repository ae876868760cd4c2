"""What primary tenants use, as a table that several commands read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from froude.harvest.live.usage import Usage

_MOST_MEMORY_MB = 1 << 40


def usage_of_servers(path: Path) -> dict[str, Usage]:
    """What primary tenants use, by server.

    Args:
        path: a table with the columns server, cpu (0 to 1), and if known memory_mb.

    Raises:
        InputError: it is not, or any of its lines is left out: a plan rests on each server.
    """
    from froude.base.columns import Column, Kind
    from froude.base.forms import Form
    from froude.base.tables import read_table
    from froude.harvest.live.usage import Usage

    columns = (
        Column("server", numbered=True),
        Column("cpu", kind=Kind.NUMBER, least=0.0, most=1.0),
        Column("memory_mb", kind=Kind.NUMBER, needed=False, empty=True, least=0.0, most=_MOST_MEMORY_MB),
    )
    table = read_table(path, [Form("usage", columns, fixed=True, whole=True)])
    memory = table.columns["memory_mb"].tolist() if "memory_mb" in table.columns else [0.0] * len(table)
    rows = zip(table.columns["server"].to_pylist(), table.columns["cpu"].tolist(), memory, strict=True)
    return {server: Usage(share, int(amount) if amount > 0 else None) for server, share, amount in rows}
