"""The set-up speaks at each step, is done once, and installs the versions that were tested."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tools import set_up

_ROOT = Path(__file__).parent.parent.parent
_NAME = re.compile(r"^[A-Za-z0-9._-]+")


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _pinned(kind: str) -> dict[str, str]:
    """What a lock file pins: package to the lines of its version and hashes."""
    text = (_ROOT / "requirements" / f"{kind}.lock").read_text()
    entries = re.split(r"\n(?=[A-Za-z0-9])", re.sub(r"(?m)^ +#.*\n", "", text))
    return {_plain(entry.partition("==")[0]): entry.strip() for entry in entries}


def test_what_runs_is_what_was_tested() -> None:
    """The lock file of the program has all that it depends on, in the versions of the tests' lock file."""
    run, dev = _pinned("run"), _pinned("dev")
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]
    needed = {_plain(match[0]) for each in project["dependencies"] if (match := _NAME.match(each))}
    assert needed <= set(run) <= set(dev)
    version = re.compile(r"==\S+")
    assert {name: version.search(text)[0] for name, text in run.items()} == {  # type: ignore[index]
        name: version.search(dev[name])[0]  # type: ignore[index]
        for name in run
    }


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """A folder with lock files, and the programs that would be run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements").mkdir()
    for kind in set_up.KINDS:
        (tmp_path / "requirements" / f"{kind}.lock").write_text("a==1\nb==2\n")
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / ".venv").mkdir()
    commands: list[tuple[str, ...]] = []

    def done(*command: str) -> str | None:
        commands.append(command)
        return None

    monkeypatch.setattr(set_up, "_done", done)
    monkeypatch.setattr("shutil.which", lambda _: None)
    return commands


def test_each_step_has_lines_and_is_done_once(
    project: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    """The tests' packages serve the program as well; a lock file that has changed is installed again."""
    set_up.set_up("run")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "1 of 3",
        "1 of 3",
        "2 of 3",
        "2 of 3",
        "3 of 3",
        "3 of 3",
    ]
    assert "2 of 3: 2 Python packages of requirements/run.lock ..." in lines
    assert any("-r requirements/run.lock" in " ".join(command) for command in project)
    project.clear()
    set_up.set_up("run")
    assert project == []
    for kind in ("run", "dev"):
        Path(f"requirements/{kind}.lock").write_text("a==2\n")
        set_up.set_up(kind)
        assert project
        project.clear()
    set_up.set_up("run")
    assert project == []


def test_a_step_that_fails_is_not_done(
    project: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends with the program's last lines, and is tried again the next time."""
    monkeypatch.setattr(set_up, "_done", lambda *_: "no network")
    with pytest.raises(SystemExit, match="no network"):
        set_up.set_up("run")
    assert "done in" not in capsys.readouterr().out.splitlines()[-1]
    assert not set_up.stamp("run").exists()
    assert project == []
