"""`froude trace import audit`, and `froude trace show` of what it makes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.documents.store import Workspace
from froude.experiment.session import Hadoop
from froude.trace.audit.files import open_audit
from testbed.audit_lines import START_S, calls, written
from tests.support.hadoop.fsimage import images

Out = pytest.CaptureFixture[str]
LINES = calls(20)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An audit log in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "audit.log").write_text("".join(map(written, LINES)))
    return "audit.log"


def importing(*words: str, code: int = 0) -> None:
    """Run the command."""
    assert run(["trace", "import", "audit", *words]) == code


def test_import_and_show(log: str, capsys: Out) -> None:
    """Both say the same; as JSON too."""
    importing(log, "-o", "al")
    printed = capsys.readouterr().out
    assert printed.startswith("20 lines in 4.75 s, 4 a second and at most 4; 15 clients, 2 calls denied.")
    assert run(["trace", "show", "al"]) == 0
    assert capsys.readouterr().out == printed
    assert run(["trace", "show", "al", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["meta"]["lines"], document["clients"]) == (20, 15)
    assert document["lineage"]["command"].startswith("froude trace import audit")
    assert run(["report", "al", "-o", "al.html", "--static"]) == 0
    assert "Audit log al" in Path("al.html").read_text()


def test_bad_lines_are_shown(log: str, capsys: Out) -> None:
    """Counted, with their places; they are not fatal, unless all are bad."""
    with Path(log).open("a") as file:
        file.write("nothing of the kind\n")
    importing(log, "-o", "al")
    assert "audit.log:21: " in capsys.readouterr().out
    Path("bad").write_text("x\n" * 3)
    importing("bad", "-o", "al2", code=1)
    assert "found 3 others; bad:1:" in capsys.readouterr().err


def test_a_dry_run_keeps_nothing(log: str, capsys: Out) -> None:
    """It reads and shows all."""
    importing("--dry-run", log, "-o", "al")
    out = capsys.readouterr().out
    assert out.startswith("20 lines")
    assert out.endswith("Would write 20 lines to al\n")
    assert [path.name for path in Path().iterdir()] == [log]


def test_zones_and_forms(log: str) -> None:
    """The NameNode's zone, a pattern, Dynamometer's form from a moment on."""
    importing(log, "-o", "berlin", "--time-zone", "Europe/Berlin")
    assert next(open_audit("berlin").lines()).time_s == pytest.approx(START_S - 3600)
    message = written(LINES[0]).split(": ", 1)[1]
    Path("own").write_text(f"{int(START_S * 1000)}|nn1|{message}")
    importing(
        "own",
        "-o",
        "own-al",
        "--pattern",
        r"(?P<timestamp>\d+)\|[^|]*\|(?P<message>.*)",
        "--date-format",
        "epoch-ms",
    )
    assert list(open_audit("own-al").lines()) == LINES[:1]
    Path("hive").write_text("10\x01a\x01open\x01/a\x01 \x01h\x01\n")
    importing("hive", "-o", "hive-al", "--form", "hive", "--start", "1970-01-01T00:00:01")
    assert next(open_audit("hive-al").lines()).time_s == pytest.approx(1.01)


def test_shown_by_its_name_in_a_workspace(log: str, capsys: Out) -> None:
    """As Traces are."""
    place = Workspace("w").new("audit")
    importing(log, "-o", str(place))
    capsys.readouterr()
    assert run(["--workspace", "w", "trace", "show", "audit-1"]) == 0
    assert capsys.readouterr().out.startswith("20 lines")
    assert run(["--workspace", "w", "trace", "show", "audit-2"]) == 1
    assert "names nothing in the workspace w; allowed: audit-1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--time-zone", "Mars"], "--time-zone: "),
        (["--edits", "."], "--edits: needs an image"),
        (["--pattern", "x"], "--pattern: "),
        (["--pattern", "x", "--form", "hive"], "--form: cannot stand with a pattern"),
        (["--start", "2026-01-01"], "--start: is of the Hive form alone"),
        (["--start", "x", "--form", "hive"], "--start: is no date"),
        (["--window", "x"], "--window"),
        (["--anonymise", "audit.log2"], "audit.log2: is too short for a key"),
        (["--anonymise", "audit.log"], "audit.log:--anonymise: is the log"),
    ],
)
def test_flags_that_are_wrong(log: str, capsys: Out, words: list[str], said: str) -> None:
    """Are refused before anything is read."""
    Path("audit.log2").write_text("short")
    importing(log, "-o", "al", *words, code=1)
    assert said in capsys.readouterr().err
    assert not Path("al").exists()


def test_anonymised(log: str) -> None:
    """The same key gives the same names."""
    Path("key").write_bytes(bytes(range(32)))
    for name in ("one", "two"):
        importing(log, "-o", name, "--anonymise", "key")
    one, two = (list(open_audit(name).lines()) for name in ("one", "two"))
    assert one == two
    assert not {line.user for line in one} & {line.user for line in LINES}
    assert [line.src.count("/") for line in one if line.src] == [4] * 20


def test_anonymised_lineage(log: str, tmp_path: Path) -> None:
    """Neither it nor the names of the logs tell of people and machines: paths of inputs are left out."""
    Path("secret.key").write_bytes(bytes(range(32)))
    secret = tmp_path / "secret-host.log"
    Path(log).rename(secret)
    importing(str(secret), "-o", "al", "--anonymise=secret.key")
    opened = open_audit("al")
    assert opened.lineage is not None
    assert opened.lineage.command == "froude trace import audit INPUT -o al --anonymise=INPUT"
    assert [each.name for each in opened.meta.sources] == ["log-1"]
    assert not any(b"secret" in path.read_bytes() for path in Path("al").iterdir())


def test_cut_at_an_image(log: str, hadoop: Hadoop, tmp_path: Path, capsys: Out) -> None:
    """Without edits: by the newest time in it, which is said."""
    schema = hadoop.schema()
    image = images.write(tmp_path / "fsimage_70", schema, images.sections(schema))
    importing(log, "-o", "al", "--image", str(image))
    assert "for want of edits" in capsys.readouterr().out
    assert open_audit("al").meta.lines == 20
    shutil.rmtree("al")
    Path("edits").mkdir()
    importing(log, "-o", "al", "--image", str(image), "--edits", "edits", code=1)
    assert "edits: holds no edits" in capsys.readouterr().err
    Path("none").write_text("no image")
    os.mkfifo("pipe")
    for name, said in (
        ("none", "none: "),
        ("pipe", "pipe: "),
        (".", "is a folder"),
    ):
        for more in ((), ("--edits", "edits")):
            importing(log, "-o", "al", "--image", name, *more, code=1)
            assert said in capsys.readouterr().err
