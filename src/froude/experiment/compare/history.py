"""A history of comparisons as a table, one line a comparison, in the CSV form that Apache Otava reads.

Columns are `time` and `commit`, then every measure that decides: the candidate's mean in seconds, calls a second or as
a share, and for a measure that is compared by its ratio also candidate over baseline (`p99 / baseline`), which hardly
depends on the machine. `otava analyze` names where a measure changed; it is called by whoever has a process to start.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from froude.base.errors import InputError
from froude.experiment.compare.compare import Comparison

TIME, COMMIT = "time", "commit"
RATIO = " / baseline"
"""How the name of a measure's ratio ends."""
LEAST_LINES = 4
"""Of fewer nothing can be known to have changed."""
_RISING = ("throughput",)
"""Measures of which more is better."""

Line = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A line of a history from which on a measure is another."""

    measure: str
    commit: str
    time: str
    before: float
    """Mean from the change point before it, or the first line, on."""
    after: float
    """Mean until the next one, or the last line."""

    @property
    def change(self) -> float | None:
        """As a share of the mean before; None where that was 0."""
        return self.after / self.before - 1 if self.before else None

    @property
    def worse(self) -> bool:
        """Whether it is a change for the worse."""
        return (self.after > self.before) is not self.measure.startswith(_RISING)

    @property
    def text(self) -> str:
        """The change point in a sentence."""
        by = "" if self.change is None else f" ({100 * self.change:+.1f} %)"
        return (
            f"{self.measure} is {'worse' if self.worse else 'better'} from {self.commit or 'a line without a tag'} "
            f"({self.time}) on: {self.before:.4g} before, {self.after:.4g} since{by}"
        )


def check_tag(tag: str) -> None:
    """Refuse what does not fit on a line, before anything is measured.

    Raises:
        InputError: it has characters that cannot be printed.
    """
    if not tag.isprintable():
        raise InputError("has characters that cannot be printed", place="--tag", found=repr(tag))


def line_of(comparison: Comparison, time_s: float, tag: str) -> Line:
    """The line of a comparison.

    Args:
        comparison: with a row at least.
        time_s: when the candidate was measured, seconds since the epoch.

    Raises:
        InputError: the tag has characters that do not fit on a line.
    """
    check_tag(tag)
    line = {TIME: datetime.fromtimestamp(int(time_s), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), COMMIT: tag}
    for row in comparison.deciding:
        line[row.measure] = f"{row.means[1]:.6g}"
        if not row.by_difference:
            line[row.measure + RATIO] = f"{1 + row.change:.6g}"
    return line


def read_lines(text: str, path: Path) -> list[Line]:
    """Read a history.

    Args:
        text: of the file; empty for a history that begins.

    Raises:
        InputError: it is no history, or has a line that is none.
    """
    try:
        rows = list(csv.reader(io.StringIO(text)))
    except csv.Error as error:
        raise InputError("is no history: not CSV", file=path, found=error) from error
    if not rows:
        return []
    head = rows[0]
    if head[:2] != [TIME, COMMIT] or len(set(head)) < len(head):
        allowed = f"columns {TIME}, {COMMIT} and measures"
        raise InputError(
            "is no history", file=path, place="line 1", found=",".join(head) or "nothing", allowed=allowed
        )
    lines: list[Line] = []
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(head) or not _is_line(row):
            allowed = f"{len(head)} values: a time as 2026-01-31T23:59:59Z, a tag, and numbers or nothing"
            raise InputError(
                "is no line of a history",
                file=path,
                place=f"line {number}",
                found=",".join(row),
                allowed=allowed,
            )
        lines.append({name: value for name, value in zip(head, row, strict=True) if value or name == COMMIT})
    return lines


def _is_line(row: Sequence[str]) -> bool:
    try:
        datetime.strptime(row[0], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        return all(math.isfinite(float(value)) for value in row[2:] if value)
    except ValueError:
        return False


def lines_text(lines: Sequence[Line]) -> str:
    """A history's file, oldest line first; a measure that a line does not have is empty there."""
    head = list(dict.fromkeys([TIME, COMMIT, *(name for line in lines for name in line)]))
    out = io.StringIO()
    writer = csv.DictWriter(out, head, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(lines, key=lambda line: line[TIME]))
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class Question:
    """What Otava is asked of a history: a test for each measure, so that lines without it are left out of it alone."""

    tests: Mapping[str, tuple[str, tuple[Line, ...]]]
    """Measure and the lines that have it, by the name of a test."""

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Question:
        """Of every measure that enough lines have."""
        names = dict.fromkeys(name for line in lines for name in line if name not in {TIME, COMMIT})
        having = ((name, tuple(line for line in lines if name in line)) for name in names)
        enough = [each for each in having if len(each[1]) >= LEAST_LINES]
        return cls({f"m{number}": each for number, each in enumerate(enough)})

    def files(self, folder: Path) -> dict[Path, str]:
        """The files that it is asked with: a table for each test, and `otava.yaml`."""
        files = {folder / f"{test}.csv": _table(name, lines) for test, (name, lines) in self.tests.items()}
        tests = {
            test: {
                "type": "csv",
                "file": str(folder / f"{test}.csv"),
                "time_column": TIME,
                "attributes": [COMMIT],
                "metrics": ["value"],
            }
            for test in self.tests
        }
        # JSON is YAML.
        return {**files, folder / "otava.yaml": json.dumps({"tests": tests})}

    def answered(self, output: str) -> list[ChangePoint]:
        """The change points that Otava names, oldest first.

        Args:
            output: what `otava analyze --output json` prints: a document for each test, on a line of its own.

        Raises:
            ValueError: a test has no answer, or one of another form.
        """
        answers: dict[str, Any] = {}
        for line in output.splitlines():
            if line.startswith("{"):
                answers |= json.loads(line)
        points: list[ChangePoint] = []
        for test, (name, lines) in self.tests.items():
            if test not in answers:
                raise ValueError(f"no answer on {name}")
            points += _points(name, lines, answers[test])
        return sorted(points, key=lambda point: point.time)


def _table(name: str, lines: Sequence[Line]) -> str:
    return lines_text([{TIME: line[TIME], COMMIT: line[COMMIT], "value": line[name]} for line in lines])


def _points(name: str, lines: Sequence[Line], groups: Any) -> Iterator[ChangePoint]:
    try:
        at = [int(change["index"]) for group in groups for change in group["changes"]]
    except (KeyError, TypeError) as error:
        raise ValueError(f"an answer of another form on {name}") from error
    ends = [0, *sorted(at), len(lines)]
    if any(first >= second for first, second in pairwise(ends)):
        raise ValueError(f"change points outside of the history of {name}")
    means = [
        math.fsum(float(line[name]) for line in lines[first:second]) / (second - first)
        for first, second in pairwise(ends)
    ]
    for number, index in enumerate(ends[1:-1]):
        line = lines[index]
        yield ChangePoint(name, line[COMMIT], line[TIME], means[number], means[number + 1])
