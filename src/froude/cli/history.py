"""`froude compare --history`: a line for each comparison, and the change points that Apache Otava names in them."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from froude.base.errors import InputError, MissingError
from froude.base.files import atomic_write_text, read_bounded
from froude.base.scratch import Scratch
from froude.base.summary import counted
from froude.cli.outputs import Output, write
from froude.cli.settings import Settings
from froude.documents.artifact import hash_file

if TYPE_CHECKING:
    from froude.experiment.compare.compare import Comparison
    from froude.experiment.compare.history import Line

PROGRAM = "FROUDE_OTAVA"
_LIMIT_BYTES = 64 << 20
_LONGEST_S = 600.0
_INSTALL = (
    "It pins its libraries, so give it an environment of its own: `python3 -m venv otava`, "
    f"`otava/bin/pip install apache-otava`, and set {PROGRAM} to otava/bin/otava"
)


def place(path: Path | None) -> list[Output]:
    """A history that a line is added to, as a place that a command writes to.

    Raises:
        InputError: what is there is no history.
    """
    if path is None:
        return []
    there = bool(_lines(path)) or path.is_file()
    return [Output(path, "history", content=hash_file(path) if there else None)]


def add(settings: Settings, comparison: Comparison, path: Path, tag: str, time_s: float) -> None:
    """Add the line of a comparison.

    Args:
        time_s: when it was measured, seconds since the epoch.

    Raises:
        InputError: the history cannot be read, or the tag does not fit on a line.
    """
    from froude.experiment.compare.history import line_of, lines_text

    interrupted = comparison.together is not None and comparison.together.interrupted
    if interrupted or not comparison.rows:
        why = "It was interrupted" if interrupted else "Nothing was compared"
        settings.note(f"{why}, so {path} has no line of it")
        return
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644  # others read it as well
    atomic_write_text(path, lines_text([*_lines(path), line_of(comparison, time_s, tag)]), mode=mode)
    settings.out(f"Added to {path}")


def analyse(settings: Settings, path: Path) -> None:
    """Print the change points of a history.

    Raises:
        InputError: it cannot be read, or Otava did not answer.
        MissingError: Otava is not installed.
    """
    from froude.experiment.compare.history import LEAST_LINES, Question

    if not path.is_file():
        remedy = "`froude compare --baseline ... --candidate ... --history FILE` begins one"
        raise InputError("there is no history", file=path, remedy=remedy)
    lines = _lines(path)
    question = Question.of(lines)
    if not question.tests:
        allowed = f"{LEAST_LINES} lines or more with one measure"
        raise InputError(
            "is too short for change points", file=path, found=counted(len(lines), "line"), allowed=allowed
        )
    program = _program()
    if settings.dry_run:
        settings.would(f"ask {program} for the change points of {path}")
        return
    with Scratch("history") as folder:
        write(question.files(folder))
        answer = _asked(program, list(question.tests), folder)
    try:
        points = question.answered(answer.stdout)
    except (ValueError, OverflowError) as error:
        errors = [line for line in answer.stderr.splitlines() if line.strip()]
        found = f"{error}: {errors[-1]}" if errors else str(error)
        raise InputError("gave no answer that can be read", file=program, found=found) from error
    settings.emit({"lines": len(lines), "change_points": [{**asdict(p), "change": p.change} for p in points]})
    of = f"in {counted(len(lines), 'line')}, {counted(len(question.tests), 'column')}"
    settings.out(
        "\n".join([f"{counted(len(points), 'change point')} {of}", *(point.text for point in points)])
    )


def _lines(path: Path) -> list[Line]:
    from froude.experiment.compare.history import read_lines

    if not os.path.lexists(path):
        return []
    try:
        return read_lines(read_bounded(path, limit_bytes=_LIMIT_BYTES).decode(), path)
    except UnicodeDecodeError as error:
        raise InputError("is no history: not UTF-8", file=path) from error


def _program() -> str:
    asked = os.environ.get(PROGRAM)
    program = shutil.which(asked or "otava")
    if program is None:
        message = "may not be run" if asked else "Apache Otava, which names change points, is not on the PATH"
        raise MissingError(message, file=asked, remedy=_INSTALL)
    return program


def _asked(program: str, tests: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    # Of the variables that it reads, BRANCH is set in many builds, and would have it refuse every table.
    around = {name: value for name, value in os.environ.items() if name not in {"BRANCH", "OTAVA_CONFIG"}}
    # Its default is the last year alone.
    words = [program, "analyze", *tests, "--config-file", str(folder / "otava.yaml"), "--output", "json"]
    words += ["--since", "1970-01-02"]
    try:
        return subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_LONGEST_S,
            env={**around, "HOME": str(folder)},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError("cannot be run", file=program, found=error) from error
