"""A report as text, for a terminal: its verdict, then its tables; charts are for the page."""

from __future__ import annotations

from froude.cli.tables import aligned
from froude.render import Callout, Column, Report, Table, Value, ValueKind
from froude.render.format import DASH, THIN, written
from froude.render.markdown import plain

_PROSE = 40
"""Characters of a last cell that is a sentence."""
_ASCII = str.maketrans({THIN: " ", "\u2212": "-", DASH: "-"})


def page_text(page: Report) -> str:
    """The verdict and every table of a page, in its order; then what must not be overlooked, a line each."""
    blocks = [block for section in page.sections for block in section.blocks]
    tables = [_table(block) for block in blocks if isinstance(block, Table)]
    callouts = [
        f"{block.title}. {plain(block.markdown)}".strip() for block in blocks if isinstance(block, Callout)
    ]
    parts = [plain(page.lede).translate(_ASCII), *tables, "\n".join(callouts)]
    return "\n\n".join(part for part in parts if part)


def _table(table: Table) -> str:
    if not table.rows:
        return f"{table.caption}: {table.empty}"
    head = [f"{column.title} {column.unit}".strip() for column in table.columns]
    cells = [tuple(map(_cell, row, table.columns)) for row in table.rows]
    prose = any(isinstance(row[-1], str) and len(row[-1]) > _PROSE for row in table.rows)
    return f"{table.caption}\n{aligned([head, *cells], prose=prose)}"


def _cell(value: Value, column: Column) -> str:
    """As on the page, but money to the cent, and verdicts in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if column.unit.startswith("$") and isinstance(value, (int, float)):
        return f"{value:,.2f}"
    unit = "" if column.kind is ValueKind.NUMBER else column.unit
    return written(value, column.kind, unit).translate(_ASCII)
