"""Replicas that lie somewhere already."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.harvest.place.existing import ABSENT, Existing, as_placed, broken, by_block, existing, known_of
from froude.harvest.place.layout import Layout, layout_at
from froude.harvest.place.policies import ATTRIBUTES, Attribute, preset
from froude.harvest.telemetry.datacenter import Reimages
from tests.support.harvest.datacenters import made
from tests.support.harvest.place.layouts import layouts, nine

ADDRESSES = tuple("abcdef")


def laid(*blocks: tuple[int, ...], layout: Layout | None = None) -> Existing:
    """Blocks on the servers of nine tenants, of one server each."""
    width = max(map(len, blocks))
    rows = [[*block, *(-1,) * (width - len(block))] for block in blocks]
    layout = layout or nine(1)
    every = np.arange(layout.servers, dtype=np.int32)
    return existing(layout, [str(n) for n in every], every, np.array(rows, np.int32))


def counts(found: Existing) -> dict[str, tuple[int, int]]:
    """Blocks and replicas by attribute."""
    return {each.attribute.value: (each.blocks, each.replicas) for each in broken(found)}


def test_each_constraint_by_itself() -> None:
    """Servers 0 to 8 in rows of three: a diagonal breaks nothing, a row breaks rows, twice one server all."""
    assert counts(laid((0, 4, 8))) == {each.value: (0, 0) for each in ATTRIBUTES}
    assert counts(laid((0, 1, 2), (0, 3, 8))) == {
        "environment": (0, 0), "rack": (0, 0), "peak_row": (1, 2), "reimage_column": (1, 1),
    }  # fmt: skip
    assert counts(laid((5, 5)))["environment"] == (1, 1)


def test_rows_are_free_again_after_three() -> None:
    """Of four replicas one row may hold two, never three; a block of one breaks nothing."""
    assert counts(laid((0, 4, 8, 1), (3,)))["peak_row"] == (0, 0)
    assert counts(laid((0, 1, 2, 8)))["peak_row"] == (1, 1)


def test_a_datanode_of_no_server_is_one_of_its_own() -> None:
    """It shares nothing with anybody."""
    server = np.array([0, 4, -1, -1], np.int32)
    found = existing(nine(1), ADDRESSES[:4], server, np.array([[0, 2, 3], [1, 1, -1]], np.int32))
    assert found.unknown == ("c", "d")
    assert found.replicas.tolist() == [[0, 9, 10], [4, 4, ABSENT]]
    assert found.layout.servers == 11
    assert counts(found)["environment"] == (1, 1)


def test_what_nobody_knows_is_not_judged() -> None:
    """Of DataNodes without a server, servers without a rack, tenants without samples, times without reimages."""
    server = np.array([0, 1, -1, -1], np.int32)
    placed = np.array([[0, 2, 3], [0, 1, 2]], np.int32)
    found = existing(nine(1), ADDRESSES[:4], server, placed)
    assert counts(found)["peak_row"] == (1, 1)  # servers 0 and 1
    assert counts(found)["reimage_column"] == (0, 0)
    assert [each.judged for each in broken(found)] == [0.5] * 4

    measured = np.full((2, 24), 0.5)
    measured[1] = np.nan
    datacenter = replace(made(measured, servers=2), server_rack=np.array([0, 0, 0, -1], np.int32))
    known = known_of(datacenter, 86400.0)
    assert {each.value: mask.tolist() for each, mask in known.items()} == {
        "environment": [True] * 4,
        "rack": [True, True, True, False],
        "peak_row": [True, True, False, False],
        "reimage_column": [False] * 4,
    }
    wiped = replace(datacenter, reimages=Reimages(np.array([0], np.int32), np.array([3600.0])))
    assert known_of(wiped, 86400.0)[Attribute.REIMAGE_COLUMN].all()
    assert not known_of(wiped, 3600.0)[Attribute.REIMAGE_COLUMN].any()

    columns = layout_at(datacenter, 86400.0)
    every = np.arange(4, dtype=np.int32)
    same = existing(columns, ADDRESSES[:4], every, np.array([[0, 1, 2, 3]], np.int32), known)
    assert counts(same) == {
        "environment": (1, 2), "rack": (1, 2), "peak_row": (0, 0), "reimage_column": (0, 0),
    }  # fmt: skip


def test_nodes_by_block() -> None:
    """From lists a node; a block of fewer replicas is filled up."""
    ids = np.array([7, 9, 7, 5, 7], np.int64)
    node = np.array([0, 0, 1, 2, 2], np.int32)
    assert by_block(ids, node).tolist() == [[2, -1, -1], [0, 1, 2], [0, -1, -1]]


def test_they_take_their_space() -> None:
    """A server that holds more than its share is full, but for what is wiped."""
    placed = as_placed(laid((0, 4, 8), (0, 4)), preset("environment"), 0.5)
    assert placed.targets.free[0] == 0
    assert placed.targets.free[1] == 1
    assert placed.replicas.tolist() == [[0, 4, 8], [0, 4, ABSENT]]


@given(layouts(), st.integers(1, 4), st.integers(0, 99))
def test_what_a_hard_policy_placed_breaks_nothing(layout: Layout, replicas: int, seed: int) -> None:
    """The count and the placement agree on every constraint."""
    from froude.harvest.place.bulk import place_blocks

    capacity = np.full(layout.servers, 20, np.int32)
    made = place_blocks(layout, preset("history"), capacity, 30, replicas, np.random.default_rng(seed))
    whole = made.replicas[made.replicas[:, 0] >= 0]
    found = broken(Existing(whole, layout))
    wrong = {each.attribute: each.blocks for each in found if each.attribute is not Attribute.RACK}
    assert set(wrong.values()) == {0}


@pytest.mark.parametrize("fill", [0.2, 1.0])
def test_nothing_lies_on_a_server_without_room(fill: float) -> None:
    """Whatever the fill level."""
    placed = as_placed(laid(*[(0, 4, 8)] * 50), preset("stock"), fill)
    assert min(np.asarray(placed.targets.free)) >= 0
