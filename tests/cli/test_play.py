"""`froude play`: usage, refusals, and the summary of a run."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from froude.cli.app import run
from froude.cli.play import _show
from froude.cli.settings import Settings
from froude.emulation.run.run import ABORTED, PARTIAL
from froude.workload.plan_file import write_plan
from froude.workload.types import Recorded
from testbed.plans import plan
from tests.support.experiment import comparisons

THERE = ("--target", "hdfs://127.0.0.1:1", "--target-is", "CID-1")
"""A target that a dry run has nothing against; nothing listens there."""
POPULATION, ARRIVALS = ("--mode", "population"), ("--mode", "arrivals")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan's folder."""
    planned = plan(datanodes=3, clients=2)
    recorded = Recorded((planned.scale,), ("CID-source",))
    write_plan(tmp_path / "plan", replace(planned, workload=replace(planned.workload, recorded=recorded)))
    return tmp_path / "plan"


def test_dry_run_says_what_would_be_played(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is sent; the nodes are counted."""
    assert run(["--json", "--dry-run", "play", str(folder), *THERE]) == 0
    assert json.loads(capsys.readouterr().out)["nodes"] == {"datanode": 3, "client": 2}


@pytest.mark.parametrize(
    ("size", "words", "said"),
    [
        ({"datanodes": 10**12}, (), "plan.yaml:nodes.datanode.count: "),
        ({"datanodes": 10**12}, ("--max", "nodes=1e13"), "1,000,000,000,0"),
        ({"clients": 0}, (), "--duration"),
        ({"datanodes": 0, "clients": 0}, (), "plan: "),
        (
            {},
            ("--limit", "p99(nosuch) < 1 s"),
            "found nosuch; allowed: add",
        ),
        ({}, ("--target-is", "CID-source"), "CID-source"),
        ({}, ("--http", "x"), "--http: "),
        (
            {},
            ("--http", "namenode=h:1"),
            "is not the service of a target; found namenode; allowed: HOST:PORT",
        ),
        ({}, ("--target", "journalnode=h:1", "--target-is", "journalnode=x"), "journalnode"),
        ({}, ("--target", "h:1"), "h:1: "),
    ],
)
def test_a_dry_run_refuses_what_the_play_would(
    folder: Path, size: dict[str, int], words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that can be known without the target."""
    planned = plan(**size)
    recorded = Recorded((planned.scale,), ("CID-source",))
    other = folder.parent / "other"
    write_plan(other, replace(planned, workload=replace(planned.workload, recorded=recorded)))
    target = () if "--target" in words else THERE[:2]
    typed = () if {"--target", "--target-is"} & set(words) else THERE[2:]
    assert run(["--dry-run", "play", str(other), *target, *typed, *words]) in {1, 2}
    assert said in capsys.readouterr().err


def test_a_target_that_is_none_is_one_clear_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A text that names no host and port ends with 1 and says what is allowed."""
    assert run(["play", str(folder), "--target", "namenode"]) == 2
    assert "hdfs://HOST:PORT" in capsys.readouterr().err


def test_without_a_plan_that_is_what_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not that there is no target either."""
    monkeypatch.chdir(tmp_path)
    assert run(["play", "plan"]) == 1
    error = capsys.readouterr().err
    assert "froude: plan" in error
    assert "target" not in error


@pytest.mark.parametrize("port", ["", "0", "65536", "²", "x"])
def test_a_web_address_that_is_none(folder: Path, capsys: pytest.CaptureFixture[str], port: str) -> None:
    """Digits are those of ASCII."""
    flags = ["--target", "hdfs://127.0.0.1:1", "--http", f"127.0.0.1:{port}"]
    assert run(["play", str(folder), *flags]) == 2
    assert "--http: " in capsys.readouterr().err


def test_an_error_about_a_plan_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that cannot be played says which file says so, before anything is sent."""
    write_plan(tmp_path / "refused", plan())
    assert run(["play", str(tmp_path / "refused"), "--target", "hdfs://127.0.0.1:1"]) == 1
    err = capsys.readouterr().err
    assert "refused:plan: " in err
    assert err.count("\n") == 1


def test_a_target_that_refuses_leaves_no_run(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Nobody there: one error that names the target, and no folder."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    out = tmp_path / "run"
    words = [
        "--workspace",
        str(tmp_path),
        "play",
        str(folder),
        "--target",
        f"127.0.0.1:{port}",
        "-o",
        str(out),
    ]
    assert run(words) == 1
    assert f"127.0.0.1:{port}" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("option", ["--speed", "--ramp"])
@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e300"])
def test_numbers_without_end(
    folder: Path, option: str, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Would play without end, and are an error of usage."""
    assert run(["--dry-run", "play", str(folder), "--target", "hdfs://127.0.0.1:1", option, number]) == 2
    assert option in capsys.readouterr().err


@pytest.mark.parametrize("text", ["5 GB", "-5 s", "0 s", "1e30 s", "nan"])
def test_a_duration_that_is_none(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Also of a dry run."""
    flags = ["--target", "hdfs://127.0.0.1:1", "--duration", text]
    assert run(["--dry-run", "play", str(folder), *flags]) == 2
    assert "--duration: is" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*ARRIVALS,), "--duration: is needed with the mode arrivals"),
        (("--leftovers", "remove"), "--leftovers: needs clients that follow"),
        (("--clients-per-s", "2"), "--clients-per-s: is for arrivals"),
        (("--measure", "5 s"), "--measure: is for a load that is kept up"),
        (POPULATION, "--duration: is needed with the mode population"),
        (
            (*POPULATION, "--duration", "10 s", "--measure", "20 s"),
            "--measure: is longer than the whole play; found 20 s; allowed: at most the duration, 10 s",
        ),
        (("--limit", "p98 < 1 s"), "--limit: is no measure"),
    ],
)
def test_flags_that_do_not_go_together_are_named_before_all_else(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a plan nor a target is looked at before."""
    assert run(["--workspace", str(tmp_path), "play", str(tmp_path / "none"), *words]) == 2
    assert capsys.readouterr().err.startswith(f"froude: {message}")


def test_an_error_about_a_limit_names_the_flag_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan is no place where it could be changed; a plan that is wrong is named once."""
    assert run(["--dry-run", "play", str(folder), *THERE, "--limit", "p99(nosuch) < 1 s"]) == 2
    assert capsys.readouterr().err.startswith("froude: --limit: is a method that the plan never calls")
    write_plan(folder, plan(datanodes=3, clients=0))
    assert run(["--dry-run", "play", str(folder), *THERE]) == 1
    assert f"{folder}: the plan" in capsys.readouterr().err


def test_a_dry_run_of_a_sustained_load_shows_how_long_it_is_played(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its duration, not that of the clients that are planned, and how much of it may be warm-up."""
    flags = (*POPULATION, "--duration", "60 s")
    assert run(["--dry-run", "play", str(folder), *THERE, *flags, "--measure", "10 s"]) == 0
    text = "At most 60 s: measured for 10 s once it is steady, after a warm-up of at most 48 s"
    assert text in capsys.readouterr().out
    assert run(["--json", "--dry-run", "play", str(folder), *THERE, *flags]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["expected_s"], document["longest_warm_up_s"]) == (60.0, 58.0)


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (f"{ABORTED}error_rate > 5 % for 30 s: it held", 3),
        (f"{PARTIAL}player 2 (tcp://w:1): died", 3),
        ("the target closed the connection", 1),
    ],
)
def test_a_condition_that_ended_a_play_is_a_limit_that_broke(
    failure: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """And no failure of the target; both are in the verdict, which is red."""
    with pytest.raises(typer.Exit) as ended:
        _show(Settings(), comparisons.run(1, failure=failure), Path("run"))
    assert ended.value.exit_code == code
    said = capsys.readouterr()
    ended_early = "" if failure.startswith(PARTIAL) else "the run ended before its time: "
    assert f"RED: {ended_early}{failure}" in " ".join(said.out.split())
    assert f"froude: {failure}" in said.err
