"""What is remembered of a background cluster, and that nothing else is ever ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from froude.base.errors import InputError
from froude.hadoop import background
from froude.hadoop.background import Process, State


def _remember(workspace: Path, supervisor: Process) -> Path:
    state = State(
        supervisor, "3.5.0", "hdfs://127.1.1.1:1", "http://127.1.1.1:2", "CID-1", "BP-1", [supervisor]
    )
    folder = background.folder_of(workspace)
    folder.mkdir(parents=True)
    (folder / "state.json").write_text(json.dumps(asdict(state)))
    return folder


def test_what_runs_is_read_from_the_workspace(tmp_path: Path) -> None:
    """With everything that a guard or a player wants to know of it."""
    _remember(tmp_path, Process.of("supervisor", os.getpid()))
    state = background.running(tmp_path)
    assert state is not None
    assert (state.cluster_id, state.daemons[0].pid) == ("CID-1", os.getpid())


def test_nothing_runs_where_nothing_was_started(tmp_path: Path) -> None:
    """And ending it is harmless."""
    assert background.running(tmp_path) is None
    assert background.stop(tmp_path) is None


def test_a_stranger_with_the_same_process_id_is_left_alone(tmp_path: Path) -> None:
    """The start time tells them apart; the stale note is cleared away."""
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        known = Process.of("supervisor", stranger.pid)
        folder = _remember(tmp_path, Process("supervisor", stranger.pid, known.started_s - 3600))
        assert background.running(tmp_path) is None
        assert background.stop(tmp_path) is None
        assert psutil.Process(stranger.pid).is_running()
        assert not folder.exists()
    finally:
        stranger.kill()
        stranger.wait()


def test_a_second_one_in_the_same_workspace_is_refused(tmp_path: Path) -> None:
    """With the way to end the first."""
    _remember(tmp_path, Process.of("supervisor", os.getpid()))
    with pytest.raises(InputError, match="froude hadoop down"):
        background.start(tmp_path, background.Wanted())


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"supervisor": {"pid": 1}}'])
def test_a_damaged_note_is_one_error(tmp_path: Path, text: str) -> None:
    """Which names the file."""
    folder = background.folder_of(tmp_path)
    folder.mkdir()
    (folder / "state.json").write_text(text)
    with pytest.raises(InputError, match=r"state\.json"):
        background.running(tmp_path)


def test_a_folder_that_is_no_clusters_is_spared(tmp_path: Path) -> None:
    """Somebody's own `hadoop` folder is refused, and what lies in it stays."""
    (tmp_path / "hadoop").mkdir()
    (tmp_path / "hadoop" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="in the way"):
        background.start(tmp_path, background.Wanted())
    assert (tmp_path / "hadoop" / "thesis.txt").read_text() == "years of work"


def test_an_interrupted_start_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the supervisor nor its folder."""

    def interrupted(_folder: Path, process: subprocess.Popen[bytes], _timeout_s: float) -> State:
        started.append(process)
        raise KeyboardInterrupt

    started: list[subprocess.Popen[bytes]] = []
    monkeypatch.setattr(background, "_await_start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        background.start(tmp_path, background.Wanted())
    assert started[0].poll() is not None
    assert list(tmp_path.iterdir()) == []
