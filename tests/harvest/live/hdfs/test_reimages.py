"""Wipes, by two looks at a NameNode's DataNodes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.harvest.live.hdfs.datanodes import DataNode
from froude.harvest.live.hdfs.reimages import merged, read_seen, seen_text, wiped

NODES = tuple(DataNode(f"10.0.0.{n}", 9866, f"s{n}", f"u{n}", "", 1000, 500) for n in range(4))


def with_one(**other: object) -> tuple[DataNode, ...]:
    """The second one is otherwise."""
    return (NODES[0], replace(NODES[1], **other), *NODES[2:])


@pytest.mark.parametrize(
    ("now", "hosts"),
    [
        (NODES, []),
        (with_one(uuid="new", used=0), ["s1"]),
        (with_one(uuid="new"), ["s1"]),
        (with_one(used=20), ["s1"]),
        (with_one(used=100), []),
        (with_one(used=0, capacity=0), []),
        ((*NODES, replace(NODES[1], ip="10.0.0.9", uuid="u9")), []),
        (NODES[:1], []),
        (tuple(replace(node, used=0) for node in NODES), []),
        (tuple(replace(node, used=0, uuid=f"v{node.uuid}") for node in NODES), ["s0", "s1", "s2", "s3"]),
    ],
)
def test_what_is_a_wipe(now: tuple[DataNode, ...], hosts: list[str]) -> None:
    """A new uuid; all gone where others keep theirs. Not: some gone, a dead or a new one, files deleted everywhere."""
    assert [node.host for node in wiped(NODES, now)] == hosts


def test_little_that_is_gone_tells_nothing() -> None:
    """A disk that held nothing to speak of."""
    before = (replace(NODES[0], used=5), *NODES[1:])
    assert wiped(before, (replace(NODES[0], used=0), *NODES[1:])) == ()


def test_who_is_away_is_remembered_as_it_was() -> None:
    """So that a wipe while it was away is seen."""
    away = (NODES[0], replace(NODES[1], capacity=0, used=0))
    assert merged(NODES[:3], away) == NODES[:3]
    assert read_seen(seen_text(NODES), name="f") == NODES
    for wrong in (
        "",
        "{}",
        '{"froude": "datanodes-seen/2", "datanodes": []}',
        '{"froude": "datanodes-seen/1"}',
    ):
        with pytest.raises(InputError, match="f: is no record of DataNodes"):
            read_seen(wrong, name="f")
