"""`froude harvest schedule` and `froude harvest simulate scheduling`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.harvest.telemetry.files import write_datacenter
from tests.support.harvest.datacenters import drawn
from tests.support.harvest.schedule.dags.read import RUMEN, lines

Out = pytest.CaptureFixture[str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A datacenter of eight days, and two jobs."""
    monkeypatch.chdir(tmp_path)
    write_datacenter(tmp_path / "dc", drawn())
    (tmp_path / "jobs.json").write_bytes(lines(RUMEN))
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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("schedule dc --jobs jobs.json --concurrency all", "--concurrency: is no way to count; found all"),
        ("schedule dc --jobs dc/meta.yaml", "meta.yaml"),
        ("simulate scheduling dc --only fair", "--only: is no scheduler; found fair; allowed: stock, pt"),
        ("simulate scheduling dc --batch-share 2", "--batch-share: is out of range"),
        ("simulate scheduling dc --days 30", "found 8.0 days; allowed: 30 days"),
        ("simulate scheduling dc --gap 0s", "--gap"),
    ],
)
def test_what_cannot_be(words: str, said: str, here: Path, capsys: Out) -> None:
    """One line that says what is allowed."""
    assert run(["harvest", *words.split()]) == 1
    assert said in capsys.readouterr().err
    assert here.exists()
