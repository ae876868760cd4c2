"""`froude cache solve`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cache.solve.files import shipped
from froude.cli.app import run

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_plan_is_shown_with_its_reasons(capsys: Out) -> None:
    """By the default policy, of a state that comes with Froude."""
    assert run(["cache", "solve", "table-1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "By the curves of 5 of 5 VMs, reads will take 348 ms on average instead of 1 s with"
    )
    assert "Misses 75.0% of 1/s reads instead of 100.0%" in out


def test_json_and_files_hold_the_plan(here: Path, capsys: Out) -> None:
    """With what other sizes of the SSDs would bring."""
    command = "cache solve table-1 --policy equal --what-if 2,0.5 --json -o plan.json --report plan.html"
    assert run(command.split()) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((here / "plan.json").read_text())
    assert [case["factor"] for case in printed["what_if"]] == [0.5, 2.0]
    assert (here / "plan.html").is_file()
    assert printed["policy"] == "equal"


def test_an_example_is_a_file_to_begin_with(here: Path, capsys: Out) -> None:
    """Which is a state by itself."""
    assert run(["cache", "solve", "table-1", "--example"]) == 0
    text = capsys.readouterr().out
    assert text == shipped()["table-1"].read_text()
    (here / "mine.yaml").write_text(text)
    assert run(["cache", "solve", "mine.yaml", "--move-anyway"]) == 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["nowhere.yaml"], "nowhere.yaml: cannot be read"),
        (["table-1", "--policy", "fair"], "found fair"),
        (["table-1", "--what-if", "2,x"], "--what-if: is no list of factors"),
        (["table-1", "--what-if", "-1"], "--what-if: "),
        (["table-1", "--what-if", "nan"], "--what-if: "),
    ],
)
def test_what_cannot_be_is_one_clear_error(flags: list[str], message: str, capsys: Out) -> None:
    """And exit code 1."""
    assert run(["cache", "solve", *flags]) == 1
    assert message in capsys.readouterr().err


def test_a_dry_run_writes_nothing(here: Path, capsys: Out) -> None:
    """It says what it would write."""
    assert run(["cache", "solve", "table-1", "-o", "plan.json", "--dry-run"]) == 0
    assert "Would write plan.json" in capsys.readouterr().out
    assert not (here / "plan.json").exists()
