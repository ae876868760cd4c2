"""What a play refuses before anything is sent."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from froude.base.errors import InputError, TargetError
from froude.experiment.play import play
from froude.hadoop.distribution import Hadoop
from froude.workload.plan import Plan, Refusal
from tests.emulation.plans import plan


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (replace(plan(), refusals=(Refusal("'files' never varied"),)), "cannot be played.*never varied"),
        (plan(datanodes=0, clients=0), "no nodes"),
        (plan(clients=0), "never end"),
    ],
)
def test_plans_that_cannot_be_played(made: Plan, message: str) -> None:
    """A refused, an empty and an endless plan are one clear error each."""
    with pytest.raises(InputError, match=message):
        play(made, "hdfs://127.0.0.1:1")


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
