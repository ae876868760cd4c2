"""Plays by dask workers against a real NameNode."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from froude.documents.artifact import Origin
from froude.emulation.run.run import PLAYERS, WORKERS
from froude.emulation.settings import Record
from froude.experiment.play.play import play
from froude.experiment.scenario.options import Load, PlayOptions
from froude.experiment.scenario.shipped import FOLDER
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection, current_user
from froude.trace.files import read_trace
from froude.workload.extrapolate import extrapolate
from froude.workload.plan_file import write_plan
from froude.workload.scale import Scale
from froude.workload.yaml_file import read_workload
from testbed.plans import CLIENT, plan
from tests.support.integration.dask import dask_workers

pytestmark = [pytest.mark.integration, pytest.mark.long]


@pytest.fixture(scope="module")
def namenode(hadoop: Hadoop) -> Iterator[NameNode]:
    """One whose registrations are counted."""
    with hadoop.namenode(heap="512 MB", fast=True) as running:
        yield running


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[psutil.Process]]]:
    """A scheduler and two workers on loopback."""
    with dask_workers(tmp_path_factory.mktemp("dask"), 2) as running:
        yield running


def test_workers_play_as_this_machine_does(
    namenode: NameNode, workers: tuple[str, list[psutil.Process]], tmp_path: Path
) -> None:
    """Counts by method are those of one player here; the Trace has each call once."""
    planned, shown = plan(datanodes=10, clients=7, files=3), []
    for name, players, by in (("here", 1, 1), ("one", 1, workers[0]), ("two", None, workers[0])):
        options = PlayOptions(record=Record.FULL, check_counts=False, load=Load(players=players))
        run = play(planned, namenode, options, folder=tmp_path / name, workers=by)
        assert (run.failure, run.errors, dict(run.left_out)) == (None, {}, {})
        assert len(run.environment.get(WORKERS, "").split(", ")) == int(run.environment.get(PLAYERS, 1))
        assert (WORKERS in run.environment) is (name != "here")
        assert run.trace is not None
        trace = read_trace(run.trace)
        assert len(trace.calls) == sum(sent for sent, _ in run.tally.whole.counts.values())
        assert len({call.client_id for call in trace.calls}) == 17
        timed = {"sendHeartbeat", "complete", "blockReceivedAndDeleted"}
        shown.append({name: each for name, each in run.tally.whole.counts.items() if name not in timed})
        schema = namenode.hadoop.schema().subset([CLIENT])
        with Connection(*namenode.address, schema, CLIENT, user=current_user()) as connection:
            connection.call("delete", connection.message("delete", src="/play", recursive=True))
    assert shown[0] == shown[1] == shown[2]
    assert any("2 players on 1 machine" in remark for remark in run.remarks)


@pytest.mark.parametrize("end", ["interrupt", "player", "worker"])
def test_what_is_lost_is_stated_and_none_is_left(
    namenode: NameNode,
    workers: tuple[str, list[psutil.Process]],
    tmp_path: Path,
    gone: Callable[[Sequence[psutil.Process]], bool],
    end: str,
) -> None:
    """A killed player and a killed worker leave a partial Run within ten seconds; an interrupt a Run that says so."""
    workload = read_workload(FOLDER / "datanodes-workload.yaml")
    write_plan(tmp_path / "plan", extrapolate(workload, Scale.of(datanodes=20)), Origin())
    froude_here = str(Path(sys.executable).with_name("froude"))
    command = [froude_here, "--workers", workers[0], "--workspace", str(tmp_path)]
    target = ["--target", f"hdfs://{namenode.host}:{namenode.port}", "--target-is", namenode.cluster_id]
    words = [
        *command,
        "play",
        str(tmp_path / "plan"),
        *target,
        "--duration",
        "2min",
        "-o",
        str(tmp_path / "run"),
    ]
    before = namenode.rpc_counts().get("registerDatanode", 0)
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as froude:
        _until(
            lambda: (
                froude.poll() is not None or namenode.rpc_counts().get("registerDatanode", 0) >= before + 20
            )
        )
        players = [each for worker in workers[1] for each in worker.children()]
        begun_s = time.monotonic()
        if end == "interrupt":
            froude.send_signal(signal.SIGINT)
        else:
            (players[0] if end == "player" else workers[1][0]).kill()
        printed, _ = froude.communicate(timeout=60)
    assert time.monotonic() - begun_s < 10
    assert len(players) == 2
    assert gone(players)
    summary = json.loads((tmp_path / "run" / "run.json").read_text())
    assert summary["calls_in_ramp"] > 0
    if end == "interrupt":
        assert (froude.returncode, summary["interrupted"]) == (130, True)
    else:
        assert froude.returncode == 3
        assert printed.splitlines()[0].startswith("RED: partial, player ")
        assert summary["verdict"] == "red"


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)
