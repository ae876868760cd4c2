"""`froude harvest characterise`, `classify`, `schedule` and `simulate scheduling`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from froude.cli.app import run
from froude.harvest.telemetry.files import write_datacenter
from tests.support.harvest.datacenters import drawn, made
from tests.support.harvest.schedule.dags.read import RUMEN, lines

Out = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A datacenter of eight days."""
    write_datacenter(tmp_path / "dc", drawn())
    return str(tmp_path / "dc")


def test_shares_in_text(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict and the tables."""
    assert run(["harvest", "characterise", folder]) == 0
    said = capsys.readouterr().out
    assert "of the servers belong to periodic tenants" in said
    assert "Shares of each pattern (Figures 2 and 3)" in said


@pytest.mark.parametrize(
    ("flags", "classes"), [([], 23), (["--classes", "2,1,1"], 4), (["--classes", "auto"], None)]
)
def test_classes_as_json(
    flags: list[str], classes: int | None, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every tenant in one class, a backtest of the longest period that fits twice, and the day after."""
    assert run(["harvest", "classify", folder, *flags, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len({tenant for each in found["classes"] for tenant in each["tenants"]}) == 24
    assert classes is None or len(found["classes"]) <= classes
    assert found["backtest"][0]["days"] == 2
    assert 0 <= found["stability"]["pattern_kept"] <= 1


def test_gaps_are_named_with_the_base_of_each_figure(tmp_path: Path, capsys: Out) -> None:
    """An outage of all, a tenant of which too much is missing, one near a threshold: in the text and in the JSON."""
    rows = np.tile(0.4 + 0.2 * np.cos(np.arange(24 * 14) * np.pi / 12), (5, 1))
    rows[1] = 0.5 + np.repeat(np.random.default_rng(1).normal(0, 0.0302, 28), 12)
    rows[:, 30:61] = rows[0, 80:260] = rows[1, 150:240] = np.nan
    write_datacenter(tmp_path / "dc", made(rows))
    for command, what in (("characterise", "pattern"), ("classify", "class")):
        assert run(["harvest", command, str(tmp_path / "dc")]) == 0
        said = capsys.readouterr().out
        assert "1 outage left out (31 h): day 1 06:00 to day 2 13:00" in said
        assert "Pattern uncertain: 1 of 5 tenants" in said
        assert "t1 constant (uncertain with 64% of samples)" in said
        assert f"No {what}: 1 of 5 tenants" in said
        assert run(["harvest", command, str(tmp_path / "dc"), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["unknown_tenants"], found["uncertain_tenants"]) == (1, ["t1"])
        assert found["outages"] == [{"start_s": 30 * 3600, "end_s": 61 * 3600}]
        of_samples = [each["samples_known"] for each in found.get("classes", found.get("tenants"))]
        assert min(of_samples) < max(of_samples) == pytest.approx(305 / 336)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (
            ["--features", "mean"],
            "--features: is not one of its words; found mean; allowed: folded, spectrum",
        ),
        (["--classes", "3,2"], "--classes: are no numbers of classes; found 3,2"),
        (["--classes", "3,0,1"], "--classes: are no numbers"),
        (["--period", "5"], "--period: is too long; found 5; allowed: at most 4 days here"),
    ],
)
def test_what_cannot_be_classified(
    flags: list[str], said: str, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that says what is allowed."""
    assert run(["harvest", "classify", folder, *flags]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A datacenter of eight days, and two jobs."""
    monkeypatch.chdir(tmp_path)
    write_datacenter(tmp_path / "dc", drawn())
    (tmp_path / "jobs.json").write_bytes(lines(RUMEN))
    (tmp_path / "torn.json").write_bytes(lines([*RUMEN, *RUMEN[:1]])[:-9])
    (tmp_path / "fb.tsv").write_text("job0\t49\t49\t740773\t2339561\t627471\n")
    return tmp_path


def test_jobs_get_labels(here: Path, capsys: Out) -> None:
    """By their last run, as recorded or as said."""
    assert run(["harvest", "schedule", "dc", "--jobs", "jobs.json", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["jobs"]
    assert [(job["job"], job["type"], job["containers"]) for job in first] == [
        ("job_0", "short", 2),
        ("job_1", "short", 2),
    ]
    assert all(len(job["labels"]) == 1 for job in first)
    assert (
        run(["harvest", "schedule", "dc", "--jobs", "jobs.json", "--last", "1h", "--report", "s.html"]) == 0
    )
    assert "long" in capsys.readouterr().out
    assert (here / "s.html").exists()


def test_schedulers_are_compared(here: Path, capsys: Out) -> None:
    """With made-up jobs or one's own; the same seed gives the same."""
    command = [
        "harvest",
        "simulate",
        "scheduling",
        "dc",
        "--days",
        "2",
        "--runs",
        "1",
        "--gap",
        "1h",
        "--json",
    ]
    documents = []
    for flags in ([], [], ["--jobs", "jobs.json", "--only", "pt", "--only", "h"]):
        assert run([*command, *flags]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    assert documents[0]["outcomes"] == documents[1]["outcomes"]
    assert [outcome["scheduler"] for outcome in documents[2]["outcomes"]] == ["pt", "h"]
    assert documents[0]["foresight"] is False


def test_gaps_are_filled_only_on_demand(here: Path, capsys: Out) -> None:
    """And how much was filled is shown."""
    series = drawn().utilisation.copy()
    series[3, -300:-200] = np.nan
    write_datacenter(here / "gaps", replace(drawn(), utilisation=series))
    command = ["harvest", "simulate", "scheduling", "gaps", "--only", "pt"]
    command += ["--days", "2", "--runs", "1", "--gap", "1h"]
    assert run(command) == 1
    assert "only --fill fills; found 6.9% of the simulated samples of T0003" in capsys.readouterr().err
    assert run([*command, "--fill", "-o", "filled.json"]) == 0
    assert "100 of 34,560 samples (0.3%) were missing" in capsys.readouterr().out
    found = json.loads((here / "filled.json").read_text())
    assert (found["filled_samples"], found["samples"]) == (100, 24 * 1440)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "schedule dc --jobs jobs.json --concurrency all",
            "--concurrency: is not one of its words; found all",
        ),
        ("schedule dc --jobs dc/meta.yaml", "meta.yaml"),
        (
            "simulate scheduling dc --only fair",
            "--only: is not one of its words; found fair; allowed: stock, pt",
        ),
        ("simulate scheduling dc --days 30", "found 8.0 days; allowed: 30 days"),
        ("simulate scheduling dc --gap 0s", "--gap"),
        (
            "simulate scheduling dc --jobs fb.tsv",
            "has jobs without the time of a task; found 1 of 1, such as job0",
        ),
        ("schedule dc --jobs torn.json --strict", "found 1 record left out: cut short, first at torn.json:3"),
    ],
)
def test_what_cannot_be(words: str, said: str, here: Path, capsys: Out) -> None:
    """One line that says what is allowed."""
    assert run(["harvest", *words.split()]) in {1, 2}
    assert said in capsys.readouterr().err
    assert here.exists()
