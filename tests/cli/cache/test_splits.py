"""`froude cache solve` and `froude cache simulate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cache.simulate.scenario import shipped as simulate_shipped
from froude.cache.solve.files import shipped
from froude.cli.app import run
from tests.support.cache.simulate.scenario import SMALL
from tests.support.cache.simulate.traces import MQSIM, MSR

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
    assert run(["cache", "solve", *flags]) in {1, 2}
    assert message in capsys.readouterr().err


def test_a_dry_run_writes_nothing(here: Path, capsys: Out) -> None:
    """It says what it would write."""
    assert run(["cache", "solve", "table-1", "-o", "plan.json", "--dry-run"]) == 0
    assert "Would write plan.json" in capsys.readouterr().out
    assert not (here / "plan.json").exists()


@pytest.fixture(autouse=True)
def simulate_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small scenario, and two traces."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SMALL)
    (tmp_path / "mqsim.trace").write_text(MQSIM * 3)
    (tmp_path / "msr.csv").write_text(MSR)
    return tmp_path


def test_a_scenario_is_played_under_policies(simulate_here: Path, capsys: Out) -> None:
    """The same seed gives the same, on any number of workers."""
    command = [
        "cache",
        "simulate",
        "small.yaml",
        "--policy",
        "shared",
        "--policy",
        "equal",
        "--runs",
        "2",
        "--json",
    ]
    assert run([*command, "--report", "page.html"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(each["policy"], each["run"]) for each in found["outcomes"]] == [
        ("shared", 0),
        ("equal", 0),
        ("shared", 1),
        ("equal", 1),
    ]
    assert (simulate_here / "page.html").is_file()
    assert run([*command, "--workers", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["outcomes"] == found["outcomes"]
    assert run([*command, "--space", "0"]) == 0
    assert json.loads(capsys.readouterr().out)["outcomes"][0]["misses"] == found["outcomes"][0]["reads"]


def test_traces_are_replayed_together(simulate_here: Path, capsys: Out) -> None:
    """With half of what is read again as space, or with what is said."""
    command = "cache simulate mqsim.trace msr.csv --policy equal --windows 3 --chunk 4KiB"
    assert run([*command.split(), "--report", "page.html"]) == 0
    assert "8 requests" in (simulate_here / "page.html").read_text()
    assert "of 10 reads miss under equal." in capsys.readouterr().out
    assert run([*command.split(), "--space", "1 MB", "--json", "--layout", "mqsim"]) == 1
    assert "mqsim" in capsys.readouterr().err
    assert run([*command.split(), "--space", "1 MB", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["requests"], found["dropped"], found["space_bytes"]) == (8, {}, 10**6)
    assert not found["cache_writes"]
    assert run([*command.split(), "--cache-writes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cache_writes"]


def test_how_a_trace_is_written_can_be_named(simulate_here: Path, capsys: Out) -> None:
    """By the flags of tables, and the operation of a read."""
    rows = [f"01.02.2026 00:00:0{second}|a|{8 * second},0|8,0|{second % 2}" for second in range(10)]
    (simulate_here / "t.txt").write_text("\n".join(["when|disk|at|size|op", *rows]))
    command = (
        "cache simulate t.txt --policy equal --column offset_sectors=at --column size_sectors=size --read 1"
    )
    flags = [
        *("--column", "time=when", "--separator", "|", "--decimal", ","),
        *("--date-format", "%d.%m.%Y %H:%M:%S", "--zone", "Europe/Berlin"),
    ]
    assert run([*command.split(), *flags]) == 0
    output = capsys.readouterr()
    assert "1 volume, 10 requests, one every 1 s, over 9 s" in output.err
    assert "of 5 reads miss under equal." in output.out


def test_an_example_is_a_file_to_begin_with_of_simulate(capsys: Out) -> None:
    """As it comes with Froude."""
    assert run(["cache", "simulate", "table-2", "--example"]) == 0
    assert capsys.readouterr().out == simulate_shipped()["table-2"].read_text()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["nowhere"], "nowhere"),
        (["small.yaml", "msr.csv"], "stand beside one another"),
        (["small.yaml", "--policy", "fair"], "fair"),
        (
            ["msr.csv", "--layout", "tar"],
            "found tar; allowed: msr, msr-without-response, ",
        ),
        (["msr.csv", "--chunk", "0"], "--chunk: "),
        (["msr.csv", "--runs", "3"], "--runs: is for a scenario only"),
        (["small.yaml", "--chunk", "4KiB"], "--chunk: is for traces only"),
        (["small.yaml", "--windows", "3"], "--windows: is for traces only"),
        (["small.yaml", "--layout", "msr"], "--layout: is for traces only"),
        (["small.yaml", "--read", "0"], "--read: is for traces only"),
        (["small.yaml", "--cache-writes"], "--cache-writes: is for traces only"),
        (["msr.csv", "--space", "5 s"], "--space: "),
    ],
)
def test_what_cannot_be_is_one_clear_error_of_simulate(flags: list[str], message: str, capsys: Out) -> None:
    """And exit code 1."""
    assert run(["cache", "simulate", *flags]) in {1, 2}
    assert message in capsys.readouterr().err
