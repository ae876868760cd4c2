"""Failed calls as a table, of a play or of recordings."""

from __future__ import annotations

from collections.abc import Sequence

from froude.render import Table, TableOf
from froude.trace.failures import Failure

_MOST = 40


def failures_table(failures: Sequence[Failure], note: str = "") -> Table:
    """Failed calls by method, class and message, the most frequent first.

    Args:
        failures: groups of them; beyond forty they are only counted.
    """
    more = len(failures) - _MOST
    notes = [note, f"And {more} more kinds." if more > 0 else ""]
    return (
        TableOf[Failure]()
        .code("Method", lambda failure: failure.method)
        .code("Error", lambda failure: failure.error.rpartition(".")[2])
        .number("Calls", lambda failure: failure.count)
        .duration("First at", lambda failure: failure.first_s)
        .duration("Last at", lambda failure: failure.last_s)
        .words("First message", lambda failure: failure.example or failure.message or None)
        .code("Its path", lambda failure: failure.path)
        .of(failures[:_MOST], "Errors", note=" ".join(part for part in notes if part))
    )
