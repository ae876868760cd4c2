"""What the plug-in reads, and the table of racks without it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.harvest.live.hdfs.datanodes import DataNode
from froude.harvest.live.hdfs.placement_map import map_text, placed, rack_table, too_few
from froude.harvest.place.policies import constrained, preset
from tests.support.harvest.datacenters import made

NODES = tuple(DataNode(f"10.0.0.{n}", 9866, f"s{n}", f"u{n}", f"/r{n % 2}") for n in range(10))
LAB = made(np.linspace(0.1, 0.9, 9)[:, None] * np.ones((1, 48)))


def test_a_line_a_datanode_under_a_head() -> None:
    """Nine tenants of one server each fill nine classes; who is of no server is named apart."""
    found = placed(LAB, NODES)
    assert [node.host for node in found.unknown] == ["s9"]
    head, *lines = map_text(found, preset("history-soft"), {"10.0.0.4:9866"}).splitlines()
    assert head.split("\t") == [
        "froude-placement", "1", "3", "3", "tenant", "environment?", "peak_row?", "reimage_column?",
    ]  # fmt: skip
    fields = [line.split("\t") for line in lines]
    assert {tuple(each[2:4]) for each in fields} == {(str(r), str(c)) for r in range(3) for c in range(3)}
    assert [each[1] for each in fields] == ["idle"] * 4 + ["busy"] + ["idle"] * 4
    assert fields[3][4:] == ["e3", "/r1", "t3"]


def test_the_layout_is_that_of_the_datanodes() -> None:
    """Several DataNodes of one server, racks as the NameNode has them."""
    twice = (*NODES[:3], replace(NODES[1], port=9867))
    layout = placed(LAB, twice).layout
    assert layout.tenant.tolist() == [0, 1, 2, 1]
    assert layout.rack.tolist() == [0, 1, 0, 1]


def test_space_that_is_left_makes_classes() -> None:
    """A tenant with most of the space is a column by itself."""
    full = [replace(node, remaining=1000 if number == 8 else 1) for number, node in enumerate(NODES[:9])]
    column = placed(LAB, full).grid.column
    assert (column == column[8]).sum() == 1


def test_what_cannot_be_written() -> None:
    """A policy that is no set of constraints, a name with a tab in it, and DataNodes of another cluster."""
    found = placed(LAB, NODES)
    with pytest.raises(InputError, match="is none that the plug-in has; found stock"):
        map_text(found, preset("stock"))
    odd = placed(replace(LAB, tenants=["a\tb", *LAB.tenants[1:]]), NODES)
    with pytest.raises(InputError, match=r"10\.0\.0\.0:9866: cannot stand in a map; found 'a\\tb'"):
        map_text(odd, preset("history"))
    with pytest.raises(InputError, match="has no server that any DataNode is on"):
        placed(LAB, NODES[9:])


def test_environments_as_racks() -> None:
    """By address and host; names that a path cannot have are made plain, and stay apart."""
    odd = replace(LAB, environments=["a b", "a/b", *LAB.environments[2:]])
    lines = rack_table(placed(odd, NODES)).splitlines()
    assert lines[:4] == ["10.0.0.0 /a_b", "s0 /a_b", "10.0.0.1 /a_b.1", "s1 /a_b.1"]


@given(
    st.lists(st.sampled_from(["a b", "a_b", "a/b", "a_b.1", "a_b.2", "a_b.1.1", "default-rack"]), unique=True)
)
def test_no_two_environments_are_one_rack(names: list[str]) -> None:
    """However alike they are called; and none is that of DataNodes without one."""
    odd = replace(LAB, environments=[*names, *LAB.environments[len(names) :]])
    racks = {line.split()[1] for line in rack_table(placed(odd, NODES)).splitlines()}
    assert len(racks) == 9
    assert "/default-rack" not in racks


@pytest.mark.parametrize(
    ("policy", "replicas", "said"),
    [
        (preset("history"), 9, None),
        (preset("environment"), 10, "10 replicas must differ in environment, of which DataNodes have 9"),
        (preset("history-soft"), 10, None),
        (constrained(["rack"]), 3, "3 replicas must differ in rack, of which DataNodes have 2"),
    ],
)
def test_what_no_block_can_have(policy: object, replicas: int, said: str | None) -> None:
    """As far as numbers tell."""
    assert too_few(placed(LAB, NODES), policy, replicas) == said  # type: ignore[arg-type]
