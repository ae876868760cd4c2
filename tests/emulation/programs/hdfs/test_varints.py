"""Block reports encoded by whole columns."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.programs.hdfs.blocks import Block, Inventory, report_buffers
from froude.emulation.programs.hdfs.varints import varints
from tests.support.emulation.programs.block_reports import read_buffers

_NUMBERS = st.integers(0, 2**64 - 1)


@given(
    st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), _NUMBERS, _NUMBERS, st.integers(0, 4)), min_size=1)
)
def test_columns_read_back(rows: list[tuple[int, int, int, int]]) -> None:
    """Whatever the numbers are: each as it was, lengths by the bits that count."""
    ids, lengths, stamps, states = zip(*rows, strict=True)
    mask = (1 << 48) - 1
    data = varints(array("q", ids), array("Q", lengths), array("Q", stamps), bytes(states), length_mask=mask)
    expected = [Block(number, length & mask, stamp) for number, length, stamp, _ in rows]
    assert read_buffers([data]) == expected


def test_a_large_report_is_what_a_small_one_would_be() -> None:
    """Far more replicas than are encoded one by one."""
    blocks = [Block((1 << 30) + 3 * number, number << 20, 1001 + number) for number in range(70_000)]
    whole = b"".join(report_buffers(Inventory(blocks)))
    halves = [Inventory(blocks[start : start + 1000]) for start in range(0, len(blocks), 1000)]
    assert whole == b"".join(b"".join(report_buffers(half)) for half in halves)
