"""The supervisor falls with its starter until it has said what runs, and never after."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from froude.hadoop.cluster import supervisor
from froude.hadoop.cluster.background import STATE, Wanted
from froude.hadoop.cluster.daemons import REAPER
from froude.hadoop.cluster.state import Process, State
from froude.hadoop.cluster.supervisor import Leash
from tests.conftest import Gone

# The supervisor's own body around a stand-in for a cluster: one child under a reaper, as a daemon is.
_BODY = """
import os, signal, subprocess, sys
from pathlib import Path
from froude.hadoop.cluster import supervisor
from froude.hadoop.cluster.background import Wanted
from froude.hadoop.cluster.state import Process, State

def supervise(folder, wanted, leash, fronted):
    reaper = [sys.executable, "-I", "-S", sys.argv[2], str(os.getpid()), str(folder / "daemon.pid")]
    daemon = subprocess.Popen([*reaper, sys.executable, "-c", "import time; time.sleep(60)"])
    if sys.argv[3] != "starting":
        us = Process.of("supervisor", os.getpid())
        where = {"uri": "hdfs://h:1", "http": "http://h:2", "cluster_id": "CID", "block_pool_id": "BP"}
        state = State(supervisor=us, release="3.5.0", daemons=[us], **where)
        leash.let_go(folder / "state.json", state, tied=sys.argv[3] == "tied")
    while True:
        signal.pause()

supervisor.supervise = supervise
sys.exit(supervisor.run(Path(sys.argv[1]), Wanted()))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run folder."""
    release = tmp_path / "hadoop"
    release.mkdir()
    return release


def _supervisor(folder: Path, how: str) -> tuple[subprocess.Popen[bytes], psutil.Process]:
    """A supervisor and its daemon; `how` is `live` for one that has said what runs, or `tied`."""
    command = [sys.executable, "-c", _BODY, str(folder), str(REAPER), how]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    awaited = folder / ("daemon.pid" if how == "starting" else STATE)
    for path in (folder / "daemon.pid", awaited):
        while not path.exists():
            assert process.poll() is None
            time.sleep(0.01)
    return process, psutil.Process(int((folder / "daemon.pid").read_text()))


def _hang_up(process: subprocess.Popen[bytes]) -> None:
    """What the starter's death does."""
    assert process.stdin is not None
    process.stdin.close()


def test_it_falls_with_a_starter_that_dies_first(folder: Path, gone: Gone) -> None:
    """Nothing runs and nothing lies about: nobody could have known of it."""
    process, daemon = _supervisor(folder, "starting")
    _hang_up(process)
    process.wait(20)
    assert gone([daemon])
    assert not folder.exists()


def test_it_goes_on_once_it_has_said_what_runs(folder: Path, gone: Gone) -> None:
    """Then the starter may go, and SIGTERM ends it."""
    process, daemon = _supervisor(folder, "live")
    _hang_up(process)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    assert daemon.is_running()
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    assert gone([daemon])
    assert folder.exists()  # its ender removes it


def test_one_that_stays_tied_falls_with_its_starter(folder: Path, gone: Gone) -> None:
    """Also after it has said what runs."""
    process, daemon = _supervisor(folder, "tied")
    _hang_up(process)
    process.wait(20)
    assert gone([daemon])


def test_its_death_takes_the_daemons(folder: Path, gone: Gone) -> None:
    """Also by kill -9."""
    process, daemon = _supervisor(folder, "starting")
    process.kill()
    process.wait(20)
    _hang_up(process)
    assert gone([daemon])


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A starter's pipe: what the supervisor reads, what the starter holds."""
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)


def _state() -> State:
    us = Process.of("supervisor", os.getpid())
    return State(
        supervisor=us,
        release="3.5.0",
        uri="hdfs://h:1",
        http="http://h:2",
        cluster_id="CID",
        block_pool_id="BP",
        daemons=[us],
    )


def test_letting_go_writes_the_state(pipe: tuple[int, int], tmp_path: Path) -> None:
    """And the starter's end is then no matter."""
    leash = Leash(pipe[0])
    leash.let_go(tmp_path / STATE, _state())
    assert json.loads((tmp_path / STATE).read_text()) == json.loads(json.dumps(_state().plain()))
    os.close(pipe[1])
    leash.hold()
    time.sleep(0.05)
    assert not leash.broken


def test_nothing_is_said_once_the_starter_is_gone(pipe: tuple[int, int], tmp_path: Path) -> None:
    """A state that nobody waits for would be a cluster that nobody knows of."""
    os.close(pipe[1])
    leash = Leash(pipe[0])
    leash.broken = True
    with pytest.raises(SystemExit):
        leash.let_go(tmp_path / STATE, _state())
    assert list(tmp_path.iterdir()) == []


def test_what_is_wanted_passes_as_json() -> None:
    """From one process to the other and back."""
    wanted = Wanted(datanodes=5, fast=True, home="/opt/hadoop")
    assert Wanted(**json.loads(json.dumps(asdict(wanted)))) == wanted


def test_properties_reach_every_kind_of_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HDFS alone, with YARN, and a ResourceManager for emulated nodes."""
    made: list[tuple[str, object]] = []
    for name in ("Cluster", "YarnCluster", "ResourceManager"):
        monkeypatch.setattr(
            supervisor, name, lambda _, name=name, **options: made.append((name, options["conf"]))
        )
    hadoop: Any = None
    wanted = Wanted(properties={"a": "1"})
    supervisor._described(hadoop, wanted, tmp_path)
    supervisor._described(hadoop, replace(wanted, nodemanagers=1), tmp_path)
    supervisor._alone(hadoop, replace(wanted, resourcemanager=True), tmp_path)
    assert made == [(name, {"a": "1"}) for name in ("Cluster", "YarnCluster", "ResourceManager")]
