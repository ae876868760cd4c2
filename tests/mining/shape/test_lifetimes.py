"""Calls of real time that keep something open."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from froude.mining.read.knowledge import Role
from froude.mining.shape.lifetimes import never_due, opened_and_closed
from froude.mining.shape.segments import Loop
from froude.mining.shape.structure import MinedType
from froude.workload.types import Flow, Side, Which
from tests.support.mining.events import PROTOCOL


def of(*methods: str, program: str = "scripted") -> MinedType:
    """A type that makes these calls, the last one in a loop."""
    tokens: Sequence[object] = [(PROTOCOL, method, "") for method in methods]
    role = Role("client", program=program, emulated=program != "scripted")
    return MinedType("client", role, [], (*tokens[:-1], Loop(tuple(tokens[-1:]))))  # type: ignore[arg-type]


def test_a_type_that_opens_files_renews_its_lease() -> None:
    """Half of the limit after which the NameNode takes it away, by the name that the file was opened with last."""
    (lease,) = never_due(of("mkdirs", "create", "complete", "append"), [])
    assert (lease.call.id, lease.call.protocol, lease.call.method) == ("client.p1", PROTOCOL, "renewLease")
    assert (lease.every_s, lease.jitter_s) == (30.0, 0.0)
    assert (lease.opened_by, lease.closed_by) == (("client.c2", "client.c4"), ("client.c3",))
    assert lease.call.arguments == {"clientName": Flow("client.c2", Side.REQUEST, "clientName", Which.LAST)}


@pytest.mark.parametrize(
    ("mined", "recorded"),
    [
        pytest.param(of("mkdirs", "delete"), [], id="nothing is opened"),
        pytest.param(of("create", "complete"), ["renewLease"], id="it was recorded"),
        pytest.param(of("create", "complete", program="datanode"), [], id="a program knows by itself"),
    ],
)
def test_others_do_not(mined: MinedType, recorded: list[str]) -> None:
    """What was recorded stands as it was."""
    assert list(never_due(mined, recorded)) == []


def test_its_id_comes_behind_those_that_were_recorded() -> None:
    """No two calls have one."""
    (lease,) = never_due(of("create", "complete"), ["getDatanodeReport", "msync"])
    assert lease.call.id == "client.p3"


@pytest.mark.parametrize(
    ("method", "steps"),
    [("renewLease", (("client.c1",), ("client.c3",))), ("sendHeartbeat", ((), ()))],
)
def test_what_opens_and_closes(method: str, steps: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    """By the protocol; a beat that keeps nothing open has neither."""
    assert opened_and_closed(of("create", "addBlock", "complete"), method) == steps
    assert opened_and_closed(of("complete", "addBlock"), method) == ((), ())


def test_other_systems_may_have_calls_of_the_same_names() -> None:
    """A `create` of another protocol opens no file of HDFS."""
    tokens = [("kv.Store", method, "") for method in ("create", "complete")]
    mined = MinedType("client", Role("client"), [], tuple(tokens))
    assert list(never_due(mined, [])) == []
    assert opened_and_closed(mined, "renewLease") == ((), ())
