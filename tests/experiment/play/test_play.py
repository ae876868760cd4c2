"""What a play refuses before anything is sent, and how it keeps its Run."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from froude.base.errors import InputError, TargetError
from froude.documents.artifact import Origin
from froude.emulation.engine import Status
from froude.emulation.facts import facts_of
from froude.emulation.run.bottleneck import Load
from froude.emulation.run.files import read_run
from froude.emulation.settings import Mode, Record, Turnover
from froude.experiment.play import play as play_module
from froude.experiment.play.play import play
from froude.experiment.scenario.options import PlayOptions, Running
from froude.hadoop.release.distribution import Hadoop
from froude.trace.files import read_trace
from froude.workload.plan import Plan, Refusal
from froude.workload.scale import Count
from froude.workload.types import CallTemplate, NodeType
from testbed.plans import plan
from tests.support.old_forms import run as a_run
from tests.support.trace.making import small_trace


@pytest.mark.parametrize(
    ("planned", "message"),
    [
        (replace(plan(), refusals=(Refusal("'files' never varied"),)), "cannot be played.*never varied"),
        (plan(datanodes=0, clients=0), "no nodes"),
        (plan(clients=0), "plan: "),
    ],
)
def test_plans_that_cannot_be_played(planned: Plan, message: str) -> None:
    """A refused, an empty and an endless plan are one clear error each."""
    with pytest.raises(InputError, match=message):
        play(planned, "hdfs://127.0.0.1:1")


def test_a_target_that_is_not_there(hadoop: Hadoop) -> None:
    """Who a target is must be known before anything else is sent."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(TargetError, match=f"127.0.0.1:{port}"):
        play(plan(), f"hdfs://127.0.0.1:{port}", schema=hadoop.schema())


def test_a_limit_about_a_method_that_is_never_called() -> None:
    """It is named, with those that there are."""
    with pytest.raises(InputError, match=r"found nosuch; allowed: addBlock, .*sendHeartbeat"):
        play(plan(), "hdfs://127.0.0.1:1", PlayOptions(limits=("p99(nosuch) < 1 s",)))
    with pytest.raises(InputError, match=r"found sendHeartbeat; allowed: addBlock, complete, create"):
        play(plan(datanodes=0), "hdfs://127.0.0.1:1", PlayOptions(limits=("p99(sendHeartbeat) < 1 s",)))


def test_a_run_is_kept_with_its_trace_and_nothing_beside_it_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even a hidden folder that somebody named after the run."""
    notes = tmp_path / ".run.trace" / "notes.txt"
    notes.parent.mkdir()
    notes.write_text("mine")
    monkeypatch.setattr(play_module, "trace_of", lambda *_: small_trace())
    job = SimpleNamespace(spool=tmp_path, record=Record.FULL)
    play_module._keep(a_run(), cast("Any", None), cast("Any", job), tmp_path / "run", Origin())
    kept = read_run(tmp_path / "run")
    assert kept.trace == tmp_path / "run" / "trace"
    assert len(read_trace(kept.trace).calls) == len(small_trace().calls)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".run.trace", "run"]
    assert notes.read_text() == "mine"


def test_what_is_left_of_a_log_counts_from_when_its_clients_begin() -> None:
    """While a NameNode is in safe mode, nothing of the log is done."""
    said = iter(["The reported blocks 5 needs additional 4", ""])
    observed = SimpleNamespace(waits_for=lambda: next(said))
    reason = play_module._Reason(
        cast("Any", observed), cast("Any", SimpleNamespace(plan=SimpleNamespace(log=Path())))
    )
    statuses = [SimpleNamespace(load=SimpleNamespace(time_s=time_s)) for time_s in (0.0, 1.0, 2.5, 9.0)]
    assert [bool(reason.at(cast("Any", status))) for status in statuses] == [True, True, False, False]
    assert reason.waited_s == 1.0


def test_a_plan_that_calls_yarn_needs_its_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of HDFS are asked for where a plan calls nothing else."""
    asked = []

    def schema(of: str) -> object:
        return SimpleNamespace(subset=lambda protocols, messages: asked.append(of))

    hdfs = SimpleNamespace(schema=lambda: schema("hdfs"))
    monkeypatch.setattr(play_module.Hadoop, "find", lambda: hdfs)
    monkeypatch.setattr(
        play_module.YarnJars, "find", lambda hadoop: SimpleNamespace(schema=lambda: schema("yarn"))
    )
    target = Running(address="127.0.0.1:8020")
    planned = plan(datanodes=1, clients=1, files=1)
    play_module._spoken(None, target, facts_of(planned), [""])
    asks = CallTemplate("master.c1", "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB", "allocate", {})
    master = NodeType("master", Count(1), (asks,))
    workload = replace(planned.workload, node_types=(*planned.workload.node_types, master))
    play_module._spoken(None, target, facts_of(replace(planned, workload=workload)), [""])
    assert asked == ["hdfs", "yarn"]


@pytest.mark.parametrize(
    ("mode", "ramping", "text"),
    [
        (Mode.ONCE, True, "ramp, 106 nodes, 7 calls/s"),
        (Mode.ONCE, False, "load, 7 calls/s"),
        (Mode.POPULATION, True, "warm-up, 102 clients begun, 7 calls/s"),
        (Mode.POPULATION, False, "measured, 102 clients begun, 7 calls/s"),
    ],
)
def test_a_line_of_progress(mode: Mode, text: str, *, ramping: bool) -> None:
    """Of a sustained load it shows the clients that have begun, without the DataNodes."""
    status = Status(Load(1.0, 0.1, 1, 106, 0), ramping, 7.0, 0.0, "", 0)
    job = SimpleNamespace(plan=plan(datanodes=4), settings=SimpleNamespace(turnover=Turnover(mode)))
    assert play_module._live(status, None, cast("Any", job)) == text
