"""Forms of tables: how a layout is declared, and how the form of a file is found.

A header decides where its names are those of a form. Without one, a form fits where nearly all rows of the sample have
its number of columns and values of their kinds. Where two forms fit, the user is asked.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute

from froude.base.columns import Column, Kind, Style, convert
from froude.base.dates import titled_unit
from froude.base.errors import InputError, nearest
from froude.base.input_limits import check_limit

pc: Any = pyarrow.compute
_FITS = 0.9
"""Share of the sample that is of a form, from which on the file is taken for it."""
_MAY_FIT = 0.5
"""Share of the sample that is of a form of lines, from which on the other lines are taken for damaged ones."""
BLANKS = " "
"""The separator of columns with blanks and TABs between them, however many."""
_SEPARATORS = (";", "\t", "|", ",")
_DECLARED = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
"""A first line in which a spreadsheet names the separator."""
_QUOTED = re.compile(r'"[^"\n]*"')
_SIGNS = re.compile(r"""[\s_.]*[(\[]\s*(?:percent|utc|avg|average|mean)\s*[)\]]|[\s_.%"()[\]/-]+""")
"""What does not matter in the name of a column; another unit makes it another column."""
CLOCK = "clock"
"""What `Options.columns` calls the times of a day, where the column of the time has days."""
_CLOCK = Column(CLOCK)
_SHOWN = 20
_TITLE_LINES = 20
"""Lines within which a header is looked for."""


@dataclass(frozen=True, slots=True)
class Form:
    """A layout that is read."""

    name: str
    """As `--layout` takes it."""
    columns: tuple[Column, ...]
    """Those that are wanted."""
    order: tuple[str, ...] = ()
    """The column at each position of a file without a header; empty text for a column that is not wanted."""
    header: bool = True
    """Whether a file may begin with a header."""
    separator: str = ""
    """Between columns; empty to find it."""
    pattern: str = ""
    """Regular expression of a line, whose groups are the columns; of RE2. Empty for separated columns."""
    ignored: str = ""
    """Regular expression of lines that are not rows, such as a summary; they are not counted as left out."""
    fixed: bool = False
    """Whether no flag names its columns."""
    whole: bool = False
    """Whether one line that is left out is an error."""
    lines: bool = False
    """Whether a file is JSON, an object a line; columns are named by their path, such as `average_usage.cpus`."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a person says that a table is written, where it cannot be found or is found wrongly."""

    layout: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    """What to the name, or the number from 0, of its column; and `CLOCK`."""
    separator: str = ""
    style: Style = field(default_factory=Style)
    decimal: str = ""
    """`.` or `,`; empty to find it."""
    strict: bool = False


class Reading(NamedTuple):
    """How a file is read, once that is known."""

    form: Form
    columns: tuple[Column, ...]
    at: tuple[int, ...]
    """Position of each column."""
    names: tuple[str, ...]
    """What the file calls each column; empty without a header."""
    separator: str
    style: Style
    skipped: int
    """Lines at the beginning that are not rows."""
    width: int
    """Columns of the file."""
    fits: float = 1.0
    """Share of the lines of the sample that are of the form."""

    @property
    def understood(self) -> str:
        """The form, and which column is what."""
        if self.form.pattern:
            return self.form.name
        shown = ", ".join(
            f"{column.what} in {repr(name) if name else f'column {at}'}"
            for column, at, name in zip(
                self.columns, self.at, self.names or ("",) * len(self.at), strict=True
            )
        )
        between = {"\t": "TAB", BLANKS: "blanks", ",": "comma", ";": "semicolon"}.get(
            self.separator, self.separator
        )
        comma = ", decimal comma" if self.style.decimal == "," else ""
        below = f", header in line {self.skipped}" if self.names and self.skipped > 1 else ""
        return f"{self.form.name} ({shown}; {between}{comma}{below})"


def named_forms(forms: Sequence[Form], options: Options) -> Sequence[Form]:
    """The forms that a file may be of: the one of the layout that a person names, else all.

    Raises:
        InputError: there is no such layout, or it lacks a column that a person names.
    """
    if not options.layout:  # whose columns a person names, it is of no published layout
        plain = [form for form in forms[:-1] if form.lines and form.columns == forms[-1].columns]
        return [*plain, forms[-1]] if options.columns else forms
    named = [form for form in forms if form.name == options.layout]
    if not named:
        names = [form.name for form in forms]
        message = f"is not a layout{nearest(options.layout, names)}"
        raise InputError(message, place="--layout", found=options.layout, allowed=", ".join(names))
    known = [] if named[0].pattern else [column.what for column in named[0].columns]
    for what in options.columns:
        if what not in known and not (what == CLOCK and "time" in known):
            message, allowed = f"is not a column of layout {options.layout}", ", ".join(known) or None
            raise InputError(message, place="--column", found=what, allowed=allowed)
    return named


