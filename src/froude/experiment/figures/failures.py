"""Failed calls as a table, of a play or of recordings."""

from __future__ import annotations

from collections.abc import Sequence

from froude.render import Column, Table, Value, ValueKind
from froude.trace.failures import Failure

_MOST = 40


def failures_table(failures: Sequence[Failure], note: str = "") -> Table:
    """Failed calls by method, class and message, the most frequent first.

    Args:
        failures: groups of them; beyond forty they are only counted.
    """
    rows: list[tuple[Value, ...]] = [
        (
            f.method,
            f.error.rpartition(".")[2],
            f.count,
            f.first_s,
            f.last_s,
            f.example or f.message or None,
            f.path,
        )
        for f in failures[:_MOST]
    ]
    columns = (
        Column("Method", ValueKind.CODE),
        Column("Error", ValueKind.CODE),
        Column("Calls", ValueKind.NUMBER),
        Column("First at", ValueKind.DURATION),
        Column("Last at", ValueKind.DURATION),
        Column("First message"),
        Column("Its path", ValueKind.CODE),
    )
    more = len(failures) - _MOST
    notes = [note, f"And {more} more kinds." if more > 0 else ""]
    return Table(columns, rows, "Errors", " ".join(part for part in notes if part))
