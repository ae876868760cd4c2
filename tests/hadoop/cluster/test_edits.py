"""Transactions around an image, of what the offline edits viewer writes; the viewer itself is run in `integration`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from froude.base.errors import InputError
from froude.hadoop.cluster import edits
from froude.hadoop.cluster.edits import Operation, around, read_xml, segments
from froude.hadoop.release.distribution import Hadoop

XML = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<EDITS>
  <EDITS_VERSION>-67</EDITS_VERSION>
  <RECORD><OPCODE>OP_START_LOG_SEGMENT</OPCODE><DATA><TXID>1</TXID></DATA></RECORD>
  <RECORD><OPCODE>OP_MKDIR</OPCODE><DATA><TXID>2</TXID><LENGTH>0</LENGTH><INODEID>16386</INODEID><PATH>/a b</PATH>
    <TIMESTAMP>1795167834218</TIMESTAMP><PERMISSION_STATUS><USERNAME>x</USERNAME></PERMISSION_STATUS></DATA></RECORD>
  <RECORD><OPCODE>OP_ADD</OPCODE><DATA><TXID>3</TXID><PATH>/f</PATH><MTIME>1795167834300</MTIME></DATA></RECORD>
  <RECORD><OPCODE>OP_TIMES</OPCODE><DATA><TXID>4</TXID><PATH>/f</PATH><MTIME>99</MTIME><ATIME>-1</ATIME></DATA></RECORD>
  <RECORD><OPCODE>OP_RENAME</OPCODE><DATA><TXID>5</TXID><SRC>/f</SRC><DST>/g</DST>
    <TIMESTAMP>1795167834400</TIMESTAMP></DATA></RECORD>
</EDITS>
"""


def operation(transaction: int, time_ms: int | None = None, code: str = "OP_MKDIR") -> Operation:
    """One."""
    return Operation(transaction, code, time_ms, (f"/{transaction}",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files of edits, and others."""
    current = tmp_path / "current"
    current.mkdir()
    for name in (
        f"edits_{1:019}-{4:019}",
        f"edits_{5:019}-{6:019}",
        f"edits_inprogress_{7:019}",
        "seen_txid",
    ):
        (current / name).touch()
    return tmp_path


@pytest.fixture
def viewed(monkeypatch: pytest.MonkeyPatch) -> dict[int, list[Operation]]:
    """What the viewer gives of each file, by its first transaction."""
    files: dict[int, list[Operation]] = {}

    def operations(path: Path, *_: Any) -> Iterator[Operation]:
        return iter(files[next(f.first for f in segments(path.parent) if f.path == path)])

    monkeypatch.setattr(edits, "operations", operations)
    return files


HADOOP = cast("Hadoop", None)


def test_what_the_viewer_writes(tmp_path: Path) -> None:
    """Times of operations, but not those that a client asked for; paths."""
    (tmp_path / "x").write_text(XML)
    assert list(read_xml(tmp_path / "x", tmp_path)) == [
        Operation(1, "OP_START_LOG_SEGMENT", None, ()),
        Operation(2, "OP_MKDIR", 1795167834218, ("/a b",)),
        Operation(3, "OP_ADD", 1795167834300, ("/f",)),
        Operation(4, "OP_TIMES", None, ("/f",)),
        Operation(5, "OP_RENAME", 1795167834400, ("/f", "/g")),
    ]


@pytest.mark.parametrize(
    "text", ["", "no XML", XML[:700], XML.replace("<TXID>3", "<TXID>x"), XML.replace("DATA>", "D>")]
)
def test_other_files(tmp_path: Path, text: str) -> None:
    """Are refused, also where that shows late."""
    (tmp_path / "x").write_text(text)
    with pytest.raises(InputError, match="is not what the offline edits viewer writes"):
        list(read_xml(tmp_path / "x", tmp_path))


def test_files_of_edits(folder: Path) -> None:
    """In their order; the one that is still written has no end."""
    found = [(each.first, each.last) for each in segments(folder)]
    assert found == [(1, 4), (5, 6), (7, None)]
    assert segments(folder / "current") == segments(folder)
    for other in (folder / "nothing", folder.parent):
        with pytest.raises(InputError):
            segments(other)


@pytest.mark.parametrize(
    ("transaction", "expected"),
    [(4, (4, 6, [5])), (3, (2, 4, [])), (6, (6, 9, [8])), (9, (9, None, []))],
)
def test_around_a_transaction(
    folder: Path,
    viewed: dict[int, list[Operation]],
    transaction: int,
    expected: tuple[int, int | None, list[int]],
) -> None:
    """The last with a time, the first behind of a later time, and those between, also across files."""
    viewed[1] = [
        operation(1, None, "OP_START_LOG_SEGMENT"),
        operation(2, 100),
        operation(3),
        operation(4, 200),
    ]
    viewed[5] = [operation(5, 200), operation(6, 300)]
    viewed[7] = [operation(7, None, "OP_START_LOG_SEGMENT"), operation(8), operation(9, 400)]
    found = around(folder, transaction, HADOOP)
    behind = [each.transaction for each in found.behind]
    assert (found.last.transaction, found.next and found.next.transaction, behind) == expected


def test_the_last_time_may_stand_in_an_earlier_file(folder: Path, viewed: dict[int, list[Operation]]) -> None:
    """Which is named."""
    viewed[1], viewed[5], viewed[7] = [operation(2, 100)], [operation(5), operation(6)], []
    found = around(folder, 6, HADOOP)
    assert (found.last.transaction, found.file) == (2, f"edits_{1:019}-{4:019}")


def test_edits_that_do_not_fit(folder: Path, viewed: dict[int, list[Operation]]) -> None:
    """Another NameNode's, or without any time."""
    (folder / "current" / f"edits_inprogress_{7:019}").unlink()
    with pytest.raises(InputError, match=r"found 7; allowed: 1 to 4, 5 to 6"):
        around(folder, 7, HADOOP)
    viewed[1], viewed[5] = [operation(1)], []
    with pytest.raises(InputError, match="has no transaction with a time"):
        around(folder, 5, HADOOP)
