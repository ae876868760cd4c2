"""A parsed audit log as a folder: `lines-00000.parquet`, ... one after another in time, and `meta.yaml`.

Its lines are sorted, and every file and row group knows its first and last time: who wants an hour of a month reads
that hour. `client` numbers user and address, so that N readers who each take the clients whose number leaves another
rest by N have all lines of a client together, and each line once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import ConfigDict

from froude.base.errors import InputError, MissingError
from froude.base.files import atomic_write_text, create_file, open_regular
from froude.base.summary import Summarised, counted
from froude.documents.artifact import Lineage, Origin, check_files, hash_files
from froude.documents.lineage import content_fields, dump_sealed, lineage_of, open_document
from froude.documents.migrate import Migrations
from froude.documents.model import Flag, read_fields
from froude.hadoop.audit.lines import AuditLine
from froude.trace.audit.columns import SCHEMA, to_lines

META = "meta.yaml"
MIGRATIONS = Migrations("audit", 1)
_ROWS_PER_GROUP = 1 << 16
_MANY = {"time", "client", "src", "dst"}
"""Columns of which a dictionary would hold nearly every line."""
_PART = re.compile(r"lines-\d{5}\.parquet")
_REMEDY = "Restore it from a copy, or import the log again"
_STRICT = ConfigDict(extra="forbid")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Source:
    """A log that was read."""

    __pydantic_config__ = _STRICT
    name: str
    lines: int
    """All of them, empty ones not."""
    bad: int
    """Those that are left out."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What importing found, in lines."""

    __pydantic_config__ = _STRICT
    bad: int = 0
    out_of_order: int = 0
    """Behind one of a later time in their file; they were put in order."""
    late: int = 0
    """Out of order by more than the window; put in order as well."""
    repeated_hour: int = 0
    """Of an hour that the clock has twice, where nothing says which pass it was; taken as the first."""
    before_image: int = 0
    """Left out: the image holds what they did."""
    at_the_cut: int = 0
    """Kept, of the very millisecond at which the cut is made."""


@dataclass(frozen=True, slots=True)
class AuditMeta:
    """What is true of the whole log."""

    __pydantic_config__ = _STRICT
    lines: int
    begin_us: int
    """Time of the first line, microseconds since 1970, UTC."""
    end_us: int
    form: str
    """`direct`, `hive` or `pattern`."""
    zone: str
    """Time zone that its dates were read in."""
    window_s: float
    """How far a line may stand behind later ones without being counted as late."""
    anonymised: Flag
    sources: tuple[Source, ...]
    """In the order of their times."""
    counts: Counts
    cut: str = ""
    """Where the log was cut, and how that is known; empty for a whole one."""
    bad_places: tuple[str, ...] = ()
    """The lines that are left out, a sentence for each reason, with the first of them."""


@dataclass(frozen=True, slots=True, repr=False)
class AuditLog(Summarised):
    """A parsed audit log on disk; its lines are read when they are asked for."""

    folder: Path
    meta: AuditMeta
    parts: tuple[str, ...]
    """Its files, in the order of time."""
    lineage: Lineage | None = field(default=None, compare=False)

    def summary(self) -> Mapping[str, str]:
        """How many lines, of when."""
        begin, end = (
            moment(each).isoformat(" ", "seconds") for each in (self.meta.begin_us, self.meta.end_us)
        )
        return {
            "lines": f"{self.meta.lines:,}",
            "from": begin,
            "to": end,
            "cut": self.meta.cut,
            "left out": counted(self.meta.counts.bad, "line") if self.meta.counts.bad else "",
        }

    def batches(
        self,
        columns: Sequence[str] | None = None,
        *,
        begin_us: int | None = None,
        end_us: int | None = None,
        part: tuple[int, int] = (0, 1),
    ) -> Iterator[pa.RecordBatch]:
        """The lines in the order of time, some tens of thousands at once.

        Args:
            columns: names of those wanted; None for all.
            begin_us: the first time wanted, microseconds since 1970; whole files and row groups before it are skipped.
            end_us: the first time no longer wanted.
            part: (k, n): only clients whose number leaves the rest k when divided by n; k from 0 to n - 1.

        Raises:
            InputError: a file is absent, damaged, or not such a table.
            ValueError: no such part.
        """
        if not 0 <= part[0] < part[1]:
            raise ValueError(f"part must be (k, n) with 0 <= k < n, got {part}")
        wanted = list(columns or SCHEMA.names)
        limited = begin_us is not None or end_us is not None
        extra = [name for name, used in (("time", limited), ("client", part[1] > 1)) if used]
        for name in self.parts:
            with _opened(self.folder / name) as file:
                groups = [n for n in range(file.num_row_groups) if _overlaps(file, n, begin_us, end_us)]
                if not groups:
                    continue
                read = list(dict.fromkeys([*wanted, *extra]))
                for batch in file.iter_batches(_ROWS_PER_GROUP, row_groups=groups, columns=read):
                    chosen = _chosen(batch, begin_us, end_us, part)
                    if chosen.num_rows:
                        yield chosen.select(wanted)

    def lines(self, *, part: tuple[int, int] = (0, 1)) -> Iterator[AuditLine]:
        """The lines one by one, in the order of time.

        Args:
            part: as of `batches`.
        """
        for batch in self.batches(part=part):
            yield from to_lines(batch)


