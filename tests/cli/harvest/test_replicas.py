"""`froude harvest simulate durability` and `availability`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.harvest.telemetry.datacenter import Reimages
from froude.harvest.telemetry.files import write_datacenter
from tests.support.harvest.datacenters import drawn

Out = pytest.CaptureFixture[str]
SMALL = ["--blocks", "2000", "--runs", "1"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A datacenter of eight days, with three months of reimages on both sides."""
    monkeypatch.chdir(tmp_path)
    write_datacenter(tmp_path / "dc", drawn())
    return tmp_path


def test_a_year_under_two_policies_and_one_of_one_s_own(here: Path, capsys: Out) -> None:
    """At two fill levels; the same seed gives the same."""
    command = [
        "harvest",
        "simulate",
        "durability",
        "dc",
        *SMALL,
        "--days",
        "90",
        "--fill",
        "0.5",
        "--fill",
        "0.8",
    ]
    command += ["--policy", "stock", "--policy", "history-soft", "--distinct", "environment,rack?", "--json"]
    documents = []
    for _ in range(2):
        assert run([*command, "--report", "d.html"]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    assert documents[0]["policies"] == documents[1]["policies"]
    names = [(each["policy"], each["fill"]) for each in documents[0]["policies"]]
    assert names == [
        (policy, fill) for policy in ("stock", "history, soft", "environment+rack?") for fill in (0.5, 0.8)
    ]
    assert all(each["outcomes"][0]["wiped"] > 0 for each in documents[0]["policies"])
    assert (here / "d.html").exists()


def test_accesses_by_mean_utilisation(here: Path, capsys: Out) -> None:
    """More fail where more is used."""
    command = [
        "harvest",
        "simulate",
        "availability",
        "dc",
        *SMALL,
        "--mean",
        "0.4",
        "--mean",
        "0.8",
        "--json",
    ]
    assert run([*command, "--policy", "stock", "--scaling", "root"]) == 0
    low, high = (each["failed"][0] for each in json.loads(capsys.readouterr().out)["policies"])
    assert low < high
    assert here.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("durability dc --policy best", "policy: is no policy; found best; allowed: stock, stock-paper"),
        ("durability dc --distinct colour", "colour"),
        ("durability dc --fill 2", "--fill"),
        ("durability quiet", "has no reimages"),
        ("availability dc --mean 1.5", "--mean: is out of range"),
        ("availability dc --from-day 30", "found from 2.592e+06 s"),
    ],
)
def test_what_cannot_be_simulated(words: str, said: str, here: Path, capsys: Out) -> None:
    """One line that says what is allowed."""
    write_datacenter(here / "quiet", replace(drawn(), reimages=Reimages.none()))
    assert run(["harvest", "simulate", *words.split()]) in {1, 2}
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        ("durability dc --throttle-by both", "--throttle-by"),
        ("durability dc --blocks 0", "--blocks"),
        ("availability dc --scaling cubic", "--scaling"),
        ("scheduling dc --batch-share 2", "--batch-share"),
    ],
)
def test_values_out_of_a_field_s_range_are_wrong_usage(
    words: str, flag: str, here: Path, capsys: Out
) -> None:
    """The flag is named."""
    assert run(["harvest", "simulate", *words.split()]) == 2
    assert flag in capsys.readouterr().err
    assert here.exists()
