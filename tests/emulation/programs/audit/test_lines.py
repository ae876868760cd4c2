"""The file of a log that is to be replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.scratch import Scratch
from froude.emulation.programs.audit.lines import REMOVAL, Client, Line, read_batches, read_head, write_lines

_TEXT = st.none() | st.text(max_size=5)
_LINES = st.builds(
    Line,
    st.floats(0, 1e6),
    st.integers(0, 2),
    st.text(max_size=5),
    _TEXT,
    st.lists(st.integers(0, 1 << 40), max_size=3),
    _TEXT,
    _TEXT,
    _TEXT,
    st.booleans(),
)
_CLIENTS = [Client("a"), Client("b", "root"), Client("c", None, "10.0.0.1")]


@given(st.lists(_LINES, max_size=20))
def test_what_is_written_is_read(lines: list[Line]) -> None:
    """Line by line, with how many each client has."""
    with Scratch("lines") as folder:
        path = folder / "lines.json"
        head = write_lines(path, _CLIENTS, lines)
        assert read_head(path) == head
        with path.open(encoding="utf-8") as file:
            assert [
                line._replace(locks=list(line.locks)) for batch in read_batches(file) for line in batch
            ] == lines
    assert head.lines == len(lines)
    assert sum(head.commands.values()) == sum(line.recorded is None for line in lines)
    assert head.lines_of == tuple(sum(line.client == number for line in lines) for number in range(3))
    assert head.lasts_s == (lines[-1].at_s if lines else 0)


@pytest.mark.parametrize("head", ["", "{}", "[]", json.dumps({"format": "replay/9"})])
def test_another_file_is_refused(head: str, tmp_path: Path) -> None:
    """With what was found."""
    (tmp_path / "lines.head.json").write_text(head)
    with pytest.raises(InputError, match=r"made ready|of another version"):
        read_head(tmp_path / "lines.json")


def test_a_line_in_rounds() -> None:
    """Over copies from the second one on; a removal is of rounds with a copy two before them."""
    same, once = Line(0.0, 0, "open", "/f"), Line(0.0, 0, "delete", "/i", copied=[])
    moved = Line(0.0, 0, "rename", "/a", dst="/b", copied=["/a~\0", "/b~\0"])
    removal = Line(0.0, 0, "delete", options=REMOVAL, copied=["/b~\1", None])
    assert [same.of_round(number) for number in (1, 2)] == [same, same]
    assert [once.of_round(number) for number in (1, 2)] == [once, None]
    assert moved.of_round(1) is moved
    assert (moved.of_round(12) or moved)[3:6:2] == ("/a~12", "/b~12")
    assert [line and line.src for line in map(removal.of_round, range(1, 6))] == [
        None,
        None,
        None,
        "/b~2",
        "/b~3",
    ]
