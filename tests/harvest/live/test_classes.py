"""Classes of servers, with names that last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.base.seeds import Seeds
from froude.harvest.classify.classes import Grouping, classify
from froude.harvest.live.classes import Classes, KnownClass, classes_of, rooms_of
from froude.harvest.live.types import ClusterState, Node, Resource
from froude.harvest.telemetry.datacenter import Datacenter
from froude.harvest.telemetry.profiles import Pattern
from tests.support.harvest.datacenters import made

GROUPING = Grouping(classes={Pattern.PERIODIC: 3, Pattern.CONSTANT: 3, Pattern.UNPREDICTABLE: 3})


def flat(*levels: float) -> Datacenter:
    """Constant tenants, a server each."""
    return made(np.array([np.full(48, level) for level in levels]))


def named(*levels: float, before: Classes | None = None) -> Classes:
    """Their classes."""
    datacenter = flat(*levels)
    return classes_of(datacenter, classify(datacenter, Seeds(1), GROUPING), before)


def test_a_class_keeps_its_name_where_most_of_its_servers_stay() -> None:
    """Although its average is now the largest; one without servers of before gets a number that nobody had."""
    first = named(0.1, 0.1, 0.5, 0.9)
    assert first.of_server == {
        "s0": "constant-01",
        "s1": "constant-01",
        "s2": "constant-02",
        "s3": "constant-03",
    }
    moved = named(0.95, 0.95, 0.5, 0.9, before=first)
    assert {moved.of_server[server] for server in ("s0", "s1")} == {"constant-01"}
    assert [each.name for each in moved.known] == ["constant-02", "constant-03", "constant-01"]
    split = named(0.1, 0.3, 0.5, 0.5, before=first)
    assert split.of_server["s2"] == split.of_server["s3"]
    assert split.of_server["s2"] in {"constant-02", "constant-03"}
    assert {split.of_server["s0"], split.of_server["s1"]} == {"constant-01", "constant-04"}


def test_a_node_is_called_as_its_server() -> None:
    """By host and port, or by host."""
    classes = Classes((), {"h": "a", "g:1": "b"})
    nodes = [
        Node(f"{host}:{port}", host, "RUNNING", Resource(memory_mb=1, vcores=1))
        for host, port in (("h", 1), ("g", 1), ("g", 2))
    ]
    assert [classes.of(node) for node in nodes] == ["a", "b", None]


def test_room_is_what_tenants_and_containers_leave() -> None:
    """Over running nodes; where a node tells nothing, its tenant uses the average of its class."""
    busy = Node(
        "h:1",
        "h",
        "RUNNING",
        Resource(memory_mb=4096, vcores=10),
        cpu_share=0.3,
        memory_used_mb=2000,
        machine_mb=10_000,
    )
    known = KnownClass("a", Pattern.CONSTANT, 0.2, 0.4)
    nodes = (
        replace(busy, allocated=Resource(memory_mb=1000, vcores=2)),
        Node(
            "g:1",
            "g",
            "RUNNING",
            Resource(memory_mb=2000, vcores=10),
            allocated=Resource(memory_mb=1000, vcores=0),
        ),
        replace(busy, id="x:1", host="x", state="LOST"),
    )
    classes = Classes((known, replace(known, name="b")), dict.fromkeys("hgx", "a"))
    a, b = rooms_of(classes, ClusterState("7", nodes, {}, None), {"g:1": Resource(memory_mb=4000, vcores=30)})
    assert (a.name, a.servers, a.average, a.peak) == ("a", 2, 0.2, 0.4)
    assert a.cores == 20
    assert a.current == pytest.approx((5 + 6) / 40)
    assert (a.memory_mb, a.memory) == (7000, pytest.approx(4000 / 14_000))
    assert (b.servers, b.current) == (0, 1.0)
