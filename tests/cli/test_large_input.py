"""Small files that ask for much memory or time are refused at once, with the flag that raises the limit."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from froude.base.errors import InputError
from froude.cli.app import run
from froude.emulation.limits import parse_limit
from froude.hadoop.audit.lines import parse_line
from froude.provision.prices.tables import TableRow, read_table
from froude.workload.scale import Scale
from froude.workload.types import Recorded
from froude.workload.yaml_file import write_workload
from testbed.plans import workload
from tests.support.hadoop.class_writer import ping_jar

Out = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
LARGE = b"time,server,cpu\n" + b"0,a,5\n" * 2_000_000
EXPANDS = "expands too far; found "
AT = "-o p --at datanodes=3 --at"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: Patch) -> Path:
    """A folder with small files that hold, or ask for, much."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("load.gz").write_bytes(gzip.compress(LARGE))
    with pa.CompressedOutputStream("jobs.zstd", "zstd") as stream:
        stream.write(bytes(16 << 20))
    Path("far.csv").write_text("time,server,cpu\n" + "".join(f"{n * 390_000},s{n},5\n" for n in range(80)))
    rows = [f"{n * 3600},{server},5\n" for server in "ab" for n in range(48)]
    Path("small.csv").write_text("".join(("time,server,cpu\n", *rows)))
    assert run(["harvest", "import", "small.csv", "-o", "small"]) == 0
    Path("wide.csv").write_text(",".join(f"c{n}" for n in range(20_000)) + "\n" + "1," * 19_999 + "1\n")
    Path("zeros.tap").write_bytes(bytes(4 << 20))
    Path("zeros.gz").write_bytes(gzip.compress(bytes(16 << 20)))
    Path("jars").mkdir()
    ping_jar(Path("jars/a.jar"))
    recorded = Recorded(tuple(Scale.of(datanodes=n, clients=n, files=n) for n in (2, 3)), ())
    write_workload(Path("w.yaml"), replace(workload(), recorded=recorded))
    Path("endless.yaml").write_text(Path("w.yaml").read_text().replace("times: 2", "times: 1e15"))
    Path("nested.yaml").write_text(Path("w.yaml").read_text().replace("times: 2", "times: 1e6"))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("harvest import load.gz -o dc", "load.gz: " + EXPANDS),
        ("harvest schedule small --jobs jobs.zstd", "jobs.zstd: " + EXPANDS),
        ("harvest import far.csv -o dc", "found 80 samples"),
        ("harvest import wide.csv -o dc", "wide.csv:1: "),
        (
            "harvest import load.gz --max expansion=1GB --max rows=1e6 -o dc",
            "has too many rows",
        ),
        ("trace import tap zeros.tap --hadoop jars -o t", "zeros.tap:byte 0: "),
        ("trace import tap zeros.gz --hadoop jars -o t", "zeros.gz:byte 0: "),
        (
            f"extrapolate endless.yaml {AT} clients=2 --at files=2",
            "client.L2.times: ",
        ),
        (
            f"extrapolate nested.yaml {AT} clients=2 --at files=1e4",
            "client.steps: ",
        ),
        (
            f"extrapolate w.yaml {AT} clients=1e7 --at files=2",
            "client.count: ",
        ),
    ],
)
def test_a_small_file_that_asks_for_much(words: str, said: str, place: Path, capsys: Out) -> None:
    """One line that names the place, the number and the flag; nothing is written."""
    before = sorted(place.rglob("*"))
    assert run(words.split()) == 1
    *notes, err = capsys.readouterr().err.splitlines()
    assert err.startswith("froude: ")
    assert all(note.startswith("note: ") for note in notes)
    assert said in err
    assert ": has too many " not in err or "raise the limit: --max " in err
    assert EXPANDS not in err or "raise the limit, such as --max expansion=8GB" in err
    assert [path for path in sorted(place.rglob("*")) if "cache" not in path.parts] == before


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (parse_limit, f"p99{' ' * 500_000}x", "is no limit"),
        (
            parse_line,
            f"2026-01-01 00:00:00,000 INFO allowed=true ugi=x{' ' * 500_000}x",
            "audit line without",
        ),
        (TableRow(1, {"price": "1" * 500_000 + "x"}).number, "price", "price "),
        (lambda text: read_table(text.encode(), "t.csv"), "\n" * 500_000, r"t\.csv:\d+: has no header"),
    ],
)
def test_a_long_text_takes_no_longer_than_its_length(
    read: Callable[[str], object], text: str, said: str
) -> None:
    """A pattern that tries each blank again from the next one would take hours."""
    with pytest.raises((InputError, ValueError), match=said):
        read(text)
