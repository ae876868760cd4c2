"""`froude clean`: the cache, part by part, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from froude.cli.app import run

Out = pytest.CaptureFixture[str]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With two parts, and a file of someone else."""
    for name in ("maven/org/a.jar", "classes/3.5.0.jsa", "notes.txt"):
        place = tmp_path / "cache" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(bytes(200_000))
    monkeypatch.setenv("FROUDE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_it_holds(cache: Path, capsys: Out) -> None:
    """Nothing is removed unless it is asked for."""
    assert run(["clean"]) == 0
    assert "maven    0.2  jars of Hadoop" in capsys.readouterr().out
    assert run(["clean", "--remove", "all", "--dry-run"]) == 0
    assert (cache / "maven/org/a.jar").exists()
    assert (cache / "classes").exists()


def test_a_part_is_removed(cache: Path, capsys: Out) -> None:
    """What is not of the cache stays."""
    assert run(["clean", "--remove", "classes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"] == ["classes"]
    assert sorted(path.name for path in cache.iterdir()) == ["maven", "notes.txt"]
    assert run(["clean", "--remove", "all"]) == 0
    assert [path.name for path in cache.iterdir()] == ["notes.txt"]


def test_what_is_refused(cache: Path, capsys: Out) -> None:
    """A part that is not known, and a cache that a process uses."""
    assert run(["clean", "--remove", "clasess"]) == 2
    assert "did you mean classes?" in capsys.readouterr().err
    with subprocess.Popen([sys.executable, "-c", "input()", str(cache)], stdin=subprocess.PIPE) as user:
        assert run(["clean", "--remove", "all"]) == 1
        assert f"is in use; found process {user.pid}" in capsys.readouterr().err
        assert user.stdin is not None
        user.stdin.write(b"\n")
    assert (cache / "maven").is_dir()
