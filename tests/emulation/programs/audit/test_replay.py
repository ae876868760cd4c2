"""A log as it is read ahead and dealt out."""

from __future__ import annotations

from pathlib import Path

from froude.emulation.pacing import Pacing
from froude.emulation.programs.audit.commands import Assumed
from froude.emulation.programs.audit.lines import Client, Line, write_lines
from froude.emulation.programs.audit.replay import Replay


def _replay(folder: Path, lines: list[Line], speed: float = 1.0) -> Replay:
    write_lines(folder / "lines.json", [Client("a"), Client("b")], lines)
    replay = Replay(folder / "lines.json", Assumed(), Pacing.SCHEDULED, speed)
    replay.begin(100.0)
    return replay


def test_it_is_read_as_room_is_made(tmp_path: Path) -> None:
    """However long the log is, some thousands of operations are kept."""
    lines = [Line(number, number % 2, "getfileinfo", None, f"/{number}") for number in range(10_000)]
    replay = _replay(tmp_path, lines, speed=4.0)
    assert sum(map(len, replay.queues)) == 4096
    first = replay.queues[0][0]
    assert replay.done(first, 100.0) == []
    assert sum(map(len, replay.queues)) == 4096
    assert replay.queues[0][0].due_s == 100.5


def test_who_may_go_on(tmp_path: Path) -> None:
    """Clients whose next operation had to wait for one that is done; not those that have another before it."""
    lines = [
        Line(0.0, 0, "delete", None, "/d"),
        Line(0.0, 1, "getfileinfo", None, "/d/x"),
        Line(0.0, 1, "getfileinfo", None, "/d/y"),
    ]
    replay = _replay(tmp_path, lines)
    waiting = replay.queues[1]
    assert [operation.allowed for operation in waiting] == [False, False]
    assert replay.done(replay.queues[0][0], 101.0) == [1]
    assert [operation.allowed for operation in waiting] == [True, True]


def test_a_folder_that_is_made_by_the_way_is_made_by_the_first(tmp_path: Path) -> None:
    """Both make `/new` if it is missing; afterwards they do not wait for each other."""
    lines = [
        Line(0.0, 0, "mkdirs", None, "/new/a"),
        Line(0.0, 1, "create", None, "/new/b/c"),
        Line(0.0, 1, "create", None, "/new/b/d"),
        Line(0.0, 0, "create", None, "/new/b/e"),
    ]
    replay = _replay(tmp_path, lines)
    first, second = replay.queues
    assert [operation.allowed for operation in second] == [False, False]
    assert replay.done(first[0], 101.0) == [1]
    assert [operation.allowed for operation in (*second, *first)] == [True, False, False]
    assert sorted(replay.done(second[0], 101.0)) == [0, 1]
    assert [operation.allowed for operation in (*second, *first)] == [True, True]


def test_a_path_is_the_same_with_a_slash_behind_it(tmp_path: Path) -> None:
    """As clients may write folders."""
    lines = [Line(0.0, 0, "delete", None, "/a/"), Line(0.0, 1, "open", None, "/a/b")]
    assert not _replay(tmp_path, lines).queues[1][0].allowed
