"""`froude trace import`, and `froude trace show` of what it makes."""

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
from tests.support.trace.importers.calls import TEXT, store_table

SIZES = ((2, 4), (3, 3), (4, 5), (8, 10))
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
    shown = capsys.readouterr()
    left_out = "1 line left out: not an audit line, first at audit.log:21 ('nothing of the kind')"
    assert left_out in " ".join(shown.out.split())
    first, second = shown.err.splitlines()[:2]
    assert first.startswith("recognised audit log (direct lines): 20 lines, one every")
    assert second == f"note: {left_out}"
    importing(log, "-o", "strict", "--strict", code=1)
    assert "allowed: no such line" in capsys.readouterr().err
    Path("bad").write_text("x\n" * 3)
    importing("bad", "-o", "al2", code=1)
    assert "found 3 lines left out: not an audit line, first at bad:1 ('x')" in capsys.readouterr().err


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
    assert (
        "names nothing in the workspace w, did you mean audit-1?; allowed: audit-1" in capsys.readouterr().err
    )


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
    importing(log, "-o", "al", *words, code=1 if "anonymise" in words[0] else 2)
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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one, the current."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def importing_calls(*words: str, code: int = 0) -> None:
    """Run the command."""
    assert run(["trace", "import", "calls", *words]) == code


def test_from_tables_to_a_plan(folder: Path, capsys: Out) -> None:
    """Import, validate, show, mine, diff at a size that was kept back, extrapolate; playing is refused."""
    for clients, keys in SIZES:
        store_table(folder / "t.csv", clients=clients, keys=keys)
        importing_calls(
            "t.csv", "-o", f"t{clients}", "--scale", f"clients={clients}", "--scale", f"keys={keys}"
        )
    assert run(["trace", "validate", "t2"]) == 0
    assert run(["trace", "show", "t2"]) == 0
    assert run(["mine", "t2", "t3", "t4", "-o", "w.yaml"]) == 0
    assert run(["trace", "diff", "w.yaml", "t8", "--at-least", "1"]) == 0
    assert run(["review", "w.yaml"]) == 0
    assert run(["extrapolate", "w.yaml", "--at", "clients=500", "--at", "keys=9", "-o", "p"]) == 0
    capsys.readouterr()
    assert "playable: false" in (folder / "p" / "plan.yaml").read_text()
    for target in ([], ["--target", "127.0.0.1:1", "--target-is", "X"]):
        assert run(["play", "p", *target]) == 1
        assert "cannot be played; found no Hadoop daemon speaks made.Store" in capsys.readouterr().err
    assert run(["report", "p", "-o", "p.html"]) == 0
    page = (folder / "p.html").read_text()
    assert "can be played" not in page
    assert "It cannot be played" in page


def test_remarks_and_json(folder: Path, capsys: Out) -> None:
    """Notes go to the other stream; the document has them, too."""
    (folder / "t.csv").write_text(f"{TEXT}x,,,,,,,,\n")
    importing_calls("t.csv", "-o", "t", "--json")
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert document["calls"] == 4
    assert document["remarks"][0].startswith("1 line left out: sender is empty, first at t.csv:6")
    assert document["lineage"]["command"].startswith("froude trace import calls")
    importing_calls("t.csv", "-o", "u", "--dry-run")
    assert "Would write 4 calls to u" in capsys.readouterr().out
    assert not (folder / "u").exists()


def test_mappings_units_and_strictness(folder: Path, capsys: Out) -> None:
    """As the flags say; nothing is written where the table is refused."""
    (folder / "t.csv").write_text("when,host,method\n1500,a,b\n2500,a,b\nx,a,b\n")
    words = ["t.csv", "-o", "t", "--column", "time=when", "--column", "sender=host", "--time-unit", "ms"]
    importing_calls(*words, "--strict", code=1)
    assert "t.csv:line 4, when: " in capsys.readouterr().err
    importing_calls("t.csv", "-o", "t", code=1)
    assert "found when, host, method" in capsys.readouterr().err
    assert not (folder / "t").exists()
    importing_calls(*words)
    assert run(["trace", "show", "t"]) == 0
    assert "2 calls in 1.0 s by 1 senders" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["a\x00b", "a\nb", "\udc80", "\x85"])
def test_a_source_that_no_line_holds(folder: Path, capsys: Out, text: str) -> None:
    """Is refused at the flag."""
    (folder / "t.csv").write_text(TEXT)
    importing_calls("t.csv", "-o", "t", "--source-id", text, code=2)
    assert "--source-id: is no line of text" in capsys.readouterr().err
    assert not (folder / "t").exists()


def test_whole_numbers_without_a_unit_are_said_to_be_seconds(folder: Path, capsys: Out) -> None:
    """Where calls would be seconds apart; not of one that was given, nor of decimals."""
    (folder / "t.csv").write_text("time,sender,method\n1500,a,b\n2500,a,b\n3900,a,b\n")
    importing_calls("t.csv", "-o", "t")
    said = "note: times read as seconds: 3 calls over 2,400 s; --time-unit ms if they are milliseconds"
    assert said in capsys.readouterr().err
    for name, unit in (("u", "s"), ("v", "ms")):
        importing_calls("t.csv", "-o", name, "--time-unit", unit)
    (folder / "t.csv").write_text("time,sender,method\n1500.5,a,b\n2500,a,b\n3900,a,b\n")
    importing_calls("t.csv", "-o", "w")
    assert "times read" not in capsys.readouterr().err


def test_a_table_without_answers_is_named_where_it_cannot_be_mined(folder: Path, capsys: Out) -> None:
    """By its folder, not by its place among the Traces."""
    (folder / "t.csv").write_text("time,sender,method\n1,a,b\n2,a,b\n")
    importing_calls("t.csv", "-o", "t")
    assert run(["mine", "t", "--dry-run"]) == 1
    assert "froude: t: " in capsys.readouterr().err
