"""The tables of what the miner is told about Hadoop."""

from __future__ import annotations

import re

import pytest

from froude.emulation.programs.registry import KINDS
from froude.hadoop.release.distribution import Hadoop
from froude.messages.schema import Schema
from froude.mining.read.knowledge import (
    BATCHES,
    FACTS,
    LIFETIMES,
    NAMING,
    REAL_TIME,
    ROLES,
    Batch,
    Role,
    fact_of,
)


@pytest.fixture(scope="module")
def schema(hadoop: Hadoop) -> Schema:
    """HDFS's protocols."""
    return hadoop.schema()


def test_every_program_of_a_role_can_be_played() -> None:
    """What mining writes into a workload is what a play knows."""
    kinds = {kind.name: kind for kind in KINDS}
    for role in ROLES:
        assert role.program in kinds
        assert not (role.emulated and role.program == "scripted")
        assert role.endless or not kinds[role.program].endless


def test_batches_are_those_of_the_protocol(schema: Schema) -> None:
    """The fields that a batch names are repeated ones of the request, and its kind a leaf of the inner one."""
    protocol = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"
    for method, batch in BATCHES.items():
        request = schema.method(protocol, method).request.DESCRIPTOR
        outer = request.fields_by_name[batch.outer]
        inner = outer.message_type.fields_by_name[batch.inner]
        assert outer.is_repeated
        assert inner.is_repeated
        assert batch.kind in inner.message_type.fields_by_name


def test_a_batchs_leaves_are_told_by_their_indices() -> None:
    """Outer and inner element, and what follows; a leaf of the outer element alone has no inner one."""
    pattern = Batch("blocks", "blocks", "status").pattern
    assert [match.groups() for path in ("blocks[2].blocks[13].status", "blocks[2].storageUuid")
            if (match := pattern.match(path))] == [("2", "13", ".status"), ("2", None, ".storageUuid")]  # fmt: skip
    assert pattern.match("others[2].blocks[1].status") is None


def test_methods_that_are_named_exist(schema: Schema) -> None:
    """Real-time calls and those that open and close: a name that Hadoop does not have would hint at nothing."""
    client = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
    for method, lifetime in LIFETIMES.items():
        assert method in REAL_TIME
        for name in (method, *lifetime.opens, *lifetime.closes):
            schema.method(client, name)


@pytest.mark.parametrize(
    ("path", "fact"),
    [
        ("registration.datanodeID.ipAddr", "address"),
        ("registration.datanodeID.datanodeUuid", "uuid"),
        ("reports[0].storage.storageUuid", "storage"),
        ("src", None),
    ],
)
def test_facts_of_a_machine_are_known_by_the_ends_of_their_paths(path: str, fact: str | None) -> None:
    """Whatever message they stand in."""
    assert fact_of(path) == fact


def test_every_fact_that_tells_machines_apart_has_a_path() -> None:
    """And every path's fact is one that a program can give."""
    assert {fact for _, fact in FACTS} >= NAMING


def test_a_role_is_known_by_a_protocol_or_a_context() -> None:
    """One of them, and the pattern compiles."""
    assert all(bool(role.protocol) != bool(role.context) for role in ROLES)
    assert all(re.compile(role.context) for role in ROLES)
    assert Role("client").program == "scripted"