def placed(
    form: Form, positions: Mapping[str, int], titles: Sequence[str] = ()
) -> tuple[tuple[Column, ...], tuple[int, ...]]:
    """The columns of a form that a file has, with the units that their titles name, and the position of each.

    Args:
        titles: of all columns of the file; empty without a header.
    """
    columns = tuple(column for column in (*form.columns, _CLOCK) if column.what in positions)
    at = tuple(positions[column.what] for column in columns)
    columns = tuple(
        replace(column, unit=titled_unit(_plain_name(titles[place]))[1])
        if column.titled and titles
        else column
        for column, place in zip(columns, at, strict=True)
    )
    return columns, at


def find_reading(path: Path, sample: list[str], forms: Sequence[Form], options: Options) -> Reading:
    """How a file is read, by its first lines.

    Args:
        path: the file, for errors.
        sample: its first lines, without line feeds; whole.
        forms: those that it may be of; the first that fits by its header is taken. The last is the plain one, whose
            columns a person may name.
        options: what a person says about it.

    Raises:
        InputError: of no form, or of several.
    """
    forms = named_forms(forms, options)
    above = _lines_above(path, sample, forms, options)
    sample = sample[above:]
    last: InputError | None = None
    objects: InputError | None = None
    fitting: list[Reading] = []
    for form in forms:
        try:
            found = _fitted(path, sample, form, options)
            found = found._replace(skipped=found.skipped + above)
        except InputError as error:
            if len(forms) == 1:
                raise
            last, objects = error, error if form.lines else objects
            continue
        if not (found.names or form.lines):
            fitting.append(found)
        elif not any(
            each.form.pattern and each.fits == 1.0 for each in fitting
        ):  # what seems to be a header too
            return found
    best = max((found.fits for found in fitting), default=0.0)
    fitting = [found for found in fitting if found.fits == best]
    if len(fitting) == 1 or (fitting and all(found.form.pattern for found in fitting)):
        return fitting[0]
    _, line, separator = _first_line(sample)
    head = line[:80]
    names = ", ".join(form.name for form in forms)
    if fitting:
        several = " or ".join(each.form.name for each in fitting)
        remedy = "Name its layout with --layout"
        raise InputError(
            "may be of several layouts", file=path, place=1, found=head, allowed=several, remedy=remedy
        )
    if objects is not None and head.lstrip().startswith("{"):
        raise objects
    plain = forms[-1]
    cells = {_plain_name(cell) for cell in cells_of(line, options.separator or separator)}
    named = any(_plain_name(name) in cells for column in plain.columns for name in column.names)
    if last is not None and (options.columns or named or plain.fixed):
        raise last  # of a form that no flag names, or a header that has some names of it: what is missing
    remedy = "Name its layout with --layout, or its columns with --column"
    raise InputError("is not of a known layout", file=path, place=1, found=head, allowed=names, remedy=remedy)


def _lines_above(path: Path, sample: list[str], forms: Sequence[Form], options: Options) -> int:
    """Lines of a title above a header that has the columns of a form; 0 without such a header."""
    for number, line in enumerate(sample[:_TITLE_LINES]):
        if _DECLARED.fullmatch(line):
            break
        separator = options.separator or separator_of(line)
        cells = cells_of(line.lstrip("# "), separator)
        for form in forms:
            found = None
            with suppress(InputError):
                if form.header and not form.pattern:
                    found = positions_by_names(path, cells, form, options)
            if found is not None:
                columns, at = placed(form, found)
                above = (cells_of(each, separator) for each in sample[:number])
                rows = (row for row in above if len(row) == len(cells))  # no title, if it has values
                return 0 if any(_is_row(columns, at, row, options.style) for row in rows) else number
    return 0


