"""A table of prices as rows of texts with their lines, from CSV or from a JSON list of objects."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from froude.base.dropped import Dropped
from froude.base.errors import InputError
from froude.base.forms import decimal_of, flat
from froude.base.input_limits import check_limit
from froude.base.tables import read_records
from froude.provision.inputs.units import RANGES, Dimension

_NUMBER = re.compile(r"\+?(?:[0-9]++\.?[0-9]*+|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""As tables write them: `float` also takes `1_0` and the digits of other scripts."""
_DOLLARS = re.compile(
    r"^(?:USD|(?:US)?\$) ?([0-9.,]+)(?: hourly| ?/ ?(?:1 )?hour)?$|"
    r"^([0-9.,]+) ?(?:(?:USD|(?:US)?\$)(?: per hour)?|vCPUs?)$",
    re.IGNORECASE,
)
"""Amounts with their unit, as consoles and lists of providers write them."""
_COMMA = re.compile(r"[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+")
"""Commas that cannot be decimal ones."""
_HEAD_BYTES = 1 << 16
_YAML = re.compile(r"(?:\s*#[^\n]*\n|\s*\n)*+(?:---\s*\n|%YAML|(?:- )?[A-Za-z_][\w .-]*:(?:[ \t]|\r?\n))")
"""How a YAML file begins that is no JSON: a mapping's key on its line, after comments."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row."""

    line: int
    """In a CSV; the number of the object in JSON, from 1."""
    cells: Mapping[str, str]
    """Texts without white space around them; an empty one says nothing."""

    def number(self, column: str) -> float | None:
        """A number of 0 or more that may be meant; None where the cell is empty or there is no such column.

        Raises:
            ValueError: something else stands there.
        """
        text = self.cells.get(column, "")
        if not text:
            return None
        if _THOUSANDS.fullmatch(text):
            text = text.replace(",", "")
        value = float(text) if _NUMBER.fullmatch(text) else -1.0
        if value < 0:
            raise ValueError(f"{column} is not a number of 0 or more, found {text[:40]!r}")
        smallest, largest = RANGES[Dimension.NUMBER]
        if value and not smallest <= value <= largest:
            raise ValueError(f"{column} is beyond anything that is meant, found {text[:40]!r}")
        return value


@dataclass(frozen=True, slots=True)
class Malformed:
    """A row that cannot be used, and why."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Table:
    """A whole table."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    malformed: tuple[Malformed, ...] = field(default=())
    """Rows with too many or too few cells."""


def read_table(data: bytes, file: str) -> Table:
    """The rows of a table.

    Args:
        data: CSV with a header, or JSON: a list of objects, whose inner fields become columns such as
            `storage.size`.

    Raises:
        InputError: neither; no header or no rows.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    if _YAML.match(head := data[:_HEAD_BYTES].decode("utf-8", "replace")):
        raise InputError(
            "is YAML, not a table of prices",
            file=file,
            place=1,
            found=head.lstrip().splitlines()[0][:40],
            allowed="CSV with a header, or a JSON list of objects",
            remedy="Write its prices as CSV: a row for each type, or for each class of volumes and region",
        )
    table = _json(data, file) if data.lstrip()[:1] in {b"[", b"{"} else _csv(data, file)
    check_limit("columns", len(table.columns), file=file, place=1)
    check_limit("rows", len(table.rows), file=file)
    if not table.rows and not table.malformed:
        raise InputError("has no rows", file=file, allowed="a header and a row for each type")
    return table


class _Left(Dropped):
    """Lines that are left out, each by itself."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.rows: list[Malformed] = []
        self._file = file

    def add(self, reason: str, place: str, text: str = "", count: int = 1) -> None:
        """Keep the number of a line, and why it is left out."""
        del text, count
        self.rows.append(Malformed(self._file, int(place.rpartition(":")[2]), f"has {reason}"))


def _csv(data: bytes, file: str) -> Table:
    left, raw = _Left(file), io.BytesIO(data)
    reading, records = read_records(io.BufferedReader(raw), Path(file), left)
    assert reading is not None  # it does not begin as JSON does
    rows = [
        TableRow(line, {name: _DOLLARS.sub(r"\1\2", cell) for name, cell in cells.items()})
        for line, cells in records
    ]
    if reading.separator != ",":
        rows = _with_points(rows, file)
    return Table(file, reading.names, tuple(rows), tuple(left.rows))


def _with_points(rows: list[TableRow], file: str) -> list[TableRow]:
    """Rows whose decimal commas, where numbers have such, are points."""
    cells = (cell for row in rows for cell in row.cells.values())
    if decimal_of(cells, file, "Write its numbers with decimal points") == ".":
        return rows
    return [replace(row, cells={name: _with_point(cell) for name, cell in row.cells.items()}) for row in rows]


def _with_point(cell: str) -> str:
    return cell.replace(".", "").replace(",", ".") if _COMMA.fullmatch(cell) else cell


def _json(data: bytes, file: str) -> Table:
    """Fields of objects and of those inside them, joined by dots; lists of words are joined by blanks."""
    rows: list[TableRow] = []
    malformed: list[Malformed] = []
    try:
        document = json.loads(data)
        items = document if isinstance(document, list) else list(document.values())
        lists = [
            each for each in items if isinstance(each, list) and any(isinstance(of, dict) for of in each)
        ]
        if isinstance(document, dict) and len(lists) == 1:  # of a page that an API answers with
            fields = {name for each in lists[0] if isinstance(each, dict) for name in each}
            # Objects next to the list are of the page, or rows too.
            items = [*lists[0], *(each for each in items if isinstance(each, dict) and fields & each.keys())]
        for number, item in enumerate(items, 1):
            if isinstance(item, dict):
                rows.append(TableRow(number, {name: _cell(value) for name, value in flat(item).items()}))
            else:
                malformed.append(Malformed(file, number, "is not an object"))
    except (ValueError, RecursionError) as error:
        raise InputError("is not JSON", file=file, found=str(error)[:80]) from error
    columns = dict.fromkeys(name for row in rows for name in row.cells)
    return Table(file, tuple(columns), tuple(rows), tuple(malformed))


def _cell(value: object) -> str:
    if isinstance(value, list):
        return " ".join(str(word) for word in value if not isinstance(word, dict | list))
    return "" if value is None else str(value).strip()
