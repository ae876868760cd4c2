"""`froude trace import calls`, and what can be done with what it makes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run
from tests.support.trace.importers.calls import TEXT, store_table

Out = pytest.CaptureFixture[str]
SIZES = ((2, 4), (3, 3), (4, 5), (8, 10))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one, the current."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def importing(*words: str, code: int = 0) -> None:
    """Run the command."""
    assert run(["trace", "import", "calls", *words]) == code


def test_from_tables_to_a_plan(folder: Path, capsys: Out) -> None:
    """Import, validate, show, mine, diff at a size that was kept back, extrapolate; playing is refused."""
    for clients, keys in SIZES:
        store_table(folder / "t.csv", clients=clients, keys=keys)
        importing("t.csv", "-o", f"t{clients}", "--scale", f"clients={clients}", "--scale", f"keys={keys}")
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
    importing("t.csv", "-o", "t", "--json")
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert (document["calls"], document["remarks"][0]) == (4, "lines that are no call: 1")
    assert document["lineage"]["command"].startswith("froude trace import calls")
    importing("t.csv", "-o", "u", "--dry-run")
    assert "Would write 4 calls to u" in capsys.readouterr().out
    assert not (folder / "u").exists()


def test_mappings_units_and_strictness(folder: Path, capsys: Out) -> None:
    """As the flags say; nothing is written where the table is refused."""
    (folder / "t.csv").write_text("when,host,method\n1500,a,b\n2500,a,b\nx,a,b\n")
    words = ["t.csv", "-o", "t", "--column", "time=when", "--column", "sender=host", "--time-unit", "ms"]
    importing(*words, "--strict", code=1)
    assert "t.csv:line 4, when: " in capsys.readouterr().err
    importing("t.csv", "-o", "t", code=1)
    assert "found when, host, method" in capsys.readouterr().err
    assert not (folder / "t").exists()
    importing(*words)
    assert run(["trace", "show", "t"]) == 0
    assert "2 calls in 1.0 s by 1 senders" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["a\x00b", "a\nb", "\udc80", "\x85"])
def test_a_source_that_no_line_holds(folder: Path, capsys: Out, text: str) -> None:
    """Is refused at the flag."""
    (folder / "t.csv").write_text(TEXT)
    importing("t.csv", "-o", "t", "--source-id", text, code=1)
    assert "--source-id: is no line of text" in capsys.readouterr().err
    assert not (folder / "t").exists()


def test_whole_numbers_without_a_unit_are_said_to_be_seconds(folder: Path, capsys: Out) -> None:
    """Where calls would be seconds apart; not of one that was given, nor of decimals."""
    (folder / "t.csv").write_text("time,sender,method\n1500,a,b\n2500,a,b\n3900,a,b\n")
    importing("t.csv", "-o", "t")
    said = "note: times read as seconds: 3 calls over 2,400 s; --time-unit ms if they are milliseconds"
    assert said in capsys.readouterr().err
    for name, unit in (("u", "s"), ("v", "ms")):
        importing("t.csv", "-o", name, "--time-unit", unit)
    (folder / "t.csv").write_text("time,sender,method\n1500.5,a,b\n2500,a,b\n3900,a,b\n")
    importing("t.csv", "-o", "w")
    assert "times read" not in capsys.readouterr().err


def test_a_table_without_answers_is_named_where_it_cannot_be_mined(folder: Path, capsys: Out) -> None:
    """By its folder, not by its place among the Traces."""
    (folder / "t.csv").write_text("time,sender,method\n1,a,b\n2,a,b\n")
    importing("t.csv", "-o", "t")
    assert run(["mine", "t", "--dry-run"]) == 1
    assert "froude: t: " in capsys.readouterr().err
