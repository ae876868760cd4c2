"""How large a namespace is: from `hdfs dfs -count`, or from what `hdfs oiv -p FileDistribution` says of an image.

Source: org.apache.hadoop.fs.shell.Count, org.apache.hadoop.fs.ContentSummary, and
org.apache.hadoop.hdfs.tools.offlineImageViewer.FileDistributionCalculator.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import InputError
from froude.base.packed import read_lines
from froude.provision.inputs.units import RANGES, Dimension

_LONGEST_LINE = 1 << 16
_VALUE = re.compile(r"(none|inf|-?\d+(?:(?:\.\d+)? ?[KMGTPE](?=\s))?)\s+", re.ASCII)
"""-h puts a point only before a letter; less than 1024 stays whole."""
_POWERS = {letter: 1024.0 ** (power + 1) for power, letter in enumerate("KMGTPE")}
_COLUMNS = {3: (0, 1, 2), 7: (4, 5, 6)}
"""Where directories, files and bytes stand: plain, and behind the four columns of quotas (-q)."""
_HEADINGS = ("DIR_COUNT", "FILE_COUNT", "CONTENT_SIZE", "PATHNAME")
_HEAD = re.compile(r"(?:[A-Z_]+\s+)*PATHNAME")
_LOGGED = re.compile(
    r"(?:\d{2,4}[-/]\d\d[-/]\d\d [\d:,.]+ )?(?:WARN|INFO|DEBUG)\s.*|(?:SLF4J|log4j|OpenJDK 64-Bit Server VM warning):.*"
)
"""What `hdfs` writes to its standard error, which may be in the same file."""
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://[^/]*", re.IGNORECASE)
_POLICY = re.compile(r"^(?:Replicated|EC:\S+)\s+(?=\S)")
"""Before the path with -e."""
_TOTAL = re.compile(r"\s*(totalFiles|totalDirectories|totalBlocks|totalSpace)\s*=\s*(\d+)\s*$", re.ASCII)
_DISTRIBUTION = re.compile(r"|Size( Range)?\s+NumFiles|[^\t]+\t\d+|maxFileSize = \d+|Processed \d+ inodes\.")
"""What else stands beside the totals."""
_MOST_COUNT, _MOST_BYTES = RANGES[Dimension.COUNT][1], RANGES[Dimension.SIZE][1]

HEAP_PER_BLOCK = 1e9 / 1e6
"""Bytes of heap: 1 GB per million blocks and never less than 1 GB (Cloudera's documentation of HDFS, sizing)."""
LEAST_HEAP = 1e9
BYTES_PER_OBJECT = 150
"""Of heap in use, per file, directory and block (the same page)."""
BLOCK_BYTES = 128 * 2**20
"""Default of `dfs.blocksize`."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One line of `hdfs dfs -count`."""

    path: str
    """Without the file system's address."""
    directories: float
    files: float
    bytes: float
    rounded: bool = False
    """Whether -h rounded the numbers."""


@dataclass(frozen=True, slots=True)
class Namespace:
    """What a NameNode keeps in memory."""

    files: float
    directories: float
    blocks: float
    space: float | None
    """Bytes with all replicas; None where nothing tells."""
    source: str

    @property
    def heap(self) -> float:
        """Bytes of heap to give it, whole megabytes."""
        objects = self.files + self.directories + self.blocks
        heap = max(LEAST_HEAP, self.blocks * HEAP_PER_BLOCK, objects * BYTES_PER_OBJECT)
        return math.ceil(heap / 1e6) * 1e6


def read_count(path: Path) -> tuple[Counted, ...]:
    """Lines of `hdfs dfs -count`, with -q, -h, -v, -e or without.

    Raises:
        InputError: a line is of another form or counts what cannot be, a path stands twice, or there is none.
    """
    rows: dict[str, Counted] = {}
    columns: tuple[int, ...] | None = None
    for number, line in _lines(path):
        text = line.strip()
        if _HEAD.fullmatch(text):
            columns = _headed(text.split(), path, number)
        elif text:
            row = _counted(text, columns, path, number)
            if row.path in rows:
                raise InputError("counts a path again", file=path, place=number, found=row.path)
            rows[row.path] = row
    if not rows:
        raise InputError("counts no path", file=path, allowed="what hdfs dfs -count prints")
    return tuple(rows.values())


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without those of loggers, and the mark that some editors put before the first."""
    for number, line in enumerate(read_lines(path, longest=_LONGEST_LINE), 1):
        if not _LOGGED.match(line):
            yield number, line.removeprefix("\ufeff") if number == 1 else line


def _headed(names: Sequence[str], path: Path, line: int) -> tuple[int, ...]:
    missing = [name for name in _HEADINGS if name not in names]
    if missing:
        raise InputError(
            "has no column", file=path, place=line, found=" ".join(names), allowed=", ".join(missing)
        )
    return tuple(names.index(name) for name in _HEADINGS[:-1])


def _counted(text: str, columns: tuple[int, ...] | None, path: Path, line: int) -> Counted:
    values: list[str] = []
    at = 0
    while (match := _VALUE.match(text, at)) is not None:
        values.append(match[1])
        at = match.end()
    name = _SCHEME.sub("", _POLICY.sub("", text[at:]))
    columns = columns or _COLUMNS.get(len(values))
    if columns is None or len(values) <= max(columns) or not name.startswith("/"):
        allowed = "directories, files, bytes and a path, behind four quotas with -q; other columns with -v"
        raise InputError("is no line of hdfs dfs -count", file=path, place=line, found=text, allowed=allowed)
    directories, files, size = (_number(values[column]) for column in columns)
    for what, count, most in (
        ("directories", directories, _MOST_COUNT),
        ("files", files, _MOST_COUNT),
        ("bytes", size, _MOST_BYTES),
    ):
        if not 0 <= count <= most:
            allowed = f"from 0 to {most:g}"
            raise InputError(
                f"counts {what} that cannot be", file=path, place=line, found=text, allowed=allowed
            )
    rounded = any(value[-1] in _POWERS for value in values)
    return Counted(name.rstrip("/") or "/", directories, files, size, rounded)


def _number(text: str) -> float:
    if text in {"none", "inf"}:
        return -1.0
    power = _POWERS.get(text[-1])
    return float(text) if power is None else float(text[:-1]) * power


def outermost(rows: Iterable[Counted]) -> list[Counted]:
    """The lines whose paths lie in no other line's path: each file is counted once in them."""
    rows = list(rows)
    return [row for row in rows if not any(_inside(row.path, other.path) for other in rows)]


def own_bytes(row: Counted, rows: Iterable[Counted]) -> float:
    """Bytes of a path without those of the other lines' paths inside it."""
    inside = outermost(other for other in rows if _inside(other.path, row.path))
    return max(0.0, row.bytes - sum(other.bytes for other in inside))


def _inside(path: str, other: str) -> bool:
    return path != other and path.startswith(other.rstrip("/") + "/")


def namespace_of(rows: Sequence[Counted]) -> Namespace:
    """What the counted paths hold; their blocks are bounded from above: one per file, and one per full block."""
    whole = outermost(rows)
    files, size = sum(row.files for row in whole), sum(row.bytes for row in whole)
    source = f"hdfs dfs -count of {', '.join(row.path for row in whole)}; blocks: at most, of 128 MiB"
    blocks = files + math.ceil(size / BLOCK_BYTES)
    return Namespace(files, sum(r.directories for r in whole), blocks, None, source)


def read_distribution(path: Path) -> Namespace:
    """The totals of `hdfs oiv -p FileDistribution`.

    Raises:
        InputError: a line is of another form, a total cannot be, is missing, or stands twice.
    """
    totals: dict[str, float] = {}
    for number, line in _lines(path):
        match = _TOTAL.match(line)
        if match is not None:
            if match[1] in totals:
                raise InputError("says a total again", file=path, place=number, found=match[1])
            most = _MOST_BYTES if match[1] == "totalSpace" else _MOST_COUNT
            if float(match[2]) > most:
                allowed = f"from 0 to {most:g}"
                raise InputError(
                    f"has a {match[1]} that cannot be",
                    file=path,
                    place=number,
                    found=match[2],
                    allowed=allowed,
                )
            totals[match[1]] = float(match[2])
        elif not _DISTRIBUTION.fullmatch(line.strip()):
            allowed = "what hdfs oiv -p FileDistribution writes"
            raise InputError(
                "is no line of a distribution", file=path, place=number, found=line, allowed=allowed
            )
    for name in ("totalFiles", "totalDirectories", "totalBlocks"):
        if name not in totals:
            allowed = "what hdfs oiv -p FileDistribution writes"
            raise InputError(f"has no {name}", file=path, allowed=allowed)
    files, directories, blocks = (totals[f"total{what}"] for what in ("Files", "Directories", "Blocks"))
    return Namespace(
        files, directories, blocks, totals.get("totalSpace"), f"the image's totals in {path.name}"
    )
