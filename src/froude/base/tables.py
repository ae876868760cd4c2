"""Tables of others: one reader, to which each layout is a declaration of its columns.

A `Form` says how a published layout is written: its columns by the names of a header or by their order, or a regular
expression of its lines. `read_table` finds the form of a file by its header or by what its columns hold, reads it in
blocks of whole lines, and leaves out rows that are not of the form, counted by reason (`Dropped`). Memory grows with the
values that are wanted, not with the file.

Text is cut into blocks here rather than by pyarrow, so that each row keeps the number of its line, blanks can separate
columns, and a line can be read by a regular expression; the cells of a block are pyarrow's.
"""

from __future__ import annotations

import io
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from froude.base.columns import Column, Converted, Kind, convert, how_to_write, in_seconds, mask
from froude.base.dates import FIRST_S, LAST_S, MOSTLY, other_times
from froude.base.dropped import CUT_SHORT, OF_ANOTHER_KIND, Dropped
from froude.base.errors import InputError
from froude.base.files import open_regular, read_at_most
from froude.base.forms import (
    BLANKS,
    Form,
    Options,
    Reading,
    cells_of,
    find_reading,
    flat,
    named_forms,
    placed,
    positions_by_names,
    with_clock,
)
from froude.base.input_limits import check_limit
from froude.base.packed import cut_short, parts, unpacked
from froude.base.summary import counted

pc: Any = pyarrow.compute
_BLOCK_BYTES = 4 << 20
_LONGEST_LINE = 1 << 20
_HEAD_BYTES = 64
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")
_ARRAY_BYTES = 2 << 30
"""Of a JSON array, which is read whole."""
_QUOTED_LINES = 20
"""Lines that a cell in quotes may go over."""
_AROUND = " \t\"'#\ufeff"
"""Around the names of a header that comes again."""
_SAMPLE_LINES = 200
"""Lines at the beginning of a file that show its form."""
_BESIDE = re.compile(
    r"(?i)(readme|licen[cs]e|changelog|manifest|checksums?|(sha\d*|md5)(sums?)?|thumbs|desktop)(\.\w+)?|"
    r".*\.(md|rst|html?|pdf|docx?|png|jpe?g|svg|ini|sha\d+|md5|asc|sig|header|py|sh|sql|ya?ml)"
)
"""Names of files that are in folders of tables and are none; of Alibaba's, headers."""


