"""`froude knee`: what it asks for, and how it answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.experiment.knee import knee as module
from froude.experiment.knee.answer import Knee, Status
from froude.experiment.knee.file import read_knee
from froude.experiment.scenario.options import KneeOptions
from froude.hadoop.release import distribution
from froude.workload.yaml_file import write_workload
from tests.support.cli.command_lines import recorded
from tests.support.experiment.knees import two_plays

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a workload."""
    monkeypatch.chdir(tmp_path)
    write_workload(tmp_path / "w.yaml", recorded())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Knee], list[KneeOptions]]:
    """Stands in for the search, and keeps what it was asked."""

    def answering(found: Knee) -> list[KneeOptions]:
        seen: list[KneeOptions] = []
        monkeypatch.setattr(distribution.Hadoop, "find", lambda *_, **__: None)
        monkeypatch.setattr(module, "knee", lambda _, __, options, **___: seen.append(options) or found)
        return seen

    return answering


def test_dry_run_says_what_would_be_raised(capsys: Out) -> None:
    """From where, and until what breaks; nothing is started."""
    assert run(["knee", "w.yaml", "--dry-run", "--at", "clients=9"]) == 0
    out = capsys.readouterr().out
    assert "raise clients from datanodes=4, clients=9, files=5" in out
    assert "p99 < 1 s" in out
    assert "A play takes 78 s at most, 28 s where the load is steady at once; 40 plays at most." in " ".join(
        out.split()
    )
    assert run(["knee", "w.yaml", "--dry-run", "--time-limit", "60s"]) == 0
    assert "2 plays at most within the time limit of 60 s" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ["--limit", "containers_per_s > 5"],
            "froude: --limit: needs a plan that asks a ResourceManager for containers",
        ),
        (["--limit", "p99(foo) < 1 s"], "froude: --limit: is a method that the plan never calls; found foo"),
        (
            ["--duration", "10s"],
            "froude: --duration: is shorter than what is measured of each play; found 10 s",
        ),
        (
            ["--duration", "10s", "--measure", "20s"],
            "froude: --measure: is longer than the whole play; found 20 s",
        ),
    ],
)
def test_an_error_about_a_flag_names_the_flag(flags: list[str], message: str, capsys: Out) -> None:
    """And not the workload, which is right."""
    assert run(["knee", "w.yaml", "--dry-run", *flags]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_an_answer_is_written(asked: Callable[[Knee], list[KneeOptions]], capsys: Out) -> None:
    """In words first, every play below; the file reads back."""
    knee = replace(two_plays(), plan_remarks=("files rose with clients",))
    seen = asked(knee)
    words = [
        "knee",
        "w.yaml",
        "--limit",
        "p99 < 2 s",
        "--raise",
        "clients",
        "--conf",
        "a.b=c",
        "-o",
        "k.json",
    ]
    assert run(words) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == knee.answer
    assert "To be kept in mind. files rose with clients" in out.splitlines()
    assert f"- The limits: {'; '.join(knee.limits)}." in out
    assert (seen[0].knee.raise_, seen[0].limits) == (("clients",), ("p99 < 2 s",))
    assert read_knee(Path("k.json")) == knee
    assert run(["--json", "--force", *words]) == 0
    assert json.loads(capsys.readouterr().out)["answer"] == knee.answer


@pytest.mark.parametrize(
    ("status", "interrupted", "code"),
    [
        (Status.BELOW, False, 3),
        (Status.MASKED, False, 3),
        (Status.OPEN, False, 0),
        (Status.UNSETTLED, True, 130),
    ],
)
def test_exit_codes(
    asked: Callable[[Knee], list[KneeOptions]],
    status: Status,
    interrupted: bool,
    code: int,
) -> None:
    """3 where no load kept its limits, or nothing is known."""
    asked(replace(two_plays(), status=status, interrupted=interrupted))
    assert run(["knee", "w.yaml"]) == code


@pytest.mark.parametrize(
    ("plays", "said"),
    [
        (0, "interrupted after 0 whole plays: nothing was written"),
        (2, "interrupted after 2 whole plays: what was played is in knee.json"),
    ],
)
def test_an_interrupt_says_what_there_is(
    asked: Callable[[Knee], list[KneeOptions]], capsys: Out, plays: int, said: str
) -> None:
    """Also in the first play, of which nothing is kept."""
    found = two_plays()
    asked(replace(found, plays=found.plays[:plays], status=Status.UNSETTLED, interrupted=True))
    assert run(["knee", "w.yaml"]) == 130
    assert said in capsys.readouterr().err
    assert Path("knee.json").exists() is (plays > 0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--limit", "p98 < 1 s"], "p98"),
        (["--duration", "5 GB", "--dry-run"], "--duration: "),
        (["--heap", "-1 GB", "--dry-run"], "heap: is no heap size; found -1 GB"),
        (["--at", "size=3", "--dry-run"], "is no variable of the recorded runs"),
        (["--raise", "size", "--dry-run"], "found size"),
        (["--limit", "p99(nosuch) < 1 s"], "found nosuch; allowed: "),
        (
            ["--limit", "p99(nosuch) < 1 s", "--dry-run"],
            "froude: --limit: ",
        ),
        (["--at", "clients=1e12", "--dry-run"], "found 1,000,000,000,000"),
        (["--at", "clients=1e12", "--max", "nodes=1e13", "--dry-run"], "1,000,000,000,0"),
        (["--at", "files=3 GB", "--dry-run"], "files"),
        (["--release", "x", "--dry-run"], "is no Hadoop release"),
        (["--time-limit", "20s", "--dry-run"], "--time-limit: is shorter than the shortest play; found 20 s"),
    ],
)
def test_what_is_refused(words: list[str], message: str, capsys: Out) -> None:
    """Before anything is started."""
    assert run(["knee", "w.yaml", *words]) in {1, 2}
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--most", "--resolution", "--speed", "--ramp"])
@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e300"])
def test_numbers_without_end(option: str, number: str, capsys: Out) -> None:
    """Are an error of usage, as one out of range."""
    assert run(["--dry-run", "knee", "w.yaml", option, number]) == 2
    assert option in capsys.readouterr().err


def test_more_repeats_than_plays(capsys: Out) -> None:
    """Twenty on each side are all plays."""
    assert run(["--dry-run", "knee", "w.yaml", "--repeats", "999999999"]) == 2
    assert "--repeats" in capsys.readouterr().err
