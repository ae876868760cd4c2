"""What an import leaves out, by reason."""

from __future__ import annotations

import pickle

import pytest

from froude.base.dropped import MOST_REASONS, OTHER, Dropped
from froude.base.errors import InputError


def test_notes_give_each_reason_with_its_first_line() -> None:
    """Lines are counted by reason, the most frequent first, each with the first place and text."""
    dropped = Dropped()
    dropped.add("cut short", "load.csv:99")
    dropped.add("not a number in time", "load.csv:17", "abc")
    dropped.add("not a number in time", "load.csv:19", "x", count=2)
    assert dropped.notes() == [
        "3 lines left out: not a number in time, first at load.csv:17 ('abc')",
        "1 line left out: cut short, first at load.csv:99",
    ]
    assert (dropped.total, dropped.counts()) == (4, {"not a number in time": 3, "cut short": 1})


def test_parts_of_an_import_are_merged_in_their_order() -> None:
    """The first place of a reason is that of the first part that has it, also from another process."""
    first, second = Dropped(), Dropped()
    first.add("a", "f:1", count=2)
    second.add("a", "f:7")
    second.add("b", "f:8", "text")
    first += pickle.loads(pickle.dumps(second))
    assert first.notes() == [
        "3 lines left out: a, first at f:1",
        "1 line left out: b, first at f:8 ('text')",
    ]


def test_memory_is_bounded() -> None:
    """Reasons beyond the most are counted together, and long texts are shortened."""
    dropped = Dropped()
    for number in range(100):
        dropped.add(f"reason {number}", f"f:{number}", "x" * 10_000)
    assert len(dropped.notes()) == MOST_REASONS
    assert (dropped.total, dropped.counts()[OTHER]) == (100, 100 - MOST_REASONS + 1)
    assert max(map(len, dropped.notes())) < 200


@pytest.mark.parametrize(
    ("lines", "of", "strict", "refused"),
    [(0, 0, True, False), (1, 100, True, True), (10, 100, False, False), (11, 100, False, True)],
)
def test_one_tolerance(lines: int, of: int, strict: bool, refused: bool) -> None:
    """A tenth of the lines may be left out; with --strict, none."""
    dropped = Dropped()
    if lines:
        dropped.add("not a number", "load.csv:3", "abc", count=lines)
    if not refused:
        dropped.refuse("load.csv", of, strict=strict)
        return
    with pytest.raises(InputError, match=r"load\.csv: cannot be read in .* first at load\.csv:3 \('abc'\)"):
        dropped.refuse("load.csv", of, strict=strict)