def moment(micros: int) -> datetime:
    """Microseconds since 1970 as a time in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def part_name(number: int) -> str:
    """The name of a file of lines."""
    return f"lines-{number:05}.parquet"


def write_part(path: Path, table: pa.Table) -> None:
    """Write a file of lines, for its owner only.

    Args:
        table: columns of `SCHEMA`, in the order of time.

    Raises:
        MissingError: no space, or no right to write there.
    """
    with create_file(path) as sink:
        try:
            write: Any = pq.write_table  # its stub does not know that columns can be named
            write(
                table.cast(SCHEMA),
                sink,
                compression="zstd",
                compression_level=1,
                row_group_size=_ROWS_PER_GROUP,
                use_dictionary=[name for name in SCHEMA.names if name not in _MANY],
                write_statistics=["time", "client"],
            )
        except pa.ArrowException as error:
            raise MissingError(f"cannot be written ({error})", file=path) from error


def write_meta(folder: Path, meta: AuditMeta, origin: Origin) -> Lineage:
    """Write what makes a folder of files of lines an audit log.

    Returns:
        Its lineage.
    """
    names = sorted(path.name for path in folder.glob("lines-*.parquet"))
    facts = asdict(meta)
    for name in ("sources", "bad_places"):
        facts[name] = list(facts[name])
    facts = {**facts, "files": hash_files(folder, names)}
    lineage = lineage_of(MIGRATIONS, facts, origin)
    atomic_write_text(folder / META, dump_sealed(MIGRATIONS, facts, lineage, origin.tags))
    return lineage


def open_audit(folder: Path | str, *, check: bool = True) -> AuditLog:
    """Open an audit log that was imported.

    Args:
        folder: what `import_audit` has made.
        check: whether its files are compared with their hashes, which reads all of them once.

    Raises:
        ChangedError: edited, cut short or damaged.
        InputError: not an audit log, or of a newer Froude.
    """
    folder = Path(folder)
    if not folder.exists():
        raise InputError("does not exist", file=folder)
    if not (folder / META).is_file():
        raise InputError("is not an imported audit log", file=folder, allowed=f"a folder with {META}")
    document = open_document(folder / META, MIGRATIONS)
    lineage = document.check()
    root = document.root
    hashes = root.section("files")
    if check:
        check_files(folder, hashes, _REMEDY)
    names = hashes.names()
    if not all(map(_PART.fullmatch, names)):
        raise root.error("files", "are other files", found=", ".join(names), allowed=part_name(0))
    meta: AuditMeta = read_fields(AuditMeta, content_fields(root.fields, "files"), folder / META)
    return AuditLog(folder, meta, tuple(sorted(names)), lineage)


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    with open_regular(path) as source:
        try:
            with pq.ParquetFile(source) as file:
                if not file.schema_arrow.equals(SCHEMA):
                    raise InputError("has other columns than an audit log", file=path)
                yield file
        except (OSError, pa.ArrowException, ValueError) as error:
            found = " ".join(str(error).split())
            raise InputError("is cut short or damaged", file=path, found=found) from error


def _overlaps(file: pq.ParquetFile, group: int, begin_us: int | None, end_us: int | None) -> bool:
    statistics: Any = file.metadata.row_group(group).column(SCHEMA.names.index("time")).statistics
    if statistics is None or not statistics.has_min_max:
        return True
    first, last = ((each - _EPOCH) // timedelta(microseconds=1) for each in (statistics.min, statistics.max))
    return (begin_us is None or last >= begin_us) and (end_us is None or first < end_us)


def _chosen(
    batch: pa.RecordBatch, begin_us: int | None, end_us: int | None, part: tuple[int, int]
) -> pa.RecordBatch:
    if begin_us is not None or end_us is not None:
        times = np.asarray(batch.column("time").cast(pa.int64()))
        first = 0 if begin_us is None else int(np.searchsorted(times, begin_us))
        last = len(times) if end_us is None else int(np.searchsorted(times, end_us))
        batch = batch.slice(first, max(last - first, 0))
    if part[1] > 1:
        mine = np.asarray(batch.column("client")) % np.uint64(part[1]) == part[0]
        batch = batch.filter(pa.array(mine))
    return batch


def column_counts(column: Any) -> dict[str, int]:
    """How often each text of a column stands in it, those that are there."""
    counts: Any = pc.value_counts(column)
    pairs = zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True)
    return {text: count for text, count in pairs if text is not None}
