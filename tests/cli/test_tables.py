"""Tables as aligned text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.cli.tables import aligned

WORDS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=9)
ROWS = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(WORDS, min_size=width, max_size=width), min_size=1, max_size=6)
)


def test_words_stand_left_and_numbers_right() -> None:
    """Two spaces between columns, none behind a line."""
    rows = [("method", "calls", "ms"), ("create", "7", "12.5"), ("ls", "1,024", "3")]
    assert aligned(rows) == "method  calls    ms\ncreate      7  12.5\nls      1,024     3"


def test_several_columns_can_be_words() -> None:
    """The last of them does not leave spaces at the end of a line."""
    assert aligned([("a", "bbb"), ("ccc", "d")], words=2) == "a    bbb\nccc  d"


def test_a_last_column_of_sentences_stands_left() -> None:
    """With the numbers before it to the right."""
    rows = [("VM", "MB", "why"), ("a", "5", "it reads little"), ("b", "10", "a loop")]
    assert aligned(rows, prose=True) == "VM  MB  why\na    5  it reads little\nb   10  a loop"


@given(ROWS, st.integers(0, 5))
def test_every_cell_is_there_and_columns_line_up(rows: list[list[str]], words: int) -> None:
    """Split at its spaces, the text is the rows again; every row but for its end has the same length."""
    lines = aligned(rows, words=words).split("\n")
    assert [line.split() for line in lines] == rows
    ends = [
        line.rfind(row[-1]) + (len(row[-1]) if words < len(row) else 0)
        for line, row in zip(lines, rows, strict=True)
    ]
    assert len(set(ends)) == 1


def test_a_row_longer_than_the_head_is_a_mistake_of_the_caller() -> None:
    """No cell is dropped without a word."""
    with pytest.raises(ValueError, match="zip"):
        aligned([("a",), ("b", "c")])
