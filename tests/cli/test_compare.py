"""`froude compare`: the verdict first, an exit code for a pipeline, a document and a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run, spread
from froude.documents.artifact import Origin
from froude.documents.lineage import content_of
from froude.emulation.run.files import write_run
from froude.experiment.compare.compare import Outcome
from froude.experiment.compare.file import read_comparison
from tests.support.experiment import comparisons

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FROUDE_WORKSPACE", raising=False)


def words(runs: int, factor: float = 1.0, spread: float = 0.03) -> list[str]:
    """The command line for two arms of runs, which are written."""
    line = ["compare"]
    for arm, made in comparisons.arms(runs, factor, spread=spread).items():
        names = [f"{arm[0]}{number}" for number in range(len(made))]
        for name, each in zip(names, made, strict=True):
            write_run(Path(name), each, Origin(inputs=each.inputs))
        line += [f"--{arm}", *names]
    return line


@pytest.mark.parametrize(
    ("factor", "code", "said"),
    [
        (1.3, 3, "The candidate is slower: "),
        (0.7, 0, "The candidate is faster: "),
        (1.0, 0, "Not enough runs"),
    ],
)
def test_the_verdict_stands_first_and_is_the_exit_code(
    factor: float, code: int, said: str, capsys: Out
) -> None:
    """3 where the candidate is worse; too few runs are no failure of the candidate."""
    assert run(words(4, factor)) == code
    out = capsys.readouterr().out
    assert out.startswith(said)
    assert "Compared: 4 runs of the baseline, 4 of the candidate. Margin 5 %" in out
    assert "p99(addBlock)" in out


def test_a_document_and_a_page(capsys: Out) -> None:
    """The document names the runs that it was made from; both reports have their figures."""
    line = words(4, 1.3)
    assert run([*line, "-o", "c.json", "--report", "c.html", "--json"]) == 3
    written = json.loads(capsys.readouterr().out)
    assert written == json.loads(Path("c.json").read_text())
    assert written["lineage"]["inputs"][0] == content_of(Path("b0"))
    assert read_comparison(Path("c.json")).outcome is Outcome.WORSE
    assert "Is the candidate slower?" in Path("c.html").read_text()
    assert Path("c.report.json").is_file()
    assert run(["report", "c.json", "-o", "again.html", "--static"]) == 0
    assert "The candidate is slower" in Path("again.html").read_text()


def test_options_are_those_of_the_comparison(capsys: Out) -> None:
    """Margin, level and the primary measure; a dry run compares nothing."""
    line = words(5, 1.03, 0.002)
    assert run(line) == 0
    assert run([*line, "--margin", "0.01", "--primary", "p99(addBlock)"]) == 3
    assert run([*line, "--dry-run"]) == 0
    assert "Would compare 5 and 5 runs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("compare --baseline b0 b1 --candidate b1", 1, "b1"),
        ("compare --baseline b0 nosuch --candidate c0", 1, "nosuch"),
        ("compare --baseline b0", 2, ""),
        (
            "compare --baseline b0 b1 b2 --candidate c0 c1 c2 --primary nosuch",
            2,
            "is no measure that decides",
        ),
        ("compare --baseline b0 b1 --candidate c0 c1 -o b0/x.json", 1, "lies in"),
    ],
)
def test_what_is_refused(line: str, code: int, said: str, capsys: Out) -> None:
    """With one clear error."""
    words(3)
    assert run(line.split()) == code
    assert said in capsys.readouterr().err


def test_several_runs_stand_behind_one_flag() -> None:
    """As a shell's pattern gives them, up to the next flag."""
    line = [
        "compare",
        "--baseline",
        "a",
        "b",
        "--margin",
        "0.1",
        "--candidate",
        "c",
        "d",
        "--",
        "--baseline",
        "e",
        "f",
    ]
    spread_ = "compare --baseline a --baseline b --margin 0.1 --candidate c --candidate d -- --baseline e f"
    assert spread(line) == spread_.split()
    assert spread(["compare", "--baseline=a", "--candidate", "b"]) == [
        "compare",
        "--baseline=a",
        "--candidate",
        "b",
    ]