def _fitted(path: Path, sample: list[str], form: Form, options: Options) -> Reading:
    """How a file of this form is read.

    Raises:
        InputError: it is not of the form.
    """
    if form.pattern:
        return _by_pattern(path, sample, form, options)
    if form.lines:
        return _by_objects(path, sample, form, options)
    first, head, separator = _first_line(sample)
    separator = options.separator or form.separator or separator
    if separator == BLANKS and form.order and not options.separator:
        separator = ","  # no published table without a header has blanks between its columns
    cells = cells_of(head, separator)
    check_limit("columns", len(cells), file=path, place=first + 1)
    rows = [cells_of(line, separator) for line in sample[first + 1 :] if line.strip()]
    positions = positions_by_names(path, cells, form, options, rows[0] if rows else ())
    named = positions is not None
    width = _width(cells, rows) if named else len(cells)
    every = [cells, *rows]
    if positions is None:
        if len(cells) == len(form.order) + 1 and all(row[-1:] == [""] for row in every):
            cells = cells[:-1]  # each line ends with a separator
        positions = _by_order(path, cells, form, options)
    columns, at = placed(form, positions, cells if named else ())
    style = _styled(path, columns, at, every, options, fixed=form.fixed)
    columns = _in_percent(columns, at, rows)
    if named and options.columns and _is_row(columns, at, cells, style):
        named = False  # a person gave numbers of columns, of a file without a header
    if not named:
        if (
            not options.layout
            and not _is_row(columns, at, cells, style)
            and any(map(str.isalpha, "".join(cells)))
        ):
            message = f"has a header that is not of layout {form.name}"
            raise InputError(message, file=path, place=first + 1, found=head[:80])
        rows = every
    titles = tuple(cells[each] for each in at) if named else ()
    skipped = first + named if named or not head.startswith("#") else first + 1
    found = Reading(form, columns, at, titles, separator, style, skipped, width)
    if not named:
        _check_kinds(path, found, rows)
    return found


def _first_line(sample: list[str]) -> tuple[int, str, str]:
    """The first line that is neither blank nor a comment: its number from 0, it, and the separator that is found."""
    lines = [(at, line) for at, line in enumerate(sample) if line.strip()]
    declared = _DECLARED.fullmatch(lines[0][1].strip(" ")) if lines else None
    first = int(declared is not None)
    while first + 1 < len(lines) and _is_comment(lines[first][1], lines[first + 1][1]):
        first += 1
    at, line = lines[first] if first < len(lines) else (len(sample), "")
    head = line.lstrip("# ")
    return at, head, declared[1] if declared else separator_of(head)


def _width(header: list[str], rows: list[list[str]]) -> int:
    """Columns of a table, whose rows or whose header alone may end with a separator."""
    width = Counter(map(len, rows)).most_common(1)[0][0] if rows else len(header)
    ends = [
        row[-1] for row in ([header] if width < len(header) else rows) if len(row) == max(width, len(header))
    ]
    return width if abs(width - len(header)) == 1 and not any(ends) else len(header)


def _is_comment(line: str, following: str) -> bool:
    """Whether a line that begins with a number sign is not a header of what follows."""
    if not line.startswith("#"):
        return False
    separator = separator_of(following)
    return following.startswith("#") or len(cells_of(line, separator)) != len(cells_of(following, separator))


def _is_row(columns: Sequence[Column], at: Sequence[int], cells: list[str], style: Style) -> bool:
    """Whether the first line has values where a header has names."""
    texts = with_clock(columns, [pa.array([cells[place]]) for place in at])
    return all(
        not convert(column, own, style).wrong[0]
        for column, own in zip(columns, texts, strict=True)
        if column.kind is not Kind.TEXT
    )


def with_clock(columns: Sequence[Column], texts: Sequence[Any]) -> Sequence[Any]:
    """The texts of columns; where days and times of the day are two columns, the first has both."""
    if not columns or columns[-1].what != CLOCK:
        return texts
    clock = texts[-1].cast(pa.string())
    return [
        pc.binary_join_element_wise(own.cast(pa.string()), clock, " ") if column.kind is Kind.TIME else own
        for column, own in zip(columns, texts, strict=True)
    ]


def _by_objects(path: Path, sample: list[str], form: Form, options: Options) -> Reading:
    record: dict[str, Any] = {}
    for line in sample:  # a record may lack a field that others have
        with suppress(ValueError, RecursionError, AttributeError):
            record |= flat(json.loads(line))
    if not record:
        raise InputError("does not have an object on each line", file=path, place=1)
    positions = positions_by_names(path, list(record), form, options)
    if positions is None:
        raise InputError(f"does not have the fields of {form.name}", file=path, place=1)
    columns, at = placed(form, positions, list(record))
    titles = tuple(list(record)[each] for each in at)
    return Reading(form, columns, at, titles, "JSON lines", options.style, 0, len(record))


