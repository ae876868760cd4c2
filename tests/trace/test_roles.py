"""Who was seen in a Trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.trace.files import write_trace
from froude.trace.roles import advice, in_words, seen
from froude.trace.types import Trace
from testbed import wire
from tests.support.trace.making import META, echo

CLIENTS, DATANODES = "org.apache.hadoop.hdfs.protocol.ClientProtocol", "org.apache.hadoop.x.DatanodeProtocol"


def trace(*calls: tuple[bytes, int, str]) -> Trace:
    """Of calls with these client ids, connections and protocols."""
    calls = [echo(1.0, "x", client=c, connection=n, protocol=protocol) for c, n, protocol in calls]
    return Trace(META, wire.SCHEMA, calls)


def test_senders_are_counted_by_what_they_speak() -> None:
    """A process once, whatever its connections; one without an id by its connection; the first role counts."""
    senders = seen(
        trace(
            (b"a", 1, CLIENTS),
            (b"a", 2, CLIENTS),
            (b"b", 3, CLIENTS),
            (b"b", 3, DATANODES),
            (b"", 4, CLIENTS),
            (b"", 5, "x.Unheard"),
        )
    )
    assert senders == {"client": 2, "DataNode": 1, "other sender": 1}
    assert in_words(senders) == "2 clients, 1 DataNode, 1 other sender"


def test_a_folder_is_read_no_further_than_needed(tmp_path: Path) -> None:
    """With the same result."""
    write_trace(tmp_path / "t", trace((b"a", 1, wire.PROTOCOL)))
    assert seen(tmp_path / "t") == {"client": 0, "DataNode": 0, "other sender": 1}
    assert seen(trace()) == {"client": 0, "DataNode": 0}


@pytest.mark.parametrize(
    ("counts", "services", "said"),
    [
        ({"client": 12, "DataNode": 0}, ["namenode"], "dfs.namenode.servicerpc-address"),
        ({"client": 0, "DataNode": 3}, [""], "fs.defaultFS"),
        ({"client": 1, "DataNode": 1}, ["namenode"], None),
        ({"client": 0, "DataNode": 0}, ["resourcemanager"], None),
    ],
)
def test_who_is_missed_and_how_to_record_them(
    counts: dict[str, int], services: list[str], said: str | None
) -> None:
    """Of a NameNode only: a ResourceManager has no DataNodes."""
    words = advice(counts, services)
    assert (words is None) if said is None else (words is not None and said in words)


def test_who_starts_application_masters_is_the_resourcemanager() -> None:
    """It speaks to NodeManagers alone; an application master speaks to the scheduler, too."""
    containers, scheduler = "x.ContainerManagementProtocolPB", "x.ApplicationMasterProtocolPB"
    counted = seen(trace((b"a", 1, containers), (b"b", 2, containers), (b"b", 3, scheduler)))
    assert {counted.pop(name) for name in ("ResourceManager", "application master")} == {1}
    assert not any(counted.values())
