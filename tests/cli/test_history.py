"""`froude compare --history` and `--markdown`: what a build keeps of a comparison, and change points."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.cli.history import PROGRAM
from froude.documents.artifact import Origin
from froude.emulation.run.files import write_run
from froude.experiment.compare.history import lines_text
from tests.support.experiment import comparisons

Out = pytest.CaptureFixture[str]
OTAVA = os.environ.get(PROGRAM) or shutil.which("otava")
STAND_IN = f"""#!{sys.executable}
import json, os, sys, yaml
words = sys.argv[1:]
assert "BRANCH" not in os.environ
tests = yaml.safe_load(open(words[words.index("--config-file") + 1]))["tests"]
for number, test in enumerate(tests):
    assert open(tests[test]["file"]).readline() == "time,commit,value\\n"
    print(json.dumps({{test: [{{"changes": [{{"index": 18}}]}}] if number == 0 else []}}))
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, a PATH without Otava, and a variable that would have it refuse the table."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("BRANCH", "main")
    for name in (PROGRAM, "FROUDE_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


def words(factor: float = 1.3, runs: int = 4) -> list[str]:
    """The command line for two arms of runs, which are written."""
    line = ["compare"]
    for arm, made in comparisons.arms(runs, factor, spread=0.03).items():
        names = [f"{arm[0]}{number}" for number in range(len(made))]
        for name, each in zip(names, made, strict=True):
            if not Path(name).exists():
                write_run(Path(name), each, Origin(inputs=each.inputs))
        line += [f"--{arm}", *names]
    return line


def stepped() -> Path:
    """A history of thirty days, from the nineteenth on slower by a tenth."""
    wobble = [0.99, 1.0, 1.02, 1.01, 0.98]
    lines = [
        {
            "time": f"2026-09-{day + 1:02}T03:00:00Z",
            "commit": f"c{day:03}",
            "p99(addBlock)": f"{0.0021 * wobble[day % 5] * (1 if day < 18 else 1.1):.6g}",
            "errors": "0",
        }
        for day in range(30)
    ]
    path = Path("runs.csv")
    path.write_text(lines_text(lines))
    return path


def stand_in(text: str = STAND_IN) -> None:
    """A program on the PATH that answers as Otava does."""
    Path("bin").mkdir()
    program = Path("bin/otava")
    program.write_text(text)
    program.chmod(0o755)


def test_a_line_and_a_comment_for_each_comparison(capsys: Out) -> None:
    """The exit code is the comparison's; both files may be written again, and the history grows."""
    line = [*words(), "--history", "runs.csv", "--markdown", "comment.md"]
    assert run([*line, "--tag", "abc"]) == 3
    assert Path("runs.csv").stat().st_mode & 0o777 == 0o644
    Path("runs.csv").chmod(0o664)
    assert run(line) == 3
    assert Path("runs.csv").stat().st_mode & 0o777 == 0o664
    head, first, second = Path("runs.csv").read_text().splitlines()
    assert head.startswith("time,commit,mean,mean / baseline,")
    assert first.startswith("1970-01-01T07:00:00Z,abc,")
    assert second.startswith("1970-01-01T07:00:00Z,,")
    assert "### Is the candidate slower? Yes, it is worse" in Path("comment.md").read_text()
    Path("comment.md").write_text(Path("comment.md").read_text() + "mine\n")
    assert run(line) == 1
    assert "Added to runs.csv" in capsys.readouterr().out


def test_too_few_runs_add_no_line(capsys: Out) -> None:
    """Nothing was compared; that is noted."""
    assert run([*words(runs=2), "--history", "runs.csv"]) == 0
    assert not Path("runs.csv").exists()
    assert "Nothing was compared, so runs.csv has no line of it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--tag", "x"], "--tag: is for a history"),
        (["--history", "other.txt"], "is no history"),
        (["--history", "b0"], "b0"),
        (["--markdown", "other.txt"], "other.txt: is not replaced"),
        (["--markdown", "x", "--history", "x"], "is the place of two outputs"),
    ],
)
def test_what_is_refused(flags: list[str], said: str, capsys: Out) -> None:
    """With one clear error, before anything is written."""
    Path("other.txt").write_text("a person's work\n")
    assert run([*words(runs=3), *flags]) in {1, 2}
    assert said in capsys.readouterr().err
    assert Path("other.txt").read_text() == "a person's work\n"


def test_change_points_are_named(capsys: Out) -> None:
    """In Froude's words, by a stand-in for the program; as one document, too."""
    stand_in()
    stepped()
    assert run(["compare", "--history", "runs.csv"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith(
        "1 change point in 30 lines, 2 columns p99(addBlock) is worse from c018 (2026-09-19T03:00:00Z)"
    )
    assert out.endswith("since (+10.0 %)") or "since (+" in out
    assert run(["compare", "--history", "runs.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["change_points"][0]["commit"] == "c018"
    assert run(["compare", "--history", "runs.csv", "--dry-run"]) == 0


def test_a_program_that_does_not_answer(capsys: Out) -> None:
    """Its last line is shown: Otava ends with 0 all the same."""
    stand_in("#!/bin/sh\necho 'ERROR: Column not found' >&2\n")
    stepped()
    assert run(["compare", "--history", "runs.csv"]) == 1
    err = " ".join(capsys.readouterr().err.split())
    assert "gave no answer that can be read; found no answer on p99(addBlock): ERROR: Column not found" in err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--history nosuch.csv", "there is no history"),
        ("--history runs.csv", "`python3 -m venv otava`, `otava/bin/pip install apache-otava`"),
        ("--history short.csv", "is too short for change points; found 1 line"),
        ("--history runs.csv --markdown x", "--markdown: is of a comparison"),
        ("--history runs.csv --time-limit 5min", "--time-limit: is of a comparison"),
    ],
)
def test_what_change_points_need(line: str, said: str, capsys: Out) -> None:
    """A history that is long enough, and the program, which is installed in an environment of its own."""
    text = stepped().read_text()
    Path("short.csv").write_text("".join(text.splitlines(keepends=True)[:2]))
    assert run(["compare", *line.split()]) in {1, 2}
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.fixture
def otava(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real program."""
    if OTAVA is None:
        pytest.skip(f"Apache Otava is not installed: neither ${PROGRAM} nor otava on the PATH")
    monkeypatch.setenv(PROGRAM, OTAVA)


@pytest.mark.usefixtures("otava")
def test_the_real_program_names_the_step(capsys: Out) -> None:
    """At the commit with which it came, and none in what stays the same."""
    stepped()
    assert run(["compare", "--history", "runs.csv", "--json"]) == 0
    (point,) = json.loads(capsys.readouterr().out)["change_points"]
    assert (point["measure"], point["commit"]) == ("p99(addBlock)", "c018")
    assert 0.09 < point["change"] < 0.11