@dataclass(slots=True)
class Table:
    """The rows of one file."""

    path: Path
    form: Form
    columns: dict[str, Any]
    """float64, int64, or a dictionary array of names; each of shape (n,)."""
    lines: npt.NDArray[np.int64]
    """Number of the line of each row; of a Parquet file of the row, from 1."""
    dropped: Dropped
    understood: str
    """The form, and which column is what."""
    percent: frozenset[str] = frozenset()
    """Columns whose cells end with percent signs."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """What the file calls each column; empty without a header."""
    places: Mapping[str, str] = field(default_factory=dict)
    """The number of each column from 0, as `Options.columns` has it."""

    def __len__(self) -> int:
        return len(self.lines)


def read_table(
    path: Path, forms: Sequence[Form], options: Options | None = None, *, empty: bool = False
) -> Table:
    """The rows of a table, plain or packed.

    Args:
        path: text of one of the forms, or Parquet with the columns of one.
        forms: those that it may be of; the first that fits is taken, so the more special come first.
        options: what a person says about it.
        empty: whether a file without a row is allowed.

    Raises:
        InputError: unreadable; of none of the forms; without a row; with too many rows left out.
    """
    options = options or Options()
    with open_regular(path) as raw:
        parquet = raw.read(4) == b"PAR1"
        raw.seek(0)
        if parquet:
            return _read_parquet(raw, path, forms, options, empty)
        with unpacked(raw, path, whole=False) as stream:
            array = _ARRAY.match(stream.peek(_HEAD_BYTES)[:_HEAD_BYTES])
            return _read_text(_objects(stream, path) if array else stream, path, forms, options, empty)


def head_of(path: Path, count: int) -> bytes:
    """The first bytes of a file, unpacked where it is packed."""
    with open_regular(path) as raw, unpacked(raw, path, whole=False) as stream:
        return bytes(stream.read(count))


def refuse_known(path: Path, head: bytes, known: Mapping[bytes, tuple[str, str]]) -> None:
    """Refuse what is not read for what it is.

    Args:
        head: how the file begins.
        known: by a regular expression of a beginning the message, and the remedy.

    Raises:
        InputError: it is of those.
    """
    for begin, (message, remedy) in known.items():
        if re.match(begin, head):
            raise InputError(message, file=path, remedy=remedy)


def holds_rows(path: Path) -> bool:
    """Whether a file of a folder may be a table: it is not empty, and not called as what goes with tables is."""
    return path.stat().st_size > 0 and not _BESIDE.fullmatch(path.name)


def parts_of(paths: Iterable[Path]) -> list[Path]:
    """Files, and of folders the files in them at any depth, in the order of their names and numbers.

    Raises:
        InputError: a folder has no file.
    """
    found: list[Path] = []
    for path in paths:
        inner = parts(path, folders="*")
        found += inner if inner == [path] else parts_of(inner)
        check_limit("columns", len(found), file=path)
    return found


def _objects(stream: Any, path: Path) -> io.BufferedReader:
    """The objects of a JSON array, one a line.

    Raises:
        InputError: it is not one, or too large.
    """
    try:
        records = json.loads(read_at_most(stream, path, _ARRAY_BYTES))
        lines = [json.dumps(dict(record)) for record in records]
    except (ValueError, TypeError, RecursionError) as error:
        found = " ".join(str(error).split())
        raise InputError("is not a JSON array of objects", file=path, found=found) from error
    raw: Any = io.BytesIO("\n".join(lines).encode())
    return io.BufferedReader(raw)


def _read_text(stream: Any, path: Path, forms: Sequence[Form], options: Options, empty: bool) -> Table:
    blocks = _blocks(stream, path)
    first, foreign = next(blocks, (b"", False))
    sample = first[:_LONGEST_LINE].decode("utf-8", "replace").split("\n")[:_SAMPLE_LINES]
    if len(first) > _LONGEST_LINE and len(sample) < _SAMPLE_LINES:
        sample = sample[:-1] or sample  # its last line was cut
    if not any(line.strip() for line in sample):
        if empty:
            return Table(path, forms[-1], {}, np.zeros(0, np.int64), Dropped(), "no line")
        raise InputError("has no line", file=path)
    reading = find_reading(path, sample, forms, options)
    builder = _Builder(path, reading)
    line = 1
    for block, odd in itertools.chain([(first, foreign)], blocks):
        foreign |= odd
        rows = block.count(b"\n") + (not block.endswith(b"\n"))
        builder.take(block, line)
        line += rows
    if cut_short(stream):
        builder.dropped.add(CUT_SHORT, f"{path}:{line}")
    table = builder.finish(options, empty)
    table.understood += ", text of Windows-1252" if foreign else ""
    return table


def _blocks(stream: Any, path: Path) -> Iterator[tuple[bytes, bool]]:
    """Whole lines, some megabytes at a time, as UTF-8 with line feeds alone; and whether some were not UTF-8."""
    left = b""
    while piece := stream.read(_BLOCK_BYTES):
        if not left and b"\0" in piece[:4]:
            remedy = "Convert it: `iconv -f UTF-16LE -t UTF-8`"
            found = "UTF-16 without a mark, or UTF-32"
            raise InputError("is not UTF-8", file=path, found=found, remedy=remedy)
        piece = left + piece
        cut = piece.rfind(b"\n") + 1 or (piece.rfind(b"\r") + 1 if b"\r" in piece[:-1] else 0)
        left = piece[cut:]
        if len(left) > _LONGEST_LINE + _BLOCK_BYTES:
            raise InputError(
                "has a line too long for a table", file=path, allowed=f"at most {_LONGEST_LINE:,} bytes"
            )
        if cut:
            yield _plain(piece[:cut])
    if left and not cut_short(stream):
        yield _plain(left)


def _plain(block: bytes) -> tuple[bytes, bool]:
    if block.startswith(b"\xef\xbb\xbf"):
        block = block[3:]
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b" " if b"\n" in block else b"\n")
    try:
        block.decode()
    except UnicodeDecodeError:
        return b"\n".join(map(_as_utf8, block.split(b"\n"))), True
    return block, False


def _as_utf8(line: bytes) -> bytes:
    """A line in UTF-8, or else in Windows-1252: by itself, so that a name is the same wherever it is in a file."""
    for encoding in ("utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            return line.decode(encoding).encode()
    return line.decode("latin-1").encode()


class _Builder:
    """Takes blocks of lines, and keeps the values of the columns that are wanted."""

    def __init__(self, path: Path, reading: Reading) -> None:
        self._path, self._reading = path, reading
        self._parts: list[list[Any]] = [[] for _ in reading.columns]
        self._lines: list[npt.NDArray[np.int64]] = []
        self.dropped = Dropped()
        """Rows that are left out."""
        self._rows = 0

    def take(self, block: bytes, line: int) -> None:
        """Read a block whose first line has this number."""
        reading = self._reading
        if line == 1 and reading.skipped:
            parts = block.split(b"\n", reading.skipped)
            block = parts[-1] if len(parts) > reading.skipped else b""
            line += reading.skipped
        if not block:
            return
        form = reading.form
        cut = self._by_pattern if form.pattern else self._by_objects if form.lines else self._by_cells
        texts, lines = cut(block, line)
        self.add(texts, lines)

    def add(self, texts: Sequence[Any], lines: npt.NDArray[np.int64]) -> None:
        """Keep the rows whose values are right."""
        reading = self._reading
        named = bool(reading.names) and all(pa.types.is_string(own.type) for own in texts)
        if named and reading.form.ignored:
            other = ~self._headers_below(texts, lines)
            texts, lines = [own.filter(pa.array(other)) for own in texts], lines[other]
        cells, texts = texts, with_clock(reading.columns, texts)
        wrong = np.zeros(len(lines), bool)
        values: list[Converted] = []
        for column, own in zip(reading.columns, texts, strict=True):
            converted = convert(column, own, reading.style)
            if not self._lines and in_seconds(column, reading.style):
                self._refuse_other_times(column.what, own, converted)
            elif not self._lines and column.titled and not reading.style.dates:
                self._refuse_seconds(column, converted)
            values.append(converted)
        if named and any(converted.wrong.any() for converted in values):
            wrong = self._headers_below(cells, lines)
            if wrong.any():
                place = f"{self._path}:{lines[int(np.argmax(wrong))]}"
                self.dropped.add(OF_ANOTHER_KIND, place, "the header again", int(wrong.sum()))
        keep = ~wrong
        for own, converted in zip(texts, values, strict=True):
            self.dropped.without(
                keep, converted.odd, lambda row: f"{self._path}:{lines[row]}", own.__getitem__
            )
        every = bool(keep.all())
        for kept, converted in zip(self._parts, values, strict=True):
            whole = converted.values
            if isinstance(whole, np.ndarray):
                kept.append(whole if every else whole[keep])
            else:
                kept.append((whole if every else whole.filter(pa.array(keep))).dictionary_encode())
        self._lines.append(lines if every else lines[keep])
        self._rows += int(keep.sum())
        check_limit("rows", self._rows, file=self._path)

    def _refuse_other_times(self, what: str, texts: Any, converted: Converted) -> None:
        """Refuse numbers of the first block that are hardly seconds: they would be read without a word."""
        if other := other_times(converted.values):
            found = texts[int(np.argmax(np.isfinite(converted.values)))].as_py()
            remedy = f"Write dates as 2026-01-31 23:59:00, or say --date-format {other!r}; s for seconds"
            if self._reading.form.fixed:
                remedy = "Write dates as 2026-01-31 23:59:00, or seconds since 1970"
            message = f"may not have seconds in its {what}"
            raise InputError(message, file=self._path, found=found, remedy=remedy)

    def _refuse_seconds(self, column: Column, converted: Converted) -> None:
        """Refuse numbers of the first block that are seconds since 1970, below a title that names a smaller unit."""
        numbers = converted.values / column.unit
        if ((numbers >= FIRST_S) & (numbers <= LAST_S)).mean() > MOSTLY:
            remedy = "Say which they are: --date-format s, or ms, us or ns as the title has it"
            message = f"may have seconds in its {column.what}, in spite of the title"
            raise InputError(message, file=self._path, found=f"{numbers[0]:g}", remedy=remedy)

    def _headers_below(self, texts: Sequence[Any], lines: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Rows that are the header again; another header is refused: what is below would be read as what is above."""
        plain = [pc.utf8_lower(pc.utf8_trim(own, _AROUND)) for own in texts]
        named = zip(plain, self._reading.names, strict=False)
        same = [mask(pc.equal(own, name.strip(_AROUND).lower())) for own, name in named]
        at = [
            n for n, column in enumerate(self._reading.columns[: len(same)]) if column.kind is not Kind.TEXT
        ]
        again: npt.NDArray[np.bool_] = np.logical_and.reduce(same)
        other = np.logical_or.reduce([same[n] for n in at]) & ~again
        for n in at:  # with a number it is a row whose other cell is damaged
            other &= ~mask(pc.match_substring_regex(plain[n], "^[0-9]"))
        if other.any():
            row = int(np.argmax(other))
            found = ", ".join(str(own[row].as_py()) for own in texts)
            remedy = "Divide the file there"
            raise InputError(
                "has another header below", file=self._path, place=int(lines[row]), found=found, remedy=remedy
            )
        return again

    def finish(self, options: Options, empty: bool) -> Table:
        """All rows.

        Raises:
            InputError: no row is left, or too many were left out.
        """
        reading, of = self._reading, self._rows + self.dropped.total
        remedy = how_to_write(self.dropped.counts(), reading.style, fixed=reading.form.fixed)
        self.dropped.refuse(self._path, of, strict=options.strict, whole=reading.form.whole, remedy=remedy)
        if not self._rows and not empty:
            found = "; ".join(self.dropped.notes()[:3]) or None
            raise InputError("has no row", file=self._path, found=found, remedy=remedy)
        columns = {
            column.what: _joined(parts) for column, parts in zip(reading.columns, self._parts, strict=True)
        }
        lines = np.concatenate([np.zeros(0, np.int64), *self._lines])
        percent = frozenset(column.what for column in reading.columns if column.percent)
        titles = dict(zip(columns, reading.names, strict=False))
        places = dict(zip(columns, map(str, reading.at), strict=True))
        return Table(
            self._path, reading.form, columns, lines, self.dropped, reading.understood, percent, titles,
            places,
        )  # fmt: skip

    def _by_cells(self, block: bytes, line: int) -> tuple[list[Any], npt.NDArray[np.int64]]:
        reading = self._reading
        separator = reading.separator
        block = self._quoted(block, line)
        if reading.form.ignored:
            block = re.sub(rb"(?m)^(?:%b)$" % reading.form.ignored.encode(), b"", block) or b"\n"
        if separator == BLANKS:
            block = re.sub(rb"(?m)^ +| +$", b"", re.sub(rb"[ \t]+", b" ", block))
        bad: list[int] = []

        def odd(row: Any) -> Literal["skip"]:
            bad.append(row.number)
            if not row.text.strip(f"{separator} \t"):
                return "skip"  # a blank line, as spreadsheets write it
            found = f"{counted(row.actual_columns, 'column')} instead of {row.expected_columns}"
            self.dropped.add(found, f"{self._path}:{line + row.number - 1}", row.text)
            return "skip"

        names = [str(number) for number in range(reading.width)]
        wanted = [str(number) for number in reading.at]
        table = pyarrow.csv.read_csv(
            io.BytesIO(block),
            pyarrow.csv.ReadOptions(use_threads=False, column_names=names, block_size=len(block) + 1),
            pyarrow.csv.ParseOptions(delimiter=separator, invalid_row_handler=odd, ignore_empty_lines=False),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), include_columns=list(dict.fromkeys(wanted)),
                strings_can_be_null=False,
            ),
        )  # fmt: skip
        present = np.ones(table.num_rows + len(bad), bool)
        present[np.array(bad, int) - 1] = False
        lines = line + np.flatnonzero(present)
        texts = [table[name].combine_chunks() for name in wanted]
        blank = _blank(texts) if reading.width > 1 else None
        if blank is not None:
            texts, lines = [each.filter(pa.array(~blank)) for each in texts], lines[~blank]
        return texts, lines

    def _quoted(self, block: bytes, line: int) -> bytes:
        """Join the lines of a cell in quotes; leave out one whose quote does not end: it would swallow those below."""
        if b'"' not in block:
            return block
        between = self._reading.separator.encode()
        if re.search(rb'(?m)%b +"[^"\n]*" *(?:%b|$)' % (re.escape(between), re.escape(between)), block):
            block = re.sub(rb'%b +"' % re.escape(between), between + b'"', block)
        texts = block.split(b"\n")
        odd = [number for number, text in enumerate(texts) if text.count(b'"') % 2]
        while odd:
            number = odd.pop(0)
            shown = texts[number][:80].decode("utf-8", "replace")
            ends = (
                odd
                and odd[0] - number < _QUOTED_LINES
                and re.search(rb'"\s*(?:%b|$)' % re.escape(between), texts[odd[0]])
            )
            joined = b" ".join(texts[number : odd[0] + 1]) if ends else b""
            if (
                len(cells_of(joined.decode("utf-8", "replace"), self._reading.separator))
                == self._reading.width
            ):
                end = odd.pop(0) + 1
                texts[number:end] = [joined, *[b""] * (end - number - 1)]
                continue
            self.dropped.add("a quote that does not end", f"{self._path}:{line + number}", shown)
            texts[number] = b""
        return b"\n".join(texts) or b"\n"

    def _by_pattern(self, block: bytes, line: int) -> tuple[list[Any], npt.NDArray[np.int64]]:
        reading = self._reading
        texts = pa.array(block.decode().rstrip("\n").split("\n"), pa.string())
        lines = np.arange(line, line + len(texts))
        fields = pc.extract_regex(texts, f"^(?:{reading.form.pattern})$")
        right = mask(fields.is_valid())
        ignored = pc.match_substring_regex(texts, rf"^(?:\s*|{reading.form.ignored})$")
        odd = ~right & ~mask(ignored)
        if odd.any():
            row = int(np.argmax(odd))
            reason = f"not a line of {reading.form.name}"
            self.dropped.add(reason, f"{self._path}:{lines[row]}", texts[row].as_py(), int(odd.sum()))
        fields = fields.filter(pa.array(right))
        return [pc.struct_field(fields, column.what) for column in reading.columns], lines[right]

    def _by_objects(self, block: bytes, line: int) -> tuple[list[Any], npt.NDArray[np.int64]]:
        records, lines = [], []
        for number, text in enumerate(block.split(b"\n"), line):
            if not text.strip():
                continue
            try:
                record = flat(json.loads(text))
                reason = "a list where a value is wanted" * any(
                    isinstance(record.get(name), list) for name in self._reading.names
                )
            except (ValueError, RecursionError, AttributeError):
                reason = "not a JSON object"
            if reason:
                self.dropped.add(reason, f"{self._path}:{number}", text[:80].decode("utf-8", "replace"))
            else:
                records.append(record)
                lines.append(number)
        texts = [
            pa.array(
                [None if (value := record.get(name)) is None else str(value) for record in records],
                pa.string(),
            )
            for name in self._reading.names
        ]
        return texts, np.array(lines, np.int64)


