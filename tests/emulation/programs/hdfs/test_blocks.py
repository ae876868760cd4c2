"""Replicas and the buffers of a block report."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.programs.hdfs.blocks import CHUNK_BYTES, Block, Inventory, report_buffers
from tests.support.emulation.programs.block_reports import read_buffers

BLOCKS = st.builds(
    Block,
    st.integers(-(2**63), 2**63 - 1),
    st.integers(0, 2**48 - 1),
    st.integers(0, 2**63 - 1),
)


@given(st.lists(BLOCKS, max_size=60))
def test_buffers_hold_what_was_put_in(blocks: list[Block]) -> None:
    """A report reads back as the inventory it was made of, in ascending order of ids."""
    inventory = Inventory(blocks)
    last = {block.id: block for block in blocks}
    assert read_buffers(report_buffers(inventory)) == [last[i] for i in sorted(last)]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.integers(0, 99)), max_size=60))
def test_inventory_is_a_map(steps: list[tuple[bool, int, int]]) -> None:
    """Whatever is put and removed, an inventory agrees with a dict."""
    inventory, model = Inventory(), dict[int, Block]()
    for put, number, length in steps:
        if put:
            model[number] = Block(number, length, 1)
            inventory.put(model[number])
        else:
            assert inventory.remove(number) == model.pop(number, None)
        assert list(inventory) == [model[i] for i in sorted(model)]
        assert inventory.used_bytes == sum(block.length for block in model.values())


def test_many_blocks_are_cut_into_chunks() -> None:
    """Buffers have Hadoop's size, and a cut within a replica is no matter."""
    blocks = [Block(1_073_741_825 + i, 134_217_728, 1001 + i) for i in range(12_000)]
    buffers = report_buffers(Inventory(blocks))
    assert [len(buffer) for buffer in buffers[:-1]] == [CHUNK_BYTES] * (len(buffers) - 1)
    assert len(buffers) > 1
    assert read_buffers(buffers) == blocks


def test_torn_buffers_are_refused() -> None:
    """Buffers that end within a replica are no report."""
    with pytest.raises(ValueError, match="ends within a replica"):
        read_buffers([report_buffers(Inventory([Block(1, 2, 300)]))[0][:-2]])


def test_an_inventory_of_columns() -> None:
    """The same as one of the replicas, each put."""
    ids, lengths, stamps = array("q", [-7, 3, 9]), array("q", [1, 2, 3]), array("q", [4, 5, 6])
    inventory = Inventory.of_columns(memoryview(ids), memoryview(lengths), memoryview(stamps))
    assert list(inventory) == list(Inventory(map(Block, ids, lengths, stamps)))
    assert inventory.used_bytes == 6
