"""Lengths of the internal blocks of block groups."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.hadoop.fsimage.container import kind, open_image
from froude.hadoop.fsimage.sections import Reader
from froude.hadoop.fsimage.striping import SYSTEM, Scheme, scheme, schemes
from froude.messages.schema import Schema
from tests.support.hadoop.fsimage import images

MB = 1 << 20


@pytest.mark.parametrize(
    ("length", "lengths"),
    [
        (1, [1, 0, 0, 0, 0, 0, 1, 1, 1]),
        (MB + 5, [MB, 5, 0, 0, 0, 0, MB, MB, MB]),
        (6 * MB, [MB] * 9),
        (7 * MB + 3, [2 * MB, MB + 3, MB, MB, MB, MB, 2 * MB, 2 * MB, 2 * MB]),
    ],
)
def test_reed_solomon_6_3(length: int, lengths: list[int]) -> None:
    """Less than a cell, less than a row, a row, and the beginning of a second."""
    assert SYSTEM[1].lengths(np.asarray([length])).tolist() == [lengths]


def dealt(length: int, scheme: Scheme) -> list[int]:
    """The same, byte by byte."""
    data = [0] * scheme.data
    for byte in range(length):
        data[byte // scheme.cell_bytes % scheme.data] += 1
    return [*data, *[data[0]] * scheme.parity]


@given(st.lists(st.integers(0, 300), max_size=5), st.integers(1, 6), st.integers(0, 3), st.integers(1, 40))
def test_as_dealt_out(groups: list[int], data: int, parity: int, cell: int) -> None:
    """A cell to each data block in turn; every byte lies in one data block."""
    own = Scheme(data, parity, cell)
    assert own.lengths(np.asarray(groups, np.int64)).tolist() == [dealt(each, own) for each in groups]


def test_policies_of_an_image(schema: Schema, tmp_path: Path) -> None:
    """Its own are added to the system's; one that is unknown, or cannot be, leaves groups whole."""
    parts = images.sections(schema)
    for number, data in ((64, 3), (65, 14)):
        policy = parts["ERASURE_CODING"][0].policies.add(id=number, cellSize=4096)
        policy.schema.codecName, policy.schema.dataUnits, policy.schema.parityUnits = "rs", data, 3
    image = open_image(images.write(tmp_path / "i", schema, parts), schema)
    known = schemes(Reader(image, schema))
    assert known == {**SYSTEM, 64: Scheme(3, 3, 4096)}
    assert scheme(65, known).lengths(np.asarray([7])).tolist() == [[7]]
    assert kind(schema, "ErasureCodingSection")
