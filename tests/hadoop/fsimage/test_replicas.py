"""Lists of replicas, mapped into memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from froude.base.errors import InputError
from froude.hadoop.fsimage.replicas import (
    COLUMNS,
    FINALIZED,
    STARTS,
    BlockLists,
    Replicas,
    fullest_storage,
    read_columns,
)


def _lay(folder: Path) -> None:
    """Two nodes of two storages: three replicas on the first storage of node 0, one on the second of node 1."""
    columns: dict[str, list[int]] = {
        "ids": [-16, 3, 9, 4],
        "stamps": [1, 2, 3, 4],
        "lengths": [10, 20, 30, 40],
        "states": [FINALIZED] * 4,
    }
    for name, kind in COLUMNS.items():
        np.save(folder / f"{name}.npy", np.array(columns[name], kind))
    np.save(folder / f"{STARTS}.npy", np.array([0, 3, 3, 3, 4], np.int64))


def test_what_lies_on_a_storage(tmp_path: Path) -> None:
    """By node and storage; views of whole columns."""
    _lay(tmp_path)
    lists = read_columns(tmp_path, 2)
    assert lists.nodes == 2
    assert lists.of(0).ids.tolist() == [-16, 3, 9]
    assert lists.of(0, 1).ids.tolist() == lists.of(1, 0).ids.tolist() == []
    assert lists.of(1, 1).lengths.tolist() == [40]
    assert not lists.of(1, 1).ids.flags.owndata


def test_the_fullest_storage(tmp_path: Path) -> None:
    """Those without replicas do not count, nor do lists without any."""
    _lay(tmp_path)
    assert fullest_storage(read_columns(tmp_path, 2)) == 60
    none = np.zeros(0, np.int64)
    nothing = BlockLists(np.zeros(3, np.int64), 1, Replicas(none, none, none, none.astype(np.uint8)))
    assert fullest_storage(nothing) == 0


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("ids", np.zeros(3)),
        ("ids", np.zeros(3, np.int64)),
        ("starts", np.zeros(2, np.int64)),
        ("states", np.zeros((2, 2), np.uint8)),
    ],
)
def test_columns_that_do_not_fit(tmp_path: Path, name: str, column: npt.NDArray[np.generic]) -> None:
    """Of another type, length or form; or no column at all."""
    _lay(tmp_path)
    np.save(tmp_path / f"{name}.npy", column)
    with pytest.raises(InputError):
        read_columns(tmp_path, 2)
    (tmp_path / f"{name}.npy").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"found This file contains pickled \(object\) data"):
        read_columns(tmp_path, 2)


@pytest.mark.parametrize("head", [b"{'descr': '<i8',, ", b"{'descr': '<i8', ((", b"\0" * 18])
def test_a_damaged_head_of_a_column(head: bytes, tmp_path: Path) -> None:
    """NumPy reads it as Python; whatever that says, it is an error of the file."""
    np.save(tmp_path / "starts.npy", np.zeros(2, np.int64))
    data = bytearray((tmp_path / "starts.npy").read_bytes())
    data[10 : 10 + len(head)] = head
    (tmp_path / "starts.npy").write_bytes(data)
    with pytest.raises(InputError, match="is no column of numbers"):
        read_columns(tmp_path, 1)
