"""The action for builds: its shell lines, as the runner of a build executes them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from froude.documents.artifact import Origin
from froude.emulation.run.files import write_run
from tests.support.experiment import comparisons

_ACTION = Path(__file__).parents[1] / "action.yml"
_BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
STAND_IN = """#!/bin/bash
printf '%s\\n' "$@" > words
mkdir -p "$3"
echo '{"outcome": "$OUTCOME", "answer": "An answer."}' | sed "s/\\$OUTCOME/$OUTCOME/" > "$3/comparison.json"
echo '### title' > "$5"
exit $CODE
"""


def action() -> Any:
    """What the file has."""
    return yaml.safe_load(_ACTION.read_text())


def execute(folder: Path, program: Path, around: dict[str, str] | None = None, **inputs: str) -> int:
    """Execute the action's steps as a runner does, and give the code of the one that fails, or 0.

    Args:
        folder: where.
        program: a folder with `froude`.
        around: further variables.
        inputs: of the action, `_` for `-`; the others have their defaults.
    """
    found = action()
    values = {name: each["default"] for name, each in found["inputs"].items()}
    values |= {name.replace("_", "-"): value for name, value in inputs.items()}
    environment = {
        "PATH": f"{program}:{os.environ['PATH']}",
        "HOME": str(folder),
        "GITHUB_OUTPUT": str(folder / "out"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        **(around or {}),
    }
    for step in found["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
        given = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], value)
            for name, value in step["env"].items()
        }
        done = subprocess.run([*_BASH, step["run"]], cwd=folder, env=environment | given, check=False)
        if done.returncode:
            return done.returncode
    return 0


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with four runs of each of two arms, the candidate slower by a third, and a name with a space."""
    for arm, made in comparisons.arms(4, 1.3, spread=0.03).items():
        for number, each in enumerate(made):
            write_run(tmp_path / f"the {arm}" / str(number), each, Origin(inputs=each.inputs))
    return tmp_path


@pytest.mark.parametrize(("fail_on", "code"), [("worse", 3), ("never", 0)])
def test_a_real_comparison_of_runs(runs: Path, fail_on: str, code: int) -> None:
    """Verdict, comment, summary of the job and a line of the history; a worse candidate fails it where that is asked."""
    found = execute(
        runs,
        Path(sys.executable).parent,
        baseline="the baseline/*",
        candidate="the candidate/0\nthe candidate/1\nthe candidate/2\nthe candidate/3",
        margin="0.1",
        history="runs.csv",
        tag="abc; touch broken",
        fail_on=fail_on,
    )
    assert found == code
    outcome, answer = (runs / "out").read_text().splitlines()
    assert outcome == "outcome=worse"
    assert answer.startswith("answer=The candidate is slower: ")
    assert "### Is the candidate slower? Yes, it is worse" in (runs / "summary").read_text()
    assert (runs / "summary").read_text() == (runs / "froude-comparison.md").read_text()
    assert ",abc; touch broken," in (runs / "runs.csv").read_text()
    assert not (runs / "broken").exists()


@pytest.mark.parametrize(
    ("outcome", "froudes", "fail_on", "code"),
    [
        ("slower", 3, "undecided", 3),
        ("not enough runs to say", 0, "undecided", 3),
        ("undecided", 0, "undecided", 3),
        ("undecided", 3, "worse", 3),
        ("not enough runs to say", 0, "worse", 0),
        ("not enough runs to say", 3, "worse", 3),
        ("not enough runs to say", 3, "never", 0),
        ("faster", 0, "undecided", 0),
        ("no difference larger than the margin", 0, "worse", 0),
        ("slower", 1, "never", 1),
        ("slower", 130, "never", 130),
    ],
)
def test_a_duet(tmp_path: Path, outcome: str, froudes: int, fail_on: str, code: int) -> None:
    """A stand-in plays it; errors fail the job whatever is asked."""
    program = tmp_path / "bin"
    program.mkdir()
    (program / "froude").write_text(STAND_IN)
    (program / "froude").chmod(0o755)
    around = {"OUTCOME": outcome, "CODE": str(froudes)}
    assert (
        execute(tmp_path, program, around, scenario="a duet.yaml", time_limit="10 min", fail_on=fail_on)
        == code
    )
    words = (tmp_path / "words").read_text().splitlines()
    assert words[0] == "compare"
    assert words[-4:] == ["--duet", "a duet.yaml", "--time-limit", "10 min"]
    assert (tmp_path / "summary").exists() is (froudes in {0, 3})


def test_what_fails_a_job_is_one_of_three(tmp_path: Path) -> None:
    """Before anything is compared."""
    assert execute(tmp_path, Path(sys.executable).parent, fail_on="slower") == 2
    assert not (tmp_path / "out").exists()


def test_every_input_is_used() -> None:
    """By a step, as a variable."""
    found = action()
    used = {
        name
        for step in found["runs"]["steps"]
        for value in step["env"].values()
        for name in re.findall(r"inputs\.([\w-]+)", value)
    }
    assert used == set(found["inputs"])
