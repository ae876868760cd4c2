"""What a cluster decides before any daemon starts; the daemons are in `integration`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError, TargetError
from froude.experiment.session import Hadoop
from froude.hadoop.release import jvm


@pytest.fixture
def nothing() -> Hadoop:
    """A Hadoop that is never started."""
    return Hadoop("3.5.0", [], jvm.Java(Path("/java"), "17", 17, "PATH"), "folder")


@pytest.mark.parametrize("datanodes", [-1, 241])
def test_a_number_of_nodes_that_does_not_fit_is_refused(nothing: Hadoop, datanodes: int) -> None:
    """One loopback network has room for 240."""
    with pytest.raises(InputError, match="0 to 240"):
        nothing.cluster(datanodes=datanodes)


def test_what_was_not_started_says_so(nothing: Hadoop) -> None:
    """Rather than fail somewhere inside."""
    cluster = nothing.cluster()
    with pytest.raises(TargetError, match="was not started"):
        _ = cluster.uri
    cluster.stop()
