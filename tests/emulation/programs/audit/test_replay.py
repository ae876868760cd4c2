"""A log as it is read ahead and dealt out."""

from __future__ import annotations

from pathlib import Path

from froude.emulation.pacing import Pacing
from froude.emulation.programs.audit.commands import Assumed
from froude.emulation.programs.audit.conflicts import in_order
from froude.emulation.programs.audit.lines import BLOCK, Client, Line, write_lines
from froude.emulation.programs.audit.replay import Replay


def _replay(folder: Path, lines: list[Line], speed: float = 1.0) -> Replay:
    write_lines(folder / "lines.json", [Client("a"), Client("b")], in_order(lines))
    replay = Replay(folder / "lines.json", Assumed(), Pacing.SCHEDULED, speed)
    replay.begin(100.0)
    return replay


def test_it_is_read_as_room_is_made(tmp_path: Path) -> None:
    """However long the log is, some thousands of operations are kept."""
    lines = [Line(number, number % 2, "getfileinfo", f"/{number}") for number in range(10_000)]
    replay = _replay(tmp_path, lines, speed=4.0)
    assert sum(map(len, replay.queues)) == 4096
    first = replay.queues[0][0]
    assert replay.done(first, 100.0) == []
    assert sum(map(len, replay.queues)) == 4096 - 1 + 256
    assert replay.queues[0][0].due_s == 100.5


def test_no_more_than_two_blocks_are_under_way(tmp_path: Path) -> None:
    """An operation that does not end holds up what lies two blocks behind it, and only that."""
    lines = [Line(0.0, 1, "getfileinfo", f"/{number}") for number in range(3 * BLOCK)]
    lines[5] = Line(0.0, 0, "getfileinfo", "/slow")
    replay = _replay(tmp_path, lines)
    made = 0
    while replay.queues[1]:
        replay.done(replay.queues[1][0], 101.0)
        made += 1
    assert made == 2 * BLOCK - 1
    assert replay.done(replay.queues[0][0], 102.0) == [1]
    assert replay.queues[1]


def test_who_may_go_on(tmp_path: Path) -> None:
    """Clients whose next operation had to wait for one that is done; not those that have another before it."""
    lines = [
        Line(0.0, 0, "delete", "/d"),
        Line(0.0, 1, "getfileinfo", "/d/x"),
        Line(0.0, 1, "getfileinfo", "/d/y"),
    ]
    replay = _replay(tmp_path, lines)
    waiting = replay.queues[1]
    assert [not operation.missing for operation in waiting] == [False, False]
    assert replay.done(replay.queues[0][0], 101.0) == [1]
    assert [not operation.missing for operation in waiting] == [True, True]


def test_a_folder_that_is_made_by_the_way_is_made_by_the_first(tmp_path: Path) -> None:
    """Both make `/new` if it is missing; afterwards they do not wait for each other."""
    lines = [
        Line(0.0, 0, "mkdirs", "/new/a"),
        Line(0.0, 1, "create", "/new/b/c"),
        Line(0.0, 1, "create", "/new/b/d"),
        Line(0.0, 0, "create", "/new/b/e"),
    ]
    replay = _replay(tmp_path, lines)
    first, second = replay.queues
    assert [not operation.missing for operation in second] == [False, False]
    assert replay.done(first[0], 101.0) == [1]
    assert [not operation.missing for operation in (*second, *first)] == [True, False, False]
    assert sorted(replay.done(second[0], 101.0)) == [0, 1]
    assert [not operation.missing for operation in (*second, *first)] == [True, True]


def test_a_path_is_the_same_with_a_slash_behind_it(tmp_path: Path) -> None:
    """As clients may write folders."""
    lines = [Line(0.0, 0, "delete", "/a/"), Line(0.0, 1, "open", "/a/b")]
    assert _replay(tmp_path, lines).queues[1][0].missing
