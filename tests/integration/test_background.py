"""`froude hadoop up` and `down`, for real: it goes on by itself, and ends as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from froude.base.units import Quantity
from froude.experiment.session import Hadoop
from froude.hadoop.metrics import jmx as metrics
from froude.trace.files import read_trace
from froude.trace.roles import seen
from tests.conftest import Gone

pytestmark = pytest.mark.integration


def _froude(workspace: Path, *words: str) -> Any:
    program = [sys.executable, "-c", "from froude.cli.app import main; main()"]
    command = [*program, "--json", "--workspace", str(workspace), "hadoop", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


@pytest.mark.usefixtures("hadoop")
def test_it_outlives_its_command_and_ends_as_a_whole(tmp_path: Path, gone: Gone) -> None:
    """Up, seen from another process, down: exactly what was started is gone, with its folder."""
    code, state = _froude(tmp_path, "up", "--datanodes", "1", "--replication", "1", "--fast")
    assert code == 0, state
    daemons = [psutil.Process(each["pid"]) for each in (*state["daemons"], state["supervisor"])]
    host, port = state["http"].removeprefix("http://").split(":")
    assert metrics.jmx((host, int(port)), "Hadoop:service=NameNode,name=FSNamesystemState")
    assert _froude(tmp_path, "show")[1]["running"]["cluster_id"] == state["cluster_id"]
    assert _froude(tmp_path, "up")[0] == 1
    assert _froude(tmp_path, "down")[0] == 0
    assert gone(daemons)
    assert not (tmp_path / "hadoop").exists()


@pytest.mark.usefixtures("hadoop")
def test_a_daemon_that_was_killed_is_named_and_the_rest_ends(tmp_path: Path, gone: Gone) -> None:
    """`show` states it, until `down` has ended what is left."""
    code, state = _froude(tmp_path, "up", "--datanodes", "1", "--replication", "1", "--fast")
    assert code == 0, state
    daemons = [psutil.Process(each["pid"]) for each in (*state["daemons"], state["supervisor"])]
    daemons[0].kill()
    assert gone(daemons[:1])
    code, found = _froude(tmp_path, "show")
    assert (code, list(found["ended"])) == (1, ["namenode"])
    assert _froude(tmp_path, "down")[0] == 0
    assert gone(daemons)
    assert not (tmp_path / "hadoop").exists()


@pytest.mark.usefixtures("hadoop")
def test_one_through_a_proxy_is_recorded_until_it_ends(tmp_path: Path) -> None:
    """Its shell speaks through the proxy, its DataNode registers through it, and `down` makes the Trace whole."""
    words = ["--datanodes", "1", "--replication", "1", "--fast", "--through-proxy", "--name", "t"]
    code, state = _froude(tmp_path, "up", *words)
    assert code == 0, state
    try:
        host, _, port = state["uri"].removeprefix("hdfs://").partition(":")
        assert f"{host}:{port}" not in [each["address"] for each in state["daemons"]]
        shell = [
            sys.executable,
            "-c",
            "from froude.cli.app import main; main()",
            "--workspace",
            str(tmp_path),
        ]
        shell += ["hadoop", "shell", "--"]
        subprocess.run([*shell, "-put", "-", "/file"], input=b"hello", check=True)
        assert subprocess.run([*shell, "-cat", "/file"], capture_output=True, check=True).stdout == b"hello"
        assert subprocess.run([*shell, "-ls", "/no"], capture_output=True, check=False).returncode == 1
    finally:
        code, ended = _froude(tmp_path, "down")
    assert (code, ended["ended"]["trace"]) == (0, state["trace"])
    trace = read_trace(state["trace"])
    assert seen(trace) == {"client": 3, "DataNode": 1}
    assert trace.meta.scale == {"datanodes": Quantity(1)}
    assert trace.incomplete is None


def test_what_does_not_come_up_says_why(hadoop: Hadoop, tmp_path: Path) -> None:
    """The daemon's own words reach the command that asked for it, and nothing is left running."""
    code, said = _froude(tmp_path, "up", "--heap", "1 MB")
    assert code == 1
    assert "heap" in said["error"]["message"]


def _up(workspace: Path) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-c", "from froude.cli.app import main; main()", "--workspace", str(workspace)]
    command = [*program, "hadoop", "up", "--datanodes", "1", "--replication", "1", "--fast"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _await(command: subprocess.Popen[bytes], workspace: Path, name: str) -> None:
    """Wait until a start has made a file."""
    while not (workspace / "hadoop" / name).exists():
        assert command.poll() is None
        time.sleep(0.005)


def _of(workspace: Path) -> list[psutil.Process]:
    """Every process whose command line names the workspace."""
    processes = psutil.process_iter(["cmdline"])
    return [each for each in processes if str(workspace) in " ".join(each.info["cmdline"] or ())]


_MOMENTS = ("supervisor.out", "starting.json", "run/namenode/namenode.pid", "run/datanode-0/datanode-0.pid")
"""Files in the order in which a start makes them."""


@pytest.mark.usefixtures("hadoop")
@pytest.mark.parametrize("moment", _MOMENTS)
def test_a_killed_start_leaves_nothing(tmp_path: Path, gone: Gone, moment: str) -> None:
    """Whenever kill -9 comes: no daemon, no supervisor, nothing to end."""
    command = _up(tmp_path)
    _await(command, tmp_path, moment)
    started = _of(tmp_path)
    command.kill()
    command.wait()
    assert gone(started)
    assert gone(_of(tmp_path))
    assert _froude(tmp_path, "down") == (0, {"ended": None})


@pytest.mark.usefixtures("hadoop")
def test_a_killed_supervisor_leaves_nothing(tmp_path: Path, gone: Gone) -> None:
    """Its daemons fall, and the command that waits for it says that it did not come up."""
    command = _up(tmp_path)
    _await(command, tmp_path, "run/namenode/namenode.pid")
    supervisor = json.loads((tmp_path / "hadoop" / "starting.json").read_text())
    started = [each for each in _of(tmp_path) if each.pid != command.pid]
    psutil.Process(supervisor["pid"]).kill()
    assert command.wait(60) == 1
    assert gone(started)
    assert gone(_of(tmp_path))


@pytest.mark.usefixtures("hadoop")
def test_down_ends_one_that_still_starts(tmp_path: Path, gone: Gone) -> None:
    """And the command that waits for it ends with an error, not with a traceback."""
    command = _up(tmp_path)
    _await(command, tmp_path, "run/namenode/namenode.pid")
    code, said = _froude(tmp_path, "down")
    assert (code, said["ended"]["name"]) == (0, "supervisor")
    assert command.wait(60) == 1
    assert gone(_of(tmp_path))
    assert not (tmp_path / "hadoop").exists()
