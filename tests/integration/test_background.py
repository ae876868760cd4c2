"""`froude hadoop up` and `down`, for real: it goes on by itself, and ends as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from froude.hadoop import metrics
from froude.hadoop.distribution import Hadoop
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


def test_what_does_not_come_up_says_why(hadoop: Hadoop, tmp_path: Path) -> None:
    """The daemon's own words reach the command that asked for it, and nothing is left running."""
    code, said = _froude(tmp_path, "up", "--heap", "1 MB")
    assert code == 1
    assert "heap" in said["error"]["message"]
