"""What is remembered of a background cluster, and that nothing else is ever ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from froude.base.errors import InputError, TargetError
from froude.hadoop.cluster import background
from froude.hadoop.cluster.state import Process, State
from tests.conftest import Gone


def _remember(workspace: Path, supervisor: Process) -> Path:
    state = State(
        supervisor=supervisor,
        release="3.5.0",
        uri="hdfs://127.1.1.1:1",
        http="http://127.1.1.1:2",
        cluster_id="CID-1",
        block_pool_id="BP-1",
        daemons=[supervisor],
    )
    folder = background.folder_of(workspace)
    folder.mkdir(parents=True)
    (folder / "state.json").write_text(json.dumps(state.plain()))
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


def test_another_process_with_the_same_process_id_is_left_alone(tmp_path: Path) -> None:
    """The start time tells them apart; the stale note is cleared away."""
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        known = Process.of("supervisor", other.pid)
        folder = _remember(
            tmp_path, Process(name="supervisor", pid=other.pid, started_s=known.started_s - 3600)
        )
        assert background.running(tmp_path) is None
        assert background.stop(tmp_path) is None
        assert psutil.Process(other.pid).is_running()
        assert not folder.exists()
    finally:
        other.kill()
        other.wait()


def test_a_second_one_in_the_same_workspace_is_refused(tmp_path: Path) -> None:
    """With the way to end the first."""
    _remember(tmp_path, Process.of("supervisor", os.getpid()))
    with pytest.raises(InputError, match="froude hadoop down"):
        background.start(tmp_path, background.Wanted())


def _starting(workspace: Path, supervisor: subprocess.Popen[bytes]) -> Path:
    folder = background.folder_of(workspace)
    folder.mkdir()
    (folder / "supervisor.out").touch()
    facts = Process.of("supervisor", supervisor.pid).plain()
    (folder / "starting.json").write_text(json.dumps(facts))
    return folder


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that stands for a supervisor."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield process
    process.kill()
    process.wait()


def test_one_on_its_way_up_is_not_started_over(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    """Its folder is spared, and the error says how to end it."""
    folder = _starting(tmp_path, sleeper)
    with pytest.raises(InputError, match=r"is being started here.*froude hadoop down"):
        background.start(tmp_path, background.Wanted())
    assert folder.exists()
    assert background.running(tmp_path) is None


def test_one_on_its_way_up_can_be_ended(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    """Exactly that process, with its folder."""
    folder = _starting(tmp_path, sleeper)
    ended = background.stop(tmp_path)
    assert isinstance(ended, Process)
    assert ended.pid == sleeper.pid
    assert not psutil.pid_exists(sleeper.pid)
    assert not folder.exists()


def test_what_was_ended_from_elsewhere_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`down` in one window while `up` waits in another: no traceback."""
    started: list[list[str]] = []
    real = subprocess.Popen

    def ended_at_once(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        started.append(command)
        body = f"import shutil; shutil.rmtree({str(background.folder_of(tmp_path))!r})"
        return real([sys.executable, "-c", body], **options)

    monkeypatch.setattr(subprocess, "Popen", ended_at_once)
    with pytest.raises(TargetError, match="ended from elsewhere"):
        background.start(tmp_path, background.Wanted())
    assert started[0][2] == "froude.hadoop.cluster.supervisor"


def test_an_empty_folder_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sleeper: subprocess.Popen[bytes]
) -> None:
    """As an `up` leaves that was killed after its first step; the supervisor is named at once."""
    folder = background.folder_of(tmp_path)
    folder.mkdir()
    expected = State(
        supervisor=Process.of("supervisor", os.getpid()),
        release="3.5.0",
        uri="hdfs://h:1",
        http="http://h:2",
        cluster_id="CID",
        block_pool_id="BP",
    )
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: sleeper)
    monkeypatch.setattr(background, "_await_start", lambda *_: expected)
    assert background.start(tmp_path, background.Wanted()) == expected
    assert json.loads((folder / "starting.json").read_text())["pid"] == sleeper.pid


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


def test_all_children_end(gone: Gone) -> None:
    """And theirs; with none there is nothing to do."""
    body = (
        "import subprocess, sys\n"
        "from froude.hadoop.cluster.background import end_children\n"
        "end_children()\n"
        "child = subprocess.Popen(['sh', '-c', 'setsid sleep 60 & echo $!; wait'], stdout=subprocess.PIPE)\n"
        "print(child.pid, int(child.stdout.readline()), flush=True)\n"
        "sys.stdin.readline()\n"
        "end_children()\n"
        "print(child.poll() is not None, flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", body], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    left = [psutil.Process(int(pid)) for pid in process.stdout.readline().split()]
    assert process.communicate("\n", timeout=30)[0].strip() == "True"
    assert len(left) == 2
    assert gone(left)


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
