"""A table of prices as rows of texts with their lines, from CSV or from a JSON list of objects."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from froude.base.errors import InputError
from froude.base.forms import decimal_of, flat, separator_of
from froude.base.input_limits import check_limit
from froude.provision.inputs.units import RANGES, Dimension

_NUMBER = re.compile(r"\+?(?:[0-9]++\.?[0-9]*+|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""As tables write them: `float` also takes `1_0` and the digits of other scripts."""
_DOLLARS = re.compile(
    r"^(?:USD|(?:US)?\$) ?([0-9.,]+)(?: hourly| ?/ ?(?:1 )?hour)?$|"
    r"^([0-9.,]+) ?(?:(?:USD|(?:US)?\$)(?: per hour)?|vCPUs?)$",
    re.IGNORECASE,
)
"""Amounts with their unit, as consoles and lists of providers write them."""
_ABOVE = re.compile(
    r"(?:[ \t]*(?:#[^\n]*|\"(?:FormatVersion|Disclaimer|Publication Date|Version|OfferCode)\",[^\n]*)?\r?\n)+"
)
"""Comments and blank lines above a header, and what AWS writes there."""
_COMMA = re.compile(r"[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+")
"""Commas that cannot be decimal ones."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
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
        InputError: neither; not UTF-8; no header or no rows.
    """
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8 text", file=file, place=f"byte {error.start}") from error
    if _YAML.match(text):
        raise InputError(
            "is YAML, not a table of prices",
            file=file,
            place=1,
            found=text.lstrip().splitlines()[0][:40],
            allowed="CSV with a header, or a JSON list of objects",
            remedy="Write its prices as CSV: a row for each type, or for each class of volumes and region",
        )
    table = _json(text, file) if text.lstrip()[:1] in {"[", "{"} else _csv(text, file)
    check_limit("columns", len(table.columns), file=file, place=1)
    check_limit("rows", len(table.rows), file=file)
    if not table.rows and not table.malformed:
        raise InputError("has no rows", file=file, allowed="a header and a row for each type")
    return table


def _csv(text: str, file: str) -> Table:
    above = _ABOVE.match(text)
    begin = above.end() if above else 0
    separator = separator_of(text[begin:].partition("\n")[0])
    reader = csv.reader(io.StringIO(text[begin:], newline=""), delimiter=separator)
    skipped = text.count("\n", 0, begin)
    rows: list[TableRow] = []
    malformed: list[Malformed] = []
    try:
        header = tuple(name.strip() for name in next(reader, []))
        numbers = sum(_NUMBER.fullmatch(name) is not None for name in header)
        if len(set(header)) < len(header) or len(header) < 2 or numbers > 1:
            raise InputError(
                "has no header",
                file=file,
                place=1 + skipped,
                found=", ".join(header),
                allowed="names of columns, apart",
            )
        for cells in reader:
            if not any(cells):
                continue
            if len(cells) != len(header):
                message = f"has {len(cells)} cells where the header has {len(header)}"
                malformed.append(Malformed(file, skipped + reader.line_num, message))
                continue
            texts = (_DOLLARS.sub(r"\1\2", cell.strip()) for cell in cells)
            rows.append(TableRow(skipped + reader.line_num, dict(zip(header, texts, strict=True))))
    except csv.Error as error:
        raise InputError(f"is not CSV ({error})", file=file, place=skipped + reader.line_num) from error
    if separator != ",":
        rows = _with_points(rows, file)
    return Table(file, header, tuple(rows), tuple(malformed))


def _with_points(rows: list[TableRow], file: str) -> list[TableRow]:
    """Rows whose decimal commas, where numbers have such, are points."""
    cells = (cell for row in rows for cell in row.cells.values())
    if decimal_of(cells, file, "Write its numbers with decimal points") == ".":
        return rows
    return [replace(row, cells={name: _with_point(cell) for name, cell in row.cells.items()}) for row in rows]


def _with_point(cell: str) -> str:
    return cell.replace(".", "").replace(",", ".") if _COMMA.fullmatch(cell) else cell


def _json(text: str, file: str) -> Table:
    """Fields of objects and of those inside them, joined by dots; lists of words are joined by blanks."""
    rows: list[TableRow] = []
    malformed: list[Malformed] = []
    try:
        document = json.loads(text)
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
