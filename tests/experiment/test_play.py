"""What a play refuses before anything is sent, and how it keeps its Run."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from froude.base.errors import InputError, TargetError
from froude.emulation.recorder import Record
from froude.emulation.run_files import read_run
from froude.experiment import play as play_module
from froude.experiment.play import _admitted, play
from froude.hadoop.distribution import Hadoop
from froude.hadoop.identity import Identity
from froude.hadoop.target import Target
from froude.trace.files import read_trace
from froude.workload.plan import Plan, Refusal
from froude.workspace.artifact import Origin
from tests.emulation.plans import plan
from tests.old_forms import run as a_run
from tests.trace.making import small_trace


@pytest.mark.parametrize(
    ("planned", "message"),
    [
        (replace(plan(), refusals=(Refusal("'files' never varied"),)), "cannot be played.*never varied"),
        (plan(datanodes=0, clients=0), "no nodes"),
        (plan(clients=0), "never end"),
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


def test_a_duration_must_be_one() -> None:
    """Zero seconds are no play."""
    with pytest.raises(InputError, match="duration"):
        play(plan(), "hdfs://127.0.0.1:1", duration=0)


def test_a_server_that_cannot_be_asked_is_whose_the_other_one_on_its_host_is(
    hadoop: Hadoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler's port of a ResourceManager that said who it is; on another host it stays unknown."""
    monkeypatch.setattr(play_module, "ask_identity", lambda *_args, **_more: Identity("17@10.0.0.5:8032"))

    def admitted(service: str, address: str, typed: str | None, others: dict[str, Target]) -> Target:
        return _admitted(service, address, hadoop.schema(), typed=typed, plan=plan(), others=others)

    manager = admitted("resourcemanager", "10.0.0.5:8032", "17@10.0.0.5:8032", {})
    monkeypatch.undo()
    called = {"resourcemanager": manager}
    scheduler = admitted("resourcemanager-scheduler", "10.0.0.5:8030", None, called)
    assert (scheduler.address, scheduler.id) == ("10.0.0.5:8030", manager.id)
    with pytest.raises(TargetError, match=r"cannot tell who it is.*resourcemanager=10.0.0.6:PORT"):
        admitted("resourcemanager-scheduler", "10.0.0.6:8030", None, called)


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
