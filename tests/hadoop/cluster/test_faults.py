"""Faults of nodes: how they are said, and when they happen."""

from __future__ import annotations

import signal
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.cluster.faults import Fault, check_nodes, injected, parse_fault
from froude.workload.scale import Scale

FAULTS = st.builds(
    Fault,
    st.sampled_from(["datanode", "nodemanager"]),
    st.integers(0, 99),
    st.integers(1, 999).map(float),
    st.none() | st.integers(1, 999).map(float),
)


@given(FAULTS)
def test_a_fault_is_read_as_it_is_written(fault: Fault) -> None:
    """Killed or stopped, with any times."""
    assert parse_fault(str(fault)) == fault


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kill datanode after 20 s",
        "kill datanode 0 after 20",
        "kill datanode 0 after 20 s for 3 s",
        "stop datanode 0 after 20 s",
        "stop datanode 0 after 20 s for",
        "stop namenode 0 after 20 s for 3 s",
        "kill datanode 0 after -1 s",
    ],
)
def test_what_is_no_fault(text: str) -> None:
    """Said in one error."""
    with pytest.raises(InputError):
        parse_fault(text)


def test_a_node_must_be_there() -> None:
    """In every run."""
    check_nodes([Fault("datanode", 1, 1.0)], Scale.of(datanodes=2))
    with pytest.raises(InputError, match="is no datanode of datanodes=2; found 2; allowed: 0 to 1"):
        check_nodes([Fault("datanode", 2, 1.0)], Scale.of(datanodes=2))
    with pytest.raises(InputError, match=r"is no nodemanager of datanodes=2; found 0$"):
        check_nodes([Fault("nodemanager", 0, 1.0)], Scale.of(datanodes=2))


def test_faults_happen_and_what_stands_still_goes_on() -> None:
    """At the block's end at the latest, however long it was to stand."""
    said: list[tuple[int, str]] = []
    both = threading.Event()

    def send(pid: int, what: signal.Signals) -> None:
        said.append((pid, what.name))
        if len(said) == 2:
            both.set()

    faults = [Fault("datanode", 0, 0.001), Fault("nodemanager", 1, 0.001, 600.0)]
    pids = {"datanode-0": 7, "nodemanager-1": 8}
    with injected(faults, pids.__getitem__, send=send):
        assert both.wait(20)
    assert sorted(said[:2]) == [(7, "SIGKILL"), (8, "SIGSTOP")]
    assert said[2:] == [(8, "SIGCONT")]


def test_a_fault_that_never_came_is_an_error() -> None:
    """What was recorded is not what was asked for; an error of the block comes first."""
    said: list[object] = []
    faults = [Fault("datanode", 0, 600.0)]
    with (
        pytest.raises(InputError, match="never came: the command ended before; found kill datanode 0"),
        injected(faults, lambda _: 1, send=lambda *sent: said.append(sent)),
    ):
        pass
    with pytest.raises(KeyError), injected(faults, lambda _: 1, send=lambda *sent: said.append(sent)):
        raise KeyError
    assert said == []