def flat(item: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Fields of an object and of those inside it, named by their path."""
    found: dict[str, Any] = {}
    for name, value in item.items():
        path = f"{above}.{name}" if above else name
        if isinstance(value, dict):
            found |= flat(value, path)
        else:
            found[path] = value
    return found


def _by_pattern(path: Path, sample: list[str], form: Form, options: Options) -> Reading:
    lines = [line for line in sample if line.strip()]
    pattern = re.compile(form.pattern)
    rows = [match.groups("") for match in map(pattern.fullmatch, lines) if match]
    odd = [line for line in lines if not pattern.fullmatch(line)]
    events = len(rows) + sum(not (form.ignored and re.fullmatch(form.ignored, line)) for line in odd)
    others = not events and any(
        line.lstrip()[:1].isdigit() for line in lines
    )  # events alone that are not wanted
    if not others and (not rows or (not options.layout and len(rows) < _MAY_FIT * events)):
        found = next(iter(odd), "")[:80]
        raise InputError(f"does not have the lines of {form.name}", file=path, place=1, found=found)
    columns, at = placed(form, {what: group - 1 for what, group in pattern.groupindex.items()})
    style = _styled(path, columns, at, rows, options, fixed=form.fixed)
    fits = 1.0 if others else len(rows) / events
    return Reading(form, columns, at, (), "", style, 0, pattern.groups, fits)


def positions_by_names(
    path: Path, cells: list[str], form: Form, options: Options, row: Sequence[str] = ()
) -> dict[str, int] | None:
    """Positions by the names of a header, or by the numbers that a person gave; None where its order decides.

    Args:
        row: the cells of the first row, where it is known: two columns may be a date and its time.

    Raises:
        InputError: a column that is needed is missing, and the form has no order; or several may be one.
    """
    inner = [_plain_name(cell.rpartition(".")[2]) for cell in cells]  # without the objects that they are in
    above = {cell.rpartition(".")[0] for cell in cells}
    of_one = (
        len(above) == 1 and "" not in above and not form.lines
    )  # of a table, whose name Hive writes before each
    plain = inner if of_one else [_plain_name(cell) for cell in cells]
    wanted = {column.what for column in form.columns} | {CLOCK}
    found = {what: _named(path, cells, theirs) for what, theirs in options.columns.items() if what in wanted}
    for column in form.columns:
        if column.what in found:
            continue
        at: list[int] = []
        for names in (column.names or (column.what,), column.lesser):
            usual = set(map(_plain_name, names)) if form.header and not at else set()
            at += [n for n, name in enumerate(plain) if name in usual and n not in found.values()]
            if column.titled and not at:
                at += [n for n, name in enumerate(plain) if titled_unit(name)[0] in usual]
            if form.lines and not at and not column.empty:
                at += [n for n, name in enumerate(inner) if name in usual and n not in found.values()]
        may_join = column.kind is Kind.TIME and len(at) == 2 and len(row) == len(cells)
        pairs = [(at[0], at[1]), (at[1], at[0])] if may_join else []
        if pairs := [pair for pair in pairs if _is_row((column, _CLOCK), pair, list(row), options.style)]:
            found[column.what], found[CLOCK] = pairs[0]
            continue
        if len(at) > 1:
            both = "; or both, if they are date and time" if column.kind is Kind.TIME else ""
            ways = " or ".join(f"--column {column.what}={number} ({cells[number]})" for number in at)
            raise InputError(
                f"has several columns {column.what}", file=path, place=1, found=f"columns {', '.join(map(str, at))}",
                remedy="Leave one of them" if form.fixed else f"Say which it is: {ways}{both}",
            )  # fmt: skip
        if at:
            found[column.what] = at[0]
        elif column.needed and form.order:
            return None
        elif column.needed:
            allowed = " or ".join(column.names or (column.what,))
            raise InputError(
                f"has no column {column.what}", file=path, place=1, found=", ".join(cells[:_SHOWN]), allowed=allowed,
                remedy=None if form.fixed else f"Name the column: --column {column.what}=NAME, or its number from 0",
            )  # fmt: skip
    return found


def _by_order(path: Path, cells: list[str], form: Form, options: Options) -> dict[str, int]:
    """Positions by the form's order, with those that a person gives."""
    least = max(number for number, what in enumerate(form.order) if what) + 1
    # A person who names the layout may have cut off columns that are not wanted.
    if len(cells) != len(form.order) and not (options.layout and least <= len(cells)):
        found, allowed = f"{len(cells)} columns", f"{len(form.order)} columns"
        raise InputError(f"is not of layout {form.name}", file=path, place=1, found=found, allowed=allowed)
    given = {what: _named(path, cells, theirs) for what, theirs in options.columns.items()}
    return {what: number for number, what in enumerate(form.order) if what} | given


def _named(path: Path, cells: list[str], name: str) -> int:
    if name.isascii() and name.isdecimal() and int(name) < len(cells):
        return int(name)
    plain = [_plain_name(cell) for cell in cells]
    for given, names in ((name, cells), (_plain_name(name), plain)):
        if names.count(given) == 1:
            return names.index(given)
    message = f"has no such column{nearest(name, cells)}"
    if _plain_name(name) in plain:
        message = "has several such columns: give the number of one"
    raise InputError(message, file=path, place="--column", found=name, allowed=", ".join(cells[:_SHOWN]))


def _plain_name(name: str) -> str:
    return _SIGNS.sub("", name.lower())


def separator_of(line: str) -> str:
    """Of the separators that a header has, the first of `;`, TAB, `|` and comma, else blanks; none counts within quotes.

    Numbers with decimal commas are in tables with another separator.
    """
    plain = _QUOTED.sub("", line)
    found = next((each for each in _SEPARATORS if each in plain), "")
    return found or (BLANKS if BLANKS in plain.strip() else ",")


def cells_of(line: str, separator: str) -> list[str]:
    """The cells of a line, without blanks around them."""
    if separator == BLANKS:
        return line.split()
    try:
        return [
            cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
        ]
    except csv.Error:
        return []


def _styled(
    path: Path,
    columns: Sequence[Column],
    at: Sequence[int],
    rows: Sequence[Sequence[str]],
    options: Options,
    *,
    fixed: bool,
) -> Style:
    """The style of the numbers of a table; where commas separate columns, those of cells in quotes count.

    Raises:
        InputError: its decimal character cannot be found.
    """
    if options.decimal:
        return replace(options.style, decimal=options.decimal)
    cells = [
        row[place]
        for row in rows
        for column, place in zip(columns, at, strict=True)
        if column.kind is not Kind.TEXT and place < len(row)
    ]
    remedy = "Write decimal points" if fixed else "Say what the comma is: --decimal , or --decimal ."
    return replace(options.style, decimal=decimal_of(cells, str(path), remedy))


def _in_percent(columns: Sequence[Column], at: Sequence[int], rows: list[list[str]]) -> tuple[Column, ...]:
    """The columns; those whose cells mostly end with a percent sign are marked."""
    ends = {place: [row[place].endswith("%") for row in rows if place < len(row)] for place in at}
    return tuple(
        replace(column, percent=column.kind is Kind.NUMBER and 2 * sum(ends[place]) > len(ends[place]))
        for column, place in zip(columns, at, strict=True)
    )


def decimal_of(cells: Iterable[str], file: str, remedy: str) -> str:
    """The decimal character of a table that commas do not separate: a comma if numbers have one.

    Args:
        cells: of its columns of numbers; those that are not numbers do not count.
        file: its name, for the error.
        remedy: what a person may do, for the error.

    Raises:
        InputError: commas may as well separate thousands.
    """
    stripped = (cell.strip("% ") for cell in cells)
    values = [cell for cell in stripped if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", cell)]
    if values and all(re.fullmatch(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}", value) for value in values):
        message = "may have decimal commas or commas of thousands"
        raise InputError(message, file=file, found=values[0], remedy=remedy)
    return "," if values else "."


def _check_kinds(path: Path, reading: Reading, rows: list[list[str]]) -> None:
    """Refuse a form without a header whose columns hold something else: it would be read without a word."""
    whole = [row for row in rows if len(row) == reading.width]
    if len(whole) < _FITS * len(rows):
        raise InputError(
            f"is not of layout {reading.form.name}", file=path, found="lines of different lengths"
        )
    for column, at in zip(reading.columns, reading.at, strict=True):
        texts = [row[at] for row in whole]
        wrong = convert(column, pa.array(texts, pa.string()), reading.style).wrong
        if column.kind is Kind.TEXT and reading.form.order:
            numbers = convert(replace(column, kind=Kind.NUMBER), pa.array(texts, pa.string()), Style())
            wrong = wrong | (~numbers.wrong if not column.numbered else wrong)
        if wrong.sum() > (1 - _FITS) * len(texts):
            row = int(np.argmax(wrong))
            message = f"is not of layout {reading.form.name}: column {at} is not the {column.what}"
            raise InputError(
                message, file=path, place=f"line {row + 1}", found=texts[row], allowed=column.kind.value,
                remedy="Name the columns: --column",
            )  # fmt: skip
