"""The locks of a log's lines keep operations in conflict in order, and nothing else waits."""

from __future__ import annotations

import random
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.programs.audit import conflicts
from froude.emulation.programs.audit.commands import command_of
from froude.emulation.programs.audit.conflicts import Folders, in_order
from froude.emulation.programs.audit.lines import Line
from froude.emulation.programs.audit.order import Order, Ordered

_PATHS = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=3).map(lambda names: "/" + "/".join(names))
_LINES = st.builds(
    lambda command, src, dst: Line(0.0, 0, command, src, dst=dst),
    command=st.sampled_from(["open", "delete", "rename", "listStatus", "setOwner", "fsck"]),
    src=_PATHS,
    dst=_PATHS,
)


def _lines(*texts: str) -> list[Line]:
    """`command path path`."""
    split = (text.split() for text in texts)
    return [Line(0.0, 0, words[0], words[1], dst=words[2] if words[2:] else None) for words in split]


def _above(path: str, other: str) -> bool:
    return path == other or other.startswith(path.rstrip("/") + "/")


def _conflict(one: Line, other: Line) -> bool:
    """As the definition has it, path by path."""
    first, second = command_of(one), command_of(other)
    if first is None or second is None or not (first.changes or second.changes):
        return False
    pairs = ((a, b) for a in first.paths(one) for b in second.paths(other))
    return any(_above(a, b) or _above(b, a) for a, b in pairs)


@given(st.lists(_LINES, max_size=40), st.integers(1, 8), st.randoms(use_true_random=False))
def test_conflicts_keep_their_order(lines: list[Line], block: int, rng: random.Random) -> None:
    """Whatever is done first of what may be made, as long as only blocks beside each other are under way."""
    with patch.object(conflicts, "BLOCK", block):
        lines = list(in_order(lines))
    order, added, undone = Order(), list[Ordered](), set[int]()
    while len(added) < len(lines) or undone:
        oldest = min(undone, default=len(added))
        may_add = len(added) < len(lines) and len(added) // block <= oldest // block + 1
        if may_add and (not undone or rng.random() < 0.7):
            operation = Ordered()
            order.add(operation, lines[len(added)].locks)
            undone.add(len(added))
            added.append(operation)
        else:
            allowed = [number for number in undone if not added[number].missing]
            assert oldest in allowed  # it never waits
            for number in allowed:
                earlier = (before for before in undone if before < number)
                assert not any(_conflict(lines[before], lines[number]) for before in earlier)
            number = rng.choice(sorted(allowed))
            order.done(added[number])
            undone.remove(number)
    assert len(order) == 0


def test_what_is_in_no_conflict_takes_no_lock() -> None:
    """Reads beside each other, a change of a path that nobody else is at, and reads below a folder that is listed."""
    lines = _lines("open /a/b", "open /a/b", "listStatus /a", "delete /c/d", "setOwner /c/e", "fsck /c/e")
    assert [line.locks for line in in_order(lines)] == [()] * 6


def test_a_rename_holds_both_of_its_paths() -> None:
    """What lies below either has a lock of the same number, and a read that lies elsewhere has none."""
    rename, first, second, elsewhere = in_order(
        _lines("rename /a/x /b/y", "open /a/x/1", "open /b/y/1", "open /a/z")
    )
    held = {lock >> 4 for lock in rename.locks}
    assert {lock >> 4 for lock in first.locks} | {lock >> 4 for lock in second.locks} == held
    assert len(held) == 2
    assert elsewhere.locks == ()


def test_a_folder_that_is_made_again_after_a_delete_is_made_by_the_first() -> None:
    """Who comes second waits, since the first may make the folder, and owns it."""
    lines = [Line(0.0, n, *at) for n, at in enumerate((("create", "/x/y/a"), ("delete", "/x/y")))]
    lines += [Line(0.0, 2, "create", "/x/y/b"), Line(0.0, 3, "create", "/x/y/c")]
    order, operations = Order(), [Ordered() for _ in lines]
    for operation, line in zip(operations, in_order(lines), strict=True):
        order.add(operation, line.locks)
    for done, waiting in ((0, 1), (1, 2), (2, 3)):
        assert operations[waiting].missing
        order.done(operations[done])
        assert not operations[waiting].missing


def test_a_deep_path() -> None:
    """However many folders stand above it."""
    first, second = in_order([Line(0.0, 0, "getfileinfo", "/a" * 3000), Line(0.0, 1, "delete", "/a")])
    assert len(first.locks) == len(second.locks) == 1


def test_the_topmost_folder_that_may_be_missing() -> None:
    """Once; what is used after it is there."""
    folders = Folders()
    assert folders.missing("/a/b/c") == "/a"
    assert folders.missing("/a/b/d") is None
    assert folders.missing("/a/x/y/z") == "/a/x"
    assert folders.missing("/top") is None


def test_what_is_gone_may_be_missing_again() -> None:
    """With all below it, and until it is made again."""
    folders = Folders()
    folders.missing("/a/b/c")
    folders.gone("/a")
    assert folders.missing("/a/1") == "/a"
    assert folders.missing("/a/b/1") == "/a/b"
    assert folders.missing("/a/b/2") is None
    folders.gone("/a/b/2")
    assert folders.missing("/a/b/2/3") == "/a/b/2"