def _blank(texts: list[Any]) -> npt.NDArray[np.bool_] | None:
    """Rows of which all wanted cells are empty, as a blank line has them; None where there is none."""
    blank = np.logical_and.reduce([mask(pc.equal(pc.utf8_trim_whitespace(each), "")) for each in texts])
    return blank if blank.any() else None


def _joined(parts: list[Any]) -> Any:
    if not parts:
        return np.zeros(0)
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return pa.chunked_array(parts).unify_dictionaries().combine_chunks()


def _named_form(
    path: Path, names: list[str], forms: Sequence[Form], options: Options
) -> tuple[Form, dict[str, int]]:
    """The first form whose columns have their names, and their positions.

    Raises:
        InputError: there is none; what the last one lacks.
    """
    for form in (form for form in forms[:-1] if not form.lines):
        try:
            if (found := positions_by_names(path, names, form, options)) is not None:
                return form, found
        except InputError:
            continue
    return forms[-1], positions_by_names(path, names, forms[-1], options) or {}


def _read_parquet(raw: Any, path: Path, forms: Sequence[Form], options: Options, empty: bool) -> Table:
    forms = named_forms(forms, options)
    try:
        file = pyarrow.parquet.ParquetFile(raw)
        check_limit("columns", file.metadata.num_columns, file=path)
        check_limit("rows", file.metadata.num_rows, file=path)
        names = list(file.schema_arrow.names)
        form, found = _named_form(path, names, forms, options)
        columns, at = placed(form, found, names)
        titles = tuple(names[each] for each in at)
        reading = Reading(form, columns, at, titles, "Parquet", options.style, 0, len(names))
        builder = _Builder(path, reading)
        row = 1
        for batch in file.iter_batches(columns=list(dict.fromkeys(titles))):
            batch.validate(full=True)  # its texts need not be Unicode
            builder.add([batch.column(title) for title in titles], np.arange(row, row + len(batch)))
            row += len(batch)
    except (OSError, pa.ArrowException, ValueError) as error:
        raise InputError("cannot be read", file=path, found=" ".join(str(error).split())[:200]) from error
    return builder.finish(options, empty)
