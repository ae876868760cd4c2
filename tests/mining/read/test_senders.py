"""Senders and their roles."""

from __future__ import annotations

import pytest

from froude.mining.read.events import Recording
from froude.mining.read.senders import is_timely, role_of, senders_of
from froude.workload.scale import Scale
from testbed.synthetic import DATANODE, record
from tests.support.mining.events import event


@pytest.mark.parametrize(
    ("protocol", "context", "role"),
    [
        (DATANODE, None, "datanode"),
        ("org.apache.hadoop.yarn.server.api.ResourceTrackerPB", None, "nodemanager"),
        ("x.ClientProtocol", "mr_attempt_1_0001_m_000003_0", "map"),
        ("x.ClientProtocol", "mr_attempt_1_0001_r_000003_0", "reduce"),
        ("x.ClientProtocol", "mr_appmaster_appattempt_1_0001_000001", "appmaster"),
        ("x.ClientProtocol", "CLI", "shell"),
        ("x.ClientProtocol", None, "client"),
    ],
)
def test_roles(protocol: str, context: str | None, role: str) -> None:
    """By protocol or by what the sender calls itself."""
    assert role_of([event(0, "any", protocol=protocol, caller_context=context)]).name == role


def test_one_sender_a_process_with_its_calls_sorted() -> None:
    """Polls joined, heartbeats apart, everything else in the sequence."""
    run = record(datanodes=3, clients=2, dirs=2, files=2, blocks=2)
    senders, conventions = senders_of([run])
    assert len(senders) == 3 + 2 + 1
    assert {token[1] for token in conventions.polls} == {"complete"}
    node = next(sender for sender in senders if sender.role.name == "datanode")
    assert {call.token[1] for call in node.periodic} == {"sendHeartbeat"}
    assert len(node.calls) == len(node.own) + len(node.periodic)
    again, _ = senders_of([run], conventions)
    assert [sender.tokens for sender in again] == [sender.tokens for sender in senders]


def test_a_container_that_a_master_stops_is_a_matter_of_time() -> None:
    """Where others stop one it is a call as any."""
    master, other = "mr_appmaster_1795768550992_0001_000001", None
    events = [
        event(n, method, client=f"{context}", caller_context=context)
        for n, (context, method) in enumerate(
            (c, m) for c in (master, other) for m in ("mkdirs", "stopContainers")
        )
    ]
    senders, _ = senders_of([Recording(events, Scale.of(n=1))])
    assert [[call.token[1] for call in sender.own] for sender in senders] == [
        ["mkdirs"],
        ["mkdirs", "stopContainers"],
    ]
    assert [is_timely(each) for each in events] == [False, True, False, False]
