"""Files as people have them, each read by its command, next to what is right; and how fast tables are read."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.results import Row, at_least
from froude.base.forms import Options
from froude.base.tables import read_table
from froude.cache.simulate.layouts import LAYOUTS as BLOCKS
from froude.harvest.telemetry.samples import read_samples

_FROUDE = Path(sys.executable).with_name("froude")
_LINES = 1_000_000
_ONE_INPUT = "one input"


class Case(NamedTuple):
    """A file, the command that reads it, and what its output must have."""

    file: str
    command: str
    """FILE stands for its path, OUT for a place to write to."""
    right: str
    """Regular expression of what is printed."""
    what: str


CASES = (
    Case("audit-spaces.log", "trace import audit FILE -o OUT", "3 lines", "blanks for TABs"),
    Case("audit-rsyslog.log", "trace import audit FILE -o OUT", r"\d+ lines?", "#011 for TABs"),
    Case("audit-domain-user.log", "trace import audit FILE -o OUT", "3 lines", "a domain's user"),
    Case(
        "audit-odd-commands.log", "trace import audit FILE -o OUT", r"\d+ lines", "commands without arguments"
    ),
    Case(
        "rumen-failed-job.json.gz",
        "harvest schedule DC --jobs FILE",
        "job_1_0001",
        "a failed job is named",
    ),
    Case("eventlog_v2_app-1", "harvest schedule DC --jobs FILE", "1 job, 3 tasks", "a rolling Spark log"),
    Case("app.lz4", "harvest schedule DC --jobs FILE", "lz4", "a log packed by lz4, cut: its form is named"),
    Case("server-blanks.csv", "harvest import FILE -o OUT", "1 server,", "blanks around a name"),
    Case(
        "bitbrains-vm.csv",
        "harvest import FILE -o OUT",
        "recognised bitbrains .*1 server, 6 samples",
        "; and TAB",
    ),
    Case(
        "semicolon-decimal-comma.csv",
        "harvest import FILE -o OUT",
        "decimal comma.*1 server, 3 samples",
        "a spreadsheet",
    ),
    Case("outage.csv.gz", "harvest import FILE -o OUT", "12 servers", "shared outages"),
    Case(
        "msr-header.csv",
        "cache simulate FILE --policy equal",
        "recognised .*msr.*1 volume, 3 requests",
        "MSR with its header",
    ),
    Case(
        "systor17.csv",
        "cache simulate FILE --policy equal",
        "systor17.*2 volumes, 5 requests",
        "a line without an operation",
    ),
    Case(
        "disksim.ascii",
        "cache simulate FILE --policy equal",
        "disksim.*2 volumes, 4 requests.* over 20 ms",
        "milliseconds",
    ),
)


def rows() -> Iterator[Row]:
    """Cases that are read rightly, and lines a CPU second."""
    folder = next(
        (
            above / "shared" / "data" / "reported"
            for above in Path(__file__).resolve().parents
            if (above / "shared").is_dir()
        ),
        None,
    )
    if folder is not None and folder.is_dir():
        wrong = [case.file for case in CASES if not _is_right(case, folder)]
        said = f"{len(CASES)} files" + (f"; not right: {', '.join(wrong)}" if wrong else "")
        yield at_least(
            "reported files that are read rightly",
            len(CASES) - len(wrong),
            "files",
            len(CASES),
            conditions=said,
        )
    for name, text, read in _TABLES:
        yield at_least(
            f"lines read, {name}", _speed(text, read), "lines/CPU s", 300_000, conditions=_ONE_INPUT
        )


def _is_right(case: Case, folder: Path) -> bool:
    with TemporaryDirectory() as scratch:
        place = Path(scratch)
        classes = place / "dc"
        words = [
            {"FILE": str(folder / case.file), "OUT": str(place / "out"), "DC": str(classes)}.get(word, word)
            for word in case.command.split()
        ]
        if " DC " in case.command:
            made = [
                "harvest",
                "generate",
                "--servers",
                "30",
                "--tenants",
                "6",
                "--days",
                "2",
                "-o",
                str(classes),
            ]
            subprocess.run([_FROUDE, *made], check=True, capture_output=True)
        done = subprocess.run([_FROUDE, *words], check=False, capture_output=True, text=True)
        return re.search(case.right, done.stdout + done.stderr) is not None


def _speed(text: Callable[[int], str], read: Callable[[Path], object]) -> float:
    """Lines a CPU second of a table of a million lines."""
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "t.csv"
        path.write_text(text(_LINES))
        begun = time.process_time()
        read(path)
        return _LINES / (time.process_time() - begun)


def _samples(path: Path) -> object:
    return read_samples([path], Options())


def _blocks(path: Path) -> object:
    return read_table(path, [layout.form for layout in BLOCKS.values()])


_TABLES: tuple[tuple[str, Callable[[int], str], Callable[[Path], object]], ...] = (
    (
        "samples of nine columns (alibaba2018)",
        lambda n: "".join(f"m_{i % 100},{i * 10},{i % 100},22,,,1.5,2.5,3\n" for i in range(n)),
        _samples,
    ),
    (
        "samples with dates and decimal commas",
        lambda n: (
            "time;server;cpu\n"
            + "".join(
                f"2026-01-01 00:{i % 60:02}:{i // 60 % 60:02};m{i % 100};{i % 100},5\n" for i in range(n)
            )
        ),
        _samples,
    ),
    (
        "block requests between blanks (mqsim)",
        lambda n: "".join(f"{i * 1000} {i % 7} {i % 1000 * 8} 8 {i % 2}\n" for i in range(n)),
        _blocks,
    ),
    (
        "block requests of MSR",
        lambda n: "".join(f"{128166372003061629 + i},hm,{i % 4},Read,{i * 512},4096,26\n" for i in range(n)),
        _blocks,
    ),
)
