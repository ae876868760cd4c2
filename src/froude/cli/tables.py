"""Aligned text: tables that read the same in a terminal, a file and a log, and that no terminal cuts short."""

from __future__ import annotations

from collections.abc import Sequence, Set


def aligned(rows: Sequence[Sequence[str]], *, words: int = 1, prose: bool = False) -> str:
    """Columns beside each other, two spaces apart.

    Args:
        rows: cells, the head first; all rows of one length.
        words: how many columns at the left are words and stand left; the others are numbers and stand right.
        prose: whether the last column is of sentences, which stand left, too.
    """
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    left = {*range(words), len(widths) - 1} if prose else set(range(words))
    return "\n".join(_line(row, widths, left).rstrip() for row in rows)


def _line(row: Sequence[str], widths: Sequence[int], left: Set[int]) -> str:
    cells = enumerate(zip(row, widths, strict=True))
    return "  ".join(cell.ljust(width) if at in left else cell.rjust(width) for at, (cell, width) in cells)
